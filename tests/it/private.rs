//! A private source on a real Kafka: its owner's board, odds, books and tools have its prices, no topic that others read has any of them, and an
//! operator withdraws them.

use arb_accounts::scope::Scope;
use arb_schemas::topics::{ARBS_BOARD, FEED_EVENTS, ODDS_TICKS, SIGNALS};
use serde_json::{Value, json};

use crate::kafka::{read_all, wait_until_settled};
use crate::mcp;
use crate::support::http::{self, Answer, once_it_knows};
use crate::support::program::{Role, arb, run};
use crate::support::serve::{Key, Serve};
use crate::support::stack::Broker;
use crate::support::wait_for;

const SCOPES: [Scope; 2] = [Scope::TicksWrite, Scope::EventsWrite];
const OWN_BOARD: &str = "/v1/arbs?total_stake=100";

/// A price of the winner of an event that the public feed names.
fn price(sequence: i64, is_named: bool, (book, outcome, price): (&str, &str, f64)) -> Value {
    let event = json!({
        "id": "feed:1", "sport": "baseball", "league": "baseball_mlb", "home": "H", "away": "A",
        "commence_time": "2036-01-01T12:00:00Z"
    });
    let event = if is_named { event } else { json!("feed:1") };
    json!({"event": event, "book": book, "market": "h2h", "outcome": outcome, "price": price, "sequence": sequence})
}

fn push(serve: &Serve, key: &Key, lines: &[Value]) {
    let answer = try_push(serve, key, lines);
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert_eq!(answer.json()["accepted"], lines.len(), "{}", answer.body);
}

fn try_push(serve: &Serve, key: &Key, lines: &[Value]) -> Answer {
    let text: String = lines.iter().flat_map(|line| [line.to_string(), "\n".to_owned()]).collect();
    let fields = [("x-api-key", &*key.text), ("content-type", "application/x-ndjson")];
    let url = format!("http://{}/api/v1/ticks", serve.listen);
    once_it_knows(|| http::send("POST", &url, &fields, text.clone().into_bytes())).unwrap()
}

/// The books of the legs on a board, of each arb.
fn legs(serve: &Serve, path: &str) -> Option<Vec<Vec<String>>> {
    let board = serve.get(path);
    let leg = |leg: &Value| leg["book"].as_str().unwrap().to_owned();
    let arb = |arb: &Value| arb["legs"].as_array().unwrap().iter().map(leg).collect();
    (board.status == 200).then(|| board.json()["arbs"].as_array().unwrap().iter().map(arb).collect())
}

fn sources(broker: &Broker, arguments: &[&str]) {
    let all = [&["sources"][..], arguments, &[broker.kafka.at(), broker.kafka.named()]].concat();
    let output = run(arb().args(all));
    assert!(output.success, "{}", output.err);
}

/// Whether the tools for programs with a language model show the private price of an owner: odds, books, and a board of his stake.
fn shown_by_tools(serve: &Serve, key: &Key) -> [bool; 3] {
    let calls = json!([["odds", {"id": "feed:1"}], ["books", {}], ["board", {"total_stake": 100}]]);
    let [session, _] = mcp::sessions(&format!("http://{}", serve.listen), &key.text, &calls);
    [0, 1, 2].map(|call| {
        let result = &session["results"][call];
        assert_eq!(result["is_error"], false, "{result}");
        result["json"].to_string().contains("acme:betmgm")
    })
}

