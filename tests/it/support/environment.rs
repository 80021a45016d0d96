//! An environment of a test's own in a Kafka: the address, and the prefix that its topics, groups and transactional ids have there.
//!
//! Whoever talks to Kafka beside the program takes addresses and names from here, so that tests which share a Kafka never meet.

use arb_kafka::{Cluster, ClusterOptions};
use rdkafka::config::ClientConfig;

/// Where a test's topics are.
#[derive(Debug, Clone)]
pub(crate) struct Environment {
    pub(crate) brokers: String,
    prefix: String,
    at: String,
    named: String,
}

impl Environment {
    /// At an address, with a prefix, which may be empty.
    pub(crate) fn new(brokers: String, prefix: &str) -> Self {
        let (at, named) = (format!("--brokers={brokers}"), format!("--topic-prefix={prefix}"));
        Self { brokers, prefix: prefix.to_owned(), at, named }
    }

    /// The argument of a role that says where Kafka is.
    pub(crate) fn at(&self) -> &str {
        &self.at
    }

    /// The argument of a role that gives the prefix.
    pub(crate) fn named(&self) -> &str {
        &self.named
    }

    /// The prefix alone.
    pub(crate) fn prefix(&self) -> &str {
        &self.prefix
    }

    /// As the program's clients know it.
    pub(crate) fn cluster(&self) -> Cluster {
        let (brokers, prefix) = (self.brokers.clone(), self.prefix.clone());
        Cluster::new(ClusterOptions { brokers, prefix, ..ClusterOptions::default() }).unwrap()
    }

    /// Settings of a client that shares nothing with the program's.
    pub(crate) fn client(&self) -> ClientConfig {
        let mut config = ClientConfig::new();
        config.set("bootstrap.servers", &self.brokers);
        config
    }

    /// What a topic, a group or a transactional id is called there.
    pub(crate) fn name(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }
}
