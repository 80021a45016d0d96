//! Records of webhooks: what is due, what came of each attempt, what is pending, and the log for the partner.
//!
//! Closed sets are texts here; `arb_deliver` knows which there are. None of them carries a secret.

use serde::{Deserialize, Serialize};

use crate::time::Micros;

/// A webhook endpoint of an account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct AccountEndpoint {
    pub id: String,
    pub account: String,
    pub url: String,
    pub description: String,
    pub events: Vec<String>,
    pub filters: String,
    pub policy: String,
    pub is_ordered: bool,
    pub rate_limit: Option<i64>,
    pub is_paused: bool,
    pub state: String,
    pub reason: Option<String>,
    pub secret_version: i64,
    pub previous_until: Option<Micros>,
    pub revision: i64,
    pub created_at: Micros,
}

/// An event that is due at endpoints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct WebhookEvent {
    pub epoch: i64,
    pub sequence: i64,
    pub nonce: String,
    pub kind: String,
    pub subject: String,
    pub at: Micros,
    pub body: String,
    pub left_body: Option<String>,
    pub targets: Vec<WebhookTarget>,
    pub partition: i32,
}

impl WebhookEvent {
    /// The partition of an event that is not of the feed.
    pub const NO_PARTITION: i32 = -1;
}

/// An endpoint at which an event is due.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct WebhookTarget {
    pub endpoint: String,
    pub policy: String,
    pub is_ordered: bool,
    pub has_left: bool,
}

/// What came of one attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct WebhookAttempt {
    pub delivery: String,
    pub number: i64,
    pub outcome: String,
    pub status: Option<i32>,
    pub latency: i64,
    pub answer: String,
    pub retry_at: Option<Micros>,
    pub at: Micros,
}

/// What came of attempts that are written together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct WebhookAttempts {
    pub attempts: Vec<WebhookAttempt>,
}

/// How late it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct WebhookTimer {
    pub at: Micros,
}

/// A request to deliver again what has failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct WebhookRedelivery {
    pub endpoint: String,
    pub delivery: Option<String>,
    pub since: Option<Micros>,
    pub at: Micros,
}

/// A delivery that is pending, or has failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct StateWebhookDelivery {
    pub id: String,
    pub endpoint: String,
    pub epoch: i64,
    pub sequence: i64,
    pub kind: String,
    pub subject: String,
    pub policy: String,
    pub is_ordered: bool,
    pub body: String,
    pub created_at: Micros,
    pub attempts: i64,
    pub round: i64,
    pub next_at: Micros,
    pub has_failed: bool,
    pub body_of: String,
}

/// The body of an event for several endpoints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct StateWebhookBody {
    pub name: String,
    pub body: String,
}

/// The time of the deliverer of a partition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct StateWebhooks {
    pub clock: Micros,
}

/// What the deliverer of a partition has read of a partition of the feed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct StateWebhookFeed {
    pub partition: i32,
    pub epoch: i64,
    pub sequence: i64,
}

/// An endpoint to which no attempt has succeeded for a while.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct StateWebhookFailing {
    pub endpoint: String,
    pub since: Micros,
    pub failures: i64,
    pub failed_at: Micros,
}

/// An event of an account that was taken in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct StateWebhookNotice {
    pub nonce: String,
    pub at: Micros,
}

/// What became of an attempt or a delivery.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct WebhookDelivery {
    pub delivery: String,
    pub endpoint: String,
    pub kind: String,
    pub subject: String,
    pub sequence: i64,
    pub attempt: i64,
    pub outcome: String,
    pub status: Option<i32>,
    pub latency: i64,
    pub answer: String,
    pub next_at: Option<Micros>,
    pub created_at: Micros,
    pub at: Micros,
}

/// How an endpoint stands whose attempts fail, or whose circuit a success has closed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct WebhookCircuit {
    pub endpoint: String,
    pub failures: i64,
    pub failed_at: Micros,
    pub closed_at: Option<Micros>,
    pub waiting: i64,
}
