//! `arb up` in a home and at ports of a test's own: with the Kafka and the ClickHouse of all tests, or with those that it starts itself.

use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::clickhouse::ClickHouse;
use super::clickhouse_server::share_download;
use super::environment::Environment;
use super::http::{once_it_knows, request};
use super::permit::Permit;
use super::ports::{port, port_pair};
use super::program::{arb, run};
use super::scratch::Scratch;
use super::stack::Broker;
use super::{kafka_start, recordings, wait_for, wait_for_steps};

/// `arb up`, running.
pub(crate) struct Running {
    pub(crate) child: Child,
    pub(crate) log: PathBuf,
    pub(crate) url: String,
    pub(crate) key: String,
    /// The address that signs in to the demonstration account.
    pub(crate) page: String,
}

impl Running {
    /// Starts it, and waits until it has printed the address of the board.
    pub(crate) fn start(mut command: Command, log: PathBuf, listen: &str) -> Self {
        let file = std::fs::File::create(&log).unwrap();
        let mut child = command.stdout(Stdio::piped()).stderr(file).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        let mut after = |name: &str| {
            let found = lines.find_map(|line| line.strip_prefix(name).map(str::to_owned));
            found.unwrap_or_else(|| panic!("{}", std::fs::read_to_string(&log).unwrap()))
        };
        let (page, key) = (after("page   "), after("key    "));
        let curls: Vec<_> = lines.take_while(|line| !line.starts_with("Ctrl-C")).collect();
        assert_eq!(curls.iter().filter(|line| line.starts_with("curl ")).count(), 5, "{curls:?}");
        Self { child, log, url: format!("http://{listen}"), key, page }
    }

    pub(crate) fn board(&self) -> Option<Value> {
        let (url, bearer) = (format!("{}/v1/arbs", self.url), format!("Bearer {}", self.key));
        Some(once_it_knows(|| request("GET", &url, &[("authorization", &bearer)]))?.json())
    }

    /// Waits until the board contains everything up to a time.
    pub(crate) fn board_at(&self, as_of: &str) -> Value {
        wait_for_steps(as_of, || {
            let board = self.board().unwrap_or_default();
            if board["as_of"] == as_of { Ok(board) } else { Err(board["as_of"].clone()) }
        })
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    pub(crate) fn output(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap()
    }
}

/// A test that fails leaves nothing running.
impl Drop for Running {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            let _ = kill_process(Pid::from_child(&self.child), Signal::TERM);
            let _ = self.child.wait();
        }
    }
}

/// Gives servers to `arb up`, which then starts none.
pub(crate) fn give(command: &mut Command, broker: &Broker, clickhouse: &ClickHouse) {
    command
        .env("KAFKA_BOOTSTRAP_SERVERS", &broker.kafka.brokers)
        .env("KAFKA_TOPIC_PREFIX", broker.kafka.prefix())
        .env("CLICKHOUSE_URL", &clickhouse.url)
        .env("CLICKHOUSE_DATABASE", clickhouse.databases.views());
    for role in ["migrator", "writer", "reader"] {
        command.env(format!("CLICKHOUSE_{}_PASSWORD", role.to_uppercase()), clickhouse.password(role));
    }
}

/// A file system in memory over a folder.
struct SmallDisk(PathBuf);

impl SmallDisk {
    /// `None` where this user may not mount one.
    fn mount(folder: &Path, mib: u32) -> Option<Self> {
        let options = format!("size={mib}m,mode=700");
        let mounted = run(Command::new("mount").args(["-t", "tmpfs", "-o", &options, "tmpfs"]).arg(folder));
        if !mounted.success {
            eprintln!("NOT TESTED here: no file system can be mounted: {}", mounted.err.trim());
        }
        mounted.success.then(|| Self(folder.to_owned()))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // What is on it is gone with it.
            let kept = tempfile::tempdir().map(tempfile::TempDir::keep);
            let kept = kept
                .inspect(|kept| drop(run(Command::new("cp").arg("-r").arg(self.0.join("logs")).arg(kept))));
            eprintln!("logs kept: {kept:?}");
        }
        // Also while a process that is being ended has a file of it.
        run(Command::new("umount").arg("--lazy").arg(&self.0));
    }
}

