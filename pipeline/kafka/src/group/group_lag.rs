//! How many records consumer groups have not read yet, looked up by a thread while somebody asks.
//!
//! It joins no group and commits nothing. A client learns the offsets of its own group alone, so a round opens one for each group and
//! closes it again: where nobody asks, nothing is connected. A group that cannot be looked up is left out, never guessed.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use arb_runtime::stop::Stop;
use arb_schemas::topics::Topic;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};

use crate::client::{Listener, discard_reports, settings};
use crate::cluster::Cluster;
use crate::error::Error;
use crate::offsets::Asker;

/// The pause between rounds.
const EVERY: Duration = Duration::from_secs(5);
/// For so long after a question rounds go on.
const WANTED: Duration = Duration::from_secs(30);
/// The time limit for the offsets of a group.
const TIMEOUT: Duration = Duration::from_secs(5);

/// A group, and what it reads.
#[derive(Debug, Clone)]
pub struct WatchedGroup {
    /// By which its lag is shown; the lags of groups of one role are added.
    pub role: String,
    /// Its name in Kafka.
    pub group: String,
    /// With the number of its partitions.
    pub topics: Vec<(&'static Topic, i32)>,
}

/// Lags by role; shared by all clones.
#[derive(Debug, Clone, Default)]
pub struct GroupLags(Arc<Mutex<KnownLags>>);

#[derive(Debug, Default)]
struct KnownLags {
    asked: Option<Instant>,
    /// Of the round that ended last, and when it did.
    round: Option<(Instant, BTreeMap<String, u64>)>,
}

impl KnownLags {
    fn is_wanted(&self, now: Instant) -> bool {
        self.asked.is_some_and(|asked| now.duration_since(asked) < WANTED)
    }

    /// Of a round that nobody has waited for since it is forgotten: its numbers are old.
    fn recent(&self, now: Instant) -> BTreeMap<String, u64> {
        let recent = self.round.as_ref().filter(|(at, _)| now.duration_since(*at) < WANTED);
        recent.map(|(_, lags)| lags.clone()).unwrap_or_default()
    }
}

impl GroupLags {
    /// Starts the thread, until the shutdown signal.
    ///
    /// # Errors
    /// [`Error::Thread`] when the system gives no thread.
    pub fn watch(cluster: &Cluster, groups: Vec<WatchedGroup>, stop: &Stop) -> Result<Self, Error> {
        let (lags, cluster, stop) = (Self::default(), cluster.clone(), stop.clone());
        let known = lags.clone();
        std::thread::Builder::new().name("group-lag".to_owned()).spawn(move || {
            while !stop.wait(EVERY) {
                if known.lock().is_wanted(Instant::now()) {
                    let round = round(&cluster, &groups, &stop);
                    known.lock().round = Some((Instant::now(), round));
                }
            }
        })?;
        Ok(lags)
    }

    /// Records that each role has not read yet, as of some seconds ago; without a role whose group is not known. The first question
    /// after a while is answered by nothing.
    #[must_use]
    pub fn get(&self) -> BTreeMap<String, u64> {
        let (mut known, now) = (self.lock(), Instant::now());
        known.asked = Some(now);
        known.recent(now)
    }

    fn lock(&self) -> MutexGuard<'_, KnownLags> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Looks all groups up, one after the other.
fn round(cluster: &Cluster, groups: &[WatchedGroup], stop: &Stop) -> BTreeMap<String, u64> {
    let looked_up = groups.iter().take_while(|_| !stop.is_stopped()).map(|watched| {
        let lag = lag(cluster, watched).unwrap_or_else(|error| {
            tracing::debug!(%error, group = watched.group, "the lag of a group is not known");
            None
        });
        (watched.role.clone(), lag)
    });
    summed(looked_up)
}

/// By role; a role of which one group is not known is left out.
fn summed(groups: impl Iterator<Item = (String, Option<u64>)>) -> BTreeMap<String, u64> {
    let mut lags = BTreeMap::<String, Option<u64>>::new();
    for (role, lag) in groups {
        let sum = lags.entry(role).or_insert(Some(0));
        *sum = sum.zip(lag).map(|(sum, lag)| sum + lag);
    }
    lags.into_iter().filter_map(|(role, lag)| Some((role, lag?))).collect()
}

/// `None` for a group that has committed nothing.
fn lag(cluster: &Cluster, of: &WatchedGroup) -> Result<Option<u64>, Error> {
    let mut config = settings::read_committed(cluster);
    config.set("group.id", cluster.id(&of.group));
    let consumer: BaseConsumer<Listener> = cluster.consumer(&config, Listener::new(cluster))?;
    discard_reports(&consumer);
    let ends_of = Asker::of_committed(cluster)?;
    let mut asked = TopicPartitionList::new();
    for (topic, partitions) in &of.topics {
        asked.add_partition_range(cluster.topic(topic.name), 0, partitions - 1);
    }
    let committed = consumer.committed_offsets(asked, TIMEOUT)?;
    let (mut lag, mut is_known) = (0, false);
    for element in committed.elements() {
        element.error()?;
        let ends = ends_of.span(element.topic(), element.partition())?;
        let next = match element.offset() {
            Offset::Offset(next) => {
                is_known = true;
                next
            }
            _ => ends.first,
        };
        lag += u64::try_from(ends.next - next).unwrap_or(0);
    }
    Ok(is_known.then_some(lag))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_of_which_one_group_is_not_known_has_no_lag() {
        let groups = [
            ("deliver", Some(2)),
            ("process", Some(1)),
            ("deliver", None),
            ("sink", Some(3)),
            ("sink", Some(4)),
        ];
        let lags = summed(groups.into_iter().map(|(role, lag)| (role.to_owned(), lag)));
        assert_eq!(lags, BTreeMap::from([("process".to_owned(), 1), ("sink".to_owned(), 7)]));
    }

    #[test]
    fn a_round_is_wanted_for_a_while_after_a_question_and_shown_as_long() {
        let lags = GroupLags::default();
        assert!(!lags.lock().is_wanted(Instant::now()));
        assert!(lags.get().is_empty());
        let now = Instant::now();
        assert!(lags.lock().is_wanted(now) && !lags.lock().is_wanted(now + WANTED));
        lags.lock().round = Some((now, BTreeMap::from([("process".to_owned(), 3)])));
        assert_eq!(lags.get()["process"], 3);
        assert!(lags.lock().recent(now + WANTED).is_empty());
    }
}
