//! What the caller must carry out after a step: the transitions of arb windows, as data.
//!
//! It decides nothing and knows no wire format.

use std::sync::Arc;

use crate::Micros;
use crate::catalogue::{Line, Market, Outcome, Side};
use crate::odds::Price;
use crate::signals;
use crate::survival::Ttl;
use crate::verify::{FailedCheck, Flag, Verification};
pub use crate::window::WindowHistory;

/// One thing to publish.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// A window opened or changed: to the feed and to the board.
    Transition(WindowChange, Box<Entry>),
    /// Only the times or limits of an entry changed: to the board alone.
    Refreshed(Box<Entry>),
    /// A window closed: to the feed, and a tombstone to the board.
    Closed(Box<Closed>),
    /// What became of an edge signal: to the feed, unless only its times changed, and to the signals; of one that closed a
    /// tombstone to these.
    Signal(signals::SignalChange, Box<signals::Edge>),
    /// A price or a main line moved: to the feed.
    LineMovement(Box<Movement>),
    /// A book or an arb went stale, or a book is no longer: to the feed.
    StaleAlert(Box<Alert>),
    /// How far the board has come with a source.
    Contains {
        /// The source.
        source: Arc<str>,
        /// The time of the last whole poll that the board contains; `None` when the source is forgotten.
        received_at: Option<Micros>,
    },
}

/// How a window changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WindowChange {
    /// It is new.
    Opened,
    /// A leg's book or price, its proof of simultaneity, or its being in play.
    Updated,
}

/// Why a window closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CloseReason {
    /// The prices no longer make an arb.
    PriceMoved,
    /// A leg's quote was withdrawn.
    Withdrawn,
    /// A leg's book takes no bets.
    Suspended,
    /// A leg's book has not confirmed its price for longer than it ever takes.
    Stale,
    /// The event has begun, and a leg's price is from before.
    EventStarted,
    /// The event is over.
    EventEnded,
    /// The market turned out to have another set of outcomes.
    Superseded,
}

impl CloseReason {
    /// All of them, in the order in which they are declared.
    pub const ALL: [Self; 7] = [
        Self::PriceMoved,
        Self::Withdrawn,
        Self::Suspended,
        Self::Stale,
        Self::EventStarted,
        Self::EventEnded,
        Self::Superseded,
    ];

    /// Its name in messages.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::PriceMoved => "price_moved",
            Self::Withdrawn => "withdrawn",
            Self::Suspended => "suspended",
            Self::Stale => "stale",
            Self::EventStarted => "event_started",
            Self::EventEnded => "event_ended",
            Self::Superseded => "superseded",
        }
    }
}

/// An event as the state keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct EventInfo {
    pub id: Arc<str>,
    pub sport: Arc<str>,
    pub league: Arc<str>,
    pub home: Arc<str>,
    pub away: Arc<str>,
    pub commence_time: Micros,
}

/// The id of a window: 16 bytes, unique to its key and the record that opened it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WindowId(pub [u8; 16]);

impl std::fmt::Display for WindowId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

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
    /// Nobody says how much a leg's book takes.
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
    /// The most that the book takes at this price, in minor units: of a lay the backer's stake. `None`: nobody says.
    pub limit: Option<i64>,
    /// When the price last changed.
    pub price_moved_at: Micros,
    /// When the source last confirmed it.
    pub last_seen_at: Micros,
}

/// A window that closed.
#[derive(Debug, Clone, PartialEq)]
pub struct Closed {
    /// Its id.
    pub id: WindowId,
    /// Its event.
    pub event: Arc<EventInfo>,
    /// Market.
    pub market: Market,
    /// Line.
    pub line: Option<Line>,
    /// Why.
    pub reason: CloseReason,
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
    /// What was proven of it while open.
    pub history: WindowHistory,
    /// Of this transition.
    pub sequence: i64,
}

/// A price or a main line that moved within a hopping window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Movement {
    /// The event.
    pub event: Arc<EventInfo>,
    /// Market.
    pub market: Market,
    /// Line; of a main line the new one.
    pub line: Option<Line>,
    /// What moved.
    pub what: Moved,
    /// Start of the window, which is in it.
    pub window_start: Micros,
    /// Its end, which is not.
    pub window_end: Micros,
    /// Of this event on the feed.
    pub sequence: i64,
}

/// What moved.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Moved {
    /// A back price.
    Price { outcome: Outcome, book: Arc<str>, from: Price, to: Price },
    /// The line that most books quote.
    MainLine { from: Line },
}

/// A book or an arb that went stale, or a book that is so no longer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alert {
    /// What it is about.
    pub scope: Scope,
    /// The event.
    pub event: Arc<EventInfo>,
    /// Whose prices.
    pub book: Arc<str>,
    /// The latest confirmation; `None` when the book is gone.
    pub last_seen_at: Option<Micros>,
    /// Within which the book confirms 95 of 100 prices.
    pub expected_interval: Micros,
    /// When it was found.
    pub at: Micros,
    /// Of this event on the feed.
    pub sequence: i64,
}

/// What an alert is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// A window that closed because of it.
    Arb(WindowId),
    /// A book for an event.
    Book(BookState),
}

/// What became of a book for an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BookState {
    /// It confirms none of its prices.
    Stale,
    /// It was stale and confirms one again.
    Recovered,
    /// It was stale and quotes the event no longer.
    Gone,
}

impl BookState {
    /// Its name in messages.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Stale => "stale",
            Self::Recovered => "recovered",
            Self::Gone => "gone",
        }
    }
}
