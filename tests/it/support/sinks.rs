//! Sinks on topics and databases of the test's own, and what the tables must hold by a decoder that is not ours.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::{Command, Stdio};

use arb_kafka::topic_id;
use arb_schemas::topics::{FEED_EVENTS, ODDS_TICKS, WEBHOOK_DELIVERIES};
use serde_json::{Value, json};

use super::clickhouse::ClickHouse;
use super::program::{Role, RunOutput, arb, run};
use super::stack::Broker;
use super::{root, wait_for_steps};
use crate::kafka::{Placed, read_places, wait_until_settled};

/// A table with what is compared as something else: times as microseconds, fractions as their bits, bytes in hexadecimal; and
/// the same of what is nested in it.
struct Compared {
    table: &'static str,
    times: &'static [&'static str],
    fractions: &'static [&'static str],
    bytes: &'static [&'static str],
    nested: &'static [(&'static str, &'static str)],
}

const TIME: &str = "toUnixTimestamp64Micro";
const FRACTION: &str = "reinterpretAsUInt64";

const TICKS: Compared = Compared {
    table: "ticks",
    times: &["received_at", "commence_time", "last_seen_at", "price_moved_at"],
    fractions: &[],
    bytes: &[],
    nested: &[],
};

const TABLES: [Compared; 10] = [
    Compared { table: "private_ticks", ..TICKS },
    TICKS,
    Compared {
        table: "window_transitions",
        times: &["at", "commence_time", "opened_at"],
        fractions: &[
            "implied_probability",
            "margin",
            "margin_worst",
            "margin_rounded",
            "ttl_p10",
            "ttl_median",
            "ttl_p90",
            "execution_probability",
            "score",
            "margin_open",
            "margin_peak",
        ],
        bytes: &[],
        nested: &[
            ("legs.price_moved_at", TIME),
            ("legs.last_seen_at", TIME),
            ("legs.implied_probability", FRACTION),
            ("legs.stake_share", FRACTION),
        ],
    },
    Compared {
        table: "line_movements",
        times: &["commence_time", "window_start", "window_end"],
        fractions: &["probability_change"],
        bytes: &[],
        nested: &[],
    },
    Compared {
        table: "stale_alerts",
        times: &["commence_time", "last_seen_at", "at"],
        fractions: &[],
        bytes: &[],
        nested: &[],
    },
    Compared {
        table: "signal_transitions",
        times: &["commence_time", "at", "opened_at", "expires_at"],
        fractions: &["strength", "confidence", "kelly"],
        bytes: &[],
        nested: &[
            ("bets.price_moved_at", TIME),
            ("bets.last_seen_at", TIME),
            ("evidence.price_moved_at", TIME),
            ("evidence.last_seen_at", TIME),
            ("fair.probability", FRACTION),
        ],
    },
    Compared {
        table: "pick_transitions",
        times: &[
            "commence_time",
            "at",
            "starts_at",
            "published_at",
            "closing_seen_at",
            "poll_seen_at",
            "minute_seen_at",
        ],
        fractions: &["probability", "stake", "closing_probability", "profit"],
        bytes: &[],
        nested: &[],
    },
    Compared {
        table: "window_gradings",
        times: &["at", "commence_time", "opened_at"],
        fractions: &["margin", "margin_worst", "returned"],
        bytes: &[],
        nested: &[
            ("legs.implied_probability", FRACTION),
            ("legs.stake_share", FRACTION),
            ("legs.returned", FRACTION),
        ],
    },
    Compared {
        table: "webhook_deliveries",
        times: &["next_at", "created_at", "at"],
        fractions: &[],
        bytes: &[],
        nested: &[],
    },
    Compared { table: "rejected", times: &[], fractions: &[], bytes: &["key", "value"], nested: &[] },
];

/// A broker with topics and a server with tables.
pub(crate) struct Ground {
    pub(crate) broker: Broker,
    pub(crate) clickhouse: ClickHouse,
}

