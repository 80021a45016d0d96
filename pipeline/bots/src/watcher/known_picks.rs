//! Which picks there are: those that were published, those that were asked for, and the closing prices that were written of them.
//!
//! It never forgets one while its event can still be bet on.

use std::collections::{BTreeMap, HashMap};

use arb_model::{FeedKind, Pick};
use arb_schemas::records::PickClosing;
use arb_schemas::time::{Micros, SECOND};
use arb_settle::pick_id;

/// So long after its announced start an event is not bet on any more, wherever its new start is.
const KEPT: Micros = 31 * 86_400 * SECOND;

/// The picks of one feed.
#[derive(Debug)]
pub struct KnownPicks {
    feed: FeedKind,
    /// The announced start of the event of each slot that is taken.
    slots: HashMap<String, Micros>,
    /// Picks that wait for a result, by event and id.
    open: BTreeMap<String, BTreeMap<String, Waiting>>,
}

/// A pick, and the closing price that was found last.
#[derive(Debug)]
struct Waiting {
    pick: Pick,
    closing: Option<PickClosing>,
    /// The time of the closing price that was written last.
    written: Option<Micros>,
}

impl KnownPicks {
    /// None yet, of a feed.
    #[must_use]
    pub fn of(feed: FeedKind) -> Self {
        Self { feed, slots: HashMap::new(), open: BTreeMap::new() }
    }

    /// Takes in a pick as it is now; those of other feeds are nobody's here.
    pub fn put(&mut self, pick: Pick) {
        if pick.feed != self.feed {
            return;
        }
        let (event, id) = (pick.event.id.to_string(), pick.id.clone());
        self.slots.insert(pick_id::slot_of(&id).to_owned(), pick.event.commence_time.0);
        if pick.is_open() {
            let picks = self.open.entry(event).or_default();
            if let Some(known) = picks.get_mut(&id) {
                known.pick = pick;
            } else {
                picks.insert(id, Waiting { pick, closing: None, written: None });
            }
        } else if let Some(picks) = self.open.get_mut(&event) {
            picks.remove(&id);
            if picks.is_empty() {
                self.open.remove(&event);
            }
        }
    }

    /// Takes a slot, for an event with this announced start. Returns whether it was free.
    pub fn take(&mut self, slot: String, start: Micros) -> bool {
        self.slots.insert(slot, start).is_none()
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

    /// Forgets the slots of events that nobody bets on any more.
    pub fn forget(&mut self, clock: Micros) {
        self.slots.retain(|_, start| start.saturating_add(KEPT) > clock);
    }

    /// How many picks wait for a result.
    #[must_use]
    pub fn open(&self) -> usize {
        self.open.values().map(BTreeMap::len).sum()
    }
}
