//! The lease of a source: of several instances of the same source, the one that holds it publishes, and the
//! others stand by.
//!
//! The instances of one source are a consumer group; the lease is the partition of the tick topic that the
//! source's name is hashed to, and the position is its note (`super::handoff`). Records and the position after them are one transaction
//! (`super::leased_log`): whichever instance is killed, frozen or cut off, each record is in the log once. It never publishes before it
//! has fenced the last holder.

use std::sync::Arc;
use std::time::{Duration, Instant};

use arb_kafka::{self as kafka, Cluster, Lease, TickOutput, partition_of};
use arb_runtime::stop::Stop;
use arb_schemas::time::Micros;

use super::error::ReplayError;
use super::handoff::{Decision, Part, Position, decide};
use super::leased_log::{LeasedLog, WriteProgress};
use super::publish::Publisher;

/// How long a member waits for news of its group before it looks at the shutdown signal.
const POLL: Duration = Duration::from_millis(50);
/// After so long without the lease another instance must have it.
const STANDBY: Duration = Duration::from_secs(2);

/// Whether this instance publishes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// It does.
    Publish,
    /// The shutdown signal came.
    Stopped,
    /// It holds the lease until [`SourceLease::give_back`].
    Revoked,
    /// Another instance may hold the lease already; [`SourceLease::give_up`] is due.
    Lost,
}

/// The requested part of a source, and the instance.
#[derive(Debug, Clone)]
pub struct Request {
    /// The source's name in every record.
    pub source: String,
    /// Which part of it.
    pub part: Part,
    /// Wall time of the start of this instance.
    pub started_at: Micros,
    /// The shutdown signal.
    pub stop: Stop,
}

/// A member of the group of a source.
pub struct SourceLease {
    log: LeasedLog,
    partition: i32,
    request: Request,
    published: Option<Micros>,
    beat: Option<Micros>,
}

impl SourceLease {
    /// Joins the group of the source, for a topic of so many partitions.
    ///
    /// # Errors
    /// [`kafka::Error::Broker`].
    pub fn join(cluster: &Cluster, partitions: i32, request: Request) -> Result<Self, kafka::Error> {
        let group = format!("arb-ingest/{}", request.source);
        let log = LeasedLog::join(cluster, &group, partitions, &request.stop)?;
        let partition = partition_of(&request.source, partitions);
        Ok(Self { log, partition, request, published: None, beat: None })
    }

    /// How far it has written.
    #[must_use]
    pub fn progress(&self) -> Arc<WriteProgress> {
        self.log.progress()
    }

    /// Waits for the lease: what to do with it, or `None` after the shutdown signal.
    ///
    /// # Errors
    /// [`kafka::Error`] when this instance cannot be a member of the group.
    pub fn acquire(&mut self) -> Result<Option<Decision>, kafka::Error> {
        let (since, mut is_reported) = (Instant::now(), false);
        while !self.request.stop.is_stopped() {
            match self.log.next(POLL)? {
                Lease::Granted(partitions) if partitions.contains(&self.partition) => {
                    if let Some(note) = self.log.take(self.partition)? {
                        return Ok(Some(self.decide(&note)));
                    }
                }
                Lease::Revoked(partitions) | Lease::Lost(partitions) => self.log.give_back(&partitions)?,
                Lease::Granted(_) | Lease::Idle => {}
            }
            if !is_reported && since.elapsed() > STANDBY {
                is_reported = true;
                tracing::info!(source = self.request.source, "standing by: another instance publishes");
            }
        }
        Ok(None)
    }

    fn decide(&mut self, note: &str) -> Decision {
        let Request { part, started_at, ref source, .. } = self.request;
        let decision = decide(Position::read(note), part, started_at);
        if let Decision::Publish(resume) = decision {
            (self.published, self.beat) = (resume.after, resume.beat);
            tracing::info!(source, note, "this instance publishes");
        }
        decision
    }

    /// Waits so long, and returns whether this instance still publishes.
    ///
    /// # Errors
    /// [`ReplayError::Lease`] when this instance cannot be a member of the group.
    pub fn wait(&mut self, time: Duration) -> Result<Turn, ReplayError> {
        let deadline = Instant::now() + time;
        loop {
            if self.request.stop.is_stopped() {
                return Ok(Turn::Stopped);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.log.next(left.min(POLL))? {
                Lease::Revoked(partitions) if partitions.contains(&self.partition) => {
                    return Ok(Turn::Revoked);
                }
                Lease::Lost(partitions) if partitions.contains(&self.partition) => return Ok(Turn::Lost),
                Lease::Revoked(partitions) | Lease::Lost(partitions) => self.log.give_back(&partitions)?,
                Lease::Granted(_) | Lease::Idle => {}
            }
            if left.is_zero() {
                return Ok(if self.log.holds(self.partition) { Turn::Publish } else { Turn::Lost });
            }
        }
    }

    /// A poll of this time was gathered.
    pub fn polled(&mut self, at: Micros) {
        self.published = self.published.max(Some(at));
    }

    /// A heartbeat of this time was gathered.
    pub fn beaten(&mut self, at: Micros) {
        self.beat = self.beat.max(Some(at));
    }

    /// Writes what is gathered with the position after it; whether this instance still publishes. Where it does not, what was gathered is
    /// not written: the next holder publishes it.
    ///
    /// # Errors
    /// [`ReplayError::Lease`] for a record that is never taken, and when this instance cannot be a member of the group.
    pub fn write(&mut self, gathered: &mut Publisher) -> Result<Turn, ReplayError> {
        if gathered.is_empty() || self.write_all(&gathered.take(), None)? {
            return Ok(Turn::Publish);
        }
        Ok(if self.request.stop.is_stopped() { Turn::Stopped } else { Turn::Lost })
    }

    fn write_all(
        &mut self,
        records: &[TickOutput],
        complete_at: Option<Micros>,
    ) -> Result<bool, kafka::Error> {
        let Self { published, beat, .. } = *self;
        let position = Position { part: self.request.part, published, beat, complete_at };
        self.log.write(self.partition, records, Some(position.write()))
    }

    /// Gives the lease back, if it was revoked; to be called when everything is written.
    ///
    /// # Errors
    /// [`kafka::Error`].
    pub fn give_back(&mut self) -> Result<(), kafka::Error> {
        self.log.give_back(&[self.partition])
    }

    /// Gives back a lease that is lost; the position belongs to the next holder.
    ///
    /// # Errors
    /// [`kafka::Error`].
    pub fn give_up(&mut self) -> Result<(), kafka::Error> {
        tracing::warn!(source = self.request.source, "the lease is lost: another instance may publish");
        self.give_back()
    }

    /// Writes that the whole part is published, so that no standby instance publishes it again.
    ///
    /// # Errors
    /// [`kafka::Error`].
    pub fn complete(&mut self, at: Micros) -> Result<(), kafka::Error> {
        if !self.write_all(&[], Some(at))? {
            tracing::warn!(source = self.request.source, "the end of the source could not be remembered");
        }
        self.give_back()
    }
}
