//! Streams against a real Kafka: the events that a client folds give the board, and however often it is
//! disconnected, and wherever it resumes, it gets the whole feed once.

use std::collections::BTreeMap;

use arb_schemas::topics::FEED_EVENTS;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rdkafka::topic_partition_list::Offset;
use serde_json::Value;

use crate::support::feed::{Name, Writer, assert_whole, closed, name, one_of_each, opened, whole};
use crate::support::program::Role;
use crate::support::recordings;
use crate::support::serve::{Key, Serve};
use crate::support::sse::{Event, Sse};
use crate::support::stack::{Broker, Stack};
use crate::support::topics::{delete_before, recreate};
use crate::support::wait_for;

/// An entry without what depends on when it is shown.
fn timeless(entry: &Value) -> (String, Value) {
    let mut entry = entry.clone();
    let fields = entry.as_object_mut().unwrap();
    for name in ["rank", "change", "updated_at"] {
        fields.remove(name);
    }
    for leg in fields["legs"].as_array_mut().unwrap() {
        leg.as_object_mut().unwrap().retain(|name, _| !["age_seconds", "last_seen_at"].contains(&&**name));
    }
    (fields["id"].as_str().unwrap().to_owned(), entry)
}

/// A board by id.
fn by_id(board: &Value) -> BTreeMap<String, Value> {
    board["arbs"].as_array().unwrap().iter().map(timeless).collect()
}

/// What a client makes of a stream; no window ever goes back.
#[derive(Default)]
struct Folded {
    open: BTreeMap<String, Value>,
    names: Vec<Name>,
}

impl Folded {
    fn apply(&mut self, event: &Event) {
        match &*event.name {
            "snapshot" => self.open = by_id(&event.json()),
            "arb_window" => {
                let (id, entry) = timeless(&event.json());
                if let Some(was) = self.open.insert(id.clone(), entry.clone()) {
                    assert!(was["sequence"].as_i64() < entry["sequence"].as_i64(), "{id} went back");
                    assert_eq!(event.json()["change"], "updated");
                }
                self.names.push(name(event));
            }
            "close_signal" => {
                let was = self.open.remove(event.json()["id"].as_str().unwrap());
                assert!(was.is_some(), "closed, but never open: {}", event.data);
                self.names.push(name(event));
            }
            "line_movement" | "stale_alert" | "edge_signal" => self.names.push(name(event)),
            // It is disconnected after the latter, and resumes; `carry_on` returns when that may be.
            "heartbeat" | "lagged" => {}
            other => panic!("{other}"),
        }
    }
}

#[test]
fn a_snapshot_and_what_follows_are_the_board() {
    let stack = Stack::start("board");
    let key = stack.holder.clone();
    let early = Serve::start(&stack.broker, &key, "early", &[]);
    let mut from_nothing = (early.stream("", None), Folded::default());
    let recording = recordings::simulated(stack.broker.scratch.path(), 61, 120);
    stack.broker.ingest(&recording, &["--until", "2026-01-01T04:25:00Z"]);
    stack.board_at("2026-01-01T04:25:00Z");
    // An instance that began with this board in its topics, and a client in the middle of it.
    let late = Serve::start(&stack.broker, &key, "late", &[]);
    let mut from_the_middle = (late.stream("", None), Folded::default());
    stack.broker.ingest(&recording, &["--after", "2026-01-01T04:25:00Z"]);
    let board = stack.board_at("2026-01-01T09:55:00Z");
    assert!(!board["arbs"].as_array().unwrap().is_empty(), "an empty board proves nothing");
    let board = by_id(&board);
    // They have read nothing meanwhile: on a slow machine that is long enough to be cut.
    for (serve, (stream, folded)) in [(&early, &mut from_nothing), (&late, &mut from_the_middle)] {
        carry_on(serve, stream, folded, |folded| folded.open == board);
        assert!(folded.names.len() > 20, "{} events are too few for a comparison", folded.names.len());
    }
    // A snapshot of the end only has the same content; it may be a moment old.
    for serve in [&early, &late] {
        wait_for("the snapshot is the board", || {
            let snapshot = serve.stream("", None).next().unwrap();
            assert_eq!(snapshot.name, "snapshot");
            (by_id(&snapshot.json()) == board).then_some(())
        });
    }
}

