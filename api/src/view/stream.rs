//! What a stream sends beside entries and events of the feed. It never decides when.

use arb_feed::view::{EntryView, SignalView};
use arb_model::{Time, view};

use crate::lists::snapshot::PollView;

view! {
    /// All open entries.
    #[allow(dead_code)] // It is written in pieces, which streams share.
    pub(crate) struct SnapshotView<'a> {
        /// The time of the board; null before the first poll.
        as_of: Option<Time>,
        stale: bool,
        polls: Vec<PollView>,
        arbs: Vec<EntryView<'a>>,
        /// Absent where the parameter event leaves edge_signal out.
        #[serde(skip_serializing_if = "Option::is_none")]
        signals: Option<Vec<SignalView<'a>>>,
    }
}

view! {
    /// What differs of a board of own books.
    #[allow(dead_code)] // As above.
    pub(crate) struct BoardChanges<'a> {
        /// The time of the board; null before the first poll.
        as_of: Option<Time>,
        stale: bool,
        /// Entries that are new or other than before, without a rank. Each replaces the one with its id.
        put: Vec<EntryView<'a>>,
        /// Ids of entries that are there no more.
        gone: Vec<&'a str>,
    }
}

view! {
    /// The time of the board.
    pub(crate) struct HeartbeatView {
        /// The time of the board; null while missed events are still being sent.
        as_of: Option<Time>,
        stale: bool,
    }
}

view! {
    /// Why a snapshot follows.
    pub(crate) struct ResyncView<'a> {
        /// outside_retention, beyond_end or epoch_changed; there may be more.
        reason: &'a str,
    }
}

view! {
    /// Why the server disconnects.
    pub(crate) struct LaggedView<'a> {
        /// too_slow, catching_up, unavailable or source_changed; there may be more.
        reason: &'a str,
    }
}
