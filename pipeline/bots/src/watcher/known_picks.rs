//! Which picks wait for a result, with the closing prices and later offers that were written of them, and which slots are taken by those that
//! were published or asked for.
//!
//! It never forgets one while its event can still be bet on.

use std::collections::BTreeMap;

use arb_model::{FeedKind, Market, Pick};
use arb_picks::bots::Bot;
use arb_schemas::records::{PickCandidate, PickClosing, PickOffer};
use arb_schemas::time::Micros;
use arb_settle::machine::CLOSING_WITHIN;
use arb_settle::offers::is_observed;

use super::taken_slots::{SlotKey, TakenSlots};
use crate::offer::{Observed, OfferWatch, market_of};

/// The picks of one feed.
#[derive(Debug)]
pub struct KnownPicks {
    feed: FeedKind,
    slots: TakenSlots,
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
    offers: OfferWatch,
}

impl KnownPicks {
    /// None yet, of a feed.
    #[must_use]
    pub fn of(feed: FeedKind) -> Self {
        Self { feed, slots: TakenSlots::default(), open: BTreeMap::new() }
    }

    /// Takes in a pick as it is now; those of other feeds are nobody's here. Returns whether it waits for a result and was not known.
    pub fn put(&mut self, pick: Pick) -> bool {
        if pick.feed != self.feed {
            return false;
        }
        let (event, id) = (pick.event.id.to_string(), pick.id.clone());
        let (bot, market, period) = (pick.bot.clone(), pick.market.clone(), pick.period.clone());
        let slot = SlotKey { bot, version: pick.version, market, period };
        let seen_at = self.slots.take(&event, slot, pick.event.commence_time.0, None);
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

    /// Whether a bot has bet on a market of an event, which is looked for once.
    pub fn taken_of(&self, event: &str) -> impl Fn(Bot, Market) -> bool {
        self.slots.of(event)
    }

    /// Takes the slot of a candidate, at a price that was confirmed at a time.
    pub fn take(&mut self, candidate: &PickCandidate, seen_at: Option<Micros>) {
        let (bot, market, period) =
            (candidate.bot.clone(), candidate.market.clone(), candidate.period.clone());
        let slot = SlotKey { bot, version: candidate.version, market, period };
        let event = &candidate.event;
        self.slots.take(&event.id, slot, event.commence_time.0, seen_at);
    }

    /// The open picks of an event that begin so soon that their prices are closing prices.
    pub fn near_start(&self, event: &str, clock: Micros) -> impl Iterator<Item = &Pick> {
        let is_near = move |waiting: &&Waiting| is_near(&waiting.pick, clock);
        self.waiting(event).filter(is_near).map(|waiting| &waiting.pick)
    }

    /// The markets of an event that are looked at whether or not a price of them has changed: time alone makes prices closing prices, and
    /// the confirmation of any price of an event says that a bet which is gone was not on offer then.
    pub fn markets_due(&self, event: &str, clock: Micros) -> impl Iterator<Item = Market> {
        let are_offers_observed = is_observed(Some(self.feed));
        let is_due = move |waiting: &&Waiting| {
            is_near(&waiting.pick, clock) || (are_offers_observed && !waiting.offers.is_done())
        };
        self.waiting(event).filter(is_due).filter_map(|waiting| market_of(&waiting.pick))
    }

    fn waiting(&self, event: &str) -> impl Iterator<Item = &Waiting> {
        self.open.get(event).into_iter().flat_map(BTreeMap::values)
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

    /// The offers of the books of an event's picks that are to be written, by what is observed of a pick. Of a simulated market nothing is
    /// observed: its books lag by construction.
    pub fn offers(&mut self, event: &str, observe: impl Fn(&Pick) -> Option<Observed>) -> Vec<PickOffer> {
        if !is_observed(Some(self.feed)) {
            return Vec::new();
        }
        let picks = self.open.get_mut(event).into_iter().flat_map(BTreeMap::values_mut);
        let watched = picks.filter(|waiting| !waiting.offers.is_done());
        let noted = |waiting: &mut Waiting| waiting.offers.note(&waiting.pick, observe(&waiting.pick)?);
        watched.filter_map(noted).collect()
    }

    /// Forgets the slots of events that nobody bets on any more.
    pub fn forget(&mut self, clock: Micros) {
        self.slots.forget(clock);
    }

    /// How many picks wait for a result.
    #[must_use]
    pub fn open(&self) -> usize {
        self.open.values().map(BTreeMap::len).sum()
    }
}

fn is_near(pick: &Pick, clock: Micros) -> bool {
    let left = pick.starts_at.0 - clock;
    0 < left && left <= CLOSING_WITHIN
}
