//! Scans among the polls of a market: markers in every partition, of scans that overlap, repeat, and never end.

use arb_ingest::publish;
use arb_ingest::simulator::{Settings, Simulator};
use arb_ingest::source::Source;
use arb_model::Faults;
use arb_schemas::ScanMarker;
use arb_schemas::records::{ScanBegin, ScanEnd, ScanRequest};
use arb_simulated_log::World;

const PARTITIONS: i32 = 3;
const POLLS: u64 = 10;

fn to_all(world: &mut World, marker: &ScanMarker) {
    for partition in 0..PARTITIONS {
        world.push(partition, marker.encode().unwrap());
    }
}

fn begin(id: u64, requested_at: i64) -> ScanMarker {
    let (id, source) = (format!("scan {id}"), "simulated".to_owned());
    let request = ScanRequest { id, requested_at, ..ScanRequest::default() };
    ScanMarker::Begin(Box::new(ScanBegin { source, request }))
}

fn end(id: u64, polled_at: i64) -> ScanMarker {
    let (scan, source, outcome) = (format!("scan {id}"), "simulated".to_owned(), "polled".to_owned());
    ScanMarker::End(ScanEnd { scan, source, outcome, polled_at: Some(polled_at), credits: 0 })
}

/// A market in which each poll is for one or two scans.
pub(crate) fn market(seed: u64) -> World {
    let mut source = Simulator::new(Settings { seed, events: 6, books: 5, ..Settings::default() });
    let mut world = World::new(PARTITIONS);
    for number in 0..POLLS {
        let poll = source.next_poll(&mut Faults::default()).unwrap().unwrap();
        let at = poll.received_at;
        to_all(&mut world, &begin(number, at - 1));
        if number % 3 == 0 {
            // It shares the poll; every other one of these never ends.
            to_all(&mut world, &begin(100 + number, at - 2));
        }
        for addressed in publish::records("simulated", poll, PARTITIONS) {
            world.push(addressed.partition, addressed.record.encode().unwrap());
        }
        to_all(&mut world, &end(number, at));
        if number % 6 == 0 {
            to_all(&mut world, &end(100 + number, at));
        }
    }
    world
}

/// Scans that ended.
pub(crate) const ENDED: usize = 12;
