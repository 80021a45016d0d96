//! How well the model's probabilities fit what happened, beside those of the consensus that it corrects.
//!
//! Every outcome of a match counts. It is no trial: nothing is bet.

use super::forecast_of;
use crate::history::{Match, Three};
use crate::model::Forecast;
use crate::record::{Decile, deciles};

/// Scores over matches; lower is better.
#[derive(Debug, Clone, PartialEq)]
pub struct ForecastScores {
    /// Matches that the model can judge.
    pub matches: usize,
    /// Mean log score and mean Brier score of the model, per match.
    pub model: [f64; 2],
    /// The same of the consensus.
    pub consensus: [f64; 2],
    /// Calibration of the model over all outcomes.
    pub deciles: Vec<Decile>,
}

impl ForecastScores {
    /// Over the matches whose columns before the close are prices before the close.
    pub(super) fn of<'a>(matches: impl Iterator<Item = &'a Match>) -> Self {
        let known = matches.filter(|found| found.has_opening_prices);
        let all: Vec<(Forecast, Three<bool>)> =
            known.filter_map(|found| Some((forecast_of(found)?, happened(found)))).collect();
        let mean = |stated: fn(&Forecast) -> Three| {
            let scores = all.iter().map(|(forecast, won)| scores(stated(forecast), *won));
            let sums = scores.fold([0.0; 2], |sums, score| [sums[0] + score[0], sums[1] + score[1]]);
            sums.map(|sum| sum / all.len().max(1) as f64)
        };
        let outcomes = all.iter().flat_map(|(forecast, won)| forecast.probabilities.into_iter().zip(*won));
        Self {
            matches: all.len(),
            model: mean(|forecast| forecast.probabilities),
            consensus: mean(|forecast| forecast.consensus),
            deciles: deciles(outcomes),
        }
    }
}

fn happened(found: &Match) -> Three<bool> {
    let (home, away) = found.goals;
    [home > away, home == away, home < away]
}

/// Log and Brier score of one match.
fn scores(stated: Three, won: Three<bool>) -> [f64; 2] {
    let pairs = || stated.into_iter().zip(won);
    let log = pairs().filter(|(_, won)| *won).map(|(stated, _)| -stated.ln()).sum();
    [log, pairs().map(|(stated, won)| (stated - f64::from(u8::from(won))).powi(2)).sum()]
}
