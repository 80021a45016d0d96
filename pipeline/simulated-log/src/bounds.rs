//! A machine without a log, to which a test gives every input at its limits: whatever is made of it can be written.
//!
//! It never asks a log for anything, and commits after each record.

use std::collections::BTreeMap;

use arb_runtime::dead_letters::Reason;
use arb_runtime::machine::{Change, InputPlace, Machine, Outbox};
use arb_schemas::limits;
use arb_schemas::wire::WireError;

/// A machine and what its changelog holds.
#[derive(Debug)]
pub struct Bounded<M: Machine> {
    /// The machine.
    pub machine: M,
    state: BTreeMap<String, Vec<u8>>,
    offset: i64,
    tally: M::Tally,
}

impl<M: Machine> Bounded<M> {
    /// One without state.
    #[must_use]
    pub fn new(config: &M::Config) -> Self {
        Self { machine: M::new(config), state: BTreeMap::new(), offset: 0, tally: M::Tally::default() }
    }

    /// Steps it with a message; the reasons of its dead letters.
    ///
    /// # Errors
    /// What cannot be written.
    pub fn step(&mut self, message: &[u8]) -> Result<Vec<Reason>, WireError> {
        let Ok(input) = M::decode(message) else { return Ok(vec![Reason::Unreadable]) };
        let (at, mut out) = (InputPlace { partition: 0, offset: self.offset, epoch: 1 }, Outbox::default());
        self.offset += 1;
        self.machine.step(at, &input, &mut out, &mut self.tally)?;
        let state = &mut self.state;
        self.machine.changes(|Change { key, value }| {
            let length = key.len() + value.as_ref().map_or(0, Vec::len);
            fits(length)?;
            match value {
                Some(value) => drop(state.insert(key, value)),
                None => drop(state.remove(&key)),
            }
            Ok::<(), WireError>(())
        })?;
        self.machine.apply();
        for output in out.outputs() {
            let length = |bytes: &Option<Vec<u8>>| bytes.as_ref().map_or(0, Vec::len);
            fits(length(&output.key) + length(&output.value))?;
        }
        Ok(out.letters().iter().map(|(reason, _)| *reason).collect())
    }

    /// The same after a restart from the changelog.
    ///
    /// # Errors
    /// What cannot be restored, in words.
    pub fn restore(&mut self, config: &M::Config) -> Result<(), String> {
        self.machine = M::new(config);
        for (key, value) in &self.state {
            let restored = self.machine.restore(key.as_bytes(), value);
            restored.map_err(|error| format!("{key}: {error}"))?;
        }
        Ok(())
    }

    /// The length of the longest value of its changelog.
    #[must_use]
    pub fn longest(&self) -> usize {
        self.state.values().map(Vec::len).max().unwrap_or(0)
    }
}

fn fits(length: usize) -> Result<(), WireError> {
    let limit = limits::WRITTEN;
    if length > limit { Err(WireError::TooLong { length, limit }) } else { Ok(()) }
}
