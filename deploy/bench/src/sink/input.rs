//! What is inserted: frames of the simulated market, as their bytes lie in Kafka.
//!
//! It measures nothing.

use std::time::Instant;

use anyhow::bail;
use arb_ingest::publish;
use arb_ingest::simulator::{Settings, Simulator};
use arb_ingest::source::Source;
use arb_model::Faults;
use arb_schemas::TickRecord;
use arb_schemas::time::SECOND;
use arb_schemas::topics::ODDS_TICKS;
use arb_sink::batch::Batch;
use arb_sink::record::Kept;
use arb_sink::rows::read;

/// Between polls of the market, in microseconds.
const EVERY: i64 = 60 * SECOND;
/// Its first poll: 2026-01-01.
const START: i64 = 1_767_225_600 * SECOND;

/// Records of a batch.
pub(super) struct Input {
    pub(super) messages: Vec<Vec<u8>>,
    /// What they make.
    pub(super) rows: u64,
}

impl Input {
    /// Whole frames, until there are so many rows or a few more.
    pub(super) fn of(rows: u64) -> anyhow::Result<Self> {
        let mut market = Simulator::new(Settings { start: START, every: EVERY, ..Settings::default() });
        let mut faults = Faults::default();
        let mut input = Self { messages: vec![], rows: 0 };
        while input.rows < rows {
            let Some(poll) = market.next_poll(&mut faults)? else { bail!("the market has no more polls") };
            for addressed in publish::records("bench", poll, 1) {
                if let TickRecord::Frame(frame) = &addressed.record
                    && input.rows < rows
                {
                    input.rows += frame.offers.iter().map(|offer| offer.ticks.len() as u64).sum::<u64>();
                    input.messages.push(addressed.record.encode()?);
                }
            }
        }
        Ok(input)
    }

    /// They as the sink's loop takes them.
    pub(super) fn batch(&self) -> Batch {
        let (mut batch, now) = (Batch::new(0, None), Instant::now());
        for (offset, value) in (0..).zip(&self.messages) {
            batch.take(Kept { offset, key: b"", value }, &read(&ODDS_TICKS, value), now);
        }
        batch
    }
}
