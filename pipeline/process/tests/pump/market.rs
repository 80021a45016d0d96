//! The input of the odds machine in these tests: polls of the simulated market, and now and then a record that is none.

use arb_ingest::publish;
use arb_ingest::simulator::{Settings, Simulator};
use arb_ingest::source::Source;
use arb_model::Faults;
use arb_schemas::TickRecord;
use arb_schemas::records::{Coverage, Frame, Push};
use arb_schemas::time::Micros;
use arb_schemas::wire::encode;
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

/// A market with pushed updates between its polls: doubled, out of order, with other contents under a known sequence, below all
/// that are remembered, and of an event that is not known.
pub(crate) fn pushed(market: u64) -> World {
    let mut source = Simulator::new(Settings { seed: market, events: 6, books: 5, ..Settings::default() });
    let (mut world, name) = (World::new(PARTITIONS), source.name().to_owned());
    for poll in 0..POLLS {
        let polled = source.next_poll(&mut Faults::default()).unwrap().unwrap();
        let at = polled.received_at;
        let mut frames = Vec::new();
        for addressed in publish::records(&name, polled, PARTITIONS) {
            if let TickRecord::Frame(frame) = &addressed.record {
                frames.push((addressed.partition, frame.clone()));
            }
            world.push(addressed.partition, addressed.record.encode().unwrap());
        }
        for (place, (partition, frame)) in (0_i64..).zip(frames) {
            let sequence = 100 * i64::try_from(poll).unwrap() + place;
            for push in pushes(&frame, sequence, at) {
                world.push(partition, push);
            }
        }
    }
    world
}

/// The messages that a client sends of an event after a poll of it.
fn pushes(polled: &Frame, sequence: i64, at: Micros) -> Vec<Vec<u8>> {
    let update = |sequence: i64, id: &str, change: i64| {
        let mut frame = polled.clone();
        (frame.source, frame.received_at, frame.poll_index) = ("push/acme".into(), at + change, None);
        frame.coverage = Coverage { books: Some(vec![]), markets: Some(vec![]) };
        frame.push = Some(Push { sequence, names_event: false });
        frame.event.id = id.into();
        frame.offers.truncate(2);
        for offer in &mut frame.offers {
            offer.book = "pushed".into();
            offer.ticks.iter_mut().for_each(|tick| tick.price += 200_000 + change);
        }
        encode(&frame).unwrap()
    };
    let id = polled.event.id.to_string();
    vec![
        update(10_000 + sequence, &id, 2),
        update(5_000 + sequence, &id, 1),
        update(10_000 + sequence, &id, 2),
        update(10_000 + sequence, &id, 3),
        update(20_000 + sequence, "nobody knows it", 1),
    ]
}
