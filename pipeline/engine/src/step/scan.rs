//! What a scan covers, as of the last step: the quotes on offer, and the arbs that they make.
//!
//! It is computed from the current quotes and changes nothing: no window opens or closes by it. Each quote names its poll, by
//! which the caller decides whether it was asked for. It never compares a clock with another.

use std::collections::BTreeSet;

use arb_model::time::{Micros, SECOND};

use crate::effect::BoardEntry;
use crate::market::{EventInfo, Family, Market, Symbol};
use crate::quotes::{Quote, QuoteStatus};

use super::engine::Engine;
use super::user_board::{ResolvedBooks, UserBooks};
use super::viewer::SeenEvent;

/// Microseconds of a day.
const DAY: Micros = 86_400 * SECOND;

/// What is scanned: events that fulfil all that is named, in all families and of all books unless some are named.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScanScope {
    /// A sport or a league.
    pub sport: Option<String>,
    /// A league.
    pub league: Option<String>,
    /// Ids of events; empty is all.
    pub events: BTreeSet<String>,
    /// A league and a UTC day, in days since the epoch: the events that start on it.
    pub group: Option<(String, i64)>,
    /// Families; empty is all.
    pub families: Vec<Family>,
    /// Books; `None` is all.
    pub books: Option<BTreeSet<String>>,
    /// The private source of whoever scans.
    pub private: Option<String>,
}

/// A quote on offer, and the poll that it is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct ScannedQuote<'a> {
    pub event: &'a str,
    pub league: &'a str,
    pub book: &'a str,
    /// With `received_at` it identifies the poll.
    pub source: &'a str,
    pub received_at: Micros,
    /// When the book last confirmed it.
    pub last_seen_at: Micros,
}

impl ScanScope {
    /// Whether an event is scanned.
    #[must_use]
    pub fn includes(&self, event: &EventInfo) -> bool {
        let is = |name: &Option<String>, is: &dyn Fn(&str) -> bool| name.as_deref().is_none_or(is);
        let is_league = |name: &str| *event.league == *name;
        let starts_on = event.commence_time.0.div_euclid(DAY);
        is(&self.sport, &|name| *event.sport == *name || is_league(name))
            && is(&self.league, &is_league)
            && (self.events.is_empty() || self.events.contains(&*event.id))
            && self.group.as_ref().is_none_or(|(league, day)| is_league(league) && *day == starts_on)
    }

    /// Whether a market is scanned: of a family all periods and lines are.
    #[must_use]
    pub fn includes_market(&self, market: Market) -> bool {
        self.families.is_empty() || self.families.contains(&market.family)
    }
}

impl Engine {
    /// Gives each quote on offer and each arb of what is scanned, by event, market and line; an arb with the quotes of its legs.
    pub fn scan<'a>(
        &'a self,
        scope: &ScanScope,
        mut quote: impl FnMut(ScannedQuote<'a>),
        mut arb: impl FnMut(BoardEntry, Vec<ScannedQuote<'a>>),
    ) {
        let (books, private) = (scope.books.clone(), scope.private.clone());
        let resolved = self.resolved(&UserBooks { books, private, ..UserBooks::default() });
        // Under the policy `raw` no time passes, and nothing of an arb can be judged by it.
        let has_time = self.draft.over(&self.state).clock().watermark != Micros::MIN;
        let scanned = self.events_for(resolved.viewer).filter(|seen| scope.includes(seen.info));
        for SeenEvent { info, event } in scanned {
            let is_wanted = |market| scope.includes_market(market);
            for market in event.markets.iter().filter(|market| is_wanted(market.market)) {
                offered(&market.quotes, &resolved).for_each(|found| quote(self.scanned(found, info)));
            }
            if has_time {
                self.for_each_arb(&event, &resolved, is_wanted, &mut |entry, legs| {
                    arb(entry, legs.iter().map(|leg| self.scanned(leg, info)).collect());
                });
            }
        }
    }

    /// When the partition last received anything of a poll of a source; `None` when it never has.
    #[must_use]
    pub fn latest_poll(&self, source: &str) -> Option<Micros> {
        let source = self.names.known(source)?;
        let latest = self.draft.over(&self.state).source(source).latest();
        (latest != Micros::MIN).then_some(latest)
    }

    /// The latest time of any source.
    #[must_use]
    pub fn now(&self) -> Option<Micros> {
        let now = self.draft.over(&self.state).clock().now;
        (now != Micros::MIN).then_some(now)
    }

    fn scanned<'a>(&'a self, quote: &Quote, event: &'a EventInfo) -> ScannedQuote<'a> {
        let name = |symbol: Symbol| &**self.names.name(symbol);
        ScannedQuote {
            event: &event.id,
            league: &event.league,
            book: name(quote.key.book()),
            source: name(quote.source),
            received_at: quote.received_at,
            last_seen_at: quote.span_end,
        }
    }
}

fn offered<'a>(quotes: &'a [Quote], books: &'a ResolvedBooks) -> impl Iterator<Item = &'a Quote> {
    quotes.iter().filter(|quote| quote.status == QuoteStatus::OnOffer && books.includes(quote.key.book()))
}
