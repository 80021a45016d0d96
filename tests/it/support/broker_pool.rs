//! Brokers that one test leaves as a new one is serve another one.
//!
//! Half of the processor's time of the suite was that of some hundred brokers, most of which lived for seconds. A broker that was neither killed nor frozen, and
//! that has no open transaction and soon no group with members, is emptied: topics and groups are deleted. It must never be one on
//! which something is left that a test could see, but for the names of transactions, whose epochs only grow. The last test that has
//! a broker ends all of them.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rdkafka::admin::{AdminClient, AdminOptions};
use rdkafka::client::DefaultClientContext;
use rdkafka::config::ClientConfig;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::error::KafkaResult;
use rdkafka::groups::{GroupInfo, GroupList};
use rdkafka::metadata::{Metadata, MetadataTopic};
use tempfile::TempDir;

use super::feed::block_on;
use super::program::Role;

/// How long a broker that is all right takes for a request, at most.
const ANSWER: Duration = Duration::from_secs(10);
/// Between two questions.
const AGAIN: Duration = Duration::from_millis(50);
/// Within which Kafka expels members that were killed, with room to spare: to wait is cheaper than to start a broker.
const EXPELLED: Duration = Duration::from_secs(10);
/// Kafka's own topics: positions, transactions, share groups.
const OWN: &str = "__";

/// A broker's process and what it stores.
pub(crate) struct Server {
    // Ends before its files are removed.
    pub(crate) kafka: Role,
    pub(crate) port: u16,
    pub(crate) data: TempDir,
}

impl Server {
    /// Its address.
    pub(crate) fn brokers(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }
}

struct Pool {
    idle: Vec<Server>,
    /// Brokers that tests have.
    taken: usize,
}

static POOL: Mutex<Pool> = Mutex::new(Pool { idle: Vec::new(), taken: 0 });

fn pool() -> MutexGuard<'static, Pool> {
    POOL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A broker without topics, where one is idle. Each call is followed by one of [`give_back`].
pub(crate) fn take() -> Option<Server> {
    let mut pool = pool();
    pool.taken += 1;
    pool.idle.pop()
}

/// Takes back a broker that was taken, or that was started because none was idle; `is_clean` where it was neither killed nor
/// frozen, and no test failed on it.
pub(crate) fn give_back(server: Server, is_clean: bool) {
    // While no other test has a broker none will be needed.
    let kept = if is_clean && pool().taken > 1 { emptied(server) } else { Err(server) };
    let mut pool = pool();
    pool.taken -= 1;
    match kept {
        Ok(server) => pool.idle.push(server),
        Err(server) => end(server),
    }
    if pool.taken == 0 {
        pool.idle.drain(..).for_each(end);
    }
}

/// Nothing of it is kept, so it is killed: a frozen one could not end, and one in good order takes seconds.
fn end(mut server: Server) {
    if !server.kafka.died() {
        super::stack::signal(&server.kafka, rustix::process::Signal::KILL);
    }
}

/// The broker without topics and groups; as it is, where that cannot be done.
fn emptied(mut server: Server) -> Result<Server, Server> {
    let is_empty = !server.kafka.died() && empty(&server.brokers()).unwrap_or(false);
    if is_empty { Ok(server) } else { Err(server) }
}

fn empty(brokers: &str) -> KafkaResult<bool> {
    let client = |level: &str| -> KafkaResult<BaseConsumer> {
        let mut config = ClientConfig::new();
        config.set("bootstrap.servers", brokers).set("isolation.level", level).create()
    };
    let (all, committed) = (client("read_uncommitted")?, client("read_committed")?);
    let metadata = all.fetch_metadata(None, ANSWER)?;
    for topic in metadata.topics() {
        for partition in topic.partitions() {
            let end = |client: &BaseConsumer| client.fetch_watermarks(topic.name(), partition.id(), ANSWER);
            if end(&all)?.1 != end(&committed)?.1 {
                return Ok(false);
            }
        }
    }
    let Some(groups) = left_groups(&all)? else { return Ok(false) };
    let groups: Vec<_> = groups.groups().iter().map(GroupInfo::name).collect();
    Ok(delete(brokers, &of_tests(&metadata), &groups)? && are_gone(&all)?)
}

/// The groups, once none has a member any more; `None` where one has for too long.
fn left_groups(client: &BaseConsumer) -> KafkaResult<Option<GroupList>> {
    let deadline = Instant::now() + EXPELLED;
    loop {
        let groups = client.fetch_group_list(None, ANSWER)?;
        if groups.groups().iter().all(|group| group.members().is_empty()) {
            return Ok(Some(groups));
        }
        if Instant::now() > deadline {
            return Ok(None);
        }
        std::thread::sleep(AGAIN);
    }
}

fn of_tests(metadata: &Metadata) -> Vec<&str> {
    metadata.topics().iter().map(MetadataTopic::name).filter(|name| !name.starts_with(OWN)).collect()
}

/// Whether all of them were deleted; a group that has members is not.
fn delete(brokers: &str, topics: &[&str], groups: &[&str]) -> KafkaResult<bool> {
    let admin: AdminClient<DefaultClientContext> =
        ClientConfig::new().set("bootstrap.servers", brokers).create()?;
    let options = AdminOptions::new().operation_timeout(Some(ANSWER));
    let deleted = |answers: Vec<Result<String, _>>| answers.iter().all(Result::is_ok);
    if !groups.is_empty() && !deleted(block_on(admin.delete_groups(groups, &options))?) {
        return Ok(false);
    }
    Ok(topics.is_empty() || deleted(block_on(admin.delete_topics(topics, &options))?))
}

/// Whether the broker soon reports no topic any more. The controller has deleted them before it does, and whoever asks the broker
/// meanwhile takes an old topic for the new one of its name, and waits for it.
fn are_gone(client: &BaseConsumer) -> KafkaResult<bool> {
    let deadline = Instant::now() + ANSWER;
    while !of_tests(&client.fetch_metadata(None, ANSWER)?).is_empty() {
        if Instant::now() > deadline {
            return Ok(false);
        }
        std::thread::sleep(AGAIN);
    }
    Ok(true)
}
