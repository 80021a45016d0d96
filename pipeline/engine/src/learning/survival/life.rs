//! One open window as survival follows it: when it was judged, last confirmed, and up to when it is counted.
//!
//! Observed time is recorded as it passes and not at the end of a window, or long lifetimes would be counted
//! too late. It never knows why a window closed; the caller decides whether it counts as an end.

use crate::Micros;

use super::cell::Cell;
use super::profile::{self, Profile};

/// One second.
const SECOND: Micros = 1_000_000;
/// A gap after which the time of an end is unknown: four polls of the slowest recordings. It is a hole in the
/// recording, and the window's observation ends before it.
pub const HOLE: Micros = 3_600 * SECOND;
/// A window that is confirmed more often is recorded once in so long.
const LESSON: Micros = 60 * SECOND;

/// The observed time of a window, and its cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Life {
    /// By what it is counted.
    pub profile: Profile,
    /// Thousandths of a second of age that a second brings.
    pub pace: i64,
    /// When it was judged: its opening, or the event's start.
    pub since: Micros,
    /// When it was last seen alive.
    pub confirmed_at: Micros,
    /// Up to when its life is counted.
    pub taught_to: Micros,
}

/// How a window's life ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// It can no longer be bet on.
    Gone {
        /// The source pushed it when it happened; else it happened since the window was last confirmed.
        is_push: bool,
    },
    /// It is no longer observed.
    Lost,
}

impl Life {
    /// That of a window that is judged now, `gap` after its market was last updated.
    pub(crate) fn begin(profile: Profile, gap: Option<Micros>, now: Micros) -> Self {
        Self { profile, pace: profile::pace(gap), since: now, confirmed_at: now, taught_to: now }
    }

    fn age(&self, at: Micros) -> Micros {
        profile::paced(at - self.since, self.pace)
    }

    fn lived(&self, to: Micros) -> Cell {
        Cell::lived(self.age(self.taught_to), self.age(to))
    }

    /// Sees it alive; returns what is to be recorded, if it is time to.
    pub(crate) fn confirm(&mut self, now: Micros, is_change: bool) -> Option<Cell> {
        let is_hole = now - self.confirmed_at > HOLE;
        let seen_to = if is_hole { self.confirmed_at } else { now };
        let is_due = is_change || is_hole || now - self.taught_to >= LESSON;
        self.confirmed_at = now.max(self.confirmed_at);
        if !is_due {
            return None;
        }
        let sample = self.lived(seen_to);
        self.taught_to = self.confirmed_at;
        Some(sample)
    }

    /// What is to be recorded at its end.
    pub(crate) fn end(&self, now: Micros, end: End) -> Cell {
        let lived = self.lived(self.confirmed_at);
        match end {
            End::Gone { .. } if now - self.confirmed_at > HOLE => lived,
            End::Gone { is_push: true } => self.lived(now).plus(&Cell::died(self.age(now), self.age(now))),
            End::Gone { is_push: false } => {
                lived.plus(&Cell::died(self.age(self.confirmed_at), self.age(now)))
            }
            End::Lost => lived,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::profile::{EventStage, MarketKind};
    use super::*;
    use proptest::prelude::*;

    fn life() -> Life {
        let profile = Profile { stage: EventStage::InPlay, kind: MarketKind::Winner, margin: 0, age: 0 };
        Life::begin(profile, Some(900 * SECOND), 0)
    }

    #[test]
    fn a_sample_covers_the_time_since_the_last_one() {
        let mut life = life();
        assert_eq!(life.confirm(30 * SECOND, false), None);
        assert_eq!(life.confirm(70 * SECOND, false), Some(Cell::lived(0, 70 * SECOND)));
        assert_eq!(life.confirm(80 * SECOND, true), Some(Cell::lived(70 * SECOND, 80 * SECOND)));
        assert_eq!(life.confirm(90 * SECOND, false), None);
        let gone = life.end(100 * SECOND, End::Gone { is_push: false });
        let lived = Cell::lived(80 * SECOND, 90 * SECOND);
        assert_eq!(gone, lived.plus(&Cell::died(90 * SECOND, 100 * SECOND)));
        let sample = life.end(100 * SECOND, End::Gone { is_push: true });
        let lived_on = Cell::lived(80 * SECOND, 100 * SECOND);
        assert_eq!(sample, lived_on.plus(&Cell::died(100 * SECOND, 100 * SECOND)));
        assert_eq!(life.end(100 * SECOND, End::Lost), lived);
    }

    #[test]
    fn of_a_hole_nothing_is_known() {
        let mut life = life();
        life.confirm(60 * SECOND, true);
        let later = 60 * SECOND + HOLE + 1;
        assert_eq!(life.end(later, End::Gone { is_push: false }), Cell::default());
        assert_eq!(life.end(later, End::Gone { is_push: true }), Cell::default());
        assert_eq!(life.confirm(later, false), Some(Cell::default()));
        assert_eq!(life.end(later + SECOND, End::Lost), Cell::default(), "it goes on behind the hole");
        assert_eq!(life.confirm(later + 60 * SECOND, false), Some(Cell::lived(later, later + 60 * SECOND)));
    }

    proptest! {
        /// However often a window is confirmed, the time that it was seen alive is recorded once.
        #[test]
        fn every_second_of_a_life_is_recorded_once(
            gaps in prop::collection::vec((1..HOLE, any::<bool>()), 1..30), last in 0..HOLE, is_push: bool,
        ) {
            let (mut life, mut now, mut sum) = (life(), 0, Cell::default());
            for (gap, is_change) in gaps {
                now += gap;
                sum = life.confirm(now, is_change).map_or(sum, |cell| sum.plus(&cell));
            }
            let confirmed = now;
            now += last;
            sum = sum.plus(&life.end(now, End::Gone { is_push }));
            // At a pace of 1 a second is a second.
            let died = if is_push {
                Cell::lived(confirmed, now).plus(&Cell::died(now, now))
            } else {
                Cell::died(confirmed, now)
            };
            prop_assert_eq!(sum, Cell::lived(0, confirmed).plus(&died));
            prop_assert_eq!(sum.deaths(), 1);
        }

        /// A window that is censored has no end.
        #[test]
        fn a_censored_window_has_no_end(gaps in prop::collection::vec(1..2 * HOLE, 0..20), last in 0..2 * HOLE) {
            let (mut life, mut now, mut deaths) = (life(), 0, 0);
            for gap in gaps {
                now += gap;
                deaths += life.confirm(now, false).map_or(0, |cell| cell.deaths());
            }
            deaths += life.end(now + last, End::Lost).deaths();
            prop_assert_eq!(deaths, 0);
            let gone = life.end(now + last, End::Gone { is_push: false });
            prop_assert_eq!(gone.deaths(), i64::from(last <= HOLE), "behind a hole the time is unknown");
        }
    }
}
