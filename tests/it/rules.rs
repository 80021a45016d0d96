//! Prometheus' rules and the dashboard name metrics that exist, and use them as what they are; Prometheus'
//! checker accepts them; each alert is shown firing, with its text.

use std::collections::BTreeSet;

use arb_runtime::telemetry::{Kind, Metric, list};
use serde_json::Value;

use crate::support::promtool::promtool;
use crate::support::root;
use crate::support::scratch::Scratch;

const RULES: &str = "deploy/prometheus/rules.yml";
const RULE_TESTS: &str = "deploy/prometheus/rules.test.yml";
const CONFIG: &str = "deploy/prometheus/prometheus.yml";
/// Labels that Prometheus itself gives.
const GIVEN: [&str; 3] = ["job", "instance", "le"];

fn read(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The files in a folder and below it that end so.
fn files(folder: &str, ending: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(root().join(folder)).into_iter().flatten().map(Result::unwrap) {
        let name = format!("{folder}/{}", entry.file_name().to_str().unwrap());
        if entry.path().is_dir() {
            found.extend(files(&name, ending));
        } else if name.ends_with(ending) {
            found.push(name);
        }
    }
    found
}

/// All expressions of a dashboard that are Prometheus'.
fn expressions(dashboard: &Value, found: &mut Vec<String>) {
    match dashboard {
        Value::Object(fields) => {
            found.extend(fields.get("expr").and_then(Value::as_str).map(str::to_owned));
            fields.values().for_each(|value| expressions(value, found));
        }
        Value::Array(values) => values.iter().for_each(|value| expressions(value, found)),
        _ => {}
    }
}

/// What is written beside a name in an expression.
#[derive(Debug)]
struct Use<'a> {
    name: &'a str,
    /// The function that it is in, if the name is the first thing in it.
    function: &'a str,
    /// What follows in braces.
    matchers: &'a str,
}

/// Every place where an expression, or any text, names a metric of ours.
fn uses(text: &str) -> Vec<Use<'_>> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let starts = text.match_indices("arb_").map(|(at, _)| at);
    let starts = starts.filter(|at| !text[..*at].ends_with(|c: char| is_word(c) || c == ':'));
    let used = starts.map(|at| {
        let rest = &text[at..];
        let (name, rest) = rest.split_at(rest.find(|c| !is_word(c)).unwrap_or(rest.len()));
        let function = text[..at].strip_suffix('(').unwrap_or_default();
        let function = &function[function.rfind(|c| !is_word(c)).map_or(0, |before| before + 1)..];
        let matchers =
            rest.strip_prefix('{').and_then(|rest| rest.split_once('}')).map_or("", |(inner, _)| inner);
        Use { name, function, matchers }
    });
    used.collect()
}

/// The metric that a series is of, and whether it counts up.
fn series(name: &str) -> Option<(&'static Metric, bool)> {
    list::ALL.iter().find_map(|metric| match metric.kind {
        Kind::Counter => (name == metric.name).then_some((metric, true)),
        Kind::Gauge => (name == metric.name).then_some((metric, false)),
        Kind::Histogram(_) => {
            let part = name.strip_prefix(metric.name)?;
            ["_bucket", "_sum", "_count"].contains(&part).then_some((metric, true))
        }
    })
}

/// Words that some file of the program contains.
fn is_a_word_of_the_program(word: &str) -> bool {
    let crates = ["deliver", "engine", "ingest", "kafka", "process", "runtime", "settle", "sink"]
        .map(|name| format!("pipeline/{name}/src"));
    let mut sources =
        crates.iter().map(String::as_str).chain(["api/src"]).flat_map(|folder| files(folder, ".rs"));
    sources.any(|source| read(&source).contains(&format!("\"{word}\"")))
}

fn check(expression: &str, place: &str) {
    for Use { name, function, matchers } in uses(expression) {
        let (metric, grows) = series(name).unwrap_or_else(|| panic!("{place}: {name} does not exist"));
        match function {
            "rate" | "irate" | "increase" => {
                assert!(grows, "{place}: {function}({name}) of what goes up and down");
            }
            "delta" | "deriv" | "idelta" => assert!(!grows, "{place}: {function}({name}) of what only grows"),
            _ => {}
        }
        for matcher in matchers.split(',').filter(|matcher| !matcher.is_empty()) {
            let (label, values) = matcher.split_once('=').unwrap();
            let label = label.trim().trim_end_matches('!');
            assert!(
                metric.labels.contains(&label) || GIVEN.contains(&label),
                "{place}: {name} has no {label}"
            );
            let values = values.trim_start_matches('~').trim_matches('"');
            // Codes are librdkafka's words; a class of a status is made of one word and a number.
            if !GIVEN.contains(&label) && label != "code" && !values.starts_with('$') {
                values.split('|').for_each(|word| assert!(is_a_word_of_the_program(word), "{place}: {word}"));
            }
        }
    }
    let quantiles = expression.split("histogram_quantile").skip(1);
    for quantile in quantiles {
        let over = uses(quantile).first().map(|used| used.name.to_owned());
        assert!(over.is_some_and(|name| name.ends_with("_bucket")), "{place}: {expression}");
    }
}

