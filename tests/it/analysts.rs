//! The queries of `deploy/docs/analysts.md` on the recordings that it names, played through everything: the
//! results in the document are those that an analyst gets, and they agree with `arb evaluate` and the
//! recording itself.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use arb_ingest::simulator::{Settings, Simulator};
use arb_ingest::source::Source;
use arb_schemas::records::ResultReport;
use arb_schemas::time::{SECOND, parse_rfc3339};
use arb_schemas::topics::PICK_TASKS;
use arb_schemas::wire::{RecordType, encode};
use serde_json::{Value, json};

use crate::evaluate::windows;
use crate::kafka::{read_all, write_to};
use crate::support::oracle::assert_same;
use crate::support::program::{Role, RunOutput};
use crate::support::scratch::Scratch;
use crate::support::stack::Broker;
use crate::support::store::Store;
use crate::support::{recordings, root, wait_for_steps};

const RECORDING: &str = "soccer_fifa_world_cup-2026-06.jsonl.zst";
/// Questions that are asked of it; the last one is asked of a simulated market, whose results are known.
const OF_RECORDING: usize = 5;
/// The seed of that market, and how often it is polled.
const SEED: u64 = 24;
const POLLS: u64 = 1_000;

/// A question of the document.
struct Question {
    sql: String,
    /// The table below it in the document, its header first.
    answer: Vec<Vec<String>>,
}

/// The SQL blocks with their tables.
fn questions() -> Vec<Question> {
    let document = std::fs::read_to_string(root().join("deploy/docs/analysts.md")).unwrap();
    let question = |block: &str| {
        let (sql, rest) = block.split_once("```").unwrap();
        let table = rest.lines().skip(2).take_while(|line| line.starts_with('|'));
        let cells =
            |line: &str| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect();
        let mut answer: Vec<Vec<_>> = table.map(cells).collect();
        // The line that makes it a table.
        answer.remove(1);
        Question { sql: sql.to_owned(), answer }
    };
    document.split("```sql\n").skip(1).map(question).collect()
}

