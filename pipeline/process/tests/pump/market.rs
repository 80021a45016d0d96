//! The input of the odds machine in these tests: polls of the simulated market, and now and then a record that is none.

use arb_ingest::publish;
use arb_ingest::simulator::{Settings, Simulator};
use arb_ingest::source::Source;
use arb_model::Faults;
use arb_schemas::time::Micros;
use arb_simulated_log::World;

use crate::limits;

/// Partitions.
const PARTITIONS: i32 = 3;
/// Polls of a run.
const POLLS: usize = 12;

/// A market's polls, and the time of the last.
fn polls(market: u64) -> (World, Micros) {
    let mut source = Simulator::new(Settings { seed: market, events: 10, books: 7, ..Settings::default() });
    let (mut world, mut last) = (World::new(PARTITIONS), 0);
    let name = source.name().to_owned();
    for poll in 0..POLLS {
        let polled = source.next_poll(&mut Faults::default()).unwrap().unwrap();
        last = polled.received_at;
        for addressed in publish::records(&name, polled, PARTITIONS) {
            world.push(addressed.partition, addressed.record.encode().unwrap());
        }
        if poll % 5 == 1 {
            world.push(i32::try_from(poll).unwrap() % PARTITIONS, b"{\"odds\": 2}".to_vec());
        }
    }
    (world, last)
}

/// A market.
pub(crate) fn market(market: u64) -> World {
    polls(market).0
}

/// A market, and after it what is at the limits, in one partition.
pub(crate) fn at_limits() -> World {
    let (mut world, last) = polls(0);
    for message in limits::messages(last) {
        world.push(0, message);
    }
    world
}
