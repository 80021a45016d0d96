//! Polls as records of the tick topic: the frames of each partition numbered, then a `PollEnd` in every one.
//!
//! It never sends a `PollEnd` that claims a frame which was not sent before it to the same partition.

use std::sync::Arc;
use std::time::Duration;

use arb_engine::caps::NAME_BYTES;
use arb_kafka::{self as kafka, Cluster, TickProducer, partition_of};
use arb_model::Name;
use arb_runtime::readiness::Position;
use arb_schemas::records::{Coverage, Event, Frame, Heartbeat, PollEnd, ScanBegin, ScanEnd, ScanRequest};
use arb_schemas::time::Micros;
use arb_schemas::wire::WireError;
use arb_schemas::{ScanMarker, TickRecord};
use thiserror::Error;

use super::scan::ScanOutcome;
use super::source::Poll;
use crate::telemetry;

/// A record and where it goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Addressed {
    /// Partition.
    pub partition: i32,
    /// Key: the event, or the source for what every partition gets.
    pub key: String,
    /// Record.
    pub record: TickRecord,
}

/// The records of a poll, in the order in which they must be sent.
///
/// ```
/// use arb_ingest::publish::records;
/// use arb_ingest::simulator::{Settings, Simulator};
/// use arb_schemas::TickRecord;
///
/// let poll = Simulator::new(Settings { events: 3, books: 4, ..Settings::default() }).poll_at(0);
/// let events = poll.events.len();
/// let records = records("feed", poll, 2);
/// assert_eq!(records.len(), events + 2, "a frame for each event, the end of the poll in each partition");
/// assert!(matches!(records.last().unwrap().record, TickRecord::PollEnd(_)));
/// ```
#[must_use]
pub fn records(source: &str, poll: Poll, partitions: i32) -> Vec<Addressed> {
    let Poll { received_at, league, coverage, events } = poll;
    let mut counts = vec![0; usize::try_from(partitions).unwrap_or(0)];
    let mut records = Vec::with_capacity(events.len() + counts.len());
    for (event, offers) in events {
        let partition = partition_of(&event.id, partitions);
        let count: &mut i32 = &mut counts[usize::try_from(partition).unwrap_or(0)];
        let key = event.id.to_string();
        let (source, coverage) = (source.to_owned(), coverage.clone());
        let frame =
            Frame { source, received_at, poll_index: Some(*count), event, coverage, offers, push: None };
        *count += 1;
        records.push(Addressed { partition, key, record: TickRecord::Frame(frame) });
    }
    records.extend((0..).zip(counts).map(|(partition, frames)| {
        let (league, coverage) = (league.clone(), coverage.clone());
        let end = PollEnd { source: source.to_owned(), received_at, league, coverage, frames };
        Addressed { partition, key: source.to_owned(), record: TickRecord::PollEnd(end) }
    }));
    records
}

/// A record as it is sent, and its message. One frame that is too long must not end its poll, nor be missing in it: its event
/// goes without ticks and with a coverage of nothing, so that it counts as come and as named, and withdraws nothing.
fn encoded(mut addressed: Addressed) -> Result<(Addressed, Vec<u8>), WireError> {
    let (length, frame) = match (addressed.record.encode(), &mut addressed.record) {
        (Err(WireError::TooLong { length, .. }), TickRecord::Frame(frame)) => (length, frame),
        (message, _) => return Ok((addressed, message?)),
    };
    empty(frame);
    addressed.key = frame.event.id.to_string();
    telemetry::too_long(&frame.event.id, length);
    let message = addressed.record.encode()?;
    Ok((addressed, message))
}

fn empty(frame: &mut Frame) {
    frame.offers.clear();
    frame.coverage = Coverage { books: Some(vec![]), markets: Some(vec![]) };
    let Event { id, sport, league, home, away, .. } = &mut frame.event;
    [id, sport, league, home, away].into_iter().for_each(cut);
}

/// Cuts a name that is longer than the engine takes; what is left still is, or it would be the name of something else.
fn cut(name: &mut Name) {
    let end = (NAME_BYTES + 1..name.len()).find(|end| name.is_char_boundary(*end));
    if let Some(end) = end {
        *name = name[..end].into();
    }
}

