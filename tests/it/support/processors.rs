//! Processors that die: numbered by the test, started with fail points, watched, started again; and what they left
//! behind.

use std::collections::{BTreeMap, BTreeSet};

use arb_process::codec::state;
use arb_runtime::pump::PARTITION_KEY;
use arb_schemas::records::StatePartition;
use arb_schemas::topics::{ARBS_BOARD, DEAD_TICKS, FEED_EVENTS, PROCESS_STATE};
use arb_schemas::wire::{decode, encode};

use super::environment::Environment;
use super::program::Role;
use super::stack::Broker;
use super::wait_for;
use crate::kafka::{Record, committed, read_all, wait_until_settled, without_epoch};

/// Everything that a run leaves behind, as a reader of committed records sees it.
#[derive(PartialEq)]
pub(crate) struct Outcome {
    pub(crate) feed: Vec<Record>,
    pub(crate) board: Vec<Record>,
    dead: Vec<Record>,
    /// The changelog as compaction would leave it.
    state: BTreeMap<(i32, Vec<u8>), Vec<u8>>,
    offsets: Vec<Option<i64>>,
}

impl Outcome {
    pub(crate) fn of(broker: &Broker) -> Self {
        for topic in [PROCESS_STATE, FEED_EVENTS, ARBS_BOARD, DEAD_TICKS] {
            wait_until_settled(&broker.kafka, &topic);
        }
        let read = |topic| read_all(&broker.kafka, topic).into_iter().map(without_epoch).collect::<Vec<_>>();
        let mut state = BTreeMap::new();
        for Record { partition, key, value, .. } in read(PROCESS_STATE.name) {
            if value.is_empty() {
                state.remove(&(partition, key));
            } else {
                state.insert((partition, key), state_without_epoch(value));
            }
        }
        Self {
            feed: read(FEED_EVENTS.name),
            board: read(ARBS_BOARD.name),
            dead: read(DEAD_TICKS.name),
            state,
            offsets: committed(&broker.kafka, "arb-process"),
        }
    }

    /// Fails, naming what differs, unless both are the same.
    pub(crate) fn assert_is(&self, expected: &Self, what: &str) {
        for (name, ours, theirs) in [
            ("feed", &self.feed, &expected.feed),
            ("board", &self.board, &expected.board),
            ("dead letters", &self.dead, &expected.dead),
        ] {
            let differs = ours.iter().zip(theirs).position(|(ours, theirs)| ours != theirs);
            let (found, wanted) = (ours.len(), theirs.len());
            let at = differs.unwrap_or_else(|| found.min(wanted));
            assert!(
                ours == theirs,
                "{what}: {name}: {found} records for {wanted}; at {at} {:?}, expected {:?}; the one before {:?}",
                ours.get(at),
                theirs.get(at),
                at.checked_sub(1).and_then(|at| ours.get(at))
            );
        }
        let others = self.other_states(expected);
        assert!(
            others.is_empty(),
            "{what}: {} records of the state differ:\n{}",
            others.len(),
            others.join("\n")
        );
        assert_eq!(self.offsets, expected.offsets, "{what}: offsets");
    }

    /// The records of the state that differ, both forms of each in one line.
    fn other_states(&self, expected: &Self) -> Vec<String> {
        let keys: BTreeSet<_> = self.state.keys().chain(expected.state.keys()).collect();
        let differing = keys.into_iter().filter(|key| self.state.get(key) != expected.state.get(key));
        let parsed = |of: &Self, key: &(i32, Vec<u8>)| {
            let name = String::from_utf8_lossy(&key.1);
            of.state.get(key).map(|value| state::parse(&name, value).unwrap())
        };
        let line = |key: &(i32, Vec<u8>)| {
            let (name, found) = (String::from_utf8_lossy(&key.1), parsed(self, key));
            format!("{} {name}: {found:?}, expected {:?}", key.0, parsed(expected, key))
        };
        differing.map(line).collect()
    }
}

/// Waits until the changelog has the state of all that was committed.
pub(crate) fn wait_until_saved(kafka: &Environment) {
    wait_for("the state is written", || {
        let records = read_all(kafka, PROCESS_STATE.name).into_iter();
        let places = records.filter(|record| record.key == PARTITION_KEY.as_bytes());
        let last: BTreeMap<_, _> = places.map(|record| (record.partition, record.value)).collect();
        let is_saved = |value: &Vec<u8>| decode::<StatePartition>(value).unwrap().cut.is_none();
        last.values().all(is_saved).then_some(())
    });
}

/// A record of the changelog but for the epoch, in which runs differ.
fn state_without_epoch(value: Vec<u8>) -> Vec<u8> {
    match decode::<StatePartition>(&value) {
        Ok(partition) => encode(&StatePartition { epoch: 0, ..partition }).unwrap(),
        Err(_) => value,
    }
}

/// Processors by number: they themselves have none.
pub(crate) struct Processors<'a> {
    broker: &'a Broker,
    running: BTreeMap<u32, Role>,
    /// How many were started.
    started: usize,
}

impl<'a> Processors<'a> {
    pub(crate) fn on(broker: &'a Broker) -> Self {
        Self { broker, running: BTreeMap::new(), started: 0 }
    }

    /// Starts one under a number.
    pub(crate) fn start(&mut self, number: u32, arguments: &[&str]) {
        self.started += 1;
        let log = self.broker.path(&format!("process-{number}-{}.log", self.started));
        let common = [self.broker.kafka.at(), self.broker.kafka.named()];
        self.running.insert(number, Role::start("process", &[&common[..], arguments].concat(), &log));
    }

    /// The numbers whose processor has ended, which are free again.
    pub(crate) fn dead(&mut self) -> Vec<u32> {
        let dead: Vec<_> =
            self.running.iter_mut().filter_map(|(number, role)| role.died().then_some(*number)).collect();
        for number in &dead {
            self.running.remove(number);
        }
        dead
    }

    pub(crate) fn of(&mut self, number: u32) -> &mut Role {
        self.running.get_mut(&number).unwrap()
    }

    /// Ends one in good order.
    pub(crate) fn end(&mut self, number: u32) {
        if let Some(mut role) = self.running.remove(&number) {
            role.stop();
        }
    }

    /// Ends all of them in good order.
    pub(crate) fn stop(mut self) {
        self.running.values_mut().for_each(Role::stop);
    }
}
