//! Records of the feed that a test writes itself, and what a stream made of the whole feed must be.

use std::collections::HashMap;
use std::time::Duration;

use arb_model::{FilterValues, Time, fixtures};
use arb_runtime::feed_mark::{FeedMark, SEQUENCE};
use arb_schemas::records::{
    ArbWindow, BoardEntry, CloseSignal, Coverage, EdgeSignal, Event, Frame, LineMovement, Offer, Outcome,
    PickChange, Side, SignalChange, SignalQuote, StaleAlert, Status, Tick, WebhookDelivery, WindowGrading,
};
use arb_schemas::topics::{ARBS_BOARD, FEED_EVENTS, SIGNALS, Topic, WEBHOOK_DELIVERIES};
use arb_schemas::wire::{RecordType, decode, encode};
use rdkafka::message::{Header, OwnedHeaders};
use rdkafka::producer::{BaseProducer, BaseRecord, Producer};

use super::environment::Environment;
use super::sse;
use crate::kafka::{read_all, wait_until_settled};

const WAIT: Duration = Duration::from_mins(3);

/// A league's event.
pub(crate) fn event(league: &str) -> Event {
    Event { id: "e".into(), ..fixtures::event_of(league) }
}

/// An attempt of a delivery to an endpoint, a second after the one before.
pub(crate) fn delivery_entry(endpoint: &str, attempt: i64) -> WebhookDelivery {
    WebhookDelivery {
        delivery: "msg_of_the_test".into(),
        endpoint: endpoint.into(),
        kind: "arb_window".into(),
        subject: "w".into(),
        sequence: 7,
        attempt,
        outcome: if attempt == 3 { "delivered" } else { "failed" }.into(),
        status: (attempt > 1).then_some(if attempt == 3 { 200 } else { 503 }),
        latency: 12_345 * attempt,
        answer: "it is \u{201c}busy\u{201d}\n\t\\'".into(),
        next_at: (attempt < 3).then_some(1_790_000_001_000_000 + attempt * 1_000_000),
        created_at: 1_790_000_000_000_000,
        at: 1_790_000_000_000_001 + attempt * 1_000_000,
    }
}

/// A frame of one tick, received at a time.
pub(crate) fn frame(received_at: i64) -> Frame {
    let tick = Tick {
        outcome: Outcome::Home,
        side: Side::Back,
        line: None,
        price: 2_000_000,
        status: Status::Active,
        limit: None,
    };
    Frame {
        source: "s".into(),
        received_at,
        poll_index: None,
        push: None,
        event: event("soccer"),
        coverage: Coverage::ALL,
        offers: vec![Offer {
            book: "alpha".into(),
            market: "h2h".into(),
            last_seen_at: 0,
            price_moved_at: None,
            link: None,
            odds_format: arb_model::OddsFormat::Unknown,
            ticks: vec![tick],
        }],
    }
}

/// A window that opened, of which nothing but its margin is known.
pub(crate) fn opened(id: &str, league: &str, sequence: i64) -> Vec<u8> {
    let entry = BoardEntry {
        id: id.into(),
        event: event(league),
        kind: "surebet".into(),
        market: "h2h".into(),
        period: "full_time".into(),
        implied_probability: 0.98,
        margin: 0.02,
        margin_worst: 0.02,
        simultaneous: true,
        score: 0.02,
        updated_at: Time(1_000_000),
        sequence,
        ..BoardEntry::default()
    };
    encode(&ArbWindow { entry, replaced: None, ..fixtures::window() }).unwrap()
}

/// A window of a margin, after it had another one; the first opens it.
pub(crate) fn changed(id: &str, sequence: i64, margins: (Option<f64>, f64)) -> Vec<u8> {
    let (before, margin) = margins;
    let mut window: ArbWindow = decode(&opened(id, "soccer_test", sequence)).unwrap();
    window.entry.margin = margin;
    window.replaced = before.map(|margin| FilterValues { margin, ..window.entry.filter_values() });
    let change = if before.is_some() { "updated" } else { "opened" };
    encode(&ArbWindow { change: change.into(), ..window }).unwrap()
}

/// A window that closed, for a reason of any length.
pub(crate) fn closed(id: &str, league: &str, sequence: i64, reason: &str) -> Vec<u8> {
    let Event { id: event_id, sport, league, .. } = event(league);
    let (id, reason, market) = (id.into(), reason.into(), "h2h".into());
    let (opened_at, closed_at, margin_close, line) = (Time(0), Time(2_000_000), 0.01, None);
    let closed = CloseSignal { id, event_id, sport, league, reason, market, sequence, ..fixtures::close() };
    encode(&CloseSignal { opened_at, closed_at, margin_close, line, ..closed }).unwrap()
}

/// A price that moved.
pub(crate) fn moved(league: &str, sequence: i64) -> Vec<u8> {
    encode(&LineMovement { event: event(league), sequence, ..fixtures::movement() }).unwrap()
}

