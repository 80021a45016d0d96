//! What a run leaves behind, and how it differs from what another run of the same ticks left.
//!
//! Places of records are not compared: a fault moves them. Everything else is, byte for byte.

use std::collections::BTreeMap;
use std::fmt::Debug;

use arb_schemas::topics::{ARBS_BOARD, DEAD_TICKS, FEED_EVENTS, SIGNALS};

use super::environment::Environment;
use super::feed::{Name, name_of};
use super::sinks::Ground;
use super::stream_client::Delivered;
use crate::kafka::{Record, read_all};

/// The tables of ClickHouse.
const TABLES: [&str; 6] =
    ["ticks", "window_transitions", "line_movements", "stale_alerts", "signal_transitions", "rejected"];
/// The header of a feed record with the epoch and the sequence of its partition's counter.
const SEQUENCE_HEADER: &str = "arb-sequence";

/// What was left behind.
pub(crate) struct Results {
    /// What each stream client was sent.
    pub(crate) streams: Vec<Delivered>,
    /// The rows of each table and partition, sorted.
    rows: BTreeMap<(&'static str, u64), Vec<String>>,
    /// The compacted topics as a reader of committed records folds them, by topic, partition and key.
    folds: BTreeMap<(&'static str, i32, String), Vec<u8>>,
    feed: Feed,
    /// Dead letters, each once by the place of the record that it came from.
    dead: BTreeMap<(String, String), (Vec<u8>, Vec<u8>)>,
}

/// The feed topic without its doubles.
pub(crate) struct Feed {
    partitions: Vec<Vec<FeedRecord>>,
    /// Records whose sequence was not above the last one of their partition.
    pub(crate) doubles: usize,
}

/// A record of it; its headers are not compared, because the epoch is a time.
#[derive(Clone, PartialEq)]
struct FeedRecord {
    name: Name,
    key: Vec<u8>,
    value: Vec<u8>,
}

/// Doubles are not compared.
impl PartialEq for Feed {
    fn eq(&self, other: &Self) -> bool {
        self.partitions == other.partitions
    }
}

impl Feed {
    /// Reads the topic.
    pub(crate) fn of(kafka: &Environment) -> Self {
        let mut feed = Self { partitions: vec![Vec::new(); 4], doubles: 0 };
        let mut last = [(i64::MIN, i64::MIN); 4];
        for record in read_all(kafka, FEED_EVENTS.name) {
            let partition = usize::try_from(record.partition).unwrap();
            let (name, mark) = (name_of(&record.value), mark(&record));
            if mark <= last[partition] {
                feed.doubles += 1;
                continue;
            }
            last[partition] = mark;
            let Record { key, value, .. } = record;
            feed.partitions[partition].push(FeedRecord { name, key, value });
        }
        feed
    }

    /// How many records it has.
    pub(crate) fn len(&self) -> usize {
        self.partitions.iter().map(Vec::len).sum()
    }

    /// The partition with the most records.
    pub(crate) fn longest(&self) -> i32 {
        let longest = (0..self.partitions.len()).max_by_key(|id| self.partitions[*id].len());
        i32::try_from(longest.unwrap()).unwrap()
    }

    /// The last record of each partition.
    pub(crate) fn last(&self) -> Vec<Option<Name>> {
        self.partitions.iter().map(|records| records.last().map(|record| record.name.clone())).collect()
    }
}

/// The epoch and the sequence of a record: by its header, or by the sequence in its value.
fn mark(record: &Record) -> (i64, i64) {
    let header = record.headers.iter().find(|(name, _)| name == SEQUENCE_HEADER);
    let Some((_, text)) = header else { return (0, name_of(&record.value).2) };
    let (epoch, sequence) = text.split_once(':').unwrap();
    (epoch.parse().unwrap(), sequence.parse().unwrap())
}

impl Results {
    /// Reads all of it; nothing may be written any more.
    pub(crate) fn of(ground: &Ground, streams: Vec<Delivered>) -> Self {
        let kafka = &ground.broker.kafka;
        let folds = [ARBS_BOARD.name, SIGNALS.name].into_iter().flat_map(|topic| fold(kafka, topic));
        let dead = read_all(kafka, DEAD_TICKS.name).into_iter().map(|record| {
            let header = |wanted| {
                record.headers.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.clone())
            };
            let place = (header("arb-partition").unwrap(), header("arb-offset").unwrap());
            (place, (record.key, record.value))
        });
        Self {
            streams,
            rows: rows(ground),
            folds: folds.collect(),
            dead: dead.collect(),
            feed: Feed::of(kafka),
        }
    }

    /// Records of the feed, and the number of duplicates among them.
    pub(crate) fn feed(&self) -> &Feed {
        &self.feed
    }

    /// What differs, a sentence each: which of the outputs, and where.
    pub(crate) fn differences(&self, expected: &Self) -> Vec<String> {
        let mut found = Vec::new();
        for (client, stream) in self.streams.iter().enumerate() {
            found.extend(stream_differences(client, stream, &expected.streams[0]));
        }
        let places: Vec<_> = self.rows.keys().chain(expected.rows.keys()).collect();
        for place in std::collections::BTreeSet::from_iter(places) {
            let of = |rows: &BTreeMap<_, Vec<String>>| rows.get(place).cloned().unwrap_or_default();
            let what = format!("ClickHouse table {} partition {}", place.0, place.1);
            found.extend(rows_difference(&what, &of(&self.rows), &of(&expected.rows)));
        }
        found.extend(map_difference("fold", &self.folds, &expected.folds));
        for (partition, (ours, theirs)) in
            self.feed.partitions.iter().zip(&expected.feed.partitions).enumerate()
        {
            let what = format!("feed topic without doubles, partition {partition}");
            found.extend(list_difference(&what, ours, theirs, |record| format!("{:?}", record.name)));
        }
        found.extend(map_difference("dead letters", &self.dead, &expected.dead));
        found
    }
}

/// A compacted topic, as a reader of committed records folds it.
pub(crate) fn fold(
    kafka: &Environment,
    topic: &'static str,
) -> BTreeMap<(&'static str, i32, String), Vec<u8>> {
    let mut folded = BTreeMap::new();
    for Record { partition, key, value, .. } in read_all(kafka, topic) {
        let key = (topic, partition, String::from_utf8_lossy(&key).into_owned());
        if value.is_empty() {
            folded.remove(&key);
        } else {
            folded.insert(key, value);
        }
    }
    folded
}

fn rows(ground: &Ground) -> BTreeMap<(&'static str, u64), Vec<String>> {
    let mut rows: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for table in TABLES {
        let sql = format!(
            "SELECT kafka_partition, toString(tuple(* EXCEPT (topic_id, kafka_offset, inserted_at))) AS row \
             FROM arb_store.{table} ORDER BY kafka_partition, row"
        );
        for row in ground.clickhouse.query_as("migrator", &sql) {
            let place = (table, row["kafka_partition"].as_u64().unwrap());
            rows.entry(place).or_default().push(row["row"].as_str().unwrap().to_owned());
        }
    }
    rows
}

fn stream_differences(client: usize, stream: &Delivered, expected: &Delivered) -> Vec<String> {
    let mut found = Vec::new();
    if stream.snapshots != 1 || !stream.resyncs.is_empty() {
        let (snapshots, resyncs) = (stream.snapshots, &stream.resyncs);
        found.push(format!("stream {client}: {snapshots} snapshots, could not resume: {resyncs:?}"));
    }
    for (partition, (ours, theirs)) in stream.partitions.iter().zip(&expected.partitions).enumerate() {
        let what = format!("stream {client}, partition {partition}");
        found.extend(list_difference(&what, ours, theirs, |delivery| format!("{:?}", delivery.name)));
    }
    found
}

/// Where two lists part.
fn list_difference<T: PartialEq>(
    what: &str,
    ours: &[T],
    theirs: &[T],
    show: impl Fn(&T) -> String,
) -> Option<String> {
    if ours == theirs {
        return None;
    }
    let shared = ours.len().min(theirs.len());
    let at = (0..shared).find(|at| ours[*at] != theirs[*at]).unwrap_or(shared);
    let show = |list: &[T]| list.get(at).map_or("nothing".to_owned(), &show);
    let (count, wanted) = (ours.len(), theirs.len());
    Some(format!("{what}: {count} for {wanted}, number {at} is {} for {}", show(ours), show(theirs)))
}

/// Which rows are missing and which are too many, of two sorted lists.
fn rows_difference(what: &str, ours: &[String], theirs: &[String]) -> Option<String> {
    if ours == theirs {
        return None;
    }
    let count = |rows: &[String]| {
        rows.iter().fold(BTreeMap::<_, i64>::new(), |mut counts, row| {
            *counts.entry(row.clone()).or_default() += 1;
            counts
        })
    };
    let (ours_by_row, theirs_by_row) = (count(ours), count(theirs));
    let more = |these: &BTreeMap<String, i64>, those: &BTreeMap<String, i64>| {
        let surplus = |(row, count): (&String, &i64)| {
            (*count > those.get(row).copied().unwrap_or(0)).then(|| row.clone())
        };
        these.iter().filter_map(surplus).collect::<Vec<_>>()
    };
    let (extra, missing) = (more(&ours_by_row, &theirs_by_row), more(&theirs_by_row, &ours_by_row));
    Some(format!(
        "{what}: {} rows for {}, {} too many, first {:?}, {} missing, first {:?}",
        ours.len(),
        theirs.len(),
        extra.len(),
        extra.first(),
        missing.len(),
        missing.first()
    ))
}

/// The first key at which two maps part.
fn map_difference<K: Ord + Debug, V: PartialEq>(
    what: &str,
    ours: &BTreeMap<K, V>,
    theirs: &BTreeMap<K, V>,
) -> Option<String> {
    let first = ours.keys().chain(theirs.keys()).filter(|key| ours.get(key) != theirs.get(key)).min()?;
    let has = |map: &BTreeMap<K, V>| if map.contains_key(first) { "there" } else { "not there" };
    let (count, wanted) = (ours.len(), theirs.len());
    Some(format!(
        "{what}: {count} entries for {wanted}, first other {first:?}: {} for {}",
        has(ours),
        has(theirs)
    ))
}
