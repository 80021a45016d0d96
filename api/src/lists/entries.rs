//! What is open, as a compacted topic has it: the windows of the board, or the edge signals.
//!
//! A snapshot is built at a request after the list has changed, and shared until the list changes again. It
//! is built outside the lock: a thread that changes or reads the list never waits for it. It never shows a
//! list before every partition has been read to its end.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, TryLockError};
use std::time::{Duration, Instant};

use crate::lists::known_names::{KnownNames, NameKind};
use crate::lists::listed::Listed;
use crate::lists::polls::Polls;
use crate::lists::snapshot::{Parts, Snapshot};

/// How long a snapshot is still given out while another thread builds the next one.
const SNAPSHOT_AGE: Duration = Duration::from_millis(250);

/// What is open, by id.
pub(crate) type ById<E> = HashMap<String, Arc<E>>;

/// What is open, shared by the reader of the topic and all requests.
#[derive(Debug)]
pub(crate) struct Entries<E: Listed> {
    open: Mutex<ById<E>>,
    polls: Arc<Polls>,
    names: Arc<KnownNames>,
    is_ready: AtomicBool,
    /// Grows with every change, after it.
    version: AtomicU64,
    /// The last snapshot.
    snapshot: RwLock<Option<RenderedSnapshot<E>>>,
    /// Held by the thread that builds the next snapshot.
    making: Mutex<()>,
}

/// A snapshot, of which version of the list, and when it was made.
#[derive(Debug)]
struct RenderedSnapshot<E: Listed> {
    version: u64,
    at: Instant,
    snapshot: Arc<Snapshot<E>>,
}

impl<E: Listed> Entries<E> {
    /// An empty list, as of these polls; the names in what comes are noted.
    pub(crate) fn new(polls: &Arc<Polls>, names: &Arc<KnownNames>) -> Self {
        let (is_ready, version) = (AtomicBool::new(false), AtomicU64::new(0));
        let (open, snapshot, making) = (Mutex::default(), RwLock::default(), Mutex::default());
        let (polls, names) = (Arc::clone(polls), Arc::clone(names));
        Self { open, polls, names, is_ready, version, snapshot, making }
    }

    /// Opens or changes one.
    pub(crate) fn put(&self, entry: E) {
        let event = entry.event();
        let of_event = [&event.sport, &event.league].map(|name| (NameKind::Sport, &**name));
        for (kind, name) in of_event.into_iter().chain(entry.market_and_books()) {
            self.names.note(kind, name);
        }
        self.lock().insert(entry.id().to_owned(), Arc::new(entry));
        self.version.fetch_add(1, Ordering::Release);
    }

    /// Closes one.
    pub(crate) fn remove(&self, id: &str) {
        self.lock().remove(id);
        self.version.fetch_add(1, Ordering::Release);
    }

    /// Which names there are.
    pub(crate) fn names(&self) -> &KnownNames {
        &self.names
    }

    /// How far the topics have come.
    pub(crate) fn polls(&self) -> &Polls {
        &self.polls
    }

    /// Notes that every partition has been read to its end.
    pub(crate) fn ready(&self) {
        self.is_ready.store(true, Ordering::Release);
    }

    /// Whether it has.
    pub(crate) fn is_ready(&self) -> bool {
        self.is_ready.load(Ordering::Acquire)
    }

