//! What the bots hold: the processor's state, the signals that they follow, and the picks that there are; and what they write.
//!
//! - [`known_picks`]: which picks there are; [`taken_slots`]: where a bot has bet; [`signals`]: the signals that are followed;
//!   [`seen_markets`]: how markets looked before.
//!
//! Bots look at a market when what can be bet on in it has changed, and at the market of a pick when any price of its event has, where time alone makes
//! a difference. They bet on events that have not begun. It never asks a clock: time is the processor's. It never writes two candidates for
//! one market of a bot.

pub mod known_picks;
pub mod seen_markets;
pub mod signals;
pub mod taken_slots;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

use arb_engine::ListedQuote;
use arb_engine::odds::FairCache;
use arb_engine::venues::Books;
use arb_model::{EdgeSignal, Event, FeedKind, Market, Pick, Points, Time};
use arb_picks::bots::Bot;
use arb_process::codec::state::market_of_key;
use arb_process::replica::{ReplicaError, StateReplica};
use arb_schemas::records::{PickCandidate, PickClosing, PickOffer};
use arb_schemas::time::{Micros, SECOND};

use self::known_picks::KnownPicks;
use self::seen_markets::SeenMarkets;
use self::signals::FollowedSignals;
use crate::closing::closing;
use crate::line::LineView;
use crate::offer::{observed, quote_of};
use crate::rules::{self, Given, Proposal};
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

/// A partition of the processor's state, and what has changed since the bots last looked.
#[derive(Debug)]
struct Watched {
    replica: StateReplica,
    /// The events of which something has changed, each with the markets whose quotes or signals have.
    touched: BTreeMap<String, BTreeSet<Market>>,
}

impl Watched {
    fn touch(&mut self, event: &str, market: Option<Market>) {
        if let Some(markets) = self.touched.get_mut(event) {
            markets.extend(market);
        } else {
            self.touched.insert(event.to_owned(), market.into_iter().collect());
        }
    }
}

/// The bots, and what they know.
#[derive(Debug)]
pub struct Watcher {
    settings: Settings,
    partitions: Vec<Watched>,
    signals: FollowedSignals,
    picks: KnownPicks,
    seen: SeenMarkets,
    chances: FairCache,
}

