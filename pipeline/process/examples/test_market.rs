//! Writes the market that test keys are served: records of a few polls of the simulated market, as text.
//!
//! `cargo run -p arb-process --example test_market > api/src/test_market/records.txt` replaces the file, and with it what every
//! integration that uses a test key expects: ADR 029. It never runs in a build or a test.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::sync::Arc;

use arb_engine::market::Policy;
use arb_ingest::publish;
use arb_ingest::simulator::{Settings, Simulator};
use arb_ingest::source::Source;
use arb_model::Faults;
use arb_process::counts::OddsCounts;
use arb_process::machine::{OddsConfig, OddsMachine};
use arb_runtime::log::Output;
use arb_runtime::machine::{InputPlace, Machine, Outbox};
use arb_schemas::time::{SECOND, parse_rfc3339};
use arb_schemas::topics::FEED_EVENTS;
use arb_schemas::wire::RecordType;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// Polls before the snapshot.
const POLLS: usize = 45;
/// Kinds of events on the feed: polls follow until each was there.
const KINDS: usize = 5;
const START: &str = "2026-01-01T12:00:00Z";

/// What is open: the last value of each key of the board and of the signals.
type Open = BTreeMap<(&'static str, Vec<u8>), Vec<u8>>;

fn main() -> Result<(), Box<dyn Error>> {
    let start = parse_rfc3339(START).ok_or("the time of the first poll")?;
    let mut source = Simulator::new(Settings {
        seed: 29,
        start,
        every: 60 * SECOND,
        events: 8,
        books: 10,
        exchange: true,
        short: 0,
    });
    let books = Arc::new(arb_process::books::shipped()?);
    let mut machine = OddsMachine::new(&OddsConfig { policy: Policy::Board, books });
    let (mut offset, mut open) = (0, Open::new());
    for _ in 0..POLLS {
        for output in poll(&mut source, &mut machine, &mut offset)? {
            let name = (output.topic, output.key.unwrap_or_default());
            if output.topic == FEED_EVENTS.name {
                continue;
            }
            match output.value {
                Some(value) => drop(open.insert(name, value)),
                None => drop(open.remove(&name)),
            }
        }
    }
    for ((topic, _), value) in &open {
        println!("{topic} {}", STANDARD.encode(value));
    }
    let mut kinds = BTreeSet::new();
    while kinds.len() < KINDS {
        let outputs = poll(&mut source, &mut machine, &mut offset)?;
        for output in outputs.into_iter().filter(|output| output.topic == FEED_EVENTS.name) {
            let value = output.value.unwrap_or_default();
            println!("{} {}", FEED_EVENTS.name, STANDARD.encode(&value));
            kinds.insert(format!("{:?}", RecordType::of(&value)?));
        }
    }
    Ok(())
}

/// What the machine publishes of the next poll.
fn poll(
    source: &mut Simulator,
    machine: &mut OddsMachine,
    offset: &mut i64,
) -> Result<Vec<Output>, Box<dyn Error>> {
    let name = source.name().to_owned();
    let polled = source.next_poll(&mut Faults::default())?.ok_or("the market has no end")?;
    let (mut out, mut counts) = (Outbox::default(), OddsCounts::default());
    for addressed in publish::records(&name, polled, 1) {
        let message = addressed.record.encode()?;
        let at = InputPlace { partition: 0, offset: *offset, epoch: 1 };
        machine.step(at, &OddsMachine::decode(&message)?, &mut out, &mut counts)?;
        *offset += 1;
    }
    machine.apply();
    Ok(out.outputs().to_vec())
}
