//! The replicas of all partitions, and what is read of them.
//!
//! What is computed of a partition holds its lock: the reader of the changelog waits for that, and for nothing else. It never
//! answers from a part of a transaction, nor before the whole changelog was read.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use arb_engine::venues::Books;
use arb_engine::{Engine, KnownArbs, ListedBook, ListedEvent, ListedQuote, UserBooks, WindowEvidence};
use arb_process::replica::{ReplicaError, StateReplica};
use arb_schemas::records::BoardEntry;

/// Which state of each partition: its epoch, and the offset up to which its input is in it. Equal ones are equal at every instance.
pub(crate) type Place = Vec<(i64, i64)>;

/// The text of the error while nothing can be read of them.
pub(crate) const UNREAD: &str = "The processor's quotes are being read; try again.";

/// The replicas of all partitions.
#[derive(Debug)]
pub(crate) struct Quotes {
    partitions: Vec<Mutex<StateReplica>>,
    books: Arc<Books>,
    place: RwLock<Place>,
    is_ready: AtomicBool,
    has_failed: AtomicBool,
}

impl Quotes {
    /// Empty ones, of so many partitions, by a table of books.
    pub(crate) fn new(partitions: i32, books: &Arc<Books>) -> Self {
        let replica = |_| Mutex::new(StateReplica::new(Arc::clone(books)));
        let partitions: Vec<_> = (0..partitions).map(replica).collect();
        let place = RwLock::new(vec![(0, 0); partitions.len()]);
        let (is_ready, has_failed) = (AtomicBool::new(false), AtomicBool::new(false));
        Self { partitions, books: Arc::clone(books), place, is_ready, has_failed }
    }

    /// No quotes, and all of them, by a table of books.
    pub(crate) fn of_table(books: &Arc<Books>) -> Self {
        Self { is_ready: AtomicBool::new(true), ..Self::new(0, books) }
    }

    /// Takes in a record of the changelog.
    pub(crate) fn put(&self, partition: i32, key: &[u8], value: Option<&[u8]>) -> Result<(), ReplicaError> {
        let at = usize::try_from(partition).unwrap_or(usize::MAX);
        let Some(replica) = self.partitions.get(at) else { return Ok(()) };
        let mut replica = lock(replica);
        if replica.put(key, value)? {
            self.note_place(at, replica.position());
        }
        Ok(())
    }

    /// Notes that the whole changelog was read.
    pub(crate) fn ready(&self) -> Result<(), ReplicaError> {
        for (at, replica) in self.partitions.iter().enumerate() {
            let mut replica = lock(replica);
            replica.caught_up()?;
            self.note_place(at, replica.position());
        }
        self.is_ready.store(true, Ordering::Release);
        Ok(())
    }

    /// Notes that the changelog cannot be read any more.
    pub(crate) fn fail(&self) {
        self.has_failed.store(true, Ordering::Release);
        self.is_ready.store(false, Ordering::Release);
    }

    /// Whether all of it was read, and is still.
    pub(crate) fn is_ready(&self) -> bool {
        self.is_ready.load(Ordering::Acquire)
    }

    /// Whether it is still read for the first time: what is not there may come.
    pub(crate) fn is_being_read(&self) -> bool {
        !self.is_ready() && !self.has_failed.load(Ordering::Acquire)
    }

    /// Which state it is.
    pub(crate) fn place(&self) -> Place {
        self.place.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The table of books.
    pub(crate) fn books(&self) -> &Books {
        &self.books
    }

    /// Whether a book is in the table, or has had a price.
    pub(crate) fn is_known(&self, book: &str) -> bool {
        self.books.get(book).known
            || self.partitions.iter().any(|replica| lock(replica).engine().has_book(book))
    }

    /// The arbs of a user's books, and of which state they are.
    pub(crate) fn board_of(&self, user: &UserBooks) -> (Vec<BoardEntry>, Place) {
        let (mut entries, mut place) = (Vec::new(), Place::new());
        for replica in &self.partitions {
            let replica = lock(replica);
            entries.extend(replica.engine().board_of(user));
            place.push(replica.position());
        }
        (entries, place)
    }

    /// The same once more, by what is known of each partition from the last time.
    pub(crate) fn board_again(&self, user: &UserBooks, known: &mut Vec<KnownArbs>) -> Vec<BoardEntry> {
        known.resize_with(self.partitions.len(), KnownArbs::default);
        let of = |(replica, known): (&Mutex<StateReplica>, &mut KnownArbs)| {
            lock(replica).engine().board_again(user, known)
        };
        self.partitions.iter().zip(known).flat_map(of).collect()
    }

    /// All events, by id, with those of a private source.
    pub(crate) fn events(&self, private: Option<&str>) -> Vec<ListedEvent> {
        let mut events = self.of_each(|engine| engine.listed_events(private));
        events.sort_by(|a, b| a.info.id.cmp(&b.info.id));
        events
    }

    /// An event and its quotes, with those of a private source; `None` where no partition has it.
    pub(crate) fn odds_of(
        &self,
        event: &str,
        private: Option<&str>,
    ) -> Option<(ListedEvent, Vec<ListedQuote>)> {
        self.partitions.iter().find_map(|replica| lock(replica).engine().odds_of(event, private))
    }

    /// What the flags of an open window of an event were decided by; `None` where no partition has it.
    pub(crate) fn evidence_of(&self, event: &str, window: &str) -> Option<WindowEvidence> {
        self.partitions.iter().find_map(|replica| lock(replica).engine().evidence_of(event, window))
    }

    /// What is known of each book, over all partitions and with those of a private source: the longest intervals, the latest time, the sums of
    /// the counts.
    pub(crate) fn listed_books(&self, private: Option<&str>) -> BTreeMap<Arc<str>, ListedBook> {
        let mut books = BTreeMap::<Arc<str>, ListedBook>::new();
        for listed in self.of_each(|engine| engine.listed_books(private)) {
            match books.get_mut(&listed.book) {
                Some(known) => {
                    known.expected_interval = known.expected_interval.max(listed.expected_interval);
                    known.stale_after = known.stale_after.max(listed.stale_after);
                    known.last_seen_at = known.last_seen_at.max(listed.last_seen_at);
                    known.on_offer += listed.on_offer;
                    known.stale_events += listed.stale_events;
                    known.sources.extend(listed.sources);
                    known.is_suspended |= listed.is_suspended;
                }
                None => drop(books.insert(Arc::clone(&listed.book), listed)),
            }
        }
        books
    }

    /// Whether an operator has shut a source.
    pub(crate) fn is_suspended(&self, source: &str) -> bool {
        self.partitions.iter().any(|replica| lock(replica).engine().is_suspended(source, false))
    }

    fn of_each<T>(&self, read: impl Fn(&Engine) -> Vec<T>) -> Vec<T> {
        self.partitions.iter().flat_map(|replica| read(lock(replica).engine())).collect()
    }

    fn note_place(&self, at: usize, position: (i64, i64)) {
        let mut place = self.place.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = place.get_mut(at) {
            *known = position;
        }
    }
}

fn lock(replica: &Mutex<StateReplica>) -> MutexGuard<'_, StateReplica> {
    replica.lock().unwrap_or_else(PoisonError::into_inner)
}
