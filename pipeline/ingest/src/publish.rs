//! Polls as records of the tick topic: the frames of each partition numbered, then a `PollEnd` in every one.
//!
//! It never puts a `PollEnd` that claims a frame before that frame of the same partition, and never a part of a poll.

use std::time::{Duration, Instant};

use arb_engine::caps::NAME_BYTES;
use arb_kafka::{TickOutput, partition_of};
use arb_model::Name;
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
    Kafka(#[from] arb_kafka::Error),
}

/// How long records may wait for others, to be written with them.
const GATHERED: Duration = Duration::from_millis(20);
/// Records that are enough for a transaction, and bytes of them.
const ENOUGH: (usize, usize) = (1_000, 1 << 20);

/// Gathers the records of sources, to be written together.
#[derive(Debug)]
pub struct Publisher {
    source: String,
    partitions: i32,
    gathered: Vec<TickOutput>,
    /// Of the values.
    bytes: usize,
    since: Option<Instant>,
}

impl Publisher {
    /// For a source, and a topic of so many partitions.
    #[must_use]
    pub fn new(source: &str, partitions: i32) -> Self {
        Self { source: source.to_owned(), partitions, gathered: Vec::new(), bytes: 0, since: None }
    }

    /// What is gathered, which is to be written.
    pub fn take(&mut self) -> Vec<TickOutput> {
        (self.bytes, self.since) = (0, None);
        std::mem::take(&mut self.gathered)
    }

    /// Whether nothing is gathered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.gathered.is_empty()
    }

    /// Whether it is enough for a transaction. It depends on the records alone, so that a recording that is played as fast as possible is cut
    /// at the same places in each run.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.gathered.len() >= ENOUGH.0 || self.bytes >= ENOUGH.1
    }

    /// Whether what is gathered would wait too long for what comes after this time. Without a wait there is more to gather at once.
    #[must_use]
    pub fn is_due(&self, wait: Duration) -> bool {
        !wait.is_zero() && self.since.is_some_and(|since| since.elapsed() + wait >= GATHERED)
    }

    /// Gathers a poll.
    ///
    /// # Errors
    /// [`PublishError::Wire`]; nothing of the poll is gathered then.
    pub fn poll(&mut self, poll: Poll) -> Result<(), PublishError> {
        let (received_at, frames, ticks) = (poll.received_at, poll.events.len(), poll.ticks());
        let of_poll = records(&self.source, poll, self.partitions).into_iter().map(|addressed| {
            let (Addressed { partition, key, .. }, value) = encoded(addressed)?;
            Ok(TickOutput { partition, key, value })
        });
        self.gather(of_poll.collect())?;
        telemetry::poll(received_at, frames, ticks);
        Ok(())
    }

    /// Gathers a heartbeat of the source for every partition.
    ///
    /// # Errors
    /// [`PublishError::Wire`].
    pub fn heartbeat(&mut self, at: Micros) -> Result<(), PublishError> {
        let message = TickRecord::Heartbeat(Heartbeat { source: self.source.clone(), at }).encode();
        self.gather(message.map(|message| self.everywhere(&message)))?;
        telemetry::heartbeat(at);
        Ok(())
    }

    /// Gathers for every partition that the source begins to answer a scan.
    ///
    /// # Errors
    /// [`PublishError::Wire`].
    pub fn scan_begin(&mut self, request: &ScanRequest) -> Result<(), PublishError> {
        let begin = ScanBegin { source: self.source.clone(), request: request.clone() };
        self.marker(&ScanMarker::Begin(Box::new(begin)))
    }

    /// Gathers for every partition that the source has answered a scan, by the poll of this time if it was polled.
    ///
    /// # Errors
    /// [`PublishError::Wire`].
    pub fn scan_end(
        &mut self,
        scan: &str,
        outcome: ScanOutcome,
        polled_at: Option<Micros>,
        credits: u64,
    ) -> Result<(), PublishError> {
        let (scan, source, outcome) = (scan.to_owned(), self.source.clone(), outcome.key().to_owned());
        let credits = i64::try_from(credits).unwrap_or(i64::MAX);
        self.marker(&ScanMarker::End(ScanEnd { scan, source, outcome, polled_at, credits }))
    }

    fn marker(&mut self, marker: &ScanMarker) -> Result<(), PublishError> {
        self.gather(marker.encode().map(|message| self.everywhere(&message)))
    }

    fn everywhere(&self, value: &[u8]) -> Vec<TickOutput> {
        let to = |partition| TickOutput { partition, key: self.source.clone(), value: value.to_vec() };
        (0..self.partitions).map(to).collect()
    }

    fn gather(&mut self, records: Result<Vec<TickOutput>, WireError>) -> Result<(), PublishError> {
        if records.is_err() {
            telemetry::not_published(false);
        }
        let records = records?;
        self.bytes += records.iter().map(|record| record.value.len()).sum::<usize>();
        self.gathered.extend(records);
        self.since.get_or_insert_with(Instant::now);
        Ok(())
    }
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
