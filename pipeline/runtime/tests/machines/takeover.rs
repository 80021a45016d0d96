//! A takeover beside work: the group is answered at once, and other partitions are processed while one is restored.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use arb_runtime::batch::BatchLimits;
use arb_runtime::fail_point::FailPoints;
use arb_runtime::log::{
    Adoption, Committed, Event, GroupOffset, Input, LogError, Output, Producer, Put, Record, Renewal, Replay,
    Transaction,
};
use arb_runtime::progress::ProgressMap;
use arb_runtime::pump::{Config, CutLimits, Pump, SLICE};
use arb_runtime::watchdog::Pulse;
use arb_schemas::topics::Topic;

use crate::counter::Counter;

/// Commits of the other partition while the changelog gives nothing.
const WAITED: usize = 5;

/// What happened, in its order.
type Story = Rc<RefCell<Vec<String>>>;

/// A log that assigns partition 0, then partition 1, whose changelog is hidden until partition 0 has moved on.
#[derive(Clone)]
struct Log {
    story: Story,
    /// The next offset of partition 0, once it is started.
    next: Option<i64>,
    open: i32,
    /// Partition 1 is assigned within a transaction, at the end of which the group has expelled the member. Then both
    /// partitions are lost, and partition 1 is assigned again.
    expels: bool,
}

impl Log {
    fn new(expels: bool) -> Self {
        Self { story: Story::default(), next: None, open: 0, expels }
    }

    /// The rebalance that comes now.
    fn rebalance(&mut self) -> Option<Event> {
        let was_expelled = self.has("expelled") == 1;
        if was_expelled && self.has("lost") == 0 {
            self.note("lost");
            self.next = None;
            return Some(Event::Lost(vec![0, 1]));
        }
        // The first record of a transaction of two has been read.
        let is_within = self.next == Some(5);
        let is_assigned = [
            self.has("assigned 0") == 0,
            match self.has("assigned 1") {
                0 if self.expels => is_within,
                0 => self.has("committed 0") >= 2,
                1 => was_expelled,
                _ => false,
            },
        ];
        let partition = (0..).zip(is_assigned).find_map(|(id, is_assigned)| is_assigned.then_some(id))?;
        self.note(&format!("assigned {partition}"));
        Some(Event::Assigned(vec![partition]))
    }

    fn note(&self, what: &str) {
        self.story.borrow_mut().push(what.to_owned());
    }

    fn has(&self, what: &str) -> usize {
        self.story.borrow().iter().filter(|entry| *entry == what).count()
    }
}

impl Input for Log {
    fn next(&mut self, _: Duration, record: &mut Record) -> Result<Event, LogError> {
        if let Some(rebalance) = self.rebalance() {
            return Ok(rebalance);
        }
        let Some(next) = &mut self.next else { return Ok(Event::Idle) };
        *record = Record {
            partition: 0,
            offset: *next,
            key: None,
            value: Some(b"goal".to_vec()),
            appended_at: None,
        };
        *next += 1;
        Ok(Event::Record)
    }

    fn accept(&mut self, partitions: &[i32]) -> Result<(), LogError> {
        for id in partitions {
            self.note(&format!("accepted {id}"));
        }
        Ok(())
    }

    fn committed(&mut self, _: i32) -> Result<GroupOffset, LogError> {
        Ok(GroupOffset::Known(None))
    }

    fn open(&mut self, _: &'static Topic, partition: i32) -> Result<(), LogError> {
        self.open = partition;
        Ok(())
    }

    fn replay(&mut self, _: Duration, _: &mut Put<'_>) -> Result<Replay, LogError> {
        let is_hidden = self.open == 1 && self.has("committed 0") < 2 + WAITED;
        Ok(if is_hidden { Replay::Waiting } else { Replay::Complete })
    }

    fn start(&mut self, partition: i32, _: Option<i64>) -> Result<(), LogError> {
        self.note(&format!("started {partition}"));
        self.next.get_or_insert(0);
        Ok(())
    }

