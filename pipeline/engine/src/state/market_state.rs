//! What is remembered of a market.
//!
//! It decides nothing.

use std::sync::Arc;

use crate::Micros;
use crate::arbs::Window;
use crate::context::{MarketContext, StepContext};
use crate::market::{Line, Market, Symbol};
use crate::quotes::{Moves, Quote, QuoteSummary};
use crate::signals::{ConsensusSample, Signal};
use crate::venues::SourceLink;

/// One market of one event: its quotes, sorted by key, its open windows, sorted by line, the moves of prices that
/// can still be part of a line movement, and the main line when it was last looked at.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MarketState {
    pub(crate) market: Market,
    pub(crate) quotes: Vec<Quote>,
    pub(crate) windows: Vec<Window>,
    /// In the order in which they came.
    pub(crate) moves: Moves,
    pub(crate) main_line: Option<Line>,
    /// Open signals, sorted by subject; most updates leave them as they are.
    pub(crate) signals: Arc<[Signal]>,
    /// What books agreed on of late, by line, outcome and time.
    pub(crate) consensus: Vec<ConsensusSample>,
    /// What follows from the quotes, so that most markets are passed over when time passes.
    pub(crate) summary: QuoteSummary,
    /// Where bets can be placed, as sources state it, sorted by book.
    pub(crate) links: Arc<[SourceLink]>,
    /// The books that have listed a draw of the winner, as long as the event is kept: in the market that has their prices.
    pub(crate) drawn: Arc<[Symbol]>,
    /// This engine has evaluated all of its quotes, and had room for all that it found. Not remembered: what is restored may have
    /// been evaluated by another table of books.
    pub(crate) is_settled: bool,
}

impl MarketState {
    /// A market without lines.
    pub(crate) fn empty(market: Market, main_line: Option<Line>) -> Self {
        let (quotes, windows, signals, consensus) = (vec![], vec![], Arc::default(), vec![]);
        let summary = QuoteSummary::of(&quotes, Micros::MAX);
        let (moves, links, drawn, is_settled) = (Moves::default(), Arc::default(), Arc::default(), false);
        Self {
            market,
            quotes,
            windows,
            moves,
            main_line,
            signals,
            consensus,
            summary,
            links,
            drawn,
            is_settled,
        }
    }

    /// What is known of it in a step that has not changed it.
    pub(crate) fn context<'a>(&'a self, step: &'a StepContext<'a>) -> MarketContext<'a> {
        let (last_received, links) = (self.summary.last_received(), &self.links);
        let drawn = &self.drawn;
        MarketContext { step, market: self.market, last_received, links, has_new_links: false, drawn }
    }

    /// Removes all that it holds of a line, but for its moves, which are remembered by themselves.
    pub(crate) fn remove_line(&mut self, line: Option<Line>) {
        self.quotes.retain(|quote| quote.key.line() != line);
        self.windows.retain(|window| window.line != line);
        self.signals = self.signals.iter().filter(|signal| signal.subject.line() != line).cloned().collect();
        self.consensus.retain(|sample| sample.line != line);
        self.summary = QuoteSummary::of(&self.quotes, Micros::MAX);
        self.is_settled = false;
    }
}
