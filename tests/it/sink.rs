//! ClickHouse has every row of the topics once: undisturbed, killed and frozen at every point, with
//! ClickHouse killed and away; an invalid record is a row of the table rejected, and tables that do not fit
//! are named.

use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use arb_kafka::partition_of;
use arb_model::fixtures::{pick, window_grading};
use arb_runtime::fail_point::Point;
use arb_schemas::records::{Frame, Pick, PickChange, WindowGrade, WindowGrading};
use arb_schemas::time::parse_rfc3339;
use arb_schemas::topics::{DEFAULT_PARTITIONS, FEED_EVENTS, ODDS_TICKS, WEBHOOK_DELIVERIES};
use arb_schemas::wire::encode;
use arb_sink::intent::Note;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::topic_partition_list::{TopicPartitionList, TopicPartitionListElem};
use rustix::process::Signal;

use crate::kafka::{commit_to, write};
use crate::kill::{CHUNK, Feed, POLLS, poll, published};
use crate::processor::wait_for_poll;
use crate::support::feed::{Writer, delivery_entry, frame, signal};
use crate::support::metrics::{Admin, Page};
use crate::support::program::{Role, SHIPPED_SESSION};
use crate::support::recordings;
use crate::support::sinks::{Ground, Rows};
use crate::support::stack::Broker;
use crate::support::wait::{comes_true, pace, wait_for, wait_for_steps};

/// Small batches, many of them.
pub(crate) const SMALL: [&str; 4] = ["--batch-rows", "150", "--batch-interval-ms", "50"];
/// Kills of a run, at least.
const KILLS: usize = 20;

/// Publishes and processes a simulated market; what the tables must hold then.
pub(crate) fn fill(ground: &Ground, polls: u64) -> Rows {
    let _process = processor(ground);
    let broker = &ground.broker;
    broker.ingest(&recordings::simulated(broker.scratch.path(), 52, polls), &[]);
    let last = parse_rfc3339(&poll(polls - 1)).unwrap();
    wait_for_poll(broker, last, || ());
    let writer = Writer::new(&broker.kafka);
    for (sequence, change) in (1_000_000..).zip(["opened", "updated", "followed"]) {
        writer.write_signal(1, &signal("told", "soccer_test", sequence, change));
    }
    for attempt in 1..=3 {
        writer.write_delivery(2, &delivery_entry("whk_told", attempt));
    }
    for (change, pick) in
        [("published", Pick { grades: vec![], closing: None, ..pick() }), ("graded", pick())]
    {
        writer.write_pick(1, &PickChange { change: change.into(), pick });
    }
    let WindowGrading { window, grade } = window_grading();
    let open =
        WindowGrade { state: "open".into(), legs: vec![], returned: None, home: None, ..grade.clone() };
    for grade in [grade, open] {
        writer.write_grading(1, &WindowGrading { window: window.clone(), grade });
    }
    ground.expected()
}

fn processor(ground: &Ground) -> Role {
    Role::start(
        "process",
        &[ground.broker.kafka.at(), ground.broker.kafka.named()],
        &ground.broker.path("process.log"),
    )
}

