//! Finds partitions that a consumer has stopped to fetch though there is more to read, and assigns them again where it is.
//!
//! librdkafka has had several bugs by which a partition is no longer fetched after its broker was away (for
//! example its issues 4492 and 4680: an offset that waits for validation for ever). The consumer and its
//! other partitions continue, and nothing is reported. A new assignment of that partition ends it.
//!
//! It compares the position of a partition with its end, from time to time, when there is nothing else to do.
//! A position counts transaction markers only with the end of the partition that librdkafka last reported in
//! its statistics; without them nothing is compared. It never moves a position, and never acts while the
//! broker does not answer.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use rdkafka::consumer::{BaseConsumer, Consumer, ConsumerContext};
use rdkafka::error::KafkaError;
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};

use arb_runtime::telemetry;

use crate::client::{Fetch, Place, Watched};

use super::leaders;
use super::unmoved::{STALLED, Unmoved};

/// How often partitions are compared.
const POLL: Duration = Duration::from_secs(5);
/// One question to the broker.
const TIMEOUT: Duration = Duration::from_secs(1);

/// Watches one consumer.
pub(crate) struct StallWatch {
    /// How often it looks.
    every: Duration,
    looked: Instant,
    unmoved: Unmoved,
    /// The start offsets of partitions from which no record has come since.
    set: BTreeMap<Place, Offset>,
    paused: BTreeSet<Place>,
}

/// How far a partition has been read.
struct Progress {
    /// The offset up to which everything has come, markers too; negative before anything has.
    at: i64,
    /// The offset at which a new assignment continues.
    resume: Offset,
    /// librdkafka's state of the fetch, for the log.
    state: String,
}

impl StallWatch {
    pub(crate) fn new() -> Self {
        Self::with(POLL, STALLED)
    }

    fn with(every: Duration, limit: Duration) -> Self {
        let (set, paused) = <(BTreeMap<_, _>, BTreeSet<_>)>::default();
        Self { every, looked: Instant::now(), unmoved: Unmoved::new(limit), set, paused }
    }

    /// Notes that partitions are read from here on.
    pub(crate) fn set(&mut self, list: &TopicPartitionList) {
        for element in list.elements() {
            let place = (element.topic().to_owned(), element.partition());
            self.unmoved.remove(&place);
            self.set.insert(place, element.offset());
        }
    }

    /// Notes that partitions are read no more for now, or again.
    pub(crate) fn pause(&mut self, list: &TopicPartitionList, is_paused: bool) {
        for element in list.elements() {
            let place = (element.topic().to_owned(), element.partition());
            if is_paused {
                self.paused.insert(place);
            } else {
                self.paused.remove(&place);
            }
        }
    }

    /// Compares, if it is time for it, and assigns again what stalls; which partitions, and from where. `between` is called after one was
    /// taken away. To be called when a poll brought nothing.
    pub(crate) fn tend<C: Watched>(
        &mut self,
        consumer: &BaseConsumer<C>,
        between: impl FnMut(&str, i32),
    ) -> Vec<(i32, Offset)> {
        let (now, mut assigned) = (Instant::now(), Vec::new());
        if now.duration_since(self.looked) < self.every {
            return assigned;
        }
        self.looked = now;
        if let Err(error) = self.inspect(now, consumer, between, &mut assigned) {
            tracing::debug!(%error, "whether partitions are fetched is not known");
            self.unmoved.forget_all();
        }
        assigned
    }

    fn inspect<C: Watched>(
        &mut self,
        now: Instant,
        consumer: &BaseConsumer<C>,
        mut between: impl FnMut(&str, i32),
        assigned: &mut Vec<(i32, Offset)>,
    ) -> Result<(), KafkaError> {
        let read = self.read(consumer)?;
        let unmoved = self.unmoved.note(now, read.iter().map(|(place, read)| (place, read.at)));
        if unmoved.is_empty() {
            return Ok(());
        }
        let places: Vec<_> = unmoved.iter().map(|(topic, partition)| (topic.as_str(), *partition)).collect();
        let ends = leaders::at(consumer, &places, Offset::End, TIMEOUT)?;
        for (place, end) in unmoved.iter().zip(ends) {
            let (Some(Progress { at, resume, state }), (topic, partition)) = (read.get(place), place) else {
                continue;
            };
            if self.unmoved.is_stalled(place, now, end > *at) {
                telemetry::kafka::stall(topic, *partition, [*at, end], state);
                let mut list = TopicPartitionList::new();
                list.add_partition_offset(topic, *partition, *resume)?;
                assign_again(consumer, &list, &mut between)?;
                self.set(&list);
                assigned.push((*partition, *resume));
            }
        }
        Ok(())
    }

    /// How far each partition of this watch has been read that is to be, as far as that is known.
    fn read<C: Watched>(&self, consumer: &BaseConsumer<C>) -> Result<BTreeMap<Place, Progress>, KafkaError> {
        let mut progress = BTreeMap::new();
        for element in consumer.position()?.elements() {
            let place = (element.topic().to_owned(), element.partition());
            if !self.set.contains_key(&place) {
                continue;
            }
            let Some(Fetch { end, state }) = consumer.context().fetches().get(&place) else { continue };
            // It has no position before its first record.
            let resume = match element.offset() {
                Offset::Offset(next) => Some(Offset::Offset(next)),
                _ => self.set.get(&place).copied(),
            };
            let Some(resume) = resume.filter(|_| !self.paused.contains(&place)) else { continue };
            let at = resume.to_raw().unwrap_or(-1).max(end);
            progress.insert(place, Progress { at, resume, state });
        }
        Ok(progress)
    }
}

