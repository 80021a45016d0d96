//! The open windows, as the compacted topic has them.
//!
//! A snapshot is made when it is asked for and the board has changed, and shared until it changes again. It is made outside
//! the lock: who changes the board, or only looks at it, never waits for it. It never shows a board before every partition
//! has been read to its end.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, TryLockError};
use std::time::{Duration, Instant};

use arb_schemas::records::{BoardEntry, BoardProgress};
use arb_schemas::time::Micros;

use crate::snapshot::{Parts, Snapshot};

/// How long after it was made a snapshot is given out while somebody makes the next one.
const SNAPSHOT_AGE: Duration = Duration::from_millis(250);

/// The board, shared by the reader of the topic and all requests.
#[derive(Debug)]
pub struct Board {
    inner: Mutex<Inner>,
    is_ready: AtomicBool,
    /// Grows with every change, under the lock of what changes.
    version: AtomicU64,
    /// The last snapshot.
    snapshot: RwLock<Option<Made>>,
    /// Held by who makes the next one.
    making: Mutex<()>,
}

/// A snapshot, of which version of the board, and when it was made.
#[derive(Debug, Clone)]
struct Made {
    version: u64,
    at: Instant,
    snapshot: Arc<Snapshot>,
}

#[derive(Debug)]
struct Inner {
    partitions: usize,
    entries: HashMap<String, Arc<BoardEntry>>,
    /// By source, then partition: the last whole poll that the partition contains.
    progress: BTreeMap<String, BTreeMap<i32, Micros>>,
}

impl Board {
    /// An empty board of a topic with so many partitions.
    #[must_use]
    pub fn new(partitions: i32) -> Self {
        let partitions = usize::try_from(partitions).unwrap_or(0);
        let (entries, progress) = (HashMap::new(), BTreeMap::new());
        let inner = Mutex::new(Inner { partitions, entries, progress });
        let (is_ready, version) = (AtomicBool::new(false), AtomicU64::new(0));
        Self { inner, is_ready, version, snapshot: RwLock::default(), making: Mutex::default() }
    }

    /// Opens or changes a window.
    pub fn put(&self, entry: BoardEntry) {
        self.change(|inner| {
            inner.entries.insert(entry.id.clone(), Arc::new(entry));
        });
    }

    /// Closes a window.
    pub fn remove(&self, id: &str) {
        self.change(|inner| {
            inner.entries.remove(id);
        });
    }

    /// Notes how far a partition has come.
    pub fn progress(&self, partition: i32, progress: BoardProgress) {
        self.change(|inner| {
            inner.progress.entry(progress.source).or_default().insert(partition, progress.received_at);
        });
    }

    /// Notes that every partition has been read to its end.
    pub fn ready(&self) {
        self.is_ready.store(true, Ordering::Release);
    }

    /// Whether it has.
    pub fn is_ready(&self) -> bool {
        self.is_ready.load(Ordering::Acquire)
    }

    fn change(&self, change: impl FnOnce(&mut Inner)) {
        let mut inner = self.lock();
        change(&mut inner);
        self.version.fetch_add(1, Ordering::Release);
    }

    /// The last snapshot, if the board has not changed since: who only wants that one waits for nobody who changes it.
    pub(crate) fn current(&self) -> Option<Arc<Snapshot>> {
        let version = self.version.load(Ordering::Acquire);
        self.last().filter(|last| last.version == version).map(|last| last.snapshot)
    }

