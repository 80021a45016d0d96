//! A topic's id: 16 bytes that the controller draws when it creates the topic, so that a topic of the same name that
//! was deleted and created again has another.
//!
//! Nothing else distinguishes the two: offsets begin again at 0, and the cluster's id stays. It never does
//! more than describe topics.
//!
//! Source: KIP-516.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arb_kafka_native::DescribeError;
use arb_schemas::topics::Topic;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::error::RDKafkaErrorCode;

use crate::client::{Listener, settings};
use crate::cluster::Cluster;
use crate::error::Error;

/// How long the brokers may take.
const TIMEOUT: Duration = Duration::from_secs(15);

/// The id of a topic.
///
/// # Errors
/// [`Error::Topic`] when no broker answers, or when the topic does not exist.
pub fn topic_id(cluster: &Cluster, topic: &Topic) -> Result<[u8; 16], Error> {
    describe(cluster, &connect(cluster)?, topic)
}

/// A client that only describes: it has no group, and is polled before each request alone.
fn connect(cluster: &Cluster) -> Result<BaseConsumer<Listener>, Error> {
    cluster.consumer(&settings::client(cluster), Listener::of_question(cluster))
}

fn describe(cluster: &Cluster, client: &BaseConsumer<Listener>, topic: &Topic) -> Result<[u8; 16], Error> {
    let (begun, name) = (Instant::now(), cluster.topic(topic.name));
    serve(client);
    let id = if is_answered(client, name) {
        arb_kafka_native::topic_id(client.client(), name, TIMEOUT)
    } else {
        Err(DescribeError::TimedOut)
    };
    id.map_err(|error| {
        serve(client);
        match (error, cluster.problem_since(begun)) {
            (DescribeError::TimedOut, Some(problem)) => cluster.connect(problem.sentence),
            (error, _) => Error::Topic { topic: name.to_owned(), problem: problem(error) },
        }
    })
}

/// Whether a broker answers; asked before the request itself, because while one that is away is waited for by that,
/// librdkafka connects again at once, some thousand times a second.
fn is_answered(client: &BaseConsumer<Listener>, topic: &str) -> bool {
    client.client().fetch_metadata(Some(topic), TIMEOUT).is_ok()
}

fn problem(error: DescribeError) -> String {
    match error {
        DescribeError::Code(RDKafkaErrorCode::UnknownTopicOrPartition) => "does not exist".to_owned(),
        error => format!("its id cannot be had: {error}"),
    }
}

/// Takes what the client reports, such as that its token must be renewed.
fn serve(client: &BaseConsumer<Listener>) {
    while client.poll(Duration::ZERO).is_some() {}
}

/// Topics with the ids that they had at one moment, to be compared with those that they have later.
#[derive(Clone)]
pub struct TopicIds {
    cluster: Cluster,
    client: Arc<BaseConsumer<Listener>>,
    topics: Vec<(Topic, [u8; 16])>,
}

impl fmt::Debug for TopicIds {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("TopicIds").field("topics", &self.topics).finish_non_exhaustive()
    }
}

impl TopicIds {
    /// As they are now.
    ///
    /// # Errors
    /// As [`topic_id`].
    pub(crate) fn now(cluster: &Cluster, topics: &[Topic]) -> Result<Self, Error> {
        let client = connect(cluster)?;
        let ids = topics.iter().map(|topic| Ok((*topic, describe(cluster, &client, topic)?)));
        let topics = ids.collect::<Result<_, Error>>()?;
        Ok(Self { cluster: cluster.clone(), client: Arc::new(client), topics })
    }

    /// A topic, by its place in the list, and its id as it was.
    pub(crate) fn get(&self, place: usize) -> Option<(Topic, [u8; 16])> {
        self.topics.get(place).copied()
    }

    /// What a topic is called in Kafka, by its place in the list; empty for no place.
    pub(crate) fn name(&self, place: usize) -> &'static str {
        self.topics.get(place).map_or("", |(topic, _)| self.cluster.topic(topic.name))
    }

    /// The place of the topic that is called so in Kafka.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        (0..self.topics.len()).find(|place| self.name(*place) == name)
    }

    /// The first topic whose id has changed: a request for each. A topic that is deleted, or that no broker
    /// describes, has no other id.
    #[must_use]
    pub fn recreated(&self) -> Option<&'static str> {
        let is_other = |(topic, id): &&(Topic, [u8; 16])| {
            describe(&self.cluster, &self.client, topic).is_ok_and(|now| now != *id)
        };
        self.topics.iter().find(is_other).map(|(topic, _)| topic.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_topic_that_does_not_exist_is_told_from_other_failures() {
        let code = |code| problem(DescribeError::Code(code));
        assert_eq!(code(RDKafkaErrorCode::UnknownTopicOrPartition), "does not exist");
        assert!(code(RDKafkaErrorCode::TopicAuthorizationFailed).starts_with("its id cannot be had: "));
        assert!(problem(DescribeError::TimedOut).ends_with("did not answer in time"));
    }
}