/// Reads so many events of the feed, and then no more; where to go on.
fn read_some(mut stream: Sse, count: usize, got: &mut Vec<Name>) -> String {
    got.extend(stream.take(count).iter().map(name));
    stream.last_id.unwrap()
}

/// The first id of a client that begins now.
fn begin(serve: &Serve) -> String {
    let mut stream = serve.stream("", None);
    assert_eq!(stream.next().unwrap().name, "snapshot");
    stream.last_id.unwrap()
}

#[test]
fn a_cut_client_goes_on_anywhere_without_gap_or_repeat() {
    let broker = Broker::start();
    let key = Key::new(&broker, "enterprise");
    let writer = Writer::new(&broker.kafka);
    // One keeps so little that it must ask Kafka, the other everything.
    let small = Serve::start(&broker, &key, "small", &["--stream-events", "8"]);
    let large = Serve::start(&broker, &key, "large", &[]);
    let (mut id, mut got, mut sequence) = (begin(&small), Vec::new(), 0);
    let mut write = |partitions: std::ops::Range<i32>| {
        for partition in partitions {
            sequence += 5;
            writer.write(partition, &one_of_each("soccer_test", sequence));
            writer.abort(partition, &one_of_each("soccer_aborted", 1_000_000 + sequence));
        }
    };
    for round in 0..6 {
        (0..5).for_each(|_| write(0..4));
        // 100 records a round; clients that are cut at every kind of place, in the ring and before it.
        id = read_some(small.stream("", Some(&id)), 1 + round * 3, &mut got);
        id = read_some(large.stream("", Some(&id)), 7 + round, &mut got);
        id = read_some(small.stream("", Some(&id)), 30, &mut got);
        let query = format!("last_event_id={id}");
        id = read_some(large.stream(&query, None), 12, &mut got);
    }
    let feed = whole(&broker.kafka);
    let left = feed.iter().map(Vec::len).sum::<usize>() - got.len();
    assert!(left > 50, "{left}");
    id = read_some(small.stream("", Some(&id)), left, &mut got);
    assert_whole(&got, &feed);
    // And what comes then is what is written then.
    let mut stream = large.stream("", Some(&id));
    writer.write(3, &[opened("last", "soccer_test", 9_999_999)]);
    assert_eq!(name(&stream.next_event().unwrap()).1, "last");
    one_kind_of_one_league(&small, &writer, &begin(&small));
}

/// Filters hold for what comes from Kafka as for what comes from memory.
fn one_kind_of_one_league(small: &Serve, writer: &Writer, id: &str) {
    for sequence in 0..10 {
        let records =
            ["tennis_test", "soccer_test"].map(|league| one_of_each(league, 20_000_000 + sequence * 5));
        writer.write(2, &records.concat());
    }
    for (query, count) in [
        ("sport=tennis&event=line_movement", 10),
        ("sport=tennis_test", 50),
        ("event=stale_alert,close_signal", 40),
        ("event=edge_signal", 20),
    ] {
        let events = small.stream(query, Some(id)).take(count);
        let last = &events[count - 1];
        assert!(last.json()["sequence"].as_i64().unwrap() >= 20_000_045, "{query}: {}", last.data);
        for event in events {
            let sport = event.json()["sport"].as_str().unwrap().to_owned();
            assert!(!query.contains("tennis") || sport == "tennis", "{query}: {sport}");
            assert!(!query.contains("event") || query.contains(&event.name), "{query}: {}", event.name);
        }
    }
    // A snapshot is filtered like the board.
    let snapshot = small.stream("sport=tennis", None).next().unwrap().json();
    assert_eq!(snapshot["arbs"].as_array().unwrap().len(), 0, "{snapshot}");
}