/// Takes partitions away and assigns them again.
pub(crate) fn assign_again<C: ConsumerContext>(
    consumer: &BaseConsumer<C>,
    list: &TopicPartitionList,
    mut between: impl FnMut(&str, i32),
) -> Result<(), KafkaError> {
    consumer.incremental_unassign(list)?;
    list.elements().iter().for_each(|element| between(element.topic(), element.partition()));
    consumer.incremental_assign(list)
}

#[cfg(test)]
mod tests {
    use rdkafka::mocking::MockCluster;
    use rdkafka::producer::{BaseProducer, BaseRecord, Producer};
    use rdkafka::statistics::Statistics;
    use rdkafka::{ClientConfig, ClientContext, Message};

    use super::*;
    use crate::client::{Fetches, WATCHED};

    /// The context of the consumer of these tests.
    #[derive(Default)]
    struct Seen(Fetches);

    impl ClientContext for Seen {
        fn stats(&self, statistics: Statistics) {
            self.0.note(&statistics);
        }
    }

    impl ConsumerContext for Seen {}

    impl Watched for Seen {
        fn fetches(&self) -> &Fetches {
            &self.0
        }
    }

    const TOPIC: &str = "watched";

    fn write(brokers: &str, values: std::ops::Range<u8>) {
        let config = ClientConfig::new().set("bootstrap.servers", brokers).clone();
        let producer: BaseProducer = config.create().unwrap();
        for value in values {
            producer.send(BaseRecord::<(), _>::to(TOPIC).partition(0).payload(&[value])).ok().unwrap();
        }
        while producer.in_flight_count() > 0 {
            producer.poll(Duration::from_millis(10));
        }
    }

    fn reader(brokers: &str) -> (BaseConsumer<Seen>, StallWatch) {
        let mut config = ClientConfig::new();
        config.set("bootstrap.servers", brokers).set("group.id", "reader").set("enable.auto.commit", "false");
        config.set("enable.partition.eof", "true").set(WATCHED.0, "50");
        let consumer: BaseConsumer<Seen> = config.create_with_context(Seen::default()).unwrap();
        let mut watch = StallWatch::with(Duration::from_millis(50), Duration::from_millis(500));
        let mut list = TopicPartitionList::new();
        list.add_partition_offset(TOPIC, 0, Offset::Offset(0)).unwrap();
        consumer.assign(&list).unwrap();
        watch.set(&list);
        (consumer, watch)
    }

    /// Polls, and tends whenever there is nothing, until that is so; what came, by offset.
    fn poll_until(
        consumer: &BaseConsumer<Seen>,
        watch: &mut StallWatch,
        is_so: impl Fn(&StallWatch, &[i64]) -> bool,
    ) -> Vec<i64> {
        let (begun, mut come) = (Instant::now(), Vec::new());
        while !is_so(watch, &come) {
            assert!(begun.elapsed() < Duration::from_mins(3), "{come:?}");
            match consumer.poll(Duration::from_millis(10)) {
                Some(Ok(message)) => come.push(message.offset()),
                Some(Err(_)) => {}
                None => drop(watch.tend(consumer, |_, _| {})),
            }
        }
        come
    }

    /// A consumer that is paused without the watch's knowledge simulates one that librdkafka no longer
    /// fetches.
    #[test]
    fn a_partition_that_is_fetched_no_more_is_assigned_again_where_it_is() {
        let cluster = MockCluster::new(1).unwrap();
        cluster.create_topic(TOPIC, 1, 1).unwrap();
        let brokers = cluster.bootstrap_servers();
        write(&brokers, 0..3);
        let (consumer, mut watch) = reader(&brokers);
        assert_eq!(poll_until(&consumer, &mut watch, |_, come| come.len() == 3), [0, 1, 2]);
        let place = (TOPIC.to_owned(), 0);
        let again = Offset::Offset(3);
        // It is at the end and stays there: nothing is wrong.
        let begun = Instant::now();
        poll_until(&consumer, &mut watch, |_, _| begun.elapsed() > Duration::from_secs(2));
        assert_eq!(watch.set[&place], Offset::Offset(0));
        consumer.pause(&consumer.assignment().unwrap()).unwrap();
        write(&brokers, 3..5);
        let come = poll_until(&consumer, &mut watch, |watch, _| watch.set[&place] == again);
        assert!(come.is_empty(), "{come:?}");
        consumer.resume(&consumer.assignment().unwrap()).unwrap();
        assert_eq!(poll_until(&consumer, &mut watch, |_, come| come.len() == 2), [3, 4]);
        // A partition that its owner has paused is not reassigned.
        let assigned = consumer.assignment().unwrap();
        consumer.pause(&assigned).unwrap();
        watch.pause(&assigned, true);
        write(&brokers, 5..6);
        let begun = Instant::now();
        poll_until(&consumer, &mut watch, |_, _| begun.elapsed() > Duration::from_secs(2));
        assert_eq!(watch.set[&place], again);
    }
}
