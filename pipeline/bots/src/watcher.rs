//! What the bots hold: the processor's state, the signals that they follow, and the picks that there are; and what they write.
//!
//! - [`known_picks`]: which picks there are; [`signals`]: the signals that are followed.
//!
//! Bots look at an event when a price of it has changed, and bet on events that have not begun. It never asks a clock: time is the
//! processor's. It never writes two candidates for one market of a bot.

pub mod known_picks;
pub mod signals;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use arb_engine::venues::Books;
use arb_engine::{ListedEvent, ListedQuote};
use arb_model::{EdgeSignal, FeedKind, Pick, Points, Time};
use arb_picks::bots::Bot;
use arb_process::codec::state::event_of;
use arb_process::replica::{ReplicaError, StateReplica};
use arb_schemas::records::{PickCandidate, PickClosing, PickOffer};
use arb_schemas::time::{Micros, SECOND};
use arb_settle::machine::CLOSING_WITHIN;
use arb_settle::offers::is_observed;
use arb_settle::pick_id;

use self::known_picks::KnownPicks;
use self::signals::FollowedSignals;
use crate::closing::closing;
use crate::line::LineView;
use crate::offer::{observed, quote_of};
use crate::rules::{self, Proposal};
use crate::telemetry;

/// Between two closing prices of a pick that are written; the last one before the start always is.
const CLOSING_EVERY: Micros = 60 * SECOND;

/// Of what the bots are given once.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The kind of feed that is read: it is part of every pick.
    pub feed: FeedKind,
    /// The books whose prices `sharp` takes for fair, the first one that has all outcomes.
    pub sharp_books: Vec<String>,
}

/// Something to write to the tasks, in the partition of its event.
#[derive(Debug, Clone, PartialEq)]
pub struct BotTask {
    /// The partition.
    pub partition: i32,
    /// The event, which is the key.
    pub event: String,
    /// What is asked for.
    pub what: Asked,
}

/// What bots ask the settlement machine for.
#[derive(Debug, Clone, PartialEq)]
pub enum Asked {
    /// To publish a bet.
    Candidate(Bot, Box<PickCandidate>),
    /// To note a price before the start.
    Closing(PickClosing),
    /// To note whether a bet is still on offer.
    Offer(PickOffer),
}

/// A partition of the processor's state, and the events of which a price has changed since the bots last looked.
#[derive(Debug)]
struct Watched {
    replica: StateReplica,
    touched: BTreeSet<String>,
}

/// The bots, and what they know.
#[derive(Debug)]
pub struct Watcher {
    settings: Settings,
    partitions: Vec<Watched>,
    signals: FollowedSignals,
    picks: KnownPicks,
}

impl Watcher {
    /// Of so many partitions, by the processor's table of books.
    #[must_use]
    pub fn new(settings: Settings, partitions: i32, books: &Arc<Books>) -> Self {
        let watched = |_| Watched { replica: StateReplica::new(Arc::clone(books)), touched: BTreeSet::new() };
        let picks = KnownPicks::of(settings.feed);
        Self {
            settings,
            partitions: (0..partitions).map(watched).collect(),
            signals: FollowedSignals::default(),
            picks,
        }
    }

    /// Takes in a record of the processor's changelog.
    ///
    /// # Errors
    /// [`ReplicaError`].
    pub fn put_state(
        &mut self,
        partition: i32,
        key: &[u8],
        value: Option<&[u8]>,
    ) -> Result<(), ReplicaError> {
        let Some(watched) = self.watched(partition) else { return Ok(()) };
        if let Some(event) = std::str::from_utf8(key).ok().and_then(event_of)
            && !watched.touched.contains(event)
        {
            watched.touched.insert(event.to_owned());
        }
        watched.replica.put(key, value).map(drop)
    }

    /// Notes that the changelog was read to its end.
    ///
    /// # Errors
    /// [`ReplicaError`].
    pub fn state_is_read(&mut self) -> Result<(), ReplicaError> {
        self.partitions.iter_mut().try_for_each(|watched| watched.replica.caught_up())
    }

    /// Takes in a signal that is open, as it is now.
    pub fn put_signal(&mut self, partition: i32, signal: EdgeSignal) {
        let event = signal.event.id.to_string();
        if self.signals.put(signal)
            && let Some(watched) = self.watched(partition)
        {
            watched.touched.insert(event);
        }
    }

    /// Notes that a signal has closed.
    pub fn remove_signal(&mut self, id: &str) {
        self.signals.remove(id);
    }

    /// Takes in a pick as it is now. A new one is looked at before the next price changes: from then on no poll is missed.
    pub fn put_pick(&mut self, partition: i32, pick: Pick) {
        let event = pick.event.id.to_string();
        if self.picks.put(pick)
            && let Some(watched) = self.watched(partition)
        {
            watched.touched.insert(event);
        }
    }

