//! The lease of a source: of several instances of the same source, the one that holds it publishes, and the
//! others stand by.
//!
//! The instances of one source are a consumer group; the lease is the partition of the tick topic that the
//! source's name is hashed to, and the position is committed with it (`super::handoff`). It is committed once
//! a second, when the lease is given back, and at the end: after a kill the last second is published again,
//! which is late for the engine and changes nothing. It never commits what Kafka has not acknowledged.

use std::time::{Duration, Instant};

use arb_kafka::{self as kafka, Cluster, Lease, Leases, partition_of};
use arb_runtime::stop::Stop;
use arb_schemas::time::Micros;

use super::error::ReplayError;
use super::handoff::{Decision, Part, Position, decide};
use super::publish::Publisher;

/// How often the position is remembered.
const REMEMBER: Duration = Duration::from_secs(1);
/// How long what was sent may take to be acknowledged before the position is remembered; longer, and it is tried again later.
const ACKNOWLEDGED: Duration = Duration::from_millis(500);
/// How long a member waits for news of its group before it looks at the shutdown signal.
const POLL: Duration = Duration::from_millis(50);
/// After so long without the lease another instance must have it.
const STANDBY: Duration = Duration::from_secs(2);
/// How often the end is tried to be remembered, while partitions move: ten seconds in all.
const TRIES: u32 = 200;

/// Whether this instance publishes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// It does.
    Publish,
    /// The shutdown signal came.
    Stopped,
    /// It holds the lease until [`SourceLease::hand_over`].
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
    leases: Leases,
    partition: i32,
    request: Request,
    published: Option<Micros>,
    remembered: Instant,
}

impl SourceLease {
    /// Joins the group of the source.
    ///
    /// # Errors
    /// [`kafka::Error::Broker`].
    pub fn join(cluster: &Cluster, partitions: i32, request: Request) -> Result<Self, kafka::Error> {
        let leases = Leases::join(cluster, &format!("arb-ingest/{}", request.source))?;
        let partition = partition_of(&request.source, partitions);
        Ok(Self { leases, partition, request, published: None, remembered: Instant::now() })
    }

    /// Waits for the lease: what to do with it, or `None` after the shutdown signal.
    ///
    /// # Errors
    /// [`kafka::Error`] when this instance cannot be a member of the group.
    pub fn acquire(&mut self) -> Result<Option<Decision>, kafka::Error> {
        let (since, mut is_reported) = (Instant::now(), false);
        while !self.request.stop.is_stopped() {
            match self.leases.next(POLL)? {
                Lease::Granted(leases) => {
                    if let Some((_, note)) = leases.iter().find(|(partition, _)| *partition == self.partition)
                    {
                        return Ok(Some(self.take(note)));
                    }
                }
                Lease::Revoked(_) | Lease::Lost(_) => self.leases.give_back()?,
                Lease::Idle => {}
            }
            if !is_reported && since.elapsed() > STANDBY {
                is_reported = true;
                tracing::info!(source = self.request.source, "standing by: another instance publishes");
            }
        }
        Ok(None)
    }

    fn take(&mut self, note: &str) -> Decision {
        let Request { part, started_at, ref source, .. } = self.request;
        let decision = decide(Position::read(note), part, started_at);
        self.remembered = Instant::now();
        if let Decision::Publish(after) = decision {
            self.published = after;
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
            match self.leases.next(left.min(POLL))? {
                Lease::Revoked(partitions) if partitions.contains(&self.partition) => {
                    return Ok(Turn::Revoked);
                }
                Lease::Lost(partitions) if partitions.contains(&self.partition) => return Ok(Turn::Lost),
                Lease::Revoked(_) | Lease::Lost(_) => self.leases.give_back()?,
                Lease::Granted(_) | Lease::Idle => {}
            }
            if left.is_zero() {
                // A frozen process wakes before its client knows that the group has continued without it.
                return Ok(if self.leases.holds(self.partition) { Turn::Publish } else { Turn::Lost });
            }
        }
    }

    /// A poll was sent; commits the position when the last commit is long enough ago.
    ///
    /// # Errors
    /// [`ReplayError`] for a record that could not be delivered, and when this instance cannot be a member of the group.
    pub fn published(&mut self, at: Micros, to: &Publisher) -> Result<(), ReplayError> {
        self.published = self.published.max(Some(at));
        if self.remembered.elapsed() < REMEMBER {
            return Ok(());
        }
        self.remembered = Instant::now();
        if to.flush_within(ACKNOWLEDGED)? {
            self.remember(None)?;
        }
        Ok(())
    }

    /// Commits the position and gives the lease back, if it was revoked; to be called when everything is
    /// acknowledged.
    ///
    /// # Errors
    /// [`kafka::Error`].
    pub fn hand_over(&mut self) -> Result<(), kafka::Error> {
        self.remember(None)?;
        self.leases.give_back()
    }

    /// Gives back a lease that is lost; its committed position belongs to the next holder.
    ///
    /// # Errors
    /// [`kafka::Error`].
    pub fn give_up(&mut self) -> Result<(), kafka::Error> {
        tracing::warn!(source = self.request.source, "the lease is lost: another instance may publish");
        self.leases.give_back()
    }

    /// Commits that the whole part is published, so that no standby instance publishes it again. If the group
    /// does not accept it in time, another instance publishes the last second again.
    ///
    /// # Errors
    /// [`kafka::Error`].
    pub fn complete(&mut self, at: Micros) -> Result<(), kafka::Error> {
        for _ in 0..TRIES {
            if self.remember(Some(at))? {
                return Ok(());
            }
            match self.leases.next(POLL)? {
                Lease::Revoked(partitions) if partitions.contains(&self.partition) => {
                    self.remember(Some(at))?;
                    return self.leases.give_back();
                }
                Lease::Lost(partitions) if partitions.contains(&self.partition) => break,
                Lease::Revoked(_) | Lease::Lost(_) => self.leases.give_back()?,
                Lease::Granted(_) | Lease::Idle => {}
            }
        }
        tracing::warn!(source = self.request.source, "the end of the source could not be remembered");
        Ok(())
    }

    fn remember(&self, complete_at: Option<Micros>) -> Result<bool, kafka::Error> {
        let position = Position { part: self.request.part, published: self.published, complete_at };
        self.leases.remember(self.partition, &position.write())
    }
}
