//! The broker killed with -9 and frozen under load: what streams deliver, the rows of ClickHouse, the fold of the board and of
//! the signals, and the feed without its doubles are those of an undisturbed run of the same ticks.
//!
//! A run has a dedicated Kafka, two processors, a sink and two instances of the API with a
//! client each that resumes whenever it is disconnected. In the suite the broker is killed once and frozen
//! once, by a fixed seed. Ten faults a run, with kills of roles between them and a freeze of 10 to 30 s among
//! them, by the requested number of seeds, a line each:
//!
//! ```text
//! ARB_SOAK_SEEDS=1-20 cargo test -p arb-tests --test it -- --ignored --nocapture soak::any_number_of_seeds
//! ```

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use arb_schemas::topics::{ARBS_BOARD, DEAD_TICKS, FEED_EVENTS, SIGNALS};

use crate::kafka::{ends, try_committed};
use crate::support::broker_faults::{Step, schedule};
use crate::support::results::{Feed, Results};
use crate::support::scratch::Scratch;
use crate::support::serve::Key;
use crate::support::sinks::Ground;
use crate::support::stream_client::StreamClient;
use crate::support::supervisor::Supervisor;
use crate::support::ticks::{PatientPublisher, Ticks};
use crate::support::wait::{comes_true, wait_for};

/// How long the roles may take to process again before the next fault strikes all the same.
const RECOVERY: Duration = Duration::from_secs(20);
/// How long everything may take to come to its end after the last fault.
const END: Duration = Duration::from_mins(5);
/// What comes twice comes late.
const SETTLE: Duration = Duration::from_secs(1);

/// A run with faults, or without.
struct Run {
    results: Results,
    /// What happened, for people.
    line: String,
    /// What did not come to its end.
    late: Vec<&'static str>,
    ground: Ground,
}

fn run(ticks: &Ticks, seed: u64, steps: &[Step]) -> Run {
    let started = Instant::now();
    let ground = Ground::own_kafka();
    let key = Key::new(&ground.broker, "enterprise");
    let mut random = fastrand::Rng::with_seed(seed);
    let commit_records = [(); 2].map(|()| ["7", "50", "1000"][random.usize(..3)]);
    let mut roles = Supervisor::start(&ground, &key, commit_records);
    let clients = roles.addresses().map(|address| StreamClient::start(&address, &key.text));
    for client in &clients {
        wait_for("a client has its snapshot", || client.inspect(|sent| sent.snapshots == 1).then_some(()));
    }
    let publisher = PatientPublisher::new(&ground.broker.kafka);
    let (mut pieces, mut before) = (ticks.pieces(steps.len() + 1), 0);
    for step in steps {
        before = before.max(count(&processed(&ground)));
        publisher.send(pieces.next().unwrap());
        strike(step, &ground, &mut roles, before);
    }
    pieces.for_each(|piece| publisher.send(piece));
    let faults_end = started.elapsed();
    publisher.flush();
    let late = finish(&ground, &mut roles, ticks, &clients);
    let (killed, restarted) = (roles.killed, roles.restarted);
    let streams = clients.map(StreamClient::stop).into();
    drop(roles);
    let results = Results::of(&ground, streams);
    let longest = steps.iter().filter_map(|step| step.fault.frozen()).max().unwrap_or_default();
    let connections: Vec<_> = results.streams.iter().map(|stream| stream.connections).collect();
    let line = format!(
        "{} faults of the broker ({} freezes, the longest {:.1} s), {killed} kills of roles, {} ends of their own, \
         {connections:?} connections, transactions of {commit_records:?}, {:.0} s ({:.0} s of faults), {} ticks, \
         {} records of the feed, {} doubles in it",
        steps.len(),
        steps.iter().filter(|step| step.fault.frozen().is_some()).count(),
        longest.as_secs_f64(),
        restarted - killed,
        started.elapsed().as_secs_f64(),
        faults_end.as_secs_f64(),
        ticks.len(),
        results.feed().len(),
        results.feed().doubles,
    );
    Run { results, line, late, ground }
}

/// The offsets that the processors have committed; empty while the broker does not answer.
fn processed(ground: &Ground) -> Vec<Option<i64>> {
    try_committed(&ground.broker.kafka, "arb-process", Duration::from_secs(5)).unwrap_or_default()
}

/// How many ticks that is.
fn count(processed: &[Option<i64>]) -> i64 {
    processed.iter().flatten().sum()
}

/// Tends the roles until a fact is true; whether it became true.
fn tend_until(roles: &mut Supervisor<'_>, within: Duration, mut fact: impl FnMut() -> bool) -> bool {
    comes_true(within, || {
        roles.tend();
        fact()
    })
}