#[test]
fn a_private_source_is_its_accounts_alone_until_it_is_withdrawn() {
    let broker = Broker::start();
    let _process =
        Role::start("process", &[broker.kafka.at(), broker.kafka.named()], &broker.path("process.log"));
    let books = ["draftkings", "fanduel"];
    let feed = Key::with_books(&broker, "enterprise", &SCOPES, (Some("feed"), &books));
    let owner = Key::private(&broker, "enterprise", &SCOPES, ("acme", &["betmgm"]));
    let serves = [&owner, &feed].map(|key| Serve::start(&broker, key, &format!("serve-{}", key.text), &[]));
    let [mine, others] = &serves;
    push(
        others,
        &feed,
        &[price(1, true, ("draftkings", "home", 1.95)), price(2, true, ("fanduel", "away", 1.95))],
    );
    wait_for("the event is known", || (others.get("/v1/events/feed:1/odds").status == 200).then_some(()));
    push(mine, &owner, &[price(1, false, ("betmgm", "home", 2.2))]);
    let seen = wait_for("the owner's board has it", || legs(mine, OWN_BOARD).filter(|legs| !legs.is_empty()));
    assert_eq!(seen, [["acme:betmgm", "fanduel"]]);
    // What comes after it in the partition of the event is known to the other instance, so that it has read the private price too.
    push(others, &feed, &[price(3, true, ("draftkings", "home", 1.96))]);
    for serve in &serves {
        wait_for("the later price is known", || {
            serve.get("/v1/events/feed:1/odds").body.contains("\"price\":1.96,").then_some(())
        });
    }
    for path in [OWN_BOARD, "/v1/arbs", "/v1/events/feed:1/odds", "/v1/books", "/v1/events", "/v1/signals"] {
        let answer = others.get(path);
        assert!(answer.status == 200 && !answer.body.contains("acme"), "{path}: {}", answer.body);
    }
    assert!(mine.get("/v1/events/feed:1/odds").body.contains("acme:betmgm"));
    assert!(mine.get("/v1/books").body.contains("acme:betmgm"));
    for (serve, key, has_it) in [(mine, &owner, true), (others, &feed, false)] {
        assert_eq!(shown_by_tools(serve, key), [has_it; 3]);
    }
    for topic in [ARBS_BOARD, FEED_EVENTS, SIGNALS] {
        let has_it = |record: &crate::kafka::Record| String::from_utf8_lossy(&record.value).contains("acme");
        wait_until_settled(&broker.kafka, &topic);
        assert!(!read_all(&broker.kafka, topic.name).iter().any(has_it), "{}", topic.name);
    }
    assert!(!read_all(&broker.kafka, ODDS_TICKS.name).is_empty());

    sources(&broker, &["withdraw", "acme"]);
    wait_for("it is withdrawn", || legs(mine, OWN_BOARD).filter(Vec::is_empty));
    assert!(!mine.get("/v1/events/feed:1/odds").body.contains("acme"));
    push(mine, &owner, &[price(2, false, ("betmgm", "home", 2.3))]);
    wait_for("later prices count", || legs(mine, OWN_BOARD).filter(|legs| !legs.is_empty()));
}

/// How many prices of the event are suspended.
fn suspended(serve: &Serve) -> usize {
    serve.get("/v1/events/feed:1/odds").body.matches("\"status\":\"suspended\"").count()
}

#[test]
fn an_operator_shuts_a_source_or_a_book_at_once_and_opens_it_again() {
    let broker = Broker::start();
    let _process =
        Role::start("process", &[broker.kafka.at(), broker.kafka.named()], &broker.path("process.log"));
    let feed = Key::with_books(&broker, "enterprise", &SCOPES, (Some("feed"), &["draftkings", "fanduel"]));
    let serve = Serve::start(&broker, &feed, "serve", &[]);
    let both = |sequence| {
        [
            price(sequence, true, ("draftkings", "home", 2.2)),
            price(sequence + 1, true, ("fanduel", "away", 2.2)),
        ]
    };
    push(&serve, &feed, &both(1));
    let window = || legs(&serve, "/v1/arbs");
    wait_for("the window", || window().filter(|legs| !legs.is_empty()));
    sources(&broker, &["suspend", "draftkings", "--book"]);
    wait_for("the book is shut", || window().filter(Vec::is_empty));
    wait_for("its price is suspended", || (suspended(&serve) == 1).then_some(()));
    let book = serve.get("/v1/books").json();
    let is_shut = |key: &str| {
        book["books"]
            .as_array()
            .unwrap()
            .iter()
            .any(|book| book["key"] == key && book["is_suspended"] == true)
    };
    assert!(is_shut("draftkings") && !is_shut("fanduel"));
    push(&serve, &feed, &both(3));
    sources(&broker, &["resume", "draftkings", "--book"]);
    push(&serve, &feed, &both(5));
    wait_for("it is open again", || window().filter(|legs| !legs.is_empty()));
    sources(&broker, &["suspend", "feed/feed"]);
    wait_for("the source is shut", || window().filter(Vec::is_empty));
    wait_for("its prices are suspended", || (suspended(&serve) == 2).then_some(()));
    let refused = try_push(&serve, &feed, &both(7));
    assert!(refused.status == 403 && refused.body.contains("suspended"), "{}", refused.body);
    sources(&broker, &["resume", "feed/feed"]);
    wait_for("it may push again", || (try_push(&serve, &feed, &both(9)).status == 200).then_some(()));
    wait_for("its window is open", || window().filter(|legs| !legs.is_empty()));
}
