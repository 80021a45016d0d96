//! Which clients may read from Kafka: a few at a time, the others wait in the order in which they came.
//!
//! It knows whether a client waits, so that a reader is cut off only when another one waits.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The limiter.
#[derive(Debug)]
pub(super) struct CatchUpLimiter {
    places: Arc<Semaphore>,
    waiting: AtomicUsize,
}

/// Counted for as long as it waits, however that ends.
struct Waiting<'a>(&'a AtomicUsize);

impl CatchUpLimiter {
    /// With so many places at its end.
    pub(super) fn new(places: usize) -> Self {
        Self { places: Arc::new(Semaphore::new(places)), waiting: AtomicUsize::new(0) }
    }

    /// Waits for a place, which is free again when the answer is dropped; `None` only of a limiter that is closed, as none is.
    pub(super) async fn acquire(&self) -> Option<OwnedSemaphorePermit> {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let _waiting = Waiting(&self.waiting);
        Arc::clone(&self.places).acquire_owned().await.ok()
    }

    /// Whether a client waits, not counting one that is about to take a free place.
    pub(super) fn is_waiting(&self) -> bool {
        self.places.available_permits() == 0 && self.waiting.load(Ordering::Relaxed) > 0
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_waiting_client_is_counted_until_it_stops_waiting() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let limiter = Arc::new(CatchUpLimiter::new(1));
            let first = limiter.acquire().await;
            assert!(first.is_some() && !limiter.is_waiting());
            let given_up = tokio::time::timeout(Duration::from_millis(1), limiter.acquire()).await;
            assert!(given_up.is_err() && !limiter.is_waiting(), "a client that has given up no longer waits");
            let other = Arc::clone(&limiter);
            let second = tokio::spawn(async move { other.acquire().await });
            tokio::task::yield_now().await;
            assert!(limiter.is_waiting());
            drop(first);
            assert!(second.await.unwrap().is_some() && !limiter.is_waiting());
        });
    }
}
