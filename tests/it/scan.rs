//! Scans on a real Kafka: of the simulated market, followed on every instance of the API, by killed roles and by nobody.

use std::time::{Duration, Instant};

use arb_schemas::time::SECOND;
use serde_json::Value;

use crate::live::{HOUR, worker};
use crate::support::metrics::Admin;
use crate::support::odds_api::{Fault, OddsApi, now};
use crate::support::program::Role;
use crate::support::serve::{Key, Serve};
use crate::support::stack::Broker;
use crate::support::wait::{pace, wait_for};

/// How often a league is polled for scans, at most.
const REFRESH: Duration = Duration::from_secs(40);
/// A league of the simulated market; it is waited for the answer as long as may be.
const QUERY: &str = "sport=soccer&wait_seconds=30";

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

/// The last answer to a scan: what it was answered with, or what its address says of it later where a machine stood still.
fn last(serve: &Serve, scanned: Scanned) -> Value {
    if scanned.answer["status"] != "pending" {
        return scanned.answer;
    }
    wait_for("it is final", || {
        let answer = serve.get(&scanned.location).json();
        (answer["status"] != "pending").then_some(answer)
    })
}

/// The last answer to a scan that is asked for now.
fn scanned(serve: &Serve, query: &str) -> Value {
    last(serve, scan(serve, query))
}

fn processor(broker: &Broker, name: &str) -> Role {
    Role::start("process", &[broker.kafka.at(), broker.kafka.named()], &broker.path(name))
}

fn market(broker: &Broker, name: &str) -> Role {
    Role::start("ingest", &[broker.kafka.at(), broker.kafka.named(), "--every", "300"], &broker.path(name))
}

/// Waits until the market's polls are on the board: a scan of a sport that no source has polled covers nothing.
fn wait_for_polls(serve: &Serve) {
    wait_for("the market is on the board", || {
        let board = serve.get("/v1/arbs?limit=1").json();
        board["polls"].as_array().is_some_and(|polls| !polls.is_empty()).then_some(())
    });
}

/// A scan for which the market was polled: another one that was a moment ago finds that poll.
fn polled(serve: &Serve) -> Scanned {
    wait_for("the market is polled for a scan", || {
        let scanned = scan(serve, QUERY);
        if outcomes(&scanned.answer) == ["polled"] { Ok(scanned) } else { Err(scanned.answer) }
    })
}

/// The answer to a scan that is complete within its wait, as one is but on a machine that stands still.
fn complete(serve: &Serve, query: &str) -> Value {
    wait_for("a scan is complete", || {
        let answer = scan(serve, query).answer;
        if answer["complete"] == true { Ok(answer) } else { Err(answer) }
    })
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
    let Scanned { status, answer, location, took } = polled(&serves[0]);
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
    let polls = || Admin::of(&log).page().sum("arb_ingest_polls_total", &[]);
    let (begun, before) = (Instant::now(), polls());
    std::thread::scope(|scope| {
        serves.iter().cycle().take(100).for_each(|serve| drop(scope.spawn(move || complete(serve, QUERY))));
    });
    let (polled, took) = (polls() - before, begun.elapsed());
    println!("100 equal scans caused {polled} polls in {took:?}");
    // One more is that of its schedule.
    assert!(polled <= 2.0 + took.as_secs_f64(), "at most a poll a second: {polled} in {took:?}");
}

