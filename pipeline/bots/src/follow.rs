//! The loop of the bots: reads the processor's changelog, the signals and the picks, and writes what the bots ask for.
//!
//! It never skips a record, and writes nothing before all three topics were read to their ends.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use arb_kafka::{self as kafka, Table, TableEvent, TaskProducer};
use arb_process::replica::ReplicaError;
use arb_runtime::stop::Stop;
use arb_runtime::watchdog::Pulse;
use arb_schemas::wire::{self, WireError};
use thiserror::Error;

use crate::telemetry;
use crate::watcher::{Asked, BotTask, Watcher};

/// Between two looks.
const EVERY: Duration = Duration::from_secs(1);
/// How long it is waited where nothing is to be read.
const PAUSE: Duration = Duration::from_millis(20);
/// Records of one topic before the next one's turn.
const TURN: usize = 1_000;

/// Why the loop ended.
#[derive(Debug, Error)]
pub enum FollowError {
    /// Kafka.
    #[error(transparent)]
    Kafka(#[from] kafka::Error),
    /// A record that is none of its topic's, or cannot be written.
    #[error(transparent)]
    Record(#[from] WireError),
    /// The processor's changelog.
    #[error("the changelog of the processor: {0}")]
    Replica(#[from] ReplicaError),
}

/// The topics that bots read.
pub struct Inputs {
    /// The processor's changelog.
    pub state: Table,
    /// The signals.
    pub signals: Table,
    /// The picks.
    pub picks: Table,
}

/// Which of the topics were read to their ends.
#[derive(Default)]
struct Read {
    state: bool,
    signals: bool,
    picks: bool,
}

/// Reads and writes until the shutdown signal; notes when all topics were read.
///
/// # Errors
/// [`FollowError`].
pub fn follow(
    mut inputs: Inputs,
    producer: &TaskProducer,
    watcher: &mut Watcher,
    (stop, pulse): (&Stop, &Pulse),
    is_ready: &AtomicBool,
) -> Result<(), FollowError> {
    let (mut read, mut looked_at) = (Read::default(), Instant::now());
    while !stop.is_stopped() {
        pulse.beat();
        let is_idle = take_turns(&mut inputs, &mut read, watcher)?;
        if read.state && read.signals && read.picks && looked_at.elapsed() >= EVERY {
            is_ready.store(true, Ordering::Release);
            looked_at = Instant::now();
            for task in watcher.look() {
                write(producer, &task)?;
            }
        }
        producer.serve(Duration::ZERO)?;
        if is_idle && stop.wait(PAUSE) {
            break;
        }
    }
    Ok(producer.flush()?)
}

/// Lets each topic have its turn. Returns whether there was nothing to read.
fn take_turns(inputs: &mut Inputs, read: &mut Read, watcher: &mut Watcher) -> Result<bool, FollowError> {
    let Inputs { state, signals, picks } = inputs;
    let was_read = read.state;
    let of_state =
        take(state, &mut read.state, |partition, key, value| Ok(watcher.put_state(partition, key, value)?))?;
    if read.state && !was_read {
        watcher.state_is_read()?;
    }
    let of_signals = take(signals, &mut read.signals, |partition, key, value| {
        match value {
            Some(value) => watcher.put_signal(partition, wire::decode(value)?),
            None => watcher.remove_signal(&String::from_utf8_lossy(key)),
        }
        Ok(())
    })?;
    let of_picks = take(picks, &mut read.picks, |partition, _, value| {
        if let Some(value) = value {
            watcher.put_pick(partition, wire::decode(value)?);
        }
        Ok(())
    })?;
    Ok(of_state + of_signals + of_picks == 0)
}

/// Hands over what a topic has now by partition, key and value, as far as one turn goes, and notes whether its end was met. Returns how
/// many records that was.
fn take(
    table: &mut Table,
    is_read: &mut bool,
    mut apply: impl FnMut(i32, &[u8], Option<&[u8]>) -> Result<(), FollowError>,
) -> Result<usize, FollowError> {
    let mut count = 0;
    while count < TURN {
        match table.next(Duration::ZERO)? {
            TableEvent::Idle => break,
            TableEvent::CaughtUp => {
                *is_read = true;
                break;
            }
            TableEvent::Put { partition, key, value, .. } => {
                count += 1;
                apply(partition, &key, value.as_deref())?;
            }
        }
    }
    Ok(count)
}

fn write(producer: &TaskProducer, task: &BotTask) -> Result<(), FollowError> {
    let message = match &task.what {
        Asked::Candidate(bot, candidate) => {
            telemetry::candidate(*bot);
            wire::encode(candidate.as_ref())?
        }
        Asked::Closing(closing) => {
            telemetry::closing();
            wire::encode(closing)?
        }
        Asked::Offer(offer) => {
            telemetry::offer();
            wire::encode(offer)?
        }
    };
    Ok(producer.send(task.partition, &task.event, &message)?)
}
