//! Effects as records of the board and the feed: topic, key, and the record that the engine has built.
//!
//! It changes no value and decides nothing.

use arb_engine::effect::{Effect, SignalChange};
use arb_runtime::feed_mark::{self, FeedMark};
use arb_runtime::log::Output;
use arb_schemas::records::{BoardProgress, EdgeSignal};
use arb_schemas::topics::{ARBS_BOARD, FEED_EVENTS, SIGNALS};
use arb_schemas::wire::{WireError, encode, encode_signal_change, encode_window};

/// The records that an effect writes, all to the partition that it was computed from; those of the feed carry their mark,
/// of the partition's epoch.
///
/// # Errors
/// [`WireError::Avro`] when a value does not fit its schema.
pub fn outputs(effect: &Effect, partition: i32, epoch: i64) -> Result<Vec<Output>, WireError> {
    let board = |key: &str, value| Output::new(ARBS_BOARD.name, partition, key.to_owned(), value);
    let feed = |key: &str, sequence, value| on_feed(partition, key, FeedMark { epoch, sequence }, value);
    Ok(match effect {
        Effect::Transition(change, entry, beside) => {
            let on_board = encode(&**entry)?;
            let value = encode_window(change.key(), &on_board, beside.replaced.as_ref())?;
            let on_feed = feed(&entry.event.id, entry.sequence, value);
            vec![board(&entry.id, Some(on_board)), on_feed]
        }
        Effect::Refreshed(entry) => vec![board(&entry.id, Some(encode(&**entry)?))],
        Effect::Closed(closed) => {
            vec![board(&closed.id, None), feed(&closed.event_id, closed.sequence, encode(&**closed)?)]
        }
        Effect::Signal(change, edge) => signal(*change, edge, partition, epoch)?,
        Effect::LineMovement(moved) => vec![feed(&moved.event.id, moved.sequence, encode(&**moved)?)],
        Effect::StaleAlert(alert) => vec![feed(&alert.event.id, alert.sequence, encode(&**alert)?)],
        Effect::Contains { source, received_at } => {
            let progress =
                received_at.map(|at| BoardProgress { source: source.to_string(), received_at: at });
            let value = progress.as_ref().map(encode).transpose()?;
            vec![board(&format!("progress/{source}"), value)]
        }
    })
}

fn on_feed(partition: i32, key: &str, mark: FeedMark, value: Vec<u8>) -> Output {
    let record = Output::new(FEED_EVENTS.name, partition, key.to_owned(), Some(value));
    Output { headers: vec![(feed_mark::SEQUENCE, mark.to_string())], ..record }
}

/// What a signal writes: to the compacted topic as it is, or a tombstone; to the feed unless only its times changed.
fn signal(
    change: SignalChange,
    edge: &EdgeSignal,
    partition: i32,
    epoch: i64,
) -> Result<Vec<Output>, WireError> {
    let record = encode(edge)?;
    let changed = encode_signal_change(change.key(), &record)?;
    let is_closed = matches!(change, SignalChange::Closed(_));
    let open = Output::new(SIGNALS.name, partition, edge.id.clone(), (!is_closed).then_some(record));
    let mark = FeedMark { epoch, sequence: edge.sequence };
    let on_feed = on_feed(partition, &edge.event.id, mark, changed);
    let is_published = change != SignalChange::Refreshed;
    Ok([open].into_iter().chain(is_published.then_some(on_feed)).collect())
}
