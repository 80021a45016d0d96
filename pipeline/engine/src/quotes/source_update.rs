//! What a source publishes about an event at one time, and for which books and markets that is complete.
//!
//! It never adds a quote: it decides which of those that it does not name it withdraws.

use crate::Micros;
use crate::market::{Market, REGULATION, Symbol, WINNER};
use crate::venues::SourceLink;

use super::quote::Quote;

/// Which source publishes, when, and for what the update is complete.
#[derive(Debug, Clone)]
pub(crate) struct SourceUpdate {
    pub(crate) source: Symbol,
    pub(crate) received_at: Micros,
    /// Books for which it is complete; `None` is every book.
    pub(crate) books: Option<Vec<Symbol>>,
    /// Markets for which it is complete; `None` is every market.
    pub(crate) markets: Option<Vec<Market>>,
    /// Links that it states, by market.
    pub(crate) links: Vec<(Market, SourceLink)>,
    /// Books that have listed a draw of a match that goes on until there is a winner: their prices are not of `h2h`, but of `h2h_3_way`.
    pub(crate) drawn: Vec<Symbol>,
}

impl SourceUpdate {
    /// The links of a market that it states.
    pub(crate) fn links_of(&self, market: Market) -> Vec<SourceLink> {
        self.links.iter().filter(|(of, _)| *of == market).map(|(_, link)| link.clone()).collect()
    }

    fn covers(&self, market: Market) -> bool {
        self.markets.as_ref().is_none_or(|markets| markets.contains(&market))
    }

    /// Whether it may withdraw a quote of a market, whoever's.
    pub(super) fn withdraws_of(&self, market: Market) -> bool {
        self.covers(market) || (!self.drawn.is_empty() && [WINNER, REGULATION].contains(&market))
    }

    /// Whether it withdraws a quote of a market that it does not name. What covers the winner covers the result of regulation at books that
    /// sell it as that.
    pub(crate) fn withdraws(&self, market: Market, quote: &Quote) -> bool {
        let is_drawn = || self.drawn.contains(&quote.key.book());
        let is_covered =
            || self.covers(market) || (market == REGULATION && self.covers(WINNER) && is_drawn());
        (market == WINNER && is_drawn()) || (quote.is_withdrawn_by(self) && is_covered())
    }
}

impl Quote {
    /// Whether an update that covers the quote's market and does not name it withdraws it: only if its source gave it last.
    fn is_withdrawn_by(&self, update: &SourceUpdate) -> bool {
        self.source == update.source
            && self.received_at < update.received_at
            && update.books.as_ref().is_none_or(|books| books.contains(&self.key.book()))
    }
}

/// Whether an update that names nothing of a market would change its table.
pub(crate) fn any_withdrawn(market: Market, table: &[Quote], update: &SourceUpdate) -> bool {
    update.withdraws_of(market) && table.iter().any(|quote| update.withdraws(market, quote))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fixtures::{market, price, quote, symbols};
    use crate::market::{Names, Outcome};

    const MARKETS: [&str; 3] = ["h2h", "draw_no_bet", "h2h_h1"];

    proptest! {
        /// A quote is withdrawn exactly where all four hold: its market is covered, its book is, the source gave it last, and earlier.
        #[test]
        fn only_what_is_covered_and_was_given_last_by_the_source_is_withdrawn(
            books in prop::option::of(prop::collection::vec(0..3_usize, 0..3)),
            covered in prop::option::of(prop::collection::vec(0..3_usize, 0..3)),
            of in 0..3_usize, book in 0..3_usize, source in 0..2_usize, received_at in 0..20_i64,
        ) {
            let symbols = symbols(&mut Names::default(), 5);
            let update = SourceUpdate {
                source: symbols[3],
                received_at: 10,
                books: books.clone().map(|books| books.iter().map(|at| symbols[*at]).collect()),
                markets: covered.clone().map(|markets| markets.iter().map(|at| market(MARKETS[*at])).collect()),
                links: Vec::new(),
                drawn: Vec::new(),
            };
            let quote = Quote {
                source: symbols[3 + source],
                received_at,
                ..quote(symbols[book], None, Outcome::Home, price("2"))
            };
            let of = market(MARKETS[of]);
            let is_covered = covered.is_none_or(|markets| markets.iter().any(|at| market(MARKETS[*at]) == of))
                && books.is_none_or(|books| books.contains(&book));
            let expected = is_covered && source == 0 && received_at < 10;
            prop_assert_eq!(update.withdraws(of, &quote), expected);
            prop_assert_eq!(any_withdrawn(of, &[quote], &update), expected);
            prop_assert!(!any_withdrawn(of, &[], &update));
        }
    }
}
