//! A scan and what is known of it. It never computes an arb.

use arb_feed::view::EntryView;
use arb_model::{Money, Time, view};

view! {
    /// A scan and what is known of it.
    pub(crate) struct ScanView<'a> => "Scan" {
        id: &'a str,
        status: &'static str [Keys(&["pending", "complete", "partial"])],
        complete: bool,
        requested_at: Time,
        as_of: Option<Time>,
        request: ScanScope<'a>,
        /// What is probably a mistake of the request, or of a source.
        warnings: Vec<String>,
        estimated_credits: i64,
        partitions: AnsweredPartitions,
        events: i64,
        quotes: CountedQuotes,
        sources: Vec<ScannedSource<'a>>,
        leagues: Vec<ScannedLeague<'a>>,
        books: Vec<ScannedBook<'a>>,
        /// The best first.
        arbs: Vec<ScannedArb<'a>>,
        /// Arbs for which there was no room.
        arbs_left_out: i64,
    }
}

view! {
    /// What was asked for.
    pub(crate) struct ScanScope<'a> {
        sport: Option<&'a str>,
        league: Option<&'a str>,
        event_ids: &'a [String],
        event_group: Option<&'a str>,
        markets: &'a [String],
        books: &'a [String],
        min_margin: f64,
        min_margin_percent: f64,
        total_stake: Option<Money>,
    }
}

view! {
    /// Of all partitions those that have answered.
    pub(crate) struct AnsweredPartitions {
        answered: usize,
        of: usize,
    }
}

view! {
    /// Quotes of what is scanned.
    #[derive(Copy)]
    pub(crate) struct CountedQuotes {
        on_offer: i64,
        /// Of a poll for this scan.
        asked_now: i64,
        /// Confirmed by their books since the request.
        confirmed_after_request: i64,
    }
}

view! {
    /// Whether something has answered, and why not.
    pub(crate) struct AnsweredView {
        answered: bool,
        reason: Option<&'static str>,
        #[serde(flatten)]
        quotes: CountedQuotes,
    }
}

view! {
    /// A source that was asked.
    pub(crate) struct ScannedSource<'a> {
        source: &'a str,
        outcome: &'a str,
        polled_at: Option<Time>,
        estimated_credits: i64,
        #[serde(flatten)]
        answered: AnsweredView,
    }
}

view! {
    /// A league of what is scanned.
    pub(crate) struct ScannedLeague<'a> {
        league: &'a str,
        #[serde(flatten)]
        answered: AnsweredView,
    }
}

view! {
    /// A book of what is scanned.
    pub(crate) struct ScannedBook<'a> {
        book: &'a str,
        #[serde(flatten)]
        answered: AnsweredView,
    }
}

view! {
    /// An arb as the board shows it, with stakes for the total that was asked for.
    pub(crate) struct ScannedArb<'a> {
        #[serde(flatten)]
        entry: EntryView<'a>,
        /// For which the stakes are, where the request has one.
        #[serde(skip_serializing_if = "Option::is_none")]
        total_stake: Option<Money>,
    }
}
