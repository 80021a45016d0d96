//! The state of a broker: topics, committed offsets, partition owners. Records of a transaction without
//! markers are open among the others: readers of committed records see nothing from the first of them on.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use arb_runtime::log::Output;
use arb_schemas::time::Micros;

/// Key, value and headers, as they were written.
pub type Written = (Option<Vec<u8>>, Option<Vec<u8>>, Vec<(&'static str, String)>);

/// A record of a partition.
#[derive(Clone)]
struct Entry {
    written: Written,
    /// The transactional id whose transaction has neither committed nor aborted it.
    open: Option<i32>,
}

/// The offset of an input record, its value, and when it was appended.
type InputRecord = (i64, Vec<u8>, Option<Micros>);

/// The broker.
#[derive(Clone, Default)]
pub struct World {
    /// Records of the input, each with its offset: offsets have gaps.
    input: Rc<BTreeMap<i32, Vec<InputRecord>>>,
    topics: BTreeMap<(&'static str, i32), Vec<Entry>>,
    offsets: BTreeMap<i32, i64>,
    /// Offsets of transactions without markers, by transactional id.
    pending: BTreeMap<i32, BTreeMap<i32, i64>>,
    /// Which member may commit a partition's offsets.
    pub(crate) owners: BTreeMap<i32, usize>,
    /// The newest epoch of each transactional id, which is a partition's.
    epochs: BTreeMap<i32, u64>,
}

impl World {
    /// A broker whose input has so many partitions, all of them empty.
    #[must_use]
    pub fn new(partitions: i32) -> Self {
        let input = Rc::new((0..partitions).map(|id| (id, Vec::new())).collect());
        Self { input, ..Self::default() }
    }

    /// Appends a record to a partition of the input.
    pub fn push(&mut self, partition: i32, value: Vec<u8>) {
        self.append(partition, value, None);
    }

    /// The same at a time by the broker's clock.
    pub fn push_at(&mut self, partition: i32, value: Vec<u8>, appended_at: Micros) {
        self.append(partition, value, Some(appended_at));
    }

    fn append(&mut self, partition: i32, value: Vec<u8>, appended_at: Option<Micros>) {
        let records = Rc::make_mut(&mut self.input).entry(partition).or_default();
        let gap = i64::from(records.len() % 4 == 3);
        let next = records.last().map_or(0, |(offset, ..)| offset + 1);
        records.push((next + gap, value, appended_at));
    }

    /// The partitions of the input.
    pub(crate) fn partitions(&self) -> impl Iterator<Item = i32> + use<> {
        self.input.keys().copied().collect::<Vec<_>>().into_iter()
    }

    /// The first record at or after an offset.
    pub(crate) fn record(&self, partition: i32, offset: i64) -> Option<&InputRecord> {
        let records = &self.input[&partition];
        records.get(records.partition_point(|(at, ..)| *at < offset))
    }

    pub(crate) fn offset(&self, partition: i32) -> Option<i64> {
        self.offsets.get(&partition).copied()
    }

    /// Whether everything has been processed.
    pub(crate) fn is_done(&self) -> bool {
        self.partitions().all(|id| {
            let is_empty = self.record(id, 0).is_none();
            is_empty || self.offset(id).is_some_and(|offset| self.record(id, offset).is_none())
        })
    }

    /// Writes a transaction whose markers never come.
    pub(crate) fn leave_open(&mut self, id: i32, written: &[Output], next: &BTreeMap<i32, i64>) {
        for output in written {
            let written = (output.key.clone(), output.value.clone(), output.headers.clone());
            let entry = Entry { written, open: Some(id) };
            self.topics.entry((output.topic, output.partition)).or_default().push(entry);
        }
        self.pending.entry(id).or_default().extend(next);
    }

    /// Makes a transaction visible, with whatever the same id has left open before it; its offsets stay pending.
    pub(crate) fn commit_outputs(&mut self, id: i32, written: &[Output], next: &BTreeMap<i32, i64>) {
        self.leave_open(id, written, next);
        self.topics.values_mut().flatten().for_each(|entry| {
            entry.open.take_if(|open| *open == id);
        });
    }

    /// The same with its offsets.
    pub(crate) fn commit(&mut self, id: i32, written: &[Output], next: &BTreeMap<i32, i64>) {
        self.commit_outputs(id, written, next);
        self.offsets.extend(self.pending.remove(&id).unwrap_or_default());
    }

    /// Writes an abort marker of an id to every partition.
    pub(crate) fn abort(&mut self, id: i32) {
        self.topics.values_mut().for_each(|entries| entries.retain(|entry| entry.open != Some(id)));
        self.pending.remove(&id);
    }

    /// Whether nothing is open on the outputs of a partition, nor on its offset.
    pub(crate) fn is_settled(&self, partition: i32) -> bool {
        let outputs = self.topics.iter().filter(|((_, id), _)| *id == partition);
        let is_open = outputs.flat_map(|(_, entries)| entries).any(|entry| entry.open.is_some());
        !is_open && !self.pending.values().any(|next| next.contains_key(&partition))
    }

    /// A new epoch of a transactional id.
    pub(crate) fn new_epoch(&mut self, id: i32) -> u64 {
        let epoch = self.epochs.entry(id).or_default();
        *epoch += 1;
        *epoch
    }

    pub(crate) fn epoch(&self, id: i32) -> u64 {
        self.epochs[&id]
    }

    /// Unowned partitions.
    pub(crate) fn free(&self) -> BTreeSet<i32> {
        self.partitions().filter(|id| !self.owners.contains_key(id)).collect()
    }

    /// What a reader of committed records sees of a topic, by partition.
    #[must_use]
    pub fn log(&self, topic: &str) -> Vec<(i32, Vec<&Written>)> {
        let of = self.topics.iter().filter(|((name, _), _)| *name == topic);
        let seen = |entries: &'_ [Entry]| entries.iter().take_while(|entry| entry.open.is_none()).count();
        of.map(|((_, partition), entries)| {
            (*partition, entries[..seen(entries)].iter().map(|entry| &entry.written).collect())
        })
        .collect()
    }

    /// How many records of a topic a reader of committed records sees.
    #[must_use]
    pub fn committed(&self, topic: &str) -> usize {
        self.log(topic).iter().map(|(_, records)| records.len()).sum()
    }

    /// The committed offsets of the input.
    #[must_use]
    pub fn offsets(&self) -> &BTreeMap<i32, i64> {
        &self.offsets
    }

    /// The changelog as compaction leaves it.
    #[must_use]
    pub fn state(&self, changelog: &str) -> BTreeMap<(i32, &[u8]), &[u8]> {
        let mut state = BTreeMap::new();
        for (partition, records) in self.log(changelog) {
            for (key, value, _) in records {
                let key = (partition, key.as_deref().unwrap_or_default());
                match value {
                    Some(value) => state.insert(key, value.as_slice()),
                    None => state.remove(&key),
                };
            }
        }
        state
    }

    /// Does what the log cleaner may do at any time: of each key only the last record stays. It leaves alone what is
    /// open, and what follows it.
    pub(crate) fn compact(&mut self, changelog: &'static str, partition: i32) {
        if let Some(entries) = self.topics.get_mut(&(changelog, partition)) {
            let first_open = entries.iter().position(|entry| entry.open.is_some());
            let rest = entries.split_off(first_open.unwrap_or(entries.len()));
            let mut seen = BTreeSet::new();
            let mut kept: Vec<_> =
                entries.drain(..).rev().filter(|entry| seen.insert(entry.written.0.clone())).collect();
            kept.reverse();
            *entries = kept;
            entries.extend(rest);
        }
    }
}
