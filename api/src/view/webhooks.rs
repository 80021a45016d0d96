//! Endpoints of webhooks, and what became of deliveries to them. A secret is in the one answer that creates it.

use std::collections::BTreeMap;

use arb_model::{Time, view};

view! {
    /// The endpoints of an account.
    pub(crate) struct WebhookList<'a> {
        webhooks: Vec<WebhookView<'a>>,
    }
}

view! {
    /// An endpoint as its holder sees it.
    pub(crate) struct WebhookView<'a> => "Webhook" {
        id: &'a str,
        url: &'a str,
        description: &'a str,
        events: &'a [String],
        filters: BTreeMap<String, String>,
        policy: &'static str [Keys(&["live", "durable"])],
        /// An event of a window waits for the one before it.
        ordered: bool,
        /// Requests a second, at most; null: no limit of its own.
        rate_limit: Option<u32>,
        paused: bool,
        state: &'static str [Keys(&["unverified", "active", "disabled"])],
        /// Why it is disabled.
        reason: Option<&'a str>,
        /// Until then the secret before this one signs too.
        previous_secret_until: Option<Time>,
        /// How attempts to it fail.
        circuit: CircuitView,
        created_at: Time,
        /// When it is created, and nowhere else.
        #[serde(skip_serializing_if = "Option::is_none")]
        secret: Option<String>,
    }
}

view! {
    /// How an endpoint stands: failures in a row, until when it is left alone for them, and what waits meanwhile.
    #[derive(Default)]
    pub(crate) struct CircuitView {
        /// Attempts that failed in a row.
        failures: i64 [Least(0.0)],
        /// Until when nothing but a test event is sent; null below five failures.
        open_until: Option<Time>,
        /// Events that wait while attempts fail.
        waiting: i64 [Least(0.0)],
    }
}

view! {
    /// An attempt, or what ended before its first one.
    pub(crate) struct DeliveryView<'a> => "Delivery" {
        webhook_id: &'a str,
        #[serde(rename = "type")]
        kind: &'a str,
        subject: &'a str,
        attempt: i64,
        outcome: &'a str [Keys(&OUTCOMES)],
        /// The status of the answer.
        status: Option<i32>,
        latency_seconds: f64,
        /// How the answer began.
        answer: &'a str,
        at: Time,
        next_attempt_at: Option<Time>,
        event_read_at: Time,
    }
}

view! {
    /// A page of the log.
    pub(crate) struct DeliveryPage<'a> {
        deliveries: Vec<DeliveryView<'a>>,
        next_cursor: Option<String>,
    }
}

view! {
    /// What came of the deliveries of an endpoint.
    pub(crate) struct StatisticsView => "DeliveryStatistics" {
        since: Time,
        until: Time,
        deliveries: u64,
        attempts: u64,
        /// Entries by outcome.
        outcomes: BTreeMap<String, u64>,
        /// Attempts by the status of the answer; none: there was no answer.
        statuses: BTreeMap<String, u64>,
        /// Of an attempt.
        latency_seconds: Option<PercentilesView>,
        /// From the event to the attempt that delivered it.
        delivered_after_seconds: Option<PercentilesView>,
    }
}

view! {
    /// Percentiles.
    pub(crate) struct PercentilesView {
        p50: f64,
        p99: f64,
    }
}

view! {
    /// An event that is sent, or a delivery that is sent again.
    pub(crate) struct EventSent {
        /// The delivery, as the log names it.
        webhook_id: String,
    }
}

view! {
    /// What is delivered again.
    pub(crate) struct SinceView => "Since" {
        since: Time,
    }
}

/// What becomes of deliveries.
pub(crate) const OUTCOMES: [&str; 8] =
    ["delivered", "failed", "given_up", "expired", "superseded", "gone", "dropped", "overflowed"];
