//! A log in memory for one pump: partition 1 is processed, partition 0 is taken over, with the records that came since its state.
//!
//! Nothing fails in it. It keeps of the outputs only the changelog of partition 0, and of commits only their time.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::{Duration, Instant};

use arb_runtime::log::{
    Adoption, Committed, Event, GroupOffset, Input, LogError, Output, Producer, Put, Record, Renewal, Replay,
    Transaction,
};
use arb_schemas::topics::{PROCESS_STATE, Topic};

/// Records of a changelog, in their order.
type Changelog = Rc<Vec<(Vec<u8>, Option<Vec<u8>>)>>;

/// What is left of a partition whose processor is gone.
#[derive(Clone, Default)]
pub(super) struct Left {
    pub(super) changelog: Changelog,
    /// What the last of its input is that came since the state.
    pub(super) since: Rc<Vec<Vec<u8>>>,
}

/// Between two records of the partition that is processed meanwhile.
const EVERY: Duration = Duration::from_millis(1);
/// Commits of that partition before the other is assigned.
const WARM_UP: usize = 100;
/// Records of the changelog between two looks at the clock.
const CHUNK: usize = 100;

/// The log; clones are the same one.
#[derive(Clone)]
pub(super) struct MemoryLog(Rc<RefCell<State>>);

struct State {
    /// The partition whose records are read.
    partition: i32,
    /// Between two of them.
    every: Duration,
    records: Vec<Vec<u8>>,
    next: usize,
    last: Instant,
    to_assign: Vec<i32>,
    /// Of partition 0: what is read, and how far; then the input, from this offset on.
    left: Left,
    replayed: usize,
    again: Option<(i64, usize)>,
    replaying: i32,
    written: Vec<(Vec<u8>, Option<Vec<u8>>)>,
    commits: Vec<Instant>,
    assigned: Option<Instant>,
    started: Option<Instant>,
    done: Option<Instant>,
}

impl MemoryLog {
    /// Gives records of partition 0 as fast as they are taken, and keeps what the changelog becomes.
    pub(super) fn filling(records: Vec<Vec<u8>>) -> Self {
        Self::new(0, Duration::ZERO, records, vec![0], Left::default())
    }

    /// Gives records of partition 1 one after the other; then partition 0 is assigned, with what is left of it.
    pub(super) fn taking_over(records: Vec<Vec<u8>>, left: Left) -> Self {
        Self::new(1, EVERY, records, vec![0, 1], left)
    }

    /// Has further records to give.
    pub(super) fn add(&self, records: &[Vec<u8>]) {
        self.0.borrow_mut().records.extend_from_slice(records);
    }

    fn new(partition: i32, every: Duration, records: Vec<Vec<u8>>, to_assign: Vec<i32>, left: Left) -> Self {
        Self(Rc::new(RefCell::new(State {
            partition,
            every,
            records,
            next: 0,
            last: Instant::now(),
            to_assign,
            left,
            replayed: 0,
            again: None,
            replaying: 0,
            written: Vec::new(),
            commits: Vec::new(),
            assigned: None,
            started: None,
            done: None,
        })))
    }

    /// What was written to the changelog.
    pub(super) fn changelog(&self) -> Changelog {
        Rc::new(self.0.borrow().written.clone())
    }

    /// When partition 0 was assigned.
    pub(super) fn assigned(&self) -> Option<Instant> {
        self.0.borrow().assigned
    }

    /// When partition 0 was started.
    pub(super) fn started(&self) -> Option<Instant> {
        self.0.borrow().started
    }

    /// When all that came since its state was processed again.
    pub(super) fn done(&self) -> Option<Instant> {
        self.0.borrow().done
    }

    /// When transactions were committed.
    pub(super) fn commits(&self) -> Vec<Instant> {
        self.0.borrow().commits.clone()
    }
}

