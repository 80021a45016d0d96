//! `arb up` as a user runs it: everything starts, the board can be read, and everything ends with it, however it
//! ends.

use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::support::http::request;
use crate::support::program::arb;
use crate::support::stack::{port, port_pair};
use crate::support::{recordings, root, wait_for};

/// `arb up`, running.
struct Running {
    child: Child,
    home: TempDir,
    kafka_port: u16,
    url: String,
    key: String,
}

/// Starts it, and waits until it has said where the board is.
fn up(arguments: &[&str], home: TempDir) -> Running {
    let (kafka_port, listen) = (port_pair(), format!("127.0.0.1:{}", port()));
    let log = std::fs::File::create(home.path().join("up.log")).unwrap();
    let mut command = arb();
    command.args(["up", "--listen", &listen, "--kafka-port", &kafka_port.to_string(), "--home"]);
    command.arg(home.path().join("home")).args(arguments).stdout(Stdio::piped()).stderr(log);
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let key = lines.find_map(|line| line.strip_prefix("key    ").map(str::to_owned));
    let key =
        key.unwrap_or_else(|| panic!("{}", std::fs::read_to_string(home.path().join("up.log")).unwrap()));
    let curls: Vec<_> = lines.take_while(|line| !line.starts_with("Ctrl-C")).collect();
    assert_eq!(curls.iter().filter(|line| line.starts_with("curl ")).count(), 3, "{curls:?}");
    Running { child, home, kafka_port, url: format!("http://{listen}"), key }
}

impl Running {
    fn board(&self) -> Option<serde_json::Value> {
        let bearer = format!("Bearer {}", self.key);
        Some(request("GET", &format!("{}/v1/arbs", self.url), &[("authorization", &bearer)])?.json())
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    fn everything_ends(&self) {
        let closed = |address: &str| TcpStream::connect(address).is_err().then_some(());
        wait_for("the board ends", || closed(self.url.trim_start_matches("http://")));
        wait_for("Kafka ends", || closed(&format!("127.0.0.1:{}", self.kafka_port)));
    }

    fn said(&self) -> String {
        std::fs::read_to_string(self.home.path().join("up.log")).unwrap()
    }
}

/// A home that shares the repository's download, so that Kafka is fetched once for all.
fn home() -> TempDir {
    let home = tempfile::tempdir().unwrap();
    std::fs::create_dir(home.path().join("home")).unwrap();
    let fetched = root().join(".arb").join("kafka-4.3.0");
    if fetched.is_dir() {
        std::os::unix::fs::symlink(fetched, home.path().join("home/kafka-4.3.0")).unwrap();
    }
    home
}

fn replay(recording: &Path) -> Vec<String> {
    vec!["--replay".into(), recording.display().to_string(), "--speed".into(), "max".into()]
}

#[test]
fn it_plays_a_recording_and_ends_cleanly_on_interrupt() {
    let home = home();
    let recording = recordings::synthetic(home.path(), 51, 60);
    let arguments = replay(&recording);
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    let mut running = up(&[&arguments[..], &["--until", "2026-01-01T03:00:00Z"]].concat(), home);
    let board = wait_for("the last poll is on the board", || {
        running.board().filter(|board| board["as_of"] == "2026-01-01T03:00:00Z")
    });
    assert!(!board["arbs"].as_array().unwrap().is_empty());
    running.signal(Signal::INT);
    assert!(running.child.wait().unwrap().success(), "{}", running.said());
    running.everything_ends();
}

#[test]
fn the_synthetic_market_moves_and_ends_with_a_killed_parent() {
    let mut running = up(&[], home());
    let first = wait_for("a first poll", || running.board().filter(|board| board["as_of"].is_string()));
    wait_for("another poll", || running.board().filter(|board| board["as_of"] != first["as_of"]));
    running.signal(Signal::KILL);
    running.child.wait().unwrap();
    running.everything_ends();
}

#[test]
fn it_starts_with_empty_topics_and_says_so() {
    let home = home();
    let recording = recordings::synthetic(home.path(), 52, 5);
    let arguments = replay(&recording);
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    let mut running = up(&arguments, home);
    wait_for("the last poll is on the board", || {
        running.board().filter(|board| board["as_of"] == "2026-01-01T00:20:00Z")
    });
    running.signal(Signal::TERM);
    assert!(running.child.wait().unwrap().success(), "{}", running.said());
    let Running { home, .. } = running;
    let mut again = up(&[&arguments[..], &["--until", "2026-01-01T00:00:00Z"]].concat(), home);
    assert!(again.said().contains("the topics of the last run are removed"), "{}", again.said());
    wait_for("the first poll is all there is", || {
        again.board().filter(|board| board["as_of"] == "2026-01-01T00:00:00Z")
    });
    again.signal(Signal::INT);
    assert!(again.child.wait().unwrap().success());
    again.everything_ends();
}
