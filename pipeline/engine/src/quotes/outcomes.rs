//! Which outcomes exhaust a market, by what its quotes offer.
//!
//! On the board only books of the table say that there is a draw: another one could take the windows of two outcomes away from all others by
//! an offer of a third. It never looks at a price.

use crate::market::{self, Family, Market, Outcome, Policy, Side};
use crate::venues::PricingContext;

use super::quote::Quote;
use super::table::of_bet;

/// The outcomes that exhaust a market, by what its sorted quotes offer.
pub(crate) fn outcomes(
    market: Market,
    sport: &str,
    quotes: &[Quote],
    pricing: PricingContext<'_>,
) -> &'static [Outcome] {
    let is_board = pricing.policy == Policy::Board;
    // A book that lays the draw offers it too; the raw policy has no lays, and no table.
    let counts = |side: &Side| *side == Side::Back || is_board;
    let is_by = |quote: &Quote| !is_board || pricing.venues.is_known(quote.key.book());
    let is_offered = |side: Side| of_bet(quotes, Outcome::Draw, side).iter().any(is_by);
    // Such a market has one line.
    let draw_offered = market.family == Family::H2h && Side::ALL.into_iter().filter(counts).any(is_offered);
    market::outcome_set(market, sport, draw_offered, pricing.policy)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{World, book, market, price, quote};
    use crate::venues::Books;

    /// The outcomes of a market in which a book of the table offers these bets.
    fn of(key: &str, sport: &str, offered: &[(Outcome, Side)], policy: Policy) -> Vec<&'static str> {
        at("a", key, sport, offered, policy)
    }

    /// The same of a book that is `a`, which is in the table, or `b`, which is not.
    fn at(
        name: &str,
        key: &str,
        sport: &str,
        offered: &[(Outcome, Side)],
        policy: Policy,
    ) -> Vec<&'static str> {
        let mut world = World::new(Books::new([("a".into(), book("a", "us"))]), 2);
        world.policy = policy;
        let book = world.book(name);
        let mut quotes: Vec<_> = offered
            .iter()
            .map(|(outcome, side)| {
                let mut quote = quote(book, None, *outcome, price("2"));
                quote.key = quote.key.with_side(*side);
                quote
            })
            .collect();
        quotes.sort_by_key(|quote| quote.key);
        outcomes(market(key), sport, &quotes, world.pricing()).iter().map(|outcome| outcome.key()).collect()
    }

    const TWO: [(Outcome, Side); 2] = [(Outcome::Home, Side::Back), (Outcome::Away, Side::Back)];

    #[test]
    fn a_draw_is_an_outcome_where_it_is_offered_or_the_sport_has_one() {
        let laid = [TWO[0], TWO[1], (Outcome::Draw, Side::Lay)];
        let backed = [TWO[0], TWO[1], (Outcome::Draw, Side::Back)];
        let (two, three) = (vec!["home", "away"], vec!["home", "draw", "away"]);
        for (sport, offered, board, raw) in [
            ("tennis", &TWO[..], &two, &two),
            ("soccer", &TWO[..], &three, &two),
            ("tennis", &laid[..], &three, &two),
            ("tennis", &backed[..], &three, &three),
            ("tennis", &[][..], &two, &two),
        ] {
            assert_eq!(&of("h2h", sport, offered, Policy::Board), board, "{sport} {offered:?}");
            assert_eq!(&of("h2h", sport, offered, Policy::Raw), raw, "{sport} {offered:?}");
        }
    }

    #[test]
    fn on_the_board_a_book_that_is_not_in_the_table_does_not_say_that_there_is_a_draw() {
        let backed = [TWO[0], TWO[1], (Outcome::Draw, Side::Back)];
        assert_eq!(at("b", "h2h", "tennis", &backed, Policy::Board), ["home", "away"]);
        assert_eq!(at("b", "h2h", "tennis", &backed, Policy::Raw), ["home", "draw", "away"]);
    }

    #[test]
    fn other_markets_have_their_outcomes_whatever_is_offered() {
        for policy in [Policy::Board, Policy::Raw] {
            assert_eq!(of("h2h_3_way", "tennis", &TWO, policy), ["home", "draw", "away"]);
            assert_eq!(of("draw_no_bet", "soccer", &TWO, policy), ["home", "away"]);
            assert_eq!(of("spreads", "soccer", &[], policy), ["home", "away"]);
            assert_eq!(of("totals_h1", "soccer", &[], policy), ["over", "under"]);
        }
    }
}
