//! `arb sink`: the records of the topics into ClickHouse, with the loop on a dedicated thread and a runtime
//! beside it that sends the rows.
//!
//! It starts to read when the tables are what it writes, and waits for a ClickHouse that is away.

use std::slice::from_ref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::bail;
use arb_kafka::{self as kafka, Ends, SinkConsumer};
use arb_runtime::progress::ProgressMap;
use arb_runtime::readiness::{AnswerChange, Answering};
use arb_runtime::stop::Stop;
use arb_runtime::telemetry::{Role, lag, list};
use arb_runtime::watchdog::Pulse;
use arb_schemas::topics::{FEED_EVENTS, ODDS_TICKS};
use arb_sink::batch::Limits;
use arb_sink::counts::Counts;
use arb_sink::retry;
use arb_sink::run::{self, Config};
use arb_sink::sources::TOPICS;
use arb_sink::store::{Store, TimeOuts};
use arb_sink::telemetry::Held;
use arb_store::clickhouse;
use tokio::runtime::Runtime;

use super::guarded::{self, LoopLiveness};
use super::readiness::{Readiness, Topic};
use crate::cli::Sink;
use crate::roles::admin::{Admin, Vitals};
use crate::roles::cluster;
use crate::system::{clock, signals};

/// Threads that make rows and send them.
const SENDERS: usize = 2;
/// Between two questions whether ClickHouse answers.
const ASK: Duration = Duration::from_secs(2);
/// How long its answer may take.
const ANSWER: Duration = Duration::from_secs(5);
/// Batches of a partition that are held: one is gathered, one is sent.
const HELD: usize = 2;

pub(crate) fn run(config: Sink) -> anyhow::Result<()> {
    let stop = signals::stop(config.options.child)?;
    let admin = Admin::start((config.options.admin, config.options.child), Role::Sink)?;
    let (pulse, limit) = (Pulse::default(), config.options.guard.watchdog);
    let counts =
        guarded::run("sink", vec![pulse.clone()], limit, move || sink_until(&stop, &config, &admin, &pulse))?;
    tracing::info!("finished: {counts}");
    Ok(())
}

fn sink_until(stop: &Stop, config: &Sink, admin: &Admin, pulse: &Pulse) -> anyhow::Result<Counts> {
    let cluster = &cluster::open(&config.options.brokers)?;
    let partitions = kafka::partitions(cluster)?;
    let places = [ProgressMap::default(), ProgressMap::default()];
    let ends = [
        Ends::watch(cluster, &ODDS_TICKS, partitions, stop)?,
        Ends::watch(cluster, &FEED_EVENTS, partitions, stop)?,
    ];
    let (life, readiness, answers) = (
        LoopLiveness::new(from_ref(pulse), config.options.guard.watchdog),
        Readiness::new(),
        Answers::default(),
    );
    admin.show(SinkVitals { life, places: places.clone(), ends, readiness, answers: answers.clone() });
    let fail_points = guarded::fail_points(&config.options.guard);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(SENDERS)
        .thread_name("sender")
        .enable_all()
        .build()?;
    let client = super::clickhouse::writer(&config.writer, &config.home.home)?.client_of_tables()?;
    let insert = config.insert_timeout;
    let time_outs = TimeOuts { send: clickhouse::SEND.min(insert), search: clickhouse::SEARCH, insert };
    let store = Store::new(client, time_outs, fail_points.clone());
    runtime.spawn(answers.watch(store.clone()));
    let mut counts = Counts::default();
    if !wait_for_tables(&store, &runtime, stop, &mut counts)? {
        return Ok(counts);
    }
    let consumer = SinkConsumer::join(cluster, &config.group, &TOPICS)?;
    let shares = HELD * TOPICS.len() * usize::try_from(partitions)?;
    let limits = Limits {
        rows: config.batch_rows,
        bytes: (config.memory_mib.saturating_mul(1 << 20) / shares).max(1),
        interval: config.batch_interval,
    };
    let (inserts, close) = (config.inserts.max(1), config.close);
    let (pulse, clock) = (pulse.clone(), clock::now);
    let loop_config = Config { limits, inserts, close, fail_points, pulse, places, clock, counts };
    let mut sink = run::Sink::new(loop_config, consumer, store, runtime.handle().clone(), stop.clone());
    let done = sink.run();
    let counts = sink.counts().clone();
    drop(sink);
    // Inserts still under way are left to the next owner of the partitions.
    runtime.shutdown_background();
    done.map(|()| counts).map_err(Into::into)
}

/// Whether ClickHouse answered the last question.
#[derive(Clone, Default)]
struct Answers(Arc<AtomicBool>);

impl Answers {
    /// Polls ClickHouse; logs once that it does not answer, and once that it answers again.
    async fn watch(self, store: Store) {
        let mut answering = Answering::default();
        loop {
            let is_answered = store.answers(ANSWER).await;
            match answering.asked(is_answered, Instant::now()) {
                Some(AnswerChange::Silent) => {
                    tracing::error!("ClickHouse does not answer: rows wait in Kafka until it does");
                }
                Some(AnswerChange::Back(after)) => {
                    tracing::info!(seconds = after.as_secs_f64(), "ClickHouse answers again");
                }
                None => {}
            }
            self.0.store(is_answered, Ordering::Relaxed);
            tokio::time::sleep(ASK).await;
        }
    }

    fn get(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Waits until the tables can be checked; false when the shutdown signal comes before that.
fn wait_for_tables(
    store: &Store,
    runtime: &Runtime,
    stop: &Stop,
    counts: &mut Counts,
) -> anyhow::Result<bool> {
    for failures in 1.. {
        match runtime.block_on(store.check()) {
            Ok(()) => return Ok(true),
            Err(failure) if failure.is_lasting() => bail!("{failure}"),
            Err(error) => tracing::warn!(failures, %error, "waiting for ClickHouse"),
        }
        // A sink that waits here has written nothing, but its metrics are reported all the same.
        counts.retries += 1;
        arb_sink::telemetry::counted(counts, Held::default());
        if stop.wait(retry::pause(failures, 1.0).min(Duration::from_secs(2))) {
            break;
        }
    }
    Ok(false)
}

/// The loop, seen from outside.
struct SinkVitals {
    life: LoopLiveness,
    places: [ProgressMap; 2],
    ends: [Ends; 2],
    readiness: Readiness,
    answers: Answers,
}

impl Vitals for SinkVitals {
    fn is_alive(&self) -> bool {
        self.life.is_alive()
    }

    /// ClickHouse answers, and what it owns moves.
    fn problem(&self) -> Option<String> {
        let silent = || (!self.answers.get()).then(|| "ClickHouse does not answer".to_owned());
        self.life.problem().or_else(silent).or_else(|| self.readiness.problem())
    }

    fn inspect(&self) {
        for ((topic, places), ends) in TOPICS.iter().zip(&self.places).zip(&self.ends) {
            let lag = [&list::SINK_LAG_RECORDS, &list::SINK_EVENT_TIME_LAG];
            lag::inspect(lag, topic.name, &places.get(), &ends.get(), clock::now());
        }
        arb_sink::telemetry::silent(self.life.silence());
        // The last offsets of the feed may be transaction markers, which are no records: a position before
        // them does not move because there is nothing to read.
        let [ticks, feed] = &self.ends;
        let ticks = Topic { name: ODDS_TICKS.name, places: self.places.first(), ends: ticks };
        self.readiness.inspect(&[ticks, Topic { name: FEED_EVENTS.name, places: None, ends: feed }]);
    }
}
