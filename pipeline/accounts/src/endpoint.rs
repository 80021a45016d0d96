//! A webhook endpoint: a URL that receives the events that its account chose, signed with its secret.
//!
//! The secret is derived from a key that is not in Kafka, the endpoint's id and a number; it is never stored. It never checks an
//! address: that is done where the connection is made.

use std::fmt;

use arb_schemas::time::Micros;
use hmac::{Hmac, Mac};
use serde::{Deserialize, Serialize};
use sha2::Sha256;

use crate::plan::Plan;

/// Types of events that an endpoint may receive: those of the feed, then those about the account or the service.
pub const EVENTS: [&str; 12] = [
    "arb_window",
    "line_movement",
    "stale_alert",
    "close_signal",
    "edge_signal",
    "pick",
    "pick_graded",
    "window_graded",
    "quota.warning",
    "key.expiring",
    "endpoint.disabled",
    "feed.outage",
];
/// Bytes of filters at most, as a query.
pub const MAX_FILTERS: usize = 2_000;
/// Bytes of a URL at most.
pub const MAX_URL: usize = 2_048;
/// Characters of a description at most.
pub const MAX_DESCRIPTION: usize = 500;
/// Requests a second that an endpoint may ask for at most.
pub const MAX_RATE: u32 = 100;
/// Seconds for which the replaced secret signs too, at most.
pub const MAX_OVERLAP: u32 = 7 * 86_400;

/// How deliveries are tried again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Policy {
    /// Within two and a half minutes, as long as the window is open.
    #[default]
    Live,
    /// Within 28 hours.
    Durable,
}

impl Policy {
    /// As records and JSON spell it.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Durable => "durable",
        }
    }

    /// The policy that a text names.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Live, Self::Durable].into_iter().find(|policy| policy.key() == text)
    }
}

/// Whether an endpoint receives events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndpointState {
    /// Its receiver has not echoed the challenge yet.
    Unverified,
    /// It receives events.
    Active,
    /// It answered 410, or failed for too long.
    Disabled,
}

impl EndpointState {
    /// As records and JSON spell it.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Unverified => "unverified",
            Self::Active => "active",
            Self::Disabled => "disabled",
        }
    }

    /// The state that a text names.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Unverified, Self::Active, Self::Disabled].into_iter().find(|state| state.key() == text)
    }
}

/// What the holder of an endpoint chooses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndpointSettings {
    /// Where events are posted.
    pub url: String,
    /// Free text.
    pub description: String,
    /// Types of events, at least one.
    pub events: Vec<String>,
    /// The filters of a stream, as a query; empty: all. What they mean is decided where the feed is read.
    pub filters: String,
    /// How deliveries are tried again.
    pub policy: Policy,
    /// An event of a window waits for the one before it.
    pub is_ordered: bool,
    /// Requests a second at most.
    pub rate_limit: Option<u32>,
    /// It receives nothing for now.
    pub is_paused: bool,
}

/// An endpoint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Endpoint {
    /// `whk_` and 16 base62 characters.
    pub id: String,
    /// Whose.
    pub account: String,
    /// What its holder chose.
    pub settings: EndpointSettings,
    /// Whether it receives events.
    pub state: EndpointState,
    /// Why it is disabled.
    pub reason: Option<String>,
    /// The number of its secret.
    pub secret_version: u32,
    /// Until when the secret before this one signs too.
    pub previous_until: Option<Micros>,
    /// Grows with each change.
    pub revision: u64,
    /// By the machine's time.
    pub created_at: Micros,
}

impl Endpoint {
    /// Whether events are sent to it now.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.state == EndpointState::Active && !self.settings.is_paused
    }

    /// Whether events of a type are for it, as far as its filters do not exclude them.
    #[must_use]
    pub fn wants(&self, event: &str) -> bool {
        self.settings.events.iter().any(|one| one == event)
    }
}

impl Plan {
    /// Endpoints that an account of this plan may have.
    #[must_use]
    pub fn max_endpoints(self) -> usize {
        match self {
            Self::Free => 1,
            Self::Pro => 10,
            Self::Enterprise => 100,
        }
    }
}

/// Whether a text is the id of an endpoint.
#[must_use]
pub fn is_id(id: &str) -> bool {
    let random = id.strip_prefix("whk_").unwrap_or_default();
    random.len() == 16 && random.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// The key under which secrets of endpoints are derived: the same in all instances, and not in Kafka.
#[derive(Clone)]
pub struct WebhookKey(Hmac<Sha256>);

impl fmt::Debug for WebhookKey {
    /// Without anything that is secret.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("WebhookKey").finish_non_exhaustive()
    }
}

impl WebhookKey {
    /// A key of bytes that are random and secret.
    #[must_use]
    pub fn new(bytes: &[u8]) -> Self {
        let hmac = <Hmac<Sha256> as Mac>::new_from_slice(bytes);
        Self(hmac.unwrap_or_else(|_| unreachable!("any length is fine")))
    }

    /// A secret of an endpoint: 32 bytes.
    #[must_use]
    pub fn secret(&self, endpoint: &str, version: u32) -> [u8; 32] {
        self.digest(&format!("/secret/{endpoint}/{version}"))
    }

    /// The token that a receiver must echo before it receives events.
    #[must_use]
    pub fn challenge(&self, endpoint: &str, url: &str) -> String {
        let digest = self.digest(&format!("/challenge/{endpoint}/{url}"));
        let first = digest.iter().take(16).fold(0, |number, byte| number << 8 | u128::from(*byte));
        format!("{first:032x}")
    }

    fn digest(&self, text: &str) -> [u8; 32] {
        let mut hmac = self.0.clone();
        hmac.update(text.as_bytes());
        hmac.finalize().into_bytes().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint() -> Endpoint {
        Endpoint {
            id: "whk_0000000000000001".to_owned(),
            account: "acc_0000000000000001".to_owned(),
            settings: EndpointSettings {
                url: "https://receiver.example/hook".to_owned(),
                description: String::new(),
                events: vec!["arb_window".to_owned(), "edge_signal".to_owned()],
                filters: "sport=soccer".to_owned(),
                policy: Policy::Live,
                is_ordered: false,
                rate_limit: None,
                is_paused: false,
            },
            state: EndpointState::Active,
            reason: None,
            secret_version: 1,
            previous_until: None,
            revision: 1,
            created_at: 1,
        }
    }

    #[test]
    fn secrets_differ_by_endpoint_version_and_key() {
        let key = WebhookKey::new(&[1; 32]);
        let first = key.secret("whk_0000000000000001", 1);
        assert_eq!(first, key.secret("whk_0000000000000001", 1));
        assert_ne!(first, key.secret("whk_0000000000000001", 2));
        assert_ne!(first, key.secret("whk_0000000000000002", 1));
        assert_ne!(first, WebhookKey::new(&[2; 32]).secret("whk_0000000000000001", 1));
        assert_eq!(format!("{key:?}"), "WebhookKey { .. }");
    }

    #[test]
    fn an_endpoint_that_is_paused_or_not_verified_is_not_open() {
        let open = endpoint();
        assert!(open.is_open());
        assert!(!Endpoint { state: EndpointState::Unverified, ..open.clone() }.is_open());
        let settings = EndpointSettings { is_paused: true, ..open.settings.clone() };
        assert!(!Endpoint { settings, ..open }.is_open());
    }
}
