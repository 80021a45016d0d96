//! Pushed odds with a real Kafka, as a client sends them: on the board and the stream within a second, once whoever dies, whatever
//! the body is.

use std::collections::BTreeMap;
use std::io::Write;
use std::net::TcpStream;
use std::process::Command;
use std::time::{Duration, Instant};

use arb_accounts::scope::Scope;
use arb_schemas::topics::{DEAD_TICKS, ODDS_TICKS};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

use crate::kafka::{committed, read_all, wait_until_settled};
use crate::kill::published;
use crate::support::http::{self, Answer, once_it_knows};
use crate::support::program::{Role, arb, run};
use crate::support::serve::{Key, Serve};
use crate::support::stack::Broker;
use crate::support::{wait_for, wait_for_steps};

const SCOPES: [Scope; 2] = [Scope::TicksWrite, Scope::EventsWrite];

/// A broker with a processor and so many instances, and the key of a source that may name events.
struct Ground {
    serves: Vec<Serve>,
    _process: Role,
    key: Key,
    broker: Broker,
}

impl Ground {
    fn start(instances: usize) -> Self {
        Self::on(Broker::start(), instances)
    }

    fn on(broker: Broker, instances: usize) -> Self {
        let process =
            Role::start("process", &[broker.kafka.at(), broker.kafka.named()], &broker.path("process.log"));
        let key = Key::granted(&broker, "enterprise", &SCOPES, Some("acme"));
        let serve = |index| Serve::start(&broker, &key, &format!("serve-{index}"), &[]);
        Self { serves: (0..instances).map(serve).collect(), _process: process, key, broker }
    }

    fn push(&self, instance: usize, lines: &[Value]) -> Answer {
        let fields = [("content-type", "application/x-ndjson")];
        self.send(instance, &fields, text(lines).as_bytes())
    }

    fn send(&self, instance: usize, fields: &[(&str, &str)], body: &[u8]) -> Answer {
        post(&self.serves[instance].listen, &self.key, fields, body)
    }

    /// The status that curl reads, which stops to send a body once there is an answer.
    fn status_of_curl(&self, body: &[u8]) -> String {
        let file = self.broker.path("body");
        std::fs::write(&file, body).unwrap();
        let (key, body) = (format!("x-api-key: {}", self.key.text), format!("@{}", file.display()));
        let url = format!("http://{}/api/v1/ticks", self.serves[0].listen);
        let common =
            ["-s", "-o", "/dev/null", "-w", "%{http_code}", "-H", "content-type: application/x-ndjson"];
        let curl =
            || run(Command::new("curl").args(common).args(["-H", &key, "--data-binary", &body, &url])).out;
        wait_for("the instance can answer", || Some(curl()).filter(|status| status != "503"))
    }

    /// Every instance shows the dead letter of an update to whoever pushed it, and none to another who pushes.
    fn assert_that_its_owner_alone_sees(&self, sequence: i64) {
        let other = Key::granted(&self.broker, "enterprise", &SCOPES, Some("other"));
        for serve in &self.serves {
            let of = |key: &Key| {
                let url = format!("http://{}/api/v1/ticks/dead-letters", serve.listen);
                let get = || http::send("GET", &url, &[("x-api-key", &*key.text)], Vec::new());
                let answer = once_it_knows(get).unwrap();
                if answer.status == 200 { Ok(answer.json()) } else { Err((answer.status, answer.body)) }
            };
            let of_owner = wait_for_steps("the owner's dead letter", || match of(&self.key)? {
                answer if answer["dead_letters"] == json!([]) => Err((200, answer.to_string())),
                answer => Ok(answer),
            });
            let letter = &of_owner["dead_letters"][0];
            let shown = ["reason", "event", "sequence", "ticks"].map(|field| letter[field].clone());
            assert_eq!(shown, [json!("push-refused"), json!("acme:1"), json!(sequence), json!(1)]);
            assert_eq!(of_owner["dead_letters"].as_array().unwrap().len(), 1);
            let of_other = wait_for_steps("another's", || of(&other));
            assert_eq!(of_other, json!({"source": "other", "dead_letters": []}));
        }
    }

