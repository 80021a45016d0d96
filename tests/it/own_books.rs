//! Boards of own books over HTTP, from the processor's changelog in a real Kafka: equal to the board where nothing is chosen, and
//! to the board of a processor that received no other books.

use std::io::BufRead;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::board::by_key;
use crate::kill::poll;
use crate::support::stack::Stack;
use crate::support::{recordings, wait_for};

/// Polls of a recording.
const POLLS: u64 = 200;

/// What of an entry neither its age nor the evidence of other books decides.
fn bets(entry: &Value) -> Value {
    let leg = |leg: &Value| {
        json!({
            "book": leg["book"], "outcome": leg["outcome"], "side": leg["side"], "price": leg["price"],
            "stake": leg["stake"], "stake_share": leg["stake_share"], "last_seen_at": leg["last_seen_at"],
        })
    };
    json!({
        "event": entry["event"]["id"], "market": entry["market"], "line": entry["line"],
        "margin": entry["margin"], "margin_worst": entry["margin_worst"], "currency": entry["currency"],
        "legs": entry["legs"].as_array().unwrap().iter().map(leg).collect::<Vec<_>>(),
    })
}

fn bets_of(board: &Value) -> Vec<Value> {
    by_key(board["arbs"].as_array().unwrap().iter().map(bets).collect())
}

/// A recording with some books alone.
fn with_books_alone(recording: &Path, books: &[&str], to: PathBuf) -> PathBuf {
    fn retain(value: &mut Value, books: &[&str]) {
        match value {
            Value::Array(values) => values.iter_mut().for_each(|value| retain(value, books)),
            Value::Object(fields) => {
                if let Some(Value::Array(found)) = fields.get_mut("bookmakers") {
                    found.retain(|book| books.iter().any(|key| book["key"] == *key));
                }
                fields.values_mut().for_each(|value| retain(value, books));
            }
            _ => {}
        }
    }
    let lines = std::io::BufReader::new(recordings::unpacked(recording)).lines();
    let lines = lines.map(|line| {
        let mut poll: Value = serde_json::from_str(&line.unwrap()).unwrap();
        retain(&mut poll, books);
        format!("{poll}\n")
    });
    std::fs::write(&to, lines.collect::<String>()).unwrap();
    to
}

/// The books that have legs on a board, the one with most legs first.
fn books_of(stack: &Stack) -> Vec<String> {
    let odds = stack.get("/v1/books").json();
    let books = odds["books"].as_array().unwrap().iter();
    let offering = books.filter(|book| book["prices_on_offer"].as_u64() > Some(0));
    offering.map(|book| book["key"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_board_of_own_books_is_that_of_a_processor_that_received_no_others() {
    let (all, alone) = (Stack::start("board"), Stack::start("board"));
    let scratch = all.broker.scratch.path();
    let recording = recordings::simulated(scratch, 5, POLLS);
    all.broker.ingest(&recording, &[]);
    let last = poll(POLLS - 1);
    all.board_at(&last);
    let whole = wait_for("the board of all books is that of the replica", || {
        let whole = all.get("/v1/arbs?limit=500").json();
        // The total for which the board has its stakes.
        let computed = all.get("/v1/arbs?limit=500&total_stake=100").json();
        let is_same = whole["as_of"] == computed["as_of"] && bets_of(&whole) == bets_of(&computed);
        (is_same && !bets_of(&whole).is_empty()).then_some(whole)
    });
    let offering = books_of(&all);
    assert!(offering.len() > 4, "{offering:?}");
    let books: Vec<_> = offering.iter().step_by(2).map(String::as_str).collect();
    let filtered = with_books_alone(&recording, &books, scratch.join("filtered.jsonl"));
    alone.broker.ingest(&filtered, &[]);
    let query = format!("/v1/arbs?limit=500&books={}", books.join(","));
    let expected = alone.board_at(&last);
    let found = all.get(&query).json();
    println!("{} arbs of all books, {} of {books:?}", bets_of(&whole).len(), bets_of(&found).len());
    assert_eq!(bets_of(&found), bets_of(&expected));
    let is_own = |arb: &Value| {
        arb["legs"].as_array().unwrap().iter().all(|leg| books.iter().any(|book| leg["book"] == *book))
    };
    assert!(found["arbs"].as_array().unwrap().iter().all(is_own));
    // A filter of the board hides what a board of own books shows.
    let hidden = whole["arbs"].as_array().unwrap().iter().filter(|arb| is_own(arb)).count();
    assert!(hidden <= bets_of(&found).len());
}

#[test]
fn events_and_their_odds_have_every_leg_of_the_board() {
    let stack = Stack::start("board");
    let recording = recordings::simulated(stack.broker.scratch.path(), 6, 60);
    stack.broker.ingest(&recording, &[]);
    // Only then does nothing move between what is asked for one after the other.
    stack.board_at(&poll(59));
    let board = wait_for("a board that the replica has reached", || {
        let board = stack.get("/v1/arbs?limit=500").json();
        let computed = stack.get("/v1/arbs?limit=500&total_stake=100").json();
        let is_same = board["as_of"] == computed["as_of"] && bets_of(&board) == bets_of(&computed);
        (is_same && !bets_of(&board).is_empty()).then_some(board)
    });
    let events = stack.get("/v1/events?limit=500").json();
    for arb in board["arbs"].as_array().unwrap() {
        let id = arb["event"]["id"].as_str().unwrap();
        let event = events["events"].as_array().unwrap().iter().find(|event| event["id"] == id);
        assert!(event.is_some_and(|event| event["arbs"].as_u64() > Some(0)), "{id}");
        let odds =
            stack.get(&format!("/v1/events/{id}/odds?market={}", arb["market"].as_str().unwrap())).json();
        let lines = odds["lines"].as_array().unwrap().iter();
        let line = lines.clone().find(|line| line["line"] == arb["line"] && line["period"] == arb["period"]);
        let quotes = line.unwrap()["quotes"].as_array().unwrap();
        for leg in arb["legs"].as_array().unwrap() {
            let fields = ["outcome", "side", "book", "price", "effective_price", "last_seen_at", "limit"];
            let is_leg = |quote: &&Value| fields.iter().all(|field| quote[*field] == leg[*field]);
            let quote = quotes.iter().find(is_leg);
            assert_eq!(quote.unwrap_or_else(|| panic!("{leg} in {quotes:?}"))["status"], "on_offer");
        }
    }
    assert_eq!(stack.get("/v1/events/never/odds").status, 404);
    let status = stack.get("/status").json();
    assert_eq!(
        (&status["arbs"], &status["is_computing_own_books"]),
        (&json!(bets_of(&board).len()), &json!(true))
    );
}
