//! The examples of the AsyncAPI document are events as streams send them: those of the test market, and what no market has.

use std::collections::{BTreeMap, BTreeSet};

use arb_feed::event::{Block, Event};
use arb_feed::fixtures::{entry, pick_change};
use arb_feed::position::Positions;
use arb_model::fixtures::window_grading;
use arb_model::{BoardEntry, Flag, Verification};
use serde_json::Value;
use warp::http::HeaderMap;

use super::super::event_types;
use super::super::notice::{self, To};
use super::super::query::StreamQuery;
use super::super::watched_board::WatchedBoard;
use crate::generated::assert_file;

/// What a test key is sent.
const STREAM: &str = include_str!("../../test_market/stream.txt");

/// The type and the data of a block of text.
fn event(block: &str) -> Option<(String, Value)> {
    let field = |name: &str| block.lines().find_map(|line| line.strip_prefix(name));
    Some((field("event: ")?.to_owned(), serde_json::from_str(field("data: ")?).unwrap()))
}

/// Of a long list the beginning.
fn shortened(value: &mut Value) {
    match value {
        Value::Array(values) => {
            values.truncate(2);
            values.iter_mut().for_each(shortened);
        }
        Value::Object(fields) => fields.values_mut().for_each(shortened),
        _ => {}
    }
}

/// One window of a board of own books came, and one has gone.
fn board_changes() -> String {
    let holding = Verification::of(Flag::ALL.into_iter().filter(|flag| *flag != Flag::Fresh));
    let window = |id| BoardEntry { verification: holding, ..entry(id, 0.025) };
    let board = |id| WatchedBoard::default().next(vec![window(id)], BTreeMap::new(), false);
    let query = StreamQuery::parse("", &HeaderMap::new()).ok().unwrap();
    let [was, is] = ["221a8ae35c97ca2928665f30745d5f2a", "7b0f2f0d2b0b3c6a8a5f0c8e6d1e4f92"].map(board);
    String::from_utf8(is.changes(&was, &query.filter).concat()).unwrap()
}

/// The first event of each type.
fn examples() -> BTreeMap<String, Value> {
    let positions = Positions::new(vec![3]);
    let to = To { epoch: &[1; 16], sent: Some(&positions) };
    let of = |event: &Event| Block::new(event, (0, 2, None), to.epoch, &positions).shared();
    let pick = |change: &str| of(&Event::Pick(Box::new(pick_change(change))));
    let sent = [
        pick("published"),
        pick("graded"),
        of(&Event::Grading(Box::new(window_grading()))),
        notice::resync("outside_retention"),
        notice::lagged(to, "too_slow"),
        notice::server_restart(to),
        notice::key_revoked(),
    ];
    let board = board_changes();
    let sent = sent.iter().map(|bytes| std::str::from_utf8(bytes).unwrap()).chain([&*board]);
    let mut found = BTreeMap::new();
    for (name, mut data) in STREAM.split("\n\n").chain(sent).filter_map(event) {
        shortened(&mut data);
        found.entry(name).or_insert(data);
    }
    found
}

#[test]
fn the_examples_that_are_checked_in_are_what_streams_send() {
    let now = serde_json::to_string_pretty(&examples()).unwrap() + "\n";
    assert_file("ARB_WRITE_ASYNCAPI", "schemas/asyncapi/events.json", &now);
}

#[test]
fn every_type_of_event_has_an_example() {
    let examples = examples();
    let types: BTreeSet<_> = event_types().collect();
    assert_eq!(examples.keys().map(String::as_str).collect::<BTreeSet<_>>(), types);
    assert_eq!(event_types().count(), types.len(), "none twice");
}