#[test]
fn every_row_is_there_once_and_what_is_no_record_is_put_aside() {
    let ground = Ground::start();
    let mut hostile = encode(&frame(i64::MAX)).unwrap();
    write(&ground.broker.kafka, &[("stranger", b"{\"odds\": \xff}"), ("late", &hostile)]);
    hostile.push(7);
    let private = encode(&Frame { source: "push/acme".into(), ..frame(1) }).unwrap();
    write(&ground.broker.kafka, &[("longer", &hostile), ("empty", b""), ("private", &private)]);
    let expected = fill(&ground, 60);
    assert_eq!(expected["rejected"].len(), 4);
    assert!(expected.values().all(|rows| !rows.is_empty()), "{:?}", expected.keys());
    let mut sinks = ["one.log", "two.log"].map(|log| ground.sink(log, &SMALL));
    ground.wait_for_rows(&expected, || sinks.iter_mut().for_each(Role::assert_runs));
    sinks.iter_mut().for_each(Role::stop);
    ground.assert_exact(&expected, "undisturbed");

    // The group's offsets are set back by hand, and some rows are gone: the server knows the tokens of their inserts.
    for topic in [ODDS_TICKS.name, FEED_EVENTS.name, WEBHOOK_DELIVERIES.name] {
        for partition in 0..DEFAULT_PARTITIONS {
            commit_to(&ground.broker.kafka, "arb-sink", topic, partition, 0, "");
        }
    }
    // Also the newest: the highest offset in a table proves nothing about removed rows.
    for (table, which) in [
        ("ticks", "row_index % 7 = 3 OR kafka_partition = 2"),
        ("stale_alerts", "1"),
        ("webhook_deliveries", "attempt = 2"),
        ("signal_transitions", "transition = 'updated'"),
    ] {
        let sql = format!("DELETE FROM arb_store.{table} WHERE {which}");
        ground.clickhouse.query_as("migrator", &sql);
    }
    let mut sink = ground.sink("again.log", &["--batch-rows", "1000"]);
    ground.wait_for_rows(&expected, || sink.assert_runs());
    sink.stop();
    ground.assert_exact(&expected, "after the offsets were set back");
}

/// Where a sink is killed: any point, after as many passages as a few batches have.
fn passage(random: &mut fastrand::Rng) -> String {
    let point = Point::SINK[random.usize(..Point::SINK.len())];
    let most = match point {
        Point::Gather => 150,
        Point::Row => 600,
        _ => 6,
    };
    format!("{}:{}", point.key(), random.u32(1..=most))
}

/// Two sinks on one group, killed with -9 at points from a seed and started again.
fn killed(seed: u64) {
    let mut random = fastrand::Rng::with_seed(seed);
    let ground = Ground::start();
    let _process = processor(&ground);
    let mut feed = Feed::on(&ground.broker);
    let mut start = |slot: usize| {
        let passage = passage(&mut random);
        ground.sink(&format!("sink-{slot}.log"), &[&SMALL[..], &["--kill-at", &passage]].concat())
    };
    let (mut sinks, mut kills) = ([start(0), start(1)], 0);
    while kills < KILLS {
        assert!(feed.published < POLLS, "seed {seed}: only {kills} kills");
        feed.publish(feed.published + CHUNK);
        let published = published(&ground.broker);
        let dead = wait_for_steps("a sink is killed, or all that is published is in its place", || {
            let dead: Vec<_> =
                (0..).zip(&mut sinks).filter_map(|(slot, sink)| sink.died().then_some(slot)).collect();
            let places = in_place(&ground.broker);
            if !dead.is_empty() || places == published { Ok(dead) } else { Err(places) }
        });
        kills += dead.len();
        for slot in dead {
            sinks[slot] = start(slot);
        }
    }
    let last = parse_rfc3339(&poll(feed.published - 1)).unwrap();
    wait_for_poll(&ground.broker, last, || ());
    println!("seed {seed}: {kills} kills");
    let expected = ground.expected();
    ground.wait_for_rows(&expected, || {
        for (slot, sink) in sinks.iter_mut().enumerate() {
            if sink.died() {
                *sink = ground.sink(&format!("sink-{slot}.log"), &SMALL);
            }
        }
    });
    drop(sinks);
    ground.assert_exact(&expected, &format!("seed {seed}"));
}

#[test]
fn killed_twenty_times_every_row_is_there_once() {
    killed(1);
}

/// `ARB_KILL_SEEDS=FIRST-LAST cargo test -p arb-tests --test it -- --ignored --nocapture sinks_killed_by`
#[test]
#[ignore = "as many runs as are asked for, a minute each"]
fn sinks_killed_by_any_number_of_seeds() {
    let seeds = std::env::var("ARB_KILL_SEEDS").unwrap_or_else(|_| "1-5".to_owned());
    let (first, last) = seeds.split_once('-').unwrap();
    (first.parse().unwrap()..=last.parse::<u64>().unwrap()).for_each(killed);
}

