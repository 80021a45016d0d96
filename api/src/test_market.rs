//! The market that test keys see: a few polls of a simulated market that are checked in, so that every answer is always the same.
//!
//! The lists never change. A stream begins with them as its snapshot, receives the same events after it, and then heartbeats; one
//! that resumes receives the events that it lacks. All times are those of the records: ages count from `as_of`, never from a clock.
//! It never reads Kafka, and nothing of the live market comes here: ADR 029.

use std::sync::Arc;
use std::time::Duration;

use arb_schemas::topics::{ARBS_BOARD, FEED_EVENTS, SIGNALS};
use arb_schemas::wire::{self, RecordType, WireError};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::access::authority::Authority;
use crate::lists::Lists;
use crate::stream::source::Source;
use crate::stream::{StreamState, Streams};

/// A topic and a record of it in base64 on each line, written by `pipeline/process/examples/test_market.rs`.
const RECORDS: &str = include_str!("test_market/records.txt");
const PARTITIONS: i32 = 1;
/// More than there are: all are kept in memory.
const MAX_EVENTS: usize = 1_024;

/// The market: its lists, and its streams.
#[derive(Debug)]
pub(crate) struct TestMarket {
    pub(crate) lists: Lists,
    pub(crate) stream: Arc<StreamState>,
}

impl TestMarket {
    /// Of the records that are checked in; streams send a heartbeat after so long without an event.
    pub(crate) fn new(authority: &Arc<Authority>, heartbeat: Duration) -> Self {
        // No account is granted a book of it.
        let lists = Lists::new(PARTITIONS, &Arc::default());
        let streams = Streams::new(Source::by_hand(PARTITIONS), MAX_EVENTS, heartbeat);
        let (of_stream, authority) = (lists.clone(), Arc::clone(authority));
        let market = Self { lists, stream: Arc::new(StreamState { streams, lists: of_stream, authority }) };
        if let Err(error) = market.read(RECORDS) {
            // A test holds that this does not happen. Test keys are answered 503, all other keys as ever.
            tracing::error!(%error, "the market of test keys cannot be read");
        }
        market
    }

    /// Reads records; what has been read completely is ready.
    fn read(&self, records: &str) -> Result<(), WireError> {
        let mut events = Vec::new();
        for line in records.lines() {
            let (topic, record) = line.split_once(' ').unwrap_or_default();
            let record = STANDARD.decode(record).map_err(|error| WireError::Avro(error.to_string()))?;
            match topic {
                name if name == ARBS_BOARD.name => self.put_on_board(&record)?,
                name if name == SIGNALS.name => self.lists.signals.put(wire::decode(&record)?),
                name if name == FEED_EVENTS.name => events.push(record),
                other => return Err(WireError::Avro(format!("{other}: no topic of this market"))),
            }
        }
        self.lists.board.ready();
        self.lists.signals.ready();
        self.stream.begin_fixed(&events)
    }

    fn put_on_board(&self, record: &[u8]) -> Result<(), WireError> {
        match RecordType::of(record)? {
            RecordType::BoardProgress => self.lists.polls.note(0, wire::decode(record)?),
            _ => self.lists.board.put(wire::decode(record)?),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
