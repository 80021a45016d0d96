//! What a sink does about rows of which it does not know whether they are there: where the server is slow, where another
//! version has left an intent, where rows are removed time and again. And what its names rest on: one insert is one
//! block.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use arb_kafka::partition_of;
use arb_runtime::fail_point::FailPoints;
use arb_schemas::topics::{DEFAULT_PARTITIONS, ODDS_TICKS};
use arb_schemas::wire::encode;
use arb_sink::batch::Batch;
use arb_sink::record::Kept;
use arb_sink::rows::read;
use arb_sink::store::{Range, Store, TimeOuts};
use arb_sink::table::Table;
use arb_store::clickhouse::Settings;

use crate::kafka::{commit_to, write};
use crate::support::detour::{Way, detour};
use crate::support::feed::frame;
use crate::support::metrics::Admin;
use crate::support::sinks::{Ground, Rows};
use crate::support::wait_for;

/// Ten frames of one partition, which one sink has inserted.
struct Inserted {
    ground: Ground,
    expected: Rows,
    partition: i32,
    /// Of the topic.
    id: String,
}

impl Inserted {
    fn start() -> Self {
        let ground = Ground::start();
        let frames: Vec<_> = (0..10).map(|at| encode(&frame(1_767_225_600_000_000 + at)).unwrap()).collect();
        let records: Vec<_> = frames.iter().map(|value| ("event", value.as_slice())).collect();
        write(&ground.broker.kafka, &records);
        let expected = ground.expected();
        let partition = partition_of("event", DEFAULT_PARTITIONS);
        let id = expected["ticks"][0]["topic_id"].as_str().unwrap().to_owned();
        let inserted = Self { ground, expected, partition, id };
        // By name, so that all ten are one insert.
        inserted.intend(r#"[["ticks",10]]"#);
        let mut sink = inserted.ground.sink("first.log", &[]);
        inserted.ground.wait_for_rows(&inserted.expected, || sink.assert_runs());
        sink.stop();
        inserted
    }

    /// Leaves an intent to insert all of it.
    fn intend(&self, rows: &str) {
        let note =
            format!(r#"{{"v":3,"topic":"{}","intent":{{"first":0,"last":9,"rows":{rows}}}}}"#, self.id);
        commit_to(&self.ground.broker.kafka, "arb-sink", ODDS_TICKS.name, self.partition, 0, &note);
    }

    /// Removes every other row; the server still knows the names of their inserts.
    fn remove_some(&self) {
        let sql = "DELETE FROM arb_store.ticks WHERE kafka_offset % 2 = 1";
        self.ground.clickhouse.query_as("migrator", sql);
        assert_eq!(self.ground.count("ticks"), Some(5));
    }
}

/// Queries that take longer than a lease are sent once each, and the search at the start has a separate time
/// limit; while ClickHouse cannot be queried, that is counted.
#[test]
fn a_slow_server_is_heard_out() {
    let inserted = Inserted::start();
    inserted.remove_some();
    inserted.intend(r#"[["ticks",10]]"#);
    let (is_away, broken) = (Arc::new(AtomicBool::new(true)), AtomicUsize::new(2));
    let (questions, away) = (Arc::new(Mutex::new(Vec::new())), Arc::clone(&is_away));
    // However the question is encoded.
    let is_of_ticks = |request: &str| {
        [" ", "+", "%20"].iter().any(|space| request.contains(&format!("FROM{space}ticks{space}")))
    };
    let asked = Arc::clone(&questions);
    let url = detour(&inserted.ground.clickhouse.url, move |request| {
        let search = request.contains("highest");
        if search || request.contains("places") {
            asked.lock().unwrap().push(request.lines().next().unwrap_or_default().to_owned());
        }
        let break_one = |left: usize| left.checked_sub(1);
        match search {
            _ if away.load(Ordering::SeqCst) => Way::Broken,
            true if broken.fetch_update(Ordering::SeqCst, Ordering::SeqCst, break_one).is_ok() => Way::Broken,
            // Longer than a question about a batch may take here.
            true if is_of_ticks(request) => Way::Later(Duration::from_millis(5_500)),
            // Longer than a permit.
            false if request.contains("places") => Way::Later(Duration::from_millis(3_200)),
            _ => Way::On,
        }
    });
    let ground = &inserted.ground;
    let mut sink = ground.sink_by(&url, "slow.log", &["--insert-timeout-ms", "5000"]);
    let admin = Admin::of(&ground.broker.path("slow.log"));
    let retries = |least: f64| {
        admin.page_when("it is reported", |page| page.sum("arb_sink_retries_total", &[]) >= least);
    };
    retries(2.0);
    is_away.store(false, Ordering::SeqCst);
    retries(4.0);
    ground.wait_for_rows(&inserted.expected, || sink.assert_runs());
    admin.page_when("the expired leases are reported", |page| {
        page.sum("arb_sink_expired_permits_total", &[]) >= 2.0
    });
    sink.stop();
    ground.assert_exact(&inserted.expected, "by a slow server");
    for question in questions.lock().unwrap().iter() {
        assert!(question.contains("max_execution_time="), "{question}");
    }
}

/// Rows are removed, sent again under another name, and removed again: that name is refused like the first.
#[test]
fn rows_that_are_removed_twice_are_inserted_again() {
    let inserted = Inserted::start();
    for round in ["once.log", "twice.log"] {
        inserted.remove_some();
        inserted.intend(r#"[["ticks",10]]"#);
        let mut sink = inserted.ground.sink(round, &[]);
        inserted.ground.wait_for_rows(&inserted.expected, || sink.assert_runs());
        sink.stop();
        inserted.ground.assert_exact(&inserted.expected, round);
    }
}

/// Another version rejected what this one accepts, and has begun.
#[test]
fn rows_of_another_version_are_found_in_whatever_table() {
    let inserted = Inserted::start();
    let Inserted { ground, partition, id, .. } = &inserted;
    ground.clickhouse.query_as("migrator", "TRUNCATE TABLE arb_store.ticks");
    let row =
        format!("('{}', '{id}', {partition}, 3, 0, 'of another version', 'event', '')", ODDS_TICKS.name);
    let columns = "topic, topic_id, kafka_partition, kafka_offset, row_index, reason, key, value";
    let insert = format!("INSERT INTO arb_store.rejected ({columns}) VALUES {row}");
    ground.clickhouse.query_as("migrator", &insert);
    inserted.intend(r#"[["rejected",10]]"#);
    // The second finds the intent as the first has found it.
    for _ in 0..2 {
        let output = ground.sink_that_ends();
        assert!(!output.success && output.err.contains("table rejected has rows"), "{}", output.err);
        assert!(output.err.contains("made 10 of these records, and this one makes 0"), "{}", output.err);
        assert_eq!(ground.count("ticks"), Some(0), "no row is put beside those of another version");
    }
    // All that it had intended is gone.
    ground.clickhouse.query_as("migrator", "TRUNCATE TABLE arb_store.rejected");
    let mut sink = ground.sink("clear.log", &[]);
    ground.wait_for_rows(&inserted.expected, || sink.assert_runs());
    sink.stop();
    ground.assert_exact(&inserted.expected, "after another version");
}

/// More rows than the server makes blocks of by itself.
#[test]
fn an_insert_is_one_block_however_large() {
    const ROWS: i64 = 1_100_000;
    let ground = Ground::start();
    let (url, password) = (ground.clickhouse.url.clone(), ground.clickhouse.password("writer"));
    let (user, databases) = (ground.clickhouse.user("writer"), ground.clickhouse.databases.clone());
    let settings = Settings { url, ca: None, user, password, databases };
    let client = settings.client_of_tables().unwrap();
    let limit = Duration::from_mins(2);
    let time_outs = TimeOuts { send: limit, search: limit, insert: limit };
    let store = Store::new(client, time_outs, FailPoints::default());
    let (mut batch, now, made) = (Batch::new(0, None), Instant::now(), read(&ODDS_TICKS, b"none"));
    for offset in 0..ROWS {
        batch.take(Kept { offset, key: b"", value: b"none" }, &made, now);
    }
    let range =
        Range { topic: &ODDS_TICKS, topic_id: "a".to_owned(), partition: 0, first: 0, last: ROWS - 1 };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let token = range.token(Table::Rejected);
    let insert = || {
        runtime.block_on(store.insert(Table::Rejected, &range, &batch, &token, &HashSet::new())).unwrap();
    };
    insert();
    // A part is called after the first and the last block in it, whatever was merged.
    let parts =
        ground.clickhouse.query_as("migrator", "SELECT DISTINCT _part AS part FROM arb_store.rejected");
    let part = parts[0]["part"].as_str().unwrap();
    assert!(parts.len() == 1 && part.starts_with("all_1_1_"), "{parts:?}");
    insert();
    wait_for("its rows are there once", || {
        ground.count("rejected").filter(|rows| *rows == ROWS.cast_unsigned())
    });
}
