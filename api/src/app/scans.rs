//! The scans of an instance: what reads their requests and results, and what sends requests. It never answers one.

use arb_kafka::{self as kafka, CommandProducer, Table};
use arb_runtime::stop::Stop;

use super::App;
use crate::scans::follow as scans;

impl App {
    /// Reads the requests for scans until the shutdown signal.
    ///
    /// # Errors
    /// [`kafka::Error`].
    pub fn follow_scan_requests(&self, table: Table, stop: &Stop) -> Result<(), kafka::Error> {
        scans::requests(table, &self.scans, stop)
    }

    /// Reads the results of scans until the shutdown signal.
    ///
    /// # Errors
    /// [`kafka::Error`].
    pub fn follow_scan_results(&self, table: Table, stop: &Stop) -> Result<(), kafka::Error> {
        scans::results(table, &self.scans, stop)
    }

    /// Sends requests for scans until the shutdown signal.
    ///
    /// # Errors
    /// [`kafka::Error`].
    pub fn send_scans(&self, producer: &CommandProducer, stop: &Stop) -> Result<(), kafka::Error> {
        self.scans.queued().map_or(Ok(()), |queued| scans::send_all(&queued, producer, stop))
    }
}
