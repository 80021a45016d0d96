//! A producer without transactions under the pump's port, to measure what exactly-once costs.
//!
//! No role uses it: what an abort leaves behind stays visible, and a crash between the records and the offsets writes
//! records twice. It never claims otherwise.

use std::collections::BTreeMap;
use std::time::Duration;

use arb_kafka::InputConsumer;
use arb_runtime::log::{Adoption, Committed, LogError, Output, Producer, Renewal, Transaction};
use rdkafka::producer::BaseProducer;

use super::client::{enqueue, flush, producer, record};

/// How long all that was sent may take to be acknowledged.
const FLUSH: Duration = Duration::from_secs(30);

/// An idempotent producer of the processor's topics.
pub(super) struct AtLeastOnceProducer(BaseProducer);

impl AtLeastOnceProducer {
    /// Connects.
    pub(super) fn new(brokers: &str) -> anyhow::Result<Self> {
        Ok(Self(producer(brokers).create()?))
    }
}

/// The end of the measurement: nothing here is tried again.
fn fatal(error: impl std::error::Error + Send + Sync + 'static) -> LogError {
    LogError::Fatal(Box::new(error))
}

impl Producer for AtLeastOnceProducer {
    type Input = InputConsumer;
    type Transaction<'a> = Unguarded<'a>;

    fn adopt(&mut self, _: &[i32], _: &mut InputConsumer) -> Result<Adoption, LogError> {
        Ok(Adoption::Done)
    }

    fn release(&mut self, _: &[i32]) {}

    fn begin(&mut self) -> Result<Unguarded<'_>, LogError> {
        Ok(Unguarded(&self.0))
    }

    fn renew(&mut self, _: &mut InputConsumer) -> Result<Renewal, LogError> {
        Ok(Renewal::Done)
    }
}

/// The flush that takes the place of a commit.
pub(super) struct Unguarded<'a>(&'a BaseProducer);

impl Transaction for Unguarded<'_> {
    type Input = InputConsumer;

    fn send(&mut self, output: Output) -> Result<(), LogError> {
        enqueue(self.0, record(&output)).map_err(fatal)
    }

    fn commit(self, input: &mut InputConsumer, next: &BTreeMap<i32, i64>) -> Result<Committed, LogError> {
        flush(self.0, FLUSH).map_err(fatal)?;
        input.commit(next).map_err(fatal)?;
        Ok(Committed::Yes)
    }

    fn abort(self) -> Result<(), LogError> {
        flush(self.0, FLUSH).map_err(fatal)
    }
}
