//! The records of `signals.v1`, and what became of them on the feed: edge signals.

use serde::{Deserialize, Serialize};

use super::Event;
use crate::time::Micros;

/// An open edge signal as it is now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EdgeSignal {
    /// One from open to close.
    pub id: String,
    /// `value`, `steam`, `stale_price`, `middle`, `low_hold` or `odds_drop`.
    pub kind: String,
    /// The event.
    pub event: Event,
    /// The event had begun when the record was written.
    pub in_play: bool,
    /// Market family.
    pub market: String,
    /// Period of the market.
    pub period: String,
    /// Line in thousandths; of a middle the first bet's.
    pub line: Option<i32>,
    /// What is bet on; `None` of bets on several outcomes.
    pub outcome: Option<String>,
    /// A fraction; of what, by kind.
    pub strength: f64,
    /// 0 to 1.
    pub confidence: f64,
    /// What to take.
    pub bets: Vec<SignalQuote>,
    /// The quotes that say so; none of a signal that closes.
    pub evidence: Vec<SignalQuote>,
    /// The fair chance by each method of devig, that of `strength` first.
    pub fair: Vec<FairChance>,
    /// A quarter of the Kelly fraction of the bank.
    pub kelly: Option<f64>,
    /// When it opened.
    pub opened_at: Micros,
    /// When anything of it last changed.
    pub updated_at: Micros,
    /// When it closes, unless it closes before or is confirmed.
    pub expires_at: Micros,
    /// Of its last transition.
    pub sequence: i64,
}

/// A quote of a signal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignalQuote {
    /// `bet`, `source`, `leader`, `follower` or `other`.
    pub role: String,
    /// What is bet on.
    pub outcome: String,
    /// `back` or `lay`.
    pub side: String,
    /// Line in thousandths.
    pub line: Option<i32>,
    /// Where.
    pub book: String,
    /// Who runs the book.
    pub operator: String,
    /// Decimal odds in millionths.
    pub price: i64,
    /// Of a leader or follower: millionths at the start of the move.
    pub price_from: Option<i64>,
    /// After fees, as the price of a back, in millionths.
    pub effective_price: i64,
    /// When the price last changed.
    pub price_moved_at: Micros,
    /// When the source last confirmed it.
    pub last_seen_at: Micros,
}

/// A chance without what books keep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FairChance {
    /// By which method.
    pub method: String,
    /// Of the outcome.
    pub probability: f64,
}

/// A signal opened, changed or closed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SignalChange {
    /// `opened`, `updated`, or why it closed.
    pub change: String,
    /// As it is, or was.
    pub signal: EdgeSignal,
}