    /// Which state this is, or an older one: both only grow, so no two states have one sum.
    fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire) + self.polls.version()
    }

    /// The last snapshot, if nothing has changed since: reading it never waits for a thread that changes the
    /// list.
    pub(crate) fn current(&self) -> Option<Arc<Snapshot<E>>> {
        let version = self.version();
        self.last(|last| last.version == version)
    }

    /// The list as it is now; `None` before it is ready. While another thread builds the next snapshot, the
    /// last one is returned, unless it is too old: then the call waits for the new one.
    pub(crate) fn snapshot(&self) -> Option<Arc<Snapshot<E>>> {
        if !self.is_ready() {
            return None;
        }
        let _making = match self.making.try_lock() {
            Ok(making) => making,
            Err(TryLockError::Poisoned(error)) => error.into_inner(),
            Err(TryLockError::WouldBlock) => match self.last(|last| last.at.elapsed() < SNAPSHOT_AGE) {
                Some(last) => return Some(last),
                None => self.making.lock().unwrap_or_else(PoisonError::into_inner),
            },
        };
        if let Some(last) = self.current() {
            return Some(last);
        }
        // Before what it is the version of: a change in between makes it another one next time.
        let version = self.version();
        let snapshot = Arc::new(Snapshot::of(&self.parts()));
        let made = Some(RenderedSnapshot { version, at: Instant::now(), snapshot: Arc::clone(&snapshot) });
        *self.snapshot.write().unwrap_or_else(PoisonError::into_inner) = made;
        Some(snapshot)
    }

    /// The last snapshot, if it will do.
    fn last(&self, will_do: impl FnOnce(&RenderedSnapshot<E>) -> bool) -> Option<Arc<Snapshot<E>>> {
        let last = self.snapshot.read().unwrap_or_else(PoisonError::into_inner);
        last.as_ref().filter(|last| will_do(last)).map(|last| Arc::clone(&last.snapshot))
    }

    /// All of it. The polls are looked at first: what they contain has been put before they were noted.
    fn parts(&self) -> Parts<E> {
        let (polls, is_stale) = (self.polls.whole(), self.polls.is_stale());
        Parts { entries: self.entries(), polls, is_stale }
    }

    /// These entries as the parts of a list. An entry with the same transition may have newer times here.
    pub(crate) fn parts_of(&self, mut entries: Vec<Arc<E>>) -> Parts<E> {
        let (polls, is_stale) = (self.polls.whole(), self.polls.is_stale());
        let open = self.lock();
        for entry in &mut entries {
            let here = open.get(entry.id()).filter(|here| here.sequence() == entry.sequence());
            if let Some(here) = here {
                *entry = Arc::clone(here);
            }
        }
        Parts { entries, polls, is_stale }
    }

    /// All entries.
    pub(crate) fn entries(&self) -> Vec<Arc<E>> {
        self.lock().values().cloned().collect()
    }

    /// The entry with an id.
    pub(crate) fn find(&self, id: &str) -> Option<Arc<E>> {
        self.lock().get(id).cloned()
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.lock().len()
    }

    fn lock(&self) -> MutexGuard<'_, ById<E>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use arb_feed::fixtures::entry;
    use arb_model::Time;
    use arb_schemas::records::{BoardEntry, BoardProgress};
    use serde_json::{Value, json};

    use super::*;
    use crate::fixtures::of_sport;
    use crate::http::paging::Cursor;
    use crate::lists::listed::ListFilter;
    use crate::lists::snapshot::{PageForm, PageQuery};

    type Board = Entries<BoardEntry>;
    type Filter = <BoardEntry as Listed>::Filter;

    fn board(partitions: i32) -> Board {
        Board::new(&Arc::new(Polls::new(partitions)), &Arc::default())
    }

    fn page(board: &Board, limit: usize, after: Option<&str>) -> Value {
        page_of(board, limit, after, &Filter::default())
    }

    fn page_of(board: &Board, limit: usize, after: Option<&str>, filter: &Filter) -> Value {
        let after = after.map(|after| Cursor::<_, Filter>::decode(after).unwrap().after);
        let ask = PageQuery { limit, after, filter: filter.clone(), form: PageForm::Json };
        serde_json::from_slice(&board.snapshot().unwrap().page(&ask).body.plain).unwrap()
    }

    fn ids(page: &Value) -> Vec<&str> {
        page["arbs"].as_array().unwrap().iter().map(|arb| arb["id"].as_str().unwrap()).collect()
    }

    /// All of a sport or league.
    fn whole(snapshot: &Snapshot<BoardEntry>, filter: &Filter) -> Value {
        let text = [
            vec![snapshot.opening().into()],
            snapshot.pieces(|entry| filter.includes(entry, None)),
            vec!["]}".into()],
        ]
        .concat()
        .concat();
        serde_json::from_slice(&text).unwrap()
    }

    #[test]
    fn nothing_is_shown_before_every_partition_is_read() {
        let board = board(2);
        board.put(entry("a", 0.01));
        assert!(board.snapshot().is_none() && !board.is_ready());
        board.ready();
        assert_eq!(ids(&page(&board, 10, None)), ["a"]);
        board.remove("a");
        assert_eq!(page(&board, 10, None)["arbs"], json!([]));
    }

    #[test]
    fn a_poll_is_contained_when_every_partition_has_it() {
        let board = board(2);
        board.ready();
        let progress = |partition, received_at| {
            board.polls().note(partition, BoardProgress { source: "s".into(), received_at });
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
        let board = board(1);
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
        let board = board(1);
        board.ready();
        for (id, score, sport) in [("a", 0.04, "tennis"), ("b", 0.03, "soccer"), ("c", 0.02, "tennis")] {
            let mut entry = entry(id, score);
            entry.event.sport = sport.into();
            board.put(entry);
        }
        let tennis = of_sport("tennis");
        let first = page_of(&board, 1, None, &tennis);
        assert_eq!(ids(&first), ["a"]);
        let second = page_of(&board, 1, first["next_cursor"].as_str(), &tennis);
        assert_eq!((ids(&second), &second["next_cursor"]), (vec!["c"], &Value::Null));
        assert_eq!(ids(&whole(&board.snapshot().unwrap(), &tennis)), ["a", "c"]);
    }

    #[test]
    fn a_board_of_windows_takes_newer_times_but_no_other_transition() {
        let board = board(1);
        board.ready();
        let (mut refreshed, mut other) = (entry("a", 0.04), entry("b", 0.03));
        (refreshed.updated_at, other.updated_at) = (Time(5_000_000), Time(5_000_000));
        other.sequence += 1;
        board.put(refreshed);
        board.put(other);
        board.put(entry("c", 0.02));
        let windows = vec![Arc::new(entry("a", 0.04)), Arc::new(entry("b", 0.03))];
        let whole = whole(&Snapshot::of(&board.parts_of(windows)), &Filter::default());
        assert_eq!(ids(&whole), ["a", "b"]);
        assert_eq!(whole["arbs"][0]["updated_at"], "1970-01-01T00:00:05Z");
        assert_eq!(whole["arbs"][1]["updated_at"], "1970-01-01T00:00:01Z");
    }

    #[test]
    fn no_thread_waits_for_a_snapshot_that_another_builds() {
        let board = board(1);
        board.ready();
        board.put(entry("a", 0.01));
        let first = board.snapshot().unwrap();
        assert!(Arc::ptr_eq(&first, &board.snapshot().unwrap()), "it is shared until the board changes");
        assert!(Arc::ptr_eq(&first, &board.current().unwrap()));
        // It does not become old while the machine stands still.
        board.snapshot.write().unwrap().as_mut().unwrap().at += Duration::from_mins(10);
        let making = board.making.lock().unwrap();
        board.put(entry("b", 0.01));
        assert!(board.is_ready() && board.current().is_none());
        assert!(Arc::ptr_eq(&first, &board.snapshot().unwrap()), "it has the last one meanwhile");
        drop(making);
        assert_eq!(ids(&page(&board, 10, None)), ["a", "b"]);
    }

    #[test]
    fn a_snapshot_that_is_old_is_not_given_out_while_the_next_is_made() {
        let board = board(1);
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
