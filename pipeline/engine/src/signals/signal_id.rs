//! The id of a signal that opens.
//!
//! It depends on the signal's subject and the record that opens it, and on nothing else.

use sha2::{Digest, Sha256};

use crate::context::MarketContext;
use crate::effect::{SignalId, first_16};
use crate::market::Outcome;

use super::signal::Subject;

/// The first 16 bytes of SHA-256 over the subject and the coordinates of the record that opens the signal.
pub(super) fn signal_id(subject: &Subject, context: &MarketContext<'_>) -> SignalId {
    let at = context.step.at;
    let mut hash = Sha256::new();
    // One record can open a signal by the time that it brings, and another of the same subject by its content.
    let by = if context.step.by_time { "time" } else { "frame" };
    hash.update(format!("{by}/{}/{}/{}/{}", at.topic, at.partition, at.offset, context.step.event.id));
    let Subject { kind, line, second, outcome, book } = subject;
    let outcome = outcome.map_or("", Outcome::key);
    let book = book.as_deref().unwrap_or_default();
    hash.update(format!("/{}/{}/{line:?}/{second:?}/{outcome}/{book}", context.market.key(), kind.key()));
    SignalId(first_16(hash))
}
