//! A desk: what one operator thinks of one match, at the moments at which it looks.
//!
//! It sees the fair price as it was a while ago, leans a little to one side, and moves only when it is off by more than
//! it tolerates. Arbs, phantoms and lifetimes come from this: nothing here, or anywhere else, makes one on purpose.

use fastrand::Rng;

use super::book::Book;
use super::fair::Fair;
use super::maths::{gauss, mix, wait};
use super::model::Model;
use super::schedule::Life;
use super::sport::Sport;

/// A price that is off by no more than this stays, before a match and in play: in probability.
const TOLERANCE: [f64; 2] = [0.008, 0.012];
/// A line stays while its sides are between this and the rest of 1, before a match and in play.
const UNEVEN: [f64; 2] = [0.40, 0.27];
/// Of so many matches one is misjudged, by so many times the usual.
const MISJUDGED: (f64, f64) = (0.05, 3.0);
/// One in so many updates changes the desk's opinion.
const NEW_MIND: [f64; 2] = [0.02, 0.006];
/// In play a desk leans so many times as far.
const BOLDER: f64 = 2.5;
/// Seconds a step.
const STEP: f64 = 10.0;

/// A desk's prices of a match. Lines in thousandths, the home side's for spreads.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct View {
    /// That home wins, away wins, neither does.
    pub(super) winner: [f64; 3],
    /// A handicap, and that home covers it.
    pub(super) spread: (i32, f64),
    /// A line, and that there are more points.
    pub(super) total: (i32, f64),
}

/// One operator at one match.
#[derive(Debug)]
pub(super) struct Desk {
    pub(super) operator: u64,
    rng: Rng,
    looks: [f64; 2],
    behind: i64,
    is_asian: bool,
    /// How it leans: difference and sum, in deviations.
    leans: [f64; 2],
    next_look: i64,
    view: View,
}

impl Desk {
    pub(super) fn new(book: &Book, life: &Life, model: &Model) -> Self {
        let mut rng = Rng::with_seed(mix(life.lot, book.operator));
        let leans = [opinion(&mut rng, model), opinion(&mut rng, model)];
        let Book { operator, looks, behind, is_asian, .. } = *book;
        Self { operator, rng, looks, behind, is_asian, leans, next_look: 0, view: View::default() }
    }

    /// A step: it looks if its time has come. `fair` gives what was so many steps ago.
    pub(super) fn step(
        &mut self,
        step: i64,
        life: &Life,
        in_play: bool,
        fair: impl Fn(i64) -> Fair,
        model: &Model,
    ) {
        if step >= self.next_look {
            self.inspect(life, in_play, &fair(self.behind), model);
            self.next_look = step + wait(&mut self.rng, self.looks[usize::from(in_play)] / STEP);
        }
    }

    /// Its current prices.
    pub(super) fn view(&self) -> &View {
        &self.view
    }

    /// It updates at the next step, whatever was scheduled: at the start of a match.
    pub(super) fn wake(&mut self) {
        self.next_look = 0;
    }

    fn inspect(&mut self, life: &Life, in_play: bool, fair: &Fair, model: &Model) {
        if self.rng.f64() < NEW_MIND[usize::from(in_play)] {
            self.leans = [opinion(&mut self.rng, model), opinion(&mut self.rng, model)];
        }
        let (bold, hunch) = if in_play { (BOLDER, model.hunch) } else { (1.0, 0.0) };
        let [difference, sum] = self.leans.map(|lean| lean * bold + gauss(&mut self.rng) * hunch);
        let seen = Fair {
            difference: fair.difference + difference * fair.deviation,
            sum: fair.sum + sum * fair.deviation,
            deviation: fair.deviation,
        };
        self.update_prices(life.sport, usize::from(in_play), &seen);
    }

    fn update_prices(&mut self, sport: &Sport, phase: usize, seen: &Fair) {
        let winner = seen.winner(sport.has_draw);
        if self.view.winner.iter().zip(winner).any(|(shown, now)| (shown - now).abs() > TOLERANCE[phase]) {
            self.view.winner = winner;
        }
        let coarse = if self.is_asian { 1 } else { 2 };
        let handicap = -on_grid(seen.difference, sport.spread_grid * coarse);
        update_line(&mut self.view.spread, handicap, phase, |line| seen.covers(line));
        let total = on_grid(seen.sum, sport.total_grid * coarse).max(500);
        update_line(&mut self.view.total, total, phase, |line| seen.over(line));
    }
}

/// Keeps a line while it is even enough, or else takes the best one now; and its price, while it is close
/// enough.
fn update_line(shown: &mut (i32, f64), best: i32, phase: usize, share: impl Fn(f64) -> f64) {
    let of = |line: i32| share(f64::from(line) / 1e3);
    let (line, chance) = *shown;
    let now = of(line);
    if chance == 0.0 || !(UNEVEN[phase]..=1.0 - UNEVEN[phase]).contains(&now) {
        *shown = (best, of(best));
    } else if (now - chance).abs() > TOLERANCE[phase] {
        shown.1 = now;
    }
}

/// How a desk leans, in deviations.
fn opinion(rng: &mut Rng, model: &Model) -> f64 {
    let (share, times) = MISJUDGED;
    let size = if rng.f64() < share { times } else { 1.0 };
    gauss(rng) * model.opinion * size
}

/// The closest line to a number of points.
fn on_grid(points: f64, grid: i32) -> i32 {
    #[allow(clippy::cast_possible_truncation)] // A few hundred points.
    let cells = (points * 1e3 / f64::from(grid)).round() as i32;
    cells * grid
}