    /// The board as it is now; `None` before it is ready. While somebody else makes it, the last one, unless nobody has
    /// asked for so long that it may say anything: then that somebody is waited for.
    pub(crate) fn snapshot(&self) -> Option<Arc<Snapshot>> {
        if !self.is_ready() {
            return None;
        }
        let _making = match self.making.try_lock() {
            Ok(making) => making,
            Err(TryLockError::Poisoned(error)) => error.into_inner(),
            Err(TryLockError::WouldBlock) => match self.last() {
                Some(last) if last.at.elapsed() < SNAPSHOT_AGE => return Some(last.snapshot),
                _ => self.making.lock().unwrap_or_else(PoisonError::into_inner),
            },
        };
        let last = self.last();
        let inner = self.lock();
        let version = self.version.load(Ordering::Acquire);
        if let Some(last) = last.filter(|last| last.version == version) {
            return Some(last.snapshot);
        }
        let parts = Parts { entries: inner.entries.values().cloned().collect(), polls: inner.polls() };
        drop(inner);
        let snapshot = Arc::new(Snapshot::of(&parts));
        let made = Some(Made { version, at: Instant::now(), snapshot: Arc::clone(&snapshot) });
        *self.snapshot.write().unwrap_or_else(PoisonError::into_inner) = made;
        Some(snapshot)
    }