    fn give_back(&mut self, _: &[i32]) -> Result<(), LogError> {
        Ok(())
    }

    fn seek(&mut self, _: i32, _: i64) -> Result<(), LogError> {
        Ok(())
    }
}

impl Producer for Log {
    type Input = Self;
    type Transaction<'a> = Commits<'a>;

    fn adopt(&mut self, partitions: &[i32], _: &mut Self) -> Result<Adoption, LogError> {
        for id in partitions {
            self.note(&format!("adopted {id}"));
        }
        Ok(Adoption::Done)
    }

    fn release(&mut self, _: &[i32]) {}

    fn begin(&mut self) -> Result<Commits<'_>, LogError> {
        Ok(Commits(self))
    }

    fn renew(&mut self, _: &mut Self) -> Result<Renewal, LogError> {
        self.note("expelled");
        Ok(Renewal::Abandoned)
    }
}

struct Commits<'a>(&'a Log);

impl Transaction for Commits<'_> {
    type Input = Log;

    fn send(&mut self, _: Output) -> Result<(), LogError> {
        Ok(())
    }

    fn commit(self, _: &mut Log, next: &BTreeMap<i32, i64>) -> Result<Committed, LogError> {
        if self.0.expels && self.0.has("assigned 1") == 1 {
            return Ok(Committed::Unknown);
        }
        for id in next.keys() {
            self.0.note(&format!("committed {id}"));
        }
        Ok(Committed::Yes)
    }

    fn abort(self) -> Result<(), LogError> {
        Ok(())
    }
}

/// A pump whose transactions have so many records.
fn pump(records: usize) -> Pump<Counter> {
    Pump::new(Config {
        worker: 0,
        machine: (),
        epoch: || 1,
        limits: BatchLimits { records, interval: Duration::from_secs(1) },
        cuts: CutLimits::EACH,
        slice: SLICE,
        pause: Duration::ZERO,
        fail_points: FailPoints::default(),
        pulse: Pulse::default(),
        places: ProgressMap::default(),
    })
}

/// What happens until the log has noted `end`.
fn run(mut log: Log, records: usize, end: &str) -> Vec<String> {
    let (mut pump, mut producer) = (pump(records), log.clone());
    for _ in 0..100 {
        if log.has(end) == 0 {
            pump.step(&mut log, &mut producer).unwrap();
        }
    }
    log.story.take()
}

/// The new owner of the partition has adopted its id by then, and would be fenced.
#[test]
fn a_member_that_was_expelled_adopts_nothing_that_it_was_assigned_before() {
    let story = run(Log::new(true), 2, "adopted 1");
    let all = |what: &str| -> Vec<_> { (0..).zip(&story).filter(|(_, said)| *said == what).collect() };
    let [(assigned, _), (again, _)] = all("assigned 1")[..] else { panic!("{story:?}") };
    let [(expelled, _)] = all("expelled")[..] else { panic!("{story:?}") };
    let [(accepted, _), _] = all("accepted 1")[..] else { panic!("{story:?}") };
    let [(adopted, _)] = all("adopted 1")[..] else { panic!("{story:?}") };
    assert!(assigned < expelled, "it learns of it in the transaction: {story:?}");
    assert!(expelled < accepted && accepted < again, "the group does not wait for it: {story:?}");
    assert!(again < adopted, "{story:?}");
}

#[test]
fn a_partition_is_restored_while_another_is_processed_and_nobody_waits_for_it() {
    let story = run(Log::new(false), 1, "started 1");
    let at = |what: &str| {
        story.iter().position(|entry| entry == what).unwrap_or_else(|| panic!("{what}: {story:?}"))
    };
    assert!(at("accepted 1") == at("assigned 1") + 1, "the group is answered at once: {story:?}");
    assert!(at("accepted 1") < at("adopted 1") && at("adopted 1") < at("started 1"));
    let beside = story[at("adopted 1")..at("started 1")].iter().filter(|entry| *entry == "committed 0");
    assert!(beside.count() >= WAITED, "{story:?}");
}