/// Rows by table, in the order of their places.
pub(crate) type Rows = BTreeMap<&'static str, Vec<Value>>;

impl Ground {
    pub(crate) fn start() -> Self {
        Self::on(Broker::start, ClickHouse::start)
    }

    /// The same with a Kafka of the test's own.
    pub(crate) fn own_kafka() -> Self {
        Self::on(Broker::own, ClickHouse::start)
    }

    /// The same with a ClickHouse of the test's own.
    pub(crate) fn own_clickhouse() -> Self {
        Self::on(Broker::start, ClickHouse::own)
    }

    fn on(broker: fn() -> Broker, clickhouse: fn() -> ClickHouse) -> Self {
        let (broker, clickhouse) = std::thread::scope(|scope| {
            let clickhouse = scope.spawn(move || {
                let clickhouse = clickhouse();
                clickhouse.migrate();
                clickhouse
            });
            (broker(), clickhouse.join().unwrap())
        });
        Self { broker, clickhouse }
    }

    /// The settings of a sink.
    pub(crate) fn arguments(&self) -> Vec<String> {
        self.arguments_by(&self.clickhouse.url)
    }

    fn arguments_by(&self, url: &str) -> Vec<String> {
        let kafka = [self.broker.kafka.at(), self.broker.kafka.named()].map(str::to_owned);
        kafka.into_iter().chain(self.clickhouse.writer(url)).collect()
    }

    /// Starts a sink; its log is the file of this name.
    pub(crate) fn sink(&self, name: &str, arguments: &[&str]) -> Role {
        self.sink_by(&self.clickhouse.url, name, arguments)
    }

    /// The same, with another way to ClickHouse.
    pub(crate) fn sink_by(&self, url: &str, name: &str, arguments: &[&str]) -> Role {
        let own = self.arguments_by(url);
        let all: Vec<_> = own.iter().map(String::as_str).chain(arguments.iter().copied()).collect();
        Role::start("sink", &all, &self.broker.path(name))
    }

    /// Runs a sink that must end by itself.
    pub(crate) fn sink_that_ends(&self) -> RunOutput {
        run(arb().arg("sink").args(self.arguments()))
    }

    /// The log of a sink.
    pub(crate) fn log(&self, name: &str) -> String {
        std::fs::read_to_string(self.broker.path(name)).unwrap_or_default()
    }

    /// The number of rows in a table.
    pub(crate) fn count(&self, table: &str) -> Option<u64> {
        let sql = format!("SELECT count() AS rows FROM arb_store.{table}");
        self.clickhouse.try_as("migrator", &sql).ok()?[0]["rows"].as_u64()
    }

