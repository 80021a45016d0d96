//! Records of settlement: what bots and sources of results ask for, and the changelog of the settlement machine.
//!
//! Closed sets are texts here; `arb_settle` knows which there are. What is published is [`Pick`] and [`OpenedWindow`] with its grades, of `arb_model`.

use arb_model::{
    ClosingPrice, Event, Family, FeedKind, LaterOffer, Name, Open, OpenedWindow, Outcome, Period, Pick,
    Points, Price, Time, WindowGrade,
};
use serde::{Deserialize, Serialize};

use crate::time::Micros;

/// A bet that a bot asks to publish.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct PickCandidate {
    pub bot: String,
    pub version: i64,
    pub feed: Open<FeedKind>,
    pub event: Event,
    pub market: Open<Family>,
    pub period: Open<Period>,
    pub line: Option<Points>,
    pub outcome: Open<Outcome>,
    pub draw_refunds: bool,
    pub book: Name,
    pub price: Price,
    pub probability: f64,
    pub method: String,
    pub stake: f64,
    pub reasons: Vec<String>,
    pub at: Time,
}

/// The result of an event as one source reports it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct ResultReport {
    pub event: String,
    pub status: String,
    pub scores: Vec<PeriodScore>,
    pub starts_at: Option<Micros>,
    pub source: String,
    pub at: Micros,
    /// The name of the side whose points are `home`; empty where there are no scores.
    pub home: String,
    /// That of the other side.
    pub away: String,
    /// How the event ended, where the source says it.
    pub ended: Option<String>,
}

/// The period of the score after regulation, of an event that was played on.
pub const REGULATION: &str = "regulation";

/// The points of both sides in one period.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct PeriodScore {
    pub period: String,
    pub home: i32,
    pub away: i32,
}

impl PeriodScore {
    /// The same with the sides exchanged.
    #[must_use]
    pub fn turned(&self) -> Self {
        Self { period: self.period.clone(), home: self.away, away: self.home }
    }
}

/// The price of a pick's bet shortly before its event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct PickClosing {
    pub pick: String,
    pub price: Option<Price>,
    pub probability: f64,
    pub last_seen_at: Time,
}

/// What the book of a pick offered on its bet after the pick was published.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct PickOffer {
    pub pick: String,
    pub is_next_poll: bool,
    pub price: Option<Price>,
    pub last_seen_at: Time,
}

/// How late it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct PickTimer {
    pub at: Micros,
}

/// A pick that can still be graded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct StatePick {
    pub pick: Pick,
    pub taken_at: Micros,
}

/// An arb window that can still be graded.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct StateOpenedWindow {
    pub window: OpenedWindow,
    /// The last one; `None` of a window that was never graded.
    pub grade: Option<WindowGrade>,
    /// The newest known start of the event.
    pub starts_at: Time,
    pub taken_at: Micros,
}

/// The newest report on an event.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct StateResult {
    pub report: ResultReport,
    pub taken_at: Micros,
    /// When bets are graded by it; `None` where they were.
    pub due_at: Option<Micros>,
    /// When bets were last graded by a report on the event.
    pub graded_at: Option<Micros>,
    /// How many reports said something new.
    pub changes: i64,
}

/// The time in the settlement of a partition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct StatePicks {
    pub clock: Micros,
}

impl From<PickClosing> for ClosingPrice {
    fn from(closing: PickClosing) -> Self {
        Self { price: closing.price, probability: closing.probability, last_seen_at: closing.last_seen_at }
    }
}

impl From<PickOffer> for LaterOffer {
    fn from(offer: PickOffer) -> Self {
        Self { price: offer.price, last_seen_at: offer.last_seen_at }
    }
}
