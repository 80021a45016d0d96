//! A market cut into its lines, so that what changes of it is written line by line.
//!
//! Tables that are sorted by line are cut where they stand. It never compares what is not of one line.

use crate::arbs::Window;
use crate::market::Line;
use crate::quotes::{Move, Quote, on_line};
use crate::signals::{ConsensusSample, Signal};

use super::market_state::MarketState;

/// A market whose parts can be found by line.
pub(crate) struct Parts<'a> {
    state: &'a MarketState,
    /// Sorted by line, those of one line in their order.
    moves: Vec<&'a Move>,
    /// The same.
    signals: Vec<&'a Signal>,
}

/// All that a market holds of one of its lines.
#[derive(Debug, PartialEq)]
pub(crate) struct LinePart<'a> {
    pub(crate) line: Option<Line>,
    pub(crate) quotes: &'a [Quote],
    pub(crate) window: Option<&'a Window>,
    pub(crate) moves: &'a [&'a Move],
    pub(crate) signals: &'a [&'a Signal],
    pub(crate) consensus: &'a [ConsensusSample],
}

impl<'a> Parts<'a> {
    pub(crate) fn of(state: &'a MarketState) -> Self {
        let mut moves: Vec<_> = state.moves.iter().collect();
        moves.sort_by_key(|moved| moved.key.line);
        let mut signals: Vec<_> = state.signals.iter().collect();
        signals.sort_by_key(|signal| signal.subject.line());
        Self { state, moves, signals }
    }

    /// Every line of which there is anything, in order.
    pub(crate) fn lines(&self) -> Vec<Option<Line>> {
        let quotes = self.state.quotes.chunk_by(|a, b| a.key.line == b.key.line);
        let mut lines: Vec<_> = quotes.map(|quotes| quotes[0].key.line).collect();
        lines.extend(self.state.windows.iter().map(|window| window.line));
        lines.extend(self.moves.iter().map(|moved| moved.key.line));
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
            moves: among(&self.moves, line, |moved| moved.key.line),
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
