//! An edge signal as it is published.
//!
//! It decides nothing.

use std::sync::Arc;

use crate::Micros;
use crate::market::{EventInfo, Line, Market, Outcome, Side};
use crate::odds::Price;
use crate::odds::devig::Method;

use super::ids::SignalId;

/// What kind of signal it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SignalKind {
    /// A price pays more than the fair chance.
    Value,
    /// The best prices of a line give nearly everything back.
    LowHold,
    /// Two bets that can both win.
    Middle,
    /// Books shorten one outcome together.
    Steam,
    /// A book lags a steam.
    StalePrice,
    /// What books agree on has fallen.
    OddsDrop,
}

impl SignalKind {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Value, Self::LowHold, Self::Middle, Self::Steam, Self::StalePrice, Self::OddsDrop];

    /// Its name in messages.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Value => "value",
            Self::LowHold => "low_hold",
            Self::Middle => "middle",
            Self::Steam => "steam",
            Self::StalePrice => "stale_price",
            Self::OddsDrop => "odds_drop",
        }
    }

    /// From its name.
    #[must_use]
    pub fn parse(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.key() == key)
    }

    /// Whether it follows from the table as it stands, and from nothing else.
    pub(crate) fn is_of_table(self) -> bool {
        matches!(self, Self::Value | Self::LowHold | Self::Middle)
    }
}

/// What became of a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignalChange {
    /// It is new.
    Opened,
    /// A bet's book or price, or the evidence for it.
    Updated,
    /// Only times: to the compacted topic alone.
    Refreshed,
    /// It is over.
    Closed(SignalCloseReason),
}

/// Why a signal closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignalCloseReason {
    /// Its time is over, or a bet's price went stale or is from before the start.
    Expired,
    /// It holds no longer.
    Faded,
    /// The price that lagged has gone where the others went.
    Followed,
    /// A bet is no longer taken.
    Withdrawn,
    /// The event is over.
    EventEnded,
}

impl SignalChange {
    /// Its name in messages; of a closed one the reason.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Opened => "opened",
            Self::Updated => "updated",
            Self::Refreshed => "refreshed",
            Self::Closed(SignalCloseReason::Expired) => "expired",
            Self::Closed(SignalCloseReason::Faded) => "faded",
            Self::Closed(SignalCloseReason::Followed) => "followed",
            Self::Closed(SignalCloseReason::Withdrawn) => "withdrawn",
            Self::Closed(SignalCloseReason::EventEnded) => "event_ended",
        }
    }
}

/// A signal as it is published.
#[derive(Debug, Clone, PartialEq)]
pub struct Edge {
    /// One from open to close.
    pub id: SignalId,
    /// Its kind.
    pub kind: SignalKind,
    /// The event.
    pub event: Arc<EventInfo>,
    /// It had begun.
    pub in_play: bool,
    /// Market.
    pub market: Market,
    /// Line; of a middle the first bet's.
    pub line: Option<Line>,
    /// What is bet on; `None` of bets on several outcomes.
    pub outcome: Option<Outcome>,
    /// A fraction: of `value` and `stale_price` the expected return, of `steam` and `odds_drop` the rise of the implied
    /// probability, of `middle` and `low_hold` the return on the total stake where one bet wins.
    pub strength: f64,
    /// 0 to 1: of `value` the share of opinions, each a book's by one method, that expect a profit; of `steam` and
    /// `stale_price` the share of operators that moved; of `odds_drop` the share of prices that are past half the way; of `middle` and
    /// `low_hold` the share of pairs of bets that are proven to have been on offer at one moment.
    pub confidence: f64,
    /// What to take.
    pub bets: Vec<Evidence>,
    /// The evidence for it; nothing of a signal that closes.
    pub evidence: Vec<Evidence>,
    /// The fair chance by each method, the most cautious first.
    pub fair: Vec<(Method, f64)>,
    /// A quarter of the Kelly fraction of the bank.
    pub kelly: Option<f64>,
    /// When it opened.
    pub opened_at: Micros,
    /// When it last changed.
    pub updated_at: Micros,
    /// When it closes, unless it closes before or is confirmed.
    pub expires_at: Micros,
    /// Of its last transition.
    pub sequence: i64,
}

/// What a quote is to a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It is to be taken.
    Bet,
    /// The fair chance is made of its book's prices.
    Source,
    /// Of those that moved, it moved first.
    Leader,
    /// It moved after that.
    Follower,
    /// It is offered.
    Other,
}

impl Role {
    /// Its name in messages.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Bet => "bet",
            Self::Source => "source",
            Self::Leader => "leader",
            Self::Follower => "follower",
            Self::Other => "other",
        }
    }
}

/// A quote of a signal.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Evidence {
    pub role: Role,
    pub outcome: Outcome,
    pub side: Side,
    pub line: Option<Line>,
    pub book: Arc<str>,
    pub operator: Arc<str>,
    pub price: Price,
    /// Of what moved, before.
    pub price_from: Option<Price>,
    /// After fees, as the price of a back.
    pub effective_price: Price,
    pub price_moved_at: Micros,
    pub last_seen_at: Micros,
}