    /// Lets the bots look at all events of which something has changed since the last time.
    pub fn look(&mut self) -> Vec<BotTask> {
        let (begun, mut tasks, mut looked) = (Instant::now(), Vec::new(), 0);
        for (partition, place) in (0..).zip(0..self.partitions.len()) {
            let touched = std::mem::take(&mut self.partitions[place].touched);
            looked += touched.len();
            for event in touched {
                let asked = self.look_at(place, &event);
                tasks.extend(asked.into_iter().map(|what| BotTask { partition, event: event.clone(), what }));
            }
            if let Some(clock) = self.partitions[place].replica.engine().watermark() {
                self.picks.forget(clock);
            }
        }
        telemetry::looked(looked, begun.elapsed());
        telemetry::sizes(self.picks.open(), self.signals.len());
        tasks
    }

    fn watched(&mut self, partition: i32) -> Option<&mut Watched> {
        self.partitions.get_mut(usize::try_from(partition).ok()?)
    }

    fn look_at(&mut self, place: usize, event: &str) -> Vec<Asked> {
        let engine = self.partitions[place].replica.engine();
        let found = engine.odds_of(event).filter(|(listed, _)| !listed.in_play);
        let (Some((listed, quotes)), Some(clock)) = (found, engine.watermark()) else {
            return self.picks.last_closings(event).into_iter().map(Asked::Closing).collect();
        };
        let lines = LineView::all(&quotes);
        let (league, sharp_books) = (&*listed.info.league, &self.settings.sharp_books);
        let mut proposals: Vec<_> =
            lines.iter().flat_map(|view| rules::at_prices(view, league, sharp_books)).collect();
        for signal in self.signals.of(event) {
            let is_meant = |view: &&LineView<'_>| {
                signal.market() == Some(view.market) && signal.line.map(|line| line.0) == view.line
            };
            proposals.extend(lines.iter().find(is_meant).and_then(|view| rules::at_signal(view, signal)));
        }
        let mut asked: Vec<_> = proposals
            .into_iter()
            .filter_map(|proposal| self.candidate((&listed, &quotes), clock, proposal))
            .collect();
        asked.extend(self.closings(event, clock, &lines));
        asked.extend(self.offers(event, &quotes));
        asked
    }

    /// A proposal as a candidate, unless the bot has bet on the market.
    fn candidate(
        &mut self,
        (listed, quotes): (&ListedEvent, &[ListedQuote]),
        clock: Micros,
        proposal: Proposal,
    ) -> Option<Asked> {
        let (bot, event) = (proposal.bot, &listed.info);
        let bet = (proposal.market, proposal.line, proposal.outcome);
        let candidate = PickCandidate {
            bot: bot.key().to_owned(),
            version: bot.version().into(),
            feed: self.settings.feed.into(),
            event: event.as_ref().clone(),
            market: proposal.market.family.into(),
            period: proposal.market.period.into(),
            line: proposal.line.map(Points),
            outcome: proposal.outcome.into(),
            draw_refunds: proposal.draw_refunds,
            book: proposal.book.into(),
            price: proposal.price,
            probability: proposal.probability,
            method: proposal.method,
            stake: proposal.stake,
            reasons: proposal.reasons,
            at: Time(clock),
        };
        let seen_at = || quote_of(quotes, bet, &candidate.book).map(|quote| quote.last_seen_at);
        let is_new = self.picks.take(pick_id::slot(&candidate), event.commence_time.0, seen_at);
        is_new.then(|| Asked::Candidate(bot, Box::new(candidate)))
    }

    fn closings(&mut self, event: &str, clock: Micros, lines: &[LineView<'_>]) -> Vec<Asked> {
        let is_near = |pick: &&Pick| {
            let left = pick.starts_at.0 - clock;
            0 < left && left <= CLOSING_WITHIN
        };
        let found: Vec<_> =
            self.picks.of_event(event).filter(is_near).filter_map(|pick| closing(pick, lines)).collect();
        let due = found.into_iter().filter_map(|closing| self.picks.closing(event, closing, CLOSING_EVERY));
        due.map(Asked::Closing).collect()
    }

    /// Of a simulated market nothing is observed: its books lag by construction.
    fn offers(&mut self, event: &str, quotes: &[ListedQuote]) -> Vec<Asked> {
        if !is_observed(Some(self.settings.feed)) {
            return Vec::new();
        }
        let offers = self.picks.offers(event, |pick| observed(pick, quotes));
        offers.into_iter().map(Asked::Offer).collect()
    }
}

#[cfg(test)]
mod tests;
