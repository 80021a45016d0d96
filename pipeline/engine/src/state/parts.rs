//! A market cut into its lines, so that what changes of it is written line by line.
//!
//! Tables that are sorted by line are cut at a line. It never compares rows of different lines.

use crate::arbs::Window;
use crate::market::Line;
use crate::quotes::{Quote, by_line, on_line};
use crate::signals::{ConsensusSample, Signal};

use super::market_state::MarketState;

/// A market whose parts can be found by line.
pub(crate) struct Parts<'a> {
    state: &'a MarketState,
    /// Sorted by line.
    signals: Vec<&'a Signal>,
}

/// All that a market holds of one of its lines, but for its moves.
#[derive(Debug, PartialEq)]
pub(crate) struct LinePart<'a> {
    pub(crate) line: Option<Line>,
    pub(crate) quotes: &'a [Quote],
    pub(crate) window: Option<&'a Window>,
    pub(crate) signals: &'a [&'a Signal],
    pub(crate) consensus: &'a [ConsensusSample],
}

impl<'a> Parts<'a> {
    pub(crate) fn of(state: &'a MarketState) -> Self {
        let mut signals: Vec<_> = state.signals.iter().collect();
        signals.sort_by_key(|signal| signal.subject.line());
        Self { state, signals }
    }

    /// Every line of which there is anything but moves, in order.
    pub(crate) fn lines(&self) -> Vec<Option<Line>> {
        let quotes = by_line(&self.state.quotes);
        let mut lines: Vec<_> = quotes.map(|quotes| quotes[0].key.line()).collect();
        lines.extend(self.state.windows.iter().map(|window| window.line));
        lines.extend(self.signals.iter().map(|signal| signal.subject.line()));
        lines.extend(self.state.consensus.iter().map(|sample| sample.line));
        lines.sort_unstable();
        lines.dedup();
        lines
    }

    pub(crate) fn on(&self, line: Option<Line>) -> LinePart<'_> {
        let windows = &self.state.windows;
        let window = windows.binary_search_by_key(&line, |window| window.line).ok();
        LinePart {
            line,
            quotes: on_line(&self.state.quotes, line),
            window: window.and_then(|at| windows.get(at)),
            signals: among(&self.signals, line, |signal| signal.subject.line()),
            consensus: among(&self.state.consensus, line, |sample| sample.line),
        }
    }
}

/// What is of a line in a table that is sorted by line.
fn among<T>(table: &[T], line: Option<Line>, of: impl Fn(&T) -> Option<Line>) -> &[T] {
    let from = table.partition_point(|it| of(it) < line);
    let to = table.partition_point(|it| of(it) <= line);
    &table[from..to]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::effect::{SignalId, SignalKind};
    use crate::fixtures::{self, World, market, price, quote};
    use crate::learning::survival::{EventStage, Life, MarketKind, Profile};
    use crate::market::Outcome;
    use crate::signals::Subject;
    use crate::venues::Books;

    const BOTH: [Outcome; 2] = [Outcome::Over, Outcome::Under];

    /// (line in thousands, book, outcome).
    type Raw = (i32, usize, usize);

    fn life() -> Life {
        let profile = Profile { stage: EventStage::Hours, kind: MarketKind::Total, margin: 1, age: 2 };
        Life { profile, pace: 1_000, since: 3, confirmed_at: 5, taught_to: 4 }
    }

    /// A market of these quotes, signals and samples, and a window on these lines.
    fn state(quotes: &[Raw], signals: &[Raw], lines: &[i32]) -> MarketState {
        let world = World::new(Books::default(), 3);
        let of = |(line, book, outcome): &Raw| {
            quote(world.book(["a", "b", "c"][*book]), Some(line * 1_000), BOTH[*outcome], price("2"))
        };
        let mut state = MarketState::empty(market("totals"), None);
        state.quotes = quotes.iter().map(of).collect();
        state.quotes.sort_by_key(|quote| quote.key);
        state.quotes.dedup_by_key(|quote| quote.key);
        let signal = |raw: &Raw| {
            let bets = vec![of(raw)];
            let subject = Subject::of(SignalKind::Value, &bets, &world.names).unwrap();
            let (id, expires_at, opened_at, sequence) = (SignalId([1; 16]), 9, 1, 1);
            Signal { subject, id, opened_at, expires_at, sequence, strength: 0.1, confidence: 1.0, bets }
        };
        let mut signals: Vec<_> = signals.iter().map(signal).collect();
        signals.sort_by(|a, b| a.subject.cmp(&b.subject));
        state.signals = signals.into();
        state.windows = lines
            .iter()
            .map(|line| fixtures::window(vec![of(&(*line, 0, 0)), of(&(*line, 1, 1))], life()))
            .collect();
        let sample = |line: &i32| ConsensusSample {
            line: Some(line * 1_000),
            outcome: BOTH[0],
            at: 3,
            probability: 5,
        };
        state.consensus = lines.iter().map(sample).collect();
        state
    }

    fn raws() -> impl Strategy<Value = Vec<Raw>> {
        prop::collection::vec((0..5_i32, 0..3_usize, 0..2_usize), 0..12)
    }

    proptest! {
        /// Each thing of a market is on exactly one of its lines, and every line that is listed has something.
        #[test]
        fn lines_are_a_partition_of_the_market(
            quotes in raws(), signals in raws(), lines in prop::collection::btree_set(0..5_i32, 0..4),
        ) {
            let lines: Vec<_> = lines.into_iter().collect();
            let state = state(&quotes, &signals, &lines);
            let parts = Parts::of(&state);
            let (mut found, mut windows) = (MarketState::empty(state.market, None), Vec::new());
            let mut signals = 0;
            let listed = parts.lines();
            prop_assert!(listed.is_sorted_by(|a, b| a < b));
            for line in listed {
                let part = parts.on(line);
                let count = part.quotes.len() + part.signals.len() + part.consensus.len();
                prop_assert!(count > 0 || part.window.is_some());
                prop_assert!(part.quotes.iter().all(|quote| quote.key.line() == line));
                found.quotes.extend(part.quotes);
                signals += part.signals.len();
                found.consensus.extend(part.consensus);
                windows.extend(part.window.cloned());
            }
            prop_assert_eq!(found.quotes, state.quotes.clone());
            prop_assert_eq!(windows, state.windows.clone());
            prop_assert_eq!(found.consensus, state.consensus.clone());
            prop_assert_eq!(signals, state.signals.len());
        }

        /// Of a line that a market does not have there is nothing.
        #[test]
        fn of_another_line_there_is_nothing(quotes in raws()) {
            let state = state(&quotes, &[], &[]);
            for line in [None, Some(99_000)] {
                let parts = Parts::of(&state);
                let part = parts.on(line);
                prop_assert!(part.quotes.is_empty() && part.window.is_none());
            }
        }
    }
}