/// A home and ports of the test's own, and `arb up` in them.
pub(crate) struct LocalHome {
    // It is gone before its folder is removed.
    _disk: Option<SmallDisk>,
    pub(crate) home: Scratch,
    /// Of the servers that it starts.
    pub(crate) kafka_port: u16,
    pub(crate) clickhouse_port: u16,
    pub(crate) listen: String,
    servers: Servers,
}

/// What `arb up` runs on.
enum Servers {
    Own(Permit),
    Shared(Box<(Broker, ClickHouse)>),
}

impl LocalHome {
    /// With topics and databases of the test's own in the servers of all tests: of tests of what the roles do.
    pub(crate) fn new() -> Self {
        Self::at(Servers::Shared(Box::new((Broker::bare(), ClickHouse::start()))), Scratch::new(), None)
    }

    /// With a Kafka and a ClickHouse that it starts and ends: of tests of `arb up` itself.
    pub(crate) fn own() -> Self {
        Self::at(Servers::Own(Permit::take()), Scratch::new(), None)
    }

    /// The same on a small disk of its own; `None` where this machine mounts none.
    pub(crate) fn on_small_disk(mib: u32) -> Option<Self> {
        let (permit, home) = (Permit::take(), Scratch::new());
        let disk = SmallDisk::mount(home.path(), mib)?;
        Some(Self::at(Servers::Own(permit), home, Some(disk)))
    }

    fn at(servers: Servers, home: Scratch, disk: Option<SmallDisk>) -> Self {
        std::fs::write(home.path().join("arb-home"), "").unwrap();
        let fetched = super::home().join("kafka-4.3.0-with-tools");
        if fetched.is_dir() {
            symlink(fetched, home.path().join("kafka-4.3.0-with-tools")).unwrap();
        }
        share_download(home.path());
        let (kafka_port, clickhouse_port) = (port_pair(), port_pair());
        let listen = format!("127.0.0.1:{}", port());
        Self { _disk: disk, home, kafka_port, clickhouse_port, listen, servers }
    }

    /// Its Kafka, once it runs.
    pub(crate) fn kafka(&self) -> Environment {
        match &self.servers {
            Servers::Own(_) => Environment::new(format!("127.0.0.1:{}", self.kafka_port), ""),
            Servers::Shared(servers) => servers.0.kafka.clone(),
        }
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = arb();
        command.args(["up", "--listen", &self.listen, "--home"]).arg(self.home.path());
        match &self.servers {
            Servers::Own(_) => {
                let (port, native) =
                    (self.clickhouse_port.to_string(), (self.clickhouse_port + 1).to_string());
                command.args(["--clickhouse-port", &port, "--clickhouse-native-port", &native]);
                command.args(["--kafka-port", &self.kafka_port.to_string()]);
                kafka_start::quicken(&mut command);
            }
            Servers::Shared(servers) => give(&mut command, &servers.0, &servers.1),
        }
        // A test does not wait for rows as long as a person does.
        command.arg("--batch-interval-ms=1000").args(arguments);
        command
    }

    pub(crate) fn up(&self, arguments: &[&str]) -> Running {
        Running::start(self.command(arguments), self.home.path().join("up.log"), &self.listen)
    }

    pub(crate) fn replay(&self, seed: u64, polls: u64, until: &str) -> Running {
        let recording = recordings::simulated(self.home.path(), seed, polls);
        self.up(&["--replay", recording.to_str().unwrap(), "--speed", "max", "--until", until])
    }

    pub(crate) fn everything_ends(&self) {
        let closed = |address: &str| TcpStream::connect(address).is_err().then_some(());
        wait_for("the board ends", || closed(&self.listen));
        if matches!(self.servers, Servers::Shared(..)) {
            return;
        }
        wait_for("Kafka ends", || closed(&format!("127.0.0.1:{}", self.kafka_port)));
        wait_for("ClickHouse ends", || closed(&format!("127.0.0.1:{}", self.clickhouse_port)));
    }
}