    /// The home price on the board.
    fn home(&self) -> Option<f64> {
        let board = self.serves[0].get("/v1/arbs").json();
        let legs = board["arbs"].get(0)?["legs"].as_array()?;
        legs.iter().find(|leg| leg["outcome"] == "home")?["price"].as_f64()
    }
}

/// Sends a batch, again while the instance does not know its accounts: nothing of it is taken then.
fn post(listen: &str, key: &Key, fields: &[(&str, &str)], body: &[u8]) -> Answer {
    once_it_knows(|| post_once(listen, key, fields, body.to_vec())).unwrap()
}

fn post_once(listen: &str, key: &Key, fields: &[(&str, &str)], body: Vec<u8>) -> Option<Answer> {
    let fields = [&[("x-api-key", &*key.text)], fields].concat();
    http::send("POST", &format!("http://{listen}/api/v1/ticks"), &fields, body)
}

fn text(lines: &[Value]) -> String {
    lines.iter().flat_map(|line| [line.to_string(), "\n".to_owned()]).collect()
}

/// A price of an event that is named.
fn line(outcome: &str, price: f64, sequence: i64) -> Value {
    let event = json!({
        "id": "acme:1", "sport": "soccer", "league": "soccer_pushed", "home": "H", "away": "A",
        "commence_time": "2036-01-01T12:00:00Z"
    });
    json!({"event": event, "book": "acme", "market": "draw_no_bet", "outcome": outcome, "price": price, "sequence": sequence})
}

fn accepted(answer: &Answer) -> u64 {
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.json()["accepted"].as_u64().unwrap()
}

/// The records that clients pushed, as they are in the topic.
fn pushed(broker: &Broker) -> usize {
    read_all(&broker.kafka, ODDS_TICKS.name).len()
}

#[test]
fn a_pushed_price_comes_to_the_board_and_to_the_stream() {
    let ground = Ground::start(1);
    let mut stream = ground.serves[0].stream("event=arb_window", None);
    assert_eq!(accepted(&ground.push(0, &[line("home", 2.2, 1), line("away", 2.2, 1)])), 2);
    wait_for("the first window", || ground.home());
    let (mut slowest_board, mut slowest_stream) = (Duration::ZERO, Duration::ZERO);
    for sequence in 2..12 {
        let price = f64::from(i32::try_from(220 + sequence).unwrap()) / 100.0;
        let sent = Instant::now();
        assert_eq!(accepted(&ground.push(0, &[line("home", price, sequence)])), 1);
        let has = |event: &Value| event["legs"].to_string().contains(&format!("\"price\":{price}"));
        while !stream.next_event().is_some_and(|event| event.name == "arb_window" && has(&event.json())) {}
        slowest_stream = slowest_stream.max(sent.elapsed());
        wait_for("the price", || ground.home().filter(|home| (home - price).abs() < 1e-9));
        slowest_board = slowest_board.max(sent.elapsed());
    }
    println!(
        "slowest of ten pushes: on the stream after {slowest_stream:?}, on the board after {slowest_board:?}"
    );
}

