//! The odds machine: the engine of one partition, with records in and records out.
//!
//! It never decides what an arb is: that is the engine's. It never sees a transaction.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

use arb_engine::effect::Effect;
use arb_engine::input::{Coordinate, Input};
use arb_engine::market::Policy;
use arb_engine::state::Saved;
use arb_engine::time::Disposition;
use arb_engine::venues::Books;
use arb_engine::{Engine, Size, Step};
use arb_model::Faults;
use arb_runtime::dead_letters::Reason;
use arb_runtime::machine::{
    Change, Counts, Fingerprint, InputPlace, Machine, MachineTopics, OpenRecords, Outbox,
};
use arb_runtime::pump::CutLimits;
use arb_runtime::telemetry::Role;
use arb_schemas::time::Micros;
use arb_schemas::topics::{
    ARBS_BOARD, DEAD_TICKS, FEED_EVENTS, ODDS_TICKS, PROCESS_STATE, SCAN_RESULTS, SIGNALS, Topic,
};
use arb_schemas::wire::{RecordType, WireError, decode};
use arb_schemas::{ScanMarker, TickRecord};

use crate::codec::state::{self, StateError, StateRecord};
use crate::codec::{self, TickMessage};
use crate::counts::OddsCounts;
use crate::faults;
use crate::scans::{MarkerEffect, Scans};
use crate::telemetry;

/// How often the state is written: an owner processes at most so much again, and own boards and bots are so far behind the board.
pub const CUTS: CutLimits = CutLimits { records: 50_000, interval: Duration::from_millis(250) };

/// By what the windows of all partitions are made.
#[derive(Debug, Clone)]
pub struct OddsConfig {
    /// The rules.
    pub policy: Policy,
    /// The books that are known.
    pub books: Arc<Books>,
}

/// One partition of the odds machine.
pub struct OddsMachine {
    engine: Engine,
    scans: Scans,
    /// The effects of a record; the memory is used again for the next.
    effects: Vec<Effect>,
}

impl Machine for OddsMachine {
    type Config = OddsConfig;
    type Input<'a> = TickMessage<'a>;
    type Tally = OddsCounts;
    type Size = Size;
    type RestoreError = StateError;

    const TOPICS: MachineTopics = MachineTopics {
        input: &ODDS_TICKS,
        changelog: &PROCESS_STATE,
        dead_letters: &DEAD_TICKS,
        outputs: &[&ARBS_BOARD, &SIGNALS, &FEED_EVENTS, &SCAN_RESULTS],
    };
    const OPEN: &'static [&'static Topic] = &[&ARBS_BOARD, &SIGNALS];
    const ROLE: Option<Role> = Some(Role::Process);

    fn new(config: &OddsConfig) -> Self {
        let engine = Engine::with_books(config.policy, Arc::clone(&config.books));
        Self { engine, scans: Scans::default(), effects: Vec::new() }
    }

    fn fingerprint(config: &OddsConfig) -> Fingerprint {
        let mut tables = DefaultHasher::new();
        config
            .books
            .keys()
            .into_iter()
            .for_each(|key| (key, format!("{:?}", config.books.get(key))).hash(&mut tables));
        Fingerprint { rules: config.policy.key().to_owned(), setting: "--policy", tables: tables.finish() }
    }

    fn decode(message: &[u8]) -> Result<TickMessage<'_>, WireError> {
        TickMessage::read(message)
    }

    fn is_heartbeat(tick: &TickMessage<'_>) -> bool {
        matches!(tick, TickMessage::Record(TickRecord::Heartbeat(_)))
    }

    fn step(
        &mut self,
        at: InputPlace,
        tick: &TickMessage<'_>,
        out: &mut Outbox,
        counts: &mut OddsCounts,
    ) -> Result<(), WireError> {
        let mut faults = Faults::default();
        let input = match tick.as_input(&mut faults) {
            Ok(input) => input,
            Err(marker) => return self.step_marker(at, marker, out, counts),
        };
        let place = Coordinate { topic: ODDS_TICKS.name, partition: at.partition, offset: at.offset };
        self.effects.clear();
        let step = self.engine.step(place, &input, &mut self.effects);
        counts.step(&input, step);
        if step.is_repeat
            && let Input::Frame(frame) = &input
        {
            self.scans.note_repeat(frame.source, frame.received_at, frame.event.id);
        }
        put_aside_left_out(step, faults, out, counts);
        for effect in &self.effects {
            counts.effect(effect);
            codec::outputs(effect, at.partition, at.epoch)?.into_iter().for_each(|output| out.send(output));
        }
        Ok(())
    }

    fn changes<E: From<WireError>>(&self, mut put: impl FnMut(Change) -> Result<(), E>) -> Result<(), E> {
        for saved in self.engine.changes() {
            if let Some(change) = state::change(&saved)? {
                put(change)?;
            }
        }
        self.scans.changes().try_for_each(|change| put(change?))
    }

    fn apply(&mut self) {
        self.engine.commit();
        self.scans.apply();
    }

    fn abort(&mut self) {
        self.engine.abort();
        self.scans.abort();
    }

    fn restore(&mut self, key: &[u8], value: &[u8]) -> Result<(), StateError> {
        match state::parse(&String::from_utf8_lossy(key), value)? {
            StateRecord::Saved(saved) => self.engine.restore(saved).map_err(StateError::Misfit),
            StateRecord::Scan(scan) => {
                self.scans.restore(*scan);
                Ok(())
            }
            StateRecord::ScanRepeats(repeats) => {
                self.scans.restore_repeats(repeats);
                Ok(())
            }
            // The runtime writes and reads it under the runtime's key.
            StateRecord::Partition(_) => Err(StateError::Impossible("partition under another key")),
        }
    }

    fn supersede(&mut self, at: InputPlace, open: &OpenRecords, out: &mut Outbox) -> Result<(), WireError> {
        let (mut windows, mut signals) = (Vec::new(), Vec::new());
        for ((topic, _), value) in open {
            match RecordType::of(value)? {
                RecordType::BoardEntry => windows.push(decode(value)?),
                RecordType::EdgeSignal => signals.push(decode(value)?),
                // How far the board has come with a source, which stays.
                other => tracing::debug!(topic, ?other, "nothing that is open"),
            }
        }
        self.effects.clear();
        self.engine.supersede(windows, signals, &mut self.effects);
        for effect in &self.effects {
            codec::outputs(effect, at.partition, at.epoch)?.into_iter().for_each(|output| out.send(output));
        }
        Ok(())
    }

    fn sequence(&self) -> i64 {
        self.engine.sequence()
    }

    fn restore_sequence(&mut self, sequence: i64) {
        // A number fits anything that was restored before it.
        let _ = self.engine.restore(Saved::Sequence(sequence));
    }

    fn watermark(&self) -> Option<Micros> {
        self.engine.watermark()
    }

    fn size(&self) -> Size {
        self.engine.size()
    }

    fn report(counts: &Counts<OddsCounts>) {
        telemetry::committed(counts);
    }

    fn report_state(worker: usize, machines: &[&Self]) {
        let unknown = machines.iter().flat_map(|machine| machine.engine.unknown_books());
        telemetry::holds(worker, machines.iter().map(|machine| machine.engine.size()), unknown.collect());
    }
}

