//! Hopping windows: which ends the watermark passes, and what moved within one.
//!
//! Windows `[b - SIZE, b)` end at each multiple `b` of [`HOP`] in event time, and are looked at when the watermark passes `b`. It
//! never publishes anything.
//!
//! Source: hopping windows as in Akidau et al., "The Dataflow Model" (VLDB 2015), section 1.1 (there: sliding).

use crate::Micros;
use crate::quotes::{Move, Moves};

/// One second.
const SECOND: Micros = 1_000_000;

/// Length of a window.
pub(super) const SIZE: Micros = 60 * SECOND;

/// Time from one window to the next.
const HOP: Micros = 10 * SECOND;

/// The ends of windows that the watermark passes at once: the hops after `from`, up to `to`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hops {
    from: Micros,
    to: Micros,
}

impl Hops {
    /// Those that a watermark passes; none when it was nowhere before.
    pub(crate) fn passed(from: Micros, to: Micros) -> Self {
        if from == Micros::MIN { Self { from: to, to } } else { Self { from, to } }
    }

    /// The watermark before.
    pub(crate) fn from(&self) -> Micros {
        self.from
    }

    /// The last of them.
    pub(crate) fn last(&self) -> Option<Micros> {
        let last = self.to.div_euclid(HOP) * HOP;
        (last > self.from).then_some(last)
    }

    /// Whether these are the first since a watermark; when that is not known, they may be.
    pub(crate) fn are_first_after(&self, watermark: Micros) -> bool {
        let was_passed = watermark < self.from && self.from.div_euclid(HOP) > watermark.div_euclid(HOP);
        self.last().is_some() && !was_passed
    }

    /// Those whose windows hold any of the moves.
    fn of(&self, moves: &Moves) -> impl Iterator<Item = Micros> + use<> {
        let (first, last) = moves.span().unwrap_or((Micros::MAX, Micros::MIN));
        let first = (first.max(self.from).div_euclid(HOP)).saturating_add(1).saturating_mul(HOP);
        let hop = usize::try_from(HOP).unwrap_or(usize::MAX);
        (first..=last.saturating_add(SIZE).min(self.to)).step_by(hop)
    }
}

/// Leaves the moves that a window can hold which the watermark has not passed yet.
pub(crate) fn forget_passed(moves: &mut Moves, watermark: Micros) {
    moves.forget_before(end_after(watermark).saturating_sub(SIZE));
}

/// Where the first window ends that a watermark has not passed yet.
fn end_after(watermark: Micros) -> Micros {
    watermark.div_euclid(HOP).saturating_add(1).saturating_mul(HOP)
}

/// The first watermark after this one at which a window that holds any of the moves has been passed.
pub(crate) fn due(moves: &Moves, watermark: Micros) -> Micros {
    Hops { from: watermark, to: Micros::MAX }.of(moves).next().unwrap_or(Micros::MAX)
}

/// The first watermark after this one at which the main line of a table that was made then is looked at.
pub(crate) fn main_line_due(made_at: Micros, watermark: Micros) -> Micros {
    let was_looked_at = watermark.div_euclid(HOP) > made_at.div_euclid(HOP);
    if was_looked_at { Micros::MAX } else { end_after(watermark) }
}

/// The ends of windows that were passed and hold any of the moves; not where a window holds what the one before it held.
pub(crate) fn ends(moves: &Moves, hops: Hops) -> impl Iterator<Item = Micros> {
    let is_new = |(index, end): &(usize, Micros)| *index == 0 || changes(moves, *end);
    hops.of(moves).enumerate().filter(is_new).map(|(_, end)| end)
}

/// Whether a move enters or leaves the windows by the hop to this end.
fn changes(moves: &Moves, end: Micros) -> bool {
    [end, end - SIZE].iter().any(|end| moves.any_within(end - HOP, *end))
}

