//! Gradings of arb windows from end to end: each window of a recording by each result of its event, with results that come twice, late, are
//! corrected and withdrawn, whatever dies meanwhile, as an independent settlement has them: on the feed, in ClickHouse, over HTTP and on
//! a stream.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write;
use std::process::{Command, Stdio};

use arb_kafka::partition_of;
use arb_model::Event;
use arb_picks::results::least_length;
use arb_schemas::records::{ArbWindow, OpenedWindow, PeriodScore, PickTimer, ResultReport, WindowGrading};
use arb_schemas::time::{Micros, SECOND, to_rfc3339};
use arb_schemas::topics::{DEFAULT_PARTITIONS, FEED_EVENTS, PICK_TASKS};
use arb_schemas::wire::{RecordType, decode, encode};
use serde_json::{Value, json};

use crate::kafka::{read_all, wait_until_settled, write_to};
use crate::support::environment::Environment;
use crate::support::odds_api::now;
use crate::support::oracle::{assert_same, parse};
use crate::support::program::Role;
use crate::support::scratch::Scratch;
use crate::support::sse::Sse;
use crate::support::store::Store;
use crate::support::{recordings, root, wait_for, wait_for_steps};

const EVENT: &str = "window_graded";

/// A task as the oracle reads it; `None` for what is no business of windows.
fn task(value: &[u8]) -> Option<Value> {
    match RecordType::of(value).unwrap() {
        RecordType::PickTimer => Some(json!({"timer": decode::<PickTimer>(value).unwrap().at})),
        RecordType::OpenedWindow => Some(json!({"window": window(&decode(value).unwrap())})),
        RecordType::ResultReport => Some(json!({"result": result(&decode(value).unwrap())})),
        _ => None,
    }
}

fn window(window: &OpenedWindow) -> Value {
    let legs: Vec<_> = window.legs.iter().map(|leg| json!({
        "outcome": leg.outcome.as_str(), "side": leg.side.as_str(), "implied_probability": leg.implied_probability,
        "stake_share": leg.stake_share,
    })).collect();
    json!({
        "id": window.id, "event": &*window.event.id, "market": window.market.as_str(), "period": window.period.as_str(),
        "line": window.line.map(|line| line.0), "legs": legs, "commence_time": window.event.commence_time.0,
        "opened_at": window.opened_at.0, "home": &*window.event.home, "away": &*window.event.away,
        "least": least_length(&window.event),
    })
}

fn result(report: &ResultReport) -> Value {
    let score = |score: &PeriodScore| json!({"period": score.period, "home": score.home, "away": score.away});
    json!({
        "event": report.event, "status": report.status, "scores": report.scores.iter().map(score).collect::<Vec<_>>(),
        "starts_at": report.starts_at, "source": report.source, "at": report.at, "home": report.home, "away": report.away,
        "ended": report.ended,
    })
}

fn grading(WindowGrading { window, grade }: &WindowGrading) -> Value {
    let leg = |leg: &arb_schemas::records::LegReturn| json!({"settlement": leg.settlement, "returned": leg.returned});
    json!({
        "window": window.id, "version": grade.version, "state": grade.state.as_str(), "returned": grade.returned,
        "legs": grade.legs.iter().map(leg).collect::<Vec<_>>(), "home": grade.home, "away": grade.away,
        "source": grade.source, "at": grade.at.0,
    })
}

/// The gradings that must be published, partition by partition, by `tests/oracle/window_gradings.py`.
fn expected(kafka: &Environment) -> Vec<Value> {
    let mut partitions = BTreeMap::<i32, String>::new();
    for record in read_all(kafka, PICK_TASKS.name) {
        if let Some(task) = task(&record.value) {
            let _ = writeln!(partitions.entry(record.partition).or_default(), "{task}");
        }
    }
    partitions.values().flat_map(|tasks| oracle(tasks)).collect()
}

