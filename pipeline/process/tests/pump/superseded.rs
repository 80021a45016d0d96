//! A crash, after which another table of books is there: what was published since the state was written is not what the new table makes of it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use arb_engine::market::Policy;
use arb_model::CloseReason;
use arb_process::machine::{OddsConfig, OddsMachine};
use arb_runtime::feed_mark::{FeedMark, SEQUENCE};
use arb_runtime::pump::PARTITION_KEY;
use arb_schemas::records::{ArbWindow, CloseSignal, SignalChange, StateLine, StatePartition};
use arb_schemas::topics::{ARBS_BOARD, FEED_EVENTS, PROCESS_STATE, SIGNALS};
use arb_schemas::wire::{RecordType, decode};
use arb_simulated_log::{Scenario, Simulation, World};

use crate::market;

/// A place of a run: the id of what is open, with its partition.
type OpenIds = BTreeSet<(i32, String)>;

fn simulation(books: &Arc<arb_engine::venues::Books>, input: World, seed: u64) -> Simulation<OddsMachine> {
    let config = OddsConfig { policy: Policy::Board, books: Arc::clone(books) };
    Simulation::new(config, input, Scenario::Disturbed(seed))
}

/// What a compacted topic lists.
fn listed(world: &World, topic: &str) -> OpenIds {
    let is_open = |key: &[u8]| !key.starts_with(b"progress/");
    let open = world.state(topic).into_keys().filter(|(_, key)| is_open(key));
    open.map(|(id, key)| (id, String::from_utf8_lossy(key).into_owned())).collect()
}

/// The windows and the signals of the state.
fn remembered(world: &World) -> [OpenIds; 2] {
    let mut open = [OpenIds::new(), OpenIds::new()];
    for ((id, _), value) in world.state(PROCESS_STATE.name) {
        if RecordType::of(value).unwrap() == RecordType::StateLine {
            let line: StateLine = decode(value).unwrap();
            open[0].extend(line.window.map(|window| (id, window.id)));
            open[1].extend(line.signals.into_iter().map(|signal| (id, signal.id)));
        }
    }
    open
}

/// What the feed has opened and not closed, and how many closes are of a change of the program. Every number follows the one before it.
fn told(world: &World) -> ([OpenIds; 2], usize) {
    let (mut open, mut superseded) = ([OpenIds::new(), OpenIds::new()], 0);
    for (id, records) in world.log(FEED_EVENTS.name) {
        let mut last = BTreeMap::<i64, i64>::new();
        for (_, value, headers) in records {
            let mark = headers.iter().find(|(name, _)| *name == SEQUENCE).unwrap();
            let mark = FeedMark::parse(&mark.1).unwrap();
            assert_eq!(
                last.insert(mark.epoch, mark.sequence).unwrap_or(0) + 1,
                mark.sequence,
                "partition {id}"
            );
            let value = value.as_deref().unwrap();
            match RecordType::of(value).unwrap() {
                RecordType::ArbWindow => {
                    let window: ArbWindow = decode(value).unwrap();
                    open[0].insert((id, window.entry.id));
                }
                RecordType::CloseSignal => {
                    let closed: CloseSignal = decode(value).unwrap();
                    superseded += usize::from(closed.reason.known() == Some(CloseReason::Superseded));
                    assert!(open[0].remove(&(id, closed.id)), "a window is closed that was not open");
                }
                RecordType::SignalChange => {
                    let SignalChange { change, signal, .. } = decode(value).unwrap();
                    if ["opened", "updated"].contains(&change.as_str()) {
                        open[1].insert((id, signal.id));
                    } else {
                        superseded += usize::from(change == "superseded");
                        assert!(open[1].remove(&(id, signal.id)), "a signal is closed that was not open");
                    }
                }
                _ => {}
            }
        }
    }
    (open, superseded)
}

#[test]
fn after_a_crash_another_table_closes_what_it_cannot_answer_for() {
    let (former, later) = (Arc::default(), Arc::new(arb_process::books::shipped().unwrap()));
    let (mut superseded, mut older) = (0, 0);
    for seed in 0..60 {
        let input = market::market(seed % 4);
        let steps = 100 + 17 * usize::try_from(seed).unwrap();
        let crashed = simulation(&former, input, seed).crash_after(steps).unwrap();
        let places = crashed
            .state(PROCESS_STATE.name)
            .into_iter()
            .filter(|((_, key), _)| *key == PARTITION_KEY.as_bytes());
        older += places.filter(|(_, value)| decode::<StatePartition>(value).unwrap().cut.is_some()).count();
        let world = simulation(&later, crashed, seed + 1_000).run().unwrap();
        let board = [listed(&world, ARBS_BOARD.name), listed(&world, SIGNALS.name)];
        let (told, closed) = told(&world);
        assert_eq!(told, board, "seed {seed}: the feed and what is listed");
        assert_eq!(remembered(&world), board, "seed {seed}: the state and what is listed");
        superseded += closed;
    }
    assert!(older > 20 && superseded > 20, "{older} partitions with an older state, {superseded} closed");
}
