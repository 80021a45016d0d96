//! How many servers of a test's own run at a time: each takes half a gigabyte and a processor for seconds, and what waits for them is tested beside them.
//!
//! A test holds one permit at most, so that none waits for another one for ever.

use std::sync::{Condvar, Mutex, PoisonError};

/// Kafkas beside the one that all tests share.
const KAFKAS: usize = 2;

static TAKEN: Mutex<usize> = Mutex::new(0);
static RETURNED: Condvar = Condvar::new();

/// That a Kafka of a test's own may run, until this is dropped.
pub(crate) struct Permit(());

impl Permit {
    /// Waits for one.
    pub(crate) fn take() -> Self {
        let taken = TAKEN.lock().unwrap_or_else(PoisonError::into_inner);
        let free = RETURNED.wait_while(taken, |taken| *taken >= KAFKAS);
        *free.unwrap_or_else(PoisonError::into_inner) += 1;
        Self(())
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        *TAKEN.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        RETURNED.notify_one();
    }
}
