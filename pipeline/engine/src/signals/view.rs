//! The views that signals read: a market's current table, and a market over which time passes.
//!
//! It decides nothing.

use crate::Micros;
use crate::arbs::Arb;
use crate::market::{Line, Outcome};
use crate::quotes::{Moves, Quote};

use super::consensus_sample::ConsensusSample;

/// A market's current table.
#[derive(Debug)]
pub(crate) struct TableView<'a> {
    pub(crate) quotes: &'a [Quote],
    pub(crate) outcomes: &'a [Outcome],
    /// Those on which signals may open, or change.
    pub(crate) lines: Vec<&'a [Quote]>,
    /// The other lines are as they were when signals were looked for last.
    pub(crate) is_known_beside_lines: bool,
    /// Of each of these lines where the best prices are nearly an arb.
    pub(crate) covers: Vec<Arb<'a>>,
}

/// A market when time passes over it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PassedMarket<'a> {
    pub(crate) quotes: &'a [Quote],
    /// What prices moved by of late.
    pub(crate) moves: &'a Moves,
    /// What books agreed on of late.
    pub(crate) consensus: &'a [ConsensusSample],
    /// The watermark when the table was made.
    pub(crate) made_at: Micros,
    pub(crate) outcomes: &'a [Outcome],
    pub(crate) main_line: Option<Line>,
}