impl Watcher {
    /// Of so many partitions, by the processor's table of books.
    #[must_use]
    pub fn new(settings: Settings, partitions: i32, books: &Arc<Books>) -> Self {
        let watched = |_| Watched { replica: StateReplica::new(Arc::clone(books)), touched: BTreeMap::new() };
        let picks = KnownPicks::of(settings.feed);
        Self {
            settings,
            partitions: (0..partitions).map(watched).collect(),
            signals: FollowedSignals::default(),
            picks,
            seen: SeenMarkets::default(),
            chances: FairCache::default(),
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
        if let Some((event, market)) = std::str::from_utf8(key).ok().and_then(market_of_key) {
            watched.touch(event, Some(market));
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
        let (event, market) = (signal.event.id.to_string(), signal.market());
        if !self.signals.put(signal) {
            return;
        }
        if let Some(market) = market {
            self.seen.forget(&event, market);
        }
        if let Some(watched) = self.watched(partition) {
            watched.touch(&event, market);
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
            watched.touch(&event, None);
        }
    }

    /// Lets the bots look at what has changed since the last time.
    pub fn look(&mut self) -> Vec<BotTask> {
        let (begun, mut tasks, mut looked) = (Instant::now(), Vec::new(), 0);
        for (partition, place) in (0..).zip(0..self.partitions.len()) {
            let touched = std::mem::take(&mut self.partitions[place].touched);
            looked += touched.len();
            for (event, touched) in touched {
                let markets = self.markets(place, &event, touched);
                let asked = self.look_at(place, &event, &markets);
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

    /// Of the markets that were written those that bots bet on and that look otherwise than before, and those that are due; none of an event that
    /// has begun. Of most markets a poll confirms the prices alone.
    fn markets(&mut self, place: usize, event: &str, touched: BTreeSet<Market>) -> BTreeSet<Market> {
        let engine = self.partitions[place].replica.engine();
        if engine.upcoming(event).is_none() {
            return BTreeSet::new();
        }
        let with_signal: Vec<_> = self.signals.of(event).filter_map(EdgeSignal::market).collect();
        let is_bet_on = |market: &Market| rules::is_bet_at_prices(*market) || with_signal.contains(market);
        let look = |market| Some((market, engine.fingerprint_of_market(event, market)?));
        let mut markets = self.seen.changed(event, touched.into_iter().filter(is_bet_on).filter_map(look));
        if let Some(clock) = engine.watermark() {
            markets.extend(self.picks.markets_due(event, clock));
        }
        markets
    }

    fn look_at(&mut self, place: usize, event: &str, markets: &BTreeSet<Market>) -> Vec<Asked> {
        let engine = self.partitions[place].replica.engine();
        let (Some(info), Some(clock)) = (engine.upcoming(event), engine.watermark()) else {
            self.seen.forget_event(event);
            return self.picks.last_closings(event).into_iter().map(Asked::Closing).collect();
        };
        let info = Arc::clone(info);
        let quotes: Vec<_> =
            markets.iter().flat_map(|market| engine.odds_of_market(event, *market)).collect();
        let lines = LineView::all(&quotes);
        let proposals = self.proposals(&info, &lines).into_iter();
        let mut asked: Vec<_> =
            proposals.filter_map(|proposal| self.candidate((&info, &quotes), clock, proposal)).collect();
        asked.extend(self.closings(event, clock, &lines));
        asked.extend(self.offers(place, event, &quotes));
        asked
    }

    /// What the bots propose at lines of an event. One that has bet on a market is not asked about it.
    fn proposals(&self, event: &Event, lines: &[LineView<'_>]) -> Vec<Proposal> {
        let Settings { sharp_books, .. } = &self.settings;
        let given = Given { league: &event.league, sharp_books, chances: &self.chances };
        let is_taken = self.picks.taken_of(&event.id);
        let may_bet = |bot, market| !is_taken(bot, market);
        let at_prices = |view: &LineView<'_>| rules::at_prices(view, given, |bot| may_bet(bot, view.market));
        let at_signal = |signal: &EdgeSignal| {
            let (bot, market) = (rules::follower(signal)?, signal.market()?);
            let is_meant =
                |view: &&LineView<'_>| view.market == market && signal.line.map(|line| line.0) == view.line;
            let view = lines.iter().find(is_meant).filter(|_| may_bet(bot, market))?;
            rules::at_signal(view, signal, &self.chances)
        };
        lines.iter().flat_map(at_prices).chain(self.signals.of(&event.id).filter_map(at_signal)).collect()
    }

    /// A proposal as a candidate, unless the bot has bet on the market.
    fn candidate(
        &mut self,
        (event, quotes): (&Event, &[ListedQuote]),
        clock: Micros,
        proposal: Proposal,
    ) -> Option<Asked> {
        let bot = proposal.bot;
        // By another proposal of this look: a market can have several lines or signals.
        if self.picks.taken_of(&event.id)(bot, proposal.market) {
            return None;
        }
        let bet = (proposal.market, proposal.line, proposal.outcome);
        let candidate = PickCandidate {
            bot: bot.key().to_owned(),
            version: bot.version().into(),
            feed: self.settings.feed.into(),
            event: event.clone(),
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
        let seen_at = quote_of(quotes, bet, &candidate.book).map(|quote| quote.last_seen_at);
        self.picks.take(&candidate, seen_at);
        Some(Asked::Candidate(bot, Box::new(candidate)))
    }

    fn closings(&mut self, event: &str, clock: Micros, lines: &[LineView<'_>]) -> Vec<Asked> {
        let near = self.picks.near_start(event, clock);
        let found: Vec<_> = near.filter_map(|pick| closing(pick, lines, &self.chances)).collect();
        let due = found.into_iter().filter_map(|closing| self.picks.closing(event, closing, CLOSING_EVERY));
        due.map(Asked::Closing).collect()
    }

    fn offers(&mut self, place: usize, event: &str, quotes: &[ListedQuote]) -> Vec<Asked> {
        let engine = self.partitions[place].replica.engine();
        let observe = |pick: &_| observed(pick, quotes, || engine.last_seen_at(event));
        self.picks.offers(event, observe).into_iter().map(Asked::Offer).collect()
    }
}

#[cfg(test)]
mod tests;
