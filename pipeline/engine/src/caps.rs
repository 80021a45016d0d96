//! Caps: how much a frame may say and how much an event may hold, so that every record that is written can be read again.
//!
//! What exists stays. What would go beyond a cap is left out in the order of the frame, and counted; a frame of too many ticks or
//! with too long a name is refused whole. The answer depends on the state and the record alone, never on how names are numbered.
//! It never looks at a price. The limits in bytes are in the crate of records, and a test there holds the two together.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use crate::catalogue::{Line, Market};
use crate::input::{Event, Frame};
use crate::movement::Move;
use crate::names::Symbol;
use crate::quotes::{QuoteKey, Observation, SourceUpdate};
use crate::state::MarketState;

/// Ticks of a frame. The largest of a poll that was seen has some 3,000.
pub const FRAME_TICKS: usize = 10_000;
/// Bytes of a name: of an event, a sport, a league, a side, a book, a source.
pub const NAME_BYTES: usize = 256;
/// Books on a line.
pub const LINE_BOOKS: usize = 256;
/// Lines of a market.
pub const MARKET_LINES: usize = 256;
/// Books in an event; so many at most are stale for it.
pub const EVENT_BOOKS: usize = 1_024;
/// Quotes of an event.
pub const EVENT_QUOTES: usize = 20_000;
/// Moves of a line that a window of movement can still hold.
pub const LINE_MOVES: usize = 8_192;
/// Books whose moves these are, some of which may have left the line.
pub const LINE_MOVERS: usize = 512;
/// Open signals of a market: middles are pairs of lines.
pub const MARKET_SIGNALS: usize = 1_024;
/// Quotes that a signal shows as evidence.
pub const EVIDENCE: usize = 128;

/// What a cap is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Cap {
    FrameTicks,
    NameBytes,
    LineBooks,
    MarketLines,
    EventBooks,
    EventQuotes,
    LineMoves,
    MarketSignals,
    Evidence,
}

impl Cap {
    /// All of them, in the order in which they are declared.
    pub const ALL: [Self; 9] = [
        Self::FrameTicks,
        Self::NameBytes,
        Self::LineBooks,
        Self::MarketLines,
        Self::EventBooks,
        Self::EventQuotes,
        Self::LineMoves,
        Self::MarketSignals,
        Self::Evidence,
    ];

    /// Field and problem, as faults are counted.
    #[must_use]
    pub fn fault(self) -> (&'static str, &'static str) {
        match self {
            Self::FrameTicks => ("ticks", "too many in a frame"),
            Self::NameBytes => ("name", "too long"),
            Self::LineBooks => ("books", "too many on a line"),
            Self::MarketLines => ("lines", "too many in a market"),
            Self::EventBooks => ("books", "too many in an event"),
            Self::EventQuotes => ("quotes", "too many in an event"),
            Self::LineMoves => ("moves", "too many on a line"),
            Self::MarketSignals => ("signals", "too many in a market"),
            Self::Evidence => ("evidence", "too much for a signal"),
        }
    }

    fn describe(self, count: u32, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FrameTicks => write!(f, "more than {FRAME_TICKS} ticks in a frame: refused"),
            Self::NameBytes => write!(f, "a name of more than {NAME_BYTES} bytes: refused"),
            Self::LineBooks => write!(f, "more than {LINE_BOOKS} books on a line: {count} ticks left out"),
            Self::MarketLines => {
                write!(f, "more than {MARKET_LINES} lines in a market: {count} ticks left out")
            }
            Self::EventBooks => {
                write!(f, "more than {EVENT_BOOKS} books in an event: {count} ticks left out")
            }
            Self::EventQuotes => {
                write!(f, "more than {EVENT_QUOTES} quotes in an event: {count} ticks left out")
            }
            Self::LineMoves => {
                write!(f, "more than {LINE_MOVES} moves, or movers, on a line: {count} moves left out")
            }
            Self::MarketSignals => {
                write!(f, "more than {MARKET_SIGNALS} signals in a market: {count} signals left out")
            }
            Self::Evidence => {
                write!(f, "more than {EVIDENCE} quotes of evidence for a signal: {count} quotes left out")
            }
        }
    }
}

/// What was left out of a step, by cap. As text, each cap that was met and how much it cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LeftOut([u32; Cap::ALL.len()]);

impl LeftOut {
    /// One thing.
    pub(crate) fn one(cap: Cap) -> Self {
        let mut left_out = Self::default();
        left_out.add(cap, 1);
        left_out
    }

    pub(crate) fn add(&mut self, cap: Cap, count: usize) {
        let sum = &mut self.0[cap as usize];
        *sum = sum.saturating_add(u32::try_from(count).unwrap_or(u32::MAX));
    }

    /// Each cap that was met, and how much it cost.
    pub fn iter(&self) -> impl Iterator<Item = (Cap, u32)> {
        Cap::ALL.into_iter().zip(self.0).filter(|(_, count)| *count > 0)
    }

    /// Whether nothing was.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (cap, count)) in self.iter().enumerate() {
            f.write_str(if index == 0 { "" } else { ", " })?;
            cap.describe(count, f)?;
        }
        Ok(())
    }
}

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

    /// Makes room for a tick, or says what it would go beyond.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_left_out_is_said_in_words() {
        let mut left_out = LeftOut::default();
        assert!(left_out.is_empty() && left_out.to_string().is_empty());
        left_out.add(Cap::LineBooks, 2);
        left_out.add(Cap::LineBooks, 1);
        left_out.add(Cap::MarketSignals, 7);
        let said = "more than 256 books on a line: 3 ticks left out, more than 1024 signals in a market: 7 signals left out";
        assert_eq!(left_out.to_string(), said);
        assert_eq!(left_out.iter().collect::<Vec<_>>(), [(Cap::LineBooks, 3), (Cap::MarketSignals, 7)]);
        left_out.add(Cap::LineBooks, usize::MAX);
        assert_eq!(left_out.iter().next(), Some((Cap::LineBooks, u32::MAX)));
    }

    #[test]
    fn every_cap_has_a_fault_of_its_own() {
        let faults: BTreeSet<_> = Cap::ALL.map(Cap::fault).into_iter().collect();
        assert_eq!(faults.len(), Cap::ALL.len());
        for (at, cap) in Cap::ALL.into_iter().enumerate() {
            assert_eq!(cap as usize, at);
        }
    }
}
