//! The catalogue's topics on a broker that has none of them: made for a measurement, emptied, and taken away again.
//!
//! It is the only place that deletes topics, and never deletes one that it did not create: if any of them
//! exists already it refuses to begin.

use std::time::{Duration, Instant};

use anyhow::bail;
use arb_kafka::{Cluster, provision};
use arb_schemas::topics;
use rdkafka::admin::{AdminClient, AdminOptions};
use rdkafka::client::DefaultClientContext;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::types::RDKafkaErrorCode;

use super::client::settings;

const TIMEOUT: Duration = Duration::from_mins(1);
/// How often to look which topics are there.
const POLL: Duration = Duration::from_millis(20);

/// Topics that belong to the measurement.
pub(super) struct Scratch {
    cluster: Cluster,
    admin: AdminClient<DefaultClientContext>,
}

impl Scratch {
    /// Makes the topics.
    ///
    /// It refuses where one of them is there already.
    pub(super) async fn make(cluster: &Cluster) -> anyhow::Result<Self> {
        let scratch = Self { cluster: cluster.clone(), admin: settings(cluster.brokers()).create()? };
        if let Some(taken) = scratch.find(&topics::ALL.map(|topic| topic.name))? {
            bail!("the topic {taken} is there already");
        }
        provision(cluster, None).await?;
        Ok(scratch)
    }

    /// Empties topics; the committed offsets of a topic go with it.
    pub(super) async fn empty(&self, names: &[&str]) -> anyhow::Result<()> {
        self.delete(names).await?;
        provision(&self.cluster, None).await?;
        Ok(())
    }

    /// Takes all of them away.
    pub(super) async fn remove(self) -> anyhow::Result<()> {
        self.delete(&topics::ALL.map(|topic| topic.name)).await
    }

    /// The first of some topics that the broker reports.
    fn find(&self, names: &[&str]) -> anyhow::Result<Option<String>> {
        let consumer: BaseConsumer = settings(self.cluster.brokers()).create()?;
        let metadata = consumer.fetch_metadata(None, TIMEOUT)?;
        let found = metadata.topics().iter().find(|found| names.contains(&found.name()));
        Ok(found.map(|found| found.name().to_owned()))
    }

    /// Deletes topics, and waits until the broker does not report them any more: the controller has decided it before, and whoever asks the
    /// broker meanwhile takes the old topic for the new one.
    async fn delete(&self, names: &[&str]) -> anyhow::Result<()> {
        let options = AdminOptions::new().operation_timeout(Some(TIMEOUT));
        for result in self.admin.delete_topics(names, &options).await? {
            match result {
                Ok(_) | Err((_, RDKafkaErrorCode::UnknownTopicOrPartition)) => {}
                Err((topic, code)) => bail!("the topic {topic} is not deleted: {code}"),
            }
        }
        let deadline = Instant::now() + TIMEOUT;
        while let Some(left) = self.find(names)? {
            if Instant::now() > deadline {
                bail!("the broker still reports the topic {left}");
            }
            std::thread::sleep(POLL);
        }
        Ok(())
    }
}
