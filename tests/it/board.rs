//! The board over HTTP against the oracle: a recording replayed through a real Kafka, stopped ten times.

use std::collections::BTreeMap;

use arb_schemas::records::{ArbWindow, CloseSignal};
use arb_schemas::topics::FEED_EVENTS;
use arb_schemas::wire::{self, RecordType};
use serde_json::{Value, json};

use crate::evaluate::windows;
use crate::kafka::{read_all, wait_until_settled};
use crate::support::oracle::{assert_same, oracle};
use crate::support::recordings;
use crate::support::stack::Stack;

/// Ten times at which windows opened, spread over the recording.
fn stops(windows: &[Value]) -> Vec<String> {
    let mut stops: Vec<_> = (0..10)
        .map(|i| windows[i * (windows.len() - 1) / 9]["opened_at"].as_str().unwrap().to_owned())
        .collect();
    stops.dedup();
    stops
}

/// A leg of an entry in the oracle's words: backs without fees, of books that state no limit.
fn leg_in_oracles_words(leg: &Value) -> Value {
    let mut leg = leg.clone();
    let fields = leg.as_object_mut().unwrap();
    assert_eq!(fields.remove("side"), Some(json!("back")));
    assert_eq!(fields.remove("effective_price"), Some(fields["price"].clone()));
    assert_eq!([fields.remove("limit"), fields.remove("liability")], [Some(Value::Null), Some(Value::Null)]);
    assert!(fields.remove("age_seconds").unwrap().as_f64().unwrap() >= 0.0);
    assert!(fields.remove("price_moved_at").unwrap().is_string());
    // The oracle knows no links: real books have none in the table.
    let link = fields.remove("link").unwrap();
    assert!(link.is_null() || link.as_str().unwrap().starts_with("https://books.example/"), "{link}");
    // It is learnt, as `fresh` is.
    assert!(fields.remove("expected_interval_seconds").unwrap().as_f64().unwrap() > 0.0);
    leg
}

/// What is learnt is learnt in each partition by itself; the oracle has one. `arb evaluate`, which has one too, is compared
/// in these as well.
const LEARNT: [&str; 2] = ["fresh", "plausible_margin"];

/// The flags of an entry that do not depend on what was learnt.
fn without_what_is_learnt(entry: &Value) -> Value {
    let mut flags = entry["verification"].as_object().unwrap().clone();
    flags.retain(|flag, _| !LEARNT.contains(&&**flag));
    Value::Object(flags)
}

/// An entry of the oracle, without what is not compared.
fn as_compared(entry: &Value) -> Value {
    let mut entry = entry.clone();
    entry["verification"] = without_what_is_learnt(&entry);
    entry.as_object_mut().unwrap().remove("verified");
    entry
}

/// The board according to the oracle.
pub(crate) fn board_entries(board: &Value) -> Vec<Value> {
    board["arbs"].as_array().unwrap().iter().map(as_compared).collect()
}

/// An entry of the board in the oracle's words.
pub(crate) fn in_oracles_words(entry: &Value) -> Value {
    let flags = entry["verification"].as_object().unwrap();
    assert_eq!(entry["verified"], json!(flags.len() == 9 && flags.values().all(|flag| *flag == json!(true))));
    json!({
        "event": entry["event"]["id"],
        "market": entry["market"],
        "line": entry["line"],
        "in_play": entry["event"]["in_play"],
        "opened_at": entry["opened_at"],
        "implied_probability": entry["implied_probability"],
        "margin": entry["margin"],
        "margin_worst": entry["margin_worst"],
        "margin_rounded": entry["margin_rounded"],
        "verification": without_what_is_learnt(entry),
        "legs": entry["legs"].as_array().unwrap().iter().map(leg_in_oracles_words).collect::<Vec<_>>(),
    })
}

pub(crate) fn by_key(mut entries: Vec<Value>) -> Vec<Value> {
    let key = |entry: &Value| {
        let line = entry["line"].as_f64();
        (entry["event"].to_string(), entry["market"].to_string(), line)
    };
    entries.sort_by(|a, b| key(a).partial_cmp(&key(b)).unwrap());
    entries
}

