//! The records of `arbs.board.v1` and `feed.events.v1`: open windows, and what became of them.

use serde::{Deserialize, Serialize};

use super::Event;
use crate::time::Micros;

/// An open arb window as it is now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BoardEntry {
    /// Window id, one from open to close.
    pub id: String,
    /// The event.
    pub event: Event,
    /// The event had begun when the entry was written.
    pub in_play: bool,
    /// `surebet`.
    pub kind: String,
    /// Market family.
    pub market: String,
    /// Period of the market.
    pub period: String,
    /// Line in thousandths.
    pub line: Option<i32>,
    /// Sum of 1/effective price over the legs.
    pub implied_probability: f64,
    /// Return on the total stake, a fraction.
    pub margin: f64,
    /// Least return over settlement states, a fraction.
    pub margin_worst: f64,
    /// The bets, in the order of the outcome set.
    pub legs: Vec<Leg>,
    /// The legs' prices are proven to have been on offer at one moment.
    pub simultaneous: bool,
    /// What a taker must know.
    pub warnings: Vec<String>,
    /// What the rank is made of, beside the verification.
    pub score: f64,
    /// When the window opened.
    pub opened_at: Micros,
    /// When anything of the entry last changed.
    pub updated_at: Micros,
    /// Of the last transition.
    pub sequence: i64,
    /// Least return of the legs' stakes, pushes aside.
    pub margin_rounded: Option<f64>,
    /// The largest total within limits, in minor units.
    pub total_stake_max: Option<i64>,
    /// ISO 4217.
    pub currency: Option<String>,
    /// All flags hold.
    pub verified: bool,
    /// The flags; `None` in records of version 1.
    pub verification: Option<Verification>,
    /// Why a flag does not hold, one for each.
    pub doubts: Vec<Doubt>,
    /// Remaining life when the entry was written.
    pub ttl: Option<Ttl>,
    /// The probability that the window lives long enough to be placed.
    pub placeable: Option<f64>,
}

/// What is proven of an arb, and what is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[allow(clippy::struct_excessive_bools)] // Each is a flag of its own.
pub struct Verification {
    /// The legs' prices were on offer at one moment.
    pub simultaneous: bool,
    /// Every leg was confirmed within its book's own 95th percentile.
    pub fresh: bool,
    /// No leg is suspended.
    pub active: bool,
    /// All legs are on one line.
    pub same_line: bool,
    /// The books settle the bets by the same rules.
    pub same_rules: bool,
    /// No two legs are at one operator.
    pub independent_operators: bool,
    /// No leg is an outlier against the other books.
    pub plausible_price: bool,
    /// The margin is one that proven windows have.
    pub plausible_margin: bool,
    /// Stakes that can be placed leave a profit.
    pub stakeable: bool,
}

/// Why a flag does not hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Doubt {
    /// Which.
    pub flag: String,
    /// One sentence.
    pub reason: String,
}

/// Remaining life in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Ttl {
    /// One in ten is gone by then.
    pub p10: f64,
    /// Half are.
    pub median: f64,
    /// Nine in ten are.
    pub p90: f64,
}

/// One bet of an arb.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Leg {
    /// What is bet on.
    pub outcome: String,
    /// `back` or `lay`.
    pub side: String,
    /// Where.
    pub book: String,
    /// Decimal odds in millionths.
    pub price: i64,
    /// 1/effective price.
    pub implied_probability: f64,
    /// Share of the total stake; of a lay, of its liability.
    pub stake_share: f64,
    /// When the price last changed.
    pub price_moved_at: Micros,
    /// When the source last confirmed it.
    pub last_seen_at: Micros,
    /// Who runs the book; empty in records of version 1.
    pub operator: String,
    /// After fees, as the price of a back, in millionths.
    pub effective_price: Option<i64>,
    /// To ask of the book, in minor units: of a lay the backer's stake.
    pub stake: Option<i64>,
    /// What a lay risks for it, in minor units.
    pub liability: Option<i64>,
    /// The most that the book takes, in minor units.
    pub limit: Option<i64>,
}

/// The last whole poll of a source that this partition of the board contains.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoardProgress {
    /// Which source.
    pub source: String,
    /// The poll's time.
    pub received_at: Micros,
}

/// A window opened or changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ArbWindow {
    /// `opened` or `updated`.
    pub change: String,
    /// The board's entry.
    pub entry: BoardEntry,
}

/// A window closed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CloseSignal {
    /// Window id.
    pub id: String,
    /// Its event.
    pub event_id: String,
    /// Why.
    pub reason: String,
    /// When it opened.
    pub opened_at: Micros,
    /// When it closed.
    pub closed_at: Micros,
    /// Margin at opening.
    pub margin_open: f64,
    /// Largest margin.
    pub margin_peak: f64,
    /// Last margin while open.
    pub margin_close: f64,
    /// Of this transition.
    pub sequence: i64,
    /// Sport of its event.
    pub sport: String,
    /// League of its event.
    pub league: String,
    /// Market family.
    pub market: String,
    /// Period of the market.
    pub period: String,
    /// Line in thousandths.
    pub line: Option<i32>,
    /// Its legs were proven to be on offer at one moment while it was open.
    pub simultaneous_ever: Option<bool>,
    /// It was verified while it was open.
    pub verified_ever: Option<bool>,
}

/// A quote's price moved by more than a threshold, or a market's main line changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LineMovement {
    /// `price` or `main_line`.
    pub kind: String,
    /// The event.
    pub event: Event,
    /// Market family.
    pub market: String,
    /// Period of the market.
    pub period: String,
    /// Line in thousandths; of a main line the new one.
    pub line: Option<i32>,
    /// `main_line`: the line before.
    pub line_from: Option<i32>,
    /// `price`: what is bet on.
    pub outcome: Option<String>,
    /// `price`: whose.
    pub book: Option<String>,
    /// `price`: millionths at the window's start.
    pub price_from: Option<i64>,
    /// `price`: millionths at its end.
    pub price_to: Option<i64>,
    /// `price`: `1/to - 1/from`.
    pub probability_change: Option<f64>,
    /// Start of the hopping window.
    pub window_start: Micros,
    /// Its end.
    pub window_end: Micros,
    /// Of this event on the feed.
    pub sequence: i64,
}

/// A book stopped confirming its prices for an event, or an arb's leg did; or the book came back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StaleAlert {
    /// `book` or `arb`.
    pub scope: String,
    /// `stale`; for a book also `recovered`, or `gone`.
    pub state: String,
    /// The event.
    pub event: Event,
    /// Whose prices.
    pub book: String,
    /// `arb`: the window's id.
    pub arb_id: Option<String>,
    /// The latest confirmation.
    pub last_seen_at: Option<Micros>,
    /// Microseconds within which the book refreshes 95 of 100 prices.
    pub expected_interval: i64,
    /// When it was found.
    pub at: Micros,
    /// Of this event on the feed.
    pub sequence: i64,
}
