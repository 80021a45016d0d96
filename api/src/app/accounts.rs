//! The accounts of an instance: what reads them, and what sends commands and charges to their machine. It never decides about one.

use arb_kafka::{self as kafka, CommandProducer, EndProbe, Table};
use arb_runtime::stop::Stop;

use super::App;
use crate::access::follow::{self as accounts, ReplicaError};
use crate::access::replica::Change;
use crate::access::{commands, settle};
use crate::stream::Streams;

impl App {
    /// Reads the accounts topic until the shutdown signal. The streams of a key end as soon as it is not valid any more.
    ///
    /// # Errors
    /// [`ReplicaError`].
    pub fn follow_accounts(&self, table: Table, stop: &Stop) -> Result<(), ReplicaError> {
        accounts::read(table, self.authority.replica(), stop, |change| match change {
            Change::Keys => self.each_stream(Streams::keys_have_changed),
            Change::Usage => self.usage.wake(),
            Change::Other => {}
        })
    }

    /// Asks where the accounts topic ends until the shutdown signal.
    ///
    /// # Errors
    /// [`ReplicaError`].
    pub fn watch_accounts(&self, probe: EndProbe, stop: &Stop) -> Result<(), ReplicaError> {
        accounts::watch_end(probe, self.authority.replica(), stop)
    }

    /// Sends commands to the accounts machine until the shutdown signal.
    ///
    /// # Errors
    /// [`kafka::Error`].
    pub fn send_commands(&self, producer: &CommandProducer, stop: &Stop) -> Result<(), kafka::Error> {
        self.commands.queued().map_or(Ok(()), |queued| commands::send_all(&queued, producer, stop))
    }

    /// Asks for leases of quotas and reports charges until the shutdown signal.
    ///
    /// # Errors
    /// [`kafka::Error`].
    pub fn settle_usage(&self, producer: &CommandProducer, stop: &Stop) -> Result<(), kafka::Error> {
        settle::run(&self.usage, producer, stop)
    }

    /// Reports all charges and gives all leases back, once nothing more is answered.
    ///
    /// # Errors
    /// [`kafka::Error`].
    pub fn return_leases(&self, producer: &CommandProducer) -> Result<(), kafka::Error> {
        settle::finish(&self.usage, producer)
    }
}
