//! The open signals that bots follow, by event. It never keeps one that no bot follows.

use std::collections::{BTreeMap, HashMap};

use arb_model::{EdgeSignal, SignalKind};
use foldhash::fast::RandomState;

/// Signals of steam and of stale prices.
#[derive(Debug, Default)]
pub struct FollowedSignals {
    events: HashMap<String, String>,
    by_event: HashMap<String, BTreeMap<String, EdgeSignal>, RandomState>,
}

impl FollowedSignals {
    /// Takes in a signal as it is now. Returns whether it is followed.
    pub fn put(&mut self, signal: EdgeSignal) -> bool {
        let is_followed = matches!(signal.kind.known(), Some(SignalKind::Steam | SignalKind::StalePrice));
        if is_followed {
            let (event, id) = (signal.event.id.to_string(), signal.id.clone());
            self.events.insert(id.clone(), event.clone());
            self.by_event.entry(event).or_default().insert(id, signal);
        }
        is_followed
    }

    /// Removes one that has closed.
    pub fn remove(&mut self, id: &str) {
        let Some(event) = self.events.remove(id) else { return };
        if let Some(signals) = self.by_event.get_mut(&event) {
            signals.remove(id);
            if signals.is_empty() {
                self.by_event.remove(&event);
            }
        }
    }

    /// Those of an event, by id.
    pub fn of(&self, event: &str) -> impl Iterator<Item = &EdgeSignal> {
        self.by_event.get(event).into_iter().flat_map(BTreeMap::values)
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.events.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }
}
