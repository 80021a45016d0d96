//! The headers of a request to an endpoint: its id, its time and its signatures. Pure; it never shows a secret.

use arb_accounts::endpoint::{Endpoint, WebhookKey};
use arb_feed::webhook::signature::sign;
use arb_schemas::time::{Micros, SECOND};

/// The headers of an attempt: id, timestamp and signatures, by the new secret and, while both hold, by the one before.
pub(crate) fn headers(
    key: &WebhookKey,
    endpoint: &Endpoint,
    (id, body): (&str, &str),
    now: Micros,
) -> [(&'static str, String); 3] {
    let timestamp = now / SECOND;
    let previous =
        endpoint.previous_until.is_some_and(|until| now < until).then(|| endpoint.secret_version - 1);
    let versions = [Some(endpoint.secret_version), previous];
    let signatures: Vec<_> = versions
        .into_iter()
        .flatten()
        .map(|version| sign(&key.secret(&endpoint.id, version), id, timestamp, body))
        .collect();
    [
        ("webhook-id", id.to_owned()),
        ("webhook-timestamp", timestamp.to_string()),
        ("webhook-signature", signatures.join(" ")),
    ]
}
