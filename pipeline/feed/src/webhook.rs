//! Webhooks, as the deliverer, the API and `arb listen` agree on them: what is sent, under which id and signature, to which addresses, and
//! when an endpoint is left alone.
//!
//! - [`text`]: an event of the feed as it is sent; [`signature`]: what is signed; [`address`]: which URLs are accepted, and which addresses
//!   may be connected to; [`circuit`]: until when an endpoint is left alone.
//!
//! Pure. It never sends anything.

pub mod address;
pub mod circuit;
pub mod signature;
pub mod text;

use std::collections::BTreeMap;

use arb_schemas::records::WebhookTarget;
use arb_schemas::time::{Micros, to_rfc3339};
use sha2::{Digest, Sha256};

/// With what the nonce of a notice begins: an event about an account or the service, which several instances notice.
pub const NOTICE: &str = "notice/";

/// The type of an event that the owner of an endpoint asks for.
pub const TEST_EVENT: &str = "endpoint.test";

/// The body that is sent: type, time and data.
#[must_use]
pub fn body(kind: &str, at: Micros, data: &str) -> String {
    format!(r#"{{"type":"{kind}","timestamp":"{}","data":{data}}}"#, to_rfc3339(at))
}

/// Targets by the partition of their endpoint, whose id is the key.
pub fn by_partition(
    targets: Vec<WebhookTarget>,
    partition_of: impl Fn(&str) -> i32,
) -> BTreeMap<i32, Vec<WebhookTarget>> {
    let mut due: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for target in targets {
        due.entry(partition_of(&target.endpoint)).or_default().push(target);
    }
    due
}

/// The id of a delivery: the same whenever the same record of the feed is read.
#[must_use]
pub fn id(source: &str, endpoint: &str) -> String {
    let digest = Sha256::digest(format!("{source}\n{endpoint}"));
    let first = digest.iter().take(16).fold(0, |number, byte| number << 8 | u128::from(*byte));
    format!("msg_{first:032x}")
}

/// What an event's ids are made of: its place in the feed, or the nonce of an event that is not of the feed.
#[must_use]
pub fn source(partition: i32, (epoch, sequence): (i64, i64), nonce: &str) -> String {
    if nonce.is_empty() { format!("feed/{epoch}/{partition}/{sequence}") } else { format!("nonce/{nonce}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_differ_by_place_and_endpoint_and_are_else_the_same() {
        let one = id(&source(1, (7, 3), ""), "whk_a");
        assert_eq!(one, id(&source(1, (7, 3), ""), "whk_a"));
        for other in [
            id(&source(2, (7, 3), ""), "whk_a"),
            id(&source(1, (8, 3), ""), "whk_a"),
            id(&source(1, (7, 4), ""), "whk_a"),
            id(&source(1, (7, 3), ""), "whk_b"),
            id(&source(1, (7, 3), "n"), "whk_a"),
        ] {
            assert_ne!(one, other);
        }
        assert!(one.starts_with("msg_") && one.len() == 36);
    }
}
