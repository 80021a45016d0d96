//! Ingest started twice: one instance publishes a source, the other stands by and continues at its position.

use std::collections::BTreeMap;

use arb_schemas::TickRecord;
use arb_schemas::topics::ODDS_TICKS;

use crate::kafka::read_all;
use crate::kill::{POLLS, poll};
use crate::support::program::{Role, arb, run};
use crate::support::stack::Broker;
use crate::support::{recordings, wait_for};

/// An instance, and what it logs.
struct Instance<'a> {
    role: Role,
    broker: &'a Broker,
    name: &'static str,
}

impl<'a> Instance<'a> {
    fn start(broker: &'a Broker, name: &'static str, arguments: &[&str]) -> Self {
        let arguments = [&[broker.kafka.at(), broker.kafka.named()], arguments].concat();
        let role = Role::start("ingest", &arguments, &broker.path(name));
        Self { role, broker, name }
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.broker.path(self.name)).unwrap()
    }

    fn wait_for_log(&self, sentence: &str) {
        wait_for(sentence, || self.log().contains(sentence).then_some(()));
    }
}

/// The times of the polls whose ends each partition has, in their order.
fn polls(broker: &Broker, source: &str) -> BTreeMap<i32, Vec<i64>> {
    let mut polls = BTreeMap::<_, Vec<_>>::new();
    for record in read_all(&broker.kafka, ODDS_TICKS.name) {
        if let TickRecord::PollEnd(end) = TickRecord::decode(&record.value).unwrap()
            && end.source.contains(source)
        {
            polls.entry(record.partition).or_default().push(end.received_at);
        }
    }
    polls
}

/// How often each partition has the end of each poll of a source, by the time of the poll.
fn poll_ends(broker: &Broker, source: &str) -> BTreeMap<(i32, i64), usize> {
    let mut ends = BTreeMap::new();
    for (partition, times) in polls(broker, source) {
        for at in times {
            *ends.entry((partition, at)).or_default() += 1;
        }
    }
    ends
}

/// Each poll goes on after the one before it, in each partition; but for once for each lease that was lost: on a machine that stands still
/// a holder may lose its lease, and the next one begins where the position was committed last.
fn assert_goes_on(broker: &Broker, losses: usize) {
    for (partition, times) in polls(broker, "simulated") {
        let steps_back = times.windows(2).filter(|pair| pair[1] <= pair[0]).count();
        assert!(steps_back <= losses, "{losses} losses, partition {partition}: {times:?}");
    }
}

/// How often these instances lost their lease and noticed it.
fn losses<'a>(instances: impl IntoIterator<Item = &'a Instance<'a>>) -> usize {
    instances.into_iter().map(|instance| instance.log().matches("the lease is lost").count()).sum()
}

/// The holder of the lease, and the standby instance.
fn by_turn(mut pair: [Instance<'_>; 2]) -> [Instance<'_>; 2] {
    let publishes = |instance: &Instance<'_>| instance.log().matches("this instance publishes").count();
    let standby = |instance: &Instance<'_>| instance.log().contains("standing by");
    let holder = wait_for("one publishes and the other stands by", || {
        (0..2).find(|index| publishes(&pair[*index]) > 0 && standby(&pair[1 - *index]))
    });
    if holder == 1 {
        pair.reverse();
    }
    pair
}

#[test]
fn a_recording_is_published_once_by_two_instances_and_after_a_kill_by_the_other() {
    let broker = Broker::start();
    let recording = recordings::simulated(broker.scratch.path(), 42, POLLS);
    let recording = recording.to_str().unwrap();
    // Four polls a second: both must have begun before the end.
    let arguments = ["--replay", recording, "--speed", "1200"];
    let start = |name| Instance::start(&broker, name, &arguments);
    let [mut holder, mut standby] = by_turn([start("first.log"), start("second.log")]);
    wait_for("forty polls", || (poll_ends(&broker, "simulated").len() > 4 * 40).then_some(()));
    holder.role.kill();
    standby.wait_for_log("this instance publishes");
    wait_for("the other ends", || standby.role.died().then_some(()));
    let ends = poll_ends(&broker, "simulated");
    assert_eq!(ends.len(), 4 * usize::try_from(POLLS).unwrap(), "every poll is in every partition");
    // What the first has sent last may come after its end. The other one goes back once, to a poll that the first has published or to the
    // next one, and from there on.
    assert_goes_on(&broker, 1 + losses([&holder, &standby]));
    let first = arb_schemas::time::parse_rfc3339(&poll(0)).unwrap();
    assert!((0..4).all(|partition| ends[&(partition, first)] == 1), "it goes on, and does not begin again");
}

#[test]
fn an_instance_that_ends_hands_over_and_what_is_complete_is_published_again_only_on_purpose() {
    let broker = Broker::start();
    let recording = recordings::simulated(broker.scratch.path(), 43, 60);
    // A poll a second: all three must have begun before the end.
    let arguments = ["--replay", recording.to_str().unwrap(), "--speed", "300"];
    let start = |name, arguments: &[&str]| Instance::start(&broker, name, arguments);
    let [mut holder, standby] = by_turn([start("first.log", &arguments), start("second.log", &arguments)]);
    holder.role.stop();
    standby.wait_for_log("this instance publishes");
    // It joins when half is published, and stands by, or takes over: either way every record is published
    // once.
    let third = start("third.log", &arguments);
    let mut both = [standby, third];
    wait_for("both end", || both.iter_mut().all(|instance| instance.role.died()).then_some(()));
    let sentence = "another instance has published the source to its end";
    assert_eq!(both.iter().filter(|instance| instance.log().contains(sentence)).count(), 1);
    let ends = poll_ends(&broker, "simulated");
    assert_eq!(ends.len(), 4 * 60, "{ends:?}");
    assert_goes_on(&broker, losses(both.iter().chain([&holder])));
    // Started after the end, it was asked for once more.
    let mut again = arb();
    again.args(["ingest", broker.kafka.at(), broker.kafka.named(), "--replay"]).arg(&recording);
    assert!(run(again.args(["--speed", "max"])).success);
    let twice = poll_ends(&broker, "simulated");
    assert!(ends.iter().all(|(poll, count)| twice[poll] == count + 1), "{twice:?}");
}

#[test]
fn of_two_simulated_markets_one_publishes_and_the_other_goes_on_by_the_clock() {
    let broker = Broker::start();
    let arguments = ["--every", "1", "--events", "8", "--books", "4"];
    let start = |name| Instance::start(&broker, name, &arguments);
    let [mut holder, standby] = by_turn([start("first.log"), start("second.log")]);
    wait_for("three polls", || (poll_ends(&broker, "simulated").len() >= 4 * 3).then_some(()));
    holder.role.kill();
    let before = poll_ends(&broker, "simulated").len();
    standby.wait_for_log("this instance publishes");
    wait_for("more polls", || (poll_ends(&broker, "simulated").len() >= before + 4 * 3).then_some(()));
    assert_goes_on(&broker, losses([&holder, &standby]));
}
