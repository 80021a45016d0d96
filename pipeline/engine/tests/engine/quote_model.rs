//! The table of quotes against a model: a map of the latest quote of each bet, kept by the definitions alone.
//!
//! A frame replaces what it names; what it covers and does not name is withdrawn, if its source gave it last and earlier.
//! The end of a poll does the same for what the whole poll did not name, when all its frames came. The policy is the raw one, where
//! time changes no quote.

use std::collections::BTreeMap;

use arb_engine::input::{Coverage, Frame, Input, PollEnd, Tick};
use arb_engine::market::{Bet, Market, Policy};
use arb_engine::odds::Price;
use proptest::prelude::*;

use crate::random_log::{BOOKS, EVENTS, Run, bets, logs, some_books};
use crate::world::at;

/// Event, the bet by its position, book.
type Key = (&'static str, usize, &'static str);

#[derive(Debug, Clone, Copy)]
struct ModelQuote {
    price: Price,
    suspended: bool,
    last_seen_at: i64,
    source: &'static str,
    received_at: i64,
}

/// What a source published last.
#[derive(Debug, Clone, Copy)]
struct ModelSource {
    latest: i64,
    /// The next position of the poll under way, and whether none was skipped.
    poll: Option<(u32, bool)>,
}

#[derive(Default)]
struct Model {
    quotes: BTreeMap<Key, ModelQuote>,
    sources: BTreeMap<&'static str, ModelSource>,
}

fn bet_at(bet: &Bet) -> usize {
    bets().position(|other| other == *bet).unwrap()
}

fn covers(coverage: &Coverage<'_>, market: Market, book: &str) -> bool {
    coverage.books.as_ref().is_none_or(|books| books.contains(&book))
        && coverage.markets.as_ref().is_none_or(|markets| markets.contains(&market))
}

impl Model {
    fn take(&mut self, input: &Input<'static>) {
        match input {
            Input::Frame(frame) => self.frame(frame),
            Input::PollEnd(end) => self.poll_end(end),
            Input::Heartbeat(_) | Input::Suspension(_) => {}
        }
    }

    /// Whether a frame is news.
    fn is_news(&mut self, frame: &Frame<'static>) -> bool {
        let new = ModelSource { latest: i64::MIN, poll: None };
        let source = self.sources.entry(frame.source).or_insert(new);
        let Some(index) = frame.poll_index else {
            let is_news = frame.received_at >= source.latest;
            if is_news {
                *source = ModelSource { latest: frame.received_at, poll: None };
            }
            return is_news;
        };
        let (next, whole) = match source.poll {
            _ if frame.received_at > source.latest => (0, true),
            Some(poll) if frame.received_at == source.latest => poll,
            _ => return false,
        };
        if index < next {
            return false;
        }
        let poll = Some((index + 1, whole && index == next));
        *source = ModelSource { latest: frame.received_at, poll };
        true
    }

