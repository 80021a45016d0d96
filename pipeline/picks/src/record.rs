//! The statistics of a record: what its bets returned, and how far that can be luck.
//!
//! Profit is per unit staked, at flat stakes. The standard error takes bets for independent; the bootstrap draws whole match days, because bets of one
//! day can share what moves them. It never leaves out a bet: a void one has profit 0.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Display, Formatter};

use fastrand::Rng;

use crate::significance::upper_tail;

/// Samples of the bootstrap.
const SAMPLES: usize = 2_000;
/// Seed of the bootstrap.
const SEED: u64 = 24;
/// Match days below which there is no interval: bets of one day win and lose together, and of few days no spread is known.
pub const LEAST_DAYS: usize = 10;
/// Probabilities are kept this far from 0 and 1 for the log score.
const LEAST_PROBABILITY: f64 = 1e-9;
/// Profit above this many standard errors is distinguished from luck (one-sided, 5 %).
const T_OF_LEVEL: f64 = 1.645;

/// A graded bet.
#[derive(Debug, Clone, PartialEq)]
pub struct GradedBet {
    /// The day of its match, in any text that names the day.
    pub day: String,
    /// Profit per unit staked.
    pub profit: f64,
    /// The decimal odds it was bet at.
    pub odds: f64,
    /// The probability that the bot took for fair.
    pub probability: f64,
    /// Fair probability at the close, where there is a closing reference.
    pub closing: Option<f64>,
    /// Whether what it bet on came about; `None` where the bet was void, a push or half of either.
    pub won: Option<bool>,
}

/// A mean with its standard error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mean {
    /// How many values.
    pub count: usize,
    /// Their mean; 0 without values.
    pub mean: f64,
    /// Standard error of the mean; infinite with fewer than two values.
    pub standard_error: f64,
}

impl Mean {
    /// Of values.
    #[must_use]
    pub fn of(values: &[f64]) -> Self {
        let count = values.len();
        let mean = values.iter().sum::<f64>() / count.max(1) as f64;
        if count < 2 {
            return Self { count, mean, standard_error: f64::INFINITY };
        }
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let variance = squares / (count - 1) as f64;
        Self { count, mean, standard_error: (variance / count as f64).sqrt() }
    }

    /// Mean over standard error; 0 where there is no error to divide by.
    #[must_use]
    pub fn t(&self) -> f64 {
        if self.standard_error > 0.0 { self.mean / self.standard_error } else { 0.0 }
    }

    /// The probability of a mean this high or higher, were the true one 0.
    #[must_use]
    pub fn p_value(&self) -> f64 {
        upper_tail(self.t())
    }
}

/// Brier and log score of probabilities for bets that were decided; lower is better.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scores {
    /// Bets that were scored.
    pub count: usize,
    /// Mean squared difference of probability and what happened.
    pub brier: f64,
    /// Mean of minus the logarithm of the probability of what happened.
    pub log: f64,
}

/// Bets whose probability is within one tenth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Decile {
    /// Mean probability that the bot stated.
    pub stated: f64,
    /// The part that was won.
    pub won: f64,
    /// How many bets.
    pub count: usize,
}

/// The sum of profits after so many bets, with how far luck alone may have moved it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EquityPoint {
    /// Bets by then.
    pub bets: usize,
    /// The sum of their profits, in units.
    pub profit: f64,
    /// The sum less and plus 1.96 standard errors of it, bets being independent; `None` while they are of fewer than [`LEAST_DAYS`] match days.
    pub interval: Option<(f64, f64)>,
}

/// The sum of profits, bet by bet in the order in which they were settled: at most so many points, evenly spaced, and the last.
#[must_use]
pub fn equity(bets: &[GradedBet], most: usize) -> Vec<EquityPoint> {
    let step = bets.len().div_ceil(most.max(1)).max(1);
    let (mut sum, mut squares) = (0.0, 0.0);
    let (mut days, mut points) = (BTreeSet::new(), Vec::new());
    for (index, bet) in bets.iter().enumerate() {
        (sum, squares) = (sum + bet.profit, squares + bet.profit * bet.profit);
        days.insert(bet.day.as_str());
        let count = index + 1;
        if count % step == 0 || count == bets.len() {
            let n = count as f64;
            // The variance of a bet, times the number of bets.
            let variance = (squares - sum * sum / n).max(0.0) / (n - 1.0) * n;
            let half = 1.96 * variance.sqrt();
            let interval = (days.len() >= LEAST_DAYS).then_some((sum - half, sum + half));
            points.push(EquityPoint { bets: count, profit: sum, interval });
        }
    }
    points
}

/// The statistics of bets.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// Profit per unit.
    pub profit: Mean,
    /// From the 2.5th to the 97.5th percentile of mean profit, match days drawn again; `None` with fewer than [`LEAST_DAYS`] of them.
    pub interval: Option<(f64, f64)>,
    /// Closing-line value: odds times the closing fair probability, minus 1, of bets that have one.
    pub closing_value: Mean,
    /// Scores of the bot's probabilities, over bets that have a closing reference.
    pub scores: Scores,
    /// Scores of the closing reference over the same bets.
    pub closing_scores: Scores,
    /// Calibration: ten ranges of probability, lowest first; a range without bets has count 0.
    pub deciles: Vec<Decile>,
    /// The deepest fall of the sum of profits from its highest point before, in units.
    pub drawdown: f64,
}

