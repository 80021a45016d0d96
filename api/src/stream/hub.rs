//! The state that all streams of this instance share: the last events, the board at exactly the last event,
//! and the shutdown signal.
//!
//! One reader fills it; clients read it and are woken. It never waits for a client.
//!
//! # Why a snapshot is exact
//!
//! A client applies a snapshot and then events, and must never miss a window nor see one go back. The board
//! has its own topic and reader, which may be ahead of the feed's reader or behind it. So the snapshot is not
//! taken from there: the feed is folded over a board once, at the start, and the fold moves with the feed. A
//! snapshot is the fold at position R; its id is R; the events after it are those from R on. No event has to
//! be dropped, also not when the client resumes in between, on an instance that never sent its snapshot.
//!
//! The fold is right from the first snapshot on, because of the order in which an instance starts:
//!
//! 1. P, the feed's committed end, is noted (`source`).
//! 2. Whatever is written to the board's topic now is waited for until it is decided (`kafka::settle`); then the board
//!    is read to its end. A transaction writes its records to both topics before it marks either as committed. So every
//!    transaction that is in the feed before P is in this board, whichever topic was marked first.
//! 3. A copy of the board, B, is taken. Whatever is written to the feed now is waited for until it is decided; then the
//!    feed is read from P (or from a little before, which changes nothing, and fills the ring) to its end. So every
//!    transaction that is in B is in the feed that has been read: the fold is ready.
//!
//! Take any window, at any position R from then on. If the feed has an event of it between P and R, the last
//! of these decides, and the state from B is overwritten: also when B was ahead, and also for a window that
//! opened after P and whose tombstone B contained. If it has none, the window's last event is before P, so B
//! contained it by 2; and B contained no later one, for by 3 that one would have been read.
//!
//! The same holds for signals, whose topic is written in the same transactions and read in the same order.
//!
//! Times that are confirmed without a transition go to the board alone. So an entry is shown as the board has it when
//! it is of the same transition (`Entries::parts_of`), else as the feed had it.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use crate::telemetry;
use arb_feed::event::{Block, Event, RecordPosition};
use arb_feed::fold::{Fold, OpenEntries};
use arb_feed::position::{Epoch, Positions};
use arb_schemas::records::{BoardEntry, EdgeSignal};
use arb_schemas::wire::WireError;
use tokio::sync::Mutex as AsyncMutex;
use tokio::task::block_in_place;

use super::ring::{Ring, RingCursor};
use super::waker_set::{WakerSet, WakerSlot};
use crate::lists::Lists;
use crate::lists::snapshot::Snapshot;

/// How long a snapshot is given out after it was made. All of that time share its bytes, and are sent what came since.
const SNAPSHOT_AGE: Duration = Duration::from_millis(250);

/// The feed of this instance.
#[derive(Debug)]
pub(super) struct FeedHub {
    epoch: Epoch,
    inner: Mutex<Inner>,
    /// The number of the oldest block, for a check without a lock whether a client is too slow.
    first: AtomicU64,
    is_closing: AtomicBool,
    /// How often the keys have been read again.
    keys_read: AtomicU64,
    /// Rung after each of the three has changed.
    wakers: WakerSet,
    /// The last snapshot. The thread that builds the next one holds the lock: others would only build the
    /// same.
    snapshot: AsyncMutex<Option<Taken>>,
    /// The snapshot with which every stream begins, of a feed that has no more events than are in memory.
    fixed: OnceLock<(RingPosition, Arc<StreamSnapshot>)>,
}

/// A snapshot, its place, and when it was made.
type Taken = (Instant, RingPosition, Arc<StreamSnapshot>);

/// All that is open at a place.
#[derive(Debug)]
pub(super) struct StreamSnapshot {
    pub(super) board: Snapshot<BoardEntry>,
    pub(super) signals: Snapshot<EdgeSignal>,
}

impl StreamSnapshot {
    fn of(lists: &Lists, open: OpenEntries) -> Self {
        let board = Snapshot::of(&lists.board.parts_of(open.windows));
        Self { board, signals: Snapshot::of(&lists.signals.parts_of(open.signals)) }
    }
}

#[derive(Debug)]
struct Inner {
    ring: Ring,
    fold: Fold,
    /// Partitions whose end has not been seen yet.
    behind: BTreeSet<i32>,
}

/// A place in memory.
#[derive(Debug, Clone)]
pub(super) struct RingPosition {
    /// The number of the next block.
    pub(super) next: u64,
    /// What the reader had read before that block.
    pub(super) reader: Positions,
}

impl FeedHub {
    /// Of a feed that begins at these positions, keeping so many events.
    #[must_use]
    pub(super) fn new(epoch: Epoch, start: Positions, max_events: usize) -> Self {
        let partitions = i32::try_from(start.as_slice().len()).unwrap_or(i32::MAX);
        let ring = Ring::new(max_events.max(1), start);
        let behind = (0..partitions).collect();
        let inner = Inner { ring, fold: Fold::default(), behind };
        Self {
            epoch,
            inner: Mutex::new(inner),
            first: AtomicU64::new(0),
            is_closing: AtomicBool::new(false),
            keys_read: AtomicU64::new(0),
            wakers: WakerSet::default(),
            snapshot: AsyncMutex::default(),
            fixed: OnceLock::new(),
        }
    }

