//! Records of webhooks: what is due, what came of each attempt, what is pending, and the log for the partner.
//!
//! Closed sets are texts here; `arb_deliver` knows which there are. None of them carries a secret.

use arb_model::record;

use crate::time::Micros;

record! {
    /// A webhook endpoint of an account, never its secret.
    #[derive(Eq)]
    pub struct AccountEndpoint {
        /// `whk_` and 16 base62 characters.
        pub id: String,
        /// Whose it is.
        pub account: String,
        /// Where its events are sent.
        pub url: String,
        /// What its owner calls it.
        pub description: String,
        /// Types of events that it receives; at least one.
        pub events: Vec<String>,
        /// The filters of a stream, as a query; empty: all.
        pub filters: String,
        /// What becomes of events that it misses: `live` or `durable`.
        pub policy: String,
        /// An event of a window waits for the one before it.
        pub is_ordered: bool,
        /// Requests a second; `None`: the limit of the deliverer.
        pub rate_limit: Option<i64>,
        /// Its owner has paused it: nothing is sent.
        pub is_paused: bool,
        /// `unverified`, `active` or `disabled`.
        pub state: String,
        /// Why it is disabled.
        pub reason: Option<String>,
        /// The number of its secret, which is derived and not stored.
        pub secret_version: i64,
        /// Until when the secret before this one signs too.
        pub previous_until: Option<Micros>,
        /// Grows with each change.
        pub revision: i64,
        /// When it was created, by the machine's time.
        pub created_at: Micros,
    }
}

record! {
    /// An event of the feed that is due at endpoints, with the bytes that are sent.
    #[derive(Eq)]
    pub struct WebhookEvent {
        /// Epoch of the feed partition's sequence; 0, and `sequence` 0, of an event that is not of the feed.
        pub epoch: i64,
        /// Sequence of the event on its partition of the feed.
        pub sequence: i64,
        /// Of an event that is not of the feed: what its id is made of; else empty.
        pub nonce: String,
        /// Type of the event.
        pub kind: String,
        /// The window's or signal's id; empty where there is none.
        pub subject: String,
        /// When it was read from the feed.
        pub at: Micros,
        /// The JSON that is sent.
        pub body: String,
        /// The JSON for endpoints whose filters the window has left.
        pub left_body: Option<String>,
        /// The endpoints in this partition; empty for a close that none of them receives: it ends deliveries of its
        /// window.
        pub targets: Vec<WebhookTarget>,
        /// The partition of the feed, whose sequence it has; -1: that of this record's number, or the event is not of the
        /// feed.
        pub partition: i32,
    }
}

impl WebhookEvent {
    /// The partition of an event that is not of the feed.
    pub const NO_PARTITION: i32 = -1;
}

record! {
    /// An endpoint at which an event is due.
    #[derive(Eq)]
    pub struct WebhookTarget {
        /// The endpoint.
        pub endpoint: String,
        /// The policy of the endpoint: `live` or `durable`.
        pub policy: String,
        /// The endpoint takes the events of a window in their order.
        pub is_ordered: bool,
        /// The window has left the filters of the endpoint.
        pub has_left: bool,
    }
}

record! {
    /// What came of one attempt to deliver.
    #[derive(Eq)]
    pub struct WebhookAttempt {
        /// The id of the delivery, as `webhook-id` has it.
        pub delivery: String,
        /// The number of the attempt, from 1.
        pub number: i64,
        /// `delivered`, `failed`, `gone` or `dropped`.
        pub outcome: String,
        /// Status code of HTTP; `None` where there was no response.
        pub status: Option<i32>,
        /// How long it took, in microseconds.
        pub latency: i64,
        /// The first 4 KiB of the answer, or the error.
        pub answer: String,
        /// Before which the endpoint asks not to be tried again, from its `Retry-After`.
        pub retry_at: Option<Micros>,
        /// When it ended.
        pub at: Micros,
    }
}

record! {
    /// What came of attempts to deliver that are written together, in the order in which they ended.
    #[derive(Eq)]
    pub struct WebhookAttempts {
        /// The attempts.
        pub attempts: Vec<WebhookAttempt>,
    }
}

record! {
    /// How late it is.
    #[derive(Eq)]
    pub struct WebhookTimer {
        /// The time.
        pub at: Micros,
    }
}

record! {
    /// A request to deliver again what has failed.
    #[derive(Eq)]
    pub struct WebhookRedelivery {
        /// The endpoint.
        pub endpoint: String,
        /// One delivery; `None`: all that failed.
        pub delivery: Option<String>,
        /// Events from then on; `None`: of any time.
        pub since: Option<Micros>,
        /// When it was asked for.
        pub at: Micros,
    }
}

