//! Bad input, fault by fault, in a recording that is otherwise valid: the program and the oracle lose the
//! same parts, the rest is processed, and each fault is counted by its name.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::evaluate::{in_oracles_words, windows};
use crate::support::oracle::{assert_same, oracle};
use crate::support::recordings;
use crate::support::scratch::Scratch;

/// A fault: what it does to one poll of the recording, and what the report calls it.
struct Fault {
    name: &'static str,
    line: fn(&mut Value) -> Vec<String>,
    report: &'static str,
}

/// The line as it is, changed in place.
fn changed(poll: &mut Value, change: impl FnOnce(&mut Value)) -> Vec<String> {
    change(poll);
    vec![poll.to_string()]
}

fn outcome(poll: &mut Value) -> &mut Value {
    &mut market(poll)["outcomes"][0]
}

fn market(poll: &mut Value) -> &mut Value {
    &mut poll["events"][0]["bookmakers"][0]["markets"][0]
}

fn draws(poll: &mut Value) {
    for event in poll["events"].as_array_mut().unwrap() {
        for bookmaker in event["bookmakers"].as_array_mut().unwrap() {
            for market in bookmaker["markets"].as_array_mut().unwrap() {
                market["outcomes"].as_array_mut().unwrap().retain(|outcome| outcome["name"] != "Draw");
            }
        }
    }
}

/// Better prices in markets that the evaluation does not look at.
fn other_markets(poll: &mut Value) {
    for key in ["h2h_h1", "alternate_totals", "h2h_lay", "draw_no_bet", "totals_q1"] {
        let mut other = market(poll).clone();
        other["key"] = json!(key);
        for outcome in other["outcomes"].as_array_mut().unwrap() {
            outcome["price"] = json!(900);
        }
        poll["events"][0]["bookmakers"][0]["markets"].as_array_mut().unwrap().push(other);
    }
}

const FAULTS: [Fault; 14] = [
    Fault { name: "markets of another kind", line: |poll| changed(poll, other_markets), report: "" },
    Fault {
        name: "broken JSON",
        line: |poll| vec![poll.to_string()[..500].to_owned()],
        report: "line is no JSON",
    },
    Fault {
        name: "a price that is NaN",
        line: |poll| vec![poll.to_string().replacen("\"price\":", "\"price\":NaN,\"was\":", 1)],
        report: "event has a NaN",
    },
    Fault {
        name: "a price that is text",
        line: |poll| changed(poll, |poll| outcome(poll)["price"] = json!("NaN")),
        report: "price is no odds",
    },
    Fault {
        name: "odds of 1 or less",
        line: |poll| changed(poll, |poll| outcome(poll)["price"] = json!(-1_000_000_000)),
        report: "price out of range",
    },
    Fault {
        name: "odds above 1001",
        line: |poll| changed(poll, |poll| outcome(poll)["price"] = json!(100_001)),
        report: "price out of range",
    },
    Fault {
        name: "an outcome twice",
        line: |poll| {
            changed(poll, |poll| {
                let mut again = outcome(poll).clone();
                again["price"] = json!(450);
                market(poll)["outcomes"].as_array_mut().unwrap().push(again);
            })
        },
        report: "outcome listed twice",
    },
    Fault { name: "a missing Draw", line: |poll| changed(poll, draws), report: "" },
    Fault {
        name: "an unknown market",
        line: |poll| changed(poll, |poll| market(poll)["key"] = json!("player_points")),
        report: "market.key unknown",
    },
    Fault {
        name: "a last_update in the future",
        line: |poll| changed(poll, |poll| market(poll)["last_update"] = json!("2031-01-01T00:00:00Z")),
        report: "last_seen_at in the future",
    },
    Fault {
        name: "the same poll twice",
        line: |poll| vec![poll.to_string(), poll.to_string()],
        report: "1 late polls",
    },
    Fault {
        name: "a poll out of order",
        line: |poll| changed(poll, |poll| poll["polled_at"] = json!("2025-12-31T00:00:00Z")),
        report: "1 late polls",
    },
    Fault {
        name: "events that are no array",
        line: |poll| changed(poll, |poll| poll["events"] = json!({"message": "quota exceeded"})),
        report: "events is no array",
    },
    Fault {
        name: "an event without its sides",
        line: |poll| changed(poll, |poll| poll["events"][0]["home_team"] = Value::Null),
        report: "home_team missing",
    },
];

/// The recording with faults at these places, each of one kind.
fn spoiled(recording: &Path, faults: &[(usize, &Fault)]) -> PathBuf {
    let mut lines = Vec::new();
    for (index, line) in recordings::lines(recording).enumerate() {
        match faults.iter().find(|(place, _)| *place == index) {
            Some((_, fault)) => lines.extend((fault.line)(&mut serde_json::from_str(&line).unwrap())),
            None => lines.push(line),
        }
    }
    let path = recording.with_file_name("spoiled.jsonl");
    std::fs::write(&path, lines.join("\n") + "\n").unwrap();
    path
}

#[test]
fn each_fault_costs_only_itself_and_is_named() {
    let scratch = Scratch::new();
    let recording = recordings::simulated(scratch.path(), 21, 120);
    for fault in &FAULTS {
        let spoiled = spoiled(&recording, &[(60, fault)]);
        let (ours, output) = windows(&spoiled, scratch.path());
        assert!(output.success, "{}: {}", fault.name, output.err);
        assert!(output.out.contains(fault.report), "{}: {}", fault.name, output.out);
        assert_same(&in_oracles_words(ours), &oracle(&["windows"], &spoiled), fault.name);
    }
}

#[test]
fn all_faults_together_cost_no_more() {
    let scratch = Scratch::new();
    let recording = recordings::simulated(scratch.path(), 22, 300);
    let all: Vec<_> = FAULTS.iter().enumerate().map(|(index, fault)| (20 * (index + 1), fault)).collect();
    let spoiled = spoiled(&recording, &all);
    let (ours, output) = windows(&spoiled, scratch.path());
    assert!(output.success, "{}", output.err);
    let theirs = oracle(&["windows"], &spoiled);
    assert!(theirs.len() > 20, "too few windows for a comparison");
    assert_same(&in_oracles_words(ours), &theirs, "all faults");
    for fault in FAULTS.iter().filter(|fault| !fault.report.starts_with('1')) {
        assert!(output.out.contains(fault.report), "{}: {}", fault.name, output.out);
    }
    assert!(output.out.contains("2 late polls"), "{}", output.out);
}