/// Why a record could not be published.
#[derive(Debug, Error)]
pub enum PublishError {
    /// It does not fit its schema.
    #[error(transparent)]
    Wire(#[from] WireError),
    /// Kafka did not take it.
    #[error(transparent)]
    Kafka(#[from] kafka::Error),
}

/// Publishes the polls of one source.
pub struct Publisher {
    producer: Arc<TickProducer>,
    source: String,
    partitions: i32,
}

impl Publisher {
    /// Connects.
    ///
    /// # Errors
    /// [`PublishError::Kafka`] when the topics are not as the catalogue has them.
    pub fn connect(cluster: &Cluster, source: &str) -> Result<Self, PublishError> {
        let partitions = kafka::partitions(cluster)?;
        Ok(Self { producer: Arc::new(TickProducer::new(cluster)?), source: source.to_owned(), partitions })
    }

    /// Publishes the polls of another source, over the same connection.
    #[must_use]
    pub fn of(&self, source: &str) -> Self {
        let producer = Arc::clone(&self.producer);
        Self { producer, source: source.to_owned(), partitions: self.partitions }
    }

    /// Of the topic.
    #[must_use]
    pub fn partitions(&self) -> i32 {
        self.partitions
    }

    /// Sends a poll.
    ///
    /// # Errors
    /// [`PublishError`].
    pub fn poll(&self, poll: Poll) -> Result<(), PublishError> {
        let (received_at, frames, ticks) = (poll.received_at, poll.events.len(), poll.ticks());
        noted(self.send_poll(poll))?;
        telemetry::poll(received_at, frames, ticks);
        Ok(())
    }

    fn send_poll(&self, poll: Poll) -> Result<(), PublishError> {
        for addressed in records(&self.source, poll, self.partitions) {
            let (addressed, message) = encoded(addressed)?;
            self.producer.send(addressed.partition, &addressed.key, &message)?;
        }
        Ok(())
    }

    /// Publishes a heartbeat of the source to every partition.
    ///
    /// # Errors
    /// [`PublishError`].
    pub fn heartbeat(&self, at: Micros) -> Result<(), PublishError> {
        noted(self.send_heartbeat(at))?;
        telemetry::heartbeat(at);
        Ok(())
    }

    fn send_heartbeat(&self, at: Micros) -> Result<(), PublishError> {
        let message = TickRecord::Heartbeat(Heartbeat { source: self.source.clone(), at }).encode()?;
        for partition in 0..self.partitions {
            self.producer.send(partition, &self.source, &message)?;
        }
        Ok(())
    }

    /// Publishes to every partition that the source begins to answer a scan.
    ///
    /// # Errors
    /// [`PublishError`].
    pub fn scan_begin(&self, request: &ScanRequest) -> Result<(), PublishError> {
        let begin = ScanBegin { source: self.source.clone(), request: request.clone() };
        noted(self.send_marker(&ScanMarker::Begin(Box::new(begin))))
    }

    /// Publishes to every partition that the source has answered a scan, by the poll of this time if it was polled.
    ///
    /// # Errors
    /// [`PublishError`].
    pub fn scan_end(
        &self,
        scan: &str,
        outcome: ScanOutcome,
        polled_at: Option<Micros>,
        credits: u64,
    ) -> Result<(), PublishError> {
        let (scan, source, outcome) = (scan.to_owned(), self.source.clone(), outcome.key().to_owned());
        let credits = i64::try_from(credits).unwrap_or(i64::MAX);
        noted(self.send_marker(&ScanMarker::End(ScanEnd { scan, source, outcome, polled_at, credits })))
    }

    fn send_marker(&self, marker: &ScanMarker) -> Result<(), PublishError> {
        let message = marker.encode()?;
        for partition in 0..self.partitions {
            self.producer.send(partition, &self.source, &message)?;
        }
        Ok(())
    }

    /// How far Kafka has acknowledged what was sent, in records.
    #[must_use]
    pub fn progress(&self) -> Position {
        self.producer.progress()
    }

    /// Waits at most so long; whether everything is acknowledged.
    ///
    /// # Errors
    /// [`PublishError::Kafka`] for a record that could not be delivered.
    pub fn flush_within(&self, time: Duration) -> Result<bool, PublishError> {
        noted(self.producer.flush_within(time).map_err(PublishError::from))
    }

    /// Waits until everything is acknowledged.
    ///
    /// # Errors
    /// [`PublishError::Kafka`].
    pub fn flush(&self) -> Result<(), PublishError> {
        noted(self.producer.flush().map_err(PublishError::from))
    }
}

/// Counts what could not be published.
fn noted<T>(done: Result<T, PublishError>) -> Result<T, PublishError> {
    if let Err(error) = &done {
        telemetry::not_published(matches!(error, PublishError::Kafka(_)));
    }
    done
}

#[cfg(test)]
mod tests {
    use arb_model::Time;
    use arb_schemas::limits;
    use arb_schemas::records::{Offer, Outcome, Side, Status, Tick};

    use super::*;

    fn event(id: &str) -> Event {
        let text = Name::default;
        Event {
            id: id.into(),
            sport: text(),
            league: text(),
            home: text(),
            away: text(),
            commence_time: Time(0),
        }
    }

    #[test]
    fn each_partition_gets_its_frames_numbered_and_their_count() {
        let ids = ["a", "b", "c", "d", "e", "f", "g", "h"];
        let events = ids.map(|id| (event(id), vec![])).to_vec();
        let poll = Poll { received_at: 7, league: None, coverage: Coverage::ALL, events };
        let sent = records("s", poll, 3);
        assert_eq!(sent.len(), ids.len() + 3);
        for partition in 0..3 {
            let mut expected = 0;
            let mut ended = false;
            for sent in sent.iter().filter(|sent| sent.partition == partition) {
                match &sent.record {
                    TickRecord::Frame(frame) => {
                        assert!(!ended && frame.poll_index == Some(expected));
                        assert_eq!((partition_of(&sent.key, 3), &*sent.key), (partition, &*frame.event.id));
                        expected += 1;
                    }
                    TickRecord::PollEnd(end) => {
                        ended = true;
                        assert_eq!((end.frames, end.received_at, &*sent.key), (expected, 7, "s"));
                    }
                    TickRecord::Heartbeat(_) | TickRecord::Suspension(_) => {
                        panic!("of a poll there is no such record")
                    }
                }
            }
            assert!(ended);
        }
    }

    fn frame_of(ticks: usize, id: &str) -> Addressed {
        let tick = Tick {
            outcome: Outcome::Home,
            side: Side::Back,
            line: None,
            price: 2_000_000,
            status: Status::Active,
            limit: None,
        };
        let (book, market) = ("b".to_owned(), "h2h".to_owned());
        let offer = Offer {
            book,
            market,
            last_seen_at: 1,
            price_moved_at: None,
            ticks: vec![tick; ticks],
            link: None,
            odds_format: arb_model::OddsFormat::Unknown,
        };
        let events = vec![(event(id), vec![offer])];
        let poll = Poll { received_at: 7, league: None, coverage: Coverage::ALL, events };
        records("s", poll, 1).remove(0)
    }

    #[test]
    fn a_frame_that_is_too_long_goes_without_its_ticks() {
        let (sent, message) = encoded(frame_of(100_000, "e")).unwrap();
        assert_eq!((sent, message.len() > 900_000), (frame_of(100_000, "e"), true), "it fits");
        let (sent, message) = encoded(frame_of(200_000, "e")).unwrap();
        assert!(message.len() < 100);
        let TickRecord::Frame(frame) = &sent.record else { panic!("no frame") };
        assert_eq!((&*sent.key, frame.poll_index, &*frame.event.id), ("e", Some(0), "e"));
        let nothing = Coverage { books: Some(vec![]), markets: Some(vec![]) };
        assert_eq!((&frame.coverage, frame.offers.len()), (&nothing, 0));
    }

    #[test]
    fn a_name_that_is_too_long_is_cut_to_one_that_nobody_has() {
        let (sent, message) = encoded(frame_of(1, &"ø".repeat(limits::INPUT))).unwrap();
        assert!(message.len() < 1_000 && sent.key.len() == 258 && sent.key.len() > NAME_BYTES);
        let TickRecord::Frame(frame) = sent.record else { panic!("no frame") };
        assert_eq!(*frame.event.id, *sent.key);
    }
}
