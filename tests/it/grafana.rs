//! The dashboard's SQL, run as the analyst: every panel and every variable, with what Grafana and its ClickHouse
//! plugin put into it. Grafana itself is not started.
//!
//! Source: the macros and the query model of grafana-clickhouse-datasource 4 (`rawSql`, `format`, `queryType`).

use std::collections::{BTreeMap, HashSet};

use arb_model::Time;
use arb_schemas::records::SignalChange;
use serde_json::Value;

use crate::support::feed::signal;
use crate::support::oracle::parse;
use crate::support::scratch::Scratch;
use crate::support::store::{Shown, Store};
use crate::support::{recordings, root};

const PLUGIN: &str = "grafana-clickhouse-datasource";

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join("deploy/grafana").join(path)).unwrap()
}

fn dashboard() -> Value {
    parse(&read("dashboards/arbitrage-board.json").replace('\n', " ")).remove(0)
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_else(|| panic!("no {name}: {value}"))
}

fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value[name].as_array().map_or(&[], Vec::as_slice)
}

/// Panels that ask ClickHouse.
fn panels(dashboard: &Value) -> impl Iterator<Item = &Value> {
    list(dashboard, "panels").iter().filter(|panel| panel["datasource"]["type"] == PLUGIN)
}

/// What is chosen on the dashboard: a time in seconds, and values of variables.
struct Chosen {
    from: i64,
    to: i64,
    values: BTreeMap<String, Vec<String>>,
}

impl Chosen {
    /// A query as ClickHouse gets it.
    ///
    /// # Panics
    /// For a macro or a variable that there is not.
    fn expand(&self, sql: &str) -> String {
        let Some((before, rest)) = sql.split_once('$') else { return sql.to_owned() };
        let (name, rest) =
            rest.strip_prefix('{').map_or_else(|| name(rest), |rest| rest.split_once('}').unwrap());
        let (argument, rest) = match rest.strip_prefix('(') {
            Some(rest) if name.starts_with("__") => rest.split_once(')').unwrap(),
            _ => ("", rest),
        };
        format!("{before}{}{}", self.value(name, argument), self.expand(rest))
    }

    fn value(&self, name: &str, argument: &str) -> String {
        let Self { from, to, .. } = self;
        match (name, argument) {
            ("__timeFilter", column) if !column.is_empty() => {
                format!("{column} >= toDateTime({from}) AND {column} <= toDateTime({to})")
            }
            ("__timeInterval", column) if !column.is_empty() => {
                format!("toStartOfInterval(toDateTime({column}), INTERVAL 60 second)")
            }
            ("__fromTime", "") => format!("toDateTime({from})"),
            ("__toTime", "") => format!("toDateTime({to})"),
            ("__interval_s", "") => "60".to_owned(),
            (name, "") => {
                let variable =
                    name.strip_suffix(":singlequote").unwrap_or_else(|| panic!("unknown: ${name}"));
                let values = self.values.get(variable).unwrap_or_else(|| panic!("no variable {variable}"));
                values.iter().map(|value| format!("'{value}'")).collect::<Vec<_>>().join(",")
            }
            (name, argument) => panic!("unknown: ${name}({argument})"),
        }
    }
}

/// A macro's name, and what comes after it.
fn name(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len()))
}

#[test]
fn a_macro_that_the_plugin_has_not_is_found() {
    let chosen =
        Chosen { from: 1, to: 2, values: BTreeMap::from([("book".to_owned(), vec!["a".to_owned()])]) };
    let expanded = chosen.expand("WHERE $__timeFilter(at) AND book IN (${book:singlequote}) / $__interval_s");
    assert_eq!(expanded, "WHERE at >= toDateTime(1) AND at <= toDateTime(2) AND book IN ('a') / 60");
    for wrong in ["$__timeFilters(at)", "$__timeFilter", "${books:singlequote}", "$book", "${book}"] {
        assert!(std::panic::catch_unwind(|| chosen.expand(wrong)).is_err(), "{wrong}");
    }
}

/// The recording up to a poll after which windows are open, and the time that it covers.
fn recording(scratch: &std::path::Path) -> (std::path::PathBuf, i64, i64) {
    let whole = recordings::simulated(scratch, 23, 300);
    let (windows, _) = crate::evaluate::windows(&whole, scratch);
    let lines: Vec<_> = recordings::lines(&whole).collect();
    let open_until = text(&windows[windows.len() / 2], "last_open_at").to_owned();
    let polled_at = |line: &String| text(&serde_json::from_str(line).unwrap(), "polled_at").to_owned();
    let end = lines.iter().position(|line| polled_at(line) == open_until).unwrap();
    let path = scratch.join("until.jsonl");
    std::fs::write(&path, lines[..=end].join("\n") + "\n").unwrap();
    let seconds = |line: &String| arb_schemas::time::parse_rfc3339(&polled_at(line)).unwrap() / 1_000_000;
    (path, seconds(&lines[0]), seconds(&lines[end]))
}

