//! The picks, windows and results of a partition.
//!
//! It finds picks and windows by event, and what is not kept any more. It decides nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use arb_runtime::draft::{Draft, Parts};
use arb_schemas::records::{StateOpenedWindow, StatePick, StateResult};
use arb_schemas::time::{Micros, SECOND};

use crate::codec::Part;
use crate::pick_id;

/// For how long after its start a pick can be graded, and a result is known.
pub(crate) const KEPT: Micros = 30 * 86_400 * SECOND;
/// For how long after its start a window can be graded. There are many more windows than picks, so it is less.
pub(crate) const WINDOW_KEPT: Micros = 14 * 86_400 * SECOND;

/// Keys of parts by event.
type ByEvent = BTreeMap<String, BTreeSet<String>>;

/// The picks, the windows and the results with the drafts of a transaction.
pub(crate) type DraftBook = Draft<Book>;

/// The picks, the windows and the results.
#[derive(Debug, Default)]
pub(crate) struct Book {
    /// By slot.
    picks: BTreeMap<String, Arc<StatePick>>,
    /// By id.
    windows: BTreeMap<String, Arc<StateOpenedWindow>>,
    results: BTreeMap<String, Arc<StateResult>>,
    clock: Option<Micros>,
    /// Slots of picks.
    picks_by_event: ByEvent,
    /// Ids of windows.
    windows_by_event: ByEvent,
    /// When a part is not kept any more, and its key.
    ends: BTreeSet<(Micros, String)>,
    /// When bets are graded by a result that is held, and its event.
    dues: BTreeSet<(Micros, String)>,
}

/// When a part is not kept any more; `None` for the clock.
fn end(part: &Part) -> Option<Micros> {
    let (last, kept) = match part {
        Part::Pick(saved) => (saved.pick.starts_at.0.max(saved.taken_at), KEPT),
        Part::Window(saved) => (saved.starts_at.0.max(saved.taken_at), WINDOW_KEPT),
        Part::Result(saved) => (saved.report.starts_at.unwrap_or(Micros::MIN).max(saved.taken_at), KEPT),
        Part::Clock(_) => return None,
    };
    Some(last.saturating_add(kept))
}

/// When bets are graded by a result, and its event; `None` for one that is not held.
fn due(part: &Part) -> Option<(Micros, String)> {
    let Part::Result(saved) = part else { return None };
    saved.due_at.map(|due| (due, saved.report.event.clone()))
}

impl Book {
    /// The time of the last timer; the beginning of time before the first one.
    pub(crate) fn clock(&self) -> Micros {
        self.clock.unwrap_or(Micros::MIN)
    }

    /// The pick of a slot.
    pub(crate) fn pick(&self, slot: &str) -> Option<&Arc<StatePick>> {
        self.picks.get(slot)
    }

    pub(crate) fn picks(&self) -> impl ExactSizeIterator<Item = &Arc<StatePick>> {
        self.picks.values()
    }

    pub(crate) fn result(&self, event: &str) -> Option<&Arc<StateResult>> {
        self.results.get(event)
    }

    pub(crate) fn results(&self) -> usize {
        self.results.len()
    }

    /// The picks of an event, by slot.
    pub(crate) fn picks_of(&self, event: &str) -> Vec<Arc<StatePick>> {
        let slots = self.picks_by_event.get(event).into_iter().flatten();
        slots.filter_map(|slot| self.picks.get(slot).cloned()).collect()
    }

    /// The window with an id.
    pub(crate) fn window(&self, id: &str) -> Option<&Arc<StateOpenedWindow>> {
        self.windows.get(id)
    }

    pub(crate) fn windows(&self) -> usize {
        self.windows.len()
    }

    /// How many windows an event has.
    pub(crate) fn window_count(&self, event: &str) -> usize {
        self.windows_by_event.get(event).map_or(0, BTreeSet::len)
    }

    /// The windows of an event, by id.
    pub(crate) fn windows_of(&self, event: &str) -> impl Iterator<Item = &Arc<StateOpenedWindow>> {
        let ids = self.windows_by_event.get(event).into_iter().flatten();
        ids.filter_map(|id| self.windows.get(id))
    }

    /// A held result that bets are graded by from a moment on.
    pub(crate) fn next_due(&self, now: Micros) -> Option<Arc<StateResult>> {
        let (_, event) = self.dues.first().filter(|(due, _)| *due <= now)?;
        self.results.get(event).cloned()
    }

    /// A part that is not kept any more at a moment.
    pub(crate) fn next_end(&self, now: Micros) -> Option<Part> {
        let (_, key) = self.ends.first().filter(|(end, _)| *end <= now)?;
        self.part(key)
    }

    fn insert(&mut self, part: Part) {
        match part {
            Part::Pick(saved) => {
                let slot = pick_id::slot_of(&saved.pick.id).to_owned();
                add(&mut self.picks_by_event, &saved.pick.event.id, &slot);
                self.picks.insert(slot, saved);
            }
            Part::Window(saved) => {
                let id = saved.window.id.clone();
                add(&mut self.windows_by_event, &saved.window.event.id, &id);
                self.windows.insert(id, saved);
            }
            Part::Result(saved) => drop(self.results.insert(saved.report.event.clone(), saved)),
            Part::Clock(clock) => self.clock = Some(clock),
        }
    }

    fn forget(&mut self, key: &str) {
        match key.split_once('/') {
            Some(("pick", slot)) => {
                if let Some(saved) = self.picks.remove(slot) {
                    remove(&mut self.picks_by_event, &saved.pick.event.id, slot);
                }
            }
            Some(("window", id)) => {
                if let Some(saved) = self.windows.remove(id) {
                    remove(&mut self.windows_by_event, &saved.window.event.id, id);
                }
            }
            Some((_, event)) => drop(self.results.remove(event)),
            None => self.clock = None,
        }
    }
}

impl Parts for Book {
    type Part = Part;

    fn key(part: &Part) -> String {
        part.key()
    }

    fn part(&self, key: &str) -> Option<Part> {
        match key.split_once('/') {
            Some(("pick", slot)) => self.picks.get(slot).cloned().map(Part::Pick),
            Some(("window", id)) => self.windows.get(id).cloned().map(Part::Window),
            Some((_, event)) => self.results.get(event).cloned().map(Part::Result),
            None => self.clock.map(Part::Clock),
        }
    }

    fn replace(&mut self, key: &str, part: Option<Part>) -> Option<Part> {
        let before = self.part(key);
        if let Some(end) = before.as_ref().and_then(end) {
            self.ends.remove(&(end, key.to_owned()));
        }
        if let Some(end) = part.as_ref().and_then(end) {
            self.ends.insert((end, key.to_owned()));
        }
        if let Some(due) = before.as_ref().and_then(due) {
            self.dues.remove(&due);
        }
        self.dues.extend(part.as_ref().and_then(due));
        match part {
            Some(part) => self.insert(part),
            None => self.forget(key),
        }
        before
    }
}

fn add(by_event: &mut ByEvent, event: &str, key: &str) {
    by_event.entry(event.to_owned()).or_default().insert(key.to_owned());
}

fn remove(by_event: &mut ByEvent, event: &str, key: &str) {
    if let Some(keys) = by_event.get_mut(event) {
        keys.remove(key);
        if keys.is_empty() {
            by_event.remove(event);
        }
    }
}
