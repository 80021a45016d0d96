//! Scopes: what a key may do. The route table names the scope of each route.

use serde::{Deserialize, Serialize};

macro_rules! scopes {
    ($($(#[$doc:meta])* $name:ident $text:literal,)*) => {
        /// What a key may do.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum Scope {
            $($(#[$doc])* #[serde(rename = $text)] $name,)*
        }

        impl Scope {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// Their keys.
            pub const KEYS: &'static [&'static str] = &[$($text),*];

            /// As JSON and documents spell it.
            #[must_use]
            pub const fn key(self) -> &'static str {
                match self { $(Self::$name => $text),* }
            }
        }
    };
}

scopes! {
    /// Read the board.
    BoardRead "board:read",
    /// Read edge signals.
    SignalsRead "signals:read",
    /// Read picks.
    PicksRead "picks:read",
    /// Open streams.
    StreamRead "stream:read",
    /// Read history.
    HistoryRead "history:read",
    /// Read usage and quota.
    UsageRead "usage:read",
    /// Trigger scans.
    ScanWrite "scan:write",
    /// Push odds; granted by the operator.
    TicksWrite "ticks:write",
    /// Set teams and start of events with pushed odds; granted by the operator.
    EventsWrite "events:write",
    /// Push results of events that the account's own source alone has prices of; granted by the operator.
    ResultsWrite "results:write",
    /// Push results of every event; granted by the operator to whom everyone's gradings may depend on.
    ResultsAny "results:any",
    /// Manage webhooks.
    WebhooksManage "webhooks:manage",
    /// Manage keys.
    KeysManage "keys:manage",
}

impl Scope {
    /// The scopes of a key that names none: all reads, and scans.
    pub const DEFAULT: [Self; 7] = [
        Self::BoardRead,
        Self::SignalsRead,
        Self::PicksRead,
        Self::StreamRead,
        Self::HistoryRead,
        Self::UsageRead,
        Self::ScanWrite,
    ];

    /// Whether an account has it only when an operator grants it.
    #[must_use]
    pub fn is_granted(self) -> bool {
        matches!(self, Self::TicksWrite | Self::EventsWrite | Self::ResultsWrite | Self::ResultsAny)
    }

    /// The scope that a text names.
    ///
    /// ```
    /// use arb_accounts::scope::Scope;
    ///
    /// assert_eq!(Scope::parse("board:read"), Some(Scope::BoardRead));
    /// assert_eq!(Scope::parse("board:write"), None);
    /// ```
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|scope| scope.key() == text)
    }
}