/// A sink is frozen with its intent committed and its rows not sent, or half sent; another takes over; the first wakes.
#[test]
fn a_frozen_sink_writes_nothing_twice_when_it_wakes() {
    let ground = Ground::start();
    let expected = fill(&ground, 40);
    for (round, point) in ["intended:3", "row:400", "inserted:2"].into_iter().enumerate() {
        let group = format!("frozen-{round}");
        let own = ["--group", &group, SHIPPED_SESSION];
        let log = format!("frozen-{round}.log");
        let mut frozen = ground.sink(&log, &[&SMALL[..], &own, &["--freeze-at", point]].concat());
        wait_for("it is frozen", || {
            assert!(!frozen.died(), "{}", ground.log(&log));
            frozen.is_frozen().then_some(())
        });
        let mut other = ground.sink("other.log", &[&SMALL[..], &own].concat());
        ground.wait_for_rows(&expected, || other.assert_runs());
        frozen.signal(Signal::CONT);
        frozen.stop();
        other.stop();
        ground.assert_exact(&expected, point);
        for table in expected.keys() {
            ground.clickhouse.query_as("migrator", &format!("TRUNCATE TABLE arb_store.{table}"));
        }
    }
}

/// An insert over two parts of a table was cut between them, and the request of a zombie lands when all is repaired.
#[test]
fn an_insert_that_was_cut_is_repaired_and_a_late_one_refused() {
    let ground = Ground::start();
    let (january, february) = (1_767_225_600_000_000, 1_769_904_000_000_000);
    let frames = (0..10).map(|at| encode(&frame(if at < 5 { january } else { february } + at)).unwrap());
    let frames: Vec<_> = frames.collect();
    let records: Vec<_> = frames.iter().map(|value| ("event", value.as_slice())).collect();
    write(&ground.broker.kafka, &records);
    let expected = ground.expected();
    let mut sink = ground.sink("whole.log", &[]);
    ground.wait_for_rows(&expected, || sink.assert_runs());
    sink.stop();
    let rows = ground.clickhouse.query_as("migrator", "SELECT * FROM arb_store.ticks ORDER BY kafka_offset");
    ground.clickhouse.query_as("migrator", "TRUNCATE TABLE arb_store.ticks");

    let (partition, id) = (partition_of("event", DEFAULT_PARTITIONS), rows[0]["topic_id"].as_str().unwrap());
    let token = format!("ticks:{}:{id}:{partition}:0-9", ODDS_TICKS.name);
    let insert = |rows: &[serde_json::Value]| {
        let rows = rows.iter().fold(String::new(), |text, row| format!("{text}{row}\n"));
        let settings = format!("&async_insert=0&insert_deduplication_token={token}");
        let sql = format!("INSERT INTO arb_store.ticks FORMAT JSONEachRow\n{rows}");
        ground.clickhouse.ask("migrator", &ground.clickhouse.password("migrator"), &settings, &sql).unwrap();
    };
    insert(&rows[..5]);
    let note = format!(r#"{{"v":3,"topic":"{id}","intent":{{"first":0,"last":9,"rows":[["ticks",10]]}}}}"#);
    commit_to(&ground.broker.kafka, "cut", ODDS_TICKS.name, partition, 0, &note);
    let mut sink = ground.sink("cut.log", &["--group", "cut", "--batch-rows", "3"]);
    ground.wait_for_rows(&expected, || sink.assert_runs());
    sink.stop();
    ground.assert_exact(&expected, "repaired");
    insert(&rows);
    ground.assert_exact(&expected, "the zombie's request");
    assert_eq!(ground.count("ticks"), Some(10));

    // One row twice is more than the records make: no guess is made which is right.
    let sql = "INSERT INTO arb_store.ticks SELECT * FROM arb_store.ticks LIMIT 1";
    ground.clickhouse.query_as("migrator", sql);
    commit_to(&ground.broker.kafka, "arb-sink", ODDS_TICKS.name, partition, 0, &note);
    let output = ground.sink_that_ends();
    assert!(
        !output.success && output.err.contains("table ticks has 11 rows of odds.ticks.v1"),
        "{}",
        output.err
    );
    let newer = note.replacen('3', "9", 1);
    commit_to(&ground.broker.kafka, "arb-sink", ODDS_TICKS.name, partition, 0, &newer);
    let output = ground.sink_that_ends();
    assert!(
        !output.success && output.err.contains("written by another version of the sink"),
        "{}",
        output.err
    );
}

/// While ClickHouse is killed, away and frozen, the board moves and the sink waits, and holds no more than it may; then it
/// catches up.
#[test]
fn clickhouse_killed_and_away_is_waited_for_while_the_board_moves() {
    away(Duration::ZERO);
}

/// `cargo test -p arb-tests --test it -- --ignored --nocapture two_minutes`
#[test]
#[ignore = "three minutes"]
fn clickhouse_away_for_two_minutes() {
    away(Duration::from_mins(2));
}

/// Frozen until inserts were given up, and then for so long.
fn away(time: Duration) {
    let mut ground = Ground::own_clickhouse();
    let _process = processor(&ground);
    let limits = ["--insert-timeout-ms", "2000", "--memory-mib", "1"];
    let mut sink = ground.sink("sink.log", &[&SMALL[..], &limits].concat());
    let Ground { broker, clickhouse } = &mut ground;
    let mut feed = Feed::on(broker);
    let mut publish = |until| {
        feed.publish(until);
        let last = parse_rfc3339(&poll(until - 1)).unwrap();
        wait_for_poll(broker, last, || ());
    };
    publish(12);
    let rows = "SELECT count() AS rows FROM arb_store.ticks";
    wait_for("rows come", || (clickhouse.query_as("migrator", rows)[0]["rows"] != 0).then_some(()));
    clickhouse.kill();
    publish(60);
    clickhouse.restart();
    publish(72);
    clickhouse.freeze();
    publish(120);
    let admin = Admin::of(&broker.path("sink.log"));
    admin.page_when("it reads no more", |page| page.sum("arb_sink_paused_partitions", &[]) > 0.0);
    let retries = |page: &Page| page.sum("arb_sink_retries_total", &[]);
    let before = retries(&admin.page());
    admin.page_when("inserts are given up", |page| retries(page) >= before + 2.0);
    let mut most: f64 = 0.0;
    comes_true(time, || {
        sink.assert_runs();
        most = most.max(admin.page().sum("arb_sink_held_bytes", &[]));
        false
    });
    publish(132);
    clickhouse.thaw();
    let expected = ground.expected();
    ground.wait_for_rows(&expected, || sink.assert_runs());
    sink.stop();
    println!("frozen for {} s: at most {most} bytes held", time.as_secs());
    // A mebibyte, and the last record of each batch.
    assert!(0.0 < most && most < f64::from(2 << 20), "{most} bytes held");
    ground.assert_exact(&expected, "after ClickHouse was away");
}

/// Kafka goes for good while rows are on their way: the sink has their arrival to commit when it is told to stop. It ends, and by
/// itself, not by its watchdog.
#[test]
fn a_sink_without_kafka_ends_when_it_is_told_to() {
    let ground = Ground::own_kafka();
    // Frozen once the group has taken what it announced, before it sends any of it; the group keeps it meanwhile.
    let arguments = ["--watchdog-ms=3600000", "--close-ms=500", "--freeze-at=intended:1", SHIPPED_SESSION];
    let mut sink = ground.sink("sink.log", &arguments);
    Feed::on(&ground.broker).publish(2);
    wait_for("it has announced rows", || sink.is_frozen().then_some(()));
    ground.broker.kill();
    sink.signal(Signal::CONT);
    wait_for("rows arrive", || ground.total_rows().filter(|rows| *rows > 0));
    let (seconds, connections) = (5, connections(&ground.broker.kafka.brokers, Duration::from_secs(5)));
    // Its clients, fewer than ten, each connect some ten times a second at first; librdkafka would connect some thousand times for a request
    // that waits for a broker.
    assert!(
        connections < 200 * seconds,
        "it is busy while it waits: {connections} connections in {seconds} s"
    );
    sink.stop();
    let log = ground.log("sink.log");
    assert!(log.contains("the group does not take the commit now"), "it had nothing to commit: {log}");
}

/// How often clients connect to an address within a time, where each connection is ended at once.
fn connections(address: &str, time: Duration) -> usize {
    let (listener, is_over) = (TcpListener::bind(address).unwrap(), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let all = scope.spawn(|| listener.incoming().take_while(|_| !is_over.load(Ordering::SeqCst)).count());
        pace("the sink waits for Kafka", time);
        is_over.store(true, Ordering::SeqCst);
        // The last one.
        drop(TcpStream::connect(address));
        all.join().unwrap()
    })
}