/// A book that went stale.
pub(crate) fn stale(league: &str, sequence: i64) -> Vec<u8> {
    encode(&StaleAlert { event: event(league), sequence, ..fixtures::alert() }).unwrap()
}

/// A value at the book alpha, from the prices of the book beta.
pub(crate) fn signal(id: &str, league: &str, sequence: i64, change: &str) -> SignalChange {
    let quote = |role, book, millionths| SignalQuote {
        price_moved_at: Time(500_000),
        last_seen_at: Time(900_000),
        ..fixtures::quote(role, book, millionths)
    };
    let signal = EdgeSignal {
        id: id.into(),
        kind: "value".into(),
        event: event(league),
        in_play: false,
        strength: 0.03,
        confidence: 0.9,
        kelly: Some(0.007),
        bets: vec![quote("bet", "alpha", 2_100_000)],
        evidence: vec![quote("source", "beta", 1_950_000)],
        fair: vec![fixtures::chance("shin", 0.4905)],
        opened_at: Time(1_000_000),
        updated_at: Time(1_000_000),
        expires_at: Time(91_000_000),
        sequence,
        ..fixtures::signal()
    };
    SignalChange { change: change.into(), signal }
}

/// Five records, one of each kind, numbered from here.
pub(crate) fn one_of_each(league: &str, sequence: i64) -> [Vec<u8>; 5] {
    let id = format!("w{sequence}");
    [
        opened(&id, league, sequence),
        moved(league, sequence + 1),
        stale(league, sequence + 2),
        closed(&id, league, sequence + 3, "price_moved"),
        encode(&signal(&format!("s{sequence}"), league, sequence + 4, "opened")).unwrap(),
    ]
}

/// A transactional writer to the feed: its markers take offsets, and what it aborts does too.
pub(crate) struct Writer {
    producer: BaseProducer,
    kafka: Environment,
}

impl Writer {
    pub(crate) fn new(kafka: &Environment) -> Self {
        Self::named(kafka, "test-writer")
    }

    /// Another one, beside the first.
    pub(crate) fn named(kafka: &Environment, name: &str) -> Self {
        let producer: BaseProducer = kafka
            .client()
            .set("transactional.id", kafka.name(name))
            // One that is left open stays so for as long as a test may wait for what happens meanwhile.
            .set("transaction.timeout.ms", "600000")
            .create()
            .unwrap();
        producer.init_transactions(WAIT).unwrap();
        Self { producer, kafka: kafka.clone() }
    }

    fn send(&self, partition: i32, records: &[Vec<u8>]) {
        let feed = self.kafka.name(FEED_EVENTS.name);
        self.producer.begin_transaction().unwrap();
        for value in records {
            let record = BaseRecord::<str, _>::to(&feed).partition(partition).payload(value);
            self.producer.send(record).map_err(|(error, _)| error).unwrap();
        }
    }

    /// Writes records to a partition in one transaction.
    pub(crate) fn write(&self, partition: i32, records: &[Vec<u8>]) {
        self.send(partition, records);
        self.producer.commit_transaction(WAIT).unwrap();
    }

    /// Writes records with these marks to a partition in one transaction, as the processor does.
    pub(crate) fn write_marked(&self, partition: i32, records: &[(FeedMark, Vec<u8>)]) {
        let feed = self.kafka.name(FEED_EVENTS.name);
        self.producer.begin_transaction().unwrap();
        for (mark, value) in records {
            let mark = mark.to_string();
            let headers = OwnedHeaders::new().insert(Header { key: SEQUENCE, value: Some(&mark) });
            let record = BaseRecord::<str, _>::to(&feed).partition(partition).payload(value);
            self.producer.send(record.headers(headers)).map_err(|(error, _)| error).unwrap();
        }
        self.commit();
    }

    /// Writes a window to the board, as a single entry.
    pub(crate) fn write_board(&self, partition: i32, id: &str, opened: &[u8]) {
        self.begin_board(partition, id, opened);
        self.commit();
    }

    /// Commits what is written.
    pub(crate) fn commit(&self) {
        self.producer.commit_transaction(WAIT).unwrap();
    }

    /// The same, not committed yet, but there.
    pub(crate) fn begin_board(&self, partition: i32, id: &str, opened: &[u8]) {
        let entry = encode(&decode::<ArbWindow>(opened).unwrap().entry).unwrap();
        self.producer.begin_transaction().unwrap();
        self.put(&ARBS_BOARD, partition, id, Some(&entry));
        self.producer.flush(WAIT).unwrap();
    }

    /// Writes what has become of a signal to both its topics, as the processor does.
    pub(crate) fn write_signal(&self, partition: i32, changed: &SignalChange) {
        self.send(partition, &[encode(changed).unwrap()]);
        self.put_signal(partition, changed);
        self.commit();
    }

    /// Writes a signal to its topic only, in a transaction that is still open.
    pub(crate) fn begin_signal(&self, partition: i32, changed: &SignalChange) {
        self.producer.begin_transaction().unwrap();
        self.put_signal(partition, changed);
        self.producer.flush(WAIT).unwrap();
    }

