//! How far groups are behind, as `arb serve` looks it up, beside what was committed and written here.

use std::collections::BTreeMap;

use arb_kafka::{GroupLags, ReaderGroup, TaskProducer, WatchedGroup};
use arb_runtime::stop::Stop;
use arb_schemas::topics::{DEFAULT_PARTITIONS, WEBHOOK_TASKS};

use crate::support::stack::Broker;
use crate::support::wait_for;

fn watched(role: &str, group: &str) -> WatchedGroup {
    WatchedGroup {
        role: role.to_owned(),
        group: group.to_owned(),
        topics: vec![(&WEBHOOK_TASKS, DEFAULT_PARTITIONS)],
    }
}

#[test]
fn a_group_is_behind_by_what_it_has_not_committed_and_an_unknown_one_has_no_lag() {
    let broker = Broker::start();
    let (cluster, stop) = (broker.kafka.cluster(), Stop::default());
    let group = ReaderGroup::open(&cluster, &WEBHOOK_TASKS, "ours").unwrap();
    let producer = TaskProducer::new(&cluster, &WEBHOOK_TASKS).unwrap();
    for (partition, records) in [(0, 2), (3, 5)] {
        (0..records).for_each(|_| producer.send(partition, "key", b"a task").unwrap());
    }
    producer.flush().unwrap();
    let groups = vec![watched("deliver", "ours"), watched("settle", "ours"), watched("settle", "nobody's")];
    let lags = GroupLags::watch(&cluster, groups, &stop).unwrap();
    assert_eq!(lags.get(), BTreeMap::new(), "nothing is looked up before the first question");
    let is =
        |lag: u64| move |lags: BTreeMap<String, u64>| lags == BTreeMap::from([("deliver".to_owned(), lag)]);
    // A commit that the broker does not take in time is left out; the next one has its offsets too.
    let committed = |next: &[i64], lag| {
        group.commit(next);
        is(lag)(lags.get()).then_some(())
    };
    wait_for("one record of two and all of five are left", || committed(&[1, 0, 0, 0], 6));
    wait_for("everything is read", || committed(&[2, 0, 0, 5], 0));
    stop.stop();
}
