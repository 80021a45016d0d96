//! Scans on a real Kafka: of the simulated market, followed on every instance of the API, by killed roles and by nobody.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::live::{HOUR, KEY, worker};
use crate::support::metrics::Admin;
use crate::support::odds_api::{OddsApi, now};
use crate::support::program::Role;
use crate::support::serve::{Key, Serve};
use crate::support::stack::Broker;
use crate::support::wait_for;

/// A league of the simulated market.
const QUERY: &str = "sport=soccer";

struct Scanned {
    status: u16,
    answer: Value,
    location: String,
    took: Duration,
}

fn scan(serve: &Serve, query: &str) -> Scanned {
    let begun = Instant::now();
    let answer = serve.get(&format!("/v1/scan?{query}"));
    let took = begun.elapsed();
    assert!([200, 202].contains(&answer.status), "{}", answer.body);
    let location = answer.header("location").to_owned();
    Scanned { status: answer.status, answer: answer.json(), location, took }
}

fn processor(broker: &Broker, name: &str) -> Role {
    Role::start("process", &["--brokers", &broker.brokers], &broker.path(name))
}

fn market(broker: &Broker, name: &str) -> Role {
    Role::start("ingest", &["--brokers", &broker.brokers, "--every", "300"], &broker.path(name))
}

/// Waits until the market's polls are on the board: a scan of a sport that no source has polled covers nothing.
fn wait_for_polls(serve: &Serve) {
    wait_for("the market is on the board", || {
        let board = serve.get("/v1/arbs?limit=1").json();
        board["polls"].as_array().is_some_and(|polls| !polls.is_empty()).then_some(())
    });
    std::thread::sleep(Duration::from_secs(2));
}

#[test]
fn a_scan_of_the_simulated_market_is_complete_within_its_wait_and_any_instance_follows_it() {
    let broker = Broker::start();
    let (key, stranger) = (Key::new(&broker, "enterprise"), Key::new(&broker, "enterprise"));
    let (_one, _two) = (processor(&broker, "one.log"), processor(&broker, "two.log"));
    let log = broker.path("ingest.log");
    let _ingest = market(&broker, "ingest.log");
    let serves = ["a", "b", "c"].map(|name| Serve::start(&broker, &key, name, &[]));
    let other = Serve::start(&broker, &stranger, "d", &[]);
    wait_for_polls(&serves[0]);
    let before = Admin::of(&log).page().sum("arb_ingest_polls_total", &[]);
    let Scanned { status, answer, location, took } = scan(&serves[0], QUERY);
    println!("a scan took {took:?}");
    assert_eq!((status, &answer["status"]), (200, &"complete".into()), "{answer}");
    assert!(answer["quotes"]["asked_now"].as_i64().unwrap() > 0, "{answer}");
    assert_eq!(answer["quotes"]["asked_now"], answer["quotes"]["on_offer"], "all is from the poll for it");
    assert_eq!(answer["sources"][0]["outcome"], "polled");
    for serve in &serves {
        let followed = wait_for("it is followed", || {
            let followed = serve.get(&location);
            (followed.status == 200 && followed.json()["complete"] == true).then(|| followed.json())
        });
        assert_eq!(followed["quotes"], answer["quotes"]);
    }
    assert_eq!(other.get(&location).status, 404, "another account");
    std::thread::sleep(Duration::from_millis(1_200));
    let many: Vec<Scanned> = std::thread::scope(|scope| {
        let handles: Vec<_> = serves
            .iter()
            .cycle()
            .take(100)
            .map(|serve| scope.spawn(move || scan(serve, "sport=soccer&wait_seconds=20")))
            .collect();
        handles.into_iter().map(|handle| handle.join().unwrap()).collect()
    });
    assert!(many.iter().all(|scan| scan.answer["complete"] == true));
    let polled = Admin::of(&log).page().sum("arb_ingest_polls_total", &[]) - before - 1.0;
    let longest = many.iter().map(|scan| scan.took).max().unwrap();
    println!("100 equal scans caused {polled} polls; the longest took {longest:?}");
    assert!(polled <= 1.0 + longest.as_secs_f64(), "at most a poll a second: {polled} in {longest:?}");
}