/// Reads until a fact is true. A client that is cut, by a burst of more than an instance keeps or for not reading, comes back.
fn carry_on(serve: &Serve, stream: &mut Sse, folded: &mut Folded, is_true: impl Fn(&Folded) -> bool) {
    while !is_true(folded) {
        match stream.next() {
            Some(event) => folded.apply(&event),
            None => *stream = serve.stream("", stream.last_id.as_deref()),
        }
    }
}

/// Reads what an instance still sends before it ends; a graceful shutdown ends with a notice.
fn read_to_its_end(stream: &mut Sse, folded: &mut Folded, in_good_order: bool) {
    let mut last = None;
    while let Some(event) = stream.next() {
        if event.name != "server_restart" {
            folded.apply(&event);
        }
        last = Some(event);
    }
    if in_good_order {
        let last = last.unwrap();
        let is_restart = last.name == "server_restart" && (1_000..=5_000).contains(&last.retry.unwrap());
        assert!(is_restart || last.name == "lagged", "{last:?}");
    }
}

/// An instance that keeps little, and cuts no client that does not read: one that is cut so gets no last word.
const PATIENT: [&str; 4] = ["--stream-events", "16", "--stall-ms", "600000"];

#[test]
fn streams_survive_restarts_of_the_api_and_kills_of_it_and_of_the_processor() {
    let mut stack = Stack::start("board");
    let key = stack.holder.clone();
    let recording = recordings::simulated(stack.broker.scratch.path(), 62, 100);
    let mut serve = Serve::start(&stack.broker, &key, "serve", &PATIENT);
    let (mut stream, mut folded) = (serve.stream("", None), Folded::default());
    let polls = |hour| format!("2026-01-01T0{hour}:00:00Z");
    for hour in 1..8 {
        let (after, until) = (polls(hour - 1), polls(hour));
        let from: &[&str] = if hour == 1 { &[] } else { &["--after", &after] };
        stack.broker.ingest(&recording, &[from, &["--until", &until]].concat());
        // The old one ends while the feed continues; the client reads what it is still sent.
        if hour % 2 == 1 {
            // Meanwhile, or there would be no room for a last word.
            std::thread::scope(|scope| {
                scope.spawn(|| serve.role.stop());
                read_to_its_end(&mut stream, &mut folded, true);
            });
        } else {
            serve.role.kill();
            stack.process.kill();
            let arguments = ["--policy", "board", stack.broker.kafka.at(), stack.broker.kafka.named()];
            stack.process = Role::start("process", &arguments, &stack.broker.path("process.log"));
            read_to_its_end(&mut stream, &mut folded, false);
        }
        serve = Serve::start(&stack.broker, &key, &format!("serve-{hour}"), &PATIENT);
        stream = serve.stream("", stream.last_id.as_deref());
    }
    let board = by_id(&stack.board_at(&polls(7)));
    carry_on(&serve, &mut stream, &mut folded, |folded| folded.open == board);
    let feed = whole(&stack.broker.kafka);
    let all: usize = feed.iter().map(Vec::len).sum();
    carry_on(&serve, &mut stream, &mut folded, |folded| folded.names.len() >= all);
    assert!(folded.names.len() > 50, "{} events are too few for a comparison", folded.names.len());
    assert_whole(&folded.names, &feed);
    assert_eq!(folded.open, board);
}

/// The markers of one transaction reach its partitions one after the other. Here two transactions represent
/// the two halves of one: the feed's is committed, the board's not yet.
#[test]
fn a_snapshot_has_what_the_feed_said_before_the_board_could_be_read() {
    let broker = Broker::start();
    let key = Key::new(&broker, "enterprise");
    let (feed, board) = (Writer::new(&broker.kafka), Writer::named(&broker.kafka, "board"));
    let window = opened("window", "soccer_test", 1);
    board.begin_board(0, "window", &window);
    feed.write(0, &[window]);
    // It keeps nothing of what was before it: what the board lacks, it lacks.
    let mut serve = Serve::launch(&broker, &key, "serve", &["--stream-events", "1"]);
    wait_for("it waits, or is wrong", || {
        let output = std::fs::read_to_string(broker.path("serve.log")).unwrap();
        (output.contains("waiting for the end of an open transaction") || serve.is_ready()).then_some(())
    });
    board.commit();
    wait_for("it is ready", || serve.is_ready().then_some(()));
    let snapshot = serve.stream("", None).next().unwrap().json();
    assert_eq!(snapshot["arbs"][0]["id"], "window", "{snapshot}");
}

