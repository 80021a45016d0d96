//! A member of a group that holds a lease and writes under it as a worker of ingest does: what Kafka does not answer now is asked again.
//!
//! It never writes a note twice: after a write of which nothing is known, the note says whether it is there.

use std::time::Duration;

use arb_kafka::{Cluster, Error, Lease, LeaseNote, Leases, SourceProducer, TickOutput, Written};
use arb_schemas::topics::DEFAULT_PARTITIONS;

use super::wait_for;

const WAIT: Duration = Duration::from_millis(100);

pub(crate) struct LeaseHolder {
    leases: Leases,
    producer: SourceProducer,
}

impl LeaseHolder {
    /// Joins a group of its own, and returns once it has leases; it writes under the first.
    pub(crate) fn join(cluster: &Cluster) -> Self {
        let mut leases = Leases::join(cluster, "workers").unwrap();
        let granted = wait_for("it has leases", || match leases.next(WAIT).unwrap() {
            Lease::Granted(granted) => Some(granted),
            _ => None,
        });
        let producer = SourceProducer::new(cluster, "workers", granted[0], DEFAULT_PARTITIONS).unwrap();
        Self { leases, producer }
    }

    /// Takes over from whoever held it last, and returns the note that is left.
    pub(crate) fn take_over(&mut self) -> LeaseNote {
        wait_for("the lease is taken over", || {
            drop(self.leases.next(WAIT).unwrap());
            self.producer.take_over(&self.leases).unwrap()
        })
    }

    /// Writes records and the note after them, once.
    pub(crate) fn write(&mut self, records: &[TickOutput], note: &LeaseNote) -> Result<(), Error> {
        while self.producer.write(&self.leases, records, note)? != Written::Yes {
            if self.take_over() == *note {
                break;
            }
        }
        Ok(())
    }
}
