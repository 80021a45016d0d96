//! What a restart of `arb serve` does to standard clients of Server-Sent Events: npm's `eventsource` as it is published, and
//! Chromium's own `EventSource`.
//!
//! By the standard such a client reconnects after a connection that is refused or breaks, and never after a
//! status other than 200. npm installs the package, and the one that drives the browser, once into the home
//! folder of the repository; the browser is Debian's.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Instant;

use serde_json::Value;

use crate::support::feed::{Writer, opened};
use crate::support::ports::port;
use crate::support::serve::{Key, Serve};
use crate::support::stack::Broker;
use crate::support::{node, wait_for};
use crate::tickets::ticket;

/// A client as its makers publish it.
#[derive(Clone, Copy)]
enum Client {
    Npm,
    Chromium,
    /// On a page of another origin, with a ticket.
    ChromiumElsewhere,
}

impl Client {
    /// The script that prints what becomes of its stream.
    fn script(self) -> &'static str {
        match self {
            Self::Npm => "follow.mjs",
            Self::Chromium | Self::ChromiumElsewhere => "browser.mjs",
        }
    }
}

/// The browser, which the tests do not fetch themselves.
pub(crate) fn chromium() -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join("chromium")).find(|file| file.exists());
    found.expect("chromium is on the PATH (on Debian: apt-get install chromium)")
}

/// The client, running, and what it prints.
struct Follower {
    node: Child,
    lines: Receiver<Value>,
}

impl Follower {
    fn start(client: Client, url: &str, key: &Key) -> Self {
        let mut node = Command::new("node");
        node.args([client.script(), url]).current_dir(node::folder()).env("ARB_TEST_KEY", &key.text);
        if !matches!(client, Client::Npm) {
            node.env("ARB_TEST_CHROMIUM", chromium());
        }
        if matches!(client, Client::ChromiumElsewhere) {
            let port = url.split(':').nth(2).unwrap().split('/').next().unwrap();
            node.arg(format!("http://localhost:{port}/livez"));
        }
        let mut node = node.stdout(Stdio::piped()).spawn().expect("node is there");
        let (out, lines) = channel();
        let read = BufReader::new(node.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in read.lines().map_while(Result::ok) {
                let _ = out.send(serde_json::from_str(&line).unwrap());
            }
        });
        Self { node, lines }
    }

    /// Reads on to a type of line; all that came, which has no end of the client in it unless that is the type.
    fn until(&self, kind: &str) -> Vec<Value> {
        let mut come = Vec::new();
        wait_for(kind, || {
            while let Ok(line) = self.lines.try_recv() {
                println!("{line}");
                assert!(line["type"] != "closed" || kind == "closed", "it never comes back: {come:?} {line}");
                come.push(line);
                if come.last().unwrap()["type"] == kind {
                    return Some(());
                }
            }
            None
        });
        come
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        let _ = self.node.kill();
        let _ = self.node.wait();
    }
}

#[test]
fn npms_eventsource_comes_back_after_every_restart_and_misses_nothing() {
    let end = comes_back_after_every_restart_and_misses_nothing(Client::Npm);
    assert_eq!(end.last().unwrap()["status"], 401, "{end:?}");
}

#[test]
fn chromiums_eventsource_comes_back_after_every_restart_and_misses_nothing() {
    comes_back_after_every_restart_and_misses_nothing(Client::Chromium);
}

#[test]
fn chromiums_eventsource_of_another_origin_comes_back_with_its_ticket() {
    comes_back_after_every_restart_and_misses_nothing(Client::ChromiumElsewhere);
}

/// Restarts and kills; then the key is revoked. What the client reports from then to its end.
fn comes_back_after_every_restart_and_misses_nothing(client: Client) -> Vec<Value> {
    // Installing takes longer than a ticket is good for.
    node::folder();
    let broker = Broker::start();
    let key = Key::new(&broker, "enterprise");
    let writer = Writer::new(&broker.kafka);
    let listen = format!("127.0.0.1:{}", port());
    let origin = format!("http://localhost:{}", listen.split(':').nth(1).unwrap());
    let serve = || Serve::launch_at(&listen, &broker, &key, "serve", &["--cors-origins", &origin]);
    let mut running = serve();
    wait_for("it serves", || running.is_ready().then_some(()));
    let query = match client {
        Client::ChromiumElsewhere => format!("?{}", ticket(&running, &key, &origin, "{}")),
        Client::Npm | Client::Chromium => String::new(),
    };
    let follower = Follower::start(client, &format!("http://{listen}/api/v1/stream{query}"), &key);
    follower.until("snapshot");
    let mut got = Vec::new();
    for (round, is_killed) in (0_i64..).zip([false, true, false, true]) {
        if is_killed {
            running.role.kill();
        } else {
            running.role.stop();
        }
        // While no server listens.
        let id = format!("w{round}");
        writer.write(i32::try_from(round).unwrap(), &[opened(&id, "soccer_test", round + 1)]);
        running = serve();
        let come = follower.until("arb_window");
        let kinds: Vec<_> = come.iter().map(|line| line["type"].as_str().unwrap()).collect();
        assert_eq!(kinds.contains(&"server_restart"), !is_killed, "{kinds:?}");
        assert!(!kinds.contains(&"snapshot") && !kinds.contains(&"resync"), "{kinds:?}");
        got.push(come.last().unwrap()["id"].clone());
    }
    assert_eq!(got, ["w0", "w1", "w2", "w3"]);
    key.take_away();
    let end = follower.until("closed");
    assert!(end.iter().any(|line| line["type"] == "key_revoked"), "{end:?}");
    end
}

#[test]
fn a_stream_whose_key_is_revoked_ends_with_that_notice() {
    let broker = Broker::start();
    let (key, other) = (Key::new(&broker, "enterprise"), Key::new(&broker, "pro"));
    let serve = Serve::start(&broker, &key, "serve", &[]);
    let mut stream = serve.stream("", None);
    assert_eq!(stream.next().unwrap().name, "snapshot");
    other.take_away();
    // A heartbeat each 200 ms: the stream continues, however the accounts change.
    assert!((0..5).all(|_| stream.next().unwrap().name == "heartbeat"));
    let begun = Instant::now();
    key.take_away();
    let rest: Vec<_> = std::iter::from_fn(|| stream.next_event()).map(|event| event.name).collect();
    let took = begun.elapsed();
    println!("it ended after {took:?}");
    assert_eq!(rest.last().map(String::as_str), Some("key_revoked"), "{rest:?}");
}
