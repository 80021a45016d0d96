//! Line movement: prices that moved within a hopping window, and main lines that changed.
//!
//! Windows `[b - SIZE, b)` end at each multiple `b` of [`HOP`] in event time, and are looked at when the watermark
//! passes `b`. A quote's move is what its price changed by within the window, as implied probability; one that is
//! reported counts no more, so that the next report of the quote starts where the last one ended. The **main line** of a
//! market is the one that most books quote on both sides (then the one that it was, then the one closest to even, then the smaller), as the
//! quotes on offer stand when a `b` is passed. It never looks at a window of arbs.
//!
//! Source: hopping windows as in Akidau et al., "The Dataflow Model" (VLDB 2015), section 1.1 (there: sliding).

use std::cmp::Reverse;
use std::sync::Arc;

use crate::Micros;
use crate::catalogue::{Line, Outcome};
use crate::effect::{Effect, Moved, Movement};
use crate::odds::Price;
use crate::quotes::{QuoteKey, Quote, on_offer};
use crate::window::{MarketContext, Effects};

/// One second.
const SECOND: Micros = 1_000_000;
/// Length of a window.
const SIZE: Micros = 60 * SECOND;
/// Time from one window to the next.
const HOP: Micros = 10 * SECOND;
/// The least change of implied probability that is a movement: 1 in so many, so 0.02.
const ONE_IN: u64 = 50;

/// A change of a back quote's price.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Move {
    pub(crate) key: QuoteKey,
    /// `received_at` of the frame that said so.
    pub(crate) at: Micros,
    pub(crate) from: Price,
    pub(crate) to: Price,
    /// It is part of a movement that was reported.
    pub(crate) is_reported: bool,
}

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
    fn of(&self, moves: &[Move]) -> impl Iterator<Item = Micros> + use<> {
        let first = moves.iter().map(|moved| moved.at).min().unwrap_or(Micros::MAX).max(self.from);
        let last = moves.iter().map(|moved| moved.at.saturating_add(SIZE)).max();
        let first = (first.div_euclid(HOP)).saturating_add(1).saturating_mul(HOP);
        let hop = usize::try_from(HOP).unwrap_or(usize::MAX);
        (first..=last.unwrap_or(Micros::MIN).min(self.to)).step_by(hop)
    }
}

/// Whether a window that the watermark has not passed yet can hold a move.
pub(crate) fn is_pending(moved: &Move, watermark: Micros) -> bool {
    moved.at >= end_after(watermark).saturating_sub(SIZE)
}

/// Where the first window ends that a watermark has not passed yet.
fn end_after(watermark: Micros) -> Micros {
    watermark.div_euclid(HOP).saturating_add(1).saturating_mul(HOP)
}

/// The first watermark after this one at which a window that holds any of the moves has been passed.
pub(crate) fn due(moves: &[Move], watermark: Micros) -> Micros {
    Hops { from: watermark, to: Micros::MAX }.of(moves).next().unwrap_or(Micros::MAX)
}

/// The first watermark after this one at which the main line of a table that was made then is looked at.
pub(crate) fn main_line_due(made_at: Micros, watermark: Micros) -> Micros {
    let was_looked_at = watermark.div_euclid(HOP) > made_at.div_euclid(HOP);
    if was_looked_at { Micros::MAX } else { end_after(watermark) }
}

/// The ends of windows that were passed and hold any of the moves; not where a window holds what the one before it held.
pub(crate) fn ends(moves: &[Move], hops: Hops) -> impl Iterator<Item = Micros> {
    let is_new = |(index, end): &(usize, Micros)| *index == 0 || changes(moves, *end);
    hops.of(moves).enumerate().filter(is_new).map(|(_, end)| end)
}

/// Reports the moves of the windows that were passed; all of them afterwards, `None` where none was reported.
pub(crate) fn report(
    all: &[Move],
    hops: Hops,
    context: &MarketContext<'_>,
    effects: &mut Effects<'_>,
) -> Option<Vec<Move>> {
    let mut now: Option<Vec<Move>> = None;
    for end in ends(all, hops) {
        let moves = now.as_deref().unwrap_or(all);
        let mut sums = within(moves.iter().filter(|moved| !moved.is_reported), end);
        sums.retain(|sum| is_movement(sum.from, sum.to));
        if sums.is_empty() {
            continue;
        }
        // By name: a restored engine numbers books in another order.
        let order = |moved: &Move| (moved.key.line, moved.key.outcome);
        let book = |moved: &Move| context.step.pricing.names.name(moved.key.book);
        sums.sort_by(|a, b| order(a).cmp(&order(b)).then_with(|| book(a).cmp(book(b))));
        let is_in_report = |moved: &Move| moved.at < end && sums.iter().any(|sum| sum.key == moved.key);
        let mark = |moved: &Move| Move { is_reported: moved.is_reported || is_in_report(moved), ..*moved };
        now = Some(moves.iter().map(mark).collect());
        for Move { key, from, to, .. } in sums {
            let book = Arc::clone(context.step.pricing.names.name(key.book));
            let what = Moved::Price { outcome: key.outcome, book, from, to };
            push(what, key.line, end, context, effects);
        }
    }
    now
}

