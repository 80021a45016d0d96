//! How the sink comes to its partitions, and lets them go.
//!
//! A partition is started paused, and read once the tables have answered which of its rows they have. It
//! sends no row.

use std::time::Instant;

use arb_kafka::Source;
use arb_runtime::progress::PartitionProgress;
use arb_schemas::time::Micros;
use tokio::task::JoinHandle;

use super::super::partition::{Ended, Partition};
use super::super::recovery::resume;
use super::super::retry;
use super::super::sources::{named, topic};
use super::super::store::Range;
use super::{Sink, SinkError};

/// What comes from the runtime.
pub(super) enum Report {
    /// The tables could not be asked, and will be again.
    Waits,
    /// The tables have rows up to this offset.
    Known(Result<Option<i64>, String>),
    /// An attempt has ended.
    Ended(Result<Ended, String>),
}

/// A report, of which partition and life.
pub(super) type Told = (Source, u64, Report);

/// A partition that is read, and what is asked about it.
pub(super) struct Owned {
    pub(super) partition: Partition,
    pub(super) range: Range,
    /// A number that no earlier owner of the same partition has.
    pub(super) life: u64,
    pub(super) is_paused: bool,
    /// When a batch of it was last sent.
    pub(super) sent_at: Option<Instant>,
    /// The latest time of its rows that are settled.
    pub(super) latest: Option<Micros>,
    pub(super) asking: JoinHandle<()>,
}

impl Drop for Owned {
    fn drop(&mut self) {
        // The receiver of the answer is dropped.
        self.asking.abort();
    }
}

impl Sink {
    pub(super) fn take(&mut self, sources: &[Source]) -> Result<(), SinkError> {
        // A topic that was gone for long enough to be given back may be another by now.
        if let Some(topic) = self.consumer.ids().recreated() {
            return Err(SinkError::Recreated { topic });
        }
        let mut places = Vec::with_capacity(sources.len());
        for source in sources {
            places.push((*source, self.own(*source)?));
        }
        self.consumer.start_paused(&places)?;
        let partitions = places.iter().map(|(source, at)| format!("{}@{at}", named(*source)));
        tracing::info!(partitions = partitions.collect::<Vec<_>>().join(" "), "partitions taken");
        Ok(())
    }

    /// Finds out from where a partition is read, and has the tables asked what they have of it.
    fn own(&mut self, source: Source) -> Result<i64, SinkError> {
        let topic = topic(source);
        let topic_id = hex(self.consumer.id(source.topic));
        let (committed, span) = (self.consumer.committed(source)?, self.consumer.span(source)?);
        let resume = resume(committed.as_ref(), span, &topic_id).map_err(|refusal| SinkError::Refused {
            topic: topic.name,
            partition: source.partition,
            refusal,
        })?;
        if resume.lost > 0 {
            self.counts.lost += resume.lost.cast_unsigned();
            let (lost, at) = (resume.lost, resume.at);
            let partition = named(source);
            tracing::error!(
                partition,
                lost,
                at,
                "records were removed by Kafka's retention before they were inserted"
            );
        }
        if resume.is_new_topic {
            let partition = named(source);
            tracing::warn!(partition, "the topic was recreated and is read from its beginning");
        }
        let partition = source.partition;
        let range = Range { topic, topic_id, partition, first: resume.at, last: i64::MAX };
        self.lives += 1;
        let asking = self.ask(source, range.clone());
        let partition = Partition::new(topic, &resume, self.config.limits);
        let (life, sent_at, latest) = (self.lives, None, None);
        let owned = Owned { partition, range, life, is_paused: true, sent_at, latest, asking };
        if let Some(places) = self.config.places.get(source.topic) {
            places.put(source.partition, PartitionProgress { next: Some(resume.at), watermark: None });
        }
        self.owned.insert(source, owned);
        self.counts.taken += 1;
        Ok(resume.at)
    }

    fn ask(&self, source: Source, range: Range) -> JoinHandle<()> {
        let (store, life, to) = (self.store.clone(), self.lives, self.reports.0.clone());
        self.runtime.spawn(async move {
            let mut failures = 0;
            let answer = loop {
                match store.highest(&range).await {
                    Ok(highest) => break Ok(highest),
                    Err(failure) if failure.is_lasting() => break Err(failure.to_string()),
                    Err(error) => {
                        failures += 1;
                        let _ = to.send((source, life, Report::Waits));
                        let partition = named(source);
                        tracing::warn!(partition, failures, %error, "ClickHouse is asked again later");
                        tokio::time::sleep(retry::pause(failures, fastrand::f64())).await;
                    }
                }
            };
            // The receiver is dropped when the sink ends.
            let _ = to.send((source, life, Report::Known(answer)));
        })
    }

    pub(super) fn give_back(&mut self, sources: &[Source]) -> Result<(), SinkError> {
        self.owned.retain(|source, _| !sources.contains(source));
        for source in sources {
            if let Some(places) = self.config.places.get(source.topic) {
                places.remove(&[source.partition]);
            }
        }
        self.consumer.give_back(sources)?;
        let partitions: Vec<_> = sources.iter().map(|source| named(*source)).collect();
        tracing::info!(partitions = partitions.join(" "), "partitions given back");
        Ok(())
    }
}

fn hex(id: [u8; 16]) -> String {
    id.iter().fold(String::with_capacity(32), |text, byte| text + &format!("{byte:02x}"))
}
