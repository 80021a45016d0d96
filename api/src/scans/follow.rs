//! The threads of scans: two read the topics of requests and results, one sends requests.
//!
//! A record that is none is left out: its scan is partial. It never ends the process for it.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use arb_kafka::{self as kafka, CommandProducer, Table, TableEvent};
use arb_runtime::stop::Stop;
use arb_schemas::records::ScanRequest;
use arb_schemas::wire::{WireError, decode, encode};

use super::store::Scans;

/// How long to wait for a record before looking whether to stop.
const WAIT: Duration = Duration::from_millis(100);
/// How long the sender waits for a request before it takes the broker's reports.
const SEND_WAIT: Duration = Duration::from_millis(20);

/// Reads the requests until the shutdown signal.
///
/// # Errors
/// [`kafka::Error`].
pub(crate) fn requests(table: Table, scans: &Scans, stop: &Stop) -> Result<(), kafka::Error> {
    follow(table, scans, stop, |_, value| decode(value).map(|request| scans.put_request(request)))
}

/// Reads the results until the shutdown signal.
///
/// # Errors
/// [`kafka::Error`].
pub(crate) fn results(table: Table, scans: &Scans, stop: &Stop) -> Result<(), kafka::Error> {
    follow(table, scans, stop, |partition, value| {
        decode(value).map(|result| scans.put_result(partition, result, value.len()))
    })
}

fn follow(
    mut table: Table,
    scans: &Scans,
    stop: &Stop,
    put: impl Fn(i32, &[u8]) -> Result<(), WireError>,
) -> Result<(), kafka::Error> {
    while !stop.is_stopped() {
        match table.next(WAIT)? {
            TableEvent::Put { partition, offset, value: Some(value), .. } => {
                if let Err(error) = put(partition, &value) {
                    tracing::warn!(partition, offset, %error, "a record of a scan is left out");
                }
            }
            TableEvent::CaughtUp => scans.has_read(),
            TableEvent::Put { .. } | TableEvent::Idle => {}
        }
    }
    Ok(())
}

/// Sends requests to Kafka until the shutdown signal.
///
/// # Errors
/// [`kafka::Error`] that sending again does not help against.
pub(crate) fn send_all(
    queued: &Receiver<ScanRequest>,
    producer: &CommandProducer,
    stop: &Stop,
) -> Result<(), kafka::Error> {
    while !stop.is_stopped() {
        match queued.recv_timeout(SEND_WAIT) {
            Ok(request) => send(producer, &request)?,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
        if let Err(error) = producer.serve(Duration::ZERO) {
            tracing::warn!(%error, "a scan was not delivered: it stays partial");
        }
    }
    Ok(())
}

fn send(producer: &CommandProducer, request: &ScanRequest) -> Result<(), kafka::Error> {
    match encode(request) {
        Ok(value) if producer.send(&request.id, &value)? => {}
        Ok(_) => tracing::warn!("a scan was not sent: the queue is full"),
        Err(error) => tracing::warn!(%error, "a scan was not sent"),
    }
    Ok(())
}