#[test]
fn three_instances_at_once_twice_and_out_of_order_give_the_latest_price() {
    const UPDATES: i64 = 120;
    let ground = Ground::start(3);
    accepted(&ground.push(0, &[line("home", 2.1, 0), line("away", 2.2, 0)]));
    let price = |sequence: i64| 2.1 + f64::from(i32::try_from(sequence).unwrap()) / 1_000.0;
    std::thread::scope(|scope| {
        for instance in 0..3 {
            let ground = &ground;
            scope.spawn(move || {
                // Each sends all of them, in an order of its own.
                let mut sequences: Vec<_> = (1..=UPDATES).collect();
                fastrand::Rng::with_seed(instance as u64).shuffle(&mut sequences);
                for batch in sequences.chunks(10) {
                    let lines: Vec<_> =
                        batch.iter().map(|sequence| line("home", price(*sequence), *sequence)).collect();
                    assert_eq!(accepted(&ground.push(instance, &lines)), 10);
                }
            });
        }
    });
    wait_for("the latest price", || ground.home().filter(|home| (home - price(UPDATES)).abs() < 1e-9));
    assert!(pushed(&ground.broker) >= 3 * usize::try_from(UPDATES).unwrap(), "all of them are in the topic");
    // Repeats come after the latest price too.
    let ends = published(&ground.broker);
    wait_for_steps("all of them are processed", || {
        let processed = committed(&ground.broker.kafka, "arb-process");
        let is_done = processed.iter().zip(&ends).all(|(at, end)| at.or(Some(0)) == *end);
        if is_done { Ok(()) } else { Err(processed) }
    });
    wait_until_settled(&ground.broker.kafka, &DEAD_TICKS);
    assert!(read_all(&ground.broker.kafka, DEAD_TICKS.name).is_empty(), "a repeat is no fault");
    // The same sequence with another price is one, and changes nothing.
    assert_eq!(accepted(&ground.push(1, &[line("home", 3.0, UPDATES)])), 1);
    let letters = wait_for("the dead letter", || {
        Some(read_all(&ground.broker.kafka, DEAD_TICKS.name)).filter(|letters| !letters.is_empty())
    });
    let reason = letters[0].headers.iter().find(|(name, _)| name == "arb-reason").unwrap();
    assert_eq!((letters.len(), reason.1.as_str()), (1, "push-refused"));
    ground.assert_that_its_owner_alone_sees(UPDATES);
    assert!((ground.home().unwrap() - price(UPDATES)).abs() < 1e-9);
}

#[test]
fn a_batch_whose_answer_was_lost_with_its_instance_is_sent_again_and_counts_once() {
    let mut ground = Ground::start(2);
    accepted(&ground.push(1, &[line("home", 2.2, 1), line("away", 2.2, 1)]));
    wait_for("the first window", || ground.home());
    let mut stream = ground.serves[1].stream("event=arb_window", None);
    let before = pushed(&ground.broker);
    let body = text(&[line("home", 2.3, 2)]);
    // A client that never reads its answer; the instance is killed as soon as Kafka has the record.
    let mut client = TcpStream::connect(&ground.serves[0].listen).unwrap();
    let head = format!(
        "POST /v1/ticks HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\ncontent-type: application/x-ndjson\r\n\
         content-length: {}\r\n\r\n",
        ground.serves[0].listen,
        ground.key.text,
        body.len()
    );
    client.write_all(head.as_bytes()).unwrap();
    client.write_all(body.as_bytes()).unwrap();
    wait_for("the record is in Kafka", || (pushed(&ground.broker) > before).then_some(()));
    ground.serves[0].role.kill();
    ground.serves.remove(0);
    assert_eq!(accepted(&ground.push(0, &[line("home", 2.3, 2)])), 1, "the other instance takes it");
    assert_eq!(pushed(&ground.broker), before + 2, "it is in the topic twice");
    accepted(&ground.push(0, &[line("home", 2.4, 3)]));
    let mut prices = Vec::new();
    while prices.last() != Some(&2.4) {
        let event = stream.next_event().unwrap();
        if event.name == "arb_window" {
            let event = event.json();
            let home = event["legs"].as_array().unwrap().iter().find(|leg| leg["outcome"] == "home").unwrap();
            prices.push(home["price"].as_f64().unwrap());
        }
    }
    assert_eq!(prices.iter().filter(|price| price.to_string() == "2.3").count(), 1, "{prices:?}");
}

/// Events that an attack is made on, and totals of each.
const EVENTS: i64 = 59;
const TOTALS: [f64; 5] = [6.5, 7.5, 8.5, 9.5, 10.5];
/// So many of them have an arb.
const PROVEN: i64 = 23;

/// A price at a book in one of the events, which is given by its names or by its id alone.
fn priced(event: (i64, bool), book: &str, outcome: &str, line: Option<f64>, price: f64) -> Value {
    let (number, is_named) = event;
    let id = format!("feed:{number}");
    let event = json!({
        "id": id, "sport": "baseball", "league": "baseball_mlb", "home": "H", "away": "A",
        "commence_time": "2036-01-01T12:00:00Z"
    });
    let market = if line.is_some() { "totals" } else { "h2h" };
    json!({
        "event": if is_named { event } else { json!(id) }, "book": book, "market": market, "outcome": outcome, "line": line, "price": price,
        "sequence": number
    })
}

