//! The changelog of a processor that has received a poll of a simulated market: what an API computes boards of own books from.
//!
//! It never asks Kafka.

use std::collections::BTreeSet;
use std::sync::Arc;

use arb_engine::Engine;
use arb_engine::input::Coordinate;
use arb_engine::market::Policy;
use arb_engine::venues::Books;
use arb_ingest::publish::records;
use arb_ingest::simulator::{Settings, Simulator};
use arb_model::Faults;
use arb_process::codec::{as_input, state};
use arb_schemas::records::StatePartition;
use arb_schemas::time::{Micros, SECOND};
use arb_schemas::wire::{WireError, encode};

/// Matches of the market.
const MATCHES: usize = 60;
/// Polls that the processor has received: what is learnt of books is learnt, and prices differ.
const POLLS: i64 = 40;
/// Time between them.
const EVERY: Micros = 20 * SECOND;

/// What a processor wrote.
pub(super) struct QuoteLog {
    /// Keys and records, in their order; an empty record is a tombstone.
    pub(super) records: Vec<(Vec<u8>, Vec<u8>)>,
    /// The books of the market.
    pub(super) books: BTreeSet<String>,
}

/// The changelog of a market with so many books.
pub(super) fn changelog(table: &Arc<Books>, books: usize, until: Micros) -> Result<QuoteLog, WireError> {
    let start = until - (POLLS - 1) * EVERY;
    let settings = Settings { start, every: EVERY, events: MATCHES, books, ..Settings::default() };
    let (mut market, mut engine) =
        (Simulator::new(settings), Engine::with_books(Policy::Board, Arc::clone(table)));
    let (mut offset, mut changelog, mut keys) = (0, Vec::new(), BTreeSet::new());
    for poll in 0..POLLS {
        let poll = market.poll_at(start + poll * EVERY);
        let offers = poll.events.iter().flat_map(|(_, offers)| offers);
        keys.extend(offers.map(|offer| offer.book.clone()));
        for addressed in records("bench", poll, 1) {
            let at = Coordinate { topic: "odds.ticks.v1", partition: 0, offset };
            engine.step(at, &as_input(&addressed.record, &mut Faults::default()), &mut Vec::new());
            offset += 1;
        }
        for saved in engine.changes() {
            let change = state::change(&saved)?;
            changelog
                .extend(change.map(|change| (change.key.into_bytes(), change.value.unwrap_or_default())));
        }
        engine.commit();
    }
    let policy = "board".to_owned();
    let place = StatePartition {
        next_offset: offset,
        policy,
        sequence: engine.sequence(),
        epoch: 1,
        ..StatePartition::default()
    };
    changelog.push((b"partition".to_vec(), encode(&place)?));
    Ok(QuoteLog { records: changelog, books: keys })
}