/// What each quote moved by within the window that ends there.
pub(crate) fn within<'a>(moves: impl Iterator<Item = &'a Move>, end: Micros) -> Vec<Move> {
    let is_in = |moved: &&Move| moved.at < end && moved.at >= end - SIZE;
    let mut sums: Vec<_> = moves.filter(is_in).copied().collect();
    // Stable: the moves of one quote stay in their order.
    sums.sort_by_key(|moved| moved.key);
    sums.dedup_by(|later, sum| {
        let same = later.key == sum.key;
        if same {
            (sum.to, sum.at) = (later.to, later.at);
        }
        same
    });
    sums
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::fixtures::{price, symbols};
    use crate::market::{Names, Outcome, QuoteKey, Side};

    #[test]
    fn hops_are_passed_once() {
        let hops = |from: i64, to: i64| Hops::passed(from * SECOND, to * SECOND);
        assert_eq!((hops(5, 9).last(), hops(5, 10).last()), (None, Some(10 * SECOND)));
        assert_eq!((hops(10, 19).last(), hops(3, 99).last()), (None, Some(90 * SECOND)));
        assert_eq!(Hops::passed(Micros::MIN, 100 * SECOND).last(), None);
    }

    fn moves(seconds: &[i64]) -> Moves {
        let book = symbols(&mut Names::default(), 1)[0];
        let key = QuoteKey::new(None, Outcome::Home, Side::Back, book);
        let of = |(index, second): (usize, &i64)| {
            let price = |index: usize| price(&format!("1.{}", 10 + index));
            let (from, to) = (price(index), price(index + 1));
            Move { key, at: second * SECOND, from, to, is_reported: false }
        };
        seconds.iter().enumerate().map(of).collect()
    }

    proptest! {
        /// A window is passed once, however many records it takes to pass it.
        #[test]
        fn ends_are_the_same_in_one_leap_and_in_many(
            mut seconds in prop::collection::vec(0..300_i64, 0..12),
            mut stops in prop::collection::btree_set(1..400_i64, 1..8),
        ) {
            seconds.sort_unstable();
            let moves = moves(&seconds);
            stops.insert(400);
            let windows = |from: i64, to: i64| -> BTreeSet<Vec<Micros>> {
                let hops = Hops::passed(from * SECOND, to * SECOND);
                let held = ends(&moves, hops).map(|end| {
                    moves.iter().map(|moved| moved.at).filter(|at| *at < end && *at >= end - SIZE).collect()
                });
                held.collect()
            };
            let mut from = 0;
            let in_steps: BTreeSet<_> = stops
                .iter()
                .flat_map(|to| windows(std::mem::replace(&mut from, *to), *to))
                .filter(|held| !held.is_empty())
                .collect();
            let at_once: BTreeSet<_> = windows(0, 400).into_iter().filter(|held| !held.is_empty()).collect();
            prop_assert_eq!(in_steps, at_once);
        }

        /// The moves of a quote within a window come to one, from the first price to the last.
        #[test]
        fn moves_of_a_window_come_to_one(mut seconds in prop::collection::vec(0..200_i64, 0..12), end in 1..26_i64) {
            seconds.sort_unstable();
            let (moves, end) = (moves(&seconds), 10 * end * SECOND);
            let inside: Vec<_> = moves.iter().filter(|moved| moved.at < end && moved.at >= end - SIZE).collect();
            let sums = within(moves.iter(), end);
            let expected = inside.first().zip(inside.last()).map(|(first, last)| (first.from, last.to, last.at));
            prop_assert_eq!(sums.iter().map(|sum| (sum.from, sum.to, sum.at)).collect::<Vec<_>>(), Vec::from_iter(expected));
        }

        /// Nothing is removed that a later window can contain, and nothing is due before such a window ends.
        #[test]
        fn a_pending_move_is_one_that_a_window_to_come_holds(second in 0..300_i64, watermark in 0..400_i64) {
            let moved = moves(&[second]);
            let due = due(&moved, watermark * SECOND);
            let mut pending = moved.clone();
            forget_passed(&mut pending, watermark * SECOND);
            prop_assert_eq!(pending.len(), usize::from(due != Micros::MAX));
            if due != Micros::MAX {
                prop_assert!(due > watermark * SECOND && due % HOP == 0 && due - SIZE <= second * SECOND);
            }
        }
    }
}
