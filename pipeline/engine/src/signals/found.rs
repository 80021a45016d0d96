//! What a look at a market finds, before it is known whether it is new.

use crate::Micros;
use crate::effect::{Role, SignalId, SignalKind};
use crate::market::Names;
use crate::odds::Price;
use crate::odds::devig::Method;
use crate::quotes::Quote;

use super::signal::{Signal, Subject};

/// Something that is to be published, or to stay open.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) subject: Subject,
    pub(super) strength: f64,
    pub(super) confidence: f64,
    pub(super) expires_at: Micros,
    pub(super) bets: Vec<Quote>,
    pub(super) detail: Detail,
}

/// The evidence for it.
#[derive(Debug, Default)]
pub(super) struct Detail {
    /// Quotes beside the bets; of those that moved, from where.
    pub(super) quotes: Vec<(Role, Quote, Option<Price>)>,
    /// The fair chance of the outcome by each method, the most cautious first.
    pub(super) fair: Vec<(Method, f64)>,
    /// A quarter of the Kelly fraction.
    pub(super) kelly: Option<f64>,
}

impl Found {
    /// `None` of no bets.
    pub(super) fn new(kind: SignalKind, bets: Vec<Quote>, expires_at: Micros, names: &Names) -> Option<Self> {
        let subject = Subject::of(kind, &bets, names)?;
        Some(Self { subject, strength: 0.0, confidence: 0.0, expires_at, bets, detail: Detail::default() })
    }

    /// As the state keeps it, and the evidence for it.
    pub(super) fn signal(self, id: SignalId, opened_at: Micros, sequence: i64) -> (Signal, Detail) {
        let Self { subject, strength, confidence, expires_at, bets, detail } = self;
        (Signal { subject, id, opened_at, expires_at, sequence, strength, confidence, bets }, detail)
    }
}
