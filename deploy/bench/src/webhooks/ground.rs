//! What webhooks are measured on: a deliverer, endpoints of one account, receivers, and events of the feed.
//!
//! It judges nothing.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use arb::local::{http, preflight};
use arb_accounts::codec;
use arb_accounts::directory::Part;
use arb_accounts::endpoint::{Endpoint, EndpointSettings, EndpointState, Policy};
use arb_kafka::{Cluster, CommandProducer};
use arb_model::fixtures;
use arb_runtime::stop::Stop;
use arb_runtime::telemetry::list::DELIVER_PENDING;
use arb_schemas::records::ArbWindow;
use arb_schemas::topics::ACCOUNTS;
use arb_schemas::wire::encode;

use crate::actor::{Actor, Arrived, Order, Role};
use crate::client::Connection;
use crate::pipeline::{FeedWriter, KafkaGround, free_port};

/// How long anything may take.
const PATIENCE: Duration = Duration::from_mins(1);
/// How long the endpoints may take to be known to the deliverer.
const SETTLE: Duration = Duration::from_millis(500);

/// Everything that is there during the measurements.
pub(super) struct WebhookGround {
    cluster: Cluster,
    stop: Stop,
    pub(super) deliverer: Actor,
    pub(super) receivers: Actor,
    /// Those that answer come first.
    pub(super) addresses: Vec<SocketAddr>,
    admin: SocketAddr,
    feed: FeedWriter,
    round: u32,
    _folder: tempfile::TempDir,
}

impl WebhookGround {
    /// So many endpoints that answer, and so many that never do and are disabled at first.
    pub(super) fn prepare(kafka: &KafkaGround<'_>, healthy: usize, dead: usize) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir().context("a temporary folder")?;
        let brokers = kafka.cluster.brokers().to_owned();
        let feed = FeedWriter::new(&brokers)?;
        let mut receivers = Actor::start(Role::Receivers)?;
        let addresses: Vec<SocketAddr> = receivers.ask(&Order::Receive { healthy, dead })?;
        let admin = SocketAddr::from(([127, 0, 0, 1], free_port(|port| preflight::port(port, ""))?));
        let mut deliverer = Actor::start(Role::Program)?;
        let (listen, key) = (admin.to_string(), folder.path().join("webhook-key").display().to_string());
        let key = ["--webhook-key", &key, "--webhook-development"];
        let role = ["deliver", "--brokers", &brokers, "--admin-listen", &listen].into_iter().chain(key);
        let _: Option<()> = deliverer.ask(&Order::run(role))?;
        let mut ground = Self {
            cluster: kafka.cluster.clone(),
            stop: kafka.stop.clone(),
            deliverer,
            receivers,
            addresses,
            admin,
            feed,
            round: 0,
            _folder: folder,
        };
        ground.endpoints(healthy, |_| true, false)?;
        ground.begin(healthy)?;
        Ok(ground)
    }

    /// Writes the endpoints: which are active, and whether all are paused.
    pub(super) fn endpoints(
        &self,
        healthy: usize,
        is_active: impl Fn(usize) -> bool,
        is_paused: bool,
    ) -> anyhow::Result<()> {
        let producer = CommandProducer::new(&self.cluster, &ACCOUNTS)?;
        for (number, at) in self.addresses.iter().enumerate() {
            let is_active = is_active(number) && (number < healthy || !is_paused);
            let part = Part::Endpoint(endpoint(number, *at, is_active, is_paused));
            producer.send(&part.key(), &codec::encode_part(&part)?)?;
        }
        while producer.in_flight() > 0 {
            producer.serve(Duration::from_millis(10))?;
        }
        std::thread::sleep(SETTLE);
        Ok(())
    }

    /// Waits until events reach all endpoints.
    fn begin(&mut self, endpoints: usize) -> anyhow::Result<()> {
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            self.go_on()?;
            if http::is_ready(self.admin) {
                let round = self.next_round();
                self.publish(round, 0)?;
                let arrived = self.arrived(round, endpoints, Duration::from_secs(1))?;
                if arrived.requests.len() == endpoints {
                    return Ok(());
                }
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        bail!("no event reaches the receivers")
    }

    /// Another round: its events are distinguished from those before.
    pub(super) fn next_round(&mut self) -> u32 {
        self.round += 1;
        self.round
    }

    /// Publishes an event of a round: a window of its own.
    pub(super) fn publish(&mut self, round: u32, number: usize) -> anyhow::Result<()> {
        self.feed.write(|sequence| Ok(encode(&window(round, number, sequence))?))
    }

    /// Waits until all published events are at the broker.
    pub(super) fn flush(&self) -> anyhow::Result<()> {
        self.feed.flush()
    }

    /// The requests of a round.
    pub(super) fn arrived(
        &mut self,
        round: u32,
        requests: usize,
        within: Duration,
    ) -> anyhow::Result<Arrived> {
        self.flush()?;
        self.receivers.ask(&Order::Arrive { round, requests, within })
    }

    /// The same, all of which must come.
    pub(super) fn all_arrived(&mut self, round: u32, requests: usize) -> anyhow::Result<Arrived> {
        let arrived = self.arrived(round, requests, PATIENCE)?;
        if arrived.requests.len() < requests {
            bail!("{} of {requests} requests came", arrived.requests.len());
        }
        Ok(arrived)
    }

    /// Waits until so many deliveries are pending.
    pub(super) fn pending(&self, deliveries: usize) -> anyhow::Result<()> {
        let (begun, request) =
            (Instant::now(), format!("GET /metrics HTTP/1.1\r\nhost: {}\r\n\r\n", self.admin));
        while begun.elapsed() < PATIENCE {
            self.go_on()?;
            let metrics = String::from_utf8(Connection::open(self.admin)?.ask(&request)?.body)?;
            let shown = metrics
                .lines()
                .find_map(|line| line.strip_prefix(DELIVER_PENDING.name)?.trim_start().parse::<f64>().ok());
            if shown.is_some_and(|shown| shown >= deliveries as f64) {
                return Ok(());
            }
            std::thread::sleep(SETTLE);
        }
        bail!("{deliveries} deliveries are not pending")
    }

    fn go_on(&self) -> anyhow::Result<()> {
        if self.stop.is_stopped() {
            bail!("stopped");
        }
        Ok(())
    }
}

fn endpoint(number: usize, at: SocketAddr, is_active: bool, is_paused: bool) -> Endpoint {
    Endpoint {
        id: format!("whk_benchmark{number:07}"),
        account: "acc_benchmarkbenchmk".to_owned(),
        settings: EndpointSettings {
            url: format!("http://{at}/"),
            description: String::new(),
            events: vec!["arb_window".to_owned()],
            filters: String::new(),
            policy: Policy::Durable,
            is_ordered: false,
            rate_limit: None,
            is_paused,
        },
        state: if is_active { EndpointState::Active } else { EndpointState::Disabled },
        reason: None,
        secret_version: 1,
        previous_until: None,
        revision: 1,
        created_at: 1,
    }
}

/// A window that opens, whose id names its round and number.
fn window(round: u32, number: usize, sequence: i64) -> ArbWindow {
    let mut window = fixtures::window();
    window.entry.id = format!("bench-{round}-{number}");
    window.entry.sequence = sequence;
    window
}
