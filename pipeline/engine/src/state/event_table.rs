//! Events by id: found by hash, listed in the order of their ids.
//!
//! Ids come from feeds, so the hash has a seed of the process's own. It never shows the order of the hash: where an order could
//! reach a result, events are listed sorted.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::RandomState;

use super::event_state::EventState;

/// Events for which an emptied table keeps its memory.
const KEPT: usize = 64;

/// Events by id.
#[derive(Debug, Default)]
pub(crate) struct EventTable(HashMap<Arc<str>, EventState, RandomState>);

impl EventTable {
    pub(crate) fn get(&self, id: &str) -> Option<&EventState> {
        // Few tables are asked as often as that of a draft that is empty.
        if self.0.is_empty() { None } else { self.0.get(id) }
    }

    pub(crate) fn get_mut(&mut self, id: &str) -> Option<&mut EventState> {
        self.0.get_mut(id)
    }

    pub(crate) fn contains(&self, id: &str) -> bool {
        !self.0.is_empty() && self.0.contains_key(id)
    }

    /// Puts an event in the place of the one with its id.
    pub(crate) fn insert(&mut self, event: EventState) {
        self.0.insert(Arc::clone(event.info.id.shared()), event);
    }

    /// The event with an id, made where there is none.
    pub(crate) fn get_or_insert(
        &mut self,
        id: &Arc<str>,
        new: impl FnOnce() -> EventState,
    ) -> &mut EventState {
        self.0.entry(Arc::clone(id)).or_insert_with(new)
    }

    /// Takes an event out.
    pub(crate) fn take(&mut self, id: &str) -> Option<EventState> {
        if self.0.is_empty() { None } else { self.0.remove(id) }
    }

    pub(crate) fn remove(&mut self, id: &str) {
        self.0.remove(id);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Makes the events of a draft those of this table. The draft keeps the memory that most transactions need.
    pub(crate) fn apply(&mut self, draft: &mut Self) {
        draft.0.drain().for_each(|(id, event)| {
            if event.markets.is_empty() {
                self.0.remove(&id);
            } else {
                self.0.insert(id, event);
            }
        });
        draft.0.shrink_to(KEPT);
    }

    /// In the order of their ids.
    pub(crate) fn sorted(&self) -> Vec<(&Arc<str>, &EventState)> {
        let mut events: Vec<_> = self.0.iter().collect();
        events.sort_unstable_by_key(|(id, _)| *id);
        events
    }

    /// In any order: for what no order changes, or what is sorted afterwards.
    pub(crate) fn unsorted(&self) -> impl Iterator<Item = (&Arc<str>, &EventState)> {
        self.0.iter()
    }
}
