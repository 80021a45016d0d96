//! Nothing lost, nothing twice: processors killed and frozen at every point of a transaction leave what an
//! undisturbed one leaves, record for record.

use std::sync::LazyLock;
use std::time::Duration;

use arb_runtime::fail_point::Point;
use arb_schemas::time::{SECOND, parse_rfc3339, to_rfc3339};
use arb_schemas::topics::{DEFAULT_PARTITIONS, ODDS_TICKS, PROCESS_STATE};
use rustix::process::Signal;

use crate::kafka::{Open, ends, try_committed};
use crate::processor::wait_for_poll;
use crate::support::processors::{Outcome, Processors};
use crate::support::program::{Role, SHIPPED_SESSION};
use crate::support::scratch::Scratch;
use crate::support::stack::Broker;
use crate::support::ticks::{PatientPublisher, Ticks};
use crate::support::wait_for;

/// Polls of the simulated market, one each 300 s.
pub(crate) const POLLS: u64 = 240;
/// Polls that are published at a time.
pub(crate) const CHUNK: u64 = 6;
/// Kills of a run, at least.
const KILLS: usize = 10;
/// How long the broker may take to answer how far the processors are.
const ASK: Duration = Duration::from_secs(5);
/// The time of a poll.
pub(crate) fn poll(index: u64) -> String {
    let start = parse_rfc3339("2026-01-01T00:00:00Z").unwrap();
    to_rfc3339(start + i64::try_from(index).unwrap() * 300 * SECOND)
}

/// The market on a broker, published piece by piece.
pub(crate) struct Feed<'a> {
    broker: &'a Broker,
    publisher: PatientPublisher,
    /// Polls that are published.
    pub(crate) published: u64,
}

impl<'a> Feed<'a> {
    pub(crate) fn on(broker: &'a Broker) -> Self {
        Self { broker, publisher: PatientPublisher::new(&broker.kafka), published: 0 }
    }

    /// Publishes up to a poll; with the first ones comes a record that is none.
    pub(crate) fn publish(&mut self, until: u64) {
        static TICKS: LazyLock<Ticks> = LazyLock::new(|| Ticks::simulated(Scratch::new().path(), POLLS));
        let until = until.min(POLLS);
        let polls = [self.published, until].map(|poll| usize::try_from(poll).unwrap());
        self.publisher.send(TICKS.of_polls(polls[0]..polls[1]));
        self.publisher.flush();
        self.published = until;
    }

    /// Publishes the rest, the same pieces in every run, and waits until all of it is processed.
    pub(crate) fn finish(&mut self, each: impl FnMut()) {
        while self.published < POLLS {
            self.publish(self.published + CHUNK);
        }
        let last = parse_rfc3339(&poll(POLLS - 1)).unwrap();
        wait_for_poll(self.broker, last, each);
    }
}

/// What one processor makes of it that nothing happens to.
pub(crate) fn undisturbed() -> Outcome {
    let broker = Broker::start();
    let mut processors = Processors::on(&broker);
    processors.start(0, &[]);
    Feed::on(&broker).finish(|| assert!(processors.dead().is_empty()));
    processors.stop();
    let outcome = Outcome::of(&broker);
    assert!(outcome.feed.len() > 200, "a feed of {} is too short for a comparison", outcome.feed.len());
    outcome
}

/// Where a processor is killed: any point, after as many passages as a piece of the feed may have.
fn passage(random: &mut fastrand::Rng) -> String {
    let point = Point::PROCESS[random.usize(..Point::PROCESS.len())];
    let most = match point {
        Point::Poll | Point::Process => 80,
        Point::Produce => 300,
        _ => 8,
    };
    format!("{}:{}", point.key(), random.u32(1..=most))
}

fn start(processors: &mut Processors<'_>, number: u32, random: &mut fastrand::Rng) {
    let (records, workers) = (["1", "7", "50", "1000"][random.usize(..4)], ["1", "2"][random.usize(..2)]);
    let kill_at = passage(random);
    processors.start(number, &["--commit-records", records, "--workers", workers, "--kill-at", &kill_at]);
}

/// Where the partitions of the ticks end.
pub(crate) fn published(broker: &Broker) -> Vec<Option<i64>> {
    (0..DEFAULT_PARTITIONS).map(|id| Some(ends(&broker.kafka, ODDS_TICKS.name, id).1)).collect()
}

