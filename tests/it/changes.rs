//! Pages of events from a real feed: whoever reads the board once and then pages of changes has what is open.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::kill::poll;
use crate::support::stack::Stack;
use crate::support::{recordings, wait_for};

/// Takes the events of a page over; the id to go on with, and whether there are more.
fn fold(open: &mut BTreeMap<String, i64>, page: &Value) -> (String, bool) {
    assert!(page["resync"].is_null(), "{page}");
    for event in page["events"].as_array().unwrap() {
        let (data, id) = (&event["data"], event["data"]["id"].as_str().unwrap_or_default().to_owned());
        match event["event"].as_str().unwrap() {
            "arb_window" => drop(open.insert(id, data["sequence"].as_i64().unwrap())),
            "close_signal" => drop(open.remove(&id)),
            _ => {}
        }
    }
    (page["next"].as_str().unwrap().to_owned(), page["has_more"] == true)
}

#[test]
fn the_fold_of_all_pages_is_the_board() {
    const POLLS: u64 = 30;
    let stack = Stack::start("board");
    let begun = stack.get("/v1/arbs/changes").json();
    let (mut open, mut pages) = (BTreeMap::new(), 0);
    let (mut next, _) = fold(&mut open, &begun);
    assert!(open.is_empty(), "{begun}");
    stack.broker.ingest(&recordings::simulated(stack.broker.scratch.path(), 7, POLLS), &[]);
    let board = stack.board_at(&poll(POLLS - 1));
    let entries = board["arbs"].as_array().unwrap().iter();
    let expected: BTreeMap<_, _> = entries
        .map(|entry| (entry["id"].as_str().unwrap().to_owned(), entry["sequence"].as_i64().unwrap()))
        .collect();
    assert!(!expected.is_empty());
    // The board is read beside the feed.
    wait_for("the pages have what the board has", || {
        let page = stack.get(&format!("/v1/arbs/changes?since={next}&limit=7")).json();
        let has_more;
        (next, has_more) = fold(&mut open, &page);
        pages += 1;
        (!has_more && open == expected).then_some(())
    });
    assert!(pages > 10, "{pages} pages of seven");
}