/// The reason in a client's resync notice, and the snapshot that comes with it.
fn resync(serve: &Serve, id: &str) -> (String, Event) {
    let mut stream = serve.stream("", Some(id));
    let first = stream.next().unwrap();
    assert_eq!((&*first.name, first.id), ("resync", None));
    let reason: Value = serde_json::from_str(&first.data).unwrap();
    let snapshot = stream.next().unwrap();
    assert_eq!(snapshot.name, "snapshot");
    (reason["reason"].as_str().unwrap().to_owned(), snapshot)
}

#[test]
fn a_client_that_cannot_resume_gets_the_reason_and_a_snapshot() {
    let broker = Broker::start();
    let key = Key::new(&broker, "enterprise");
    let writer = Writer::new(&broker.kafka);
    let first = Serve::start(&broker, &key, "first", &["--stream-events", "4"]);
    let start = begin(&first);
    writer.write(0, &one_of_each("soccer_test", 1)[..4]);
    let written = read_some(first.stream("", Some(&start)), 4, &mut Vec::new());
    writer.write(1, &[opened("open", "soccer_test", 5)]);
    writer.write(0, &[closed("none", "soccer_test", 6, "stale")]);
    let end = read_some(first.stream("", Some(&written)), 2, &mut Vec::new());
    delete_before(&broker.kafka, FEED_EVENTS.name, 0, Offset::End);
    // What lies between is gone; what memory still has needs no Kafka.
    assert_eq!(resync(&first, &start).0, "outside_retention");
    // A snapshot may be a moment old; what it lacks would follow it.
    wait_for("the snapshot has what is open", || {
        let snapshot = resync(&first, &start).1.json();
        (snapshot["arbs"][0]["id"] == "open").then_some(())
    });
    assert_eq!(read_some(first.stream("", Some(&written)), 2, &mut Vec::new()), end);
    writer.write(2, &[opened("next", "soccer_test", 7)]);
    let mut live = first.stream("", Some(&end));
    assert_eq!(name(&live.take(1)[0]).1, "next", "the end is still there");
    // Now memory has no more of it, and Kafka's log of the silent partition begins behind its last event and the marker
    // after it. Nothing is missing there.
    for n in 8..28 {
        writer.write(2, &[closed("x", "soccer_test", n, "stale")]);
        live.take(1);
    }
    assert_eq!(name(&first.stream("", Some(&end)).take(21)[0]).1, "next");
    drop(first);
    // The same name, another topic: its id differs, though its offsets are as valid as the old ones.
    recreate(&broker.kafka, &FEED_EVENTS);
    drop(writer);
    let (writer, second) = (Writer::new(&broker.kafka), Serve::start(&broker, &key, "second", &[]));
    for partition in 0..3 {
        let records: Vec<_> = (0..20).map(|n| closed("x", "soccer_test", n, "stale")).collect();
        writer.write(partition, &records);
    }
    assert_eq!(resync(&second, &end).0, "epoch_changed");
    let now = begin(&second);
    // A position that nothing has come to yet.
    assert_eq!(resync(&second, &beyond(&now)).0, "beyond_end");
}

/// An id of the same feed, far beyond its end: clients cannot make one, but a cluster that lost records can.
fn beyond(id: &str) -> String {
    let mut bytes = URL_SAFE_NO_PAD.decode(id).unwrap();
    // After the version and the topic's id: four offsets, seven bits a byte, each without a mark.
    bytes.truncate(17);
    bytes.extend([0xff, 0xff, 0x07, 0].repeat(4));
    URL_SAFE_NO_PAD.encode(bytes)
}
