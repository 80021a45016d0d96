//! The thread that asks the accounts machine for leases, and reports what was charged of them.
//!
//! It never decides what is due: the pools do. A command that is lost is sent again, with other numbers or the same counts.

use std::time::{Duration, Instant};

use arb_kafka::{self as kafka, CommandProducer};
use arb_runtime::stop::Stop;
use arb_schemas::wire::WireError;

use super::usage::Usage;

/// How long to wait for something to do: reports are due by time.
const WAIT: Duration = Duration::from_millis(50);
/// How long the last reports may take.
const LAST: Duration = Duration::from_secs(3);

/// Runs until the shutdown signal.
///
/// # Errors
/// [`kafka::Error`] that sending again does not help against.
pub(crate) fn run(usage: &Usage, producer: &CommandProducer, stop: &Stop) -> Result<(), kafka::Error> {
    let instance = usage.instance();
    while !stop.is_stopped() {
        usage.wait_for_work(WAIT);
        send(usage.commands(Instant::now()), &instance, producer)?;
        if let Err(error) = producer.serve(Duration::ZERO) {
            tracing::warn!(%error, "a command about quotas was not delivered: it is sent again");
        }
    }
    Ok(())
}

/// Reports everything and gives back what is left, once nothing more is answered.
///
/// # Errors
/// As [`run`].
pub(crate) fn finish(usage: &Usage, producer: &CommandProducer) -> Result<(), kafka::Error> {
    send(usage.last_commands(Instant::now()), &usage.instance(), producer)?;
    let begun = Instant::now();
    while producer.in_flight() > 0 && begun.elapsed() < LAST {
        if let Err(error) = producer.serve(WAIT) {
            tracing::warn!(%error, "what was charged last was not reported: it is forfeited");
        }
    }
    Ok(())
}

fn send(
    commands: Vec<Result<Vec<u8>, WireError>>,
    instance: &str,
    producer: &CommandProducer,
) -> Result<(), kafka::Error> {
    for command in commands {
        match command {
            Ok(command) if producer.send(instance, &command)? => {}
            Ok(_) => tracing::warn!("a command about quotas was not sent: the queue is full"),
            Err(error) => tracing::warn!(%error, "a command about quotas was not sent"),
        }
    }
    Ok(())
}
