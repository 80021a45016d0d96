//! Windows of the past over HTTP: what the feed had of each, page by page, as JSON and as CSV, and the transitions of one.

use std::collections::BTreeMap;

use arb_schemas::records::{ArbWindow, CloseSignal};
use arb_schemas::time::to_rfc3339;
use arb_schemas::topics::FEED_EVENTS;
use arb_schemas::wire::{RecordType, decode};
use serde_json::{Value, json};

use crate::kafka::read_all;
use crate::support::http::request;
use crate::support::recordings;
use crate::support::store::Store;

/// What the feed had of a window.
#[derive(Default)]
struct Told {
    opened: Option<ArbWindow>,
    closed: Option<CloseSignal>,
    changes: Vec<(i64, String)>,
}

fn told(store: &Store) -> BTreeMap<String, Told> {
    let mut windows = BTreeMap::<String, Told>::new();
    for record in read_all(&store.stack.broker.brokers, FEED_EVENTS.name) {
        match RecordType::of(&record.value).unwrap() {
            RecordType::ArbWindow => {
                let window: ArbWindow = decode(&record.value).unwrap();
                let of = windows.entry(window.entry.id.clone()).or_default();
                of.changes.push((window.entry.sequence, window.change.clone()));
                of.opened.get_or_insert(window);
            }
            RecordType::CloseSignal => {
                let closed: CloseSignal = decode(&record.value).unwrap();
                let of = windows.entry(closed.id.clone()).or_default();
                of.changes.push((closed.sequence, "closed".to_owned()));
                of.closed = Some(closed);
            }
            _ => {}
        }
    }
    windows
}

/// All pages of a list.
fn pages(store: &Store, query: &str) -> Vec<Value> {
    let (mut found, mut cursor) = (Vec::new(), String::new());
    loop {
        let answer = store.stack.get(&format!("/v1/arbs/history?limit=37{query}{cursor}"));
        assert_eq!(answer.status, 200, "{}", answer.body);
        let page = answer.json();
        found.extend(page["windows"].as_array().unwrap().iter().cloned());
        let Some(next) = page["next_cursor"].as_str() else { return found };
        cursor = format!("&cursor={next}");
    }
}

/// A fraction as text: the parser of JSON may be off in the last bit.
fn fraction(value: Option<f64>) -> Option<String> {
    value.map(|value| format!("{value:.12}"))
}

/// A window as the feed had it, in the fields of the list.
fn expected(told: &Told) -> Value {
    let window = told.opened.as_ref().unwrap();
    let closed = told.closed.as_ref();
    json!({
        "id": window.entry.id, "league": window.entry.event.league, "market": window.entry.market.as_str(),
        "opened_at": to_rfc3339(window.entry.opened_at.0), "home": window.entry.event.home,
        "closed_at": closed.map(|closed| to_rfc3339(closed.closed_at.0)), "reason": closed.map(|closed| closed.reason.as_str()),
        "margin_open": fraction(Some(window.entry.margin)), "margin_close": fraction(closed.map(|closed| closed.margin_close)),
        "books": window.entry.legs.iter().map(|leg| leg.book.to_string()).collect::<Vec<_>>(),
    })
}

fn shown(window: &Value) -> Value {
    let legs = window["legs"].as_array().unwrap();
    json!({
        "id": window["id"], "league": window["league"], "market": window["market"], "opened_at": window["opened_at"],
        "home": window["event"]["home"], "closed_at": window["closed_at"], "reason": window["reason"],
        "margin_open": fraction(window["margin_open"].as_f64()), "margin_close": fraction(window["margin_close"].as_f64()),
        "books": legs.iter().map(|leg| leg["book"].clone()).collect::<Vec<_>>(),
    })
}

#[test]
fn the_history_is_the_feeds_and_each_window_has_its_transitions() {
    let scratch = tempfile::tempdir().unwrap();
    let store = Store::play("board", &recordings::simulated(scratch.path(), 21, 60));
    let told = told(&store);
    let all = pages(&store, "");
    println!("{} windows", told.len());
    assert!(told.len() > 80);
    let by_id: BTreeMap<_, _> = all.iter().map(|it| (it["id"].as_str().unwrap(), shown(it))).collect();
    let fed: BTreeMap<_, _> = told.iter().map(|(id, told)| (id.as_str(), expected(told))).collect();
    for (id, window) in &fed {
        assert_eq!(by_id.get(id), Some(window), "{id}");
    }
    assert_eq!(all.len(), told.len(), "each once");
    let times: Vec<_> = all.iter().map(|it| it["opened_at"].as_str().unwrap()).collect();
    assert!(times.is_sorted_by(|later, earlier| later >= earlier));

    let middle = times[times.len() / 2];
    for (query, is_wanted) in [
        (
            format!("&since={middle}"),
            &(|it: &Value| it["opened_at"].as_str() >= Some(middle)) as &dyn Fn(&Value) -> bool,
        ),
        (format!("&until={middle}"), &|it| it["opened_at"].as_str() < Some(middle)),
        ("&verified=true".to_owned(), &|it| it["verified_ever"] == true),
        ("&min_margin=0.01".to_owned(), &|it| it["margin_peak"].as_f64() >= Some(0.01)),
        (
            format!(
                "&market={}&league={}",
                all[0]["market"].as_str().unwrap(),
                all[0]["league"].as_str().unwrap()
            ),
            &|it| it["market"] == all[0]["market"] && it["league"] == all[0]["league"],
        ),
    ] {
        let wanted: Vec<_> = all.iter().filter(|it| is_wanted(it)).cloned().collect();
        assert_eq!(pages(&store, &query), wanted, "{query}");
    }

    let (mut open, mut closed) = (0, 0);
    for (id, told) in told.iter().step_by(7) {
        let one = store.stack.get(&format!("/v1/arbs/{id}")).json();
        let transitions = one["transitions"].as_array().unwrap().iter();
        let changes: Vec<_> = transitions
            .map(|it| (it["sequence"].as_i64().unwrap(), it["change"].as_str().unwrap().to_owned()))
            .collect();
        assert_eq!(changes, told.changes, "{id}");
        assert_eq!(one["open"].is_null(), told.closed.is_some(), "{id}");
        assert_eq!(shown(&one["window"]), expected(told));
        if one["open"].is_null() { closed += 1 } else { open += 1 }
    }
    println!("{open} of them open, {closed} closed");
    assert_eq!(store.stack.get("/v1/arbs/never").status, 404);
    let one = told.keys().next().unwrap();
    for path in ["history".to_owned(), one.clone()] {
        for (method, cost) in [("GET", "1"), ("HEAD", "0")] {
            let url = format!("{}/api/v1/arbs/{path}", store.stack.url);
            let answer = request(method, &url, &[("x-api-key", &store.stack.key)]).unwrap();
            assert_eq!((answer.status, answer.header("x-requests-last")), (200, cost), "{method} {path}");
        }
    }

    let bearer = format!("Bearer {}", store.stack.key);
    let csv = request(
        "GET",
        &format!("{}/v1/arbs/history?limit=500", store.stack.url),
        &[("authorization", &bearer), ("accept", "text/csv")],
    );
    let csv = csv.unwrap().body;
    assert_eq!(csv.lines().count(), told.len().min(500) + 1);
}
