//! The picks and results of a partition with the drafts of a transaction: what each part was before it is kept until the transaction
//! ends.
//!
//! It finds picks by event, and what is not kept any more. It decides nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use arb_schemas::records::{StatePick, StateResult};
use arb_schemas::time::{Micros, SECOND};

use crate::codec::Part;
use crate::pick_id;

/// For how long after its start a pick can be graded, and a result is known.
pub(crate) const KEPT: Micros = 30 * 86_400 * SECOND;

/// The picks, the results and their drafts.
#[derive(Debug, Default)]
pub(crate) struct Book {
    /// By slot.
    picks: BTreeMap<String, Arc<StatePick>>,
    results: BTreeMap<String, Arc<StateResult>>,
    clock: Option<Micros>,
    /// Slots of picks by event.
    events: BTreeMap<String, BTreeSet<String>>,
    /// When a part is not kept any more, and its key.
    ends: BTreeSet<(Micros, String)>,
    /// Each part that the drafts change, as it was before.
    before: BTreeMap<String, Option<Part>>,
}

/// When a part is not kept any more; `None` for the clock.
fn end(part: &Part) -> Option<Micros> {
    let last = match part {
        Part::Pick(saved) => saved.pick.starts_at.0.max(saved.taken_at),
        Part::Result(saved) => saved.report.starts_at.unwrap_or(Micros::MIN).max(saved.taken_at),
        Part::Clock(_) => return None,
    };
    Some(last.saturating_add(KEPT))
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
        let slots = self.events.get(event).into_iter().flatten();
        slots.filter_map(|slot| self.picks.get(slot).cloned()).collect()
    }

    /// A part that is not kept any more at a moment.
    pub(crate) fn next_end(&self, now: Micros) -> Option<Part> {
        let (_, key) = self.ends.first().filter(|(end, _)| *end <= now)?;
        self.part(key)
    }

    pub(crate) fn put(&mut self, part: Part) {
        self.set(&part.key(), Some(part));
    }

    pub(crate) fn remove(&mut self, key: &str) {
        self.set(key, None);
    }

    /// The parts that the drafts change, as they are now.
    pub(crate) fn changes(&self) -> impl Iterator<Item = (&str, Option<Part>)> {
        self.before.keys().map(|key| (key.as_str(), self.part(key)))
    }

    pub(crate) fn apply(&mut self) {
        self.before.clear();
    }

    pub(crate) fn abort(&mut self) {
        for (key, part) in std::mem::take(&mut self.before) {
            self.replace(&key, part);
        }
    }

    /// Puts back a part that was committed before.
    pub(crate) fn restore(&mut self, part: Part) {
        self.replace(&part.key(), Some(part));
    }

    fn set(&mut self, key: &str, part: Option<Part>) {
        let before = self.part(key);
        self.replace(key, part);
        self.before.entry(key.to_owned()).or_insert(before);
    }

    fn part(&self, key: &str) -> Option<Part> {
        match key.split_once('/') {
            Some(("pick", slot)) => self.picks.get(slot).cloned().map(Part::Pick),
            Some((_, event)) => self.results.get(event).cloned().map(Part::Result),
            None => self.clock.map(Part::Clock),
        }
    }

    fn replace(&mut self, key: &str, part: Option<Part>) {
        if let Some(end) = self.part(key).as_ref().and_then(end) {
            self.ends.remove(&(end, key.to_owned()));
        }
        if let Some(end) = part.as_ref().and_then(end) {
            self.ends.insert((end, key.to_owned()));
        }
        match (key.split_once('/'), part) {
            (_, Some(Part::Pick(saved))) => {
                let (event, slot) =
                    (saved.pick.event.id.to_string(), pick_id::slot_of(&saved.pick.id).to_owned());
                self.events.entry(event).or_default().insert(slot.clone());
                self.picks.insert(slot, saved);
            }
            (_, Some(Part::Result(saved))) => drop(self.results.insert(saved.report.event.clone(), saved)),
            (_, Some(Part::Clock(clock))) => self.clock = Some(clock),
            (Some(("pick", slot)), None) => self.forget(slot),
            (Some((_, event)), None) => drop(self.results.remove(event)),
            (None, None) => self.clock = None,
        }
    }

    fn forget(&mut self, slot: &str) {
        let Some(saved) = self.picks.remove(slot) else { return };
        let event: &str = &saved.pick.event.id;
        if let Some(slots) = self.events.get_mut(event) {
            slots.remove(slot);
            if slots.is_empty() {
                self.events.remove(event);
            }
        }
    }
}