fn oracle(tasks: &str) -> Vec<Value> {
    let mut command = Command::new("python3");
    command.arg(root().join("tests/oracle/window_gradings.py"));
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut child = child.expect("python3 runs the oracle; on Debian: apt-get install python3");
    // It reads everything before it writes.
    child.stdin.take().unwrap().write_all(tasks.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    parse(&String::from_utf8(output.stdout).unwrap())
}

/// The feed's records of a type, partition by partition.
fn of_feed<T: arb_schemas::wire::Record>(kafka: &Environment) -> Vec<T> {
    let records = read_all(kafka, FEED_EVENTS.name).into_iter();
    let of_type = records.filter(|record| RecordType::of(&record.value).unwrap() == T::TYPE);
    of_type.map(|record| decode(&record.value).unwrap()).collect()
}

fn report(info: &Event, status: &str, score: Option<(i32, i32)>, at: Micros) -> ResultReport {
    let full_time = |(home, away)| PeriodScore { period: "full_time".into(), home, away };
    let scores = score.map(full_time).into_iter().collect();
    let (event, status, source) = (info.id.to_string(), status.to_owned(), "test".to_owned());
    let (home, away, ended) = (info.home.to_string(), info.away.to_string(), Some("regulation".to_owned()));
    ResultReport { event, status, scores, starts_at: None, source, at, home, away, ended }
}

/// What is reported of an event, by its number: in halves, between which the settlement dies.
fn reports(number: usize, event: &Event) -> [Vec<ResultReport>; 2] {
    let (now, goals) = (now(), |divisor: usize| i32::try_from(number / divisor % 4).unwrap());
    let finished = |more: i32, at| report(event, "finished", Some((goals(1) + more, goals(3))), at);
    let open = |status, at| report(event, status, None, at);
    match number % 5 {
        // Twice, then corrected; what is older than that changes nothing.
        0 => [
            vec![finished(0, now), finished(0, now)],
            vec![finished(1, now + SECOND), finished(2, now - SECOND)],
        ],
        // Withdrawn, and reported again.
        1 => [vec![finished(0, now), open("in_progress", now + SECOND)], vec![finished(0, now + 2 * SECOND)]],
        2 => [vec![open("cancelled", now)], vec![]],
        3 => {
            let later = ResultReport { starts_at: Some(now - 3_600 * SECOND), ..open("postponed", now) };
            [vec![later], vec![finished(0, now + SECOND)]]
        }
        _ => [vec![open("abandoned", now)], vec![open("abandoned", now), finished(0, now + SECOND)]],
    }
}

fn write(kafka: &Environment, reports: &[ResultReport]) {
    let tasks: Vec<_> =
        reports.iter().map(|report| (report.event.as_str(), encode(report).unwrap())).collect();
    let tasks: Vec<_> = tasks.iter().map(|(event, task)| (*event, &**task)).collect();
    write_to(kafka, PICK_TASKS.name, &tasks);
}

fn settle(store: &Store, name: &str) -> Role {
    let broker = &store.stack.broker;
    Role::start("settle", &[broker.kafka.at(), broker.kafka.named()], &broker.path(&format!("{name}.log")))
}

#[test]
fn every_grading_is_that_of_an_independent_settlement_whatever_dies() {
    let scratch = Scratch::new();
    let store = Store::play("raw", &recordings::simulated(scratch.path(), 24, 80));
    let kafka = &store.stack.broker.kafka;
    let windows: Vec<ArbWindow> = of_feed(kafka);
    let opened: BTreeMap<_, _> =
        windows.iter().filter(|it| it.change == "opened").map(|it| (it.entry.id.clone(), it)).collect();
    let mut events: Vec<_> = opened.values().map(|window| window.entry.event.clone()).collect();
    events.sort_by(|a, b| a.id.cmp(&b.id));
    events.dedup_by(|a, b| a.id == b.id);
    let all: Vec<_> = events.iter().enumerate().map(|(number, event)| reports(number, event)).collect();
    // Of every other event the result is known before the window is read.
    for [early, _] in all.iter().step_by(2) {
        write(kafka, early);
    }
    let stream = open_stream(&store);
    let mut role = settle(&store, "first");
    let taken = || {
        let tasks = read_all(kafka, PICK_TASKS.name);
        let is_window = |value: &[u8]| RecordType::of(value).unwrap() == RecordType::OpenedWindow;
        tasks.iter().filter(|task| is_window(&task.value)).count()
    };
    wait_for_steps("all windows are tasks", || {
        role.assert_runs();
        let taken = taken();
        if taken >= opened.len() { Ok(()) } else { Err(taken) }
    });
    role.kill();
    for [early, _] in all.iter().skip(1).step_by(2) {
        write(kafka, early);
    }
    let mut role = settle(&store, "second");
    wait_for_gradings(kafka, &mut role);
    role.kill();
    for [_, late] in &all {
        write(kafka, late);
    }
    let mut role = settle(&store, "third");
    wait_for_gradings(kafka, &mut role);
    role.stop();

    let expected = expected(kafka);
    let graded: Vec<WindowGrading> = of_feed(kafka);
    println!("{} windows of {} events, {} gradings", opened.len(), events.len(), graded.len());
    assert_same(&graded.iter().map(grading).collect::<Vec<_>>(), &expected, "gradings");
    assert!(
        graded.len() * 2 > opened.len() * 3 && opened.len() > 100,
        "{} of {}",
        graded.len(),
        opened.len()
    );
    for WindowGrading { window, .. } in &graded {
        assert_eq!(*window, OpenedWindow::of(&opened[&window.id].entry), "as it opened");
    }
    for window in graded.iter().filter(|it| it.grade.returned.is_some_and(|back| back < 1.0 - 1e-9)) {
        assert!(window.window.margin_worst < 0.0, "an arb returns its stakes at least: {window:?}");
    }
    rows_are_the_gradings(&store, &expected);
    answers_are_the_gradings(&store, &graded);
    events_are_the_gradings(stream, &store, &graded);
}

/// As many events on the stream, each of them one of the gradings; it is opened again where it was cut.
fn events_are_the_gradings(mut stream: Sse, store: &Store, graded: &[WindowGrading]) {
    for number in 0..graded.len() {
        let shown = loop {
            match stream.next() {
                Some(event) if event.name == EVENT => break event.json(),
                Some(_) => {}
                None => stream = open_stream_after(store, stream.last_id.as_deref()),
            }
        };
        let is_it = |it: &&WindowGrading| {
            shown["id"] == it.window.id && shown["grade"]["version"] == it.grade.version
        };
        let it = graded.iter().find(is_it).unwrap_or_else(|| panic!("event {number}: {shown}"));
        assert_eq!(shown["grade"]["state"], it.grade.state.as_str());
    }
}

fn open_stream(store: &Store) -> Sse {
    open_stream_after(store, None)
}

fn open_stream_after(store: &Store, last: Option<&str>) -> Sse {
    let (listen, bearer) =
        (store.stack.url.trim_start_matches("http://"), format!("Bearer {}", store.stack.key));
    let mut headers = vec![("authorization", &*bearer)];
    headers.extend(last.map(|last| ("last-event-id", last)));
    let mut stream = Sse::connect(listen, &format!("/v1/stream?event={EVENT}"), &headers);
    stream.last_id = last.map(str::to_owned);
    assert_eq!(stream.status, 200, "{:?}", stream.head);
    stream
}

/// Waits until as many gradings are published as the tasks so far make.
fn wait_for_gradings(kafka: &Environment, role: &mut Role) {
    wait_for_steps("every grading is published", || {
        role.assert_runs();
        let (wanted, found) = (expected(kafka).len(), of_feed::<WindowGrading>(kafka).len());
        if found >= wanted { Ok(()) } else { Err((found, wanted)) }
    });
    wait_until_settled(kafka, &FEED_EVENTS);
}

/// As the analyst sees them.
fn rows_are_the_gradings(store: &Store, expected: &[Value]) {
    let count = "SELECT count() AS rows FROM arb.window_gradings";
    wait_for_steps("all gradings are in ClickHouse", || {
        let rows = store.clickhouse.query_as("analyst", count);
        if rows[0]["rows"] == expected.len() { Ok(()) } else { Err(rows) }
    });
    let rows = store.clickhouse.query_as(
        "analyst",
        "SELECT window_id AS window, grade AS version, state, returned,
            arrayMap(l -> CAST((assumeNotNull(l.settlement), assumeNotNull(l.returned)), 'Tuple(settlement String, returned Float64)'),
                arrayFilter(l -> isNotNull(l.settlement), legs)) AS legs,
            home_points AS home, away_points AS away, result_source AS source, toUnixTimestamp64Micro(at) AS at
        FROM arb.window_gradings ORDER BY window, version",
    );
    let mut sorted = expected.to_vec();
    sorted.sort_by_key(|it| (it["window"].as_str().unwrap().to_owned(), it["version"].as_i64()));
    assert_same(&rows, &sorted, "rows");
    let last: BTreeMap<_, _> = sorted.iter().map(|it| (it["window"].as_str().unwrap(), it)).collect();
    let settled: Vec<_> = last.values().filter(|it| it["state"] == "settled").collect();
    let rows = store.clickhouse.query_as(
        "analyst",
        "SELECT window_id AS window, grade AS version, returned, profit FROM arb.settled_windows ORDER BY window",
    );
    let settled: Vec<_> = settled
        .iter()
        .map(|it| {
            json!({"window": it["window"], "version": it["version"], "returned": it["returned"],
            "profit": it["returned"].as_f64().unwrap() - 1.0})
        })
        .collect();
    assert_same(&rows, &settled, "settled windows");
}

/// `/arbs/{id}` has every grading, and lists have the last one.
fn answers_are_the_gradings(store: &Store, graded: &[WindowGrading]) {
    let mut of_window = BTreeMap::<_, Vec<_>>::new();
    for it in graded {
        of_window.entry(it.window.id.as_str()).or_default().push(it);
    }
    for (id, graded) in of_window.iter().step_by(9) {
        let shown = store.stack.get(&format!("/v1/arbs/{id}")).json();
        let gradings = shown["gradings"].as_array().unwrap();
        assert_eq!(gradings.len(), graded.len(), "{id}");
        for (shown, WindowGrading { grade, .. }) in gradings.iter().zip(graded) {
            assert_eq!(
                (&shown["version"], &shown["at"]),
                (&json!(grade.version), &json!(to_rfc3339(grade.at.0)))
            );
            assert_eq!(shown["legs"].as_array().unwrap().len(), grade.legs.len());
            let profit = grade.returned.map(|returned| returned - 1.0);
            let near =
                |found: &Value| profit.is_none_or(|profit| (found.as_f64().unwrap() - profit).abs() < 1e-12);
            assert!(shown["profit"].is_null() == profit.is_none() && near(&shown["profit"]), "{shown}");
        }
        let last = gradings.last().filter(|last| last["state"] == "settled");
        assert_eq!(&shown["window"]["settlement"], last.unwrap_or(&Value::Null), "{id}");
    }
    let page = store.stack.get("/v1/arbs/history?limit=500").json();
    for shown in page["windows"].as_array().unwrap() {
        let last = of_window.get(shown["id"].as_str().unwrap()).and_then(|graded| graded.last());
        let version = last.filter(|last| last.grade.is_settled()).map(|last| last.grade.version);
        assert_eq!(shown["settlement"]["version"].as_i64(), version, "{shown}");
    }
}

#[test]
fn a_window_is_in_the_partition_of_its_event() {
    let scratch = Scratch::new();
    let store = Store::play("raw", &recordings::simulated(scratch.path(), 5, 20));
    let kafka = &store.stack.broker.kafka;
    let mut role = settle(&store, "settle");
    let windows = wait_for("windows are tasks", || {
        role.assert_runs();
        let tasks = read_all(kafka, PICK_TASKS.name).into_iter();
        let of_type = tasks.filter(|it| RecordType::of(&it.value).unwrap() == RecordType::OpenedWindow);
        let windows: Vec<_> = of_type.collect();
        (!windows.is_empty()).then_some(windows)
    });
    for record in windows {
        let window: OpenedWindow = decode(&record.value).unwrap();
        assert_eq!(record.key, window.event.id.as_bytes());
        assert_eq!(record.partition, partition_of(&window.event.id, DEFAULT_PARTITIONS));
    }
    role.stop();
}
