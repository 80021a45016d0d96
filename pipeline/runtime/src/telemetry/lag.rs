//! How far the owned partitions of a topic are behind, in records and in time.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use arb_schemas::time::Micros;

use super::metric::Metric;
use super::seconds;
use crate::progress::{PartitionProgress, Span};

/// Partitions that were ever owned, by the first label of their metrics.
static OWNED: Mutex<BTreeSet<(&str, i32)>> = Mutex::new(BTreeSet::new());

/// Reports the lag of the owned partitions in records and in event time, at a moment of UTC, by two metrics whose labels are this word and
/// the partition. `ends` are the end offsets, as far as they are known.
pub fn inspect(
    [records, event_time]: [&Metric; 2],
    word: &'static str,
    places: &BTreeMap<i32, PartitionProgress>,
    ends: &BTreeMap<i32, Span>,
    now: Micros,
) {
    let mut owned = OWNED.lock().unwrap_or_else(PoisonError::into_inner);
    owned.extend(places.keys().map(|id| (word, *id)));
    for (_, id) in owned.iter().filter(|(other, _)| *other == word) {
        let place = places.get(id);
        // A partition that was owned once is no longer owned here.
        let lag = place.map_or(Some(0), |place| Some(ends.get(id)?.lag(place.next)));
        let behind = place.map_or(Some(0.0), |place| Some(seconds(place.watermark?, now)));
        let labels = [word, &id.to_string()];
        if let Some(lag) = lag {
            records.gauge(&labels).set(lag as f64);
        }
        if let Some(behind) = behind {
            event_time.gauge(&labels).set(behind);
        }
    }
}
