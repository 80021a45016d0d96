//! Boards that are computed for their callers: cached by what is asked, and computed again when the quotes have changed.
//!
//! The tag of a page comes from the state of the quotes and the request, before anything is computed. It is computed off the threads
//! that serve others, by few threads at one time: what has no room is refused, never queued. It never keeps more boards than
//! [`MAX_BOARDS`], and an account never more live ones than its plan allows.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use arb_schemas::records::BoardEntry;
use arb_schemas::time::Micros;
use tokio::task::block_in_place;

use crate::http::etag::Tag;
use crate::http::problem::Problem;
use crate::lists::polls::Polls;
use crate::lists::snapshot::{PageQueryOf, Parts, Snapshot};
use crate::quotes::store::{Place, Quotes};
use crate::resources::user_query::UserQuery;
use crate::stream::WatchedBoards;

/// Most boards that are kept, of all callers.
const MAX_BOARDS: usize = 128;
/// How long a board counts as live after it was asked for.
const LIVE: Duration = Duration::from_mins(1);
/// Accounts whose live boards are remembered before those without any are forgotten.
const MAX_ACCOUNTS: usize = 1_024;
/// Answers under way for each processor of the machine.
const PER_PROCESSOR: usize = 2;
const BUSY: &str = "Too many boards are being computed; try again.";

/// Of which state a board is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BoardState {
    place: Place,
    polls: BTreeMap<String, Micros>,
    is_stale: bool,
}

impl BoardState {
    /// The tag of a page of a board of this state; the query has what the board is of.
    pub(crate) fn tag(&self, query: &PageQueryOf<BoardEntry>) -> Tag {
        Tag::of(format!("{self:?}{query:?}").as_bytes())
    }
}

/// A board, and of which state.
#[derive(Debug, Clone)]
pub(crate) struct UserBoard {
    pub(crate) state: BoardState,
    pub(crate) snapshot: Arc<Snapshot<BoardEntry>>,
}

/// The last board of a query, and who computes the next one.
#[derive(Debug, Default)]
struct Slot {
    /// Locked for as long as it takes to clone it: a kept board is answered whatever is computed.
    last: Mutex<Option<UserBoard>>,
    /// Locked while the next one is computed.
    computing: Mutex<()>,
}

impl Slot {
    /// The last board, if it is of a state.
    fn of(&self, state: &BoardState) -> Option<UserBoard> {
        lock(&self.last).clone().filter(|board| board.state == *state)
    }
}

/// The boards that are kept.
#[derive(Debug)]
pub(crate) struct UserBoards {
    pub(crate) quotes: Arc<Quotes>,
    polls: Arc<Polls>,
    /// Those that are watched.
    pub(crate) watched: Arc<WatchedBoards>,
    /// By query, with when it was last asked for.
    kept: Mutex<HashMap<UserQuery, (Arc<Slot>, Instant)>>,
    live: Mutex<HashMap<String, LiveBoards>>,
    /// How many answers are under way.
    busy: AtomicUsize,
    most: usize,
}

/// The boards that an account has asked for of late.
type LiveBoards = Vec<(UserQuery, Instant)>;

