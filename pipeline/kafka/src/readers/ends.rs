//! The end offsets of a topic, polled every few seconds by a dedicated thread.
//!
//! For lag, and for whether an open transaction holds a partition back: then the committed records end before
//! the written ones. The reader's client knows the ends only as of its last fetch, and only while it is
//! polled: the lag of a stuck reader would not grow. This costs three small requests to
//! each broker every five seconds. Where nothing was written meanwhile, the last records are read once: after them come markers of
//! transactions, which nobody waits for. The thread never ends and never fails when a broker does not answer:
//! then the ends stay as they were.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use arb_runtime::progress::Span;
use arb_runtime::stop::Stop;
use arb_schemas::topics::Topic;

use crate::cluster::Cluster;
use crate::error::Error;
use crate::offsets::Asker;

use super::end_probe::after_last_record;
use super::reader::Reader;

/// The interval between requests.
const EVERY: Duration = Duration::from_secs(5);
/// How long the last records of a partition may take to be read.
const READ: Duration = Duration::from_secs(2);
/// So many offsets before the end are looked at first for the last record.
const TAIL: i64 = 64;

/// The ends of one topic, for readers of committed records; shared by all clones.
#[derive(Debug, Clone, Default)]
pub struct Ends(Arc<Mutex<KnownEnds>>);

#[derive(Debug, Default)]
struct KnownEnds {
    /// When all of them were known last.
    heard: Option<Instant>,
    committed: BTreeMap<i32, Span>,
    /// Where the last record of a partition is that ends so.
    last_records: BTreeMap<i32, (Span, i64)>,
    written: BTreeMap<i32, i64>,
}

impl Ends {
    /// Starts to poll, until the shutdown signal.
    ///
    /// # Errors
    /// [`Error::Broker`] for settings that librdkafka refuses; [`Error::Thread`] when the system gives no thread.
    pub fn watch(
        cluster: &Cluster,
        topic: &'static Topic,
        partitions: i32,
        stop: &Stop,
    ) -> Result<Self, Error> {
        let everything = Asker::of_everything(cluster)?;
        let last_records = LastRecords { cluster: cluster.clone(), topic, reader: None };
        Self::poll(cluster, (topic, partitions), Some((everything, last_records)), stop)
    }

    /// The same without [`Self::written`] and with [`Self::stable`] for [`Self::get`]: for whom markers and an open transaction do not
    /// concern.
    ///
    /// # Errors
    /// As above.
    pub fn watch_committed(
        cluster: &Cluster,
        topic: &Topic,
        partitions: i32,
        stop: &Stop,
    ) -> Result<Self, Error> {
        Self::poll(cluster, (topic, partitions), None, stop)
    }

    fn poll(
        cluster: &Cluster,
        (topic, partitions): (&Topic, i32),
        mut beyond: Option<(Arc<Asker>, LastRecords)>,
        stop: &Stop,
    ) -> Result<Self, Error> {
        let (committed, topic) = (Asker::of_committed(cluster)?, cluster.topic(topic.name));
        let (ends, stop) = (Self::default(), stop.clone());
        let asked = ends.clone();
        std::thread::Builder::new().name("ends".to_owned()).spawn(move || {
            loop {
                asked.ask((topic, partitions), &committed, beyond.as_mut());
                if stop.wait(EVERY) {
                    break;
                }
            }
        })?;
        Ok(ends)
    }

    /// Where each partition ends, as far as is known: after its last record, where nothing was written for a while, else at
    /// [`Self::stable`].
    #[must_use]
    pub fn get(&self) -> BTreeMap<i32, Span> {
        let known = self.lock();
        let end = |(partition, span): (&i32, &Span)| {
            let last = known.last_records.get(partition).filter(|(of, _)| of == span);
            (*partition, last.map_or(*span, |(_, next)| Span { next: *next, ..*span }))
        };
        known.committed.iter().map(end).collect()
    }

    /// Where what is committed ends in each partition, as far as is known, with the markers of transactions.
    #[must_use]
    pub fn stable(&self) -> BTreeMap<i32, Span> {
        self.lock().committed.clone()
    }

    /// Where what is written ends in each partition, as far as is known: beyond [`Self::stable`] while a transaction is open.
    #[must_use]
    pub fn written(&self) -> BTreeMap<i32, i64> {
        self.lock().written.clone()
    }

    /// For how long the brokers have not said where all partitions end, since they first did.
    #[must_use]
    pub fn silence(&self) -> Duration {
        self.lock().heard.map_or(Duration::ZERO, |heard| heard.elapsed())
    }

    fn ask(
        &self,
        (topic, partitions): (&str, i32),
        committed: &Asker,
        beyond: Option<&mut (Arc<Asker>, LastRecords)>,
    ) {
        let (all, last_records) = beyond.map_or((None, None), |(all, last)| (Some(all), Some(last)));
        let spans = committed.spans(topic, partitions);
        let written = || all.map_or(Ok(Vec::new()), |all| all.ends(topic, partitions));
        match spans.and_then(|spans| Ok((spans, written()?))) {
            Ok((spans, written)) => {
                let spans: BTreeMap<i32, Span> = (0..).zip(spans).collect();
                let quiet = self.heard(spans, (0..).zip(written).collect());
                if let Some(last_records) = last_records {
                    self.read_last(quiet, last_records);
                }
            }
            Err(error) => tracing::debug!(%error, "the ends of partitions are not known"),
        }
    }

    /// Keeps what the brokers said. Returns the partitions to which nothing was written since the last time, and whose last records are
    /// not known.
    fn heard(&self, committed: BTreeMap<i32, Span>, written: BTreeMap<i32, i64>) -> BTreeMap<i32, Span> {
        let mut known = self.lock();
        let before = std::mem::replace(&mut known.committed, committed);
        (known.written, known.heard) = (written, Some(Instant::now()));
        let is_quiet = |(partition, span): &(&i32, &Span)| {
            let is_known = known.last_records.get(partition).is_some_and(|(of, _)| of == *span);
            before.get(partition) == Some(*span) && !is_known
        };
        known.committed.iter().filter(is_quiet).map(|(partition, span)| (*partition, *span)).collect()
    }

    fn read_last(&self, quiet: BTreeMap<i32, Span>, last_records: &mut LastRecords) {
        for (partition, span) in quiet {
            match last_records.after(partition, span) {
                Ok(next) => {
                    self.lock().last_records.extend(next.map(|next| (partition, (span, next))));
                }
                Err(error) => {
                    tracing::debug!(partition, %error, "the last record of a partition is not known");
                }
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, KnownEnds> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Finds the last records of partitions, by a client that is opened when it is first needed.
struct LastRecords {
    cluster: Cluster,
    topic: &'static Topic,
    reader: Option<Reader>,
}

impl LastRecords {
    /// The position after the last record of a partition, or its first one where it has none; `None` when that is not known in time.
    fn after(&mut self, partition: i32, span: Span) -> Result<Option<i64>, Error> {
        if span.first == span.next {
            return Ok(Some(span.first));
        }
        let reader = match &mut self.reader {
            Some(reader) => reader,
            none => none.insert(Reader::new(&self.cluster, self.topic, &[("fetch.wait.max.ms", "5")])?),
        };
        let (deadline, mut tail) = (Instant::now() + READ, TAIL);
        loop {
            let begin = span.first.max(span.next - tail);
            let after = after_last_record(reader, partition, begin..span.next, deadline)?;
            if after.is_none_or(|after| after > begin) || begin == span.first {
                return Ok(after);
            }
            tail = tail.saturating_mul(16);
        }
    }
}
