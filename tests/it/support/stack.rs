//! A broker of the test's own, and the roles on it.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Mutex, PoisonError};

use rustix::process::{Signal, kill_process};
use serde_json::Value;

use super::accounts::Key;
use super::environment::Environment;
use super::http::{Answer, once_it_knows, request};
use super::permit::Permit;
use super::ports::{port, port_pair};
use super::program::{Role, arb, run};
use super::scratch::{self, Scratch};
use super::topics::remove_topics;
use super::{home, kafka_start, wait_for, wait_for_steps};

/// A Kafka with topics of a test's own in it.
pub(crate) struct Broker {
    /// Of the test alone; `None` where it shares the one of all tests.
    own: Option<Mutex<Server>>,
    pub(crate) kafka: Environment,
    pub(crate) scratch: Scratch,
}

/// A broker's process and what it stores.
struct Server {
    // Ends before its files are removed.
    kafka: Role,
    port: u16,
    data: Scratch,
    _permit: Permit,
}

impl Broker {
    /// The Kafka of all tests, with the catalogue's topics under a prefix of the test's own.
    pub(crate) fn start() -> Self {
        Self::bare().with_topics()
    }

    /// Without topics.
    pub(crate) fn bare() -> Self {
        static NEXT: AtomicU16 = AtomicU16::new(0);
        let prefix = format!("t{}-{}.", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let kafka = Environment::new(format!("127.0.0.1:{}", kafka_start::shared().port), &prefix);
        Self { own: None, kafka, scratch: Scratch::new() }
    }

    /// A Kafka of the test's own, killed, frozen and started again as the test likes.
    pub(crate) fn own() -> Self {
        Self::own_bare().with_topics()
    }

    /// Without topics.
    pub(crate) fn own_bare() -> Self {
        let (permit, data, port) = (Permit::take(), Scratch::new(), port_pair());
        let server = Server { kafka: kafka_start::start(data.path(), port), port, data, _permit: permit };
        let kafka = Environment::new(format!("127.0.0.1:{port}"), "");
        Self { own: Some(Mutex::new(server)), kafka, scratch: Scratch::new() }
    }

    fn with_topics(self) -> Self {
        let output = run(arb().args(["topics", "create", self.kafka.at(), self.kafka.named()]));
        assert!(output.success, "{}", output.err);
        self
    }

    fn with<T>(&self, act: impl FnOnce(&mut Server) -> T) -> T {
        let own =
            self.own.as_ref().expect("a Kafka that others use is neither killed nor frozen: `Broker::own`");
        act(&mut own.lock().unwrap())
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
        self.with(|server| signal(&server.kafka, with));
    }

    /// Where Kafka stores a partition.
    pub(crate) fn partition_folder(&self, topic: &str, partition: i32) -> PathBuf {
        self.with(|server| {
            server.data.path().join("kafka/log").join(self.kafka.name(&format!("{topic}-{partition}")))
        })
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
        command
            .args(["ingest", "--speed", speed, self.kafka.at(), self.kafka.named(), "--replay"])
            .arg(recording);
        let output = run(command.args(arguments));
        assert!(output.success, "{}", output.err);
    }
}

/// The folder of Kafka's libraries and tools. Where no broker has fetched them, one is started and ended for that.
pub(crate) fn kafka_libraries() -> PathBuf {
    let folder = home().join("kafka-4.3.0-with-tools");
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
        if let Some(own) = &mut self.own {
            let own = own.get_mut().unwrap_or_else(PoisonError::into_inner);
            // Nothing of it is kept: a frozen one could not end, and one in good order takes seconds.
            if !own.kafka.died() {
                signal(&own.kafka, Signal::KILL);
            }
            return;
        }
        remove_topics(&self.kafka);
        if std::thread::panicking() {
            scratch::show(&kafka_start::shared().folder.join("data"));
        }
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
        let arguments = ["--policy", policy, broker.kafka.at(), broker.kafka.named()];
        let process = Role::start("process", &arguments, &broker.path("process.log"));
        let key = Key::new(&broker, "enterprise");
        let pepper = key.pepper.display().to_string();
        let listen = format!("127.0.0.1:{}", port());
        let arguments = ["--listen", &listen, "--pepper", &pepper, broker.kafka.at(), broker.kafka.named()];
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
