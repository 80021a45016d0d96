//! `arb deliver`: webhooks. The pump of the delivery machine, the reader of the feed, the writer of tasks and the sender, each on threads
//! of their own.
//!
//! The end of one of them is the end of the process: what was not reported is done again by whoever takes over.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use anyhow::anyhow;
use arb_accounts::codec as accounts_codec;
use arb_deliver::attempt_batch::AttemptBatches;
use arb_deliver::client::WebhookClient;
use arb_deliver::connector::{GuardedConnector, system_resolver};
use arb_deliver::endpoints::Endpoints;
use arb_deliver::fan_out::{EndpointIndex, FanOut};
use arb_deliver::machine::DeliverMachine;
use arb_deliver::schedule::Schedule;
use arb_deliver::sender::{Report, Sender};
use arb_deliver::verifier;
use arb_feed::webhook::address::Rules;
use arb_kafka::{self as kafka, Beginning, Cluster, CommandProducer, Forwarder, Table, TaskProducer};
use arb_runtime::batch::BatchLimits;
use arb_runtime::machine::Machine;
use arb_runtime::progress::ProgressMap;
use arb_runtime::pump::CutLimits;
use arb_runtime::stop::Stop;
use arb_runtime::telemetry::Role;
use arb_schemas::records::{WebhookAttempts, WebhookTimer};
use arb_schemas::topics::{ACCOUNT_COMMANDS, ACCOUNTS, FEED_EVENTS, WEBHOOK_DELIVERIES, WEBHOOK_TASKS};
use arb_schemas::wire;

use super::guarded;
use super::machine::{Begun, MachineRole, Surroundings, run_machine, thread};
use crate::cli::{Deliver, Webhooks};
use crate::system::{clock, webhook_key};

/// Tasks of one transaction at most.
const RECORDS: usize = 1_000;
/// Between two timers.
const TICK: Duration = Duration::from_secs(1);
/// How long the writer waits for a report before it looks at what was delivered, at the time and for the shutdown signal.
const WAIT: Duration = Duration::from_millis(50);
/// Between two writes of reports: what comes meanwhile is written together, so that threads, requests and transactions are for many.
const PACE: Duration = Duration::from_millis(20);
/// Reports that are written before anything else is looked at.
const AT_ONCE: usize = 4_096;
/// Threads that send.
const SENDERS: usize = 2;
/// How often it is looked whether the endpoints have been read.
const POLL: Duration = Duration::from_millis(20);
/// Longest wait for requests that are under way when the process ends.
const CLOSE: Duration = Duration::from_secs(2);

pub(crate) fn run(config: Deliver) -> anyhow::Result<()> {
    let role = MachineRole {
        role: Role::Deliver,
        name: "deliver",
        fail_points: guarded::fail_points(&config.options.guard),
        options: config.options,
        group: config.group.clone(),
        limits: BatchLimits { records: RECORDS, interval: config.commit_interval },
        cuts: CutLimits::EACH,
        workers: 1,
        output: &WEBHOOK_DELIVERIES,
    };
    let (group, webhooks) = (config.group, config.webhooks);
    run_machine(role, move |surroundings| begin(surroundings, &group, &webhooks))
}

/// Begins all that runs beside the pump.
fn begin(
    Surroundings { cluster, places, stop }: &Surroundings<'_>,
    group: &str,
    webhooks: &Webhooks,
) -> anyhow::Result<Begun<DeliverMachine, Sending>> {
    let rules = Rules { is_development: webhooks.webhook_development };
    if rules.is_development {
        tracing::warn!(
            "webhooks may be sent by http and to this machine (--webhook-development), and the delivery log shows what \
             is answered there: never use it where others have accounts"
        );
    }
    let (schedule, endpoints) = (Schedule::new(clock::now), Arc::new(Endpoints::default()));
    let (reports, reported) = channel();
    let sender = Arc::new(Sender {
        schedule: Arc::clone(&schedule),
        endpoints: Arc::clone(&endpoints),
        client: WebhookClient::new(GuardedConnector::new(rules, system_resolver()))
            .map_err(|it| anyhow!(it))?,
        rules,
        key: webhook_key::read_or_create(&webhooks.webhook_key)?,
        reports,
        clock: clock::now,
        under_way: AtomicUsize::new(0),
    });
    let partitions = kafka::machine_partitions(cluster, &DeliverMachine::TOPICS)?;
    let table = Table::open(cluster, &ACCOUNTS, 1)?;
    let of_table = Arc::clone(&endpoints);
    thread("endpoints", stop, move |stop| Ok(of_table.follow(table, stop)?))?;
    let tasks = TaskWriter {
        tasks: TaskProducer::new(cluster, &WEBHOOK_TASKS)?,
        commands: CommandProducer::new(cluster, &ACCOUNT_COMMANDS)?,
        places: ProgressMap::clone(places),
    };
    thread("tasks", stop, move |stop| tasks.write(&reported, stop))?;
    start_fan_out(cluster, (group, partitions), &endpoints, stop)?;
    let beside = start_sending(&sender, &endpoints, stop)?;
    Ok(Begun { machine: schedule, partitions, beside })
}

