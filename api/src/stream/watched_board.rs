//! A board that is computed for those who watch it, from one look to the next: whole, and what differs.
//!
//! Pure. An entry is sent again when anything of it differs but what passes with the time alone ([`reads_as`]), and that too once it is
//! [`AGAIN_AFTER`] old. Its text is written once, for all who watch. It never decides who may watch.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use arb_feed::filter::EventFilter;
use arb_feed::view::{self, EntryView};
use arb_schemas::records::BoardEntry;
use arb_schemas::time::{Micros, SECOND, to_rfc3339};
use bytes::Bytes;
use serde_json::json;

use crate::lists::listed::Listed;
use crate::lists::snapshot::{Parts, Snapshot};

/// After so much time of the market an entry is sent again of which the time alone has changed.
const AGAIN_AFTER: Micros = 15 * SECOND;
/// The event with what differs.
pub(super) const CHANGES: &str = "board_changes";

/// A board at one look.
#[derive(Debug, Default)]
pub(crate) struct WatchedBoard {
    as_of: Option<Micros>,
    is_stale: bool,
    /// The text with which its snapshot begins.
    opening: String,
    /// By id.
    entries: BTreeMap<String, Arc<WatchedEntry>>,
}

/// An entry, and its text.
#[derive(Debug)]
struct WatchedEntry {
    entry: BoardEntry,
    json: Bytes,
}

impl WatchedBoard {
    /// The board after this one, of these entries as of these polls.
    pub(super) fn next(
        &self,
        entries: Vec<BoardEntry>,
        polls: BTreeMap<String, Micros>,
        is_stale: bool,
    ) -> Self {
        let as_of = polls.values().max().copied();
        let watched = |entry: BoardEntry| {
            let known = self.entries.get(&entry.id).filter(|known| is_sent_of(&known.entry, &entry));
            let new = || Arc::new(WatchedEntry::new(entry.clone(), as_of));
            (entry.id.clone(), known.map_or_else(new, Arc::clone))
        };
        let opening = Snapshot::<BoardEntry>::of(&Parts { entries: Vec::new(), polls, is_stale }).opening();
        Self { as_of, is_stale, opening, entries: entries.into_iter().map(watched).collect() }
    }

    /// All of it that a filter includes, in pieces of one event; the first in rank comes first.
    pub(super) fn snapshot(&self, filter: &EventFilter) -> Vec<Bytes> {
        let mut shown: Vec<_> = self.entries.values().filter(|shown| shown.passes(filter)).collect();
        shown.sort_by_key(|shown| shown.entry.key());
        let mut pieces = vec![Bytes::from(format!("event: snapshot\ndata: {}", self.opening))];
        pieces.extend(listed(shown.into_iter()));
        pieces.push(Bytes::from_static(b"]}\n\n"));
        pieces
    }

    /// What differs for a filter from a board before it, in pieces of one event; none where nothing does.
    pub(super) fn changes(&self, since: &Self, filter: &EventFilter) -> Vec<Bytes> {
        let is_new = |(id, shown): &(&String, &Arc<WatchedEntry>)| {
            !since.entries.get(*id).is_some_and(|was| Arc::ptr_eq(was, shown))
        };
        let put = self.entries.iter().filter(is_new).map(|(_, shown)| shown);
        let mut put: Vec<_> = put.filter(|shown| shown.passes(filter)).collect();
        put.sort_by_key(|shown| shown.entry.key());
        let is_there = |id: &String| self.entries.get(id).is_some_and(|shown| shown.passes(filter));
        let was = since.entries.iter().filter(|(_, shown)| shown.passes(filter)).map(|(id, _)| id);
        let gone: BTreeSet<_> = was.filter(|id| !is_there(id)).collect();
        if put.is_empty() && gone.is_empty() && self.is_stale == since.is_stale {
            return Vec::new();
        }
        let as_of = json!(self.as_of.map(to_rfc3339));
        let opening =
            format!("event: {CHANGES}\ndata: {{\"as_of\":{as_of},\"stale\":{},\"put\":[", self.is_stale);
        let mut pieces = vec![Bytes::from(opening)];
        pieces.extend(listed(put.into_iter()));
        pieces.push(format!("],\"gone\":{}}}\n\n", json!(gone)).into());
        pieces
    }
}

impl WatchedEntry {
    fn new(entry: BoardEntry, as_of: Option<Micros>) -> Self {
        let json = view::json(&EntryView::new(&entry, as_of.unwrap_or(entry.updated_at.0))).into();
        Self { entry, json }
    }

    fn passes(&self, filter: &EventFilter) -> bool {
        filter.includes_window(&self.entry)
    }
}

/// The texts of entries, with commas between them.
fn listed<'a>(entries: impl Iterator<Item = &'a Arc<WatchedEntry>>) -> impl Iterator<Item = Bytes> {
    let comma = |at| if at == 0 { Bytes::new() } else { Bytes::from_static(b",") };
    entries.enumerate().flat_map(move |(at, shown)| [comma(at), shown.json.clone()])
}

/// Whether those who have an entry have what it is now.
fn is_sent_of(sent: &BoardEntry, is: &BoardEntry) -> bool {
    is.updated_at.0 - sent.updated_at.0 < AGAIN_AFTER && reads_as(sent, is)
}

/// Whether two entries differ at most in what passes with the time: when they were computed, the remaining lifetime and what follows from that, and how
/// long ago a price was confirmed in the reason of a check that failed before.
fn reads_as(sent: &BoardEntry, is: &BoardEntry) -> bool {
    let flags =
        |entry: &BoardEntry| entry.failed_checks.iter().map(|check| check.flag.clone()).collect::<Vec<_>>();
    let aged = BoardEntry {
        updated_at: is.updated_at,
        ttl: is.ttl,
        execution_probability: is.execution_probability,
        score: is.score,
        failed_checks: is.failed_checks.clone(),
        ..sent.clone()
    };
    aged == *is && flags(sent) == flags(is)
}