#[test]
fn without_a_worker_a_scan_is_followed_until_it_is_partial() {
    let broker = Broker::start();
    let key = Key::new(&broker, "enterprise");
    let _process = processor(&broker, "process.log");
    let serve = Serve::start(&broker, &key, "a", &[]);
    let scanned = scan(&serve, "sport=soccer&wait_seconds=1");
    assert_eq!((scanned.status, &scanned.answer["status"]), (202, &"pending".into()));
    assert!(scanned.took >= Duration::from_secs(1), "{:?}", scanned.took);
    let answer = last(&serve, scanned);
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
    // A scan waits for half a minute, in which another worker takes it up, but on a machine that stands still.
    let (mut round, mut is_taken_up) = (0_u64, false);
    while round < 4 || !is_taken_up {
        assert!(round < 12, "no scan of a killed worker was taken up by another one");
        pace("the market is polled for scans at most once a second", Duration::from_millis(1_100));
        let followed = std::thread::scope(|scope| {
            let asked = scope.spawn(|| scan(&serve, QUERY));
            pace("how far the scan comes before the kill", Duration::from_millis(15 * round));
            if round % 2 == 0 {
                ingest.kill();
                ingest = market(&broker, &format!("ingest-{round}.log"));
            } else {
                process.kill();
                process = processor(&broker, &format!("process-{round}.log"));
            }
            asked.join().unwrap()
        });
        println!("round {round}: {} after {:?}", followed.answer["status"], followed.took);
        let last = last(&serve, followed)["status"].clone();
        assert!(last == "complete" || last == "partial", "round {round}: {last}");
        is_taken_up |= round % 2 == 0 && last == "complete";
        // All of it works again.
        complete(&serve, QUERY);
        round += 1;
    }
}

/// Leagues of the provider; their events are days away, so each is polled once, and what else is polled is for a scan.
const LEAGUES: usize = 12;

/// Of the catalogue: another league is known once a window or a signal has named it.
fn league(index: usize) -> String {
    let mut soccer =
        include_str!("../../api/src/lists/leagues.txt").lines().filter(|name| name.starts_with("soccer_"));
    soccer.nth(index).unwrap().to_owned()
}

/// The query of a scan of it.
fn of_league(index: usize) -> String {
    format!("league={}&wait_seconds=30", league(index))
}

/// The outcomes of the sources of an answer.
fn outcomes(answer: &Value) -> Vec<&str> {
    answer["sources"].as_array().unwrap().iter().map(|source| source["outcome"].as_str().unwrap()).collect()
}

/// A scan of a league, which is complete and has one source of this outcome; how many prices were asked for.
fn scan_league(serve: &Serve, index: usize, expected: &str) -> i64 {
    let answer = scanned(serve, &of_league(index));
    assert_eq!((&answer["complete"], outcomes(&answer)), (&true.into(), vec![expected]), "{answer}");
    assert!(answer["quotes"]["on_offer"].as_i64().unwrap() > 0, "{answer}");
    answer["quotes"]["asked_now"].as_i64().unwrap()
}

