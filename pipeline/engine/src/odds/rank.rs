//! The median of what operators say, by rank: one opinion an operator, and of an even number the one that is asked for.
//!
//! A mean follows any one opinion without bound, a median by rank is always an opinion that an operator has: one wrong opinion moves it by a
//! rank at most, and with two operators the caller's choice of the middle decides for which side a wrong one can count: never for
//! the bet. Of an operator with several books its own median counts, so that nobody gets more weight by more books. It never looks at a book.
//!
//! Source: breakdown points of location estimates, 0 of the mean and one half of the median: Huber and Ronchetti 2009, "Robust
//! Statistics", chapters 1 and 11; the low and high median of an even number are those of Rousseeuw and Croux 1993, "Alternatives to
//! the Median Absolute Deviation".

/// Which of the two in the middle counts, of an even number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MiddleRank {
    /// The lower one.
    Lower,
    /// The higher one.
    Upper,
}

/// The median of opinions, each with its operator, and how many operators there are; `None` of none. It sorts them.
///
/// ```
/// use arb_engine::odds::{MiddleRank, median_of_operators};
///
/// // Two books of `b` are one opinion: 0.6 or 0.7, as it is asked for.
/// let mut opinions = [("a", 0.5), ("b", 0.7), ("b", 0.6), ("c", 0.1)];
/// assert_eq!(median_of_operators(&mut opinions, MiddleRank::Lower), Some((0.5, 3)));
/// ```
pub fn median_of_operators<K: Ord + Copy>(
    opinions: &mut [(K, f64)],
    middle: MiddleRank,
) -> Option<(f64, usize)> {
    // Of a line's quotes, which are in the order of their books, each is mostly of the next operator.
    let are_of_one_each = opinions.is_sorted_by(|a, b| a.0 < b.0);
    let operators = if are_of_one_each { opinions.len() } else { merge_operators(opinions, middle) };
    let each = &mut opinions[..operators];
    let place = place(operators, middle);
    let (_, (_, median), _) =
        (place < operators).then(|| each.select_nth_unstable_by(place, |a, b| a.1.total_cmp(&b.1)))?;
    Some((*median, operators))
}

/// Puts the opinion of each operator first, and returns how many there are.
fn merge_operators<K: Ord + Copy>(opinions: &mut [(K, f64)], middle: MiddleRank) -> usize {
    opinions.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let (mut operators, mut from) = (0, 0);
    while from < opinions.len() {
        let count = opinions[from..].iter().take_while(|opinion| opinion.0 == opinions[from].0).count();
        opinions[operators] = opinions[from + place(count, middle)];
        (operators, from) = (operators + 1, from + count);
    }
    operators
}

/// Operators that are counted without putting their opinions in order.
const COUNTED: u32 = u128::BITS;

/// Whether there are so many operators, and more than half of them hold something: each counts once, and of several opinions of one more
/// than half must hold it.
///
/// Where what a median is asked for holds of all opinions up to one, or of all from one on, this is whether it holds of the median that is the
/// worse one for it: by counting, so that nothing is put in order and nothing is allocated.
pub(crate) fn is_held_by_most(opinions: impl Iterator<Item = (u32, bool)> + Clone, least: usize) -> bool {
    let (operators, [held]) = holders(opinions.map(|(operator, holds)| (operator, [holds])));
    operators >= least && 2 * held > operators
}

/// Whether the lower median of operators' opinions is this one, and there are so many of them: by counting too.
pub(crate) fn is_lower_median(
    opinions: impl Iterator<Item = (u32, u32)> + Clone,
    median: u32,
    least: usize,
) -> bool {
    let asked = opinions.map(|(operator, its)| (operator, [its >= median, its > median]));
    let (operators, [from, above]) = holders(asked);
    operators >= least && 2 * from > operators && 2 * above <= operators
}

/// How many operators there are, and how many of them hold each of some things, by more than half of their opinions.
fn holders<const N: usize>(opinions: impl Iterator<Item = (u32, [bool; N])> + Clone) -> (usize, [usize; N]) {
    let (mut seen, mut repeated, mut holding) = (0_u128, 0_u128, [0_u128; N]);
    for (operator, holds) in opinions.clone() {
        if operator >= COUNTED {
            return holders_in_order(opinions.collect());
        }
        let bit = 1_u128 << operator;
        repeated |= seen & bit;
        seen |= bit;
        for (mask, holds) in holding.iter_mut().zip(holds) {
            *mask |= if holds { bit } else { 0 };
        }
    }
    while repeated != 0 {
        let operator = repeated.trailing_zeros();
        let held = held_by_more_than_half(opinions.clone().filter(|(of, _)| *of == operator));
        for (mask, held) in holding.iter_mut().zip(held) {
            *mask = *mask & !(1 << operator) | u128::from(held) << operator;
        }
        repeated &= repeated - 1;
    }
    (seen.count_ones() as usize, holding.map(|mask| mask.count_ones() as usize))
}

/// The same of any operators.
fn holders_in_order<const N: usize>(mut opinions: Vec<(u32, [bool; N])>) -> (usize, [usize; N]) {
    opinions.sort_unstable();
    let operators = opinions.chunk_by(|a, b| a.0 == b.0);
    operators.fold((0, [0; N]), |(all, mut holding), of| {
        let held = held_by_more_than_half(of.iter().copied());
        holding.iter_mut().zip(held).for_each(|(count, held)| *count += usize::from(held));
        (all + 1, holding)
    })
}

