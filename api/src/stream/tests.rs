//! What the tests of this room share: events as records bring them, and a task that counts how often it is woken.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Wake;

use arb_schemas::records::{ArbWindow, EdgeSignal, SignalChange};

use super::event::Event;
use crate::fixtures::{closed, entry, signal};

mod changes;
mod described;
mod filtered;

/// A window with this id and sequence, opened.
pub(crate) fn window(id: &str, sequence: i64) -> Event {
    let mut entry = entry(id, 0.01);
    entry.sequence = sequence;
    Event::ArbWindow(Box::new(ArbWindow { change: "opened".into(), entry, replaced: None }))
}

/// A window that closed.
pub(crate) fn close(id: &str, sequence: i64) -> Event {
    Event::CloseSignal(closed(id, sequence))
}

/// A signal with this id and sequence, changed so.
pub(crate) fn changed(id: &str, sequence: i64, change: &str) -> Event {
    let signal = EdgeSignal { sequence, ..signal(id, 1) };
    Event::EdgeSignal(Box::new(SignalChange { change: change.into(), signal }))
}

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