/// Ranks are 1, 2, ...: the verified first, then by score and id.
fn assert_ranked(board: &Value) {
    let arbs = board["arbs"].as_array().unwrap();
    for (index, arb) in arbs.iter().enumerate() {
        assert_eq!(arb["rank"], json!(index + 1));
    }
    for pair in arbs.windows(2) {
        let key = |arb: &Value| {
            let verified = arb["verified"].as_bool().unwrap();
            (!verified, -arb["score"].as_f64().unwrap(), arb["id"].to_string())
        };
        assert!(key(&pair[0]) < key(&pair[1]), "{} {}", pair[0], pair[1]);
    }
}

/// The open entries at the end of the feed; every partition must number its events one by one.
fn fold_feed(stack: &Stack) -> BTreeMap<String, i64> {
    let (mut open, mut sequences) = (BTreeMap::new(), BTreeMap::new());
    wait_until_settled(&stack.broker.kafka, &FEED_EVENTS);
    for record in read_all(&stack.broker.kafka, FEED_EVENTS.name) {
        let sequence = if RecordType::of(&record.value).unwrap() == RecordType::CloseSignal {
            let signal: CloseSignal = wire::decode(&record.value).unwrap();
            assert!(open.remove(&signal.id).is_some(), "closed before it was opened");
            assert!(signal.margin_peak >= signal.margin_open && signal.closed_at > signal.opened_at);
            signal.sequence
        } else {
            let window: ArbWindow = wire::decode(&record.value).unwrap();
            let was = open.insert(window.entry.id.clone(), window.entry.sequence);
            assert_eq!(was.is_some(), window.change == "updated", "{}", window.change);
            window.entry.sequence
        };
        let last = sequences.insert(record.partition, sequence).unwrap_or(0);
        assert_eq!(sequence, last + 1, "partition {}", record.partition);
    }
    open
}

fn follows_the_oracle(recording: &str) {
    let stack = Stack::start("raw");
    let recording = recordings::named(recording, stack.broker.scratch.path());
    // That these windows are the oracle's is tested in `evaluate`, which saves the oracle a pass here.
    let stops = stops(&windows(&recording, stack.broker.scratch.path()).0);
    let expected = oracle(&["board", "--until", &stops.join(",")], &recording);
    let mut after: Option<&str> = None;
    let mut shown = 0;
    for (stop, expected) in stops.iter().zip(&expected) {
        let from = after.map(|after| ["--after", after]);
        let arguments = [&["--until", stop][..], from.as_ref().map_or(&[], |from| &from[..])].concat();
        stack.broker.ingest(&recording, &arguments);
        let board = stack.board_at(expected["polled_at"].as_str().unwrap());
        assert_ranked(&board);
        let ours = board["arbs"].as_array().unwrap().iter().map(in_oracles_words).collect();
        let theirs = board_entries(expected);
        shown += theirs.len();
        assert_same(&by_key(ours), &by_key(theirs), &format!("the board at {stop}"));
        after = Some(stop);
    }
    assert!(shown >= 10, "the boards are too empty for a comparison");
    println!("{} boards agree, {shown} entries", stops.len());
    let board = stack.get("/v1/arbs?limit=500").json();
    let on_board = board["arbs"].as_array().unwrap().iter();
    let on_board =
        on_board.map(|arb| (arb["id"].as_str().unwrap().to_owned(), arb["sequence"].as_i64().unwrap()));
    assert_eq!(fold_feed(&stack), on_board.collect(), "the feed and the board agree");
}

#[test]
fn the_world_cup_board_is_the_oracles_at_ten_stops() {
    follows_the_oracle("soccer_fifa_world_cup-2026-06.jsonl.zst");
}

#[test]
fn the_baseball_board_is_the_oracles_at_ten_stops() {
    follows_the_oracle("baseball_mlb-2026-07.jsonl.zst");
}
