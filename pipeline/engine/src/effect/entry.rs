//! An open window as an entry of the board.
//!
//! It decides nothing.

use std::sync::Arc;

use crate::Micros;
use crate::learning::survival::Ttl;
use crate::market::{EventInfo, Line, Market, Outcome, Side};
use crate::odds::Price;

use super::ids::WindowId;
use super::verification::{FailedCheck, Flag, Verification};

/// An open window.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// One from open to close.
    pub id: WindowId,
    /// The event.
    pub event: Arc<EventInfo>,
    /// It had begun.
    pub in_play: bool,
    /// Market.
    pub market: Market,
    /// Line.
    pub line: Option<Line>,
    /// `S`, by effective prices.
    pub implied_probability: f64,
    /// `1/S - 1`.
    pub margin: f64,
    /// Least return over settlement states.
    pub margin_worst: f64,
    /// Least return of the legs' stakes, pushes aside; `None` when none can be placed.
    pub margin_rounded: Option<f64>,
    /// The largest total stake within limits, in minor units; `None` when no limit is known.
    pub total_stake_max: Option<i64>,
    /// Of all stakes, ISO 4217; `None` when a leg's is not known.
    pub currency: Option<Arc<str>>,
    /// The bets, in the order of the outcome set.
    pub legs: Vec<EntryLeg>,
    /// What is proven of it.
    pub verification: Verification,
    /// Why the rest is not.
    pub doubts: Vec<FailedCheck>,
    /// What a taker must know.
    pub warnings: Vec<Warning>,
    /// How long it has still to live.
    pub ttl: Ttl,
    /// The probability that it lives long enough to be placed.
    pub placeable: f64,
    /// What the rank is made of, beside the verification: the rounded margin times the probability of being placed.
    pub score: f64,
    /// When it opened.
    pub opened_at: Micros,
    /// When the entry last changed.
    pub updated_at: Micros,
    /// Of its last transition.
    pub sequence: i64,
}

impl Entry {
    /// Whether the legs' prices are proven to have been on offer at one moment.
    #[must_use]
    pub fn is_simultaneous(&self) -> bool {
        self.verification.holds(Flag::Simultaneous)
    }
}

/// What a taker must know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Warning {
    /// In some state of the score nothing is won: stakes come back.
    PushPossible,
    /// The line is a quarter line: in some state of the score half of a stake comes back.
    HalfPushPossible,
    /// It is not stated how much a leg's book takes.
    LimitUnknown,
}

impl Warning {
    /// Its name in messages.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::PushPossible => "push_possible",
            Self::HalfPushPossible => "half_push_possible",
            Self::LimitUnknown => "limit_unknown",
        }
    }
}

/// One bet of an entry.
#[derive(Debug, Clone, PartialEq)]
pub struct EntryLeg {
    /// What is bet on.
    pub outcome: Outcome,
    /// For it, or against it.
    pub side: Side,
    /// Where.
    pub book: Arc<str>,
    /// Who runs the book.
    pub operator: Arc<str>,
    /// At what price.
    pub price: Price,
    /// What is left of it after fees, as the price of a back; of a lay, per unit of liability.
    pub effective_price: Price,
    /// `1/o` of the effective price.
    pub implied_probability: f64,
    /// `(1/o)/S` of the effective price; of a lay, of the liability.
    pub stake_share: f64,
    /// What to ask of the book in minor units, of the default total or less: the stake of a back, the backer's stake of a lay.
    pub stake: Option<i64>,
    /// What a lay risks for it, in minor units.
    pub liability: Option<i64>,
    /// The most that the book takes at this price, in minor units: of a lay the backer's stake. `None`: not stated.
    pub limit: Option<i64>,
    /// When the price last changed.
    pub price_moved_at: Micros,
    /// When the source last confirmed it.
    pub last_seen_at: Micros,
}
