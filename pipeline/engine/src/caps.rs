//! Caps: how much a frame may contain and how much an event may hold, so that every record that is written can be read again.
//!
//! It is numbers and the counts of what was left out; what is left out is decided by `step`. It never looks at a price. The
//! limits in bytes are in the crate of records, and a test there holds the two together.

use std::fmt;

use arb_model::time::{NO_EVENT_TIME, NO_RECORD_TIME};

/// Ticks of a frame. The largest of a poll that was seen has some 3,000.
pub const FRAME_TICKS: usize = 10_000;
/// Bytes of a name: of an event, a sport, a league, a side, a book, a source.
pub const NAME_BYTES: usize = 256;
/// Books on a line.
pub const LINE_BOOKS: usize = 256;
/// Lines of a market.
pub const MARKET_LINES: usize = 256;
/// Links of a market that sources state.
pub const MARKET_LINKS: usize = 512;
/// Books in an event; so many at most are stale for it.
pub const EVENT_BOOKS: usize = 1_024;
/// Quotes of an event.
pub const EVENT_QUOTES: usize = 20_000;
/// Of each cap of a public event a source that clients push to has one part of so many.
pub const PUSHED_SHARE: usize = 8;
/// Of each cap of a public event all sources that clients push to have one part of so many together.
pub const ALL_PUSHED_SHARE: usize = 2;
/// Events of a private source in a partition.
pub const PRIVATE_EVENTS: usize = 1_024;
/// Moves of a line that a window of movement can still hold.
pub const LINE_MOVES: usize = 8_192;
/// Books whose moves these are, some of which may have left the line.
pub const LINE_MOVERS: usize = 512;
/// Moves of a market that are remembered together: what is copied, and written to the changelog again, when one is added.
pub const PIECE_MOVES: usize = 32;
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
    MarketLinks,
    EventTimes,
    RecordTimes,
    PrivateEvents,
}

impl Cap {
    /// All of them, in the order in which they are declared.
    pub const ALL: [Self; 13] = [
        Self::FrameTicks,
        Self::NameBytes,
        Self::LineBooks,
        Self::MarketLines,
        Self::EventBooks,
        Self::EventQuotes,
        Self::LineMoves,
        Self::MarketSignals,
        Self::Evidence,
        Self::MarketLinks,
        Self::EventTimes,
        Self::RecordTimes,
        Self::PrivateEvents,
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
            Self::MarketLinks => ("links", "too many in a market"),
            Self::EventTimes => ("commence_time", NO_EVENT_TIME),
            Self::RecordTimes => ("received_at", NO_RECORD_TIME),
            Self::PrivateEvents => ("events", "too many of a private source"),
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
            Self::MarketLinks => {
                write!(f, "more than {MARKET_LINKS} links in a market: {count} links left out")
            }
            Self::EventTimes => write!(f, "a start that {NO_EVENT_TIME}: refused"),
            Self::RecordTimes => write!(f, "a time of receipt that {NO_RECORD_TIME}: refused"),
            Self::PrivateEvents => {
                write!(f, "more than {PRIVATE_EVENTS} events of a private source: refused")
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

    /// How much one cap cost.
    pub(crate) fn count(&self, cap: Cap) -> u32 {
        self.0[cap as usize]
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn left_out_parts_are_described_in_words() {
        let mut left_out = LeftOut::default();
        assert!(left_out.is_empty() && left_out.to_string().is_empty());
        left_out.add(Cap::LineBooks, 2);
        left_out.add(Cap::LineBooks, 1);
        left_out.add(Cap::MarketSignals, 7);
        let reported = "more than 256 books on a line: 3 ticks left out, more than 1024 signals in a market: 7 signals left out";
        assert_eq!(left_out.to_string(), reported);
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

    proptest! {
        /// Each count is the sum of what was added to it, up to the largest number; caps that were not met are not listed.
        #[test]
        fn counts_are_sums(added in prop::collection::vec((0..Cap::ALL.len(), 0..5_000_000_000_usize), 0..20)) {
            let mut left_out = LeftOut::default();
            for (cap, count) in &added {
                left_out.add(Cap::ALL[*cap], *count);
            }
            for (at, cap) in Cap::ALL.into_iter().enumerate() {
                let sum: u128 = added.iter().filter(|(of, _)| *of == at).map(|(_, count)| *count as u128).sum();
                let found = left_out.iter().find(|(of, _)| *of == cap).map_or(0, |(_, count)| count);
                prop_assert_eq!(u128::from(found), sum.min(u128::from(u32::MAX)));
            }
            prop_assert_eq!(left_out.is_empty(), left_out.iter().count() == 0);
            prop_assert!(left_out.iter().map(|(cap, _)| cap as usize).is_sorted_by(|a, b| a < b));
            prop_assert_eq!(left_out.to_string().is_empty(), left_out.is_empty());
        }
    }

    /// A frame or an event at every cap is still within the caps that contain it.
    #[test]
    fn caps_fit_into_each_other() {
        const { assert!(LINE_BOOKS <= EVENT_BOOKS, "a line's books are the event's") };
        const { assert!(LINE_BOOKS < EVENT_QUOTES && MARKET_LINES < EVENT_QUOTES, "each quote is on some line") };
        const { assert!(FRAME_TICKS <= EVENT_QUOTES, "one frame alone never goes beyond an event's quotes") };
        const { assert!(LINE_BOOKS < LINE_MOVERS, "books that left a line still count as movers") };
        const { assert!(EVIDENCE <= LINE_BOOKS, "evidence is of the books of a line") };
    }
}
