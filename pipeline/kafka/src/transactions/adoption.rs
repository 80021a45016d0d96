//! The adoption of transactional ids: whatever a dead owner left open is aborted, and nothing is restored before that. A commit
//! that is complete in some partitions only is no such leftover: [`lost_commit`](super::lost_commit) has repeated it by then.
//!
//! Initialising an id fences its last user, and the coordinator aborts the transaction that it knows of. A broker that
//! was killed can have lost the markers of a transaction that the coordinator holds for completed: the records stay
//! open, and the next commit of the same producer makes them visible. So the first transaction of an id writes to every
//! output partition, sends an offset of the group, and is aborted: its abort markers end whatever the producer has open
//! there. It never commits anything.
//!
//! Source: KIP-98; Kafka's `ProducerAppendInfo`, where a marker ends the transaction that began at the first open
//! record of the producer, whatever epoch wrote it.

use std::time::{Duration, Instant};

use arb_schemas::topics::Topic;
use rdkafka::consumer::ConsumerGroupMetadata;
use rdkafka::error::KafkaError;
use rdkafka::producer::{BaseRecord, Producer};
use rdkafka::topic_partition_list::{Offset, TopicPartitionList};

use crate::producers::enqueue;

use super::output_ends::{HeldBack, Offsets, OutputEnds};
use super::transaction::{Client, RESUME, TIMEOUT, resume, settle};

/// Key of the records that are aborted; they have no value, so that they would change nothing if they were
/// read.
pub(super) const KEY: &[u8] = b"adopted";
/// How long markers may take before the ids are adopted again: the coordinator writes them within milliseconds.
const AGAIN: Duration = Duration::from_secs(3);
/// How often a transaction that holds a partition back is reported.
const REPORT: Duration = Duration::from_secs(5);

/// Writes to all output partitions of so many numbers in a transaction with an offset of the group, in a topic that the group does
/// not read, and aborts it.
pub(super) fn abort_open(
    client: &Client,
    (ends, partitions): (&OutputEnds, i32),
    group: &ConsumerGroupMetadata,
    unread: &Topic,
) -> Result<(), KafkaError> {
    client.begin_transaction()?;
    let names = ends.names().map(|name| client.context().topic(name));
    for (topic, partition) in names.flat_map(|name| (0..partitions).map(move |id| (name, id))) {
        enqueue(client, BaseRecord::to(topic).partition(partition).key(KEY))?;
    }
    let delivered = settle(client);
    abort_offsets(client, group, unread)?;
    delivered?;
    // A partition that no record has come to gets no marker either.
    if client.context().take_failure() { Err(KafkaError::Canceled) } else { Ok(()) }
}

/// Ends what the producer has open among the offsets of the group, in the transaction that has begun.
fn abort_offsets(client: &Client, group: &ConsumerGroupMetadata, unread: &Topic) -> Result<(), KafkaError> {
    // Also where the group does not take it: asking has added the group to the transaction.
    let send = || client.send_offsets_to_transaction(&offset(client, unread)?, group, TIMEOUT);
    if let Err(error) = resume(RESUME, send) {
        tracing::debug!(%error, "the group takes no offset of the transaction that is aborted");
    }
    resume(RESUME, || client.abort_transaction(TIMEOUT))
}

/// The same in a transaction of its own: the coordinator has ended all that it knows of, so what is open has lost its marker.
pub(super) fn end_offsets(
    client: &Client,
    group: &ConsumerGroupMetadata,
    unread: &Topic,
) -> Result<(), KafkaError> {
    client.begin_transaction()?;
    abort_offsets(client, group, unread)
}

/// An offset of a topic that the group does not read: whatever became of it, no position would change.
fn offset(client: &Client, unread: &Topic) -> Result<TopicPartitionList, KafkaError> {
    let mut offsets = TopicPartitionList::new();
    offsets.add_partition_offset(client.context().topic(unread.name), 0, Offset::Offset(0))?;
    Ok(offsets)
}

/// Adopts ids one after the other, each as a member of the group; whether all are adopted. One that is expelled adopts none of
/// the rest: it would fence their new owners.
pub(super) fn adopt_each<G, E>(
    ids: &[i32],
    membership: impl Fn() -> Option<G>,
    mut adopt: impl FnMut(i32, &G) -> Result<(), E>,
) -> Result<bool, E> {
    for id in ids {
        let Some(group) = membership() else { return Ok(false) };
        adopt(*id, &group)?;
    }
    Ok(true)
}

/// The adoption that waits for the log, if there is one.
#[derive(Default)]
pub(super) struct Unfinished(Option<Adopting>);

impl Unfinished {
    /// The adoption of these ids goes on; that of any other begins.
    pub(super) fn take(&mut self, mut ids: Vec<i32>) -> Adopting {
        ids.sort_unstable();
        let begun = self.0.take().filter(|adopting| adopting.ids == ids);
        begun.unwrap_or_else(|| Adopting::new(ids.clone(), ids))
    }

