//! What fits no record: the record that made it is dead-lettered, and everything else is as if it had not been there.

use std::collections::BTreeSet;
use std::string::FromUtf8Error;
use std::time::Duration;

use arb_runtime::dead_letters::{Reason, header};
use arb_runtime::machine::{Change, Fingerprint, InputPlace, Machine, MachineTopics, Outbox};
use arb_runtime::pump::{CutLimits, PARTITION_KEY};
use arb_schemas::topics::{DEAD_TICKS, FEED_EVENTS, PROCESS_STATE};
use arb_schemas::wire::WireError;
use arb_simulated_log::compare::difference;
use arb_simulated_log::{Scenario, Simulation, World};

use crate::counter::Counter;
use crate::{texts, words};

/// A counter that has forgotten two limits: of its outputs and of its state.
struct Unlimited(Counter);

fn too_long() -> WireError {
    WireError::TooLong { length: 3_000_000, limit: 2_000_000 }
}

impl Machine for Unlimited {
    type Config = ();
    type Input<'a> = &'a str;
    type Tally = ();
    type Size = usize;
    type RestoreError = FromUtf8Error;

    const TOPICS: MachineTopics = Counter::TOPICS;

    fn new((): &()) -> Self {
        Self(Counter::new(&()))
    }

    fn fingerprint((): &()) -> Fingerprint {
        Counter::fingerprint(&())
    }

    fn decode(message: &[u8]) -> Result<&str, WireError> {
        Counter::decode(message)
    }

    fn step(&mut self, at: InputPlace, word: &&str, out: &mut Outbox, (): &mut ()) -> Result<(), WireError> {
        self.0.step(at, word, out, &mut ())?;
        if *word == "output" { Err(too_long()) } else { Ok(()) }
    }

    fn changes<E: From<WireError>>(&self, mut put: impl FnMut(Change) -> Result<(), E>) -> Result<(), E> {
        self.0.changes(|change| {
            if change.key == "word/part" {
                return Err(too_long().into());
            }
            put(change)
        })
    }

    fn apply(&mut self) {
        self.0.apply();
    }

    fn abort(&mut self) {
        self.0.abort();
    }

    fn restore(&mut self, key: &[u8], value: &[u8]) -> Result<(), FromUtf8Error> {
        self.0.restore(key, value)
    }

    fn size(&self) -> usize {
        self.0.size()
    }
}

/// The same words, with two in each partition that do not fit.
fn with_unfit() -> World {
    let mut world = words();
    for (partition, word) in
        [(0, "part"), (1, "output"), (0, "home"), (1, "part"), (1, "home"), (0, "output")]
    {
        world.push(partition, word.into());
    }
    world
}

fn run(scenario: Scenario, cuts: CutLimits) -> World {
    Simulation::<Unlimited>::new((), with_unfit(), scenario).cutting(cuts).run().unwrap()
}

/// The words that were dead-lettered because they do not fit, by partition, in order.
fn unfit(world: &World) -> Vec<String> {
    let letters = world.log(DEAD_TICKS.name).into_iter().flat_map(|(_, records)| records);
    let is_unfit = |headers: &[_]| headers.contains(&(header::REASON, Reason::DoesNotFit.key().to_owned()));
    let unfit = letters.filter(|(.., headers)| is_unfit(headers));
    unfit.map(|(_, value, _)| String::from_utf8(value.clone().unwrap()).unwrap()).collect()
}

#[test]
fn what_fits_no_record_costs_its_own_record_alone_whatever_happens() {
    let expected = run(Scenario::Undisturbed, CutLimits::EACH);
    let mut without = words();
    for partition in [0, 1] {
        without.push(partition, "home".into());
    }
    let undisturbed = Simulation::<Counter>::new((), without, Scenario::Undisturbed).run().unwrap();
    assert_eq!(texts(&expected, FEED_EVENTS.name), texts(&undisturbed, FEED_EVENTS.name));
    assert_eq!(unfit(&expected), ["part", "output", "output", "part"], "by partition, in order");
    for seed in 0..300 {
        let world = run(Scenario::Disturbed(seed), CutLimits::EACH);
        assert_eq!(difference::<Unlimited>(&world, &expected), None, "seed {seed}");
    }
}

/// Where records were committed since the state was written, all of them are taken again: what was published for them is published twice.
#[test]
fn a_part_that_fits_no_record_later_costs_its_own_record_and_doubles_others() {
    let expected = run(Scenario::Undisturbed, CutLimits::EACH);
    for seed in 0..100 {
        let later = CutLimits { records: 7, interval: Duration::from_hours(1) };
        let world = run(Scenario::Disturbed(seed), later);
        let words = |world| -> BTreeSet<_> { unfit(world).into_iter().collect() };
        assert_eq!(words(&world), words(&expected), "seed {seed}");
        // That of the word which does not fit, too.
        let published = |world| -> BTreeSet<_> {
            texts(world, FEED_EVENTS.name).into_iter().filter(|(_, word, _)| word != "part").collect()
        };
        assert_eq!(published(&world), published(&expected), "seed {seed}");
        let parts = |world: &World| {
            let state = world.state(PROCESS_STATE.name).into_iter();
            let parts = state.filter(|((_, key), _)| *key != PARTITION_KEY.as_bytes());
            parts.map(|((id, key), value)| (id, key.to_vec(), value.to_vec())).collect::<Vec<_>>()
        };
        assert_eq!(parts(&world), parts(&expected), "seed {seed}");
    }
}