impl Summary {
    /// Of bets in the order in which they were settled.
    #[must_use]
    pub fn of(bets: &[GradedBet]) -> Self {
        let profits: Vec<_> = bets.iter().map(|bet| bet.profit).collect();
        let closing = |bet: &GradedBet| bet.closing.map(|closing| bet.odds * closing - 1.0);
        let closing_values: Vec<_> = bets.iter().filter_map(closing).collect();
        let scored = || bets.iter().filter_map(|bet| Some((bet.probability, bet.closing?, bet.won?)));
        Self {
            profit: Mean::of(&profits),
            interval: bootstrap(bets),
            closing_value: Mean::of(&closing_values),
            scores: scores(scored().map(|(stated, _, won)| (stated, won))),
            closing_scores: scores(scored().map(|(_, closing, won)| (closing, won))),
            deciles: deciles(bets.iter().filter_map(|bet| Some((bet.probability, bet.won?)))),
            drawdown: drawdown(&profits),
        }
    }

    /// One sentence on what the evidence allows.
    #[must_use]
    pub fn sentence(&self) -> String {
        let Mean { count, mean, standard_error } = self.profit;
        if count < 2 {
            return "There are too few bets to say anything.".to_owned();
        }
        let (mean, error) = (100.0 * mean, 100.0 * standard_error);
        let numbers = format!("{mean:+.2} % with a standard error of {error:.2} over {count} bets");
        if self.profit.t() > T_OF_LEVEL {
            format!(
                "A profit of {numbers} is more than luck alone explains at 5 %, if this is the only trial."
            )
        } else if self.profit.t() < -T_OF_LEVEL {
            format!("A loss of {numbers} is more than bad luck alone explains at 5 %.")
        } else {
            format!("A return of {numbers} cannot be told from luck.")
        }
    }
}

impl Display for Summary {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let percent = |share: f64| 100.0 * share;
        let Mean { count, mean, standard_error } = self.profit;
        write!(f, "| {count} | {:+.2} ", percent(mean))?;
        if standard_error.is_finite() {
            write!(f, "| {:.2} ", percent(standard_error))?;
        } else {
            write!(f, "| not available ")?;
        }
        match self.interval {
            Some((low, high)) => write!(f, "| {:+.2} to {:+.2} ", percent(low), percent(high))?,
            None => write!(f, "| not available ")?,
        }
        match self.closing_value.count {
            0 => write!(f, "| not available | 0 | not available | not available ")?,
            known => {
                let coverage = percent(known as f64 / count.max(1) as f64);
                write!(f, "| {:+.2} | {coverage:.1} ", percent(self.closing_value.mean))?;
                write!(f, "| {:.4} / {:.4} ", self.scores.brier, self.closing_scores.brier)?;
                write!(f, "| {:.4} / {:.4} ", self.scores.log, self.closing_scores.log)?;
            }
        }
        write!(f, "| {:.1} |", self.drawdown)
    }
}

fn bootstrap(bets: &[GradedBet]) -> Option<(f64, f64)> {
    let mut days: BTreeMap<&str, (f64, usize)> = BTreeMap::new();
    for bet in bets {
        let day = days.entry(&bet.day).or_default();
        *day = (day.0 + bet.profit, day.1 + 1);
    }
    let days: Vec<_> = days.into_values().collect();
    if days.len() < LEAST_DAYS {
        return None;
    }
    let mut rng = Rng::with_seed(SEED);
    let mut means: Vec<_> = (0..SAMPLES)
        .map(|_| {
            let drawn = (0..days.len()).map(|_| days[rng.usize(..days.len())]);
            let (sum, count) = drawn.fold((0.0, 0), |all, day| (all.0 + day.0, all.1 + day.1));
            sum / count as f64
        })
        .collect();
    means.sort_by(f64::total_cmp);
    Some((means[SAMPLES / 40], means[SAMPLES - 1 - SAMPLES / 40]))
}

/// Scores of stated probabilities, each with whether it came about.
fn scores(stated: impl Iterator<Item = (f64, bool)>) -> Scores {
    let (mut count, mut brier, mut log) = (0_usize, 0.0, 0.0);
    for (probability, won) in stated {
        let of_what_happened = if won { probability } else { 1.0 - probability };
        count += 1;
        brier += (1.0 - of_what_happened).powi(2);
        log -= of_what_happened.max(LEAST_PROBABILITY).ln();
    }
    let divisor = count.max(1) as f64;
    Scores { count, brier: brier / divisor, log: log / divisor }
}

/// Stated probabilities by tenths, each with whether it came about.
pub(crate) fn deciles(stated: impl Iterator<Item = (f64, bool)>) -> Vec<Decile> {
    let mut sums = [(0.0, 0.0, 0_usize); 10];
    for (probability, hit) in stated {
        let tenth = (1..10).filter(|tenth| f64::from(*tenth) / 10.0 <= probability).count();
        let (stated, won, count) = &mut sums[tenth];
        *stated += probability;
        *won += f64::from(u8::from(hit));
        *count += 1;
    }
    let decile = |(stated, won, count): (f64, f64, usize)| {
        let divisor = count.max(1) as f64;
        Decile { stated: stated / divisor, won: won / divisor, count }
    };
    sums.into_iter().map(decile).collect()
}

fn drawdown(profits: &[f64]) -> f64 {
    let (mut sum, mut highest, mut deepest): (f64, f64, f64) = (0.0, 0.0, 0.0);
    for profit in profits {
        sum += profit;
        highest = highest.max(sum);
        deepest = deepest.max(highest - sum);
    }
    deepest
}

#[cfg(test)]
mod tests;