/// Of a board: each entry's bets, its verdict and its id, by event, market and line.
fn verdicts(serve: &Serve) -> BTreeMap<String, (String, bool, String)> {
    let board = serve.get("/v1/arbs?limit=500").json();
    let verdict = |entry: &Value| {
        let line = format!("{} {} {}", entry["event"]["id"], entry["market"], entry["line"]);
        let leg = |leg: &Value| format!("{} {} {};", leg["book"], leg["outcome"], leg["price"]);
        let legs = entry["legs"].as_array().unwrap().iter().map(leg).collect::<String>();
        (line, (legs, entry["verified"] == true, entry["id"].to_string()))
    };
    board["arbs"].as_array().unwrap().iter().map(verdict).collect()
}

/// A partner with the ordinary rights of one pushes a price of 1000 at a book of its own for every bet that there is, and for draws that there
/// are not: what was verified stays verified, under its id, for everybody.
#[test]
fn prices_of_a_book_that_is_not_in_the_table_hide_no_arb() {
    let books = ["draftkings", "fanduel", "betmgm", "betrivers"];
    let broker = Broker::start();
    let _process =
        Role::start("process", &[broker.kafka.at(), broker.kafka.named()], &broker.path("process.log"));
    let feed = Key::with_books(&broker, "enterprise", &SCOPES, (Some("feed"), &books));
    let partner = Key::granted(&broker, "enterprise", &SCOPES[..1], Some("acme"));
    let serve = Serve::start(&broker, &feed, "serve", &[]);
    let lines = ("content-type", "application/x-ndjson");
    let mut market = Vec::new();
    for number in 0..EVENTS {
        let totals = TOTALS.iter().flat_map(|line| ["over", "under"].map(|outcome| (outcome, Some(*line))));
        for (outcome, line) in totals.chain([("home", None), ("away", None)]) {
            let price = |book: &str| {
                let is_best =
                    (outcome, book) == ("over", "draftkings") || (outcome, book) == ("under", "fanduel");
                if number < PROVEN && line == Some(TOTALS[0]) && is_best { 2.1 } else { 1.9 }
            };
            market.extend(books.map(|book| priced((number, true), book, outcome, line, price(book))));
        }
    }
    assert_eq!(
        accepted(&post(&serve.listen, &feed, &[lines], text(&market).as_bytes())),
        market.len() as u64
    );
    let proven = usize::try_from(PROVEN).unwrap();
    let before = wait_for("all arbs are verified", || {
        let verdicts = verdicts(&serve);
        (verdicts.values().filter(|(_, is_verified, _)| *is_verified).count() == proven).then_some(verdicts)
    });
    let attacked = |number| {
        let totals = TOTALS.iter().flat_map(|line| ["over", "under"].map(|outcome| (outcome, Some(*line))));
        let winners = ["home", "draw", "away"].map(|outcome| (outcome, None));
        totals
            .chain(winners)
            .map(move |(outcome, line)| priced((number, false), "acme", outcome, line, 1000.0))
    };
    let attack: Vec<_> = (0..EVENTS).flat_map(attacked).collect();
    assert_eq!(attack.len(), 767);
    assert_eq!(accepted(&post(&serve.listen, &partner, &[lines], text(&attack).as_bytes())), 767);
    // Every line has a window by then, of prices that nobody believes, or of those that were there.
    let after = wait_for("the attack is on the board", || {
        let after = verdicts(&serve);
        (after.len() == usize::try_from(EVENTS).unwrap() * (TOTALS.len() + 1)).then_some(after)
    });
    let kept = before.iter().filter(|(line, verdict)| after.get(*line) == Some(verdict)).count();
    assert_eq!((before.len(), kept), (proven, proven));
    assert_eq!(after.values().filter(|(_, is_verified, _)| *is_verified).count(), proven);
    let passed = serve.get("/v1/arbs?verified=true&limit=1").json()["arbs"][0]["passed_over"].clone();
    assert_eq!(passed["failed_check"]["reason"], "no clause of acme on extra time is known");
    assert_eq!(
        passed["legs"][0],
        json!({"outcome": "over", "side": "back", "book": "acme", "price": 1000.0})
    );
    // What another source has a price of is granted to nobody for everybody.
    let grant = ["account", "grant", "second@example.com", "--scope", "ticks:write", "--source", "second"];
    let of_another = ["--book", "acme", "--public", broker.kafka.at(), broker.kafka.named()];
    let refused = run(arb().args(grant).args(of_another));
    assert!(refused.err.contains("acme has prices of the source feed/acme"), "{}", refused.err);
}

