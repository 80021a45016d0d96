//! What the engine receives: one borrowed struct a record of the tick partition.
//!
//! Values are parsed, not validated: a [`Price`] out of range or a [`Bet`] that no market has cannot be made.
//! It never decides anything about them.

use arb_model::Time;

use crate::Micros;
use crate::market::{Bet, EventInfo, Limit, Market};
use crate::odds::{OddsFormat, Price};

/// One record.
#[derive(Debug, Clone)]
pub enum Input<'a> {
    /// What one source published about one event at one moment.
    Frame(Frame<'a>),
    /// All frames of a poll have been sent.
    PollEnd(PollEnd<'a>),
    /// A source is alive.
    Heartbeat(Heartbeat<'a>),
    /// An operator shuts a source or a book, or opens it again.
    Suspension(Suspension<'a>),
}

/// The coordinates of the record, so that windows and signals that it opens get the same id in every replay.
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
    /// The source of the frame.
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
    /// Where bets can be placed, where the source states it; of two for the same book and market the later holds.
    pub links: Vec<StatedLink<'a>>,
    /// Of a frame that a client pushed.
    pub push: Option<Push>,
}

/// Where the bets of a market can be placed at a book: an address that `arb_model::link` has checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatedLink<'a> {
    /// Book key.
    pub book: &'a str,
    /// The market.
    pub market: Market,
    /// The link.
    pub link: &'a str,
}

/// What only a frame has that a client pushed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Push {
    /// Number of the update: with the source it is taken in once.
    pub sequence: i64,
    /// The frame sets the event's names and start; else only its id counts.
    pub names_event: bool,
}

/// An event as a source describes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Event<'a> {
    pub id: &'a str,
    pub sport: &'a str,
    pub league: &'a str,
    pub home: &'a str,
    pub away: &'a str,
    pub commence_time: Micros,
}

/// Books x markets; `None` means everything of the source.
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
    /// How the source writes it.
    pub odds_format: OddsFormat,
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
    /// The source of the poll.
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
    /// The source.
    pub source: &'a str,
    /// The time.
    pub at: Micros,
}

/// An operator shuts a source or a book, or opens it again.
#[derive(Debug, Clone, Copy)]
pub struct Suspension<'a> {
    /// A source, or the key of a book.
    pub name: &'a str,
    /// It is a book.
    pub is_book: bool,
    /// It is shut from now on; else it is opened.
    pub is_suspended: bool,
}

impl Event<'_> {
    /// Whether this is what is known of it.
    pub(crate) fn is_known_as(&self, info: &EventInfo) -> bool {
        *self == Event::of(info)
    }

    /// As the state keeps it.
    pub(crate) fn to_info(self) -> EventInfo {
        EventInfo {
            id: self.id.into(),
            sport: self.sport.into(),
            league: self.league.into(),
            home: self.home.into(),
            away: self.away.into(),
            commence_time: Time(self.commence_time),
        }
    }
}

impl<'a> Event<'a> {
    /// As an input names it.
    pub(crate) fn of(info: &'a EventInfo) -> Self {
        let EventInfo { id, sport, league, home, away, commence_time } = info;
        Self { id, sport, league, home, away, commence_time: commence_time.0 }
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
        let known = event().to_info();
        assert!(event().is_known_as(&known) && Event::of(&known).is_known_as(&known));
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
            assert!(!other.is_known_as(&known), "{other:?}");
            assert_eq!(Event::of(&other.to_info()).commence_time, other.commence_time);
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
