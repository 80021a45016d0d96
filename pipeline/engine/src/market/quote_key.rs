//! The key of a quote: a bet at a book, as one number.
//!
//! Tables of quotes are sorted by it, searched by it and copied with it, so it has eight bytes, and one comparison decides. It never
//! looks at a price.

use std::fmt;
use std::ops::RangeInclusive;

use arb_model::{Bet, Line, Outcome, Side};

use super::names::Symbol;

/// Bits of a book's number, which is below [`Symbol::COUNT`].
const BOOK: u32 = Symbol::COUNT.trailing_zeros();
const SIDE: u32 = 1;
const OUTCOME: u32 = 3;
const _: () = assert!(Outcome::ALL.len() <= 1 << OUTCOME && Side::ALL.len() <= 1 << SIDE);
/// A line has one value more than 32 bits: none.
const LINE: u32 = 33;
/// All that follows a line.
const BET: u32 = OUTCOME + SIDE + BOOK;
const _: () = assert!(LINE + BET == u64::BITS);

/// What a quote is for, in the order of the table: by line, which none comes before, then by outcome, side and book.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct QuoteKey(u64);

impl QuoteKey {
    pub(crate) fn new(line: Option<Line>, outcome: Outcome, side: Side, book: Symbol) -> Self {
        // From 1 upwards, in the order of the lines.
        let line = line.map_or(0, |line| u64::from(line.cast_unsigned() ^ 1 << 31) + 1);
        let bet = (line << OUTCOME | outcome as u64) << SIDE | side as u64;
        Self(bet << BOOK | book.index() as u64)
    }

    /// Of a bet at a book.
    pub(crate) fn of(bet: &Bet, book: Symbol) -> Self {
        Self::new(bet.line(), bet.outcome(), bet.side(), book)
    }

    /// The lowest and the highest key of a line.
    pub(crate) fn all_on(line: Option<Line>) -> RangeInclusive<Self> {
        let lowest = Self::new(line, Outcome::Home, Side::Back, Symbol::of(0));
        lowest..=Self(lowest.0 | ((1 << BET) - 1))
    }

    /// The lowest and the highest key of a bet on this one's line.
    pub(crate) fn all_of(self, outcome: Outcome, side: Side) -> RangeInclusive<Self> {
        let lowest = (self.0 >> BET << OUTCOME | outcome as u64) << SIDE | side as u64;
        Self(lowest << BOOK)..=Self(((lowest + 1) << BOOK) - 1)
    }

    /// Whether two bets of a market are on the same line.
    pub(crate) fn is_on_line_of(self, other: Self) -> bool {
        self.0 >> BET == other.0 >> BET
    }

    pub(crate) fn line(self) -> Option<Line> {
        let line = (self.0 >> BET).checked_sub(1)?;
        Some((low(line) ^ 1 << 31).cast_signed())
    }

    pub(crate) fn outcome(self) -> Outcome {
        Outcome::ALL[(self.0 >> (SIDE + BOOK)) as usize % (1 << OUTCOME)]
    }

    pub(crate) fn side(self) -> Side {
        if self.0 >> BOOK & 1 == Side::Lay as u64 { Side::Lay } else { Side::Back }
    }

    pub(crate) fn book(self) -> Symbol {
        Symbol::of(low(self.0) % Symbol::COUNT)
    }

    #[cfg(test)]
    pub(crate) fn with_side(self, side: Side) -> Self {
        Self::new(self.line(), self.outcome(), side, self.book())
    }

    #[cfg(test)]
    pub(crate) fn with_book(self, book: Symbol) -> Self {
        Self::new(self.line(), self.outcome(), self.side(), book)
    }
}

/// The lower 32 bits.
fn low(bits: u64) -> u32 {
    u32::try_from(bits & u64::from(u32::MAX)).unwrap_or_default()
}

impl fmt::Debug for QuoteKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = (self.line(), self.outcome(), self.side(), self.book());
        write!(formatter, "QuoteKey{parts:?}")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    type Parts = (Option<Line>, Outcome, Side, Symbol);

    fn parts() -> impl Strategy<Value = Parts> {
        let line = prop_oneof![
            Just(None),
            Just(Some(Line::MIN)),
            Just(Some(Line::MAX)),
            (-2..2_i32).prop_map(Some),
            any::<Line>().prop_map(Some)
        ];
        let book = prop_oneof![0..3_u32, Symbol::COUNT - 2..Symbol::COUNT].prop_map(Symbol::of);
        let outcome = prop::sample::select(&Outcome::ALL[..]);
        (line, outcome, prop::sample::select(&Side::ALL[..]), book)
    }

    fn key((line, outcome, side, book): Parts) -> QuoteKey {
        QuoteKey::new(line, outcome, side, book)
    }

    proptest! {
        #[test]
        fn a_key_has_its_parts_and_their_order(a in parts(), b in parts()) {
            let key_of = key(a);
            prop_assert_eq!((key_of.line(), key_of.outcome(), key_of.side(), key_of.book()), a);
            prop_assert_eq!(key_of.cmp(&key(b)), a.cmp(&b));
        }

        #[test]
        fn keys_of_a_line_and_of_a_bet_are_within_their_bounds(a in parts(), b in parts()) {
            let (key_of, other) = (key(a), key(b));
            prop_assert_eq!(QuoteKey::all_on(a.0).contains(&other), a.0 == b.0);
            prop_assert_eq!(key_of.is_on_line_of(other), a.0 == b.0);
            prop_assert_eq!(key_of.all_of(b.1, b.2).contains(&other), a.0 == b.0);
            prop_assert_eq!(other.all_of(a.1, a.2).contains(&other), (a.1, a.2) == (b.1, b.2));
        }

        #[test]
        fn a_key_has_all_of_a_bet_but_its_market(parts in parts()) {
            let (line, outcome, side, book) = parts;
            for market in ["h2h", "spreads", "totals"].map(crate::fixtures::market) {
                let Some(bet) = Bet::new(market, outcome, side, line) else { continue };
                prop_assert_eq!(QuoteKey::of(&bet, book), key(parts));
            }
        }
    }
}
