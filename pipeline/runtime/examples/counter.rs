//! A whole machine: counts words by partition and publishes each new count. The tests run it through every fault.

use std::collections::BTreeMap;
use std::string::FromUtf8Error;

use arb_runtime::log::Output;
use arb_runtime::machine::{Change, Fingerprint, InputPlace, Machine, MachineTopics, Outbox};
use arb_schemas::topics::{DEAD_TICKS, FEED_EVENTS, ODDS_TICKS, PROCESS_STATE};
use arb_schemas::wire::WireError;

/// Counts of the words of one partition.
#[derive(Default)]
pub struct Counter {
    counts: BTreeMap<String, u64>,
    /// Counts that are not committed yet; they come before the others.
    draft: BTreeMap<String, u64>,
}

impl Machine for Counter {
    type Config = ();
    type Input<'a> = &'a str;
    type Tally = ();
    type Size = usize;
    type RestoreError = FromUtf8Error;

    // A program defines its topics; this example uses those of the catalogue.
    const TOPICS: MachineTopics = MachineTopics {
        input: &ODDS_TICKS,
        changelog: &PROCESS_STATE,
        dead_letters: &DEAD_TICKS,
        outputs: &[&FEED_EVENTS],
    };

    fn new((): &()) -> Self {
        Self::default()
    }

    fn fingerprint((): &()) -> Fingerprint {
        Fingerprint { rules: "exact".to_owned(), setting: "--match", tables: 0 }
    }

    fn decode(message: &[u8]) -> Result<&str, WireError> {
        std::str::from_utf8(message).map_err(|_| WireError::NotFramed)
    }

    fn step(&mut self, at: InputPlace, word: &&str, out: &mut Outbox, (): &mut ()) -> Result<(), WireError> {
        let before = self.draft.get(*word).or_else(|| self.counts.get(*word));
        let count = before.copied().unwrap_or(0) + 1;
        self.draft.insert((*word).to_owned(), count);
        let value = Some(count.to_string().into_bytes());
        out.send(Output::new(FEED_EVENTS.name, at.partition, (*word).to_owned(), value));
        Ok(())
    }

    fn changes<E: From<WireError>>(&self, put: impl FnMut(Change) -> Result<(), E>) -> Result<(), E> {
        let change = |(word, count): (&String, &u64)| Change {
            key: format!("word/{word}"),
            value: Some(count.to_string().into_bytes()),
        };
        self.draft.iter().map(change).try_for_each(put)
    }

    fn apply(&mut self) {
        self.counts.append(&mut self.draft);
    }

    fn abort(&mut self) {
        self.draft.clear();
    }

    fn restore(&mut self, key: &[u8], value: &[u8]) -> Result<(), FromUtf8Error> {
        let word = String::from_utf8(key.to_vec())?.replacen("word/", "", 1);
        self.counts.insert(word, String::from_utf8(value.to_vec())?.parse().unwrap_or(0));
        Ok(())
    }

    fn size(&self) -> usize {
        self.counts.len()
    }
}

/// Three records, of which the second transaction is aborted.
pub(crate) fn main() -> Result<(), WireError> {
    let (mut counter, mut out) = (Counter::new(&()), Outbox::default());
    for (offset, word, is_committed) in [(0, "goal", true), (1, "goal", false), (1, "goal", true)] {
        let at = InputPlace { partition: 0, offset, epoch: 0 };
        counter.step(at, &Counter::decode(word.as_bytes())?, &mut out, &mut ())?;
        if is_committed { counter.apply() } else { counter.abort() }
    }
    assert_eq!(out.outputs().last().and_then(|output| output.value.as_deref()), Some(&b"2"[..]));
    Ok(())
}
