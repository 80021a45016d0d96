//! What fits no record: the record that made it is dead-lettered, and everything else is as if it had not been there.

use std::string::FromUtf8Error;

use arb_runtime::dead_letters::{Reason, header};
use arb_runtime::machine::{Change, Fingerprint, InputPlace, Machine, MachineTopics, Outbox};
use arb_schemas::topics::{DEAD_TICKS, FEED_EVENTS};
use arb_schemas::wire::WireError;
use arb_simulated_log::{World, run_disturbed};

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

#[test]
fn what_fits_no_record_costs_its_own_record_alone_whatever_happens() {
    let (_, expected) = run_disturbed::<Unlimited>(&(), &with_unfit(), 0..300).unwrap();
    let mut without = words();
    for partition in [0, 1] {
        without.push(partition, "home".into());
    }
    let (_, undisturbed) = run_disturbed::<Counter>(&(), &without, 0..1).unwrap();
    assert_eq!(texts(&expected, FEED_EVENTS.name), texts(&undisturbed, FEED_EVENTS.name));
    let letters = expected.log(DEAD_TICKS.name).into_iter().flat_map(|(_, records)| records);
    let unfit: Vec<_> = letters
        .filter(|(.., headers)| headers.contains(&(header::REASON, Reason::DoesNotFit.key().to_owned())))
        .map(|(_, value, _)| String::from_utf8(value.clone().unwrap()).unwrap())
        .collect();
    assert_eq!(unfit, ["part", "output", "output", "part"], "by partition, in order");
}
