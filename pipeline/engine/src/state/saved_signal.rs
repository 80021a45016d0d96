//! A line's open signals and the samples of its consensus as data, with names for symbols.
//!
//! It decides nothing.

use crate::Micros;
use crate::effect::{SignalId, SignalKind};
use crate::market::{Line, Names, Outcome};
use crate::quotes::Quote;
use crate::signals::{ConsensusSample, Signal, Subject};

use super::saved_quote::SavedQuote;

/// An open signal.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)]
pub struct SavedSignal {
    pub id: SignalId,
    pub kind: SignalKind,
    pub opened_at: Micros,
    pub expires_at: Micros,
    pub sequence: i64,
    pub strength: f64,
    pub confidence: f64,
    /// As they were when it was last published.
    pub bets: Vec<SavedBet>,
}

/// A bet of a signal, which may be on another line than the signal is about.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct SavedBet {
    pub line: Option<Line>,
    pub quote: SavedQuote,
}

/// What the books of a line agreed on from then on.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct SavedConsensus {
    pub outcome: Outcome,
    pub at: Micros,
    /// Median implied probability, in millionths.
    pub probability: u32,
}

impl SavedSignal {
    pub(crate) fn new(signal: &Signal, names: &Names) -> Self {
        Self {
            id: signal.id,
            kind: signal.subject.kind,
            opened_at: signal.opened_at,
            expires_at: signal.expires_at,
            sequence: signal.sequence,
            strength: signal.strength,
            confidence: signal.confidence,
            bets: signal.bets.iter().map(|bet| SavedBet::new(bet, names)).collect(),
        }
    }

    /// `None` of one without bets.
    pub(crate) fn to_signal(&self, bets: Vec<Quote>, names: &Names) -> Option<Signal> {
        Some(Signal {
            subject: Subject::of(self.kind, &bets, names)?,
            id: self.id,
            opened_at: self.opened_at,
            expires_at: self.expires_at,
            sequence: self.sequence,
            strength: self.strength,
            confidence: self.confidence,
            bets,
        })
    }
}

impl SavedBet {
    fn new(bet: &Quote, names: &Names) -> Self {
        Self { line: bet.key.line(), quote: SavedQuote::new(bet, names) }
    }

    pub(crate) fn to_quote(&self, names: &mut Names) -> Quote {
        self.quote.to_quote(self.line, names)
    }
}

impl SavedConsensus {
    pub(crate) fn new(sample: &ConsensusSample) -> Self {
        let ConsensusSample { outcome, at, probability, .. } = *sample;
        Self { outcome, at, probability }
    }

    pub(crate) fn to_sample(&self, line: Option<Line>) -> ConsensusSample {
        let Self { outcome, at, probability } = *self;
        ConsensusSample { line, outcome, at, probability }
    }
}
