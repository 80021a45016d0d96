//! The model in Rust against LightGBM in Python: 10,000 random matches, and, where the data are, the matches of football-data up to 2016.
//!
//! `pipeline/picks/training/train.py` wrote what is expected. No row of the data is in the repository.
#![allow(clippy::unwrap_used)]

mod data;

use arb_model::Price;
use arb_picks::history::Three;
use arb_picks::model::forecast;

const BOOKS: usize = 13;
/// The outputs are equal within this.
const EQUAL: f64 = 1e-6;

/// The generator of `train.py`.
struct Generator(u64);

impl Generator {
    fn draw(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }

    /// The books of a match that have all three prices.
    fn books(&mut self) -> Vec<Three<Price>> {
        let weights = [(); 3].map(|()| 5 + self.draw(86));
        let sum: u64 = weights.iter().sum();
        let mut book = || {
            let (is_there, margin) = (self.draw(4) > 0, 100 + self.draw(13));
            let prices = weights.map(|weight| {
                let hundredths = sum * (95 + self.draw(11)) * 100 / (weight * margin);
                Price::from_millionths(i64::try_from(hundredths).unwrap() * 10_000).ok()
            });
            let [home, draw, away] = prices;
            is_there.then_some([home?, draw?, away?])
        };
        (0..BOOKS).filter_map(|_| book()).collect()
    }
}

#[test]
fn ten_thousand_random_matches_are_forecast_as_python_forecasts_them() {
    let (mut generator, mut rows, mut silent) = (Generator(24), 0, 0);
    for line in include_str!("golden/model-random.txt").lines() {
        let found = forecast(&generator.books());
        rows += 1;
        let Some((home, away)) = line.split_once(' ') else {
            assert_eq!((line, found), ("-", None), "match {rows}");
            silent += 1;
            continue;
        };
        let expected = [home, away].map(|part| part.parse::<f64>().unwrap() / 1e8);
        let found = found.unwrap().probabilities;
        for (ours, theirs) in [found[0], found[2]].into_iter().zip(expected) {
            assert!((ours - theirs).abs() < EQUAL, "match {rows}: {ours} and {theirs}");
        }
    }
    assert!(rows == 10_000 && (1..100).contains(&silent), "{rows}, {silent}");
}

#[test]
fn real_matches_have_the_scores_that_python_computes() {
    let Some(history) = data::history() else { return };
    for line in include_str!("golden/model-seasons.txt").lines() {
        let (season, rest) = line.split_once(' ').unwrap();
        let season: u16 = season.parse().unwrap();
        let expected: Vec<f64> = rest.split(' ').map(|word| word.parse().unwrap()).collect();
        let matches =
            history.matches.iter().filter(|found| found.season == season && found.has_opening_prices);
        let mut sums = [0.0; 8];
        for found in matches {
            let books: Vec<_> = found.books.iter().map(|(_, prices)| *prices).collect();
            let Some(forecast) = forecast(&books) else { continue };
            let (home, away) = found.goals;
            let won = [home > away, home == away, home < away];
            let place = won.iter().position(|won| *won).unwrap();
            let of = |stated: Three| {
                let error = |outcome: usize| stated[outcome] - f64::from(u8::from(won[outcome]));
                [-stated[place].ln(), (0..3).map(|outcome| error(outcome).powi(2)).sum::<f64>()]
            };
            let ([log, brier], [log_of_all, brier_of_all]) =
                (of(forecast.probabilities), of(forecast.consensus));
            let [first, second, third] = forecast.probabilities;
            let row = [1.0, log, brier, log_of_all, brier_of_all, first, second, third];
            sums.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
        }
        assert!((sums[0] - expected[0]).abs() < 0.5, "{season}: {} and {} matches", sums[0], expected[0]);
        for (sum, expected) in sums[1..].iter().zip(&expected[1..]) {
            assert!((sum / sums[0] - expected).abs() < EQUAL, "{season}: {} and {expected}", sum / sums[0]);
        }
    }
}
