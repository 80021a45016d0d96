//! What an administrator does to the topics of a test's environment: creates, deletes, cuts.
//!
//! It never reads or writes a record.

use arb_kafka::topic_id;
use arb_schemas::topics::Topic;
use rdkafka::admin::{AdminClient, AdminOptions, NewTopic, TopicReplication};
use rdkafka::client::DefaultClientContext;
use rdkafka::metadata::MetadataTopic;
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};

use super::environment::Environment;
use super::wait::{PATIENCE, wait_for};

/// An administrator.
fn admin(kafka: &Environment) -> AdminClient<DefaultClientContext> {
    kafka.client().create().unwrap()
}

/// Runs something of the administrator.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

/// Removes the records of a partition that are before an offset, as retention would.
pub(crate) fn delete_before(kafka: &Environment, topic: &str, partition: i32, offset: Offset) {
    let mut before = TopicPartitionList::new();
    before.add_partition_offset(&kafka.name(topic), partition, offset).unwrap();
    block_on(admin(kafka).delete_records(&before, &AdminOptions::new())).unwrap();
}

/// Creates topics; the names are those in Kafka.
pub(crate) fn create(kafka: &Environment, names: &[String]) {
    let new: Vec<_> = names.iter().map(|name| NewTopic::new(name, 1, TopicReplication::Fixed(1))).collect();
    let created = block_on(admin(kafka).create_topics(&new, &AdminOptions::new())).unwrap();
    for topic in created {
        topic.unwrap();
    }
}

/// Deletes the topics of an environment, as far as that can be done now.
pub(crate) fn remove_topics(kafka: &Environment) {
    let admin = admin(kafka);
    let Ok(metadata) = admin.inner().fetch_metadata(None, PATIENCE) else { return };
    let names = metadata.topics().iter().map(MetadataTopic::name);
    let names: Vec<_> = names.filter(|name| name.starts_with(kafka.prefix())).collect();
    if !names.is_empty() {
        let _ = block_on(admin.delete_topics(&names, &AdminOptions::new()));
    }
}

/// Deletes a consumer group that has no members.
pub(crate) fn remove_group(kafka: &Environment, group: &str) {
    let name = kafka.name(group);
    wait_for("the group is deleted", || {
        block_on(admin(kafka).delete_groups(&[&name], &AdminOptions::new())).unwrap().remove(0).ok()
    });
}

/// Deletes a topic and creates one of the same name, which clients see when this returns.
pub(crate) fn recreate(kafka: &Environment, topic: &Topic) {
    let (admin, options, cluster) = (admin(kafka), AdminOptions::new(), kafka.cluster());
    let (old, name) = (topic_id(&cluster, topic).unwrap(), &*kafka.name(topic.name));
    block_on(admin.delete_topics(&[name], &options)).unwrap().remove(0).unwrap();
    wait_for("the topic is made again", || {
        let new = NewTopic::new(name, topic.partitions, TopicReplication::Fixed(1));
        block_on(admin.create_topics(&[new], &options)).unwrap().remove(0).ok()
    });
    // The controller has decided it; the broker tells its clients a moment later.
    wait_for("the broker knows the new one", || {
        topic_id(&cluster, topic).is_ok_and(|new| new != old).then_some(())
    });
}