#[test]
fn rules_and_dashboards_name_what_exists() {
    let rules = read(RULES);
    for line in rules.lines() {
        check(line, RULES);
    }
    let recorded: BTreeSet<_> =
        rules.lines().filter_map(|line| line.trim().strip_prefix("- record: ")).collect();
    let mut texts = vec![(RULES.to_owned(), rules.clone())];
    for dashboard in files("deploy/grafana", ".json") {
        let mut found = Vec::new();
        expressions(&serde_json::from_str(&read(&dashboard)).unwrap(), &mut found);
        for expression in &found {
            check(expression, &dashboard);
        }
        texts.push((dashboard, found.join("\n")));
    }
    for (place, text) in texts {
        for (at, _) in text.match_indices("arb:") {
            let end = text[at..].find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != ':');
            let name = &text[at..at + end.unwrap_or(text.len() - at)];
            assert!(recorded.contains(name), "{place}: {name} is not recorded");
        }
    }
}

#[test]
fn the_dashboard_asks_what_prometheus_understands() {
    let mut found = Vec::new();
    for dashboard in files("deploy/grafana", ".json") {
        expressions(&serde_json::from_str(&read(&dashboard)).unwrap(), &mut found);
    }
    let rule = |(n, expression): (usize, &String)| {
        let expression = expression.replace("$__rate_interval", "1m");
        format!("      - {{record: 'panel:{n}', expr: '{}'}}\n", expression.replace('\'', "''"))
    };
    let rules: String = found.iter().enumerate().map(rule).collect();
    let scratch = Scratch::new();
    let path = scratch.path().join("panels.yml");
    std::fs::write(&path, format!("groups:\n  - name: panels\n    rules:\n{rules}")).unwrap();
    promtool(&["check", "rules", "--lint=none", path.to_str().unwrap()], "");
}

#[test]
fn a_missing_metric_is_found() {
    let is_found = |expression: &'static str| std::panic::catch_unwind(|| check(expression, "here")).is_err();
    for wrong in [
        "arb_process_lag",
        "arb_pump_commit_seconds",
        "rate(arb_pump_lag_records[1m])",
        "delta(arb_process_ticks_total[1m])",
        "arb_process_ticks_total{book=\"x\"}",
        "arb_pump_transactions_total{outcome=\"commited\"}",
        "histogram_quantile(0.9, rate(arb_pump_commit_seconds_sum[1m]))",
    ] {
        assert!(is_found(wrong), "{wrong}");
    }
    assert!(!is_found("sum(rate(arb_pump_transactions_total{outcome=\"committed\", job=\"x\"}[1m]))"));
}

#[test]
fn the_checker_is_content_with_rules_and_configuration() {
    promtool(&["check", "rules", RULES], "");
    promtool(&["check", "config", CONFIG], "");
    promtool(&["test", "rules", RULE_TESTS], "");
}

#[test]
fn every_alert_says_what_to_do_and_is_shown_firing() {
    let (rules, tests) = (read(RULES), read(RULE_TESTS));
    let alerts: Vec<_> = rules.split("- alert: ").skip(1).collect();
    assert!(alerts.len() > 15, "{}", alerts.len());
    for alert in alerts {
        let (name, rest) = alert.split_once('\n').unwrap();
        let has_text = |word: &str| rest.lines().any(|line| line.trim().starts_with(word) && line.len() > 40);
        assert!(has_text("summary: \"") && has_text("runbook: \""), "{name} has no summary or runbook");
        assert!(["critical", "warning"].iter().any(|it| rest.contains(&format!("severity: {it}"))), "{name}");
        let fires =
            tests.contains(&format!("exp_samples: [{{labels: '{{alertname=\"{name}\"}}', value: 1}}]"));
        assert!(fires, "{name} is never shown firing");
        let text = tests.split_once(&format!("alertname: {name}\n        exp_alerts:\n"));
        let text = text.unwrap_or_else(|| panic!("the tests have no text of {name}")).1;
        let text = text.split("\n\n").next().unwrap();
        let has_text = |word: &str| text.lines().any(|line| line.trim().starts_with(word) && line.len() > 40);
        assert!(has_text("summary: \"") && has_text("runbook: \""), "{name}: {text}");
        // The output of a template that finds no value, or cannot be expanded at all.
        for wrong in ["<no value>", "error expanding", "{{", "%!", "NaN"] {
            assert!(!text.contains(wrong), "{name} contains {wrong}: {text}");
        }
    }
    assert!(tests.contains("name: all is well"));
}

#[test]
fn the_roles_are_scraped_where_they_listen() {
    let (config, readme) = (read(CONFIG), read("README.md"));
    let roles = [
        ("ingest", 9101),
        ("process", 9102),
        ("serve", 9103),
        ("sink", 9104),
        ("accounts", 9105),
        ("deliver", 9106),
        ("settle", 9107),
        ("bots", 9108),
    ];
    for (role, port) in roles {
        let job =
            format!("- job_name: arb-{role}\n    static_configs: [{{targets: [\"127.0.0.1:{port}\"]}}]");
        assert!(config.contains(&job), "{job}");
    }
    let [(_, first), .., (_, last)] = roles;
    let ports = format!("ports {first} to {last}");
    assert!(readme.contains(&ports), "{ports}");
}
