//! Members that close, whatever is unanswered.

use std::sync::mpsc::channel;

use arb_schemas::topics::ODDS_TICKS;
use rdkafka::mocking::MockCluster;
use rdkafka::producer::DefaultProducerContext;

use super::*;

/// Members join, and those that have a rebalance are given to `end`, which must then be able to close them.
fn closes(end: impl Fn(&MockCluster<'_, DefaultProducerContext>, &mut Member)) {
    let broker = MockCluster::new(1).unwrap();
    broker.create_topic(ODDS_TICKS.name, 2, 1).unwrap();
    let cluster = Cluster::plaintext(&broker.bootstrap_servers());
    let mut member = Member::join(&cluster, "group", &[ODDS_TICKS.name], &[]).unwrap();
    end(&broker, &mut member);
    let (closed, has_closed) = channel();
    let thread = std::thread::spawn(move || {
        drop(member);
        closed.send(()).unwrap();
    });
    has_closed.recv_timeout(Duration::from_mins(3)).expect("it waits for an answer to a rebalance");
    thread.join().unwrap();
}

/// Polls librdkafka alone until the callback has noted a rebalance.
fn wait_until_noted(member: &Member) {
    let begun = Instant::now();
    while member.consumer.context().seen().rebalance.is_none() {
        assert!(begun.elapsed() < Duration::from_mins(3), "no rebalance");
        member.consumer.poll(Duration::from_millis(20));
    }
}

/// Takes what is assigned.
fn start(member: &mut Member) {
    wait_until_noted(member);
    let Ok(MemberEvent::Rebalance(Rebalance::Assigned(places))) = member.poll(Duration::ZERO) else {
        panic!("nothing is assigned")
    };
    member.start(&list(&places)).unwrap();
}

#[test]
fn a_member_closes_whatever_rebalance_it_has_not_answered() {
    closes(|_, member| wait_until_noted(member));
    closes(|_, member| {
        wait_until_noted(member);
        let received = member.poll(Duration::ZERO).unwrap();
        assert!(matches!(received, MemberEvent::Rebalance(Rebalance::Assigned(_))));
    });
}

#[test]
fn a_member_closes_when_its_partitions_are_lost() {
    let lose = |broker: &MockCluster<'_, DefaultProducerContext>, member: &mut Member| {
        start(member);
        broker.broker_down(1).unwrap();
        wait_until_noted(member);
    };
    closes(lose);
    closes(|broker, member| {
        lose(broker, member);
        let received = member.poll(Duration::ZERO).unwrap();
        assert!(matches!(received, MemberEvent::Rebalance(Rebalance::Lost(_))));
    });
}

/// The commit has been sent when the broker goes away, and is to be sent again.
#[test]
fn a_member_closes_while_a_commit_waits_for_a_broker_that_is_away() {
    closes(|broker, member| {
        start(member);
        broker.broker_round_trip_time(1, Duration::from_secs(2)).unwrap();
        let mut offsets = TopicPartitionList::new();
        offsets.add_partition_offset(ODDS_TICKS.name, 0, Offset::Offset(1)).unwrap();
        let given_up = member.commit(&offsets, &|| false).unwrap();
        assert!(matches!(given_up, Commit::Again(_)), "{given_up:?}");
        broker.broker_down(1).unwrap();
    });
}