    fn last(&self) -> Option<Made> {
        self.snapshot.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// These windows as the parts of a board. An entry that says the same transition may be newer here, in its times.
    pub(crate) fn parts_of(&self, mut windows: Vec<Arc<BoardEntry>>) -> Parts {
        let inner = self.lock();
        for window in &mut windows {
            let entry = inner.entries.get(&window.id).filter(|entry| entry.sequence == window.sequence);
            if let Some(entry) = entry {
                *window = Arc::clone(entry);
            }
        }
        Parts { entries: windows, polls: inner.polls() }
    }

    /// All entries.
    pub(crate) fn entries(&self) -> Vec<Arc<BoardEntry>> {
        self.lock().entries.values().cloned().collect()
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.lock().entries.len()
    }

    /// The time of the newest poll that every partition contains.
    pub(crate) fn as_of(&self) -> Option<Micros> {
        self.lock().polls().into_values().max()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    /// The last poll of each source that every partition contains.
    fn polls(&self) -> BTreeMap<String, Micros> {
        let whole = self.progress.iter().filter(|(_, partitions)| partitions.len() == self.partitions);
        whole.filter_map(|(source, at)| Some((source.clone(), *at.values().min()?))).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::cursor::Cursor;
    use crate::filter::Sport;
    use crate::snapshot::Ask;
    use crate::view::tests::entry;

    fn page(board: &Board, limit: usize, after: Option<&str>) -> Value {
        page_of(board, limit, after, &Sport::default())
    }

    fn page_of(board: &Board, limit: usize, after: Option<&str>, sport: &Sport) -> Value {
        let after = after.map(|after| Cursor::decode(after).unwrap().after);
        let ask = Ask { limit, after, sport: sport.clone() };
        serde_json::from_slice(&board.snapshot().unwrap().page(&ask).json).unwrap()
    }

    fn ids(page: &Value) -> Vec<&str> {
        page["arbs"].as_array().unwrap().iter().map(|arb| arb["id"].as_str().unwrap()).collect()
    }

    #[test]
    fn nothing_is_shown_before_everything_is_read() {
        let board = Board::new(2);
        board.put(entry("a", 0.01));
        assert!(board.snapshot().is_none() && !board.is_ready());
        board.ready();
        assert_eq!(ids(&page(&board, 10, None)), ["a"]);
        board.remove("a");
        assert_eq!(page(&board, 10, None)["arbs"], json!([]));
    }

    #[test]
    fn a_poll_is_contained_when_every_partition_has_it() {
        let board = Board::new(2);
        board.ready();
        let progress = |partition, received_at| {
            board.progress(partition, BoardProgress { source: "s".into(), received_at });
        };
        progress(0, 5_000_000);
        assert_eq!(
            (&page(&board, 1, None)["polls"], &page(&board, 1, None)["as_of"]),
            (&json!([]), &Value::Null)
        );
        progress(1, 3_000_000);
        let at = "1970-01-01T00:00:03Z";
        assert_eq!(page(&board, 1, None)["polls"], json!([{"source": "s", "polled_at": at}]));
        assert_eq!(page(&board, 1, None)["as_of"], at);
    }

    #[test]
    fn pages_follow_one_another_without_gap_or_repeat() {
        let board = Board::new(1);
        board.ready();
        for (id, score) in [("a", 0.01), ("b", 0.05), ("c", 0.03), ("d", 0.03)] {
            board.put(entry(id, score));
        }
        let first = page(&board, 3, None);
        assert_eq!(ids(&first), ["b", "c", "d"]);
        assert_eq!(first["arbs"][0]["rank"], 1);
        let second = page(&board, 3, first["next_cursor"].as_str());
        assert_eq!((ids(&second), &second["next_cursor"]), (vec!["a"], &Value::Null));
        assert_eq!(page(&board, 4, None)["next_cursor"], Value::Null);
    }

    #[test]
    fn a_page_of_a_sport_is_full_of_it() {
        let board = Board::new(1);
        board.ready();
        for (id, score, sport) in [("a", 0.04, "tennis"), ("b", 0.03, "soccer"), ("c", 0.02, "tennis")] {
            let mut entry = entry(id, score);
            entry.event.sport = sport.into();
            board.put(entry);
        }
        let tennis = Sport::parse("tennis").unwrap();
        let first = page_of(&board, 1, None, &tennis);
        assert_eq!(ids(&first), ["a"]);
        let second = page_of(&board, 1, first["next_cursor"].as_str(), &tennis);
        assert_eq!((ids(&second), &second["next_cursor"]), (vec!["c"], &Value::Null));
        let whole: Vec<u8> = board.snapshot().unwrap().pieces(&tennis).concat();
        assert_eq!(ids(&serde_json::from_slice(&whole).unwrap()), ["a", "c"]);
    }

    #[test]
    fn a_board_of_windows_takes_newer_times_but_no_other_transition() {
        let board = Board::new(1);
        board.ready();
        let (mut refreshed, mut other) = (entry("a", 0.04), entry("b", 0.03));
        (refreshed.updated_at, other.updated_at) = (5_000_000, 5_000_000);
        other.sequence += 1;
        board.put(refreshed);
        board.put(other);
        board.put(entry("c", 0.02));
        let windows = vec![Arc::new(entry("a", 0.04)), Arc::new(entry("b", 0.03))];
        let whole: Vec<u8> = Snapshot::of(&board.parts_of(windows)).pieces(&Sport::default()).concat();
        let whole: Value = serde_json::from_slice(&whole).unwrap();
        assert_eq!(ids(&whole), ["a", "b"]);
        assert_eq!(whole["arbs"][0]["updated_at"], "1970-01-01T00:00:05Z");
        assert_eq!(whole["arbs"][1]["updated_at"], "1970-01-01T00:00:01Z");
    }

    #[test]
    fn nobody_waits_for_a_snapshot_that_somebody_makes() {
        let board = Board::new(1);
        board.ready();
        board.put(entry("a", 0.01));
        let first = board.snapshot().unwrap();
        assert!(Arc::ptr_eq(&first, &board.snapshot().unwrap()), "it is shared until the board changes");
        assert!(Arc::ptr_eq(&first, &board.current().unwrap()));
        let making = board.making.lock().unwrap();
        board.put(entry("b", 0.01));
        assert!(board.is_ready() && board.current().is_none());
        assert!(Arc::ptr_eq(&first, &board.snapshot().unwrap()), "it has the last one meanwhile");
        drop(making);
        assert_eq!(ids(&page(&board, 10, None)), ["a", "b"]);
    }

    #[test]
    fn a_snapshot_that_is_old_is_not_given_out_while_the_next_is_made() {
        let board = Board::new(1);
        board.ready();
        board.put(entry("a", 0.01));
        board.snapshot().unwrap();
        board.remove("a");
        board.snapshot.write().unwrap().as_mut().unwrap().at -= SNAPSHOT_AGE;
        let making = board.making.lock().unwrap();
        std::thread::scope(|scope| {
            let asked = scope.spawn(|| board.snapshot().unwrap());
            drop(making);
            assert!(Arc::ptr_eq(&asked.join().unwrap(), &board.current().unwrap()));
        });
    }
}
