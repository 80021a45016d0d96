//! The fair price: what is known of a match at each step.
//!
//! A latent expectation of the final difference and sum of points moves randomly before the match, jumps at
//! news, and follows the score in play. Probabilities are those of a normal final score (Stern 1991 for
//! American football; here for all, with half a point of continuity around a draw). It never knows a book's
//! prices.

use fastrand::Rng;

use super::maths::{below, gauss, mix, wait};
use super::model::Model;
use super::schedule::{Life, STEP, micros};

/// Of a match that is over nothing is left open but this share of its variance: a price is never certain.
const LEFT_OPEN: f64 = 0.004;
/// Of so much of the news, each is so many times as big.
const BIG_NEWS: (f64, f64) = (0.3, 2.1);
/// Steps an hour.
const HOUR: f64 = 360.0;

/// What is expected, in points.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Fair {
    /// Final difference, home less away.
    pub(super) difference: f64,
    /// Final sum.
    pub(super) sum: f64,
    /// Deviation of both that is still to come.
    pub(super) deviation: f64,
}

impl Fair {
    /// That the home side wins by more than a handicap takes from it.
    pub(super) fn covers(&self, line: f64) -> f64 {
        below((self.difference + line) / self.deviation)
    }

    /// That there are more points than a line.
    pub(super) fn over(&self, line: f64) -> f64 {
        below((self.sum - line) / self.deviation)
    }

    /// That home wins, that away wins, that neither does.
    pub(super) fn winner(&self, has_draw: bool) -> [f64; 3] {
        if !has_draw {
            let home = self.covers(0.0);
            return [home, 1.0 - home, 0.0];
        }
        let (home, away) = (self.covers(-0.5), 1.0 - self.covers(0.5));
        [home, away, 1.0 - home - away]
    }
}

/// How many steps there are from one news to the next.
fn news_steps(life: &Life, model: &Model) -> f64 {
    model.news_every / 10.0 / (life.unrest * life.unrest)
}

/// A match as it unfolds.
#[derive(Debug)]
pub(super) struct Story {
    rng: Rng,
    /// Expected difference and sum of the whole match.
    strength: [f64; 2],
    /// Points so far.
    score: [f64; 2],
    next_news: i64,
}

impl Story {
    /// A match that has just been listed.
    pub(super) fn new(life: &Life, model: &Model) -> Self {
        let mut rng = Rng::with_seed(life.lot);
        let sport = life.sport;
        let strength =
            [gauss(&mut rng) * sport.between * 1.5, sport.points + gauss(&mut rng) * sport.between];
        let next_news = wait(&mut rng, news_steps(life, model));
        Self { rng, strength, score: [0.0; 2], next_news }
    }

    /// One step, which ends at a time; returns whether a side scored.
    pub(super) fn step(&mut self, life: &Life, at: i64, model: &Model) -> bool {
        if at >= life.starts_at { self.play(life) } else { self.wander(life, model) }
    }

    fn wander(&mut self, life: &Life, model: &Model) -> bool {
        let mut moved = model.drift * life.unrest / HOUR.sqrt();
        self.next_news -= 1;
        if self.next_news <= 0 {
            self.next_news = wait(&mut self.rng, news_steps(life, model));
            let (share, times) = BIG_NEWS;
            moved = model.news * if self.rng.f64() < share { times } else { 1.0 };
        }
        for strength in &mut self.strength {
            *strength += gauss(&mut self.rng) * moved * life.sport.deviation;
        }
        false
    }

    fn play(&mut self, life: &Life) -> bool {
        let scores = life.sport.scores;
        let mean = scores.iter().sum::<f64>() / scores.len() as f64;
        let steps = (life.ends_at - life.starts_at) as f64 / STEP as f64;
        let [difference, sum] = self.strength;
        if self.rng.f64() >= sum / mean / steps {
            return false;
        }
        let home = self.rng.f64() < 0.5 + difference / sum / 2.0;
        let points = self.rng.choice(scores).copied().unwrap_or_default();
        self.score[usize::from(!home)] += points;
        // One score among hundreds of points is no news, and no book suspends for it.
        life.sport.points < 100.0
    }

    /// The points of home and away at the end of a match, from its lot alone. Where no draw is possible, a tie is decided by the
    /// smallest score, drawn by lot.
    pub(super) fn final_score(life: &Life, model: &Model) -> [i32; 2] {
        let mut story = Self::new(life, model);
        for step in life.listed_at / STEP + 1..=life.ends_at / STEP {
            story.step(life, step * STEP, model);
        }
        let [home, away] = story.score;
        if !life.sport.has_draw && home.total_cmp(&away).is_eq() {
            let winner = usize::from(mix(life.lot, 5) % 2 == 1);
            story.score[winner] += life.sport.scores.first().copied().unwrap_or_default();
        }
        whole(story.score)
    }

    /// Whole points of home and away so far.
    pub(super) fn points(&self) -> [i32; 2] {
        whole(self.score)
    }

    /// What is expected at a time.
    pub(super) fn fair(&self, life: &Life, at: i64) -> Fair {
        let played =
            (at - life.starts_at).max(0) as f64 / (life.ends_at - life.starts_at).max(micros(1.0)) as f64;
        let left = (1.0 - played).max(0.0);
        let [home, away] = self.score;
        Fair {
            difference: home - away + self.strength[0] * left,
            sum: home + away + self.strength[1] * left,
            deviation: life.sport.deviation * (left + LEFT_OPEN).sqrt(),
        }
    }
}

/// Points are whole, a few hundred at most.
#[allow(clippy::cast_possible_truncation)]
fn whole(score: [f64; 2]) -> [i32; 2] {
    score.map(|points| points as i32)
}
