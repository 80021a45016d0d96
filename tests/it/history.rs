//! Windows of the past over HTTP: what the feed had of each, page by page, as JSON and as CSV, and the transitions of one.

use std::collections::{BTreeMap, BTreeSet};

use arb_schemas::records::{ArbWindow, CloseSignal, Frame};
use arb_schemas::time::{Micros, parse_rfc3339, to_rfc3339};
use arb_schemas::topics::{FEED_EVENTS, ODDS_TICKS};
use arb_schemas::wire::{RecordType, decode};
use serde_json::{Value, json};

use crate::kafka::read_all;
use crate::support::http::{once_it_knows, request};
use crate::support::store::Store;

/// What the feed had of a window.
#[derive(Default)]
struct Told {
    opened: Option<ArbWindow>,
    closed: Option<CloseSignal>,
    last: Option<ArbWindow>,
    changes: Vec<(i64, String)>,
}

fn told(store: &Store) -> BTreeMap<String, Told> {
    let mut windows = BTreeMap::<String, Told>::new();
    for record in read_all(&store.stack.broker.kafka, FEED_EVENTS.name) {
        match RecordType::of(&record.value).unwrap() {
            RecordType::ArbWindow => {
                let window: ArbWindow = decode(&record.value).unwrap();
                let of = windows.entry(window.entry.id.clone()).or_default();
                of.changes.push((window.entry.sequence, window.change.clone()));
                of.opened.get_or_insert_with(|| window.clone());
                of.last = Some(window);
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
    let store = Store::to_read();
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
    assert_eq!(store.stack.get("/v1/arbs/history?league=soccer").status, 400, "a sport is no league");
    let one = told.keys().next().unwrap();
    for path in ["history".to_owned(), one.clone()] {
        for (method, cost) in [("GET", "1"), ("HEAD", "0")] {
            let url = format!("{}/api/v1/arbs/{path}", store.stack.url);
            let ask = || request(method, &url, &[("x-api-key", &store.stack.key)]);
            let answer = once_it_knows(ask).unwrap();
            assert_eq!((answer.status, answer.header("x-requests-last")), (200, cost), "{method} {path}");
        }
    }

    let bearer = format!("Bearer {}", store.stack.key);
    let url = format!("{}/v1/arbs/history?limit=500", store.stack.url);
    let headers = [("authorization", &*bearer), ("accept", "text/csv")];
    let csv = once_it_knows(|| request("GET", &url, &headers)).unwrap().body;
    assert_eq!(csv.lines().count(), told.len().min(500) + 1);
}

/// A time of an answer.
fn micros(text: &str) -> Micros {
    parse_rfc3339(text).unwrap()
}

/// What was published of prices: event, book, time and price, each as the API writes it.
fn published(store: &Store) -> BTreeSet<(String, String, String, String)> {
    let mut found = BTreeSet::new();
    for record in read_all(&store.stack.broker.kafka, ODDS_TICKS.name) {
        if !matches!(RecordType::of(&record.value), Ok(RecordType::Frame)) {
            continue;
        }
        let frame: Frame = decode(&record.value).unwrap();
        for offer in &frame.offers {
            for tick in &offer.ticks {
                let price = format!("{:.6}", tick.price as f64 / 1e6);
                let at = to_rfc3339(frame.received_at);
                found.insert((frame.event.id.to_string(), offer.book.clone(), at, price));
            }
        }
    }
    found
}

#[test]
fn prices_of_a_window_are_ticks_that_were_published() {
    let store = Store::to_read();
    let published = published(&store);
    let all = pages(&store, "");
    let mut compared = 0;
    for window in all.iter().step_by(9) {
        let id = window["id"].as_str().unwrap();
        let answer = store.stack.get(&format!("/v1/arbs/{id}/prices"));
        assert_eq!(answer.status, 200, "{}", answer.body);
        let prices = answer.json();
        assert_eq!(
            (&prices["opened_at"], &prices["closed_at"]),
            (&window["opened_at"], &window["closed_at"])
        );
        let legs = prices["legs"].as_array().unwrap();
        assert_eq!(legs.len(), window["legs"].as_array().unwrap().len());
        for leg in legs {
            let books = leg["books"].as_array().unwrap();
            assert_eq!(books[0]["book"], leg["book"], "the leg's own book is first");
            for book in books {
                let points = book["points"].as_array().unwrap();
                assert!(points.is_sorted_by_key(|point| point["at"].as_str().unwrap().to_owned()));
                for point in points.iter().filter(|point| !point["price"].is_null()) {
                    let price = format!("{:.6}", point["price"].as_f64().unwrap());
                    let text = |value: &Value| value.as_str().unwrap().to_owned();
                    let tick = (text(&window["event"]["id"]), text(&book["book"]), text(&point["at"]), price);
                    assert!(published.contains(&tick), "{tick:?}");
                    compared += 1;
                }
            }
        }
    }
    println!("{compared} prices");
    assert!(compared > 200);
    assert_eq!(store.stack.get("/v1/arbs/never/prices").status, 404);
}

/// Whether legs stood is said when a window closes, of each verdict that a confirmation has answered.
fn counts_what_stood(truth: &Value, closed: &[&CloseSignal]) {
    let answered = [("opened", 0), ("verified", 1)].map(|(verdict, at)| {
        let of = |closed: &&&CloseSignal| [closed.stood, closed.verified_stood][at];
        let stood = closed.iter().filter(|closed| of(closed) == Some(true)).count() as u64;
        (verdict, closed.iter().filter(|closed| of(closed).is_some()).count() as u64, stood)
    });
    assert!(
        answered[0].1 > answered[1].1 && answered[0].1 > answered[0].2 && answered[1].2 > 0,
        "{answered:?}"
    );
    let standing = truth["standing"].as_array().unwrap();
    for (verdict, windows, stood) in answered {
        for by in ["phase", "league", "gap"] {
            let of: Vec<_> =
                standing.iter().filter(|row| row["by"] == by && row["verdict"] == verdict).collect();
            let sum = |name: &str| of.iter().map(|row| row[name].as_u64().unwrap()).sum::<u64>();
            assert_eq!((sum("windows"), sum("stood")), (windows, stood), "{verdict} by {by}: {of:?}");
        }
    }
}

#[test]
fn the_truth_counts_what_the_feed_had() {
    let store = Store::to_read();
    let told = told(&store);
    let answer = store.stack.get("/v1/truth?hours=168");
    assert_eq!(answer.status, 200, "{}", answer.body);
    let truth = answer.json();
    let sum = |name: &str| -> u64 {
        truth["phases"].as_array().unwrap().iter().map(|phase| phase[name].as_u64().unwrap()).sum()
    };
    let closed: Vec<_> = told.values().filter_map(|told| told.closed.as_ref()).collect();
    assert_eq!((sum("windows"), sum("closed")), (told.len() as u64, closed.len() as u64));
    let is_open_so = |is: &dyn Fn(&ArbWindow) -> bool| {
        told.values().filter(|told| told.closed.is_none() && told.last.as_ref().is_some_and(is)).count()
    };
    let phantoms = closed.iter().filter(|closed| !closed.simultaneous_ever).count();
    let verified = closed.iter().filter(|closed| closed.verified_ever).count();
    // Of a window that is open the feed has no sum: it is at least the value of its last transition.
    assert!(
        sum("phantoms") <= (phantoms + told.len() - closed.len()) as u64
            && sum("phantoms") >= phantoms as u64
    );
    assert!(sum("verified") >= (verified + is_open_so(&|window| window.entry.verified)) as u64);
    counts_what_stood(&truth, &closed);

    // A lifetime that was stated at the opening is judged where all of it is decided.
    let newest = truth["until"].as_str().unwrap();
    let mut decided = (0_u64, [0_u64; 3]);
    for told in told.values() {
        let entry = &told.opened.as_ref().unwrap().entry;
        let ttl = &entry.ttl;
        let opened = entry.opened_at.0;
        let stated = [ttl.p10, ttl.median, ttl.p90];
        let seconds = |until: Micros| (until - opened) as f64 / 1e6;
        if seconds(micros(newest)) < stated[2] {
            continue;
        }
        decided.0 += 1;
        let lived = told.closed.as_ref().map(|closed| seconds(closed.closed_at.0));
        for (count, by) in decided.1.iter_mut().zip(stated) {
            *count += u64::from(lived.is_some_and(|lived| lived <= by));
        }
    }
    let lifetimes = truth["lifetimes"].as_array().unwrap();
    let windows: u64 = lifetimes.iter().map(|row| row["windows"].as_u64().unwrap()).sum();
    assert_eq!(windows, decided.0);
    for (name, count) in ["closed_by_p10", "closed_by_median", "closed_by_p90"].iter().zip(decided.1) {
        let of = |row: &Value| row[name].as_f64().unwrap() * row["windows"].as_f64().unwrap();
        let found: f64 = lifetimes.iter().map(of).sum();
        assert!((found - count as f64).abs() < 1e-6, "{name}: {found} of {count}");
    }
    println!("{windows} lifetimes of {} windows; closed by p10, median, p90: {:?}", told.len(), decided.1);

    let books = truth["books"].as_array().unwrap();
    assert!(
        books.len() > 3
            && books.iter().all(|book| book["age_p50_seconds"].as_f64() <= book["age_p99_seconds"].as_f64())
    );
    // Within a minute it is the same answer, and another range is another.
    assert_eq!(store.stack.get("/v1/truth?hours=168").json(), truth);
    assert_eq!(store.stack.get("/v1/truth").json()["hours"], 24);
    assert_eq!(store.stack.get("/v1/truth?hours=2").status, 400);
}
