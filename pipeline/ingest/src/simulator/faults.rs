//! The faults of a book: quotes that are suspended, stale, palpably wrong, or without their draw.
//!
//! The Odds API does not report a suspension: a suspended book keeps its last prices and their time, and
//! after a quarter of an hour the feed drops them. Nothing here knows a price.

use fastrand::Rng;

use super::maths::wait;
use super::model::Model;

/// What a book does with a match just now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// What it should.
    None,
    /// It has taken its quotes down.
    Withdrawn,
    /// It shows its last prices, which are no longer confirmed.
    Frozen,
    /// The favourite's odds have lost their sign.
    WrongSign,
    /// Its three-way market lacks the draw.
    NoDraw,
}

/// Seconds between two of a kind at a book and match, and how long one lasts: before a match, and in play.
type Rates = [(Fault, f64, f64); 4];

const BEFORE: Rates = [
    (Fault::Withdrawn, 300_000.0, 1_500.0),
    (Fault::Frozen, 180_000.0, 600.0),
    (Fault::WrongSign, 20_000_000.0, 600.0),
    (Fault::NoDraw, 8_000_000.0, 900.0),
];

const IN_PLAY: Rates = [
    (Fault::Withdrawn, 12_000.0, 700.0),
    (Fault::Frozen, 40_000.0, 2_500.0),
    (Fault::WrongSign, 250_000.0, 120.0),
    (Fault::NoDraw, 2_000_000.0, 300.0),
];

/// After a score a book closes with this chance, for so many seconds.
const SUSPENDS: (f64, f64) = (0.6, 45.0);
/// Seconds a step.
const STEP: f64 = 10.0;

/// The faults of one book at one match.
#[derive(Debug)]
pub(super) struct Faults {
    rng: Rng,
    now: Fault,
    until: i64,
    /// The next fault, and when it begins.
    next: (Fault, i64),
}

impl Faults {
    pub(super) fn new(lot: u64, step: i64, model: &Model) -> Self {
        let mut faults =
            Self { rng: Rng::with_seed(lot), now: Fault::None, until: 0, next: (Fault::None, i64::MAX) };
        faults.draw(step, false, model);
        faults
    }

    /// What is wrong at a step.
    pub(super) fn at(&mut self, step: i64, in_play: bool, model: &Model) -> Fault {
        if self.now != Fault::None && step >= self.until {
            self.now = Fault::None;
        }
        if step >= self.next.1 {
            self.begin(self.next.0, step, in_play);
            self.draw(step, in_play, model);
        }
        self.now
    }

    /// The match begins: the in-play rates apply. A book that closes then keeps its last prices until the
    /// feed drops it, where the feed does.
    pub(super) fn kick_off(&mut self, step: i64, goes_on: bool, model: &Model) {
        self.draw(step, true, model);
        if !goes_on {
            let closed = if model.freezes > 0.0 { Fault::Frozen } else { Fault::Withdrawn };
            (self.now, self.until, self.next.1) = (closed, i64::MAX, i64::MAX);
        }
    }

    /// A side has scored.
    pub(super) fn score(&mut self, step: i64, model: &Model) {
        let (chance, seconds) = SUSPENDS;
        if self.rng.f64() < chance * model.suspensions && self.now == Fault::None {
            (self.now, self.until) = (Fault::Frozen, step + wait(&mut self.rng, seconds / STEP));
        }
    }

    fn begin(&mut self, fault: Fault, step: i64, in_play: bool) {
        let lasts = rates(in_play).iter().find(|(kind, ..)| *kind == fault).map_or(0.0, |(.., lasts)| *lasts);
        (self.now, self.until) = (fault, step + wait(&mut self.rng, lasts / STEP));
    }

    /// The first of the next ones of all kinds.
    fn draw(&mut self, step: i64, in_play: bool, model: &Model) {
        let first = rates(in_play).iter().map(|(fault, every, _)| {
            let often = model.often(*fault);
            (*fault, step.saturating_add(wait(&mut self.rng, every / often / STEP)))
        });
        self.next = first.min_by_key(|(_, at)| *at).unwrap_or((Fault::None, i64::MAX));
    }
}

fn rates(in_play: bool) -> &'static Rates {
    if in_play { &IN_PLAY } else { &BEFORE }
}

impl Model {
    /// The factor of how often a fault comes.
    fn often(&self, fault: Fault) -> f64 {
        match fault {
            Fault::None => 0.0,
            Fault::Withdrawn => self.withdrawals,
            Fault::Frozen => self.freezes,
            Fault::WrongSign => self.errors,
            Fault::NoDraw => self.missing_draws,
        }
    }
}
