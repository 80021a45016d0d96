//! The rules by which bots pick: pure functions of prices before the event, each with a version.
//!
//! A change of a rule or of a constant is a new version, because the record of a bot belongs to its version. Since version 2 all take eligible bets only, and
//! judge them by medians of other operators. A bot never sees a result or a closing price.
//!
//! Source of `consensus`: Kaunitz, Zhong, Kreiner 2017, "Beating the bookies with their own numbers".

/// What `consensus` takes off the average's probability, for the margin and for its error.
const CONSENSUS_DISCOUNT: f64 = 0.05;
/// The least value that `sharp` bets at: 2 %.
const SHARP_VALUE: f64 = 0.02;
/// A highest price is plausible from this part of the average on.
const PLAUSIBLE_FROM: f64 = 0.99;
/// And up to this multiple of it; above, it is taken for a typing error.
const PLAUSIBLE_TO: f64 = 1.6;

/// The least value that `model` bets at: 2 %.
const MODEL_VALUE: f64 = 0.02;

/// The least rise of the implied probability that `steam` follows.
const STEAM_RISE: f64 = 0.02;
/// The least value that `steam` and `stale` bet at: 1 %.
const SIGNAL_VALUE: f64 = 0.01;
/// The least share of operators that have moved, of a signal that `steam` or `stale` follows.
const SIGNAL_SHARE: f64 = 0.5;

/// A bot with its version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Bot {
    /// Bets where a price is well above what the median price of the other operators is worth.
    Consensus,
    /// Bets where a price is above the fair price of a sharp book.
    Sharp,
    /// Follows books that shorten one outcome together.
    Steam,
    /// Bets at a book that has not followed the others.
    Stale,
    /// Bets where a price is above what a trained model makes of all books' prices.
    Model,
}