#[test]
fn a_hostile_body_is_refused_and_a_compressed_one_is_taken() {
    let ground = Ground::start(1);
    let gzip = |bytes: &[u8]| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    };
    let lines = ("content-type", "application/x-ndjson");
    let packed = [lines, ("content-encoding", "gzip")];
    let good = text(&[line("home", 2.2, 1), line("away", 2.2, 1)]).into_bytes();
    assert_eq!(accepted(&ground.send(0, &packed, &gzip(&good))), 2);
    let status = |fields: &[(&str, &str)], body: &[u8]| ground.send(0, fields, body).status;
    assert_eq!(status(&[("content-type", "text/plain")], &good), 415);
    assert_eq!(status(&[lines, ("content-encoding", "br")], &good), 415);
    assert_eq!(status(&packed, &good), 400, "not gzip");
    let whole = gzip(&good);
    assert_eq!(status(&packed, &whole[..whole.len() - 9]), 400, "cut");
    assert_eq!(status(&packed, &gzip(&vec![b' '; 512 * 1024 * 1024])), 413, "a bomb of 512 MiB");
    assert_eq!(ground.status_of_curl(&vec![b'x'; 1024 * 1024 + 1]), "413");
    assert_eq!(status(&[lines], b""), 400);
    assert_eq!(status(&[lines], b"\xff\n"), 400);
    let refused = ground.send(0, &[lines], b"nonsense\n{}\n");
    assert_eq!(refused.status, 422);
    assert_eq!(refused.json()["errors"][1], json!({"line": 2, "field": "event", "reason": "is missing"}));
    assert_eq!(refused.header("x-requests-used"), "1", "errors cost nothing");
    let mixed = ground.push(0, &[line("home", 2.2, 5), json!({"event": 1}), line("away", 2.2, 5)]);
    assert_eq!((accepted(&mixed), &mixed.json()["errors"][0]["line"]), (2, &json!(2)));
    let without = Key::new(&ground.broker, "enterprise");
    wait_for("the key is known", || {
        let status = post(&ground.serves[0].listen, &without, &[lines], &good).status;
        (status != 401).then(|| assert_eq!(status, 403))
    });
    let ungranted = Key::granted(&ground.broker, "enterprise", &SCOPES, None);
    wait_for("the key is known", || {
        let status = post(&ground.serves[0].listen, &ungranted, &[lines], &good).status;
        (status != 401).then(|| assert_eq!(status, 403))
    });
}

#[test]
fn a_batch_that_kafka_does_not_acknowledge_is_answered_503_and_may_be_sent_again() {
    let ground = Ground::on(Broker::own(), 1);
    accepted(&ground.push(0, &[line("home", 2.2, 1), line("away", 2.2, 1)]));
    ground.broker.freeze();
    let sent = Instant::now();
    let (fields, body) = ([("content-type", "application/x-ndjson")], text(&[line("home", 2.3, 2)]));
    let answer = post_once(&ground.serves[0].listen, &ground.key, &fields, body.into_bytes()).unwrap();
    // While the broker still stands.
    println!("refused after {:?}", sent.elapsed());
    assert_eq!((answer.status, answer.header("retry-after")), (503, "1"), "{}", answer.body);
    ground.broker.thaw();
    let again = || Some(ground.push(0, &[line("home", 2.3, 2)])).filter(|answer| answer.status == 200);
    wait_for("Kafka is back", again);
    wait_for("the price", || ground.home().filter(|home| (home - 2.3).abs() < 1e-9));
}
