//! The open windows, as the compacted topic has them, and a ranked snapshot of them.
//!
//! A snapshot is made when it is asked for and the board has changed, and shared until it changes again. It never
//! shows a board before every partition has been read to its end.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use arb_schemas::records::{BoardEntry, BoardProgress};
use arb_schemas::time::{Micros, to_rfc3339};
use bytes::Bytes;
use serde_json::{Value, json};

use crate::cursor::{Cursor, Place};
use crate::filter::Sport;
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
    entries: Vec<Shown>,
}

/// An entry as it is sent, shared by all who are sent it.
#[derive(Debug)]
struct Shown {
    place: Place,
    sport: String,
    league: String,
    json: Bytes,
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
            inner.snapshot = Some(Arc::new(inner.take_snapshot(inner.entries.values())));
        }
        inner.snapshot.clone()
    }

    /// These windows as a board. An entry that says the same transition may be newer here, in its times.
    pub(crate) fn snapshot_of(&self, windows: &[Arc<BoardEntry>]) -> Snapshot {
        let inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        inner.take_snapshot(windows.iter().map(|window| match inner.entries.get(&window.id) {
            Some(entry) if entry.sequence == window.sequence => entry,
            _ => window,
        }))
    }

    /// All entries.
    pub(crate) fn entries(&self) -> Vec<BoardEntry> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).entries.values().cloned().collect()
    }

    /// The time of the newest poll that every partition contains.
    pub(crate) fn as_of(&self) -> Option<Micros> {
        let inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        inner.polls().values().max().copied()
    }
}

impl Inner {
    fn take_snapshot<'a>(&self, entries: impl Iterator<Item = &'a BoardEntry>) -> Snapshot {
        let polls = self.polls();
        let as_of = polls.values().max().copied();
        let mut ranked: Vec<_> = entries.map(|entry| (Place::of(entry), entry)).collect();
        ranked.sort_by(|(a, _), (b, _)| a.rank(b));
        let shown = ranked.into_iter().zip(1_u64..).map(|((place, entry), rank)| Shown {
            place,
            sport: entry.event.sport.clone(),
            league: entry.event.league.clone(),
            json: view::entry(entry, rank, as_of.unwrap_or(entry.updated_at)).to_string().into(),
        });
        let poll = |(source, at): (&str, Micros)| json!({"source": source, "polled_at": to_rfc3339(at)});
        Snapshot { as_of, entries: shown.collect(), polls: polls.into_iter().map(poll).collect() }
    }

    /// The last poll of each source that every partition contains.
    fn polls(&self) -> BTreeMap<&str, Micros> {
        let whole = self.progress.iter().filter(|(_, partitions)| partitions.len() == self.partitions);
        whole.filter_map(|(source, at)| Some((source.as_str(), *at.values().min()?))).collect()
    }
}

impl Snapshot {
    /// A page: at most `limit` entries of a sport or league after a place, in the envelope. Entries are JSON already
    /// and go in as they are.
    pub(crate) fn page(&self, limit: usize, after: Option<&Place>, sport: &Sport) -> String {
        let start =
            after.map_or(0, |after| self.entries.partition_point(|shown| shown.place.rank(after).is_le()));
        let mut rest = self.entries[start..].iter().filter(|shown| shown.is_of(sport));
        let page: Vec<_> = rest.by_ref().take(limit).collect();
        let has_more = rest.next().is_some();
        let last = page.last().filter(|_| has_more);
        let next = last.map(|last| Cursor { after: last.place.clone(), sport: sport.clone() }.encode());
        let mut text = self.opening();
        for (index, shown) in page.iter().enumerate() {
            text.push_str(if index == 0 { "" } else { "," });
            text.push_str(&String::from_utf8_lossy(&shown.json));
        }
        text.push_str("],\"next_cursor\":");
        text.push_str(&json!(next).to_string());
        text.push('}');
        text
    }

    /// The whole of it for a sport or league as the pieces of one JSON text, shared by all who are sent it.
    pub(crate) fn pieces(&self, sport: &Sport) -> Vec<Bytes> {
        let mut pieces = vec![Bytes::from(self.opening())];
        for shown in self.entries.iter().filter(|shown| shown.is_of(sport)) {
            if pieces.len() > 1 {
                pieces.push(Bytes::from_static(b","));
            }
            pieces.push(shown.json.clone());
        }
        pieces.push(Bytes::from_static(b"]}"));
        pieces
    }

    /// The envelope up to its first entry.
    fn opening(&self) -> String {
        let (as_of, polls) = (json!(self.as_of.map(to_rfc3339)), json!(self.polls));
        format!("{{\"as_of\":{as_of},\"polls\":{polls},\"arbs\":[")
    }
}

impl Shown {
    fn is_of(&self, sport: &Sport) -> bool {
        sport.includes(&self.sport, &self.league)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::tests::entry;

    fn page(board: &Board, limit: usize, after: Option<&str>) -> Value {
        page_of(board, limit, after, &Sport::default())
    }

    fn page_of(board: &Board, limit: usize, after: Option<&str>, sport: &Sport) -> Value {
        let after = after.map(|after| Cursor::decode(after).unwrap().after);
        serde_json::from_str(&board.snapshot().unwrap().page(limit, after.as_ref(), sport)).unwrap()
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

    #[test]
    fn a_page_of_a_sport_is_full_of_it() {
        let board = Board::new(1);
        board.ready();
        for (id, score, sport) in [("a", 0.04, "tennis"), ("b", 0.03, "soccer"), ("c", 0.02, "tennis")] {
            let mut entry = entry(id, score);
            entry.event.sport = sport.into();
            board.put(entry);
        }
        let tennis = Sport::parse("tennis").unwrap();
        let first = page_of(&board, 1, None, &tennis);
        assert_eq!(ids(&first), ["a"]);
        let second = page_of(&board, 1, first["next_cursor"].as_str(), &tennis);
        assert_eq!((ids(&second), &second["next_cursor"]), (vec!["c"], &Value::Null));
        let whole: Vec<u8> = board.snapshot().unwrap().pieces(&tennis).concat();
        assert_eq!(ids(&serde_json::from_slice(&whole).unwrap()), ["a", "c"]);
    }

    #[test]
    fn a_board_of_windows_takes_newer_times_but_no_other_transition() {
        let board = Board::new(1);
        board.ready();
        let (mut refreshed, mut other) = (entry("a", 0.04), entry("b", 0.03));
        (refreshed.updated_at, other.updated_at) = (5_000_000, 5_000_000);
        other.sequence += 1;
        board.put(refreshed);
        board.put(other);
        board.put(entry("c", 0.02));
        let windows = [Arc::new(entry("a", 0.04)), Arc::new(entry("b", 0.03))];
        let whole: Vec<u8> = board.snapshot_of(&windows).pieces(&Sport::default()).concat();
        let whole: Value = serde_json::from_slice(&whole).unwrap();
        assert_eq!(ids(&whole), ["a", "b"]);
        assert_eq!(whole["arbs"][0]["updated_at"], "1970-01-01T00:00:05Z");
        assert_eq!(whole["arbs"][1]["updated_at"], "1970-01-01T00:00:01Z");
    }
}
