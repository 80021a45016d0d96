//! The rules by which bots pick: pure functions of prices before the event, each with a version.
//!
//! A change of a rule or of a constant is a new version, because the record of a bot belongs to its version. A bot never sees a result or a closing
//! price.
//!
//! Source of `consensus`: Kaunitz, Zhong, Kreiner 2017, "Beating the bookies with their own numbers".

/// A value each of home, draw and away, in this order.
pub type Three<T = f64> = [T; 3];

/// What `consensus` takes off the average's probability, for the margin and for its error.
const CONSENSUS_DISCOUNT: f64 = 0.05;
/// The least value that `sharp` bets at: 2 %.
const SHARP_VALUE: f64 = 0.02;
/// A highest price is plausible from this part of the average on.
const PLAUSIBLE_FROM: f64 = 0.99;
/// And up to this multiple of it; above, it is taken for a typing error.
const PLAUSIBLE_TO: f64 = 1.6;

/// A bot with its version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bot {
    /// Bets where a price is well above what the average price is worth.
    Consensus,
    /// Bets where a price is above the fair price of a sharp book.
    Sharp,
}

impl Bot {
    /// Its name.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Consensus => "consensus",
            Self::Sharp => "sharp",
        }
    }

    /// The version of its rule.
    #[must_use]
    pub fn version(self) -> u32 {
        match self {
            Self::Consensus | Self::Sharp => 1,
        }
    }

    /// Its pick at these prices. `reference` are the average prices for `consensus`, and the fair probabilities of the sharp book for `sharp`.
    #[must_use]
    pub fn pick(self, reference: Three, prices: Three) -> Option<Pick> {
        match self {
            Self::Consensus => consensus(reference, prices),
            Self::Sharp => sharp(reference, prices),
        }
    }
}

/// A bet that a bot picks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pick {
    /// Which of home, draw and away: 0, 1 or 2.
    pub outcome: usize,
    /// The decimal odds it is bet at.
    pub odds: f64,
    /// The probability that the bot takes for fair.
    pub probability: f64,
}

/// Whether the average prices keep a margin and each highest price is near its average.
#[must_use]
pub fn is_plausible(average: Three, highest: Three) -> bool {
    let near = |(average, highest): (&f64, &f64)| {
        PLAUSIBLE_FROM * average <= *highest && *highest <= PLAUSIBLE_TO * average
    };
    keeps_margin(average) && average.iter().zip(&highest).all(near)
}

/// Whether implied probabilities sum to more than 1.
#[must_use]
pub fn keeps_margin(prices: Three) -> bool {
    prices.iter().map(|price| 1.0 / price).sum::<f64>() > 1.0
}

/// The outcome with the highest value, where (1 / average - 0.05) * price is above 1.
#[must_use]
pub fn consensus(average: Three, prices: Three) -> Option<Pick> {
    let pick = most_valuable(average.map(|average| 1.0 / average - CONSENSUS_DISCOUNT), prices);
    (pick.probability * pick.odds > 1.0).then_some(pick)
}

/// The outcome with the highest value, where fair probability * price is at least 1.02.
#[must_use]
pub fn sharp(fair: Three, prices: Three) -> Option<Pick> {
    let pick = most_valuable(fair, prices);
    (pick.probability * pick.odds - 1.0 >= SHARP_VALUE).then_some(pick)
}

/// The outcome with the highest product of probability and price; of equal ones the first.
fn most_valuable(probabilities: Three, prices: Three) -> Pick {
    let pick = |outcome: usize| Pick { outcome, odds: prices[outcome], probability: probabilities[outcome] };
    let value = |pick: &Pick| pick.probability * pick.odds;
    [1, 2]
        .into_iter()
        .map(pick)
        .fold(pick(0), |best, next| if value(&next) > value(&best) { next } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn consensus_bets_five_points_below_the_average() {
        // 1 / 2 - 0.05 = 0.45, and 0.45 * 2.3 = 1.035.
        let pick = consensus([2.0, 3.5, 4.0], [2.3, 3.5, 4.0]).unwrap();
        assert_eq!((pick.outcome, pick.odds), (0, 2.3));
        assert!((pick.probability - 0.45).abs() < 1e-12);
        assert_eq!(consensus([2.0, 3.5, 4.0], [2.2, 3.5, 4.0]), None, "0.45 * 2.2 = 0.99");
    }

    #[test]
    fn sharp_bets_from_two_percent_on_and_takes_the_best() {
        let fair = [0.5, 0.3, 0.2];
        assert_eq!(sharp(fair, [2.039, 3.3, 5.0]), None, "1.95 %");
        assert_eq!(sharp(fair, [2.05, 3.3, 5.2]).map(|pick| pick.outcome), Some(2), "4 % is above 2.5 %");
    }

    #[test]
    fn absurd_highest_prices_are_not_plausible() {
        let average = [2.0, 3.5, 4.0];
        assert!(is_plausible(average, [2.1, 3.6, 4.2]));
        assert!(!is_plausible(average, [2.1, 3.6, 40.0]));
        assert!(!is_plausible(average, [1.9, 3.6, 4.2]), "a highest price below the average");
        assert!(!is_plausible([2.2, 3.9, 4.5], [2.3, 4.0, 4.6]), "no margin");
    }
}
