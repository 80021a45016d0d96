//! Records at, just below and far above each limit on a real Kafka, the processor killed with -9 and started
//! again after each: it comes back, the rest is processed, and dead letters have the reasons.

use std::time::Duration;

use arb_engine::caps::{FRAME_TICKS, LINE_BOOKS};
use arb_kafka::partition_of;
use arb_model::{Points, Time};
use arb_schemas::limits;
use arb_schemas::records::{BoardEntry, Coverage, Event, Frame, Offer, Outcome, Side, Status, Tick};
use arb_schemas::time::SECOND;
use arb_schemas::topics::{ARBS_BOARD, DEAD_TICKS, DEFAULT_PARTITIONS, ODDS_TICKS, PROCESS_STATE};
use arb_schemas::wire::{self, RecordType};
use rdkafka::producer::{BaseProducer, BaseRecord, Producer};

use crate::kafka::{read_all, try_committed, wait_until_settled};
use crate::support::metrics::Admin;
use crate::support::program::Role;
use crate::support::stack::Broker;
use crate::support::{PATIENCE, wait_for};

fn tick(line: i32, outcome: Outcome, price: i64) -> Tick {
    let (side, status, limit) = (Side::Back, Status::Active, None);
    Tick { outcome, side, line: Some(line), price, status, limit }
}

fn offer(book: String, ticks: Vec<Tick>, at: i64) -> Offer {
    Offer {
        book,
        market: "totals".into(),
        last_seen_at: at,
        price_moved_at: None,
        ticks,
        link: None,
        odds_format: arb_model::OddsFormat::Unknown,
    }
}

/// A push message about one event at a second.
fn message(second: i64, offers: impl Fn(i64) -> Vec<Offer>) -> Vec<u8> {
    let at = 1_800_000_000 * SECOND + second * SECOND;
    let (sport, league, home, away) = ("soccer".into(), "l".into(), "h".into(), "a".into());
    let event =
        Event { id: "e".into(), sport, league, home, away, commence_time: Time(at + 86_400 * SECOND) };
    let coverage = Coverage { books: Some(vec![]), markets: Some(vec![]) };
    let source = "limits".into();
    let frame =
        Frame { source, received_at: at, poll_index: None, event, coverage, offers: offers(at), push: None };
    wire::encode(&frame).unwrap()
}

/// So many ticks of one event: lines of a hundred books.
fn ticks(count: usize) -> impl Fn(i64) -> Vec<Offer> {
    let line = |index: usize| i32::try_from(index / 100).unwrap() * 500;
    let of = move |book: usize| (book..count).step_by(100).map(line).collect::<Vec<_>>();
    let over = |line| tick(line, Outcome::Over, 1_500_000);
    move |at| {
        let book = |book| offer(format!("book-{book}"), of(book).into_iter().map(over).collect(), at);
        (0..100).map(book).collect()
    }
}

/// Books on one line, from one number to another.
fn books(from: usize, to: usize) -> impl Fn(i64) -> Vec<Offer> {
    let over = || vec![tick(250, Outcome::Over, 1_500_000)];
    move |at| (from..to).map(|index| offer(format!("many-{index}"), over(), at)).collect()
}

fn arb(at: i64) -> Vec<Offer> {
    vec![
        offer("book-1".into(), vec![tick(750, Outcome::Over, 2_200_000)], at),
        offer("book-2".into(), vec![tick(750, Outcome::Under, 2_300_000)], at),
    ]
}

/// Writes a record as a client may whose own limits are wide.
fn write(broker: &Broker, value: &[u8]) {
    let topic = broker.kafka.name(ODDS_TICKS.name);
    let producer: BaseProducer = broker
        .kafka
        .client()
        .set("partitioner", "murmur2_random")
        .set("enable.idempotence", "true")
        .set("message.max.bytes", "8000000")
        .set("compression.type", "lz4")
        .create()
        .unwrap();
    let record = BaseRecord::to(&topic).key("e").payload(value);
    producer.send(record).map_err(|(error, _)| error).unwrap();
    producer.flush(PATIENCE).unwrap();
}

