//! The sports, and the state of the service: counts and times alone. It never shows an entry.

use std::collections::BTreeMap;

use arb_model::{Time, view};

view! {
    /// The sports of the market.
    pub(crate) struct SportList {
        sports: Vec<SportView>,
    }
}

view! {
    /// A sport with its leagues.
    pub(crate) struct SportView {
        sport: String,
        leagues: Vec<LeagueView>,
    }
}

view! {
    /// A league with what is open of it.
    pub(crate) struct LeagueView {
        league: String,
        arbs: u64,
        signals: u64,
    }
}

view! {
    /// The state of the service.
    pub(crate) struct StatusView => "Status" {
        status: &'static str [Keys(&["starting", "ok", "stale"])],
        as_of: Option<Time>,
        sources: BTreeMap<String, SourceStatus>,
        arbs: usize,
        signals: usize,
        is_computing_own_books: bool,
        /// By role, how many records of Kafka its consumer groups have not read yet, some seconds ago. A role whose group is not known
        /// is left out; so are all roles in the first answer after a while without questions.
        lag_records: BTreeMap<String, u64> [Least(0.0)],
    }
}

view! {
    /// A source of prices.
    pub(crate) struct SourceStatus {
        polled_at: Time,
    }
}
