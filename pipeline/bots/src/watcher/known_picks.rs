//! Which picks there are: those that were published, those that were asked for, and the closing prices and later offers that
//! were written of them.
//!
//! It never forgets one while its event can still be bet on.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};

use arb_model::{FeedKind, Pick};
use arb_schemas::records::{PickClosing, PickOffer};
use arb_schemas::time::{Micros, SECOND};
use arb_settle::pick_id;

use crate::offer::{Observed, OfferWatch};

/// So long after its announced start an event is not bet on any more, wherever its new start is.
const KEPT: Micros = 31 * 86_400 * SECOND;

/// The picks of one feed.
#[derive(Debug)]
pub struct KnownPicks {
    feed: FeedKind,
    slots: HashMap<String, Slot>,
    /// Picks that wait for a result, by event and id.
    open: BTreeMap<String, BTreeMap<String, Waiting>>,
}

/// A slot that is taken.
#[derive(Debug, Clone, Copy)]
struct Slot {
    /// The announced start of its event.
    start: Micros,
    /// When the price was confirmed that was bet at; `None` where another instance has asked for the pick.
    seen_at: Option<Micros>,
}

/// A pick, and the closing price that was found last.
#[derive(Debug)]
struct Waiting {
    pick: Pick,
    closing: Option<PickClosing>,
    /// The time of the closing price that was written last.
    written: Option<Micros>,
    offers: OfferWatch,
}

impl KnownPicks {
    /// None yet, of a feed.
    #[must_use]
    pub fn of(feed: FeedKind) -> Self {
        Self { feed, slots: HashMap::new(), open: BTreeMap::new() }
    }

    /// Takes in a pick as it is now; those of other feeds are nobody's here. Returns whether it waits for a result and was not known.
    pub fn put(&mut self, pick: Pick) -> bool {
        if pick.feed != self.feed {
            return false;
        }
        let (event, id) = (pick.event.id.to_string(), pick.id.clone());
        let slot = pick_id::slot_of(&id).to_owned();
        let start = pick.event.commence_time.0;
        let seen_at = self.slots.entry(slot).or_insert(Slot { start, seen_at: None }).seen_at;
        if !pick.is_open() {
            self.close(&event, &id);
            return false;
        }
        let picks = self.open.entry(event).or_default();
        if let Some(known) = picks.get_mut(&id) {
            known.pick = pick;
            return false;
        }
        let offers = OfferWatch::since(seen_at);
        picks.insert(id, Waiting { pick, closing: None, written: None, offers });
        true
    }

    fn close(&mut self, event: &str, id: &str) {
        if let Some(picks) = self.open.get_mut(event) {
            picks.remove(id);
            if picks.is_empty() {
                self.open.remove(event);
            }
        }
    }

    /// Takes a slot, if it is free, for an event with this announced start, at a price that was confirmed at a time. Returns whether
    /// it was.
    pub fn take(&mut self, slot: String, start: Micros, seen_at: impl FnOnce() -> Option<Micros>) -> bool {
        match self.slots.entry(slot) {
            Entry::Occupied(_) => false,
            Entry::Vacant(free) => {
                free.insert(Slot { start, seen_at: seen_at() });
                true
            }
        }
    }

    /// The open picks of an event.
    pub fn of_event(&self, event: &str) -> impl Iterator<Item = &Pick> {
        self.open.get(event).into_iter().flat_map(|picks| picks.values().map(|waiting| &waiting.pick))
    }

    /// Notes a closing price that was found. Returns it if it is to be written: the last one is older than a time.
    pub fn closing(&mut self, event: &str, closing: PickClosing, every: Micros) -> Option<PickClosing> {
        let waiting = self.open.get_mut(event)?.get_mut(&closing.pick)?;
        let at = closing.last_seen_at.0;
        waiting.closing = Some(closing.clone());
        let is_due = waiting.written.is_none_or(|written| at - written >= every);
        is_due.then(|| {
            waiting.written = Some(at);
            closing
        })
    }

    /// The closing prices of an event that has begun, or is gone, which were found last and are not written yet.
    pub fn last_closings(&mut self, event: &str) -> Vec<PickClosing> {
        let picks = self.open.get_mut(event).into_iter().flat_map(BTreeMap::values_mut);
        let last = picks.filter_map(|waiting| {
            let closing = waiting.closing.take()?;
            let at = closing.last_seen_at.0;
            (waiting.written.replace(at) != Some(at)).then_some(closing)
        });
        last.collect()
    }

    /// The offers of the books of an event's picks that are to be written, by what is observed of a pick.
    pub fn offers(&mut self, event: &str, observe: impl Fn(&Pick) -> Option<Observed>) -> Vec<PickOffer> {
        let picks = self.open.get_mut(event).into_iter().flat_map(BTreeMap::values_mut);
        let watched = picks.filter(|waiting| !waiting.offers.is_done());
        let noted = |waiting: &mut Waiting| waiting.offers.note(&waiting.pick, observe(&waiting.pick)?);
        watched.filter_map(noted).collect()
    }

    /// Forgets the slots of events that nobody bets on any more.
    pub fn forget(&mut self, clock: Micros) {
        self.slots.retain(|_, slot| slot.start.saturating_add(KEPT) > clock);
    }

    /// How many picks wait for a result.
    #[must_use]
    pub fn open(&self) -> usize {
        self.open.values().map(BTreeMap::len).sum()
    }
}