    /// Writes a pick that was published or graded.
    pub(crate) fn write_pick(&self, partition: i32, changed: &PickChange) {
        self.producer.begin_transaction().unwrap();
        let value = encode(changed).unwrap();
        self.put(&FEED_EVENTS, partition, &changed.pick.event.id, Some(&value));
        self.commit();
    }

    /// Writes the grading of a window.
    pub(crate) fn write_grading(&self, partition: i32, graded: &WindowGrading) {
        self.producer.begin_transaction().unwrap();
        let value = encode(graded).unwrap();
        self.put(&FEED_EVENTS, partition, &graded.window.event.id, Some(&value));
        self.commit();
    }

    /// Writes an entry of the delivery log.
    pub(crate) fn write_delivery(&self, partition: i32, entry: &WebhookDelivery) {
        self.producer.begin_transaction().unwrap();
        let value = encode(entry).unwrap();
        self.put(&WEBHOOK_DELIVERIES, partition, &entry.endpoint, Some(&value));
        self.commit();
    }

    fn put_signal(&self, partition: i32, SignalChange { change, signal }: &SignalChange) {
        let is_open = ["opened", "updated", "refreshed"].contains(&&**change);
        let value = is_open.then(|| encode(signal).unwrap());
        self.put(&SIGNALS, partition, &signal.id, value.as_deref());
    }

    fn put(&self, topic: &Topic, partition: i32, key: &str, value: Option<&[u8]>) {
        let topic = self.kafka.name(topic.name);
        let mut record = BaseRecord::to(&topic).partition(partition).key(key);
        record.payload = value;
        self.producer.send(record).map_err(|(error, _)| error).unwrap();
    }

    /// Writes records of a transaction that is then aborted.
    pub(crate) fn abort(&self, partition: i32, records: &[Vec<u8>]) {
        self.send(partition, records);
        self.producer.flush(WAIT).unwrap();
        self.producer.abort_transaction(WAIT).unwrap();
    }
}

/// The identity of an event: kind, window or event, sequence.
pub(crate) type Name = (String, String, i64);

/// The whole committed feed by a reader that is not ours, partition by partition, once every transaction on it has ended.
pub(crate) fn whole(kafka: &Environment) -> Vec<Vec<Name>> {
    wait_until_settled(kafka, &FEED_EVENTS);
    let mut partitions = vec![Vec::new(); 4];
    for record in read_all(kafka, FEED_EVENTS.name) {
        let index = usize::try_from(record.partition).unwrap();
        partitions[index].push(name_of(&record.value));
    }
    partitions
}

/// The name of a record of the feed.
pub(crate) fn name_of(value: &[u8]) -> Name {
    let name = |kind: &str, id: String, sequence| (kind.to_owned(), id, sequence);
    match RecordType::of(value).unwrap() {
        RecordType::LineMovement => {
            let moved: LineMovement = decode(value).unwrap();
            name("line_movement", moved.event.id.to_string(), moved.sequence)
        }
        RecordType::StaleAlert => {
            let alert: StaleAlert = decode(value).unwrap();
            name("stale_alert", alert.event.id.to_string(), alert.sequence)
        }
        RecordType::CloseSignal => {
            let closed: CloseSignal = decode(value).unwrap();
            name("close_signal", closed.id, closed.sequence)
        }
        RecordType::SignalChange => {
            let SignalChange { signal, .. } = decode(value).unwrap();
            name("edge_signal", signal.id, signal.sequence)
        }
        _ => {
            let ArbWindow { entry, .. } = decode(value).unwrap();
            name("arb_window", entry.id, entry.sequence)
        }
    }
}

/// The same of an event that a client got.
pub(crate) fn name(event: &sse::Event) -> Name {
    let json = event.json();
    let id = json["id"].as_str().or(json["event"]["id"].as_str()).unwrap_or_default().to_owned();
    (event.name.clone(), id, json["sequence"].as_i64().unwrap())
}

/// What a client got is the whole feed: all of it, once, each partition in its order.
pub(crate) fn assert_whole(got: &[Name], feed: &[Vec<Name>]) {
    let home: HashMap<_, _> = feed
        .iter()
        .enumerate()
        .flat_map(|(partition, names)| names.iter().map(move |n| (n, partition)))
        .collect();
    let mut by_partition = vec![Vec::new(); feed.len()];
    for name in got {
        by_partition[*home.get(name).unwrap_or_else(|| panic!("{name:?} is not of the feed"))]
            .push(name.clone());
    }
    for (partition, (got, expected)) in by_partition.iter().zip(feed).enumerate() {
        let differ = got.iter().zip(expected).position(|(got, expected)| got != expected);
        let (got_count, expected_count) = (got.len(), expected.len());
        assert!(
            got == expected,
            "partition {partition}: {got_count} of {expected_count}, first other {differ:?}"
        );
    }
}