/// A signal that has closed and one that is open, of the chosen sport, league and book.
fn signals(chosen: &Chosen) -> Vec<SignalChange> {
    let first = |name: &str| chosen.values[name][0].clone();
    let transition = |id, sequence, change| {
        let mut transition = signal(id, &first("league"), sequence, change);
        transition.signal.event.sport = first("sport").into();
        transition.signal.bets[0].book = first("book").into();
        transition.signal.opened_at = Time(chosen.from * 1_000_000);
        transition.signal.updated_at = Time(chosen.to * 1_000_000);
        transition
    };
    vec![
        transition("a", 1_000_000, "opened"),
        transition("a", 1_000_001, "expired"),
        transition("b", 1_000_002, "opened"),
    ]
}

#[test]
fn every_panel_and_variable_is_answered() {
    let scratch = Scratch::new();
    let (recording, from, to) = recording(scratch.path());
    let store = Store::play("board", &recording);
    let dashboard = dashboard();
    let mut chosen = Chosen { from, to, values: BTreeMap::new() };
    for variable in list(&dashboard["templating"], "list") {
        let sql = chosen.expand(text(&variable["query"], "rawSql"));
        let shown = store.ask(&sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
        assert_eq!(shown.names.len(), 1, "{sql}");
        let values: Vec<_> = shown.rows.iter().map(|row| row[0].as_str().unwrap().to_owned()).collect();
        assert!(!values.is_empty(), "{sql}");
        chosen.values.insert(text(variable, "name").to_owned(), values);
    }
    store.write_signals(&signals(&chosen));
    let mut answered = 0;
    for panel in panels(&dashboard) {
        for target in list(panel, "targets") {
            let sql = chosen.expand(text(target, "rawSql"));
            let shown = store.ask(&sql).unwrap_or_else(|error| panic!("{}: {sql}: {error}", panel["title"]));
            assert!(!shown.rows.is_empty(), "{}: {sql}", panel["title"]);
            assert_shows(panel, &shown);
            answered += 1;
        }
    }
    assert!(answered >= 12, "{answered}");
}

/// Fails unless the columns are what the panel draws.
fn assert_shows(panel: &Value, shown: &Shown) {
    let (title, kind) = (text(panel, "title"), text(panel, "type"));
    let Shown { names, types, .. } = shown;
    let is_number = |kind: &String| ["Int", "Float"].iter().any(|number| kind.contains(number));
    let numbers = types.iter().filter(|kind| is_number(kind)).count();
    match kind {
        "timeseries" => {
            assert!(names[0] == "time" && types[0].starts_with("DateTime"), "{title}: {names:?} {types:?}");
            let times: Vec<_> = shown.rows.iter().map(|row| row[0].as_str().unwrap()).collect();
            assert!(times.is_sorted(), "{title}: Grafana requires times in order");
            let labels = types.iter().filter(|kind| kind.contains("String")).count();
            assert!(numbers > 0 && labels <= 1 && numbers + labels + 1 == types.len(), "{title}: {types:?}");
        }
        "stat" => assert_eq!((shown.rows.len(), numbers), (1, names.len()), "{title}"),
        "barchart" => {
            let at = names.iter().position(|name| *name == text(&panel["options"], "xField")).unwrap();
            assert!(types[at].contains("String") && numbers + 1 == names.len(), "{title}: {types:?}");
        }
        "table" => {}
        other => panic!("{title}: what does a {other} draw?"),
    }
    for change in list(&panel["fieldConfig"], "overrides") {
        let name = text(&change["matcher"], "options").to_owned();
        assert!(names.contains(&name), "{title}: an override of {name}, which is not in {names:?}");
    }
}

#[test]
fn the_dashboard_is_as_grafana_reads_it() {
    let (dashboard, sources) = (dashboard(), read("provisioning/datasources/arb.yml"));
    assert!(
        sources.contains("password: $CLICKHOUSE_ANALYST_PASSWORD") && sources.contains("username: analyst")
    );
    let mut ids = HashSet::new();
    let mut taken = HashSet::new();
    for panel in list(&dashboard, "panels") {
        let title = text(panel, "title");
        assert!(ids.insert(panel["id"].as_u64().unwrap()), "{title}: its id is another's");
        let place = |name: &str| panel["gridPos"][name].as_u64().unwrap();
        let (x, y, w, h) = (place("x"), place("y"), place("w"), place("h"));
        assert!(x + w <= 24, "{title} is too wide");
        for cell in (x..x + w).flat_map(|x| (y..y + h).map(move |y| (x, y))) {
            assert!(taken.insert(cell), "{title} overlaps another panel");
        }
        if panel["type"] != "row" {
            assert!(text(panel, "description").len() > 10, "{title} has no description");
            let uid = text(&panel["datasource"], "uid");
            assert!(sources.contains(&format!("uid: {uid}\n")), "{title}: no data source {uid}");
        }
    }
    for panel in panels(&dashboard) {
        for target in list(panel, "targets") {
            let form = if panel["type"] == "timeseries" { ("timeseries", 0) } else { ("table", 1) };
            let output = (text(target, "queryType"), target["format"].as_u64().unwrap());
            assert_eq!((output, text(target, "editorType")), (form, "sql"), "{}", panel["title"]);
            assert_eq!(target["datasource"], panel["datasource"], "{}", panel["title"]);
        }
    }
}
