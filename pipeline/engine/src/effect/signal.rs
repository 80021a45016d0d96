//! How an edge signal changes and closes.
//!
//! It decides nothing.

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
    /// Another program, or one with other tables, looks at it anew.
    Superseded,
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
            Self::Closed(SignalCloseReason::Superseded) => "superseded",
        }
    }
}