/// The processors that are killed at what is published; none when all of it is processed.
fn next_dead(broker: &Broker, processors: &mut Processors<'_>) -> Vec<u32> {
    let published = published(broker);
    wait_for("a processor is killed, or everything is processed", || {
        let dead = processors.dead();
        let is_processed =
            || try_committed(&broker.kafka, "arb-process", ASK).is_ok_and(|at| at == published);
        (!dead.is_empty() || is_processed()).then_some(dead)
    })
}

/// Two processors on one feed, each of one or two workers, killed with -9 at points from a seed and started again.
fn killed(seed: u64) -> Outcome {
    let mut random = fastrand::Rng::with_seed(seed);
    let broker = Broker::start();
    let (mut feed, mut processors, mut kills) = (Feed::on(&broker), Processors::on(&broker), 0);
    for number in 0..2 {
        start(&mut processors, number, &mut random);
    }
    while kills < KILLS {
        assert!(feed.published < POLLS, "seed {seed}: only {kills} kills");
        feed.publish(feed.published + CHUNK);
        let dead = next_dead(&broker, &mut processors);
        kills += dead.len();
        for number in dead {
            start(&mut processors, number, &mut random);
        }
    }
    feed.finish(|| {
        for number in processors.dead() {
            kills += 1;
            processors.start(number, &[]);
        }
    });
    println!("seed {seed}: {kills} kills");
    processors.stop();
    Outcome::of(&broker)
}

#[test]
fn killed_ten_times_nothing_is_lost_and_nothing_comes_twice() {
    killed(1).assert_is(&undisturbed(), "seed 1");
}

/// `ARB_KILL_SEEDS=FIRST-LAST cargo test -p arb-tests --test it -- --ignored --nocapture any_number`
#[test]
#[ignore = "as many runs as are asked for, a minute and more each"]
fn any_number_of_seeds() {
    let seeds = std::env::var("ARB_KILL_SEEDS").unwrap_or_else(|_| "1-20".to_owned());
    let (first, last) = seeds.split_once('-').unwrap();
    let expected = undisturbed();
    for seed in first.parse().unwrap()..=last.parse::<u64>().unwrap() {
        killed(seed).assert_is(&expected, &format!("seed {seed}"));
    }
}

/// A processor is frozen at a point; another takes over and is killed; a third one restores what it committed, and
/// the first one wakes up.
fn frozen(point: &str) -> Outcome {
    let broker = Broker::start();
    let (mut feed, mut processors) = (Feed::on(&broker), Processors::on(&broker));
    processors.start(0, &["--commit-records", "7", "--freeze-at", point, SHIPPED_SESSION]);
    feed.publish(30);
    wait_for("the first is frozen", || processors.of(0).is_frozen().then_some(()));
    processors.start(1, &["--commit-records", "7", "--kill-at", "commit:20", SHIPPED_SESSION]);
    wait_for("the second has taken over and is killed", || processors.dead().contains(&1).then_some(()));
    processors.start(2, &[SHIPPED_SESSION]);
    feed.publish(60);
    let middle = parse_rfc3339(&poll(59)).unwrap();
    wait_for_poll(&broker, middle, || ());
    processors.of(0).signal(Signal::CONT);
    feed.finish(|| drop(processors.dead()));
    processors.stop();
    Outcome::of(&broker)
}

#[test]
fn a_frozen_processor_hides_nothing_and_writes_nothing_when_it_wakes() {
    // Its changelog is written and open; its offsets are sent too; its records are half sent; it is about to read.
    let points = ["offsets:5", "commit:5", "produce:90", "poll:200"];
    let (expected, outcomes) = std::thread::scope(|scope| {
        let runs = points.map(|point| scope.spawn(move || frozen(point)));
        (undisturbed(), runs.map(|run| run.join().unwrap()))
    });
    for (point, outcome) in points.iter().zip(outcomes) {
        outcome.assert_is(&expected, point);
    }
}

/// The changelog's end is not taken for the end while a transaction that stays open may hide what follows it.
#[test]
fn an_open_transaction_on_the_changelog_is_waited_for() {
    let broker = Broker::start();
    let open = Open::on(&broker.kafka, PROCESS_STATE.name);
    let log = broker.path("process.log");
    let process = Role::start("process", &[broker.kafka.at(), broker.kafka.named()], &log);
    let output = || std::fs::read_to_string(&log).unwrap();
    wait_for("it waits", || {
        let waits = "an open transaction holds this partition back";
        output().contains(waits).then_some(())
    });
    assert!(!output().contains("partitions taken"), "{}", output());
    open.abort();
    wait_for("it continues", || output().contains("partitions taken").then_some(()));
    drop(process);
}
