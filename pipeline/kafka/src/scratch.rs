//! The catalogue's topics on a broker that has none of them: made for a measurement, emptied, and taken away again.
//!
//! It is the only place that deletes topics, and never deletes one that it has not made: where any of them is there
//! already it refuses to begin.

use std::time::{Duration, Instant};

use arb_schemas::topics;
use rdkafka::admin::{AdminClient, AdminOptions};
use rdkafka::consumer::Consumer;
use rdkafka::types::RDKafkaErrorCode;

use super::cluster::Cluster;
use super::{Error, Listener, partitions, provision};

const TIMEOUT: Duration = Duration::from_secs(15);
/// How often to look whether the topics are there.
const LOOK: Duration = Duration::from_millis(20);

/// Topics that belong to whoever measures.
pub struct Scratch {
    cluster: Cluster,
    admin: AdminClient<Listener>,
}

impl Scratch {
    /// Makes the topics.
    ///
    /// # Errors
    /// [`Error::Topic`] where one of them is there already.
    pub async fn make(cluster: &Cluster) -> Result<Self, Error> {
        let config = super::client(cluster);
        let consumer = cluster.consumer(&config, Listener::new(cluster))?;
        let metadata = consumer.fetch_metadata(None, TIMEOUT).map_err(|source| cluster.broker(source))?;
        let taken = metadata.topics().iter().find(|found| topics::ALL.iter().any(|t| t.name == found.name()));
        if let Some(taken) = taken {
            let (topic, problem) = (taken.name().to_owned(), "is there already".to_owned());
            return Err(Error::Topic { topic, problem });
        }
        let admin = cluster.admin(&config, Listener::new(cluster))?;
        let scratch = Self { cluster: cluster.clone(), admin };
        scratch.create().await?;
        Ok(scratch)
    }

    /// Empties topics; the committed offsets of a topic go with it.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn empty(&self, names: &[&str]) -> Result<(), Error> {
        self.delete(names).await?;
        self.create().await
    }

    /// Takes all of them away.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn remove(self) -> Result<(), Error> {
        self.delete(&topics::ALL.map(|topic| topic.name)).await
    }

    async fn delete(&self, names: &[&str]) -> Result<(), Error> {
        let options = AdminOptions::new().operation_timeout(Some(TIMEOUT));
        for result in self.admin.delete_topics(names, &options).await? {
            match result {
                Ok(_) | Err((_, RDKafkaErrorCode::UnknownTopicOrPartition)) => {}
                Err((topic, code)) => return Err(Error::Topic { topic, problem: code.to_string() }),
            }
        }
        Ok(())
    }

    /// Makes what is missing, and waits until brokers tell of it.
    async fn create(&self) -> Result<(), Error> {
        provision(&self.cluster, None).await?;
        let deadline = Instant::now() + TIMEOUT;
        loop {
            match partitions(&self.cluster) {
                Err(Error::Topic { .. }) if Instant::now() < deadline => std::thread::sleep(LOOK),
                found => return found.map(drop),
            }
        }
    }
}
