//! How far the topics have come: the last whole poll of each source that every partition contains.
//!
//! The processor publishes this on the board's topic, in the transaction that contains the poll. It never
//! uses the time at which a record was read.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use arb_schemas::records::BoardProgress;
use arb_schemas::time::{Micros, SECOND};

use crate::lists::pace::Pace;

/// A source whose last poll is older than the newest poll of all sources by more than this is not shown: its
/// league has ended, and nothing has withdrawn its progress. Poll times are compared, not a clock: in a
/// recording of last year nothing is old.
const SILENT_FOR_GOOD: Micros = 7 * 24 * 60 * 60 * SECOND;

/// Polls of a source whose times are remembered.
const LATEST: usize = 9;

/// Polls by source, shared by all that is listed.
#[derive(Debug)]
pub(crate) struct Polls {
    partitions: usize,
    /// By source, then partition: the last whole poll that the partition contains.
    progress: Mutex<BTreeMap<String, BTreeMap<i32, Micros>>>,
    /// By source, the times of its latest whole polls, the newest last.
    latest: Mutex<BTreeMap<String, VecDeque<Micros>>>,
    /// How often polls come that are newer than all before.
    pace: Mutex<Pace>,
    /// Nothing has come for longer than the sources promise.
    is_stale: AtomicBool,
    /// Grows with every change, after it.
    version: AtomicU64,
}

impl Polls {
    /// None yet, of a topic with so many partitions.
    pub(crate) fn new(partitions: i32) -> Self {
        let partitions = usize::try_from(partitions).unwrap_or(0);
        Self {
            partitions,
            progress: Mutex::default(),
            latest: Mutex::default(),
            pace: Mutex::default(),
            is_stale: AtomicBool::new(false),
            version: AtomicU64::new(0),
        }
    }

    /// Notes how far a partition has come.
    pub(crate) fn note(&self, partition: i32, progress: BoardProgress) {
        let before = self.as_of();
        self.note_whole(partition, progress);
        if self.as_of() > before {
            self.pace.lock().unwrap_or_else(PoisonError::into_inner).poll(Instant::now());
            self.is_stale.store(false, Ordering::Release);
        }
        self.version.fetch_add(1, Ordering::Release);
    }

    /// Notes how far a partition has come, and when that makes a poll of its source whole.
    fn note_whole(&self, partition: i32, progress: BoardProgress) {
        let mut all = self.lock();
        let partitions = all.entry(progress.source.clone()).or_default();
        partitions.insert(partition, progress.received_at);
        let whole = partitions.values().min().copied().filter(|_| partitions.len() == self.partitions);
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        let times = latest.entry(progress.source).or_default();
        if let Some(at) = whole.filter(|at| times.back().is_none_or(|last| last < at)) {
            times.push_back(at);
            if times.len() > LATEST {
                times.pop_front();
            }
        }
    }

    /// The median time between the latest whole polls of a source, by their own times; `None` until there were two since this
    /// program started.
    pub(crate) fn polled_every(&self, source: &str) -> Option<Micros> {
        let latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        let times = latest.get(source)?;
        let mut gaps: Vec<_> = times.iter().zip(times.iter().skip(1)).map(|(a, b)| b - a).collect();
        gaps.sort_unstable();
        gaps.get(gaps.len() / 2).copied()
    }

    /// Checks whether nothing has come for longer than the sources promise; to be called again and again.
    pub(crate) fn check_staleness(&self, now: Instant) {
        let is_late = self.pace.lock().unwrap_or_else(PoisonError::into_inner).is_late(now);
        if is_late && !self.is_stale.swap(true, Ordering::AcqRel) {
            self.version.fetch_add(1, Ordering::Release);
        }
    }

    /// Whether it was when that was last looked at, and nothing has come since.
    pub(crate) fn is_stale(&self) -> bool {
        self.is_stale.load(Ordering::Acquire)
    }

    /// Removes a source from a partition: the processor has withdrawn its progress.
    pub(crate) fn remove(&self, partition: i32, source: &str) {
        let mut progress = self.lock();
        if let Some(partitions) = progress.get_mut(source) {
            partitions.remove(&partition);
            if partitions.is_empty() {
                progress.remove(source);
                self.latest.lock().unwrap_or_else(PoisonError::into_inner).remove(source);
            }
            self.version.fetch_add(1, Ordering::Release);
        }
    }