impl UserBoards {
    /// Of these quotes, as of these polls.
    pub(crate) fn new(quotes: &Arc<Quotes>, polls: &Arc<Polls>) -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            quotes: Arc::clone(quotes),
            polls: Arc::clone(polls),
            watched: Arc::new(WatchedBoards::new(quotes, polls)),
            kept: Mutex::default(),
            live: Mutex::default(),
            busy: AtomicUsize::new(0),
            most: processors * PER_PROCESSOR,
        }
    }

    /// The present state.
    pub(crate) fn state(&self) -> BoardState {
        let (polls, is_stale) = (self.polls.whole(), self.polls.is_stale());
        BoardState { place: self.quotes.place(), polls, is_stale }
    }

    /// Counts a board as live for an account that may have so many; 0 is no limit.
    ///
    /// # Errors
    /// 429 until one of its boards is live no more.
    pub(crate) fn admit(&self, account: &str, query: &UserQuery, most: u32) -> Result<(), Problem> {
        self.admit_at(Instant::now(), account, query, most)
    }

    fn admit_at(&self, now: Instant, account: &str, query: &UserQuery, most: u32) -> Result<(), Problem> {
        let mut live = lock(&self.live);
        if live.len() >= MAX_ACCOUNTS {
            live.retain(|_, boards| boards.iter().any(|(_, at)| now.duration_since(*at) < LIVE));
        }
        let boards = live.entry(account.to_owned()).or_default();
        boards.retain(|(_, at)| now.duration_since(*at) < LIVE);
        if let Some((_, at)) = boards.iter_mut().find(|(known, _)| known == query) {
            *at = now;
            return Ok(());
        }
        if most > 0 && boards.len() >= most as usize {
            let oldest = boards.iter().map(|(_, at)| *at).min().unwrap_or(now);
            let left = LIVE.saturating_sub(now.duration_since(oldest));
            return Err(Problem::boards_capped(left.as_secs() + 1, most));
        }
        boards.push((query.clone(), now));
        Ok(())
    }

    /// The board of a query as it is now.
    ///
    /// # Errors
    /// 503 while too many are computed.
    pub(crate) fn board(&self, query: &UserQuery) -> Result<UserBoard, Problem> {
        let slot = self.slot(query);
        if let Some(board) = slot.of(&self.state()) {
            return Ok(board);
        }
        let _busy = BoardInWork::enter(&self.busy, self.most).ok_or_else(|| Problem::unavailable(BUSY))?;
        Ok(block_in_place(|| {
            let _computing = lock(&slot.computing);
            // Another request may have computed it meanwhile.
            slot.of(&self.state()).unwrap_or_else(|| {
                let board = self.compute(query);
                *lock(&slot.last) = Some(board.clone());
                board
            })
        }))
    }

    fn compute(&self, query: &UserQuery) -> UserBoard {
        let (polls, is_stale) = (self.polls.whole(), self.polls.is_stale());
        let (entries, place) = self.quotes.board_of(&query.to_user_books());
        let entries = entries.into_iter().map(Arc::new).collect();
        let parts = Parts { entries, polls, is_stale };
        let snapshot = Arc::new(Snapshot::of_one_caller(&parts));
        UserBoard { state: BoardState { place, polls: parts.polls, is_stale }, snapshot }
    }

    /// Where the board of a query is kept; the one that was not asked for the longest makes room.
    fn slot(&self, query: &UserQuery) -> Arc<Slot> {
        let (now, mut kept) = (Instant::now(), lock(&self.kept));
        if let Some((slot, at)) = kept.get_mut(query) {
            *at = now;
            return Arc::clone(slot);
        }
        if kept.len() >= MAX_BOARDS {
            let oldest = kept.iter().min_by_key(|(_, (_, at))| *at).map(|(query, _)| query.clone());
            oldest.and_then(|oldest| kept.remove(&oldest));
        }
        let slot = Arc::<Slot>::default();
        kept.insert(query.clone(), (Arc::clone(&slot), now));
        slot
    }
}

/// An answer under way.
struct BoardInWork<'a>(&'a AtomicUsize);

impl<'a> BoardInWork<'a> {
    /// `None` where as many are under way as may be.
    fn enter(busy: &'a AtomicUsize, most: usize) -> Option<Self> {
        let enter = |count: usize| (count < most).then_some(count + 1);
        busy.fetch_update(Ordering::AcqRel, Ordering::Acquire, enter).ok().map(|_| Self(busy))
    }
}

impl Drop for BoardInWork<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::query::Query;

    fn boards() -> UserBoards {
        UserBoards::new(&Arc::new(Quotes::new(1, &Arc::default())), &Arc::new(Polls::new(1)))
    }

    fn query(book: &str) -> UserQuery {
        let mut query = UserQuery::default();
        assert!(matches!(query.take("books", book), Ok(true)));
        query
    }

    #[test]
    fn an_account_has_as_many_live_boards_as_its_plan_allows() {
        let (boards, start) = (boards(), Instant::now());
        let admit = |second, account: &str, book: &str| {
            let at = start + Duration::from_secs(second);
            boards.admit_at(at, account, &query(book), 2).is_ok()
        };
        assert!(admit(0, "one", "a") && admit(30, "one", "b") && admit(30, "one", "a"));
        assert!(!admit(59, "one", "c") && admit(59, "two", "c"), "the third, and that of another account");
        assert!(admit(61, "one", "a"), "it was asked for at 30 s");
        assert!(admit(91, "one", "c"), "`b` was asked for a minute ago");
        assert!(boards.admit_at(start, "three", &query("x"), 0).is_ok());
    }

    #[test]
    fn the_board_that_was_not_asked_for_the_longest_makes_room() {
        let boards = boards();
        let first = boards.slot(&query("first"));
        for number in 1..MAX_BOARDS {
            boards.slot(&query(&format!("b{number}")));
        }
        assert!(Arc::ptr_eq(&first, &boards.slot(&query("first"))));
        boards.slot(&query("another"));
        assert_eq!(lock(&boards.kept).len(), MAX_BOARDS);
        assert!(Arc::ptr_eq(&first, &boards.slot(&query("first"))));
        assert!(!lock(&boards.kept).contains_key(&query("b1")));
    }

    #[test]
    fn a_kept_board_is_answered_to_any_number_at_once_without_room_to_compute() {
        let mut boards = boards();
        let kept = boards.board(&query("one")).ok().unwrap();
        boards.most = 0;
        assert!(boards.board(&query("other")).is_err());
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..1_000 {
                        let board = boards.board(&query("one")).ok().unwrap();
                        assert!(Arc::ptr_eq(&board.snapshot, &kept.snapshot));
                    }
                });
            }
        });
    }

    #[test]
    fn what_has_no_room_is_refused_and_room_comes_back() {
        let busy = AtomicUsize::new(0);
        let one = BoardInWork::enter(&busy, 1);
        assert!(one.is_some() && BoardInWork::enter(&busy, 1).is_none());
        drop(one);
        assert!(BoardInWork::enter(&busy, 1).is_some());
    }
}