impl OddsMachine {
    fn step_marker(
        &mut self,
        at: InputPlace,
        marker: &ScanMarker,
        out: &mut Outbox,
        counts: &mut OddsCounts,
    ) -> Result<(), WireError> {
        counts.scan_markers += 1;
        match self.scans.step(&self.engine, marker, (at.partition, at.offset))? {
            MarkerEffect::Noted => {}
            MarkerEffect::Answered(output) => out.send(output),
            MarkerEffect::Refused(reason) => out.dead_letter(Reason::Refused, reason.to_owned()),
        }
        Ok(())
    }
}

/// The parts that were left out of a record are not lost: the record is dead-lettered, with the reasons in
/// words.
fn put_aside_left_out(step: Step, mut faults: Faults, out: &mut Outbox, counts: &mut OddsCounts) {
    if step.disposition == Disposition::Ahead {
        let error = "received in a future that no one else has reached";
        return out.dead_letter(Reason::Ahead, error.to_owned());
    }
    if let Some(error) = push_refusal(step.disposition) {
        return out.dead_letter(Reason::PushRefused, error.to_owned());
    }
    faults::count_swapped(&mut counts.faults, step);
    faults::count_step(&mut faults, step);
    if faults.is_empty() && step.left_out.is_empty() {
        return;
    }
    let reasons = [faults.to_string(), step.left_out.to_string()];
    let reasons: Vec<_> = reasons.into_iter().filter(|reason| !reason.is_empty()).collect();
    faults::count_left_out(&mut faults, &step.left_out);
    counts.faults.add(&faults);
    let is_refused = step.disposition == Disposition::Refused;
    let reason = if is_refused { Reason::Refused } else { Reason::PartlyLeftOut };
    out.dead_letter(reason, reasons.join(", "));
}

/// Why nothing of a pushed update was taken in, where its client must learn of it; `None` of what is no fault.
fn push_refusal(disposition: Disposition) -> Option<&'static str> {
    match disposition {
        Disposition::Conflicting => Some("its source gave this sequence to another update before"),
        Disposition::Forgotten => Some("its sequence is below all that are remembered of its source"),
        Disposition::UnknownEvent => Some("its event is not known, and its source may not name events"),
        _ => None,
    }
}
