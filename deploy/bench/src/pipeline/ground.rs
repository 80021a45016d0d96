//! What is measured on: a broker with the catalogue's topics, empty, and an API beside it.
//!
//! Everything that it makes it takes away again; it never touches what it has not made.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, bail};
use arb::cli::LogFormat;
use arb::local::children::Children;
use arb::local::{home, http, kafka, preflight};
use arb::system::clock;
use arb_accounts::codec;
use arb_accounts::secrets::{PEPPER, Pepper};
use arb_kafka::{Cluster, CommandProducer};
use arb_runtime::stop::Stop;
use arb_schemas::topics::{ACCOUNTS, Topic};
use arb_setup::prerequisites::{self, Plan as Needed};
use arb_setup::progress::{Progress, Report};
use tokio::runtime::Runtime;

use super::broker::Broker;
use super::scratch::Scratch;
use crate::cli::KafkaOptions;
use crate::event_stream::Stream;
use crate::holder;

/// Free disk space that a run needs, in MiB.
const DISK: u64 = 2_048;

/// A broker and its topics, for one measurement after the other.
pub(crate) struct KafkaGround<'a> {
    pub(crate) cluster: Cluster,
    pub(crate) stop: Stop,
    pub(super) broker: Broker,
    children: &'a mut Children,
    scratch: Scratch,
    runtime: Runtime,
    names: u32,
}

/// An API that runs.
pub(super) struct StartedApi {
    pub(super) listen: SocketAddr,
    pub(super) key: String,
}

impl<'a> KafkaGround<'a> {
    /// Starts a broker where none is given, and makes the topics.
    fn prepare(config: &KafkaOptions, children: &'a mut Children, stop: &Stop) -> anyhow::Result<Self> {
        let brokers = match &config.brokers {
            Some(brokers) => brokers.clone(),
            None => start_kafka(&config.home.home, children, stop)?,
        };
        let cluster = Cluster::plaintext(&brokers);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let scratch = runtime.block_on(Scratch::make(&cluster));
        let scratch = scratch.context("measure on a broker that has none of our topics")?;
        let (stop, broker) = (stop.clone(), Broker::at(&brokers));
        Ok(Self { cluster, stop, broker, children, scratch, runtime, names: 0 })
    }

    /// Measures on one that is cleared away afterwards, with all that was started for it.
    pub(crate) fn measured<T>(
        config: &KafkaOptions,
        log_format: LogFormat,
        stop: &Stop,
        measure: impl FnOnce(&mut KafkaGround<'_>) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        let mut children = Children::new(&crate::ROLE, log_format)?;
        let done = KafkaGround::prepare(config, &mut children, stop).and_then(|mut kafka| {
            let done = measure(&mut kafka);
            // Also after an error, which is then the one that is returned.
            let cleared = kafka.clear();
            done.and_then(|measured| cleared.map(|()| measured))
        });
        children.stop();
        done
    }

    /// A name that was never used: for a group, or for a transactional id.
    pub(super) fn name(&mut self) -> String {
        self.names += 1;
        format!("arb-bench-{}-{}", std::process::id(), self.names)
    }

    /// Empties topics.
    pub(super) fn empty(&self, topics: &[Topic]) -> anyhow::Result<()> {
        let names: Vec<_> = topics.iter().map(|topic| topic.name).collect();
        self.runtime.block_on(self.scratch.empty(&names))
    }

    /// Starts an API, and the owner of the accounts from which it leases its quota.
    pub(super) fn serve(&mut self) -> anyhow::Result<StartedApi> {
        let pepper = home::pepper(self.children.folder());
        std::fs::write(&pepper, [7; PEPPER])?;
        let (key, parts) = holder::parts(&Pepper::new(&[7; PEPPER]), clock::now())?;
        let producer = CommandProducer::new(&self.cluster, &ACCOUNTS)?;
        for part in parts {
            producer.send(&part.key(), &codec::encode_part(&part)?)?;
        }
        while producer.in_flight() > 0 {
            producer.serve(Duration::from_millis(10))?;
        }
        let listen = SocketAddr::from(([127, 0, 0, 1], free_port(|port| preflight::port(port, ""))?));
        let (at, pepper) = (listen.to_string(), pepper.display().to_string());
        let admin = "--admin-listen=127.0.0.1:0";
        let arguments = [
            "--child",
            "--brokers",
            self.cluster.brokers(),
            "--listen",
            &at,
            "--pepper",
            &pepper,
            admin,
            "--drain-ms=0",
        ];
        self.children.start("accounts", &["--child", "--brokers", self.cluster.brokers(), admin])?;
        self.children.start("serve", &arguments)?;
        self.children.wait(&self.stop, "the API", || http::is_ready(listen))?;
        let started = StartedApi { listen, key };
        self.children
            .wait(&self.stop, "the first lease", || Stream::open(started.listen, &started.key).is_ok())?;
        Ok(started)
    }

    /// Ends both.
    pub(super) fn end_serve(&mut self) {
        self.children.stop_last();
        self.children.stop_last();
    }

    /// The same with a processor.
    pub(super) fn serve_processed(&mut self) -> anyhow::Result<StartedApi> {
        let arguments = ["--child", "--brokers", self.cluster.brokers(), "--admin-listen=127.0.0.1:0"];
        self.children.start("process", &arguments)?;
        self.serve()
    }

    /// Ends all three.
    pub(super) fn end_processed(&mut self) {
        self.end_serve();
        self.children.stop_last();
    }

    /// Takes everything away that was made.
    fn clear(self) -> anyhow::Result<()> {
        self.runtime.block_on(self.scratch.remove())
    }
}

fn start_kafka(home: &Path, children: &mut Children, stop: &Stop) -> anyhow::Result<String> {
    arb_setup::home::check_disk(children.folder(), DISK)?;
    prerequisites::check(Needed::of_servers(home, true, false))?;
    arb_setup::kafka::libraries(home, Report::Live)?;
    let _progress = Progress::start("starting Apache Kafka", Report::Live);
    let port = free_port(|port| kafka::are_free(port, ""))?;
    let (data, home) = (children.folder().join("kafka").display().to_string(), home.display().to_string());
    children.start("kafka", &["--child", "--port", &port.to_string(), "--data", &data, "--home", &home])?;
    children.wait(stop, "Kafka", || kafka::answers(port))?;
    Ok(format!("127.0.0.1:{port}"))
}

/// A port that is free, with its successor, below those that the system gives to outgoing connections. It stays this process's own: as long as
/// that lives it listens at the port before it, and whoever does so has both.
pub(crate) fn free_port(is_free: impl Fn(u16) -> anyhow::Result<()>) -> anyhow::Result<u16> {
    static OWNED: Mutex<Vec<TcpListener>> = Mutex::new(Vec::new());
    let first = 21_000 + u16::try_from(std::process::id() % 3_000)? * 3;
    for owner in (first..first + 900).step_by(3) {
        let Ok(listener) = TcpListener::bind((Ipv4Addr::LOCALHOST, owner)) else { continue };
        if is_free(owner + 1).is_ok() {
            OWNED.lock().unwrap_or_else(PoisonError::into_inner).push(listener);
            return Ok(owner + 1);
        }
    }
    bail!("no free ports from {first} on")
}
