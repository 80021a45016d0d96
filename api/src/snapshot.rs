//! The board at one moment: ranked, as JSON that is shared by all who are sent it.
//!
//! Pure. It holds no lock and asks nobody: what it is made of is handed to it, and making it takes as long as it takes.

use std::collections::BTreeMap;
use std::sync::Arc;

use arb_schemas::records::BoardEntry;
use arb_schemas::time::{Micros, to_rfc3339};
use bytes::Bytes;
use serde_json::{Value, json};

use crate::cursor::{Cursor, Place};
use crate::filter::Sport;
use crate::view;

/// What a snapshot is made of.
#[derive(Debug)]
pub(crate) struct Parts {
    /// In any order.
    pub(crate) entries: Vec<Arc<BoardEntry>>,
    /// The last poll of each source that every partition contains.
    pub(crate) polls: BTreeMap<String, Micros>,
}

/// The board at one moment, best entry first.
#[derive(Debug)]
pub(crate) struct Snapshot {
    as_of: Option<Micros>,
    polls: Vec<Value>,
    entries: Vec<Shown>,
}

/// An entry as it is sent.
#[derive(Debug)]
struct Shown {
    place: Place,
    sport: String,
    league: String,
    json: Bytes,
}

impl Snapshot {
    /// Ranks and renders.
    pub(crate) fn of(parts: &Parts) -> Self {
        let as_of = parts.polls.values().max().copied();
        let mut ranked: Vec<_> = parts.entries.iter().map(|entry| (Place::of(entry), entry)).collect();
        ranked.sort_by(|(a, _), (b, _)| a.rank(b));
        let shown = ranked.into_iter().zip(1_u64..).map(|((place, entry), rank)| Shown {
            place,
            sport: entry.event.sport.clone(),
            league: entry.event.league.clone(),
            json: view::entry(entry, rank, as_of.unwrap_or(entry.updated_at)).to_string().into(),
        });
        let poll = |(source, at): (&String, &Micros)| json!({"source": source, "polled_at": to_rfc3339(*at)});
        Self { as_of, entries: shown.collect(), polls: parts.polls.iter().map(poll).collect() }
    }

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
