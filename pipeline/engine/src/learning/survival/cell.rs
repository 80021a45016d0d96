//! Deaths and time lived, by pieces of age: what a cell counts.
//!
//! Integers: millionths of a window, and microseconds. A sum is the same in any order. It never knows which
//! windows it counts.

use crate::Micros;

/// One second.
const SECOND: Micros = 1_000_000;
/// Ages between which the hazard is constant, in microseconds: fine where streams and 5-minute polls see
/// windows die, coarse where few live.
pub const BOUNDS: [Micros; 10] = [
    15 * SECOND,
    60 * SECOND,
    150 * SECOND,
    300 * SECOND,
    600 * SECOND,
    900 * SECOND,
    1_800 * SECOND,
    3_600 * SECOND,
    7_200 * SECOND,
    14_400 * SECOND,
];
/// Pieces of age; the last has no end.
pub const PIECES: usize = BOUNDS.len() + 1;
/// A hazard for each piece of age, in deaths a second.
pub type Hazard = [f64; PIECES];

/// Parts that a window's death is counted in.
const PARTS: i64 = 1_000_000;

/// The observed time, and the number of ends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cell {
    /// Millionths of a window by piece of age.
    deaths: [i64; PIECES],
    /// Microseconds by piece of age.
    lived: [i64; PIECES],
}

/// The ages between which a piece lies; the last one has no end.
pub(super) fn ends(piece: usize) -> (Micros, Micros) {
    let start = if piece == 0 { 0 } else { BOUNDS[piece - 1] };
    (start, BOUNDS.get(piece).copied().unwrap_or(Micros::MAX))
}

/// The part of a piece between two ages; `None` when there is none.
fn part(piece: usize, from: Micros, to: Micros) -> Option<(Micros, Micros)> {
    let (start, end) = ends(piece);
    Some((from.max(start), to.min(end))).filter(|(from, to)| from < to)
}

/// `a * b / c`, towards zero.
fn ratio(a: i64, b: i64, c: i64) -> i64 {
    i64::try_from(i128::from(a) * i128::from(b) / i128::from(c)).unwrap_or(i64::MAX)
}

impl Cell {
    /// A window that was seen alive from one age to another.
    #[must_use]
    pub fn lived(from: Micros, to: Micros) -> Self {
        let mut cell = Self::default();
        for (piece, lived) in cell.lived.iter_mut().enumerate() {
            *lived = part(piece, from, to).map_or(0, |(from, to)| to - from);
        }
        cell
    }

    /// A window that was alive at one age and dead at another, its death spread evenly between them; at that age when
    /// they are the same.
    #[must_use]
    pub fn died(after: Micros, by: Micros) -> Self {
        // A gap of a microsecond is none: the end belongs to the piece that ends or begins there.
        let (after, by) = (after.max(0), by.max(after.max(0) + 1));
        let (mut cell, gap) = (Self::default(), by - after);
        for piece in 0..PIECES {
            let Some((from, to)) = part(piece, after, by) else { continue };
            let gone_by = |age: Micros| ratio(PARTS, age - after, gap);
            cell.deaths[piece] = gone_by(to) - gone_by(from);
            // The mean part of it that is alive in between.
            cell.lived[piece] = ratio(to - from, (by - from) + (by - to), 2 * gap);
        }
        cell
    }

    /// From its counts, without the empty pieces at the end; `None` when they are none.
    #[must_use]
    pub fn from_counts(deaths: &[i64], lived: &[i64]) -> Option<Self> {
        let mut cell = Self::default();
        cell.deaths.get_mut(..deaths.len())?.copy_from_slice(deaths);
        cell.lived.get_mut(..lived.len())?.copy_from_slice(lived);
        let counts = || cell.deaths.iter().chain(&cell.lived);
        // Far above the sum of a century of lifetimes, and far below an overflow when such sums are added.
        counts().all(|count| (0..1 << 56).contains(count)).then_some(cell)
    }