#[test]
fn scans_of_live_odds_are_answered_whatever_the_provider_does() {
    let broker = Broker::start();
    let (key, callers) = (Key::new(&broker, "enterprise"), ["one7", "two7"]);
    let names: Vec<_> = (0..LEAGUES).map(league).collect();
    let sports: Vec<_> = names.iter().map(|name| (name.as_str(), Some(120 * HOUR))).collect();
    let api = OddsApi::start(broker.scratch.path(), &callers, &sports);
    let _process = processor(&broker, "process.log");
    let _workers = callers.map(|caller| worker(&broker, &api, caller, &["--sports=all", "--scan-sports=1"]));
    let serves = ["a", "b", "c"].map(|name| Serve::start(&broker, &key, name, &[]));
    wait_for("the first polls", || names.iter().all(|name| api.polls(name) == 1).then_some(()));
    wait_for_polls(&serves[0]);
    // The first poll of a league is recent, unless the machine is slow: then this scan polls it, and the next one finds that recent.
    let recent = wait_for("a poll is recent", || {
        let (polls, answer) = (api.polls(&names[0]), scanned(&serves[0], &of_league(0)));
        let is_recent = outcomes(&answer) == ["polled_recently"];
        assert!(!is_recent || api.polls(&names[0]) == polls, "it was polled: {answer}");
        is_recent.then_some(answer)
    });
    assert_eq!(recent["quotes"]["asked_now"], 0, "none of its prices counts as new");
    assert!(recent["quotes"]["on_offer"].as_i64().unwrap() > 0, "{recent}");
    pace("a league is polled for scans at most once in so long", REFRESH);
    let (begun, polls) = (Instant::now(), api.polls(&names[0]));
    std::thread::scope(|scope| {
        let query = |number: usize| format!("{}&min_margin=0.0{}", of_league(0), number % 3);
        let ask = |number: usize| (query(number), &serves[number % serves.len()]);
        (0..100).map(ask).for_each(|(query, serve)| drop(scope.spawn(move || complete(serve, &query))));
    });
    let (polls, most) = (api.polls(&names[0]) - polls, 1 + begun.elapsed().as_secs() / REFRESH.as_secs());
    assert!((1..=most).contains(&(polls as u64)), "a hundred scans cause {polls} polls, not {most}");

    for (index, fault) in [Fault::Busy, Fault::Status(500), Fault::Hang, Fault::Cut].into_iter().enumerate() {
        api.state().faults.push_back(fault);
        assert_eq!(scan_league(&serves[index % 3], index + 1, "failed"), 0, "{fault:?}");
        pace("the provider asks for a pause of a second", Duration::from_millis(1_100));
    }
    api.state().seen_at = Some(now() - 60 * SECOND);
    let cached = scanned(&serves[0], &of_league(5));
    assert_eq!(outcomes(&cached), ["polled"], "{cached}");
    assert!(cached["warnings"].to_string().contains("no book has confirmed a price"), "{cached}");
    assert_eq!(cached["quotes"]["confirmed_after_request"], 0);
    api.state().seen_at = None;

    let all = scanned(&serves[1], QUERY);
    let polled = outcomes(&all).iter().filter(|outcome| **outcome == "polled").count();
    assert!((1..=2).contains(&polled), "a sport by each worker: {all}");
    assert!(outcomes(&all).contains(&"scan_cap"), "{all}");
    assert_eq!(all["estimated_credits"].as_i64(), i64::try_from(polled).ok());

    api.state().credits = 0;
    let left = (6..LEAGUES).find(|index| api.polls(&names[*index]) == 1).unwrap();
    let broke = scanned(&serves[2], &of_league(left));
    assert!(["failed", "credits"].contains(&outcomes(&broke)[0]), "{broke}");
    assert_eq!((&broke["complete"], &broke["quotes"]["asked_now"]), (&true.into(), &0.into()));
}

/// What may be spent on scans, of 20 credits five by one account within an hour: then others still may, and after a kill of the worker too.
#[test]
fn an_account_has_a_share_of_the_credits_for_scans_that_a_restart_does_not_give_back() {
    const FLOOR: u64 = 50;
    let broker = Broker::start();
    let (key, other) = (Key::new(&broker, "enterprise"), Key::new(&broker, "enterprise"));
    let names: Vec<_> = (0..LEAGUES).map(league).collect();
    let sports: Vec<_> = names.iter().map(|name| (name.as_str(), Some(120 * HOUR))).collect();
    let api = OddsApi::start(broker.scratch.path(), &["one7"], &sports);
    api.state().credits = FLOOR + LEAGUES as u64 + 100;
    let _process = processor(&broker, "process.log");
    let start = || worker(&broker, &api, "one7", &["--sports=all"]);
    let mut ingest = start();
    let serves = [&key, &other].map(|key| Serve::start(&broker, key, &format!("serve-{}", key.text), &[]));
    wait_for("the first polls", || names.iter().all(|name| api.polls(name) == 1).then_some(()));
    wait_for_polls(&serves[0]);
    pace("a league is polled for scans at most once in so long", REFRESH);
    // A poll whose answer is lost has been paid all the same.
    let polled = |serve: &Serve, index: usize| outcomes(&scanned(serve, &of_league(index))) == ["polled"];
    let spent = (0..LEAGUES).take_while(|index| polled(&serves[0], *index)).count();
    assert_eq!(spent, 5);
    assert!(polled(&serves[1], spent), "another account has a share of its own");
    ingest.kill();
    let _ingest = start();
    wait_for("the new worker has the leases", || {
        let answer = scanned(&serves[0], &of_league(spent + 1));
        (outcomes(&answer) != ["pending"] && answer["complete"] == true).then_some(answer)
    });
    assert!(!polled(&serves[0], spent + 1), "what was spent stays spent");
    assert!(polled(&serves[1], spent + 1), "the other one's share is left");
}
