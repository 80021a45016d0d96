//! Which frames and ticks there is room for: the caps of [`crate::caps`] held against a record and the state.
//!
//! What exists stays. What would go beyond a cap is left out in the order of the frame, and counted; a frame of too many ticks or
//! with too long a name is refused whole. The answer depends on the state and the record alone, never on how names are numbered.
//! It never looks at a price.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::caps::{
    Cap, EVENT_BOOKS, EVENT_QUOTES, FRAME_TICKS, LINE_BOOKS, LINE_MOVERS, LINE_MOVES, LeftOut, MARKET_LINES,
    NAME_BYTES,
};
use crate::input::{Event, Frame};
use crate::market::{Line, Market, QuoteKey, Symbol};
use crate::quotes::{Move, Observation, SourceUpdate};
use crate::state::MarketState;

/// Whether a name is too long to be remembered.
pub(crate) fn is_too_long(name: &str) -> bool {
    name.len() > NAME_BYTES
}

/// Why a frame is refused whole; `None` of one that is not.
pub(crate) fn refusal(frame: &Frame<'_>) -> Option<Cap> {
    if frame.ticks.len() > FRAME_TICKS {
        return Some(Cap::FrameTicks);
    }
    let Event { id, sport, league, home, away, .. } = frame.event;
    let of_event = [id, sport, league, home, away].into_iter();
    let mut names = of_event.chain(frame.ticks.iter().map(|tick| tick.book));
    names.any(is_too_long).then_some(Cap::NameBytes)
}

/// Leaves out the ticks of a frame, in its order, for which an event has no room. `was` are its markets, `update` is the frame's:
/// what it withdraws makes room.
pub(crate) fn admit(
    seen: &mut Vec<Observation>,
    was: &[Arc<MarketState>],
    update: &SourceUpdate,
    left_out: &mut LeftOut,
) {
    let quotes: usize = was.iter().map(|market| market.quotes.len()).sum();
    // Below the least of the caps there is room for all; and only what is new can go beyond one.
    if quotes + seen.len() <= LINE_BOOKS || seen.iter().all(|seen| is_known(seen, was)) {
        return;
    }
    let mut room = Room::after(seen, was, update);
    seen.retain(|seen| room.take(seen).map_err(|cap| left_out.add(cap, 1)).is_ok());
}

fn is_known(seen: &Observation, was: &[Arc<MarketState>]) -> bool {
    let market = was.iter().find(|market| market.market == seen.market);
    market.is_some_and(|market| market.quotes.binary_search_by(|quote| quote.key.cmp(&seen.key)).is_ok())
}

/// What an event holds after a frame, as far as that was looked at.
#[derive(Default)]
struct Room {
    quotes: BTreeSet<(Market, QuoteKey)>,
    books: BTreeSet<Symbol>,
    lines: BTreeMap<Market, BTreeMap<Option<Line>, BTreeSet<Symbol>>>,
}

impl Room {
    /// What a frame leaves of an event, and what it names of that.
    fn after(seen: &[Observation], was: &[Arc<MarketState>], update: &SourceUpdate) -> Self {
        let named: BTreeSet<_> = seen.iter().map(|seen| (seen.market, seen.key)).collect();
        let mut room = Self::default();
        for market in was {
            let stays = |key| named.contains(&(market.market, key));
            for quote in &market.quotes {
                if stays(quote.key) || !update.withdraws(market.market, quote) {
                    room.put(market.market, quote.key);
                }
            }
        }
        room
    }

    fn put(&mut self, market: Market, key: QuoteKey) {
        self.quotes.insert((market, key));
        self.books.insert(key.book);
        self.lines.entry(market).or_default().entry(key.line).or_default().insert(key.book);
    }

    /// Makes room for a tick; else which cap it would go beyond.
    fn take(&mut self, seen: &Observation) -> Result<(), Cap> {
        let Observation { market, key, .. } = *seen;
        if self.quotes.contains(&(market, key)) {
            return Ok(());
        }
        let lines = self.lines.get(&market);
        let books = lines.and_then(|lines| lines.get(&key.line));
        if books.is_none() && lines.is_some_and(|lines| lines.len() >= MARKET_LINES) {
            return Err(Cap::MarketLines);
        }
        if books.is_some_and(|books| !books.contains(&key.book) && books.len() >= LINE_BOOKS) {
            return Err(Cap::LineBooks);
        }
        if !self.books.contains(&key.book) && self.books.len() >= EVENT_BOOKS {
            return Err(Cap::EventBooks);
        }
        if self.quotes.len() >= EVENT_QUOTES {
            return Err(Cap::EventQuotes);
        }
        self.put(market, key);
        Ok(())
    }
}

/// Leaves out the new moves of lines that have no room for all of them; those before `new` are noted already.
pub(crate) fn limit_moves(moves: &mut Vec<Move>, new: usize, left_out: &mut LeftOut) {
    // So few are below both caps.
    if moves.len() <= LINE_MOVERS {
        return;
    }
    let mut lines: BTreeMap<Option<Line>, (usize, BTreeSet<Symbol>)> = BTreeMap::new();
    for Move { key, .. } in moves.iter() {
        let (count, books) = lines.entry(key.line).or_default();
        *count += 1;
        books.insert(key.book);
    }
    lines.retain(|_, (count, books)| *count > LINE_MOVES || books.len() > LINE_MOVERS);
    let (before, mut at) = (moves.len(), 0);
    moves.retain(|moved| {
        at += 1;
        at <= new || !lines.contains_key(&moved.key.line)
    });
    left_out.add(Cap::LineMoves, before - moves.len());
}