    /// Which state of them this is, or an older one.
    pub(crate) fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    /// The last poll of each source that every partition contains, without the sources that have ended.
    pub(crate) fn whole(&self) -> BTreeMap<String, Micros> {
        let progress = self.lock();
        let whole = progress.iter().filter(|(_, partitions)| partitions.len() == self.partitions);
        let mut polls: BTreeMap<_, _> =
            whole.filter_map(|(source, at)| Some((source.clone(), *at.values().min()?))).collect();
        let newest = polls.values().max().copied().unwrap_or(0);
        polls.retain(|_, at| newest.saturating_sub(*at) <= SILENT_FOR_GOOD);
        polls
    }

    /// The time of the newest of them.
    pub(crate) fn as_of(&self) -> Option<Micros> {
        self.whole().into_values().max()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, BTreeMap<i32, Micros>>> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn note(polls: &Polls, partition: i32, source: &str, received_at: Micros) {
        polls.note(partition, BoardProgress { source: source.to_owned(), received_at });
    }

    #[test]
    fn a_source_without_a_poll_for_seven_days_is_hidden_until_its_next_poll() {
        let polls = Polls::new(1);
        note(&polls, 0, "ended", 1);
        note(&polls, 0, "plays", 1 + SILENT_FOR_GOOD);
        assert_eq!(polls.whole().len(), 2);
        note(&polls, 0, "plays", 2 + SILENT_FOR_GOOD);
        assert_eq!(polls.whole().into_keys().collect::<Vec<_>>(), ["plays"]);
        note(&polls, 0, "ended", SILENT_FOR_GOOD);
        assert_eq!(polls.whole().len(), 2);
    }

    #[test]
    fn a_source_is_polled_as_often_as_its_latest_polls_say() {
        let polls = Polls::new(2);
        assert_eq!(polls.polled_every("s"), None);
        note(&polls, 0, "s", 10);
        note(&polls, 1, "s", 10);
        assert_eq!(polls.polled_every("s"), None, "one poll has no gap");
        for at in [20, 30, 100, 110, 120] {
            note(&polls, 0, "s", at);
            note(&polls, 1, "s", at);
        }
        note(&polls, 0, "other", 7);
        assert_eq!((polls.polled_every("s"), polls.polled_every("other")), (Some(10), None));
        (1..=8).flat_map(|poll| [(0, poll), (1, poll)]).for_each(|(partition, poll)| {
            note(&polls, partition, "s", 120 + 60 * poll);
        });
        assert_eq!(polls.polled_every("s"), Some(60), "older ones are forgotten");
        (0..2).for_each(|partition| polls.remove(partition, "s"));
        assert_eq!(polls.polled_every("s"), None);
    }

    #[test]
    fn a_source_that_is_withdrawn_in_every_partition_is_gone() {
        let polls = Polls::new(2);
        (0..2).for_each(|partition| note(&polls, partition, "s", 1));
        let before = polls.version();
        polls.remove(0, "s");
        assert!(polls.whole().is_empty() && polls.version() > before);
        polls.remove(1, "s");
        polls.remove(1, "never there");
        assert!(polls.lock().is_empty());
    }

    #[test]
    fn a_board_is_stale_until_the_next_poll() {
        let polls = Polls::new(1);
        note(&polls, 0, "s", 1);
        note(&polls, 0, "s", 2);
        let version = polls.version();
        polls.check_staleness(Instant::now());
        assert!(!polls.is_stale() && polls.version() == version);
        let later = Instant::now() + Duration::from_mins(1);
        polls.check_staleness(later);
        polls.check_staleness(later);
        assert!(polls.is_stale() && polls.version() == version + 1, "pages are rendered again, once");
        note(&polls, 0, "s", 2);
        assert!(polls.is_stale(), "the same poll again is nothing new");
        note(&polls, 0, "s", 3);
        assert!(!polls.is_stale());
    }
}