    /// The id of the feed's topic.
    pub(super) fn epoch(&self) -> &Epoch {
        &self.epoch
    }

    /// Whether snapshots can be given.
    pub(super) fn is_ready(&self) -> bool {
        self.lock().behind.is_empty()
    }

    /// Begins with what is open.
    pub(super) fn begin(&self, open: OpenEntries) {
        self.lock().fold = Fold::of(open);
    }

    /// Begins with these lists for good: each stream without a position starts here, whatever is pushed later.
    pub(super) fn begin_fixed(&self, lists: &Lists) {
        let open = OpenEntries { windows: lists.board.entries(), signals: lists.signals.entries() };
        let snapshot = Arc::new(StreamSnapshot::of(lists, open));
        let _ = self.fixed.set((self.place(), snapshot));
    }

    /// Takes the next record of the feed, which is no double: its reader has dropped those.
    pub(super) fn push(&self, at: RecordPosition, message: &[u8]) -> Result<(), WireError> {
        self.append(at, message)?;
        telemetry::feed_event();
        Ok(())
    }

    /// The same for a feed that is not counted.
    pub(super) fn append(&self, at: RecordPosition, message: &[u8]) -> Result<(), WireError> {
        let event = Event::decode(message)?;
        let (partition, offset, mark) = at;
        // No other thread moves the head: the text can be rendered while clients read.
        let mut after = self.head();
        after.pass(partition, offset, mark);
        let block = Block::new(&event, at, &self.epoch, &after);
        let first = {
            let mut inner = self.lock();
            inner.ring.push(block);
            inner.fold.apply(event);
            inner.ring.first()
        };
        self.first.store(first, Ordering::Release);
        self.wakers.wake_all();
        Ok(())
    }

    /// Notes that a partition has been read to its end.
    pub(super) fn ended(&self, partition: i32) {
        self.lock().behind.remove(&partition);
    }

    /// Ends all streams.
    pub(super) fn close(&self) {
        self.is_closing.store(true, Ordering::Release);
        self.wakers.wake_all();
    }

    /// Whether they end.
    pub(super) fn is_closing(&self) -> bool {
        self.is_closing.load(Ordering::Acquire)
    }

    /// Lets every stream look whether its key is still valid.
    pub(super) fn keys_have_changed(&self) {
        self.keys_read.fetch_add(1, Ordering::Release);
        self.wakers.wake_all();
    }

    /// How often the keys have been read again.
    pub(super) fn keys_read(&self) -> u64 {
        self.keys_read.load(Ordering::Acquire)
    }

    /// The wakers for new events and for the end of streams.
    pub(super) fn slot(&self) -> WakerSlot {
        self.wakers.slot()
    }

    /// The open entries at a position, and that position. It is built while the feed goes on.
    pub(super) async fn snapshot(&self, lists: &Lists) -> (RingPosition, Arc<StreamSnapshot>) {
        if let Some((place, snapshot)) = self.fixed.get() {
            return (place.clone(), Arc::clone(snapshot));
        }
        let mut last = self.snapshot.lock().await;
        if let Some((taken, place, snapshot)) = &*last
            && taken.elapsed() < SNAPSHOT_AGE
            && self.lock().ring.has(place.next)
        {
            return (place.clone(), Arc::clone(snapshot));
        }
        let (place, fold) = {
            let inner = self.lock();
            let place = RingPosition { next: inner.ring.next(), reader: inner.ring.head().clone() };
            // Two counters: the entries are copied by whoever changes them while they are read here.
            (place, inner.fold.clone())
        };
        let snapshot = block_in_place(|| Arc::new(StreamSnapshot::of(lists, fold.open())));
        drop(fold);
        *last = Some((Instant::now(), place.clone(), Arc::clone(&snapshot)));
        (place, snapshot)
    }

    /// Where a client begins that has nothing yet: after the last event, or after the snapshot of a feed that has no more events.
    pub(super) fn beginning(&self) -> Positions {
        self.fixed.get().map_or_else(|| self.head(), |(place, _)| place.reader.clone())
    }

    /// The place at which a client with these positions continues; `None` when an event that it lacks is no
    /// longer in memory.
    pub(super) fn join(&self, at: &Positions) -> Option<RingPosition> {
        let (next, reader) = self.lock().ring.join(at)?;
        Some(RingPosition { next, reader })
    }

    /// What memory has: from these positions to those.
    pub(super) fn kept(&self) -> (Positions, Positions) {
        let inner = self.lock();
        (inner.ring.tail().clone(), inner.ring.head().clone())
    }

    /// The place after the last event.
    fn place(&self) -> RingPosition {
        let inner = self.lock();
        RingPosition { next: inner.ring.next(), reader: inner.ring.head().clone() }
    }

    /// After the last event.
    pub(super) fn head(&self) -> Positions {
        self.lock().ring.head().clone()
    }

    /// Events in memory, and their bytes.
    pub(super) fn size(&self) -> (usize, usize) {
        self.lock().ring.size()
    }

    /// From where to read the blocks of a number on, without a lock; `None` when they are no longer in memory.
    pub(super) fn cursor(&self, number: u64) -> Option<RingCursor> {
        self.lock().ring.cursor(number)
    }

    /// Whether the block of a number is no longer in memory.
    pub(super) fn is_gone(&self, number: u64) -> bool {
        number < self.first.load(Ordering::Acquire)
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
