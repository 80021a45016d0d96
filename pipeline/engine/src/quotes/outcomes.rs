//! Which outcomes exhaust a market, by its sport and the books that have listed a draw, and whose bets cover them.
//!
//! On the board only books of the table say that there is a draw: another one could take the windows of two outcomes away from all others by
//! an offer of a third. A draw that was once listed stays an outcome, whatever is left out later. Where a match can end level and no draw was
//! listed, bets on two outcomes count only of books that are known to give such stakes back: at any other a level result loses both. It
//! never looks at a price.

use crate::market::{Family, Market, Outcome, OutcomeSet, Policy, Side, Symbol};
use crate::venues::{Draws, PricingContext};

use super::quote::Quote;
use super::table::of_bet;

/// The outcomes that exhaust a market, by its sorted quotes and the books that have listed a draw in it until now.
pub(crate) fn outcomes<'a>(
    market: Market,
    (quotes, drawn): (&[Quote], &'a [Symbol]),
    pricing: PricingContext<'_>,
) -> OutcomeSet<'a> {
    let set = |has_draw| OutcomeSet::new(market, has_draw, drawn);
    if market.family != Family::H2h {
        return set(false);
    }
    // It takes what is offered for what is possible, and has no lays.
    if pricing.policy == Policy::Raw {
        return set(!of_bet(quotes, Outcome::Draw, Side::Back).is_empty());
    }
    match pricing.draws.in_period(market.period) {
        // The prices of a book that lists a draw are in another market (`step::regulation`).
        Draws::Never => set(false),
        Draws::Sold | Draws::Unknown => set(true),
        Draws::Possible => {
            let is_listed = drawn.iter().any(|book| pricing.venues.is_known(*book));
            OutcomeSet { is_refunding: !is_listed, ..set(is_listed) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{World, book, market, price, quote};
    use crate::market::Period;
    use crate::venues::Books;

    const TWO: [(Outcome, Side); 2] = [(Outcome::Home, Side::Back), (Outcome::Away, Side::Back)];
    const BACKED: [(Outcome, Side); 3] = [TWO[0], TWO[1], (Outcome::Draw, Side::Back)];
    const LAID: [(Outcome, Side); 3] = [TWO[0], TWO[1], (Outcome::Draw, Side::Lay)];

    /// The outcomes of a market, and whether only books count that settle a level result so that two outcomes cover it: by what the book `a`
    /// offers, and where a book of the table (`a`) or another one (`b`) has listed a draw before.
    fn of(
        (key, league): (&str, &str),
        offered: &[(Outcome, Side)],
        drawn: &[&str],
        policy: Policy,
    ) -> (usize, bool) {
        let mut world = World::new(Books::new([("a".into(), book("a", "us"))]), 2);
        world.policy = policy;
        let mut quotes: Vec<_> = offered
            .iter()
            .map(|(outcome, side)| {
                let mut quote = quote(world.book("a"), None, *outcome, price("2"));
                quote.key = quote.key.with_side(*side);
                quote
            })
            .collect();
        quotes.sort_by_key(|quote| quote.key);
        let drawn: Vec<_> = drawn.iter().map(|book| world.book(book)).collect();
        let pricing =
            PricingContext { league, draws: Draws::of(league, Period::FullTime), ..world.pricing() };
        let set = outcomes(market(key), (&quotes, &drawn), pricing);
        (set.outcomes.len(), set.is_refunding)
    }

    #[test]
    fn a_sport_says_whether_a_draw_is_an_outcome() {
        for (league, expected) in [
            ("boxing_x", (2, true)),
            ("handball_x", (2, true)),
            ("americanfootball_nfl", (2, true)),
            ("soccer_epl", (3, false)),
            ("tennis_x", (2, false)),
            ("icehockey_nhl", (2, false)),
            ("curling_x", (3, false)),
        ] {
            assert_eq!(of(("h2h", league), &TWO, &[], Policy::Board), expected, "{league}");
            assert_eq!(of(("h2h", league), &TWO, &["a"], Policy::Raw), (2, false), "{league}");
            assert_eq!(of(("h2h", league), &BACKED, &[], Policy::Raw), (3, false), "{league}");
            assert_eq!(of(("h2h", league), &LAID, &[], Policy::Raw), (2, false), "raw has no lays");
            assert_eq!(of(("h2h_h1", league), &TWO, &[], Policy::Board), (2, true), "a half can end level");
        }
    }

    #[test]
    fn a_draw_that_was_listed_by_a_book_of_the_table_stays_an_outcome() {
        for league in ["boxing_x", "rugbyleague_nrl"] {
            assert_eq!(of(("h2h", league), &TWO, &["a"], Policy::Board), (3, false), "{league}");
            assert_eq!(of(("h2h", league), &TWO, &["b"], Policy::Board), (2, true), "{league}");
        }
        assert_eq!(
            of(("h2h", "icehockey_nhl"), &TWO, &["a"], Policy::Board),
            (2, false),
            "it is another market"
        );
    }

    #[test]
    fn other_markets_have_their_outcomes_whatever_is_offered() {
        for policy in [Policy::Board, Policy::Raw] {
            let count = |key, league| of((key, league), &TWO, &["a"], policy).0;
            assert_eq!((count("h2h_3_way", "tennis_x"), count("draw_no_bet", "soccer_x")), (3, 2));
            assert_eq!((count("spreads", "soccer_x"), count("totals_h1", "soccer_x")), (2, 2));
        }
    }
}