/// The time limit for a request of the group's offset.
const ASK: Duration = Duration::from_secs(5);

/// Starts a processor, waits until it has taken in so many records and is ready, and kills it.
fn process_and_kill(broker: &Broker, records: i64) {
    let log = broker.path(&format!("process-{records}.log"));
    let mut process = Role::start("process", &[broker.kafka.at(), broker.kafka.named()], &log);
    let partition = usize::try_from(partition_of("e", DEFAULT_PARTITIONS)).unwrap();
    wait_for(&format!("record {records} is processed"), || {
        process.assert_runs();
        // Right after the broker's start the group has no coordinator yet.
        let committed = try_committed(&broker.kafka, "arb-process", ASK).ok()?[partition];
        assert!(committed <= Some(records), "{committed:?} where {records} records were written");
        (committed == Some(records)).then_some(())
    });
    wait_for("it is ready", || (Admin::of(&log).get("/readyz").status == 200).then_some(()));
    process.kill();
}

#[test]
fn no_record_keeps_a_processor_from_coming_back() {
    let broker = Broker::start();
    let mut messages = Vec::new();
    for count in [FRAME_TICKS - 1, FRAME_TICKS, FRAME_TICKS + 1, 30_000] {
        messages.push(message(i64::try_from(messages.len()).unwrap(), ticks(count)));
    }
    let header = [&[0][..], &(RecordType::Frame as u32).to_be_bytes()].concat();
    let long = [header.clone(), vec![0; limits::INPUT - 4]].concat();
    messages.extend([long, [header, vec![0; 3_000_000]].concat()]);
    for grown in 0..4 {
        let second = i64::try_from(messages.len()).unwrap();
        messages.push(message(second, books(90 * grown, 90 * (grown + 1))));
    }
    messages.push(message(60, arb));
    for (index, message) in (1..).zip(&messages) {
        write(&broker, message);
        process_and_kill(&broker, index);
    }
    // The markers of the last transaction come to one topic after the other.
    for topic in [DEAD_TICKS, ARBS_BOARD, PROCESS_STATE] {
        wait_until_settled(&broker.kafka, &topic);
    }
    let reasons: Vec<_> = read_all(&broker.kafka, DEAD_TICKS.name)
        .iter()
        .map(|letter| letter.headers.iter().find(|(key, _)| key == "arb-error").unwrap().1.clone())
        .collect();
    let expected = [
        "more than 10000 ticks in a frame: refused".to_owned(),
        "more than 10000 ticks in a frame: refused".to_owned(),
        format!("{} bytes long, more than {}", limits::INPUT + 1, limits::INPUT),
        format!("{} bytes, more than {}", 3_000_005 + 1, limits::VALUE),
        format!("more than {LINE_BOOKS} books on a line: 14 ticks left out"),
        format!("more than {LINE_BOOKS} books on a line: 90 ticks left out"),
    ];
    assert_eq!(reasons, expected);
    let entries: Vec<BoardEntry> = read_all(&broker.kafka, ARBS_BOARD.name)
        .iter()
        .filter(|record| RecordType::of(&record.value).is_ok_and(|found| found == RecordType::BoardEntry))
        .map(|record| wire::decode(&record.value).unwrap())
        .collect();
    let books: Vec<_> = entries.last().unwrap().legs.iter().map(|leg| &*leg.book).collect();
    assert_eq!((books, entries.last().unwrap().line), (vec!["book-1", "book-2"], Some(Points(750))));
    let state = read_all(&broker.kafka, PROCESS_STATE.name);
    let longest = state.iter().map(|record| record.value.len()).max().unwrap();
    assert!(longest < limits::VALUE / 10, "a line is small: {longest}");
}