    /// The number of rows in each table, by one statement: this is asked often.
    fn counts(&self) -> Option<BTreeMap<&'static str, u64>> {
        let count =
            |Compared { table, .. }: &Compared| format!("(SELECT count() FROM arb_store.{table}) AS {table}");
        let counts: Vec<_> = TABLES.iter().map(count).collect();
        let row = self.clickhouse.try_as("migrator", &format!("SELECT {}", counts.join(", "))).ok()?;
        TABLES.iter().map(|Compared { table, .. }| Some((*table, row[0][*table].as_u64()?))).collect()
    }

    /// Rows of all tables.
    pub(crate) fn total_rows(&self) -> Option<usize> {
        usize::try_from(self.counts()?.values().sum::<u64>()).ok()
    }

    /// What the topics make, by the decoder in Python, once every transaction on them has ended.
    pub(crate) fn expected(&self) -> Rows {
        let mut lines = Vec::new();
        for topic in [&ODDS_TICKS, &FEED_EVENTS, &WEBHOOK_DELIVERIES] {
            wait_until_settled(&self.broker.kafka, topic);
            let id = hex(&topic_id(&self.broker.kafka.cluster(), topic).unwrap());
            for Placed { offset, record, .. } in read_places(&self.broker.kafka, topic.name) {
                let line = json!({
                    "topic": topic.name, "topic_id": id, "partition": record.partition, "offset": offset,
                    "key": hex(&record.key), "value": hex(&record.value),
                });
                writeln!(lines, "{line}").unwrap();
            }
        }
        decode(lines)
    }

    /// What the tables hold.
    pub(crate) fn found(&self) -> Rows {
        TABLES.each_ref().map(|compared| (compared.table, self.rows(compared))).into()
    }

    fn rows(&self, Compared { table, times, fractions, bytes, nested }: &Compared) -> Vec<Value> {
        let replace = |function: &str, name: &str| format!("{function}({name}) AS {name}");
        let times = times.iter().map(|name| replace(TIME, name));
        let fractions = fractions.iter().map(|name| replace(FRACTION, name));
        let bytes = bytes.iter().map(|name| format!("lower(hex({name})) AS {name}"));
        let nested = nested
            .iter()
            .map(|(name, function)| format!("arrayMap(value -> {function}(value), {name}) AS `{name}`"));
        let replaced: Vec<_> = times.chain(fractions).chain(bytes).chain(nested).collect();
        let replaced =
            if replaced.is_empty() { String::new() } else { format!("REPLACE ({})", replaced.join(", ")) };
        let left_out = if *table == "rejected" { "inserted_at, reason" } else { "inserted_at" };
        let sql = format!(
            "SELECT * EXCEPT ({left_out}) {replaced} FROM arb_store.{table} \
             ORDER BY topic, kafka_partition, kafka_offset, row_index"
        );
        self.clickhouse.query_as("migrator", &sql)
    }

    /// Waits until the tables have as many rows as are expected, or more.
    pub(crate) fn wait_for_rows(&self, expected: &Rows, mut each: impl FnMut()) {
        wait_for_steps("all rows are there", || {
            each();
            let counts = self.counts().unwrap_or_default();
            let missing = |(table, rows): (&&'static str, &Vec<Value>)| {
                let count = counts.get(table).copied().unwrap_or(0);
                (count < rows.len() as u64).then_some((*table, count))
            };
            let missing: Vec<_> = expected.iter().filter_map(missing).collect();
            if missing.is_empty() { Ok(()) } else { Err(missing) }
        });
    }

    /// Fails unless the tables hold exactly what the topics make, and analysts see nothing of private sources.
    pub(crate) fn assert_exact(&self, expected: &Rows, what: &str) {
        let of_private = "SELECT count() AS rows FROM arb.ticks WHERE source LIKE 'push/%'";
        assert_eq!(self.clickhouse.query_as("analyst", of_private)[0]["rows"], 0, "{what}");
        for (table, found) in self.found() {
            let wanted = &expected[table];
            let differs = found.iter().zip(wanted).find(|(found, wanted)| found != wanted);
            let (have, want) = (found.len(), wanted.len());
            assert!(
                &found == wanted,
                "{what}: {table}: {have} rows for {want}, the first difference {differs:#?}"
            );
        }
    }
}

fn decode(lines: Vec<u8>) -> Rows {
    let mut command = Command::new("python3");
    command.arg(root().join("tests/oracle/rows.py")).arg(root().join("schemas"));
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut child = child.expect("python3 decodes the records; on Debian: apt-get install python3");
    let mut input = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || input.write_all(&lines).unwrap());
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    assert!(output.status.success());
    let mut rows: Rows = TABLES.each_ref().map(|compared| (compared.table, Vec::new())).into();
    for line in String::from_utf8(output.stdout).unwrap().lines() {
        let mut line: Value = serde_json::from_str(line).unwrap();
        rows.get_mut(line["table"].as_str().unwrap()).unwrap().push(line["row"].take());
    }
    for rows in rows.values_mut() {
        rows.sort_by_key(|row| {
            let number = |name: &str| row[name].as_u64().unwrap();
            let topic = row["topic"].as_str().unwrap().to_owned();
            (topic, number("kafka_partition"), number("kafka_offset"), number("row_index"))
        });
    }
    rows
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}
