//! How many streams each account has open at this instance. It never closes one for another.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The open streams, by account.
#[derive(Debug, Clone, Default)]
pub(crate) struct OpenStreams(Arc<Mutex<HashMap<String, u32>>>);

/// An open stream; it is counted until this is dropped.
#[derive(Debug)]
pub(crate) struct OpenStream {
    account: String,
    streams: OpenStreams,
}

impl OpenStreams {
    /// Counts another stream of an account, unless it has as many already; a limit of 0 is none.
    pub(crate) fn open(&self, account: &str, most: u32) -> Option<OpenStream> {
        let mut streams = self.lock();
        let open = streams.get(account).copied().unwrap_or(0);
        if most > 0 && open >= most {
            return None;
        }
        streams.insert(account.to_owned(), open + 1);
        Some(OpenStream { account: account.to_owned(), streams: self.clone() })
    }

    /// How many an account has.
    pub(crate) fn count(&self, account: &str) -> u32 {
        self.lock().get(account).copied().unwrap_or(0)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, u32>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        let mut streams = self.streams.lock();
        if let Some(open) = streams.get_mut(&self.account) {
            *open -= 1;
            if *open == 0 {
                streams.remove(&self.account);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_has_so_many_until_one_of_them_ends() {
        let streams = OpenStreams::default();
        let open = |account| streams.open(account, 2);
        let (first, second) = (open("a"), open("a"));
        assert!(first.is_some() && second.is_some() && open("a").is_none() && open("b").is_some());
        assert_eq!([streams.count("a"), streams.count("b"), streams.count("c")], [2, 0, 0]);
        drop(first);
        let third = open("a");
        assert!(third.is_some() && open("a").is_none());
        assert!(streams.open("a", 0).is_some(), "0 is no limit");
        drop((second, third));
        assert!(streams.lock().is_empty(), "accounts without a stream take no memory");
    }
}
