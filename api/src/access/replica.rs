//! The accounts topic in memory: accounts, sessions, keys and replies, as the machine wrote them.
//!
//! It is written by the one thread that follows the topic and read by every request. It never decides anything, and never changes
//! what the machine wrote.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};

use arb_accounts::directory::{Directory, Part};
use arb_accounts::reply::Reply;
use arb_schemas::time::Micros;
use tokio::sync::oneshot;

use super::currency::Currency;

/// An instance that could not trust its keys for so long is not ready.
const FOLLOWED: Duration = Duration::from_secs(15);

/// The replica of an instance.
#[derive(Debug, Default)]
pub struct Replica {
    directory: RwLock<Directory>,
    /// The position after the last record.
    next: AtomicI64,
    is_ready: AtomicBool,
    currency: Mutex<Currency>,
    /// When keys end, for streams that are open then.
    ends: Mutex<BTreeSet<Micros>>,
    /// Who waits for the reply to which request.
    waiting: Mutex<HashMap<String, Vec<oneshot::Sender<Reply>>>>,
}

/// What a record of the topic has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Accounts or keys have changed.
    Keys,
    /// What accounts have spent, or what is leased of their quotas.
    Usage,
    /// Something else.
    Other,
}

impl Replica {
    /// One that is filled by hand, and is complete.
    #[must_use]
    pub fn by_hand() -> Self {
        let replica = Self { currency: Mutex::new(Currency::by_hand()), ..Self::default() };
        replica.ready();
        replica
    }

    /// Puts a part in place of that with the same key.
    pub fn put(&self, part: Part) -> Change {
        let change = match &part {
            Part::Account(_) => Change::Keys,
            Part::Key(key) => {
                lock(&self.ends).extend(key.permissions.expires_at);
                Change::Keys
            }
            Part::Usage(_) => Change::Usage,
            _ => Change::Other,
        };
        let reply = if let Part::Reply(reply) = &part { Some(reply.clone()) } else { None };
        self.directory.write().unwrap_or_else(PoisonError::into_inner).put(part);
        // After the directory: who is woken finds what the reply is about, which the machine writes before it or with it.
        if let Some(reply) = reply {
            let waiting = lock(&self.waiting).remove(&reply.id).unwrap_or_default();
            for waiter in waiting {
                // Whoever has given up receives nothing.
                let _ = waiter.send(reply.clone());
            }
        }
        change
    }

    /// Removes the part with a key of the topic.
    pub fn remove(&self, key: &str) -> Change {
        self.directory.write().unwrap_or_else(PoisonError::into_inner).remove(key);
        if ["account/", "key/", "session/"].iter().any(|kind| key.starts_with(kind)) {
            Change::Keys
        } else {
            Change::Other
        }
    }

    /// Everything before a position has been put or removed.
    pub fn has_read(&self, next: i64) {
        self.next.store(next, Ordering::Release);
        lock(&self.currency).note_position(next);
    }

    /// The position after the last record.
    #[must_use]
    pub fn next(&self) -> i64 {
        self.next.load(Ordering::Acquire)
    }

    /// The topic has been read to its end once.
    pub fn ready(&self) {
        self.is_ready.store(true, Ordering::Release);
    }

    /// Whether it has, and was known to be complete since.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.is_ready.load(Ordering::Acquire) && lock(&self.currency).was_complete()
    }

    /// Whether keys could be trusted at any moment of the last 15 s: without Kafka every request with a key is refused.
    #[must_use]
    pub fn is_followed(&self) -> bool {
        lock(&self.currency).was_complete_within(FOLLOWED, Instant::now())
    }

    /// Notes which position a replica had to have at a moment.
    pub fn note_required(&self, asked_at: Instant, required: i64) {
        let next = self.next();
        lock(&self.currency).note_required(asked_at, required, next);
    }

    /// Whether it is known to be complete.
    #[must_use]
    pub fn is_current(&self) -> bool {
        lock(&self.currency).is_current(Instant::now())
    }

    /// Waits until it is known to be complete, but no longer than so long.
    pub(crate) async fn wait_until_current(&self, patience: Duration) {
        const PAUSE: Duration = Duration::from_millis(20);
        let begun = Instant::now();
        while !self.is_current() && begun.elapsed() < patience {
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Asks the directory.
    pub fn with<A>(&self, question: impl FnOnce(&Directory) -> A) -> A {
        question(&self.directory.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether a key has ended since this was asked before.
    pub(crate) fn has_key_ended(&self, now: Micros) -> bool {
        let mut ends = lock(&self.ends);
        let later = ends.split_off(&(now + 1));
        !std::mem::replace(&mut *ends, later).is_empty()
    }

    /// Receives the reply to a request, when there is one.
    pub(crate) fn reply_to(&self, request: &str) -> oneshot::Receiver<Reply> {
        let (sender, receiver) = oneshot::channel();
        // The waiter first: a reply that is put in between is found in the directory or sent to it, perhaps both.
        let mut waiting = lock(&self.waiting);
        waiting.retain(|_, waiters| {
            waiters.retain(|waiter| !waiter.is_closed());
            !waiters.is_empty()
        });
        match self.with(|directory| directory.reply(request).cloned()) {
            Some(reply) => drop(sender.send(reply)),
            None => waiting.entry(request.to_owned()).or_default().push(sender),
        }
        receiver
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(id: &str) -> Part {
        Part::Reply(Reply { id: id.to_owned(), at: 1, result: Ok(()) })
    }

    #[test]
    fn who_waits_receives_the_reply_whether_it_comes_before_or_after() {
        let replica = Replica::by_hand();
        let (mut early, mut other) = (replica.reply_to("a"), replica.reply_to("b"));
        assert!(early.try_recv().is_err());
        assert_eq!(replica.put(reply("a")), Change::Other);
        assert_eq!(early.try_recv().unwrap().id, "a");
        assert!(other.try_recv().is_err());
        assert_eq!(replica.reply_to("a").try_recv().unwrap().id, "a");
        drop(other);
        let _other = replica.reply_to("c");
        assert_eq!(lock(&replica.waiting).len(), 1, "who has given up is forgotten");
    }

    #[test]
    fn it_is_current_once_it_has_read_what_was_required() {
        let replica = Replica::default();
        assert!(!replica.is_ready() && !replica.is_current());
        // A moment that does not pass meanwhile.
        replica.note_required(Instant::now() + Duration::from_mins(1), 3);
        replica.has_read(2);
        assert!(!replica.is_current());
        replica.has_read(3);
        assert!(replica.is_current());
    }
}
