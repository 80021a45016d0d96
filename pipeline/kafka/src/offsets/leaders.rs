//! Questions to the leaders of partitions: where a partition begins and ends, and where a moment is in it.
//!
//! librdkafka finds a leader in the metadata that it has. Of a partition without an assigned reader it fetches none by itself for
//! five minutes, so whoever asks while a broker starts, when no partition has a leader yet, is told for five minutes that there
//! is none (`rd_kafka_topic_partition_list_get_leaders` of 2.12). Here such an answer fetches metadata, and the question is asked
//! once more. It never waits for a leader: that is the caller's.

use std::collections::BTreeSet;
use std::time::Duration;

use rdkafka::consumer::{BaseConsumer, Consumer, ConsumerContext};
use rdkafka::error::{KafkaError, KafkaResult};
use rdkafka::topic_partition_list::{Offset, TopicPartitionList, TopicPartitionListElem};
use rdkafka::types::RDKafkaErrorCode as Code;

/// How long a partition may be without a leader: a broker that is busy, or starts, is slow, not wrong.
pub(crate) const LED: Duration = Duration::from_mins(1);

/// The offset that each of these partitions has at its beginning or its end, in their order, by one request a broker.
///
/// # Errors
/// Of the client: no broker answers within the time, or a partition has no leader, or another error.
pub(super) fn at<C: ConsumerContext>(
    consumer: &BaseConsumer<C>,
    places: &[(&str, i32)],
    at: Offset,
    within: Duration,
) -> KafkaResult<Vec<i64>> {
    let mut asked = TopicPartitionList::new();
    for (topic, partition) in places {
        asked.add_partition_offset(topic, *partition, at)?;
    }
    let answer = offsets(consumer, &asked, within)?;
    let offset =
        |(topic, partition): &(&str, i32)| answer.find_partition(topic, *partition)?.offset().to_raw();
    places.iter().map(|place| offset(place).ok_or(KafkaError::Canceled)).collect()
}

/// The offsets of moments, in milliseconds, or of ends, for each partition of a list.
///
/// # Errors
/// As above, and where one of the partitions has an error.
pub(super) fn offsets<C: ConsumerContext>(
    consumer: &BaseConsumer<C>,
    of: &TopicPartitionList,
    within: Duration,
) -> KafkaResult<TopicPartitionList> {
    let ask = || {
        let answer = consumer.offsets_for_times(of.clone(), within)?;
        answer.elements().iter().try_for_each(TopicPartitionListElem::error)?;
        Ok(answer)
    };
    match ask() {
        Err(error) if is_without_leader(&error) => {
            let elements = of.elements();
            let topics: BTreeSet<_> = elements.iter().map(TopicPartitionListElem::topic).collect();
            for topic in topics {
                consumer.fetch_metadata(Some(topic), within)?;
            }
            ask()
        }
        answer => answer,
    }
}

/// Whether an error ends when the partition has a leader that this client knows.
pub(crate) fn is_without_leader(error: &KafkaError) -> bool {
    let without = [
        Code::NotLeaderForPartition,
        Code::LeaderNotAvailable,
        Code::UnknownTopicOrPartition,
        Code::UnknownPartition,
        Code::OffsetNotAvailable,
        // The broker was started again, and this client asked in the epoch before.
        Code::FencedLeaderEpoch,
        Code::UnknownLeaderEpoch,
    ];
    error.rdkafka_error_code().is_some_and(|code| without.contains(&code))
}

#[cfg(test)]
mod tests {
    use rdkafka::ClientConfig;
    use rdkafka::mocking::MockCluster;
    use rdkafka::types::{RDKafkaApiKey, RDKafkaRespErr};

    use super::*;

    const TOPIC: &str = "odds";
    const WITHIN: Duration = Duration::from_secs(10);

    /// What a question says while no partition has a leader, and what it says when they have one again.
    fn without_and_with_leaders<T>(ask: impl Fn(&BaseConsumer) -> KafkaResult<T>) -> [KafkaResult<T>; 2] {
        let cluster = MockCluster::new(1).unwrap();
        cluster.create_topic(TOPIC, 2, 1).unwrap();
        let mut config = ClientConfig::new();
        let consumer: BaseConsumer =
            config.set("bootstrap.servers", cluster.bootstrap_servers()).create().unwrap();
        let lead = |leader| (0..2).for_each(|at| cluster.partition_leader(TOPIC, at, leader).unwrap());
        lead(None);
        let without = ask(&consumer);
        lead(Some(1));
        [without, ask(&consumer)]
    }

    #[test]
    fn a_leader_that_came_after_the_first_question_is_found_by_the_next_one() {
        let mut asked = TopicPartitionList::new();
        for partition in 0..2 {
            asked.add_partition_offset(TOPIC, partition, Offset::End).unwrap();
        }
        let [without, with] = without_and_with_leaders(|consumer| offsets(consumer, &asked, WITHIN));
        assert!(is_without_leader(&without.unwrap_err()));
        assert_eq!(with.unwrap().count(), 2);
    }

    #[test]
    fn a_question_in_the_epoch_of_a_leader_that_was_started_again_is_asked_again() {
        let cluster = MockCluster::new(1).unwrap();
        cluster.create_topic(TOPIC, 1, 1).unwrap();
        let mut config = ClientConfig::new();
        let consumer: BaseConsumer =
            config.set("bootstrap.servers", cluster.bootstrap_servers()).create().unwrap();
        cluster.request_errors(
            RDKafkaApiKey::ListOffsets,
            &[RDKafkaRespErr::RD_KAFKA_RESP_ERR_FENCED_LEADER_EPOCH],
        );
        assert_eq!(at(&consumer, &[(TOPIC, 0)], Offset::End, WITHIN), Ok(vec![0]));
    }
}