/// One fault: under load, or while the roles still recover from the one before.
fn strike(step: &Step, ground: &Ground, roles: &mut Supervisor<'_>, before: i64) {
    if step.under_load {
        tend_until(roles, RECOVERY, || count(&processed(ground)) > before);
    }
    if let Some((victim, time)) = step.victim {
        roles.kill(victim);
        tend_for(roles, time);
    }
    tend_for(roles, step.delay);
    std::thread::scope(|scope| {
        let fault = scope.spawn(|| step.fault.strike(&ground.broker));
        tend_until(roles, END, || fault.is_finished());
        fault.join().unwrap();
    });
}

fn tend_for(roles: &mut Supervisor<'_>, time: Duration) {
    tend_until(roles, time, || false);
}

/// Waits until all is processed, delivered and stored; what is not.
fn finish(
    ground: &Ground,
    roles: &mut Supervisor<'_>,
    ticks: &Ticks,
    clients: &[StreamClient],
) -> Vec<&'static str> {
    let mut late = Vec::new();
    let all: Vec<_> = ticks.ends().into_iter().map(Some).collect();
    if !tend_until(roles, END, || processed(ground) == all) {
        late.push("ticks were not processed");
    }
    // Offsets are committed before every partition has the markers of their transaction.
    for topic in [FEED_EVENTS, ARBS_BOARD, SIGNALS, DEAD_TICKS] {
        let is_settled = || {
            (0..topic.partitions).all(|partition| {
                let (stable, end) = ends(&ground.broker.kafka, topic.name, partition);
                stable == end
            })
        };
        if !tend_until(roles, END, is_settled) {
            late.push("a transaction did not end");
        }
    }
    let feed = Feed::of(&ground.broker.kafka);
    for client in clients {
        if !tend_until(roles, END, || client.inspect(|sent| sent.ends_with(&feed.last()))) {
            late.push("a stream did not reach the end of the feed");
        }
    }
    // One row for each record of the feed, and for the invalid one.
    let rows = ticks.rows + feed.len() + 1;
    if !tend_until(roles, END, || ground.total_rows().is_some_and(|total| total >= rows)) {
        late.push("rows did not reach ClickHouse");
    }
    tend_for(roles, SETTLE);
    late
}

impl Run {
    /// The differences, a line each; empty where it is as expected. Logs and topics of a run that differs are
    /// kept.
    fn failures(&mut self, expected: &Results) -> String {
        let late = self.late.iter().map(|what| format!("in {} s {what}", END.as_secs()));
        let found: Vec<_> = late.chain(self.results.differences(expected)).collect();
        if !found.is_empty() {
            self.ground.broker.scratch.keep();
        }
        found.iter().fold(String::new(), |text, line| text + "  " + &cut(line) + "\n")
    }
}

/// Rows are long.
fn cut(line: &str) -> String {
    line.chars().take(500).collect()
}

/// A run that nothing happens to.
fn undisturbed(ticks: &Ticks) -> Results {
    let run = run(ticks, 0, &[]);
    println!("undisturbed: {}", run.line);
    assert!(run.late.is_empty(), "{:?}", run.late);
    assert!(
        run.results.feed().len() > 200,
        "a feed of {} is too short for a comparison",
        run.results.feed().len()
    );
    assert_eq!(run.results.feed().doubles, 0);
    run.results
}

#[test]
fn a_broker_killed_and_frozen_under_load_changes_nothing_that_anyone_sees() {
    let scratch = Scratch::new();
    let ticks = Ticks::simulated(scratch.path(), 40);
    let (mut found, expected) = std::thread::scope(|scope| {
        let expected = scope.spawn(|| undisturbed(&ticks));
        (run(&ticks, 1, &schedule(1, 2)), expected.join().unwrap())
    });
    println!("seed 1: {}", found.line);
    let failures = found.failures(&expected);
    assert!(failures.is_empty(), "\n{failures}");
}

/// Polls of a run of ten faults.
const POLLS: u64 = 160;
/// Faults of such a run.
const FAULTS: usize = 10;

#[test]
#[ignore = "as many runs as are asked for, a minute and more each"]
fn any_number_of_seeds() {
    let seeds = std::env::var("ARB_SOAK_SEEDS").unwrap_or_else(|_| "1-20".to_owned());
    let (first, last) = seeds.split_once('-').unwrap();
    let scratch = Scratch::new();
    let ticks = Ticks::simulated(scratch.path(), POLLS);
    let expected = undisturbed(&ticks);
    let mut failed = Vec::new();
    for seed in first.parse().unwrap()..=last.parse::<u64>().unwrap() {
        let steps = schedule(seed, FAULTS);
        let Ok(mut run) = catch_unwind(AssertUnwindSafe(|| run(&ticks, seed, &steps))) else {
            println!("seed {seed}: ENDED EARLY, for the reason above");
            failed.push(seed);
            continue;
        };
        let failures = run.failures(&expected);
        let result = if failures.is_empty() { "the same" } else { "DIFFERS" };
        println!("seed {seed}: {}: {result}", run.line);
        print!("{failures}");
        failed.extend((!failures.is_empty()).then_some(seed));
    }
    assert!(failed.is_empty(), "seeds that differ: {failed:?}");
}
