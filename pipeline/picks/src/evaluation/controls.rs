//! Negative controls: runs that must not find a profit, because what they pick by has no information about the match.
//!
//! They never count as trials. Random numbers come from a generator with a fixed seed.

use fastrand::Rng;

use super::{Judged, Run};
use crate::bots::{self, Pick};
use crate::history::Three;
use crate::record::{GradedBet, Summary};

/// Seed of the controls, as in `docs/bots/hypothesis.md`.
const SEED: u64 = 24;
/// Where bands of Pinnacle's odds end.
const BANDS: [f64; 5] = [1.5, 2.0, 3.0, 5.0, 10.0];

/// All controls.
pub(super) fn runs(judging: &[Judged<'_>]) -> Vec<Run> {
    let run = |name: &str, bets: &[GradedBet]| Run { name: name.to_owned(), summary: Summary::of(bets) };
    vec![run("random", &random(judging)), run("shuffled", &shuffled(judging))]
}

/// Any outcome of each match.
fn random(judging: &[Judged<'_>]) -> Vec<GradedBet> {
    let mut rng = Rng::with_seed(SEED);
    let bet = |judged: &Judged<'_>| {
        let outcome = rng.usize(..3);
        let pick = Pick { outcome, odds: judged.prices[outcome], probability: judged.fair[outcome] };
        judged.graded(&pick)
    };
    judging.iter().filter_map(bet).collect()
}

/// `sharp`, after the ratios of price to fair price were exchanged within a season and a band of odds.
fn shuffled(judging: &[Judged<'_>]) -> Vec<GradedBet> {
    let mut ratios: Vec<Three> = judging.iter().map(|judged| product(judged.prices, judged.fair)).collect();
    let mut rng = Rng::with_seed(SEED);
    for places in groups(judging) {
        let mut exchanged: Vec<_> = places.iter().map(|(row, outcome)| ratios[*row][*outcome]).collect();
        rng.shuffle(&mut exchanged);
        for ((row, outcome), ratio) in places.into_iter().zip(exchanged) {
            ratios[row][outcome] = ratio;
        }
    }
    let bet = |(judged, ratios): (&Judged<'_>, Three)| {
        let prices = [0, 1, 2].map(|outcome| ratios[outcome] / judged.fair[outcome]);
        judged.graded(&bots::sharp(&judged.fair, &prices)?)
    };
    judging.iter().zip(ratios).filter_map(bet).collect()
}

/// Rows and outcomes of each season and band.
fn groups(judging: &[Judged<'_>]) -> Vec<Vec<(usize, usize)>> {
    let mut groups = std::collections::BTreeMap::<_, Vec<_>>::new();
    for (row, judged) in judging.iter().enumerate() {
        for (outcome, odds) in judged.pinnacle.iter().enumerate() {
            let band = BANDS.iter().filter(|edge| *edge <= odds).count();
            groups.entry((judged.found.season, band)).or_default().push((row, outcome));
        }
    }
    groups.into_values().collect()
}

fn product(a: Three, b: Three) -> Three {
    [0, 1, 2].map(|outcome| a[outcome] * b[outcome])
}
