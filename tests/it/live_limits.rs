//! Limits of books, from a server that implements The Odds API to the board over HTTP, on a real Kafka.

use arb_schemas::records::ArbWindow;
use arb_schemas::topics::FEED_EVENTS;
use arb_schemas::wire::{RecordType, decode};
use serde_json::{Value, json};

use crate::kafka::read_all;
use crate::live::{HOUR, KEY, worker};
use crate::support::odds_api::OddsApi;
use crate::support::stack::{Broker, Stack};
use crate::support::wait_for;

/// One event on which two books make an arb: `alpha` takes 100.559 on the home side at 2.1, `beta` so much on the other at 2.2.
fn limited(beta: &Value) -> Vec<Value> {
    let book = |key: &str, home: Value, away: Value| {
        let market = json!({"key": "h2h", "last_update": "", "outcomes": [home, away]});
        json!({"key": key, "last_update": "", "markets": [market]})
    };
    let alpha = book(
        "alpha",
        json!({"name": "H", "price": 110, "bet_limit": 100.559}),
        json!({"name": "A", "price": -150, "bet_limit": "much"}),
    );
    let beta = book(
        "beta",
        json!({"name": "H", "price": -150}),
        json!({"name": "A", "price": 120, "bet_limit": beta}),
    );
    vec![json!([{
        "id": "e", "sport_key": "", "commence_time": "", "home_team": "H", "away_team": "A", "bookmakers": [alpha, beta],
    }])]
}

/// Fails when a window was updated between two of its numbers for anything but a flag: a slow machine lets its prices grow old.
fn assert_updated_for_flags_alone(broker: &Broker, id: &Value, (from, to): (i64, i64)) {
    let windows = wait_for("the feed has what the board has", || {
        let records = read_all(&broker.kafka, FEED_EVENTS.name).into_iter();
        let of_windows = records
            .filter(|record| RecordType::of(&record.value).is_ok_and(|it| it == RecordType::ArbWindow));
        let windows = of_windows.map(|record| decode::<ArbWindow>(&record.value).unwrap());
        let windows: Vec<_> = windows.filter(|window| *id == json!(window.entry.id)).collect();
        windows.last().is_some_and(|last| last.entry.sequence >= to).then_some(windows)
    });
    let flags = |window: &ArbWindow| (window.entry.simultaneous, window.entry.verified);
    for pair in windows.windows(2).filter(|pair| (from + 1..=to).contains(&pair[1].entry.sequence)) {
        assert_ne!(flags(&pair[0]), flags(&pair[1]), "{:?}", pair[1].entry);
    }
}

#[test]
fn limits_of_books_are_requested_and_bound_the_stakes_of_the_board() {
    let stack = Stack::start("board");
    let broker = &stack.broker;
    let sport = "baseball_mlb";
    let api = OddsApi::start(broker.scratch.path(), &[KEY], &[(sport, Some(-HOUR))]);
    api.state().content = limited(&json!(40));
    let mut role = worker(broker, &api, KEY, &["--sports", sport, "--markets", "h2h"]);
    let mut shown = |beta: &Value, most: f64| {
        wait_for(&format!("an entry by a limit of {beta}"), || {
            role.assert_runs();
            let board = stack.get("/v1/arbs").json();
            let entry = board["arbs"].as_array().unwrap().first()?.clone();
            let is_it = entry["total_stake_max"] == json!(most) && entry["event"]["in_play"] == json!(true);
            is_it.then_some(entry)
        })
    };
    // 40 at 2.2 is a share of 2.1/4.3; 100.55 at 2.1 would be 196.52 in all.
    let first = shown(&json!(40), 81.9);
    let limits = |entry: &Value| [0, 1].map(|leg| entry["legs"][leg]["limit"].clone());
    let stakes = |entry: &Value| [0, 1].map(|leg| entry["legs"][leg]["stake"].clone());
    assert_eq!((limits(&first), stakes(&first)), ([json!(100.55), json!(40.0)], [json!(41.9), json!(40.0)]));
    assert_eq!(first["warnings"], json!(["least_stake_unknown"]));
    // Another limit alone is no event: the same window, and no update.
    api.state().content = limited(&json!(20.5));
    let second = shown(&json!(20.5), 41.97);
    assert_eq!(limits(&second), [json!(100.55), json!(20.5)]);
    for same in ["id", "opened_at"] {
        assert_eq!(first[same], second[same], "{same}");
    }
    let numbers = [&first, &second].map(|entry| entry["sequence"].as_i64().unwrap());
    assert_updated_for_flags_alone(broker, &first["id"], numbers.into());
    // A limit that is none leaves the price, and what the other leg takes.
    api.state().content = limited(&json!("none"));
    let third = shown(&json!("none"), 196.52);
    assert_eq!(
        (limits(&third), &third["warnings"]),
        ([json!(100.55), Value::Null], &json!(["limit_unknown", "least_stake_unknown"]))
    );
    assert_eq!(third["id"], first["id"]);
    role.stop();
}
