//! A delivery: an event for an endpoint, with the bytes that every attempt sends. It decides nothing.

use std::sync::Arc;

use arb_accounts::endpoint::Policy;
use arb_schemas::time::Micros;

/// A delivery that is pending, or has failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// As `webhook-id` has it.
    pub id: String,
    /// Where it goes.
    pub endpoint: String,
    /// Epoch and sequence of the feed's record.
    pub place: (i64, i64),
    /// The type of its event.
    pub kind: String,
    /// The window or signal that it is about; empty where there is none.
    pub subject: String,
    /// How it is tried again.
    pub policy: Policy,
    /// It waits for earlier ones of its subject.
    pub is_ordered: bool,
    /// What every attempt sends.
    pub body: Arc<str>,
    /// The name of the part of the state that has the body, where several deliveries have the same; `None` where this one has it itself.
    pub body_of: Option<Arc<str>>,
    /// When it was read from the feed.
    pub created_at: Micros,
    /// Attempts so far.
    pub attempts: u32,
    /// Attempts before its schedule began again.
    pub round: u32,
    /// When it is due; of one that failed, when it failed.
    pub next_at: Micros,
    /// Its schedule is over.
    pub has_failed: bool,
}

/// What came of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttemptOutcome {
    /// 2xx.
    Delivered,
    /// Anything else.
    Failed,
    /// 410: the receiver wants nothing more.
    Gone,
    /// The endpoint does not exist any more: nothing was sent.
    Dropped,
}

impl AttemptOutcome {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Delivered, Self::Failed, Self::Gone, Self::Dropped];

    /// As records spell it.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Delivered => "delivered",
            Self::Failed => "failed",
            Self::Gone => "gone",
            Self::Dropped => "dropped",
        }
    }

    /// The outcome that a text names.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|outcome| outcome.key() == text)
    }
}
