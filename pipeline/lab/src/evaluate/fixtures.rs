//! Polls of one match, for the tests of what is evaluated over a recording. It never decides what a test expects.

use std::sync::Arc;

use arb_engine::venues::{Book, Books, Clauses, Level};
use arb_ingest::source::{Poll, Source, SourceError};
use arb_model::{Faults, Time};
use arb_schemas::records::{Coverage, Event, Offer, Outcome, Side, Status, Tick};
use arb_schemas::time::Micros;

/// A source of polls.
pub(super) struct Polls(std::vec::IntoIter<Poll>);

impl Polls {
    pub(super) fn new(polls: impl Iterator<Item = Poll>) -> Self {
        Self(polls.collect::<Vec<_>>().into_iter())
    }
}

impl Source for Polls {
    fn name(&self) -> &'static str {
        "polls"
    }

    fn next_poll(&mut self, _: &mut Faults) -> Result<Option<Poll>, SourceError> {
        Ok(self.0.next())
    }
}

/// A poll of a match of this sport that starts then: each offer was confirmed at the time of the poll.
pub(super) fn poll(at: Micros, sport: &str, start: Micros, offers: Vec<Offer>) -> Poll {
    let league = format!("{sport}_test");
    let event = Event {
        id: "e".into(),
        sport: sport.into(),
        league: league.as_str().into(),
        home: "H".into(),
        away: "A".into(),
        commence_time: Time(start),
    };
    let seen = |offer: Offer| Offer { last_seen_at: at, ..offer };
    let events = vec![(event, offers.into_iter().map(seen).collect())];
    Poll { received_at: at, league: Some(league.as_str().into()), coverage: Coverage::ALL, events }
}

/// A table of books that settle alike, each of an operator of its own.
pub(super) fn books() -> Arc<Books> {
    let clauses = Clauses::uniform("us", Level::Impossible);
    let book = Book { operator: None, clauses, known: true, ..Books::default().get("a").clone() };
    let names = ["a", "b", "c", "d", "e", "f", "pinnacle", "high"];
    Arc::new(Books::new(names.map(|name| (name.into(), book.clone()))))
}

/// What a book offers on the winner, in thousandths.
pub(super) fn offer(book: &str, prices: &[(Outcome, i64)]) -> Offer {
    let tick = |(outcome, price): &(Outcome, i64)| Tick {
        outcome: *outcome,
        side: Side::Back,
        line: None,
        price: price * 1_000,
        status: Status::Active,
        limit: None,
    };
    Offer {
        book: book.to_owned(),
        market: "h2h".to_owned(),
        last_seen_at: 0,
        price_moved_at: None,
        link: None,
        odds_format: arb_model::OddsFormat::Unknown,
        ticks: prices.iter().map(tick).collect(),
    }
}
