//! What a price is worth in the form of its book and after its fees, in a league and at a time.
//!
//! It never compares prices.

use crate::Micros;
use crate::market::{Names, Period, Policy, QuoteKey, Side, Symbol};
use crate::odds::{OddsFormat, Price};

use super::level::Level;
use super::sport::Draws;
use super::table::Venues;

/// The prices of an event: books, fees and rules.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PricingContext<'a> {
    pub(crate) policy: Policy,
    pub(crate) league: &'a str,
    /// How the winner of a whole match of the league is sold.
    pub(crate) draws: Draws,
    pub(crate) names: &'a Names,
    pub(crate) venues: &'a Venues,
    /// For what total stakes are computed where limits allow it, in minor units.
    pub(crate) total_stake: i64,
}

impl PricingContext<'_> {
    /// A price after the fees of that time, as a back price; where nothing is left to win, the lowest price.
    /// The raw policy has no fees, and takes prices as they are written.
    pub(crate) fn effective(&self, key: QuoteKey, price: Price, format: OddsFormat, at: Micros) -> Price {
        if self.policy == Policy::Raw {
            return price;
        }
        let price = self.native(key, price, format);
        if self.is_free_back(key) {
            return price;
        }
        let fee = self.venues.venue(key.book()).book.fee_in(self.league, at);
        let effective = match key.side() {
            Side::Back => fee.back(price),
            Side::Lay => fee.lay(price),
        };
        effective.unwrap_or(Price::LEAST)
    }

    /// Whether a book is known to settle a level result, where no draw is listed, so that bets on both sides at such books cover it: stakes
    /// come back, half of each wins, or play goes on.
    pub(crate) fn covers_level(&self, book: Symbol, period: Period) -> bool {
        let level = self.venues.venue(book).book.clauses.level(self.league, period);
        matches!(level, Some(Level::Refunded | Level::DeadHeat | Level::Impossible))
    }

    /// What a price in a format is worth that was worth so much at another time: the same where nothing depends on the time.
    pub(crate) fn effective_still(
        &self,
        key: QuoteKey,
        (price, format, was): (Price, OddsFormat, Price),
        at: Micros,
    ) -> Price {
        let is_timeless = self.policy == Policy::Raw || self.is_free_back(key);
        if is_timeless { was } else { self.effective(key, price, format, at) }
    }

    /// Whether a bet is a back at a book that keeps nothing.
    fn is_free_back(&self, key: QuoteKey) -> bool {
        key.side() == Side::Back && self.venues.is_free(key.book())
    }

    /// The worst price in the book's own form that is written as a price; the price itself where the form is not known, and under the
    /// policy `raw`.
    pub(crate) fn native(&self, key: QuoteKey, price: Price, format: OddsFormat) -> Price {
        let form = self.venues.native_of(key.book()).filter(|_| self.policy == Policy::Board);
        form.map_or(price, |form| form.worst(price, format, key.side()))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::books::{Book, Books, DatedFee};
    use super::super::evidence::Evidence;
    use super::super::fees::Fee;
    use super::*;
    use crate::fixtures::{World, book, price};
    use crate::market::Outcome;

    /// `a` keeps nothing, `b` 2 % of winnings, and 5 % of those in baseball from second 100 on.
    fn world() -> World {
        let fee = |from, league: Option<&str>, ppm| DatedFee {
            evidence: Evidence { from, ..Evidence::default() },
            league: league.map(Into::into),
            ..DatedFee::always(Fee::Commission { ppm })
        };
        let book = |fees| Book { fees, ..book("x", "us") };
        let charging = vec![fee(Micros::MIN, None, 20_000), fee(100_000_000, Some("baseball"), 50_000)];
        World::new(Books::new([("a".into(), book(vec![])), ("b".into(), book(charging))]), 2)
    }

    fn effective(world: &World, book: &str, side: Side, decimal: &str, at: Micros) -> Price {
        let key = QuoteKey::new(None, Outcome::Home, side, world.book(book));
        world.pricing().effective(key, price(decimal), OddsFormat::Unknown, at)
    }

    #[test]
    fn a_price_is_worth_what_the_fee_of_its_time_leaves() {
        let world = world();
        assert_eq!(effective(&world, "a", Side::Back, "3", 0), price("3"));
        assert_eq!(effective(&world, "b", Side::Back, "3", 99_999_999), price("2.96"));
        assert_eq!(effective(&world, "b", Side::Back, "3", 100_000_000), price("2.9"));
        // Laying at 3 is backing the rest at 1 + 1/2, and at 1 + 0.95/2 after the fee.
        assert_eq!(effective(&world, "a", Side::Lay, "3", 0), price("1.5"));
        assert_eq!(effective(&world, "b", Side::Lay, "3", 100_000_000), price("1.475"));
    }

    #[test]
    fn the_raw_policy_knows_no_fee() {
        let mut world = world();
        world.policy = Policy::Raw;
        for side in [Side::Back, Side::Lay] {
            assert_eq!(effective(&world, "b", side, "3", 100_000_000), price("3"));
        }
    }

    #[test]
    fn the_commissions_of_a_user_stand_in_place_of_those_of_the_table() {
        let mut world = world();
        let commissions = [("a".to_owned(), 100_000), ("nobody".to_owned(), 1)].into();
        world.venues = world.venues.at_commissions(&world.names, &commissions);
        assert_eq!(effective(&world, "a", Side::Back, "3", 0), price("2.8"));
        assert_eq!(effective(&world, "b", Side::Back, "3", 100_000_000), price("2.9"));
    }

    proptest! {
        /// Fees only take, and take in order: of two prices the higher stays at least as good.
        #[test]
        fn a_fee_never_turns_two_prices_round(prices in prop::array::uniform2(1_010_000..1_001_000_000_i64), lay: bool) {
            let (world, side) = (world(), if lay { Side::Lay } else { Side::Back });
            let key = QuoteKey::new(None, Outcome::Home, side, world.book("b"));
            let [low, high] = {
                let mut prices = prices.map(|price| Price::from_millionths(price).unwrap());
                prices.sort_unstable();
                prices
            };
            let [of_low, of_high] = [low, high].map(|price| world.pricing().effective(key, price, OddsFormat::Unknown, 0));
            if lay {
                prop_assert!(of_high <= of_low);
            } else {
                prop_assert!(of_low <= of_high && of_high <= high);
            }
        }
    }
}
