//! The measurement of the pipeline: that every line of its table is there and says something. How fast anything is
//! is never asserted.

use crate::support::program::{arb, run};
use crate::support::root;
use crate::support::stack::Broker;

/// A run that is over quickly.
const TINY: [&str; 10] =
    ["bench", "pipeline", "--ticks", "2000", "--rounds", "1", "--rates", "500", "--seconds", "1"];

/// The numbers of the line that begins with a label.
fn numbers(table: &str, label: &str) -> Vec<f64> {
    let line = table.lines().find(|line| line.starts_with(label));
    let line = line.unwrap_or_else(|| panic!("{label} is missing:\n{table}"));
    let rest = line[label.len()..].split([' ', ',', ';']);
    rest.filter_map(|word| word.parse().ok()).collect()
}

#[test]
fn every_line_is_there_and_the_topics_are_gone_afterwards() {
    let broker = Broker::bare();
    let said = run(arb().args(TINY).args(["--brokers", &broker.brokers]));
    assert!(said.success, "{}", said.err);
    let (push, rest) = said.out.split_once("a frame a record").unwrap();
    for table in [push, rest] {
        for guarantee in ["exactly once", "at least once"] {
            for (who, columns) in [("pump", 5), ("bare client", 5), ("pump to bare client", 2)] {
                let found = numbers(table, &format!("{who}, {guarantee} "));
                assert!(found.len() == columns && found.iter().all(|number| *number > 0.0), "{table}");
            }
        }
        assert_eq!(numbers(table, "a commit under this load").len(), 3, "{table}");
        assert!(numbers(table, "where they go:").len() >= 6, "{table}");
    }
    assert_eq!(numbers(push, "a commit of one record").len(), 3, "{push}");
    for reader in ["a read_committed event", "an SSE event"] {
        let found = numbers(rest, &format!("500/s, to {reader}"));
        assert!(found.len() == 4 && found.iter().all(|number| *number > 0.0), "{rest}");
    }
    // It leaves nothing behind, so it can be run again; where topics are, it does not begin.
    let created = run(arb().args(["topics", "create", "--brokers", &broker.brokers]));
    assert!(created.success, "{}", created.err);
    let refused = run(arb().args(TINY).args(["--brokers", &broker.brokers]));
    assert!(!refused.success && refused.err.contains("is there already"), "{}", refused.err);
}

#[test]
fn a_kafka_of_its_own_ends_with_it() {
    let home = root().join(".arb").display().to_string();
    let said = run(arb().args(TINY).args(["--home", &home]));
    assert!(said.success && said.out.contains("over a local Kafka"), "{}", said.err);
}
