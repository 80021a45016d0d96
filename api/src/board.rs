//! The open windows, as the compacted topic has them, and a ranked snapshot of them.
//!
//! A snapshot is made when it is asked for and the board has changed, and shared until it changes again. It never
//! shows a board before every partition has been read to its end.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use arb_schemas::records::{BoardEntry, BoardProgress};
use arb_schemas::time::{Micros, to_rfc3339};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::cursor::Place;
use crate::view;

/// The board, shared by the reader of the topic and all requests.
#[derive(Debug)]
pub struct Board(Mutex<Inner>);

#[derive(Debug)]
struct Inner {
    partitions: usize,
    is_ready: bool,
    entries: HashMap<String, BoardEntry>,
    /// By source, then partition: the last whole poll that the partition contains.
    progress: BTreeMap<String, BTreeMap<i32, Micros>>,
    snapshot: Option<Arc<Snapshot>>,
}

/// The board at one moment, best entry first.
#[derive(Debug)]
pub(crate) struct Snapshot {
    as_of: Option<Micros>,
    polls: Vec<Value>,
    entries: Vec<(Place, Box<RawValue>)>,
}

impl Board {
    /// An empty board of a topic with so many partitions.
    #[must_use]
    pub fn new(partitions: i32) -> Self {
        let partitions = usize::try_from(partitions).unwrap_or(0);
        let (entries, progress) = (HashMap::new(), BTreeMap::new());
        Self(Mutex::new(Inner { partitions, is_ready: false, entries, progress, snapshot: None }))
    }

    /// Opens or changes a window.
    pub fn put(&self, entry: BoardEntry) {
        self.change(|inner| {
            inner.entries.insert(entry.id.clone(), entry);
        });
    }

    /// Closes a window.
    pub fn remove(&self, id: &str) {
        self.change(|inner| {
            inner.entries.remove(id);
        });
    }

    /// Notes how far a partition has come.
    pub fn progress(&self, partition: i32, progress: BoardProgress) {
        self.change(|inner| {
            inner.progress.entry(progress.source).or_default().insert(partition, progress.received_at);
        });
    }

    /// Notes that every partition has been read to its end.
    pub fn ready(&self) {
        self.change(|inner| inner.is_ready = true);
    }

    /// Whether it has.
    pub fn is_ready(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_ready
    }

    fn change(&self, change: impl FnOnce(&mut Inner)) {
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut inner);
        inner.snapshot = None;
    }

    /// The board as it is now; `None` before it is ready.
    pub(crate) fn snapshot(&self) -> Option<Arc<Snapshot>> {
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !inner.is_ready {
            return None;
        }
        if inner.snapshot.is_none() {
            inner.snapshot = Some(Arc::new(inner.take_snapshot()));
        }
        inner.snapshot.clone()
    }
}

impl Inner {
    fn take_snapshot(&self) -> Snapshot {
        let polls = self.polls();
        let as_of = polls.values().max().copied();
        let mut ranked: Vec<_> = self.entries.values().map(|entry| (Place::of(entry), entry)).collect();
        ranked.sort_by(|(a, _), (b, _)| a.rank(b));
        let entries = ranked.into_iter().zip(1_u64..).filter_map(|((place, entry), rank)| {
            let json = view::entry(entry, rank, as_of.unwrap_or(entry.updated_at)).to_string();
            Some((place, RawValue::from_string(json).ok()?))
        });
        let poll = |(source, at): (&str, Micros)| json!({"source": source, "polled_at": to_rfc3339(at)});
        Snapshot { as_of, entries: entries.collect(), polls: polls.into_iter().map(poll).collect() }
    }

    /// The last poll of each source that every partition contains.
    fn polls(&self) -> BTreeMap<&str, Micros> {
        let whole = self.progress.iter().filter(|(_, partitions)| partitions.len() == self.partitions);
        whole.filter_map(|(source, at)| Some((source.as_str(), *at.values().min()?))).collect()
    }
}

impl Snapshot {
    /// A page: at most `limit` entries after a place, in the envelope.
    pub(crate) fn page(&self, limit: usize, after: Option<&Place>) -> String {
        let start =
            after.map_or(0, |after| self.entries.partition_point(|(place, _)| place.rank(after).is_le()));
        let rest = &self.entries[start..];
        let page = &rest[..limit.min(rest.len())];
        let next = page.last().filter(|_| rest.len() > limit).map(|(place, _)| place.encode());
        let envelope = Envelope {
            as_of: self.as_of.map(to_rfc3339),
            polls: &self.polls,
            arbs: page.iter().map(|(_, json)| &**json).collect(),
            next_cursor: next,
        };
        serde_json::to_string(&envelope).unwrap_or_default()
    }
}

/// What a page is sent in. Its entries are JSON already and go in as they are.
#[derive(Serialize)]
struct Envelope<'a> {
    as_of: Option<String>,
    polls: &'a [Value],
    arbs: Vec<&'a RawValue>,
    next_cursor: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::tests::entry;

    fn page(board: &Board, limit: usize, after: Option<&str>) -> Value {
        let after = after.map(|after| Place::decode(after).unwrap());
        serde_json::from_str(&board.snapshot().unwrap().page(limit, after.as_ref())).unwrap()
    }

    fn ids(page: &Value) -> Vec<&str> {
        page["arbs"].as_array().unwrap().iter().map(|arb| arb["id"].as_str().unwrap()).collect()
    }

    #[test]
    fn nothing_is_shown_before_everything_is_read() {
        let board = Board::new(2);
        board.put(entry("a", 0.01));
        assert!(board.snapshot().is_none() && !board.is_ready());
        board.ready();
        assert_eq!(ids(&page(&board, 10, None)), ["a"]);
        board.remove("a");
        assert_eq!(page(&board, 10, None)["arbs"], json!([]));
    }

    #[test]
    fn a_poll_is_contained_when_every_partition_has_it() {
        let board = Board::new(2);
        board.ready();
        let progress = |partition, received_at| {
            board.progress(partition, BoardProgress { source: "s".into(), received_at });
        };
        progress(0, 5_000_000);
        assert_eq!(
            (&page(&board, 1, None)["polls"], &page(&board, 1, None)["as_of"]),
            (&json!([]), &Value::Null)
        );
        progress(1, 3_000_000);
        let at = "1970-01-01T00:00:03Z";
        assert_eq!(page(&board, 1, None)["polls"], json!([{"source": "s", "polled_at": at}]));
        assert_eq!(page(&board, 1, None)["as_of"], at);
    }

    #[test]
    fn pages_follow_one_another_without_gap_or_repeat() {
        let board = Board::new(1);
        board.ready();
        for (id, score) in [("a", 0.01), ("b", 0.05), ("c", 0.03), ("d", 0.03)] {
            board.put(entry(id, score));
        }
        let first = page(&board, 3, None);
        assert_eq!(ids(&first), ["b", "c", "d"]);
        assert_eq!(first["arbs"][0]["rank"], 1);
        let second = page(&board, 3, first["next_cursor"].as_str());
        assert_eq!((ids(&second), &second["next_cursor"]), (vec!["a"], &Value::Null));
        assert_eq!(page(&board, 4, None)["next_cursor"], Value::Null);
    }
}
