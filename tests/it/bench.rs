//! The measurements: every part prints all of its rows, and each has a value. Speed is never asserted.

use serde_json::Value;

use crate::support::program::{arb, bench, run};
use crate::support::root;
use crate::support::stack::Broker;

/// The rows of a report, part, case and measure, each with figures that hang together.
fn rows(report: &Value) -> Vec<(String, String, String)> {
    let rows = report["rows"].as_array().unwrap();
    let text = |row: &Value, name: &str| row[name].as_str().unwrap().to_owned();
    rows.iter()
        .map(|row| {
            let spreads = ["ours", "baseline", "ratio"].map(|name| spread(&row[name]));
            assert!(spreads[0].is_some() && spreads[1].is_some() == spreads[2].is_some(), "{row}");
            assert_eq!(row["is_met"], is_met(row, spreads[2].or(spreads[0]).unwrap()), "{row}");
            (text(row, "part"), text(row, "case"), text(row, "measure"))
        })
        .collect()
}

/// The middle of rounds, which lies between the least and the most.
fn spread(spread: &Value) -> Option<f64> {
    let [median, least, most] = ["median", "least", "most"].map(|name| spread[name].as_f64());
    let (median, least, most) = (median?, least.unwrap(), most.unwrap());
    assert!(0.0 < least && least <= median && median <= most && most.is_finite(), "{spread}");
    Some(median)
}

/// Whether a ratio, or a value that has no baseline, is what it should be, found out once more.
fn is_met(row: &Value, value: f64) -> Value {
    let expected = &row["expected"];
    let (most, least) = (expected["at_most"].as_f64(), expected["at_least"].as_f64());
    if most.or(least).is_none() || row["is_without_baseline"] == true {
        return Value::Null;
    }
    (most.is_none_or(|most| value <= most) && least.is_none_or(|least| value >= least)).into()
}

/// How many rows of a part have this in their case and this measure.
fn count(rows: &[(String, String, String)], part: &str, case: &str, measure: &str) -> usize {
    let is_it = |row: &&(String, String, String)| row.0 == part && row.1.contains(case) && row.2 == measure;
    rows.iter().filter(is_it).count()
}

/// How many rows a part has, of a case and a measure.
const ROWS: [(&str, &str, &str, usize); 39] = [
    ("engine", "a commit each", "throughput", 8),
    ("engine", "", "a tick", 36),
    ("engine", "a step", "p99", 1),
    ("engine", "a board of every other book", "a board", 8),
    ("engine", "", "memory a quote", 1),
    ("pipeline", "exactly once", "throughput", 9),
    ("pipeline", "workers", "CPU a tick", 3),
    ("pipeline", "exactly once, record by record", "broker CPU a tick", 3),
    ("pipeline", "50 % of prices moving, exactly once", "CPU a tick", 3),
    ("pipeline", "at least once", "CPU a tick", 3),
    ("pipeline", "one record a transaction", "a commit, p50", 1),
    ("pipeline", "under this load", "a commit, p99", 3),
    ("pipeline", "500 ticks/s", "CPU a tick", 1),
    ("pipeline", "500 ticks/s", "broker CPU a tick", 1),
    ("pipeline", "500 ticks/s, to an event on", "delay, p99", 2),
    ("pipeline", "POST /ticks", "CPU a tick", 1),
    ("pipeline", "a pushed price, to the board", "delay, p99", 1),
    ("board", "limit=", "server CPU a request", 8),
    ("board", "encoded", "server CPU a request", 4),
    ("board", "304", "server CPU a request", 2),
    ("board", "my books, 12 books", "server CPU a request", 2),
    ("board", "my books, 40 books, cold", "server CPU a request", 1),
    ("sse", "streams", "server CPU an event delivered", 2),
    ("sse", "streams, 100 events/s", "delay, p99", 1),
    ("sse", "streams", "memory a stream", 2),
    ("growth", "quotes: 1000 to 3000", "a tick", 1),
    ("growth", "books: 4 to 10", "memory a quote", 1),
    ("growth", "ticks a minute: 20 to 200", "a tick", 1),
    ("growth", "streams: 1 to 10", "memory a stream", 1),
    ("changelog", "process.state.v1, all", "a tick", 8),
    ("cuts", "state in cuts", "CPU a tick", 1),
    ("accounts", "a key with leases", "requests", 1),
    ("accounts", "one at a time", "sign-ins", 1),
    ("accounts", "accounts", "restore of an owner", 1),
    ("accounts", "one that stands by", "from the kill to a reply", 1),
    ("takeover", "quotes", "longest pause of another partition", 1),
    ("picks", "all bots on", "a tick", 1),
    ("picks", "graded", "throughput", 2),
    ("picks", "windows, kept", "a window", 1),
];

#[test]
fn every_part_gives_its_rows_and_the_topics_are_gone_afterwards() {
    let broker = Broker::own_bare();
    let table = broker.path("BENCHMARKS.md");
    let markdown = table.display().to_string();
    let all = ["all", "--quick", "--json", broker.kafka.at()];
    let output = run(bench().args(all).args(["--markdown", &markdown]));
    assert!(output.success, "{}", output.err);
    let report: Value = serde_json::from_str(&output.out).unwrap();
    assert_eq!((&report["is_quick"], &report["failures"]), (&true.into(), &Value::Array(vec![])));
    assert!(
        report["machine"]["cores"].as_u64().unwrap() > 0 && report["at"].as_str().unwrap().ends_with('Z')
    );
    let rows = rows(&report);
    for (part, case, measure, expected) in ROWS {
        assert_eq!(count(&rows, part, case, measure), expected, "{part} {case} {measure}: {rows:?}");
    }
    let table = std::fs::read_to_string(table).unwrap();
    assert!(table.starts_with("# Benchmarks\n"), "{table}");
    assert!(
        rows.iter().all(|(part, case, measure)| table.contains(&format!("| {part} | {case} | {measure} |")))
    );
    peers_may_be_missing(&broker);
    // It leaves nothing behind, so it can be run again; where topics are, it does not begin.
    let created = run(arb().args(["topics", "create", broker.kafka.at()]));
    assert!(created.success, "{}", created.err);
    let pipeline = ["pipeline", "--quick", "--json", broker.kafka.at()];
    let refused = run(bench().args(pipeline));
    assert!(!refused.success && refused.err.contains("is there already"), "{}", refused.err);
    let report: Value = serde_json::from_str(&refused.out).unwrap();
    assert_eq!(report["failures"][0]["part"], "pipeline", "a failed measurement is reported");
}

/// Where other engines are not run, ours is measured alone.
fn peers_may_be_missing(broker: &Broker) {
    let output = run(bench().args(["peers", "--quick", "--json", broker.kafka.at()]));
    assert!(output.success, "{}", output.err);
    let report: Value = serde_json::from_str(&output.out).unwrap();
    assert!(report["rows"].as_array().unwrap().iter().all(|row| row["is_without_baseline"] == true));
    let rows = rows(&report);
    assert_eq!(count(&rows, "peers", "the whole engine, beside", "CPU a tick"), 8, "{rows:?}");
    assert_eq!(count(&rows, "peers", "beside a loop in Java", "delay, p99"), 2, "{rows:?}");
}

#[test]
fn a_kafka_of_its_own_ends_with_it() {
    let home = root().join(".arb").display().to_string();
    let output = run(bench().args(["pipeline", "--quick", "--home", &home]));
    assert!(output.success, "{}", output.err);
    assert!(
        output.out.contains("a tick a record, 2 % of prices moving, exactly once")
            && output.out.contains("CPU a tick"),
        "{}",
        output.out
    );
}