/// The runtime of the sender, which ends after the pump.
struct Sending {
    runtime: Option<tokio::runtime::Runtime>,
    /// The channel of its reports stays open until then.
    _sender: Arc<Sender>,
}

impl Drop for Sending {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(CLOSE);
        }
    }
}

/// Reads the feed on a thread, once the endpoints are known.
fn start_fan_out(
    cluster: &Cluster,
    (group, partitions): (&str, i32),
    endpoints: &Arc<Endpoints>,
    stop: &Stop,
) -> anyhow::Result<()> {
    let topics = (&FEED_EVENTS, &WEBHOOK_TASKS);
    let feed = Forwarder::join(cluster, &format!("{group}-feed"), topics, Beginning::Next)?;
    let (endpoints, index) = (Arc::clone(endpoints), EndpointIndex::default());
    let mut fan_out = FanOut { partitions, endpoints, index, clock: clock::now };
    thread("fan-out", stop, move |stop| {
        while !fan_out.endpoints.is_ready() && !stop.wait(POLL) {}
        Ok(fan_out.run(feed, stop)?)
    })
}

/// Sends on a runtime beside the pump.
fn start_sending(sender: &Arc<Sender>, endpoints: &Arc<Endpoints>, stop: &Stop) -> anyhow::Result<Sending> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(SENDERS)
        .thread_name("sender")
        .enable_all()
        .build()?;
    let kept = Arc::clone(sender);
    let (sender, endpoints, stop) = (Arc::clone(sender), Arc::clone(endpoints), stop.clone());
    runtime.spawn(async move {
        // An endpoint that is not known yet is not one that was deleted.
        while !endpoints.is_ready() && !stop.is_stopped() {
            tokio::time::sleep(POLL).await;
        }
        tokio::spawn(verifier::run(Arc::clone(&sender), stop.clone()));
        sender.run(stop).await;
    });
    Ok(Sending { runtime: Some(runtime), _sender: kept })
}

/// Writes what is reported, and a timer a second to each partition that is owned.
struct TaskWriter {
    tasks: TaskProducer,
    commands: CommandProducer,
    places: ProgressMap,
}

impl TaskWriter {
    fn write(&self, reported: &Receiver<Report>, stop: &Stop) -> anyhow::Result<()> {
        let (mut timer_at, mut written_at) = (Instant::now(), Instant::now());
        while !stop.is_stopped() {
            match reported.recv_timeout(WAIT) {
                Ok(report) => {
                    // The first one after a pause is written at once.
                    let _ = stop.wait(PACE.saturating_sub(written_at.elapsed()));
                    written_at = Instant::now();
                    self.reports(std::iter::once(report).chain(reported.try_iter().take(AT_ONCE)))?;
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if timer_at.elapsed() >= TICK {
                timer_at = Instant::now();
                self.timers()?;
            }
            self.tasks.serve(Duration::ZERO)?;
            if let Err(error) = self.commands.serve(Duration::ZERO) {
                tracing::warn!(%error, "a report to the accounts was not delivered");
            }
        }
        Ok(self.tasks.flush()?)
    }

    /// Writes what was reported, the attempts of a partition together.
    fn reports(&self, reports: impl Iterator<Item = Report>) -> anyhow::Result<()> {
        let mut batches = AttemptBatches::default();
        for report in reports {
            match report {
                Report::Attempt(partition, attempt) => {
                    if let Some(full) = batches.add(partition, attempt) {
                        self.attempts(partition, &full)?;
                    }
                }
                Report::Command(request) => {
                    self.commands.send(&request.id, &accounts_codec::encode_request(&request)?)?;
                }
            }
        }
        batches.into_rest().try_for_each(|(partition, rest)| self.attempts(partition, &rest))
    }

    fn attempts(&self, partition: i32, attempts: &WebhookAttempts) -> anyhow::Result<()> {
        Ok(self.tasks.send(partition, "attempts", &wire::encode(attempts)?)?)
    }

    fn timers(&self) -> anyhow::Result<()> {
        let timer = wire::encode(&WebhookTimer { at: clock::now() })?;
        for partition in self.places.get().keys() {
            self.tasks.send(*partition, "timer", &timer)?;
        }
        Ok(())
    }
}
