//! Who waits for the next event, and how all of them are woken.
//!
//! It is rung for every event, so who is woken shares no lock with the others. It never waits for anybody.

use std::sync::{Arc, PoisonError, RwLock};
use std::task::Context;

use futures_util::task::AtomicWaker;

/// The bell, and all who can hear it.
#[derive(Debug, Default)]
pub(super) struct Bell {
    /// Those who are gone are among them until a new one needs room, or they are the most.
    seats: RwLock<Vec<Arc<AtomicWaker>>>,
}

/// One who hears it, for as long as this lives.
#[derive(Debug)]
pub(super) struct Seat(Arc<AtomicWaker>);

impl Bell {
    /// A seat more.
    pub(super) fn seat(&self) -> Seat {
        let seat = Arc::new(AtomicWaker::new());
        let mut seats = self.seats.write().unwrap_or_else(PoisonError::into_inner);
        if seats.len() == seats.capacity() {
            seats.retain(is_taken);
            // As much room as there are left: so many can come before anybody is looked at again.
            let left = seats.len();
            seats.reserve(left + 1);
        }
        seats.push(Arc::clone(&seat));
        Seat(seat)
    }

    /// Wakes all who wait.
    pub(super) fn ring(&self) {
        let (mut gone, seats) = (0, self.seats.read().unwrap_or_else(PoisonError::into_inner));
        for seat in &*seats {
            seat.wake();
            gone += usize::from(!is_taken(seat));
        }
        let are_most_gone = 2 * gone > seats.len();
        drop(seats);
        if are_most_gone {
            let mut seats = self.seats.write().unwrap_or_else(PoisonError::into_inner);
            seats.retain(is_taken);
            seats.shrink_to_fit();
        }
    }
}

/// Whether somebody holds it beside the bell.
fn is_taken(seat: &Arc<AtomicWaker>) -> bool {
    Arc::strong_count(seat) > 1
}

impl Seat {
    /// Waits for the bell to be rung, once. To be called before looking whether there is what one waits for: what comes
    /// in between would be missed.
    pub(super) fn wait(&self, context: &Context<'_>) {
        self.0.register(context.waker());
    }
}

impl Drop for Seat {
    /// A waker holds the task that is to be woken, with all that it has.
    fn drop(&mut self) {
        drop(self.0.take());
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::{Wake, Waker};

    use super::*;

    /// A task that counts how often it is woken.
    #[derive(Default)]
    pub(crate) struct Woken(AtomicUsize);

    impl Woken {
        pub(crate) fn count(&self) -> usize {
            self.0.load(Ordering::Relaxed)
        }
    }

    impl Wake for Woken {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn all_who_wait_are_woken_once() {
        let (bell, woken) = (Bell::default(), Arc::new(Woken::default()));
        let waker = Waker::from(Arc::clone(&woken));
        let seats: Vec<_> = (0..3).map(|_| bell.seat()).collect();
        seats[1..].iter().for_each(|seat| seat.wait(&Context::from_waker(&waker)));
        bell.ring();
        bell.ring();
        assert_eq!(woken.count(), 2);
    }

    #[test]
    fn who_is_gone_is_not_held_and_takes_no_room() {
        let (bell, woken) = (Bell::default(), Arc::new(Woken::default()));
        let waker = Waker::from(Arc::clone(&woken));
        let stays = bell.seat();
        for _ in 0..1_000 {
            bell.seat().wait(&Context::from_waker(&waker));
        }
        stays.wait(&Context::from_waker(&waker));
        assert_eq!(Arc::strong_count(&woken), 3, "this one, its waker, and that of who stays");
        assert!(bell.seats.read().unwrap().capacity() < 10);
        bell.ring();
        assert_eq!(woken.count(), 1);
    }

    #[test]
    fn a_crowd_that_has_gone_is_forgotten() {
        let bell = Bell::default();
        let mut crowd: Vec<_> = (0..1_000).map(|_| bell.seat()).collect();
        crowd.truncate(10);
        bell.ring();
        let seats = bell.seats.read().unwrap();
        assert!(seats.len() == 10 && seats.capacity() < 100, "{}", seats.capacity());
    }
}
