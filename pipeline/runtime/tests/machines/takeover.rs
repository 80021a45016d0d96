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
use arb_runtime::pump::{Config, Pump, SLICE};
use arb_runtime::watchdog::Pulse;

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
}

impl Log {
    fn note(&self, what: &str) {
        self.story.borrow_mut().push(what.to_owned());
    }

    fn has(&self, what: &str) -> usize {
        self.story.borrow().iter().filter(|entry| *entry == what).count()
    }
}

impl Input for Log {
    fn next(&mut self, _: Duration, record: &mut Record) -> Result<Event, LogError> {
        for (partition, after) in [(0, 0), (1, 2)] {
            let assigned = format!("assigned {partition}");
            if self.has(&assigned) == 0 && self.has("committed 0") >= after {
                self.note(&assigned);
                return Ok(Event::Assigned(vec![partition]));
            }
        }
        let Some(next) = &mut self.next else { return Ok(Event::Idle) };
        *record = Record { partition: 0, offset: *next, key: None, value: Some(b"goal".to_vec()) };
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

    fn open_changelog(&mut self, partition: i32) -> Result<(), LogError> {
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
        Ok(Renewal::Done)
    }
}

struct Commits<'a>(&'a Log);

impl Transaction for Commits<'_> {
    type Input = Log;

    fn send(&mut self, _: &Output) -> Result<(), LogError> {
        Ok(())
    }

    fn commit(self, _: &mut Log, next: &BTreeMap<i32, i64>) -> Result<Committed, LogError> {
        for id in next.keys() {
            self.0.note(&format!("committed {id}"));
        }
        Ok(Committed::Yes)
    }

    fn abort(self) -> Result<(), LogError> {
        Ok(())
    }
}

#[test]
fn a_partition_is_restored_while_another_is_processed_and_nobody_waits_for_it() {
    let story = Story::default();
    let mut log = Log { story: Rc::clone(&story), next: None, open: 0 };
    let mut pump = Pump::<Counter>::new(Config {
        machine: (),
        epoch: || 1,
        limits: BatchLimits { records: 1, interval: Duration::from_secs(1) },
        slice: SLICE,
        pause: Duration::ZERO,
        fail_points: FailPoints::default(),
        pulse: Pulse::default(),
        places: ProgressMap::default(),
    });
    let mut producer = log.clone();
    for _ in 0..100 {
        if log.has("started 1") == 0 {
            pump.step(&mut log, &mut producer).unwrap();
        }
    }
    let story = story.borrow();
    let at = |what: &str| {
        story.iter().position(|entry| entry == what).unwrap_or_else(|| panic!("{what}: {story:?}"))
    };
    assert!(at("accepted 1") == at("assigned 1") + 1, "the group is answered at once: {story:?}");
    assert!(at("accepted 1") < at("adopted 1") && at("adopted 1") < at("started 1"));
    let beside = story[at("adopted 1")..at("started 1")].iter().filter(|entry| *entry == "committed 0");
    assert!(beside.count() >= WAITED, "{story:?}");
}