impl Bot {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Consensus, Self::Sharp, Self::Steam, Self::Stale, Self::Model];

    /// The names of all of them.
    pub const KEYS: [&str; 5] = {
        let mut keys = [""; 5];
        let mut at = 0;
        while at < keys.len() {
            keys[at] = Self::ALL[at].key();
            at += 1;
        }
        keys
    };

    /// Its name.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::Consensus => "consensus",
            Self::Sharp => "sharp",
            Self::Steam => "steam",
            Self::Stale => "stale",
            Self::Model => "model",
        }
    }

    /// The version of its rule.
    #[must_use]
    pub fn version(self) -> u32 {
        match self {
            Self::Consensus | Self::Sharp | Self::Steam | Self::Stale | Self::Model => 2,
        }
    }

    /// It bets at no higher decimal odds. From 20 on the discount of `consensus` is more than the whole probability of an average price; of the others the
    /// methods that remove a margin differ most on long shots.
    #[must_use]
    pub fn most_odds(self) -> f64 {
        match self {
            Self::Consensus => 20.0,
            Self::Sharp | Self::Steam | Self::Stale | Self::Model => 11.0,
        }
    }

    /// What it does, in one sentence.
    #[must_use]
    pub fn rule(self) -> &'static str {
        match self {
            Self::Consensus => "Bets where a price is well above what the median price of others is worth.",
            Self::Sharp => "Bets where a price is at least 2 % above the fair price of a sharp book.",
            Self::Steam => "Follows books that shorten one outcome together, at a price that still pays.",
            Self::Stale => "Bets at a book that has not followed the others.",
            Self::Model => {
                "Bets where a price is at least 2 % above what a trained model makes of the books' prices."
            }
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
pub fn is_plausible(average: &[f64], highest: &[f64]) -> bool {
    keeps_margin(average) && are_near(average, highest)
}

/// Whether each highest price is from 0.99 to 1.6 times its average.
#[must_use]
pub fn are_near(average: &[f64], highest: &[f64]) -> bool {
    let near = |(average, highest): (&f64, &f64)| {
        PLAUSIBLE_FROM * average <= *highest && *highest <= PLAUSIBLE_TO * average
    };
    average.iter().zip(highest).all(near)
}

/// Whether implied probabilities sum to more than 1.
#[must_use]
pub fn keeps_margin(prices: &[f64]) -> bool {
    prices.iter().map(|price| 1.0 / price).sum::<f64>() > 1.0
}

/// The outcome with the highest value, where (1 / average - 0.05) * price is above 1. One average and one price an outcome: the published rule by
/// means, which is version 1, and by medians of other operators version 2.
#[must_use]
pub fn consensus(average: &[f64], prices: &[f64]) -> Option<Pick> {
    let discounted: Vec<_> = average.iter().map(|average| 1.0 / average - CONSENSUS_DISCOUNT).collect();
    most_valuable(&discounted, prices).filter(|pick| pick.probability * pick.odds > 1.0)
}

/// The outcome with the highest value, where fair probability * price is at least 1.02. One probability and one price an outcome.
#[must_use]
pub fn sharp(fair: &[f64], prices: &[f64]) -> Option<Pick> {
    most_valuable(fair, prices).filter(|pick| pick.probability * pick.odds - 1.0 >= SHARP_VALUE)
}

/// The outcome with the highest value, where the model's probability * price is at least 1.02. One probability and one price an outcome.
#[must_use]
pub fn model(probabilities: &[f64], prices: &[f64]) -> Option<Pick> {
    most_valuable(probabilities, prices).filter(|pick| pick.probability * pick.odds - 1.0 >= MODEL_VALUE)
}

/// Whether `steam` bets: the implied probability rose by two points or more at half of the operators or more, and the price pays 1 %
/// by the fair probability of the books that moved.
#[must_use]
pub fn steam(rise: f64, share: f64, fair: f64, odds: f64) -> bool {
    rise >= STEAM_RISE && stale(share, fair, odds)
}

/// Whether `stale` bets: half of the operators or more have moved, and the price that has not pays 1 % by their fair probability.
#[must_use]
pub fn stale(share: f64, fair: f64, odds: f64) -> bool {
    share >= SIGNAL_SHARE && fair * odds - 1.0 >= SIGNAL_VALUE
}

/// The outcome with the highest product of probability and price; of equal ones the first.
fn most_valuable(probabilities: &[f64], prices: &[f64]) -> Option<Pick> {
    let pairs = probabilities.iter().zip(prices).enumerate();
    let picks =
        pairs.map(|(outcome, (probability, odds))| Pick { outcome, odds: *odds, probability: *probability });
    let value = |pick: &Pick| pick.probability * pick.odds;
    picks.reduce(|best, next| if value(&next) > value(&best) { next } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn consensus_bets_five_points_below_the_average() {
        // 1 / 2 - 0.05 = 0.45, and 0.45 * 2.3 = 1.035.
        let pick = consensus(&[2.0, 3.5, 4.0], &[2.3, 3.5, 4.0]).unwrap();
        assert_eq!((pick.outcome, pick.odds), (0, 2.3));
        assert!((pick.probability - 0.45).abs() < 1e-12);
        assert_eq!(consensus(&[2.0, 3.5, 4.0], &[2.2, 3.5, 4.0]), None, "0.45 * 2.2 = 0.99");
    }

    #[test]
    fn sharp_bets_from_two_percent_on_and_takes_the_best() {
        let fair = [0.5, 0.3, 0.2];
        assert_eq!(sharp(&fair, &[2.039, 3.3, 5.0]), None, "1.95 %");
        assert_eq!(sharp(&fair, &[2.05, 3.3, 5.2]).map(|pick| pick.outcome), Some(2), "4 % is above 2.5 %");
    }

    #[test]
    fn model_bets_from_two_percent_on() {
        assert_eq!(model(&[0.5, 0.3, 0.2], &[2.039, 3.3, 5.0]), None, "1.95 %");
        assert_eq!(model(&[0.5, 0.3, 0.2], &[2.04, 3.3, 5.0]).map(|pick| pick.outcome), Some(0));
    }

    #[test]
    fn absurd_highest_prices_are_not_plausible() {
        let average = [2.0, 3.5, 4.0];
        assert!(is_plausible(&average, &[2.1, 3.6, 4.2]));
        assert!(!is_plausible(&average, &[2.1, 3.6, 40.0]));
        assert!(!is_plausible(&average, &[1.9, 3.6, 4.2]), "a highest price below the average");
        assert!(!is_plausible(&[2.2, 3.9, 4.5], &[2.3, 4.0, 4.6]), "no margin");
    }

    #[test]
    fn signals_need_a_move_of_many_and_a_price_that_pays() {
        // 0.5 * 2.02 = 1.01.
        assert!(steam(0.02, 0.5, 0.5, 2.02) && stale(0.5, 0.5, 2.02));
        assert!(!steam(0.019, 0.5, 0.5, 2.02), "a small move");
        assert!(!steam(0.02, 0.49, 0.5, 2.02) && !stale(0.49, 0.5, 2.02), "few moved");
        assert!(!steam(0.02, 0.5, 0.5, 2.0) && !stale(0.5, 0.5, 2.0), "the price pays nothing");
    }
}