impl Input for MemoryLog {
    fn next(&mut self, _: Duration, record: &mut Record) -> Result<Event, LogError> {
        let state = &mut *self.0.borrow_mut();
        let is_first = state.assigned.is_none() && state.commits.is_empty();
        if (is_first || state.commits.len() >= WARM_UP)
            && let Some(id) = state.to_assign.pop()
        {
            if id == 0 {
                state.assigned = Some(Instant::now());
            }
            return Ok(Event::Assigned(vec![id]));
        }
        if let Some((from, given)) = &mut state.again {
            if let Some(value) = state.left.since.get(*given) {
                let offset = *from + i64::try_from(*given).unwrap_or(i64::MAX);
                *record =
                    Record { partition: 0, offset, key: None, value: Some(value.clone()), appended_at: None };
                *given += 1;
                return Ok(Event::Record);
            }
            state.done.get_or_insert_with(Instant::now);
        }
        if state.last.elapsed() < state.every || state.next == state.records.len() {
            return Ok(Event::Idle);
        }
        let offset = i64::try_from(state.next).unwrap_or(i64::MAX);
        let value = Some(state.records[state.next].clone());
        *record = Record { partition: state.partition, offset, key: None, value, appended_at: None };
        state.next += 1;
        state.last = Instant::now();
        Ok(Event::Record)
    }

    fn accept(&mut self, _: &[i32]) -> Result<(), LogError> {
        Ok(())
    }

    fn committed(&mut self, _: i32) -> Result<GroupOffset, LogError> {
        Ok(GroupOffset::Known(None))
    }

    fn open(&mut self, _: &'static Topic, partition: i32) -> Result<(), LogError> {
        let state = &mut *self.0.borrow_mut();
        (state.replayed, state.replaying) = (0, partition);
        Ok(())
    }

    fn replay(&mut self, limit: Duration, put: &mut Put<'_>) -> Result<Replay, LogError> {
        let state = &mut *self.0.borrow_mut();
        let (deadline, records) = (Instant::now() + limit, Rc::clone(&state.left.changelog));
        while state.replaying == 0 && state.replayed < records.len() {
            for (key, value) in records[state.replayed..].iter().take(CHUNK) {
                put(0, key, value.as_deref());
                state.replayed += 1;
            }
            if Instant::now() >= deadline {
                return Ok(Replay::Partly);
            }
        }
        Ok(Replay::Complete)
    }

    fn start(&mut self, partition: i32, from: Option<i64>) -> Result<(), LogError> {
        if partition == 0 {
            let state = &mut *self.0.borrow_mut();
            if state.again.is_some() {
                return Err(LogError::Fatal("what came since the state led to something else".into()));
            }
            (state.started, state.again) = (Some(Instant::now()), Some((from.unwrap_or(0), 0)));
        }
        Ok(())
    }

    fn give_back(&mut self, _: &[i32]) -> Result<(), LogError> {
        Ok(())
    }

    fn seek(&mut self, _: i32, _: i64) -> Result<(), LogError> {
        Ok(())
    }
}

impl Producer for MemoryLog {
    type Input = Self;
    type Transaction<'a> = MemoryTransaction<'a>;

    fn adopt(&mut self, _: &[i32], _: &mut Self) -> Result<Adoption, LogError> {
        Ok(Adoption::Done)
    }

    fn release(&mut self, _: &[i32]) {}

    fn begin(&mut self) -> Result<MemoryTransaction<'_>, LogError> {
        Ok(MemoryTransaction(self))
    }

    fn renew(&mut self, _: &mut Self) -> Result<Renewal, LogError> {
        Ok(Renewal::Done)
    }
}

/// An open transaction.
pub(super) struct MemoryTransaction<'a>(&'a MemoryLog);

impl Transaction for MemoryTransaction<'_> {
    type Input = MemoryLog;

    fn send(&mut self, output: Output) -> Result<(), LogError> {
        if (output.topic, output.partition) == (PROCESS_STATE.name, 0) {
            let record = (output.key.unwrap_or_default(), output.value);
            self.0.0.borrow_mut().written.push(record);
        }
        Ok(())
    }

    fn commit(self, _: &mut MemoryLog, _: &BTreeMap<i32, i64>) -> Result<Committed, LogError> {
        self.0.0.borrow_mut().commits.push(Instant::now());
        Ok(Committed::Yes)
    }

    fn abort(self) -> Result<(), LogError> {
        Ok(())
    }
}