/// Whether a move enters or leaves the windows by the hop to this end.
fn changes(moves: &[Move], end: Micros) -> bool {
    let is_on = |end: Micros| move |moved: &Move| moved.at < end && moved.at >= end - HOP;
    moves.iter().any(is_on(end)) || moves.iter().any(is_on(end - SIZE))
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

/// Whether implied probabilities are 0.02 or more apart, in integers.
fn is_movement(from: Price, to: Price) -> bool {
    let (from, to) = (u64::from(from.millionths()), u64::from(to.millionths()));
    from.abs_diff(to) * 1_000_000 * ONE_IN >= from * to
}

/// Reports another main line.
pub(crate) fn report_main_line(
    was: Option<Line>,
    now: Option<Line>,
    hops: Hops,
    context: &MarketContext<'_>,
    effects: &mut Effects<'_>,
) {
    if let (Some(from), Some(line), Some(end)) = (was, now, hops.last())
        && from != line
    {
        push(Moved::MainLine { from }, Some(line), end, context, effects);
    }
}

/// The line that most books quote on both sides; `was` is the one before, which holds against as many.
pub(crate) fn main_line(quotes: &[Quote], outcomes: &[Outcome], was: Option<Line>) -> Option<Line> {
    let &[one, other] = outcomes else { return None };
    let lines = quotes.chunk_by(|a, b| a.key.line == b.key.line).filter_map(|quotes| {
        let line = quotes[0].key.line?;
        let books = books_on_both(quotes, one, other);
        (books > 0).then(|| (books, Some(line) == was, Reverse(from_even(quotes, one, other)), Reverse(line)))
    });
    lines.max().map(|(.., Reverse(line))| line)
}

/// How many books offer both outcomes of a line; both are sorted by book.
fn books_on_both(quotes: &[Quote], one: Outcome, other: Outcome) -> usize {
    let mut others = on_offer(quotes, other).map(|quote| quote.key.book).peekable();
    let is_on_both = |quote: &&Quote| {
        while others.next_if(|book| *book < quote.key.book).is_some() {}
        others.peek() == Some(&quote.key.book)
    };
    on_offer(quotes, one).filter(is_on_both).count()
}

/// How far the best prices of a line are from even, as implied probability in parts of 10^12.
fn from_even(quotes: &[Quote], one: Outcome, other: Outcome) -> u128 {
    let best = |outcome| {
        let highest = on_offer(quotes, outcome).map(|quote| quote.price.millionths()).max();
        u128::from(highest.unwrap_or(1))
    };
    let (one, other) = (best(one), best(other));
    one.abs_diff(other) * 1_000_000_000_000_000_000 / (one * other)
}

fn push(what: Moved, line: Option<Line>, end: Micros, context: &MarketContext<'_>, effects: &mut Effects<'_>) {
    let movement = Movement {
        event: Arc::clone(context.step.event),
        market: context.market,
        line,
        what,
        window_start: end - SIZE,
        window_end: end,
        sequence: effects.next(),
    };
    effects.push(Effect::LineMovement(Box::new(movement)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_movement_is_a_fiftieth_of_probability() {
        let price = |decimal: &str| Price::from_decimal(decimal).unwrap();
        // 1/2 - 1/2.083333... is 0.02.
        assert!(is_movement(price("2"), price("2.083334")) && !is_movement(price("2"), price("2.08333")));
        assert!(is_movement(price("2.083334"), price("2")));
        assert!(!is_movement(price("1000"), price("50.1")) && is_movement(price("1000"), price("47.6")));
        assert!(!is_movement(price("3"), price("3")));
    }

    #[test]
    fn hops_are_passed_once() {
        let hops = |from: i64, to: i64| Hops::passed(from * SECOND, to * SECOND);
        assert_eq!((hops(5, 9).last(), hops(5, 10).last()), (None, Some(10 * SECOND)));
        assert_eq!((hops(10, 19).last(), hops(3, 99).last()), (None, Some(90 * SECOND)));
        assert_eq!(Hops::passed(Micros::MIN, 100 * SECOND).last(), None);
    }
}