fn cell(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn as_table(names: &[String], rows: &[Vec<Value>]) -> Vec<Vec<String>> {
    let rows = rows.iter().map(|row| row.iter().map(cell).collect());
    std::iter::once(names.to_vec()).chain(rows).collect()
}

#[test]
fn the_five_questions_have_their_answers() {
    let scratch = Scratch::new();
    let recording = recordings::named(RECORDING, scratch.path());
    let is_real = recording.ends_with(RECORDING);
    let (evaluated, output) = windows(&recording, scratch.path());
    let store = Store::play("raw", &recording);
    let questions = questions();
    assert_eq!(questions.len(), OF_RECORDING + 1);
    questions[..OF_RECORDING].iter().for_each(|question| answer_is_documented(&store, question, is_real));
    windows_are_those_of_the_evaluation(&store, &evaluated);
    the_phantom_rate_is_the_evaluations(&store, &questions[0].sql, &output);
    best_prices_make_an_arb_where_a_window_is_open(&store, &evaluated);
    withdrawals_are_those_of_the_recording(&store, &recording);
    bars_have_every_tick(&store);
    if is_real {
        filters_reach_the_table(&store);
    }
}

/// The answer is the table of the document, or at least has its columns.
fn answer_is_documented(store: &Store, Question { sql, answer }: &Question, is_exact: bool) {
    let shown = store.ask(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    let table = as_table(&shown.names, &shown.rows);
    let text: Vec<_> = table.iter().map(|row| format!("| {} |", row.join(" | "))).collect();
    assert!(!is_exact || table == *answer, "{sql}\nthe answer is\n{}", text.join("\n"));
    assert!(table[0] == answer[0] && table.len() > 1, "{sql}\n{}", text.join("\n"));
}

#[test]
fn the_question_about_settled_windows_has_its_answer() {
    let scratch = Scratch::new();
    let store = Store::play("board", &recordings::simulated(scratch.path(), SEED, POLLS));
    let broker = &store.stack.broker;
    let mut settle =
        Role::start("settle", &[broker.kafka.at(), broker.kafka.named()], &broker.path("settle.log"));
    // Until its first timer the machine has no time but that of the recording: a result of then would be forgotten by now.
    let opened = store.clickhouse.query_as("analyst", "SELECT count() AS rows FROM arb.windows");
    wait_for_steps("all windows are tasks", || {
        settle.assert_runs();
        let tasks = read_all(&broker.kafka, PICK_TASKS.name).into_iter();
        let windows = tasks.filter(|it| RecordType::of(&it.value).unwrap() == RecordType::OpenedWindow);
        let windows = windows.count();
        if opened[0]["rows"] == windows { Ok(()) } else { Err(windows) }
    });
    let reports = results(broker);
    let rows = "SELECT count() AS rows, uniqExact(event_id) AS events FROM arb.settled_windows";
    let events = "SELECT uniqExact(event_id) AS events, count() AS rows FROM arb.windows WHERE event_id IN";
    let ids: Vec<_> = reports.iter().map(|report| format!("'{}'", report.event)).collect();
    let wanted = store.clickhouse.query_as("analyst", &format!("{events} ({})", ids.join(", ")));
    wait_for_steps("all windows whose results are known are settled", || {
        settle.assert_runs();
        let settled = store.clickhouse.query_as("analyst", rows);
        if settled == wanted { Ok(()) } else { Err(settled) }
    });
    settle.stop();
    answer_is_documented(&store, &questions()[OF_RECORDING], true);
}

/// The results of the simulated market, of what is over by the end of the recording, written as its source does.
fn results(broker: &Broker) -> Vec<ResultReport> {
    let start = parse_rfc3339("2026-01-01T00:00:00Z").unwrap();
    let market = Simulator::new(Settings { seed: SEED, start, events: 16, books: 8, ..Settings::default() });
    let end = start + i64::try_from(POLLS).unwrap() * 300 * SECOND;
    let reports = market.results(start, end);
    let tasks: Vec<_> = reports.iter().map(|report| (&*report.event, encode(report).unwrap())).collect();
    let tasks: Vec<_> = tasks.iter().map(|(event, task)| (*event, &**task)).collect();
    write_to(&broker.kafka, PICK_TASKS.name, &tasks);
    reports
}

fn windows_are_those_of_the_evaluation(store: &Store, evaluated: &[Value]) {
    let ours = store.clickhouse.query_as(
        "analyst",
        "SELECT event_id AS event, market, line, formatDateTime(opened_at, '%FT%TZ') AS opened_at,
            formatDateTime(closed_at, '%FT%TZ') AS closed_at, in_play, margin_open, margin_peak, simultaneous_at_open,
            simultaneous_ever,
            arrayMap(l -> CAST((l.outcome, l.book, l.price), 'Tuple(outcome String, book String, price Float64)'), legs) AS legs
        FROM arb.windows ORDER BY opened_at, event, market, line",
    );
    let names: HashSet<_> = ours[0].as_object().unwrap().keys().cloned().collect();
    let mut theirs = evaluated.to_vec();
    for window in &mut theirs {
        window.as_object_mut().unwrap().retain(|name, _| names.contains(name));
    }
    assert_same(&ours, &theirs, "windows");
}

/// The figures of the first question are in the lines that `arb evaluate` prints.
fn the_phantom_rate_is_the_evaluations(store: &Store, sql: &str, output: &RunOutput) {
    let rows = store.clickhouse.query_as("analyst", sql);
    assert!(!rows.is_empty());
    for row in rows {
        let phase = row["phase"].as_str().unwrap();
        let of_all = |line: &&str| line.starts_with(phase) && line.contains("best price");
        let line = output.out.lines().find(of_all).unwrap();
        let printed: Vec<_> = line.split_whitespace().skip(3).take(4).collect();
        let figures = ["windows", "proven_at_open", "proven_ever"].map(|name| row[name].to_string());
        assert_eq!(printed[..3], figures, "{line}");
        let rate: f64 = printed[3].parse().unwrap();
        assert!((rate - row["phantom_percent"].as_f64().unwrap()).abs() < 1e-9, "{line}: {row}");
    }
}

/// Counted over polls: a window was open after as many as there are sums below one.
fn best_prices_make_an_arb_where_a_window_is_open(store: &Store, evaluated: &[Value]) {
    let counted = store.clickhouse.query_as(
        "analyst",
        "WITH lines AS (
            SELECT event_id, received_at, market, line, any(implied_probability_sum) AS sum, any(outcomes) AS outcomes
            FROM arb.best_price_history GROUP BY event_id, received_at, market, line)
        SELECT countIf(sum < 1 - 1e-9 AND outcomes = if(market = 'h2h', most, 2)) AS polls FROM lines
        JOIN (SELECT event_id, received_at, if(max(outcomes) = 3, 3, 2) AS most FROM lines GROUP BY event_id, received_at) AS e
            USING (event_id, received_at)",
    );
    let polls: u64 = evaluated.iter().map(|window| window["polls"].as_u64().unwrap()).sum();
    assert_eq!(counted[0]["polls"], json!(polls));
}

/// Offered and withdrawn by book, counted in the recording itself.
fn withdrawals(recording: &Path) -> BTreeMap<String, (u64, u64)> {
    let mut counts = BTreeMap::<_, (u64, u64)>::new();
    let mut last = HashMap::new();
    for line in recordings::lines(recording) {
        let poll: Value = serde_json::from_str(&line).unwrap();
        for event in poll["events"].as_array().unwrap() {
            let now = quotes(event);
            if now.is_empty() {
                continue;
            }
            let before = last.insert(event["id"].to_string(), now);
            let now = &last[&event["id"].to_string()];
            for quote in before.iter().flatten() {
                let (offered, withdrawn) = counts.entry(quote.0.clone()).or_default();
                *offered += 1;
                *withdrawn += u64::from(!now.contains(quote));
            }
        }
    }
    counts
}

/// Book, and market, outcome and line.
fn quotes(event: &Value) -> HashSet<(String, String)> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let mut quotes = HashSet::new();
    for book in list(&event["bookmakers"]) {
        for market in list(&book["markets"]) {
            for outcome in list(&market["outcomes"]) {
                let what = format!("{} {} {}", market["key"], outcome["name"], outcome["point"]);
                quotes.insert((book["key"].as_str().unwrap().to_owned(), what));
            }
        }
    }
    quotes
}