    /// Millionths of a window that ended and microseconds that were observed, by piece, without the empty
    /// pieces at the end.
    #[must_use]
    pub fn counts(&self) -> (&[i64], &[i64]) {
        let used = |counts: &[i64]| counts.iter().rposition(|count| *count != 0).map_or(0, |last| last + 1);
        (&self.deaths[..used(&self.deaths)], &self.lived[..used(&self.lived)])
    }

    /// The number of ends.
    #[must_use]
    pub fn deaths(&self) -> i64 {
        self.deaths.iter().sum::<i64>() / PARTS
    }

    /// Both together.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        self.with(other, i64::saturating_add)
    }

    pub(super) fn minus(&self, other: &Self) -> Self {
        self.with(other, i64::saturating_sub)
    }

    pub(super) fn halved(&self) -> Self {
        self.with(self, |count, _| count / 2)
    }

    fn with(&self, other: &Self, sum: impl Fn(i64, i64) -> i64) -> Self {
        let each =
            |a: &[i64; PIECES], b: &[i64; PIECES]| std::array::from_fn(|piece| sum(a[piece], b[piece]));
        Self { deaths: each(&self.deaths, &other.deaths), lived: each(&self.lived, &other.lived) }
    }

    /// Its hazard, leaning on another with the weight of so many deaths.
    pub(super) fn shrunk(&self, towards: &Hazard, weight: f64) -> Hazard {
        std::array::from_fn(|piece| {
            let deaths = self.deaths[piece] as f64 / PARTS as f64;
            let lived = self.lived[piece] as f64 / SECOND as f64;
            (deaths + weight) / (lived + weight / towards[piece])
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_death_is_spread_over_its_gap() {
        // From 10 to 20 minutes: half in 600-900 s, half in 900-1200 s, alive 3/4 and 1/4 of them in the mean.
        let cell = Cell::died(600 * SECOND, 1_200 * SECOND);
        let (deaths, lived) = cell.counts();
        assert_eq!(deaths, [0, 0, 0, 0, 0, 500_000, 500_000]);
        assert_eq!(lived, [0, 0, 0, 0, 0, 225 * SECOND, 75 * SECOND]);
        let at_once = Cell::died(20 * SECOND, 20 * SECOND);
        assert_eq!(at_once.counts(), (&[0, PARTS][..], &[][..]));
    }

    #[test]
    fn a_life_is_cut_into_its_pieces() {
        let cell = Cell::lived(10 * SECOND, 100 * SECOND);
        assert_eq!(cell.counts(), (&[][..], &[5 * SECOND, 45 * SECOND, 40 * SECOND][..]));
        assert_eq!(Cell::lived(5, 5), Cell::default());
        let old = Cell::lived(14_400 * SECOND, 20_000 * SECOND);
        assert_eq!(old.counts().1.last(), Some(&(5_600 * SECOND)));
    }

    #[test]
    fn it_is_restored_from_its_counts() {
        let cell = Cell::died(1, 2_000 * SECOND);
        let (deaths, lived) = cell.counts();
        assert_eq!(Cell::from_counts(deaths, lived), Some(cell));
        assert_eq!(Cell::from_counts(&[0; PIECES + 1], &[]), None);
        assert_eq!((Cell::from_counts(&[-1], &[]), Cell::from_counts(&[], &[i64::MAX])), (None, None));
    }

    proptest! {
        #[test]
        fn a_death_is_one_and_its_gap_half_lived(
            after in 0..100_000 * SECOND,
            gap in 0..20_000 * SECOND,
        ) {
            let cell = Cell::died(after, after + gap);
            prop_assert_eq!(cell.deaths.iter().sum::<i64>(), PARTS);
            let lived: i64 = cell.lived.iter().sum();
            // A microsecond for the rounding of each piece.
            prop_assert!((lived - gap / 2).abs() <= 11, "{}", lived);
        }
    }

    fn any_cell() -> impl Strategy<Value = Cell> {
        let counts = || prop::collection::vec(0..1_i64 << 40, 0..=PIECES);
        (counts(), counts()).prop_map(|(deaths, lived)| Cell::from_counts(&deaths, &lived).unwrap())
    }

    proptest! {
        /// However a life is cut, it is the same life.
        #[test]
        fn a_life_in_parts_is_the_whole(mut ages in prop::collection::vec(0..30_000 * SECOND, 2..8)) {
            ages.sort_unstable();
            let parts = ages.windows(2).map(|pair| Cell::lived(pair[0], pair[1]));
            let sum = parts.fold(Cell::default(), |sum, part| sum.plus(&part));
            let (first, last) = (ages[0], ages[ages.len() - 1]);
            prop_assert_eq!(sum, Cell::lived(first, last));
            prop_assert_eq!(sum.lived.iter().sum::<i64>(), last - first);
            prop_assert_eq!(Cell::lived(last, first), Cell::default(), "backwards nothing was lived");
        }

        #[test]
        fn a_sum_less_one_part_is_the_other(a in any_cell(), b in any_cell()) {
            prop_assert_eq!(a.plus(&b), b.plus(&a));
            prop_assert_eq!(a.plus(&b).minus(&b), a);
            prop_assert_eq!(a.plus(&Cell::default()), a);
            prop_assert!(a.plus(&b).deaths() >= a.deaths() + b.deaths());
            prop_assert!(a.halved().deaths() * 2 <= a.deaths());
        }

        #[test]
        fn any_counts_are_read_back(cell in any_cell()) {
            let (deaths, lived) = cell.counts();
            prop_assert_eq!(Cell::from_counts(deaths, lived), Some(cell));
            prop_assert!(deaths.last() != Some(&0) && lived.last() != Some(&0), "empty pieces are left away");
        }

        /// A hazard that leans on another lies between what was counted and that other, and closer to it the more it weighs.
        #[test]
        fn a_shrunk_hazard_lies_between(cell in any_cell(), other in 1e-6..1e-2_f64, weight in 1.0..50.0_f64) {
            let [light, heavy] = [weight, 10.0 * weight].map(|weight| cell.shrunk(&[other; PIECES], weight));
            for piece in 0..PIECES {
                let (deaths, lived) = (cell.deaths[piece] as f64 / 1e6, cell.lived[piece] as f64 / 1e6);
                let counted = if lived > 0.0 { deaths / lived } else { f64::INFINITY };
                let (low, high) = if deaths == 0.0 && lived == 0.0 {
                    (other, other)
                } else {
                    (counted.min(other), counted.max(other))
                };
                let is_between = |hazard: f64| hazard >= low * (1.0 - 1e-9) && hazard <= high * (1.0 + 1e-9);
                prop_assert!(is_between(light[piece]) && is_between(heavy[piece]));
                prop_assert!((heavy[piece] - other).abs() <= (light[piece] - other).abs() + other * 1e-9);
            }
        }
    }

    #[test]
    fn counts_that_no_cell_has_are_refused() {
        let too_many = vec![0; PIECES + 1];
        assert_eq!(Cell::from_counts(&too_many, &[]), None);
        assert_eq!(Cell::from_counts(&[], &too_many), None);
        assert_eq!(Cell::from_counts(&[-1], &[]), None);
        assert_eq!(Cell::from_counts(&[], &[1 << 56]), None);
        assert_eq!(Cell::from_counts(&[], &[]), Some(Cell::default()));
    }

    #[test]
    fn pieces_follow_each_other_without_gaps() {
        assert_eq!((ends(0).0, ends(PIECES - 1).1), (0, Micros::MAX));
        assert!((1..PIECES).all(|piece| ends(piece - 1).1 == ends(piece).0 && ends(piece).0 < ends(piece).1));
    }
}
