//! The reader of the topic of scores. A record that is none is left out, and a topic that cannot be read is opened again: scores are for display, and never
//! end what serves prices.

use std::time::Duration;

use arb_kafka::{self as kafka, Table, TableEvent};
use arb_runtime::stop::Stop;
use arb_schemas::wire;

use super::store::ScoreStore;

/// How long to wait for a record before looking whether to stop.
const WAIT: Duration = Duration::from_millis(100);
/// The pause before the topic is opened again after an error.
const AGAIN: Duration = Duration::from_secs(5);

/// Reads the topic until the shutdown signal.
pub(crate) fn follow(open: impl Fn() -> Result<Table, kafka::Error>, scores: &ScoreStore, stop: &Stop) {
    while !stop.is_stopped() {
        scores.begin();
        match open().and_then(|table| read(table, scores, stop)) {
            Ok(()) => return,
            Err(error) => tracing::warn!(%error, "scores cannot be read; trying again"),
        }
        if stop.wait(AGAIN) {
            return;
        }
    }
}

fn read(mut table: Table, scores: &ScoreStore, stop: &Stop) -> Result<(), kafka::Error> {
    while !stop.is_stopped() {
        match table.next(WAIT)? {
            TableEvent::Put { offset, value: Some(value), .. } => match wire::decode(&value) {
                Ok(score) => scores.put(score),
                Err(error) => tracing::warn!(offset, %error, "a score is left out"),
            },
            TableEvent::Put { value: None, key, .. } => scores.remove(&String::from_utf8_lossy(&key)),
            TableEvent::CaughtUp => scores.ready(),
            TableEvent::Idle => {}
        }
    }
    Ok(())
}