    /// It goes on later.
    pub(super) fn put(&mut self, adopting: Adopting) {
        self.0 = Some(adopting);
    }

    /// Partitions are given back. Another may use their ids before they come back, so what has been done for them counts no
    /// more.
    pub(super) fn release(&mut self, partitions: &[i32]) {
        self.0.take_if(|adopting| adopting.ids.iter().any(|id| partitions.contains(id)));
    }
}

/// How far the adoption of some partitions' ids has come.
pub(super) struct Adopting {
    /// Partitions whose ids are adopted.
    pub(super) ids: Vec<i32>,
    /// Partitions whose outputs must have nothing open.
    pub(super) outputs: Vec<i32>,
    begun: Instant,
    /// Since when all ids have aborted, and where the outputs ended then.
    aborted: Option<(Instant, Offsets)>,
    /// They were adopted twice: a transaction that is open now belongs to no id that this process may use.
    is_repeated: bool,
    reported: Option<Instant>,
}

impl Adopting {
    /// It begins.
    pub(super) fn new(ids: Vec<i32>, outputs: Vec<i32>) -> Self {
        let (begun, aborted, reported) = (Instant::now(), None, None);
        Self { ids, outputs, begun, aborted, is_repeated: false, reported }
    }

    /// How long it has taken.
    pub(super) fn age(&self) -> Duration {
        self.begun.elapsed()
    }

    /// Whether the ids are to abort now: at first, and once more when something stays open.
    pub(super) fn must_abort(&mut self) -> bool {
        match &self.aborted {
            None => true,
            Some((at, _)) if !self.is_repeated && at.elapsed() >= AGAIN => {
                self.is_repeated = true;
                self.aborted = None;
                true
            }
            Some(_) => false,
        }
    }

    /// All ids have aborted.
    pub(super) fn have_aborted(&mut self, ends: &OutputEnds) -> Result<(), KafkaError> {
        self.aborted = Some((Instant::now(), ends.ends(&self.outputs)?));
        Ok(())
    }

    /// Whether nothing is open any more of what was there when the ids had aborted.
    pub(super) fn is_settled(&mut self, ends: &OutputEnds) -> Result<bool, KafkaError> {
        let Some((since, then)) = &self.aborted else { return Ok(false) };
        let held = ends.held_back(then)?;
        if since.elapsed() >= AGAIN && self.reported.is_none_or(|at| at.elapsed() >= REPORT) {
            self.reported = Some(Instant::now());
            held.iter().for_each(report);
        }
        Ok(held.is_empty())
    }
}

fn report(held: &HeldBack) {
    let HeldBack { topic, partition, stable, end } = *held;
    tracing::warn!(
        topic,
        partition,
        last_stable_offset = stable,
        end,
        "an open transaction holds this partition back; waiting for its end"
    );
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// An adoption of these ids, all of which have aborted.
    fn aborted(unfinished: &mut Unfinished, ids: &[i32]) -> Adopting {
        let mut adopting = unfinished.take(ids.to_vec());
        assert!(adopting.must_abort(), "it begins");
        adopting.aborted = Some((Instant::now(), Offsets::default()));
        adopting
    }

    #[test]
    fn an_adoption_goes_on_where_it_waited() {
        let mut unfinished = Unfinished::default();
        let adopting = aborted(&mut unfinished, &[2, 1]);
        unfinished.put(adopting);
        unfinished.release(&[0, 3]);
        assert!(!unfinished.take(vec![1, 2]).must_abort());
    }

    #[test]
    fn an_adoption_begins_again_when_a_partition_was_given_back() {
        for given_back in [1, 2] {
            let mut unfinished = Unfinished::default();
            let adopting = aborted(&mut unfinished, &[1, 2]);
            unfinished.put(adopting);
            unfinished.release(&[given_back]);
            // The group gives it to this member again, with all that it had.
            assert!(unfinished.take(vec![1, 2]).must_abort(), "another may have used id {given_back}");
        }
    }

    #[test]
    fn the_adoption_of_other_ids_begins() {
        let mut unfinished = Unfinished::default();
        let adopting = aborted(&mut unfinished, &[1]);
        unfinished.put(adopting);
        assert!(unfinished.take(vec![1, 2]).must_abort());
    }

    #[test]
    fn a_member_that_is_expelled_adopts_none_of_the_rest() {
        let mut adopted = Vec::new();
        let left = Cell::new(2);
        let membership = || left.replace(left.get() - 1).gt(&0).then_some(());
        let all = adopt_each(&[0, 1, 2, 3], membership, |id, ()| {
            adopted.push(id);
            Ok::<_, ()>(())
        });
        assert_eq!((all, adopted), (Ok(false), vec![0, 1]));
    }
}
