//! What the engine receives: one borrowed struct a record of the tick partition.
//!
//! Values are parsed, not validated: a [`Price`] out of range or a [`Bet`] that no market has cannot be made.
//! It never decides anything about them.

use crate::Micros;
use crate::market::{Bet, EventInfo, Limit, Market};
use crate::odds::Price;

/// One record.
#[derive(Debug, Clone)]
pub enum Input<'a> {
    /// What one source published about one event at one moment.
    Frame(Frame<'a>),
    /// All frames of a poll have been sent.
    PollEnd(PollEnd<'a>),
    /// A source is alive.
    Heartbeat(Heartbeat<'a>),
}

/// Where the record stands, so that what it opens gets the same id in every replay.
#[derive(Debug, Clone, Copy)]
pub struct Coordinate<'a> {
    /// Its topic.
    pub topic: &'a str,
    /// Its partition.
    pub partition: i32,
    /// Its offset.
    pub offset: i64,
}

/// What one source published about one event at one moment.
#[derive(Debug, Clone)]
pub struct Frame<'a> {
    /// Who published it.
    pub source: &'a str,
    /// When ingest took it.
    pub received_at: Micros,
    /// Position among the poll's frames; `None` for a push message.
    pub poll_index: Option<u32>,
    /// The event.
    pub event: Event<'a>,
    /// For what it is complete.
    pub coverage: Coverage<'a>,
    /// Its ticks, in any order; of two for the same bet the later holds.
    pub ticks: Vec<Tick<'a>>,
}

/// An event as a source describes it.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs)]
pub struct Event<'a> {
    pub id: &'a str,
    pub sport: &'a str,
    pub league: &'a str,
    pub home: &'a str,
    pub away: &'a str,
    pub commence_time: Micros,
}

/// Books x markets; `None` is all that the source can say.
#[derive(Debug, Clone, Default)]
pub struct Coverage<'a> {
    /// Book keys.
    pub books: Option<Vec<&'a str>>,
    /// Markets.
    pub markets: Option<Vec<Market>>,
}

impl Coverage<'_> {
    /// What covers nothing.
    pub(crate) fn nothing() -> Self {
        Self { books: Some(Vec::new()), markets: Some(Vec::new()) }
    }

    /// Whether it covers nothing.
    pub(crate) fn is_nothing(&self) -> bool {
        let covers_no_book = self.books.as_ref().is_some_and(Vec::is_empty);
        covers_no_book && self.markets.as_ref().is_some_and(Vec::is_empty)
    }
}

/// One observation of one price.
#[derive(Debug, Clone, Copy)]
pub struct Tick<'a> {
    /// Book key.
    pub book: &'a str,
    /// On what.
    pub bet: Bet,
    /// Price.
    pub price: Price,
    /// The most that can be staked at it, where the source states it.
    pub limit: Option<Limit>,
    /// No bets are taken.
    pub suspended: bool,
    /// When the source last confirmed it.
    pub last_seen_at: Micros,
    /// When it last changed, where the source states it.
    pub price_moved_at: Option<Micros>,
}

/// All frames of a poll have been sent.
#[derive(Debug, Clone)]
pub struct PollEnd<'a> {
    /// Who polled.
    pub source: &'a str,
    /// The poll's time.
    pub received_at: Micros,
    /// League that was asked for; `None` is every league of the source.
    pub league: Option<&'a str>,
    /// What was asked for.
    pub coverage: Coverage<'a>,
    /// How many frames there were.
    pub frames: u32,
}

/// A source is alive.
#[derive(Debug, Clone, Copy)]
pub struct Heartbeat<'a> {
    /// Which.
    pub source: &'a str,
    /// When.
    pub at: Micros,
}

impl EventInfo {
    /// Whether this is what is known of it.
    pub(crate) fn is(&self, event: &Event<'_>) -> bool {
        let Event { id, sport, league, home, away, commence_time } = *event;
        (&*self.id, &*self.sport, &*self.league, &*self.home, &*self.away, self.commence_time)
            == (id, sport, league, home, away, commence_time)
    }

    /// As an input names it.
    pub(crate) fn as_input(&self) -> Event<'_> {
        Event {
            id: &self.id,
            sport: &self.sport,
            league: &self.league,
            home: &self.home,
            away: &self.away,
            commence_time: self.commence_time,
        }
    }
}

impl From<&Event<'_>> for EventInfo {
    fn from(event: &Event<'_>) -> Self {
        Self {
            id: event.id.into(),
            sport: event.sport.into(),
            league: event.league.into(),
            home: event.home.into(),
            away: event.away.into(),
            commence_time: event.commence_time,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event() -> Event<'static> {
        Event { id: "e", sport: "s", league: "l", home: "h", away: "a", commence_time: 7 }
    }

    #[test]
    fn an_event_is_known_again_until_any_part_of_it_changes() {
        let known = EventInfo::from(&event());
        assert!(known.is(&event()) && known.is(&known.as_input()));
        let others = [
            Event { id: "x", ..event() },
            Event { sport: "x", ..event() },
            Event { league: "x", ..event() },
            Event { home: "x", ..event() },
            Event { away: "x", ..event() },
            Event { commence_time: 8, ..event() },
            Event { home: "a", away: "h", ..event() },
        ];
        for other in others {
            assert!(!known.is(&other), "{other:?}");
            assert_eq!(EventInfo::from(&other).as_input().commence_time, other.commence_time);
        }
    }

    #[test]
    fn only_what_names_no_book_and_no_market_covers_nothing() {
        let market = Market::parse("h2h").unwrap();
        let of = |books: Option<Vec<&'static str>>, markets: Option<Vec<Market>>| Coverage { books, markets };
        assert!(Coverage::nothing().is_nothing() && of(Some(vec![]), Some(vec![])).is_nothing());
        for some in [
            Coverage::default(),
            of(None, Some(vec![])),
            of(Some(vec![]), None),
            of(Some(vec!["a"]), Some(vec![])),
            of(Some(vec![]), Some(vec![market])),
        ] {
            assert!(!some.is_nothing(), "{some:?}");
        }
    }
}