#[test]
fn without_a_worker_a_scan_is_followed_until_it_is_partial() {
    let broker = Broker::start();
    let key = Key::new(&broker, "enterprise");
    let _process = processor(&broker, "process.log");
    let serve = Serve::start(&broker, &key, "a", &[]);
    let Scanned { status, answer, location, took } = scan(&serve, "sport=soccer&wait_seconds=1");
    assert_eq!((status, &answer["status"]), (202, &"pending".into()));
    assert!(took >= Duration::from_secs(1) && took < Duration::from_secs(20), "{took:?}");
    let answer = wait_for("it is final", || {
        let answer = serve.get(&location).json();
        (answer["status"] != "pending").then_some(answer)
    });
    assert_eq!((&answer["status"], &answer["complete"]), (&"partial".into(), &false.into()));
    assert!(answer["warnings"][0].as_str().unwrap().starts_with("Nobody polls"));
}

#[test]
fn a_scan_whose_worker_or_processor_is_killed_is_complete_or_partial_and_never_hangs() {
    let broker = Broker::start();
    let key = Key::new(&broker, "enterprise");
    let (mut process, mut ingest) = (processor(&broker, "process.log"), market(&broker, "ingest.log"));
    let serve = Serve::start(&broker, &key, "a", &[]);
    wait_for_polls(&serve);
    for round in 0..4_u64 {
        let followed = std::thread::scope(|scope| {
            let asked = scope.spawn(|| scan(&serve, "sport=soccer&wait_seconds=30"));
            std::thread::sleep(Duration::from_millis(15 * round));
            if round % 2 == 0 {
                ingest.kill();
                ingest = market(&broker, &format!("ingest-{round}.log"));
            } else {
                process.kill();
                process = processor(&broker, &format!("process-{round}.log"));
            }
            asked.join().unwrap()
        });
        let Scanned { answer, took, location, .. } = followed;
        println!("round {round}: {} after {took:?}", answer["status"]);
        assert!(took < Duration::from_secs(40), "{took:?}");
        wait_for("it is final", || (serve.get(&location).json()["status"] != "pending").then_some(()));
        std::thread::sleep(Duration::from_secs(2));
    }
}

#[test]
fn a_scan_of_live_odds_polls_within_the_refresh_and_the_credits() {
    let broker = Broker::start();
    let key = Key::new(&broker, "enterprise");
    let api = OddsApi::start(broker.scratch.path(), &[KEY], &[("soccer_epl", Some(now() + 120 * HOUR))]);
    let _process = processor(&broker, "process.log");
    // Its events are days away, so it is polled once a day: what else is polled is for a scan.
    let _worker = worker(&broker, &api, KEY, &[]);
    let serve = Serve::start(&broker, &key, "a", &[]);
    wait_for("the first poll", || (api.polls("soccer_epl") == 1).then_some(()));
    wait_for_polls(&serve);
    let recently = scan(&serve, "league=soccer_epl&wait_seconds=20");
    assert_eq!(recently.answer["sources"][0]["outcome"], "polled_recently", "{}", recently.answer);
    assert_eq!((recently.answer["complete"].clone(), api.polls("soccer_epl")), (true.into(), 1));
    assert_eq!(recently.answer["quotes"]["asked_now"], 0, "none of its quotes counts as new");
    std::thread::sleep(Duration::from_secs(40));
    let polled = scan(&serve, "league=soccer_epl&wait_seconds=20");
    assert_eq!(polled.answer["sources"][0]["outcome"], "polled", "{}", polled.answer);
    assert_eq!(api.polls("soccer_epl"), 2);
    assert!(polled.answer["estimated_credits"].as_i64().unwrap() > 0);
}