/// Up to where the ticks are in their tables, as the sink has committed it; `None` of a partition of which rows are on their way.
fn in_place(broker: &Broker) -> Vec<Option<i64>> {
    let mut config = broker.kafka.client();
    config.set("group.id", broker.kafka.name("arb-sink"));
    let consumer: BaseConsumer = config.create().unwrap();
    let mut list = TopicPartitionList::new();
    list.add_partition_range(&broker.kafka.name(ODDS_TICKS.name), 0, DEFAULT_PARTITIONS - 1);
    let committed = consumer.committed_offsets(list, Duration::from_mins(1)).unwrap();
    let place = |element: TopicPartitionListElem<'_>| {
        let note = Note::parse(element.metadata()).unwrap();
        let is_announced = note.is_some_and(|note| note.intent.is_some());
        element.offset().to_raw().filter(|offset| *offset >= 0 && !is_announced)
    };
    committed.elements().into_iter().map(place).collect()
}

#[test]
fn tables_that_do_not_fit_are_named() {
    let ground = Ground::start();
    let alter =
        |sql: &str| drop(ground.clickhouse.query_as("migrator", &format!("ALTER TABLE arb_store.{sql}")));
    let ends = |words: &[&str]| {
        let output = ground.sink_that_ends();
        assert!(!output.success, "{}", output.err);
        let sentence = output.err.lines().find(|line| line.starts_with("arb: ")).unwrap();
        assert!(words.iter().all(|word| sentence.contains(word)), "{sentence}");
    };
    alter("stale_alerts RENAME COLUMN scope TO range");
    ends(&["table stale_alerts", "scope"]);
    alter("stale_alerts RENAME COLUMN range TO scope");
    alter("ticks MODIFY COLUMN price String");
    ends(&["table ticks", "price", "String"]);
    alter("ticks MODIFY COLUMN price Int64");

    // While it runs, too.
    let mut sink = ground.sink("sink.log", &SMALL);
    write(&ground.broker.kafka, &[("stranger", b"none")]);
    wait_for("a row comes", || ground.count("rejected").filter(|rows| *rows > 0));
    alter("rejected RENAME COLUMN reason TO why");
    write(&ground.broker.kafka, &[("stranger", b"none")]);
    wait_for("it ends", || sink.died().then_some(()));
    let log = ground.log("sink.log");
    let sentence = log.lines().find(|line| line.starts_with("arb: ")).unwrap();
    assert!(sentence.contains("table rejected") && sentence.contains("reason"), "{sentence}");
    ground.clickhouse.query_as("migrator", "DROP TABLE arb_store.ticks");
    ends(&["table ticks", "`arb migrate` creates it"]);
}
