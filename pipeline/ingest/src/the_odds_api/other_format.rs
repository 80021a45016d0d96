//! American odds in a feed of decimal odds: they are refused by the other prices of their book, with a fault that names the cause.
//!
//! A negative number is no decimal price, but 150 is one: as an American price it is 2.5. A whole price of 100 and more is refused where all prices
//! of its book's market are such, and where the back prices of its line would pay everyone: their implied probabilities sum to less than
//! [`OWN_SUM`], which no house offers against itself. What is refused is left out, never converted: the format is a setting. It never looks at another book.

use std::collections::BTreeMap;

use arb_model::Faults;
use arb_schemas::records::{Offer, Side, Tick};

/// What a price of one is in a record.
const ONE: i64 = 1_000_000;
/// The least American price, and it is positive.
const LEAST: i64 = 100 * ONE;
/// What the implied probabilities of one book's back prices of a line sum to at least: 1, less what two digits round.
const OWN_SUM: f64 = 0.99;
/// The fault of a market that is refused whole, or of a line.
pub(super) const FAULT: (&str, &str) = ("price", "is American odds in a feed of decimal odds");

/// Leaves out of the decimal offers of an event what is American odds.
pub(in super::super) fn refuse_american(offers: &mut [Offer], faults: &mut Faults) {
    for offer in offers {
        let before = offer.ticks.len();
        if offer.ticks.iter().all(looks_american) {
            offer.ticks.clear();
        } else {
            refuse_lines(&mut offer.ticks);
        }
        let refused = (before - offer.ticks.len()) as u64;
        if refused > 0 {
            faults.count_many(FAULT.0, FAULT.1, refused);
        }
    }
}

/// Leaves out the back prices that look American of lines whose sum no house offers.
fn refuse_lines(ticks: &mut Vec<Tick>) {
    if !ticks.iter().any(looks_american) {
        return;
    }
    let mut sums: BTreeMap<Option<i32>, f64> = BTreeMap::new();
    for tick in ticks.iter().filter(|tick| tick.side == Side::Back) {
        *sums.entry(tick.line).or_default() += ONE as f64 / tick.price as f64;
    }
    let is_too_good = |tick: &Tick| sums.get(&tick.line).is_some_and(|sum| *sum < OWN_SUM);
    ticks.retain(|tick| tick.side != Side::Back || !looks_american(tick) || !is_too_good(tick));
}

/// Whether a price could be an American one: whole, and 100 or more.
fn looks_american(tick: &Tick) -> bool {
    tick.price >= LEAST && tick.price % ONE == 0
}

#[cfg(test)]
mod tests {
    use arb_model::{OddsFormat, Price};
    use proptest::prelude::*;

    use super::super::Decoder;
    use super::*;

