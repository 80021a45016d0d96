//! The tasks that wait for the next event, and how all of them are woken.
//!
//! All are woken for every event, so woken tasks share no lock. It never waits for a task.

use std::sync::{Arc, PoisonError, RwLock};
use std::task::Context;

use futures_util::task::AtomicWaker;

/// The wakers of all waiting tasks.
#[derive(Debug, Default)]
pub(super) struct WakerSet {
    /// Slots of ended streams stay in it until a new one needs room, or until they are the majority.
    slots: RwLock<Vec<Arc<AtomicWaker>>>,
}

/// One slot, in the set for as long as this exists.
#[derive(Debug)]
pub(super) struct WakerSlot(Arc<AtomicWaker>);

impl WakerSet {
    /// Adds a slot.
    pub(super) fn slot(&self) -> WakerSlot {
        let slot = Arc::new(AtomicWaker::new());
        let mut slots = self.slots.write().unwrap_or_else(PoisonError::into_inner);
        if slots.len() == slots.capacity() {
            slots.retain(is_taken);
            // Doubles the capacity: as many new ones can come before the slots are checked again.
            let left = slots.len();
            slots.reserve(left + 1);
        }
        slots.push(Arc::clone(&slot));
        WakerSlot(slot)
    }

    /// Wakes all waiting tasks.
    pub(super) fn wake_all(&self) {
        let (mut gone, slots) = (0, self.slots.read().unwrap_or_else(PoisonError::into_inner));
        for slot in &*slots {
            slot.wake();
            gone += usize::from(!is_taken(slot));
        }
        let are_most_gone = 2 * gone > slots.len();
        drop(slots);
        if are_most_gone {
            let mut slots = self.slots.write().unwrap_or_else(PoisonError::into_inner);
            slots.retain(is_taken);
            slots.shrink_to_fit();
        }
    }
}

/// Whether a stream still holds the slot.
fn is_taken(slot: &Arc<AtomicWaker>) -> bool {
    Arc::strong_count(slot) > 1
}

impl WakerSlot {
    /// Waits to be woken, once. To be called before looking whether there is what one waits for: what comes
    /// in between would be missed.
    pub(super) fn wait(&self, context: &Context<'_>) {
        self.0.register(context.waker());
    }
}

impl Drop for WakerSlot {
    /// A waker holds the task that is to be woken, with all that it has.
    fn drop(&mut self) {
        drop(self.0.take());
    }
}

#[cfg(test)]
mod tests {
    use std::task::Waker;

    use super::super::tests::Woken;
    use super::*;

    #[test]
    fn all_who_wait_are_woken_once() {
        let (wakers, woken) = (WakerSet::default(), Arc::new(Woken::default()));
        let waker = Waker::from(Arc::clone(&woken));
        let slots: Vec<_> = (0..3).map(|_| wakers.slot()).collect();
        slots[1..].iter().for_each(|slot| slot.wait(&Context::from_waker(&waker)));
        wakers.wake_all();
        wakers.wake_all();
        assert_eq!(woken.count(), 2);
    }

    #[test]
    fn an_ended_task_is_not_held_and_takes_no_room() {
        let (wakers, woken) = (WakerSet::default(), Arc::new(Woken::default()));
        let waker = Waker::from(Arc::clone(&woken));
        let stays = wakers.slot();
        for _ in 0..1_000 {
            wakers.slot().wait(&Context::from_waker(&waker));
        }
        stays.wait(&Context::from_waker(&waker));
        assert_eq!(Arc::strong_count(&woken), 3, "this one, its waker, and that of the remaining slot");
        assert!(wakers.slots.read().unwrap().capacity() < 10);
        wakers.wake_all();
        assert_eq!(woken.count(), 1);
    }

    #[test]
    fn a_crowd_that_has_gone_is_forgotten() {
        let wakers = WakerSet::default();
        let mut crowd: Vec<_> = (0..1_000).map(|_| wakers.slot()).collect();
        crowd.truncate(10);
        wakers.wake_all();
        let slots = wakers.slots.read().unwrap();
        assert!(slots.len() == 10 && slots.capacity() < 100, "{}", slots.capacity());
    }
}