record! {
    /// A delivery that is pending, or has failed and can be delivered again.
    #[derive(Eq)]
    pub struct StateWebhookDelivery {
        /// The id of the delivery, as `webhook-id` has it.
        pub id: String,
        /// The endpoint.
        pub endpoint: String,
        /// As in `WebhookEvent`.
        pub epoch: i64,
        /// As in `WebhookEvent`.
        pub sequence: i64,
        /// Type of the event.
        pub kind: String,
        /// The window's or signal's id; empty where there is none.
        pub subject: String,
        /// The policy of the endpoint, as the event had it: `live` or `durable`.
        pub policy: String,
        /// It waits for the delivery before it of the same subject.
        pub is_ordered: bool,
        /// The JSON that is sent; empty where another record has it.
        pub body: String,
        /// When its event was read from the feed.
        pub created_at: Micros,
        /// Attempts so far.
        pub attempts: i64,
        /// Attempts before the schedule began again.
        pub round: i64,
        /// When it is due; of one that failed: when it failed.
        pub next_at: Micros,
        /// Every attempt has failed: none follows unless it is asked for.
        pub has_failed: bool,
        /// Name of the record with its body, which is empty here; empty where the body is here.
        pub body_of: String,
    }
}

record! {
    /// The body of an event for several endpoints. It is removed with the last of the deliveries that name it.
    #[derive(Eq)]
    pub struct StateWebhookBody {
        /// Its name, which deliveries have in `body_of`.
        pub name: String,
        /// The JSON that is sent.
        pub body: String,
    }
}

record! {
    /// The time of the deliverer of a partition.
    #[derive(Eq)]
    pub struct StateWebhooks {
        /// The time of the last timer that counts.
        pub clock: Micros,
    }
}

record! {
    /// What the deliverer of a partition has read of a partition of the feed.
    #[derive(Eq)]
    pub struct StateWebhookFeed {
        /// The partition of the feed.
        pub partition: i32,
        /// Epoch of that sequence.
        pub epoch: i64,
        /// Sequence of the last event.
        pub sequence: i64,
    }
}

record! {
    /// An endpoint to which no attempt has succeeded for a while.
    #[derive(Eq)]
    pub struct StateWebhookFailing {
        /// The endpoint.
        pub endpoint: String,
        /// When the first attempt failed.
        pub since: Micros,
        /// Attempts that failed in a row; 0 once a success has ended them.
        pub failures: i64,
        /// When the last one failed.
        pub failed_at: Micros,
    }
}

record! {
    /// An event of an account that was taken in: the same one again is dropped.
    #[derive(Eq)]
    pub struct StateWebhookNotice {
        /// What makes it one event: the same whoever noticed it.
        pub nonce: String,
        /// When it was taken in.
        pub at: Micros,
    }
}

record! {
    /// What became of an attempt or a delivery, for the log of deliveries.
    #[derive(Eq)]
    pub struct WebhookDelivery {
        /// The id of the delivery, as `webhook-id` has it.
        pub delivery: String,
        /// The endpoint.
        pub endpoint: String,
        /// Type of the event.
        pub kind: String,
        /// The window's or signal's id; empty where there is none.
        pub subject: String,
        /// Sequence of the event on the feed.
        pub sequence: i64,
        /// The number of the attempt, from 1; 0 where none was made.
        pub attempt: i64,
        /// delivered, failed, `given_up`, expired, superseded, gone, dropped or overflowed.
        pub outcome: String,
        /// Status code of HTTP; `None` where there was no response.
        pub status: Option<i32>,
        /// How long the attempt took, in microseconds.
        pub latency: i64,
        /// The first 4 KiB of the answer, or the error.
        pub answer: String,
        /// When the next attempt is due.
        pub next_at: Option<Micros>,
        /// When its event was read from the feed.
        pub created_at: Micros,
        /// When this happened.
        pub at: Micros,
    }
}

record! {
    /// How an endpoint stands whose attempts fail, or whose circuit a success has closed.
    #[derive(Eq)]
    pub struct WebhookCircuit {
        /// The endpoint.
        pub endpoint: String,
        /// Attempts that failed in a row; 0 after a success.
        pub failures: i64,
        /// When the last one of them failed, or of those before the success.
        pub failed_at: Micros,
        /// When a success closed the open circuit, and all that waited became due.
        pub closed_at: Option<Micros>,
        /// Deliveries that are pending.
        pub waiting: i64,
    }
}