fn withdrawals_are_those_of_the_recording(store: &Store, recording: &Path) {
    let rows = store.clickhouse.query_as(
        "analyst",
        "SELECT book, sum(quotes_offered) AS offered, sum(quotes_withdrawn) AS withdrawn FROM arb.book_quality
        GROUP BY book ORDER BY book",
    );
    let ours: BTreeMap<_, _> = rows
        .iter()
        .map(|row| {
            let count = |name: &str| row[name].as_u64().unwrap();
            (row["book"].as_str().unwrap().to_owned(), (count("offered"), count("withdrawn")))
        })
        .collect();
    assert_eq!(ours, withdrawals(recording));
}

fn bars_have_every_tick(store: &Store) {
    let sql = "SELECT (SELECT sum(ticks) FROM arb.minute_bars) = (SELECT countIf(status = 'active') FROM arb.ticks) AS all,
        (SELECT countIf(low > least(open, close) OR high < greatest(open, close)) FROM arb.minute_bars) AS wrong";
    assert_eq!(store.clickhouse.query_as("analyst", sql), [json!({"all": 1, "wrong": 0})]);
}

/// What the document calls quick reads a small part of the rows, by ClickHouse's own estimate.
fn filters_reach_the_table(store: &Store) {
    let rows = |sql: &str| {
        let parts = store.clickhouse.query_as("migrator", &format!("EXPLAIN ESTIMATE {sql}"));
        parts
            .iter()
            .filter(|part| part["table"] == "ticks")
            .map(|part| part["rows"].as_u64().unwrap())
            .sum::<u64>()
    };
    let all = rows("SELECT count() FROM arb_store.ticks WHERE price > 0");
    let event = "sport = 'soccer' AND event_id = (SELECT any(event_id) FROM arb.windows)";
    for view in ["ticks", "best_price_history", "minute_bars", "price_moves"] {
        let filtered = rows(&format!("SELECT * FROM arb.{view} WHERE {event}"));
        assert!(filtered > 0 && filtered < all / 5, "{view} of an event: {filtered} of {all} rows");
    }
    // The recording ends with June.
    for (view, time) in
        [("ticks", "received_at"), ("best_price_history", "received_at"), ("minute_bars", "minute")]
    {
        assert_eq!(
            rows(&format!("SELECT * FROM arb.{view} WHERE {time} >= '2026-07-01 00:00:00'")),
            0,
            "{view}"
        );
    }
    for view in ["price_moves_between", "book_quality_between"] {
        assert_eq!(
            rows(&format!("SELECT * FROM arb.{view}(since = '2026-07-01', until = '2026-08-01')")),
            0,
            "{view}"
        );
    }
}
