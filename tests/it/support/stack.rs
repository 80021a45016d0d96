//! A broker of the test's own, and the roles on it.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use rustix::process::{Signal, kill_process};
use serde_json::Value;

use super::accounts::Key;
use super::broker_pool::{self, Server};
use super::http::{Answer, once_it_knows, request};
use super::ports::{port, port_pair};
use super::program::{Role, arb, run};
use super::scratch::{self, Scratch};
use super::{kafka_start, root, wait_for, wait_for_steps};

/// A Kafka of the test's own, killed, frozen and started again as the test likes.
pub(crate) struct Broker {
    /// Taken when this is dropped.
    server: Mutex<Option<Server>>,
    /// Whether it was killed or frozen, so that no other test may have it.
    is_disturbed: AtomicBool,
    pub(crate) brokers: String,
    pub(crate) scratch: Scratch,
}

impl Broker {
    /// With the catalogue's topics.
    pub(crate) fn start() -> Self {
        let broker = Self::bare();
        let output = run(arb().args(["topics", "create", "--brokers", &broker.brokers]));
        assert!(output.success, "{}", output.err);
        broker
    }

    /// Without topics.
    pub(crate) fn bare() -> Self {
        let server = broker_pool::take().unwrap_or_else(|| {
            let (data, port) = (tempfile::tempdir().unwrap(), port_pair());
            Server { kafka: kafka_start::start(data.path(), port), port, data }
        });
        let (brokers, scratch) = (server.brokers(), Scratch::new());
        Self { server: Mutex::new(Some(server)), is_disturbed: AtomicBool::new(false), brokers, scratch }
    }

    fn with<T>(&self, act: impl FnOnce(&mut Server) -> T) -> T {
        act(self.server.lock().unwrap().as_mut().unwrap())
    }

    /// Kills Kafka with -9; `arb kafka` ends with it.
    pub(crate) fn kill(&self) {
        self.signal(Signal::KILL);
        wait_for("arb kafka ends with its server", || self.with(|server| server.kafka.died()).then_some(()));
    }

    /// Starts Kafka again after a kill, at the same port and on the same data.
    pub(crate) fn restart(&self) {
        self.with(|server| server.kafka = kafka_start::start(server.data.path(), server.port));
    }

    /// Stops Kafka's process where it is, as a machine does that hangs.
    pub(crate) fn freeze(&self) {
        self.signal(Signal::STOP);
    }

    /// Lets it go on.
    pub(crate) fn thaw(&self) {
        self.signal(Signal::CONT);
    }

    fn signal(&self, with: Signal) {
        self.is_disturbed.store(true, Ordering::Relaxed);
        self.with(|server| signal(&server.kafka, with));
    }

    /// Where Kafka stores a partition.
    pub(crate) fn partition_folder(&self, topic: &str, partition: i32) -> PathBuf {
        self.with(|server| server.data.path().join("kafka/log").join(format!("{topic}-{partition}")))
    }

    /// A file of the test's own.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.scratch.path().join(name)
    }

    /// Publishes polls of a recording as fast as possible, and waits until they are.
    pub(crate) fn ingest(&self, recording: &Path, arguments: &[&str]) {
        self.ingest_at("max", recording, arguments);
    }

    /// The same at another speed.
    pub(crate) fn ingest_at(&self, speed: &str, recording: &Path, arguments: &[&str]) {
        let mut command = arb();
        command.args(["ingest", "--speed", speed, "--brokers", &self.brokers, "--replay"]).arg(recording);
        let output = run(command.args(arguments));
        assert!(output.success, "{}", output.err);
    }
}

/// The folder of Kafka's libraries and tools. Where no broker has fetched them, one is started and ended for that.
pub(crate) fn kafka_libraries() -> PathBuf {
    let folder = root().join(".arb/kafka-4.3.0-with-tools");
    if !folder.is_dir() {
        drop(Broker::start());
    }
    assert!(folder.is_dir(), "{} is not what the local Kafka is fetched into", folder.display());
    folder
}

/// Sends a signal to Kafka's own process.
pub(crate) fn signal(kafka: &Role, signal: Signal) {
    kill_process(kafka.server(), signal).unwrap();
}

impl Drop for Broker {
    fn drop(&mut self) {
        let server = self.server.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        let Some(mut server) = server else { return };
        let has_failed = std::thread::panicking();
        if has_failed {
            scratch::keep(&mut server.data);
        }
        let is_clean = !has_failed && !self.is_disturbed.load(Ordering::Relaxed);
        broker_pool::give_back(server, is_clean);
    }
}

/// A broker with a processor and a board.
pub(crate) struct Stack {
    // The roles end before their broker.
    pub(crate) process: Role,
    _serve: Role,
    pub(crate) url: String,
    pub(crate) key: String,
    pub(crate) holder: Key,
    pub(crate) broker: Broker,
}

impl Stack {
    /// Starts everything with a policy.
    pub(crate) fn start(policy: &str) -> Self {
        Self::start_with(policy, &[])
    }

    /// The same with more arguments for the board.
    pub(crate) fn start_with(policy: &str, serve: &[&str]) -> Self {
        let broker = Broker::start();
        let arguments = ["--policy", policy, "--brokers", &broker.brokers];
        let process = Role::start("process", &arguments, &broker.path("process.log"));
        let key = Key::new(&broker, "enterprise");
        let pepper = key.pepper.display().to_string();
        let listen = format!("127.0.0.1:{}", port());
        let arguments = ["--listen", &listen, "--pepper", &pepper, "--brokers", &broker.brokers];
        let arguments = [&arguments[..], serve].concat();
        let mut serve = Role::start("serve", &arguments, &broker.path("serve.log"));
        let url = format!("http://{listen}");
        wait_for("the board is ready", || {
            serve.assert_runs();
            request("GET", &format!("{url}/readyz"), &[]).filter(|answer| answer.status == 200)
        });
        Self { process, _serve: serve, url, key: key.text.clone(), holder: key, broker }
    }

    /// `GET` with the key.
    pub(crate) fn get(&self, path: &str) -> Answer {
        let bearer = format!("Bearer {}", self.key);
        let url = format!("{}{path}", self.url);
        once_it_knows(|| request("GET", &url, &[("authorization", &bearer)])).unwrap()
    }

    /// The whole board, once it contains the poll of this time.
    pub(crate) fn board_at(&self, polled_at: &str) -> Value {
        wait_for_steps(&format!("the board contains the poll of {polled_at}"), || {
            let board = self.get("/v1/arbs?limit=500").json();
            let polls = board["polls"].as_array().unwrap();
            let is_there = polls.iter().any(|poll| poll["polled_at"] == polled_at);
            if is_there { Ok(board) } else { Err(board["as_of"].clone()) }
        })
    }
}