    /// The prices that are left of two markets of a book, as written, and the faults.
    fn left(format: OddsFormat, winner: &[String], total: &[String]) -> (Vec<String>, String) {
        let outcomes = |names: [&str; 3], prices: &[String], point: &str| {
            let of =
                |(name, price): (&str, &String)| format!(r#"{{"name":"{name}","price":{price}{point}}}"#);
            names.into_iter().zip(prices).map(of).collect::<Vec<_>>().join(",")
        };
        let (winner, total) = (
            outcomes(["H", "A", "Draw"], winner, ""),
            outcomes(["Over", "Under", ""], total, ",\"point\":2.5"),
        );
        let events = format!(
            r#"[{{"id":"e","sport_key":"soccer_x","commence_time":"2026-06-21T22:00:00Z","home_team":"H","away_team":"A","bookmakers":[
            {{"key":"b","last_update":"2026-06-21T20:00:00Z","markets":[{{"key":"h2h","outcomes":[{winner}]}},{{"key":"totals","outcomes":[{total}]}}]}}]}}]"#
        );
        let mut faults = Faults::default();
        let poll = Decoder::new(format).answer(&events, 0, &mut faults).expect("a poll");
        let ticks = poll.events.iter().flat_map(|(_, offers)| offers).flat_map(|offer| &offer.ticks);
        let prices = ticks.map(|tick| Price::from_millionths(tick.price).unwrap().decimal().to_string());
        (prices.collect(), faults.to_string())
    }

    fn decimal(winner: &[&str], total: &[&str]) -> (Vec<String>, String) {
        let owned = |prices: &[&str]| prices.iter().map(|price| (*price).to_owned()).collect::<Vec<_>>();
        left(OddsFormat::Decimal, &owned(winner), &owned(total))
    }

    fn refused(count: u32) -> String {
        format!("price is American odds in a feed of decimal odds: {count}")
    }

    #[test]
    fn a_market_of_american_prices_is_refused_and_the_other_stays() {
        let total = ["1.9".to_owned(), "1.95".to_owned()].to_vec();
        assert_eq!(decimal(&["150", "-180"], &["1.9", "1.95"]), (total.clone(), refused(2)));
        assert_eq!(decimal(&["150", "120.0", "240"], &["1.9", "1.95"]), (total.clone(), refused(3)));
        assert_eq!(decimal(&["-110", "-110"], &["1.9", "1.95"]), (total.clone(), refused(2)));
        assert_eq!(decimal(&["1.5", "2.6"], &["-110", "1.95"]).1, refused(1));
    }

    #[test]
    fn one_american_price_is_refused_by_the_others() {
        assert_eq!(
            decimal(&["1.5", "150", "4.5"], &[]),
            (vec!["1.5".to_owned(), "4.5".to_owned()], refused(1))
        );
        assert_eq!(decimal(&["1.06", "1000"], &[]), (vec!["1.06".to_owned()], refused(1)));
    }

    #[test]
    fn long_odds_of_a_house_are_taken() {
        for prices in [
            &["1.001", "151"][..],
            &["1.01", "101"],
            &["1.01", "100", "26"],
            &["1.9", "1.95"],
            &["1.01", "101.5"],
        ] {
            let expected = prices.iter().map(|price| (*price).to_owned()).collect();
            assert_eq!(decimal(prices, &[]), (expected, String::new()));
        }
    }

    /// An American price for a probability, rounded as houses do, and the decimal one of two digits.
    fn written(probability: f64) -> (String, String) {
        let american = if probability < 0.5 {
            100.0 / probability - 100.0
        } else {
            -100.0 * probability / (1.0 - probability)
        };
        (format!("{:.0}", american.round()), format!("{:.2}", (100.0 / probability).floor() / 100.0))
    }

    proptest! {
        /// A house's prices in American odds: none is taken in a feed of decimal odds, all in a feed of American ones, and in decimal odds
        /// the other way round. One American price among its decimal ones is not taken either.
        #[test]
        fn prices_are_taken_in_their_own_format_alone(home in 0.12..0.88_f64, margin in 0.0..0.06_f64, is_home: bool) {
            let both = [home, 1.0 - home].map(|chance| written(chance * (1.0 + margin)));
            let american = both.clone().map(|(american, _)| american).to_vec();
            let decimal = both.clone().map(|(_, decimal)| decimal).to_vec();
            prop_assert_eq!(left(OddsFormat::Decimal, &american, &[]).0, Vec::<String>::new());
            prop_assert_eq!(left(OddsFormat::American, &american, &[]).0.len(), 2);
            prop_assert_eq!(left(OddsFormat::Decimal, &decimal, &[]), (decimal.iter().map(|price| price.parse::<f64>().unwrap().to_string()).collect(), String::new()));
            prop_assert_eq!(left(OddsFormat::American, &decimal, &[]).0, Vec::<String>::new());
            let at = usize::from(is_home);
            let mut mixed = decimal.clone();
            mixed[at].clone_from(&american[at]);
            let (taken, faults) = left(OddsFormat::Decimal, &mixed, &[]);
            prop_assert_eq!((taken.len(), faults), (1, refused(1)), "{:?}", mixed);
        }
    }
}