/// Which things more than half of an operator's opinions hold.
fn held_by_more_than_half<const N: usize>(opinions: impl Iterator<Item = (u32, [bool; N])>) -> [bool; N] {
    let (mut all, mut held) = (0, [0; N]);
    for (_, holds) in opinions {
        all += 1;
        held.iter_mut().zip(holds).for_each(|(count, holds)| *count += u32::from(holds));
    }
    held.map(|held| 2 * held > all)
}

/// Where the median of so many in order is.
fn place(count: usize, middle: MiddleRank) -> usize {
    match middle {
        MiddleRank::Lower => count.saturating_sub(1) / 2,
        MiddleRank::Upper => count / 2,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn median(opinions: &[(u32, f64)], middle: MiddleRank) -> Option<(f64, usize)> {
        median_of_operators(&mut opinions.to_vec(), middle)
    }

    proptest! {
        /// Whatever the operators and opinions: it is told of the lower median, and of no other number.
        #[test]
        fn the_lower_median_is_told_by_counting(
            opinions in prop::collection::vec((prop_oneof![0_u32..6, 120_u32..140], 0_u32..8), 0..24),
            asked in 0_u32..8,
        ) {
            let numbers: Vec<_> = opinions.iter().map(|(operator, its)| (*operator, f64::from(*its))).collect();
            let wanted = median(&numbers, MiddleRank::Lower).filter(|(_, operators)| *operators >= 3);
            let is_it = wanted.is_some_and(|(median, _)| median.total_cmp(&f64::from(asked)).is_eq());
            prop_assert_eq!(is_lower_median(opinions.into_iter(), asked, 3), is_it);
        }
    }

    #[test]
    fn an_operator_has_one_opinion_and_of_two_the_asked_one_counts() {
        assert_eq!(median(&[], MiddleRank::Lower), None);
        assert_eq!(median(&[(7, 0.4)], MiddleRank::Upper), Some((0.4, 1)));
        let three = [(1, 0.5), (2, 0.1), (3, 0.6)];
        assert_eq!(
            [MiddleRank::Lower, MiddleRank::Upper].map(|middle| median(&three, middle)),
            [Some((0.5, 3)); 2]
        );
        let two = [(1, 0.5), (2, 0.1)];
        assert_eq!(median(&two, MiddleRank::Lower), Some((0.1, 2)));
        assert_eq!(median(&two, MiddleRank::Upper), Some((0.5, 2)));
        // Three books of one operator are one opinion: their median, 0.9.
        let many = [(1, 0.9), (2, 0.1), (1, 0.8), (3, 0.2), (1, 0.95)];
        assert_eq!(median(&many, MiddleRank::Lower), Some((0.2, 3)));
        assert_eq!(median(&many[..3], MiddleRank::Upper), Some((0.9, 2)));
    }

    proptest! {
        /// Counting finds what the median of the worse rank does, from below and from above, of few operators and of many.
        #[test]
        fn what_most_hold_holds_of_the_worse_median(
            opinions in prop::collection::vec((prop_oneof![0..6_u32, 120..140_u32], 0..6_u8), 0..14),
            limit in 0..6_u8,
            least in 0..4_usize,
        ) {
            let values: Vec<_> = opinions.iter().map(|(operator, value)| (*operator, f64::from(*value))).collect();
            let limit = f64::from(limit);
            let of = |middle, test: &dyn Fn(f64) -> bool| {
                median(&values, middle).is_some_and(|(median, operators)| operators >= least && test(median))
            };
            let held = |test: &dyn Fn(f64) -> bool| {
                is_held_by_most(values.iter().map(|(operator, value)| (*operator, test(*value))), least)
            };
            let (above, below) = (|value: f64| value >= limit, |value: f64| value < limit);
            prop_assert_eq!(held(&above), of(MiddleRank::Lower, &above));
            prop_assert_eq!(held(&below), of(MiddleRank::Upper, &below));
            let asked: Vec<_> = values.iter().map(|(operator, value)| (*operator, [above(*value), below(*value)])).collect();
            prop_assert_eq!(holders(asked.iter().copied()), holders_in_order(asked));
        }

        /// Whatever one operator says, the median of three or more stays within what the others say.
        #[test]
        fn one_wrong_opinion_does_not_move_it_out_of_the_others(
            others in prop::collection::vec(0.0..1.0_f64, 2..9),
            wrong in prop_oneof![Just(0.0), Just(1.0), -9.0..9.0_f64],
            is_upper: bool,
        ) {
            let middle = if is_upper { MiddleRank::Upper } else { MiddleRank::Lower };
            let mut opinions: Vec<_> = others.iter().zip(1..).map(|(opinion, operator)| (operator, *opinion)).collect();
            opinions.push((0, wrong));
            let (median, operators) = median(&opinions, middle).unwrap();
            let (least, most) = others.iter().fold((f64::MAX, f64::MIN), |(least, most), it| (least.min(*it), most.max(*it)));
            prop_assert_eq!(operators, opinions.len());
            prop_assert!(least <= median && median <= most, "{} of {:?}", median, opinions);
        }
    }
}
