//! A recording on the whole way: Kafka, the processor, the board, the sink, ClickHouse with its views.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use arb_schemas::records::SignalChange;
use arb_schemas::topics::FEED_EVENTS;
use arb_schemas::wire::RecordType;
use serde_json::Value;

use super::clickhouse::ClickHouse;
use super::feed::Writer;
use super::program::{Role, arb, run};
use super::scratch::Scratch;
use super::stack::Stack;
use super::{recordings, wait_for, wait_for_steps};
use crate::kafka::{read_all, wait_until_settled};

/// Databases that have all that a recording came to.
pub(crate) struct Store {
    // Ends before what it reads and what it writes to.
    _sink: Role,
    pub(crate) stack: Stack,
    pub(crate) clickhouse: ClickHouse,
}

impl Store {
    /// Plays a recording by a policy, and waits until all of it is there.
    pub(crate) fn play(policy: &str, recording: &Path) -> Self {
        let clickhouse = ClickHouse::start();
        clickhouse.migrate();
        let history = clickhouse.history();
        let stack = Stack::start_with(policy, &history.each_ref().map(String::as_str));
        let sink = sink(&stack, &clickhouse);
        stack.broker.ingest(recording, &[]);
        let last: Value = serde_json::from_str(&recordings::lines(recording).last().unwrap()).unwrap();
        stack.board_at(last["polled_at"].as_str().unwrap());
        let store = Self { _sink: sink, stack, clickhouse };
        for (table, rows) in store.expected(recording) {
            wait_for_steps(&format!("{rows} rows in {table}"), || match store.count(table) {
                count if count == rows => Ok(()),
                count => Err(count),
            });
        }
        store
    }

    /// A simulated market, played once for all tests that read it at one time and change nothing of it.
    pub(crate) fn to_read() -> Arc<Self> {
        static SHARED: Mutex<Weak<Store>> = Mutex::new(Weak::new());
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        shared.upgrade().unwrap_or_else(|| {
            let scratch = Scratch::new();
            let store = Arc::new(Self::play("board", &recordings::simulated(scratch.path(), 21, 60)));
            *shared = Arc::downgrade(&store);
            store
        })
    }

    /// Writes signals beside those of the recording, and waits until they are in the table.
    pub(crate) fn write_signals(&self, changes: &[SignalChange]) {
        let writer = Writer::new(&self.stack.broker.kafka);
        let rows = self.count("signal_transitions") + changes.len();
        for changed in changes {
            writer.write_signal(0, changed);
        }
        wait_for("the signals are there", || (self.count("signal_transitions") == rows).then_some(()));
    }

    /// Rows that the analyst is shown, with the columns' names and types before them.
    pub(crate) fn ask(&self, sql: &str) -> Result<Shown, String> {
        let sql = format!("{sql}\nFORMAT JSONCompactEachRowWithNamesAndTypes");
        // As Grafana does, by the database of its data source.
        let password = self.clickhouse.password("analyst");
        let mut lines = self.clickhouse.ask("analyst", &password, "&database=arb", &sql)?.into_iter();
        let mut texts = || {
            let line = lines.next().unwrap();
            line.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
        };
        let (names, types) = (texts(), texts());
        Ok(Shown { names, types, rows: lines.map(|row| row.as_array().unwrap().clone()).collect() })
    }

    fn count(&self, table: &str) -> usize {
        let rows =
            self.clickhouse.query_as("migrator", &format!("SELECT count() AS rows FROM arb_store.{table}"));
        usize::try_from(rows[0]["rows"].as_u64().unwrap()).unwrap()
    }

    /// The tables, and the number of rows that each must have: from the polls and from the feed.
    fn expected(&self, recording: &Path) -> [(&'static str, usize); 5] {
        let output = run(arb().arg("evaluate").arg(recording)).out;
        let words: Vec<_> = output.split_whitespace().collect();
        let ticks = words.iter().position(|word| *word == "ticks,").map(|at| words[at - 1].parse().unwrap());
        wait_until_settled(&self.stack.broker.kafka, &FEED_EVENTS);
        let feed = read_all(&self.stack.broker.kafka, FEED_EVENTS.name);
        let types: Vec<_> = feed.iter().map(|record| RecordType::of(&record.value).unwrap()).collect();
        let count = |wanted: &[RecordType]| types.iter().filter(|record| wanted.contains(record)).count();
        [
            ("ticks", ticks.unwrap()),
            ("window_transitions", count(&[RecordType::ArbWindow, RecordType::CloseSignal])),
            ("line_movements", count(&[RecordType::LineMovement])),
            ("stale_alerts", count(&[RecordType::StaleAlert])),
            ("signal_transitions", count(&[RecordType::SignalChange])),
        ]
    }
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Shown {
    pub(crate) names: Vec<String>,
    pub(crate) types: Vec<String>,
    pub(crate) rows: Vec<Vec<Value>>,
}

fn sink(stack: &Stack, clickhouse: &ClickHouse) -> Role {
    let to = clickhouse.writer(&clickhouse.url);
    let kafka = [stack.broker.kafka.at(), stack.broker.kafka.named()];
    let arguments = [&kafka[..], &to.each_ref().map(String::as_str)].concat();
    Role::start("sink", &arguments, &stack.broker.path("sink.log"))
}
