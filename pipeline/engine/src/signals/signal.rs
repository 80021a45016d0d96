//! An open signal as the state keeps it, and what it is about.
//!
//! It decides nothing.

use std::sync::Arc;

use crate::Micros;
use crate::effect::{SignalId, SignalKind};
use crate::market::{Line, Names, Outcome};
use crate::quotes::Quote;

/// What a signal is about: of one subject there is one signal at a time. In the order in which they are published.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Subject {
    pub(crate) kind: SignalKind,
    pub(super) line: Option<Line>,
    /// Of a middle, the second bet's line.
    pub(super) second: Option<Line>,
    pub(super) outcome: Option<Outcome>,
    /// Of a stale price, whose.
    pub(super) book: Option<Arc<str>>,
}

impl Subject {
    /// The line that it is about; of a middle that of the first bet.
    pub(crate) fn line(&self) -> Option<Line> {
        self.line
    }

    /// What these bets are about.
    pub(crate) fn of(kind: SignalKind, bets: &[Quote], names: &Names) -> Option<Self> {
        let first = bets.first()?;
        let one = matches!(
            kind,
            SignalKind::Value | SignalKind::Steam | SignalKind::StalePrice | SignalKind::OddsDrop
        );
        let second = bets.get(1).filter(|_| kind == SignalKind::Middle);
        Some(Self {
            kind,
            line: first.key.line,
            second: second.and_then(|second| second.key.line),
            outcome: one.then_some(first.key.outcome),
            book: (kind == SignalKind::StalePrice).then(|| Arc::clone(names.name(first.key.book))),
        })
    }
}

/// An open signal as the state keeps it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Signal {
    pub(crate) subject: Subject,
    pub(crate) id: SignalId,
    pub(crate) opened_at: Micros,
    pub(crate) expires_at: Micros,
    pub(crate) sequence: i64,
    pub(crate) strength: f64,
    pub(crate) confidence: f64,
    /// As they were when it was last published.
    pub(crate) bets: Vec<Quote>,
}
