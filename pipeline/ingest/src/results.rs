//! Results that a source knows, as tasks of the settlement machine.
//!
//! A result is written when its source's time has passed the end of its event. A worker that begins writes those of the last day
//! again: a report without news changes nothing. It never makes up a result.

use arb_kafka::{Cluster, TaskProducer, partition_of};
use arb_schemas::records::ResultReport;
use arb_schemas::time::{Micros, SECOND};
use arb_schemas::topics::PICK_TASKS;
use arb_schemas::wire;

use super::publish::PublishError;
use super::source::Source;

/// How far back a worker that begins reports.
const AGAIN: Micros = 24 * 3_600 * SECOND;

/// Writes the results of one source.
pub struct ResultWriter {
    producer: TaskProducer,
    partitions: i32,
    written_until: Option<Micros>,
}

impl ResultWriter {
    /// To the tasks, of so many partitions.
    ///
    /// # Errors
    /// [`PublishError::Kafka`] for settings that the client refuses.
    pub fn connect(cluster: &Cluster, partitions: i32) -> Result<Self, PublishError> {
        Ok(Self { producer: TaskProducer::new(cluster, &PICK_TASKS)?, partitions, written_until: None })
    }

    /// Writes what became known up to a time.
    ///
    /// # Errors
    /// [`PublishError`], also for a result of an earlier call that Kafka did not take.
    pub fn write(&mut self, source: &dyn Source, until: Micros) -> Result<(), PublishError> {
        let after = self.written_until.unwrap_or(until.saturating_sub(AGAIN));
        source.results(after, until).iter().try_for_each(|report| self.report(report))?;
        self.written_until = Some(until.max(after));
        Ok(())
    }

    /// Writes a result.
    ///
    /// # Errors
    /// [`PublishError`], also for a result of an earlier call that Kafka did not take.
    pub fn report(&self, report: &ResultReport) -> Result<(), PublishError> {
        let partition = partition_of(&report.event, self.partitions);
        Ok(self.producer.send(partition, &report.event, &wire::encode(report)?)?)
    }

    /// Waits until everything is acknowledged.
    ///
    /// # Errors
    /// [`PublishError::Kafka`].
    pub fn flush(&self) -> Result<(), PublishError> {
        Ok(self.producer.flush()?)
    }
}
