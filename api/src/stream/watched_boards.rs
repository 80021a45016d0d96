//! The boards that are computed for those who watch them: one task for each set of books, commissions and total, of one private source.
//!
//! At most once a second, and only where the quotes or the polls are others than before, a task computes the lines that have changed
//! ([`Engine::board_again`](arb_engine::Engine::board_again)). It ends with the last who watches. An instance never has more sets than [`MAX_SETS`], nor an account more
//! than [`MAX_OF_ACCOUNT`], and two private sources never share one.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use arb_engine::{KnownArbs, UserBooks};
use tokio::sync::{Semaphore, watch};
use tokio::task::spawn_blocking;
use tokio::time::{Instant, MissedTickBehavior, interval};

use super::watched_board::WatchedBoard;
use crate::http::problem::Problem;
use crate::lists::polls::Polls;
use crate::quotes::store::{Place, Quotes};
use crate::telemetry::{self, Open};

/// Most sets of an instance.
pub(crate) const MAX_SETS: usize = 64;
/// Most sets that an account watches at one instance, in however many streams.
pub(crate) const MAX_OF_ACCOUNT: usize = 2;
/// A set is computed at most so often.
const PACE: Duration = Duration::from_secs(1);
/// Sets that are computed at one time: the rest of the machine serves.
const AT_ONCE: usize = 1;

/// The latest board of a set; none before the first.
pub(super) type BoardFeed = watch::Receiver<Option<Arc<WatchedBoard>>>;

/// The sets that are watched.
#[derive(Debug)]
pub(crate) struct WatchedBoards {
    quotes: Arc<Quotes>,
    polls: Arc<Polls>,
    sets: Mutex<HashMap<UserBooks, WatchedSet>>,
    turns: Semaphore,
}

/// A set, and how many streams of each account watch it.
#[derive(Debug)]
struct WatchedSet {
    feed: BoardFeed,
    accounts: HashMap<String, usize>,
    _open: Open,
}

/// That a stream watches a set, until this is dropped.
#[derive(Debug)]
pub(crate) struct BoardWatch {
    boards: Arc<WatchedBoards>,
    account: String,
    books: UserBooks,
    pub(super) feed: BoardFeed,
}

impl WatchedBoards {
    /// Of these quotes, as of these polls; nobody watches.
    pub(crate) fn new(quotes: &Arc<Quotes>, polls: &Arc<Polls>) -> Self {
        let (sets, turns) = (Mutex::default(), Semaphore::new(AT_ONCE));
        Self { quotes: Arc::clone(quotes), polls: Arc::clone(polls), sets, turns }
    }

    /// Watches a set for an account.
    ///
    /// # Errors
    /// 429 where the account watches as many already, 503 where the instance has as many.
    pub(crate) fn watch(self: &Arc<Self>, account: &str, books: UserBooks) -> Result<BoardWatch, Problem> {
        let mut sets = self.lock();
        let is_of_account =
            |(other, set): (&UserBooks, &WatchedSet)| *other != books && set.accounts.contains_key(account);
        if sets.iter().filter(|set| is_of_account(*set)).count() >= MAX_OF_ACCOUNT {
            return Err(Problem::watches_capped(MAX_OF_ACCOUNT));
        }
        if sets.len() >= MAX_SETS && !sets.contains_key(&books) {
            return Err(Problem::watches_full());
        }
        let set = sets.entry(books.clone()).or_insert_with(|| self.begin(&books));
        *set.accounts.entry(account.to_owned()).or_default() += 1;
        let (boards, feed) = (Arc::clone(self), set.feed.clone());
        Ok(BoardWatch { boards, account: account.to_owned(), books, feed })
    }

    /// Starts the task of a set.
    fn begin(self: &Arc<Self>, books: &UserBooks) -> WatchedSet {
        let (to, feed) = watch::channel(None);
        tokio::spawn(Arc::clone(self).follow(books.clone(), to));
        WatchedSet { feed, accounts: HashMap::new(), _open: Open::watched_board() }
    }

    /// Computes a set for as long as somebody watches, and its quotes can be read.
    async fn follow(self: Arc<Self>, books: UserBooks, to: watch::Sender<Option<Arc<WatchedBoard>>>) {
        let mut look = Look::new(Arc::clone(&self.quotes), Arc::clone(&self.polls), books.clone());
        let mut pace = interval(PACE);
        pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                biased;
                () = to.closed() => return,
                _ = pace.tick() => {}
            }
            let Ok(_turn) = self.turns.acquire().await else { break };
            let next = spawn_blocking(move || {
                let board = look.next();
                (look, board)
            });
            let Ok((back, board)) = next.await else { break };
            look = back;
            match board {
                Looked::Changed(board) => drop(to.send_replace(Some(board))),
                Looked::Same => {}
                Looked::Unread => break,
            }
        }
        // Those who watch see that the feed has ended; who comes next begins another one.
        self.lock().retain(|_, set| !set.feed.same_channel(&to.subscribe()));
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<UserBooks, WatchedSet>> {
        self.sets.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl BoardWatch {
    /// The private source whose prices are in it.
    pub(super) fn private(&self) -> Option<&str> {
        self.books.private.as_deref()
    }
}

impl Drop for BoardWatch {
    fn drop(&mut self) {
        let mut sets = self.boards.lock();
        // One of the same books may have begun after the end of this one.
        let Some(set) = sets.get_mut(&self.books).filter(|set| set.feed.same_channel(&self.feed)) else {
            return;
        };
        if let Some(streams) = set.accounts.get_mut(&self.account) {
            *streams -= 1;
            if *streams == 0 {
                set.accounts.remove(&self.account);
            }
        }
        if set.accounts.is_empty() {
            sets.remove(&self.books);
        }
    }
}

/// What came of a look.
enum Looked {
    Changed(Arc<WatchedBoard>),
    /// Neither the quotes nor the polls have changed.
    Same,
    /// The quotes cannot be read.
    Unread,
}

/// One set, from look to look.
struct Look {
    quotes: Arc<Quotes>,
    polls: Arc<Polls>,
    books: UserBooks,
    /// Of each partition.
    known: Vec<KnownArbs>,
    /// As of what the last board is.
    state: Option<(Place, u64)>,
    board: Arc<WatchedBoard>,
}

impl Look {
    fn new(quotes: Arc<Quotes>, polls: Arc<Polls>, books: UserBooks) -> Self {
        Self { quotes, polls, books, known: Vec::new(), state: None, board: Arc::default() }
    }

    fn next(&mut self) -> Looked {
        if !self.quotes.is_ready() {
            return Looked::Unread;
        }
        // Noted before anything is read: what changes meanwhile is looked at again.
        let state = Some((self.quotes.place(), self.polls.version()));
        if self.state == state {
            return Looked::Same;
        }
        let begun = Instant::now();
        let (polls, is_stale) = (self.polls.whole(), self.polls.is_stale());
        let entries = self.quotes.board_again(&self.books, &mut self.known);
        self.board = Arc::new(self.board.next(entries, polls, is_stale));
        self.state = state;
        let searched = self.known.iter().map(KnownArbs::searched).sum();
        telemetry::board_looked_at(searched, begun.elapsed());
        Looked::Changed(Arc::clone(&self.board))
    }
}

#[cfg(test)]
mod tests;
