//! The key of a quote: a bet at a book.
//!
//! It never looks at a price.

use arb_model::{Bet, Line, Outcome, Side};

use super::names::Symbol;

/// What a quote is for, in the order of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct QuoteKey {
    pub(crate) line: Option<Line>,
    pub(crate) outcome: Outcome,
    pub(crate) side: Side,
    pub(crate) book: Symbol,
}

impl QuoteKey {
    /// Of a bet at a book.
    pub(crate) fn new(bet: &Bet, book: Symbol) -> Self {
        Self { line: bet.line(), outcome: bet.outcome(), side: bet.side(), book }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fixtures::{market, symbols};
    use crate::market::Names;

    proptest! {
        #[test]
        fn a_key_has_all_of_a_bet_but_its_market(outcome in 0..5_usize, lay: bool, line in -9_000..9_000_i32) {
            let book = symbols(&mut Names::default(), 2)[1];
            let side = if lay { Side::Lay } else { Side::Back };
            for (key, line) in [("h2h", None), ("spreads", Some(line)), ("totals", Some(line))] {
                let Some(bet) = Bet::new(market(key), Outcome::ALL[outcome], side, line) else { continue };
                let QuoteKey { line, outcome, side, book: of } = QuoteKey::new(&bet, book);
                prop_assert_eq!((bet.line(), bet.outcome(), bet.side()), (line, outcome, side));
                prop_assert_eq!(of, book);
            }
        }
    }
}
