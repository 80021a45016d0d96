//! A window of the board.

use arb_model::{BoardEntry, Leg, Time, Ttl, Verification};
use arb_schemas::time::{Micros, SECOND};
use serde::Serialize;

use super::{Aged, EventView};

/// An entry, as of a time.
#[derive(Debug, Serialize)]
pub(crate) struct EntryView<'a> {
    #[serde(flatten)]
    entry: &'a BoardEntry,
    #[serde(flatten)]
    about: EventView<'a>,
    legs: Vec<Aged<'a, Leg>>,
    verification: Flags,
    #[serde(flatten)]
    ttl: TtlView,
}

/// The verification flags; an entry that was written before the list existed has its single flag.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Flags {
    All(Verification),
    One { simultaneous: bool },
}

/// How long a window is expected to live, and when half of such windows are gone.
#[derive(Debug, Serialize)]
struct TtlView {
    ttl_seconds: Option<f64>,
    ttl_p10_seconds: Option<f64>,
    ttl_p90_seconds: Option<f64>,
    expires_at: Option<Time>,
}

impl<'a> EntryView<'a> {
    pub(crate) fn new(entry: &'a BoardEntry, as_of: Micros) -> Self {
        let legs = entry.legs.iter();
        Self {
            entry,
            about: EventView::new(&entry.event, Some(entry.in_play)),
            legs: legs.map(|leg| Aged::new(leg, leg.last_seen_at, as_of)).collect(),
            verification: entry
                .verification
                .map_or(Flags::One { simultaneous: entry.simultaneous }, Flags::All),
            ttl: TtlView::new(entry.ttl, entry.updated_at),
        }
    }
}

impl TtlView {
    fn new(ttl: Option<Ttl>, written_at: Time) -> Self {
        Self {
            ttl_seconds: ttl.map(|ttl| ttl.median),
            ttl_p10_seconds: ttl.map(|ttl| ttl.p10),
            ttl_p90_seconds: ttl.map(|ttl| ttl.p90),
            expires_at: ttl.map(|ttl| expires_at(written_at, ttl)),
        }
    }
}

fn expires_at(written_at: Time, ttl: Ttl) -> Time {
    #[allow(clippy::cast_possible_truncation)] // Cut at the end of time.
    let life = (ttl.median * SECOND as f64) as Micros;
    Time(written_at.0.saturating_add(life))
}