    fn frame(&mut self, frame: &Frame<'static>) {
        if !self.is_news(frame) {
            return;
        }
        let (event, source, received_at) = (frame.event.id, frame.source, frame.received_at);
        let is_nothing = |coverage: &Coverage<'_>| {
            coverage.books.as_ref().is_some_and(Vec::is_empty)
                && coverage.markets.as_ref().is_some_and(Vec::is_empty)
        };
        if frame.poll_index.is_some() && frame.ticks.is_empty() && is_nothing(&frame.coverage) {
            // The poll names the event without any quotes: the source's earlier quotes stay.
            let of_source = |(key, quote): &(&Key, &mut ModelQuote)| key.0 == event && quote.source == source;
            self.quotes.iter_mut().filter(of_source).for_each(|(_, quote)| quote.received_at = received_at);
            return;
        }
        let is_believed = |tick: &&Tick<'_>| tick.last_seen_at <= received_at + at(5);
        // Of two ticks for one bet at one book the last holds, as if the others were not there.
        let last: BTreeMap<_, _> = frame
            .ticks
            .iter()
            .filter(is_believed)
            .map(|tick| ((bet_at(&tick.bet), tick.book), tick))
            .collect();
        for tick in last.into_values() {
            self.tick(tick, event, source, received_at);
        }
        self.withdraw(|key| key.0 == event, &frame.coverage, source, received_at);
    }

    fn tick(&mut self, tick: &Tick<'static>, event: &'static str, source: &'static str, received_at: i64) {
        let Tick { price, suspended, last_seen_at, book, .. } = *tick;
        let key = (event, bet_at(&tick.bet), book);
        let is_same = |was: &&ModelQuote| was.price == price && was.suspended == suspended;
        // A price that stays was confirmed at the later of both times.
        let was = self.quotes.get(&key).filter(is_same).map(|was| was.last_seen_at);
        let last_seen_at = was.map_or(last_seen_at, |was| was.max(last_seen_at));
        self.quotes.insert(key, ModelQuote { price, suspended, last_seen_at, source, received_at });
    }

    fn poll_end(&mut self, end: &PollEnd<'static>) {
        let new = ModelSource { latest: i64::MIN, poll: None };
        let source = self.sources.entry(end.source).or_insert(new);
        let is_whole = match source.poll {
            _ if end.received_at > source.latest => end.frames == 0,
            Some((frames, whole)) if end.received_at == source.latest => whole && frames == end.frames,
            _ => return,
        };
        *source = ModelSource { latest: end.received_at, poll: None };
        if is_whole {
            let league_of = |event: &str| EVENTS.into_iter().find(|(id, _)| *id == event).unwrap().1;
            let is_asked = |key: &Key| end.league.is_none_or(|league| league == league_of(key.0));
            self.withdraw(is_asked, &end.coverage, end.source, end.received_at);
        }
    }

    fn withdraw(
        &mut self,
        is_of: impl Fn(&Key) -> bool,
        coverage: &Coverage<'_>,
        source: &str,
        received_at: i64,
    ) {
        self.quotes.retain(|key, quote| {
            let market = bets().nth(key.1).unwrap().market();
            let is_withdrawn = quote.source == source
                && quote.received_at < received_at
                && is_of(key)
                && covers(coverage, market, key.2);
            !is_withdrawn
        });
    }
}

/// Every quote that the engine shows, by event, bet and book.
fn shown(run: &Run) -> Vec<(Key, Price, i64)> {
    let mut shown = Vec::new();
    for (event, _) in EVENTS {
        for (at, bet) in bets().enumerate() {
            for book in BOOKS {
                let quote = run.engine.quote(event, &bet, book);
                shown.extend(quote.map(|quote| ((event, at, book), quote.price, quote.last_seen_at)));
            }
        }
    }
    shown.sort_unstable();
    shown
}

proptest! {
    #[test]
    fn quotes_are_those_of_the_model(log in logs()) {
        let (mut run, mut model) = (Run::new(Policy::Raw, &some_books()), Model::default());
        for (offset, input) in log.iter().enumerate() {
            run.step(offset, input);
            model.take(input);
            let expected: Vec<_> =
                model.quotes.iter().map(|(key, quote)| (*key, quote.price, quote.last_seen_at)).collect();
            prop_assert_eq!(shown(&run), expected, "after record {} of {:?}", offset, log);
        }
        run.commit();
        prop_assert_eq!(run.engine.size().quotes, model.quotes.len());
    }

    /// The offers are the model's quotes that no book suspends.
    #[test]
    fn offers_are_the_backs_that_are_not_suspended(log in logs()) {
        let (run, mut model) = (Run::through(Policy::Raw, &some_books(), &log), Model::default());
        for input in &log {
            model.take(input);
        }
        for (event, _) in EVENTS {
            for (key, line) in [("h2h", None), ("totals", Some(2_500)), ("spreads", Some(-1_500))] {
                let market = Market::parse(key).unwrap();
                let offers = run.engine.offers(event, market, line);
                let found: Vec<_> = offers.iter().map(|offer| (offer.outcome, &*offer.book, offer.price)).collect();
                let mut expected = Vec::new();
                for ((of, at, book), quote) in &model.quotes {
                    let bet = bets().nth(*at).unwrap();
                    let is_back = bet.side() == arb_engine::market::Side::Back;
                    if *of == event && is_back && bet.market() == market && bet.line() == line && !quote.suspended {
                        expected.push((bet.outcome(), *book, quote.price));
                    }
                }
                expected.sort_unstable();
                prop_assert_eq!(found, expected);
            }
        }
    }
}
