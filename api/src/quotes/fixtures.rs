//! For tests: an engine that writes a changelog as the processor does, read by the quotes of an API.

use std::sync::Arc;

use arb_engine::Engine;
use arb_engine::input::{Coordinate, Coverage, Event, Frame, Input, PollEnd, Push, Tick};
use arb_engine::market::{Bet, Market, Outcome, Policy, Side};
use arb_engine::odds::Price;
use arb_process::codec::state;
use arb_schemas::records::StatePartition;
use arb_schemas::time::SECOND;
use arb_schemas::wire::encode;

use super::store::Quotes;

/// A book, and its prices of home and away.
pub(crate) type Prices = (&'static str, String, String);

/// An engine, and how far it has come.
pub(crate) struct QuoteWriter {
    pub(crate) engine: Engine,
    next: i64,
}

impl QuoteWriter {
    pub(crate) fn new() -> Self {
        Self { engine: Engine::new(Policy::Board), next: 0 }
    }

    /// A poll of all events at a second, into quotes of one partition.
    pub(crate) fn poll(&mut self, quotes: &Quotes, second: i64, events: &[(&str, &[Prices])]) {
        self.take(quotes, &poll(second, events));
    }

    /// What a private source pushes about an event at a second.
    pub(crate) fn push(
        &mut self,
        quotes: &Quotes,
        source: &str,
        (second, sequence): (i64, i64),
        (id, pushed): (&str, &[Prices]),
    ) {
        let inputs = poll(second, &[(id, pushed)]);
        let [Input::Frame(frame), ..] = &inputs[..] else { return };
        let (coverage, push) = (
            Coverage { books: Some(vec![]), markets: Some(vec![]) },
            Some(Push { sequence, names_event: true }),
        );
        let frame = Frame { source, poll_index: None, coverage, push, ..frame.clone() };
        self.take(quotes, &[Input::Frame(frame)]);
    }

    /// Takes in records as one transaction.
    fn take(&mut self, quotes: &Quotes, inputs: &[Input<'_>]) {
        for input in inputs {
            let at = Coordinate { topic: "odds.ticks.v1", partition: 0, offset: self.next };
            self.engine.step(at, input, &mut Vec::new());
            self.next += 1;
        }
        for saved in self.engine.changes() {
            if let Some(change) = state::change(&saved).unwrap() {
                quotes.put(0, change.key.as_bytes(), change.value.as_deref()).unwrap();
            }
        }
        let (next_offset, sequence) = (self.next, self.engine.sequence());
        let partition = StatePartition {
            next_offset,
            policy: "board".into(),
            sequence,
            epoch: 3,
            ..StatePartition::default()
        };
        quotes.put(0, b"partition", Some(&encode(&partition).unwrap())).unwrap();
        self.engine.commit();
    }
}

/// Prices that are all confirmed a second before the poll.
fn poll<'a>(second: i64, events: &[(&'a str, &[Prices])]) -> Vec<Input<'a>> {
    let tick = |book, outcome, price: &str| Tick {
        book,
        bet: Bet::new(Market::parse("h2h").unwrap(), outcome, Side::Back, None).unwrap(),
        price: Price::from_decimal(price).unwrap(),
        odds_format: arb_engine::odds::OddsFormat::Unknown,
        limit: None,
        suspended: false,
        last_seen_at: (second - 1) * SECOND,
        price_moved_at: None,
    };
    let both =
        |(book, home, away): &Prices| [tick(*book, Outcome::Home, home), tick(*book, Outcome::Away, away)];
    let (sport, league) = ("tennis", "tennis_atp_aus_open_singles");
    let (source, received_at) = ("s", second * SECOND);
    let frame = |(index, (id, prices)): (u32, &(&'a str, &[Prices]))| {
        let event = Event { id, sport, league, home: "H", away: "A", commence_time: 9_000 * SECOND };
        let (coverage, ticks) = (Coverage::default(), prices.iter().flat_map(both).collect());
        Input::Frame(Frame {
            source,
            received_at,
            poll_index: Some(index),
            event,
            coverage,
            ticks,
            links: vec![],
            push: None,
        })
    };
    let frames = u32::try_from(events.len()).unwrap();
    let end = PollEnd { source, received_at, league: None, coverage: Coverage::default(), frames };
    (0..).zip(events).map(frame).chain([Input::PollEnd(end)]).collect()
}

/// Quotes of an empty changelog that was read.
pub(crate) fn ready(quotes: &Arc<Quotes>) {
    quotes.ready().unwrap();
}

/// A book with these prices of home and away.
pub(crate) fn prices(book: &'static str, home: &str, away: &str) -> Prices {
    (book, home.to_owned(), away.to_owned())
}
