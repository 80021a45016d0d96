//! Live polling against a server that implements The Odds API, on a real Kafka: the calls, their cost, their
//! callers, and the effects of the responses.

use std::collections::{BTreeMap, BTreeSet};

use arb_schemas::TickRecord;
use arb_schemas::records::{Coverage, PollEnd};
use arb_schemas::time::{Micros, SECOND, to_rfc3339};
use arb_schemas::topics::ODDS_TICKS;
use rustix::process::Signal;

use crate::board::{board_entries, by_key, in_oracles_words};
use crate::kafka::read_all;
use crate::support::metrics::{Admin, Page};
use crate::support::odds_api::{Call, Fault, OddsApi};
use crate::support::oracle::{assert_same, oracle};
use crate::support::program::{Role, SHIPPED_SESSION, arb, run};
use crate::support::stack::{Broker, Stack};
use crate::support::wait_for;

pub(crate) const KEY: &str = "0123456789abcdef0123456789abcdef";
pub(crate) const HOUR: Micros = 3_600 * SECOND;
/// Of a day the API's clock has a second or so; what is far away stays far away.
const SPED_UP: [&str; 7] = [
    "--every-in-play=100ms",
    "--every-hour=100ms",
    "--every-six-hours=1h",
    "--every-day=2h",
    "--every-later=24h",
    "--look-every=300ms",
    "--live-backoff=5ms",
];

/// A worker with a key; its calls have a time limit that a busy machine keeps: each is counted, or its fault has a sentence of its own.
pub(crate) fn worker(broker: &Broker, api: &OddsApi, key: &str, arguments: &[&str]) -> Role {
    let mut command = arb();
    command.env("ODDS_API_KEY", key).env("RUST_LOG", "trace,librdkafka=error");
    let common =
        ["--live", broker.kafka.at(), broker.kafka.named(), "--live-url", &api.url, "--live-timeout", "10s"];
    let all = [&common[..], &SPED_UP, arguments].concat();
    Role::start_in(command, "ingest", &all, &broker.path(&format!("{key}.log")))
}

fn log(broker: &Broker, key: &str) -> String {
    std::fs::read_to_string(broker.path(&format!("{key}.log"))).unwrap()
}

/// The ends of polls in a partition, in order.
fn poll_ends(broker: &Broker, partition: i32) -> Vec<PollEnd> {
    let records = read_all(&broker.kafka, ODDS_TICKS.name);
    let of_it = records.iter().filter(|record| record.partition == partition);
    let end = |value: &[u8]| match TickRecord::decode(value).unwrap() {
        TickRecord::PollEnd(end) => Some(end),
        _ => None,
    };
    of_it.filter_map(|record| end(&record.value)).collect()
}

/// Polls as a recording: each with the valid answer whose prices it published, found by when they were seen.
fn recorded(broker: &Broker, served: &[String], received_at: &[Micros]) -> String {
    let mut seen_at = BTreeMap::new();
    for record in read_all(&broker.kafka, ODDS_TICKS.name) {
        if let TickRecord::Frame(frame) = TickRecord::decode(&record.value).unwrap() {
            seen_at.extend(frame.offers.first().map(|offer| (frame.received_at, offer.last_seen_at)));
        }
    }
    let line = |at: &Micros| {
        let seen = to_rfc3339(seen_at[at]);
        let body = served.iter().find(|body| body.contains(&seen)).expect("a valid answer");
        format!("{{\"polled_at\":\"{}\",\"events\":{body}}}\n", to_rfc3339(*at))
    };
    received_at.iter().map(line).collect()
}

/// Whether a word is in any command line of this machine.
fn is_on_a_command_line(word: &str) -> bool {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let read = |path: std::path::PathBuf| std::fs::read(path.join("cmdline")).unwrap_or_default();
    processes.map(|entry| read(entry.path())).any(|line| String::from_utf8_lossy(&line).contains(word))
}

/// Everything that a provider does wrong, in turn.
const FAULTS: [Fault; 15] = [
    Fault::Busy,
    Fault::Status(500),
    Fault::Status(503),
    Fault::Status(403),
    Fault::Hang,
    Fault::Cut,
    Fault::HalfJson,
    Fault::Html,
    Fault::Huge,
    Fault::Trickle,
    Fault::Redirect,
    Fault::NoHeaders,
    Fault::OddHeaders,
    Fault::Doubled,
    Fault::Noise,
];

#[test]
fn the_board_is_what_the_api_said_whatever_went_wrong_between() {
    let stack = Stack::start("raw");
    let broker = &stack.broker;
    let sport = "soccer_simulated_league";
    let api = OddsApi::start(broker.scratch.path(), &[KEY], &[(sport, Some(-HOUR))]);
    api.state().faults.extend(FAULTS);
    let arguments = ["--sports", sport, "--markets", "totals,h2h"];
    let mut role = worker(broker, &api, KEY, &arguments);
    wait_for("thirty answers after all faults", || {
        role.assert_runs();
        (api.state().faults.is_empty() && api.state().served.len() >= 30).then_some(())
    });
    assert!(!is_on_a_command_line(KEY));
    role.stop();
    let ends = poll_ends(broker, 0);
    let received_at: Vec<_> = ends.iter().map(|end| end.received_at).collect();
    assert!(received_at.is_sorted_by(|a, b| a < b), "each later than the last");
    for end in &ends {
        let markets = Some(vec!["h2h".to_owned(), "totals".to_owned()]);
        assert_eq!(end.coverage, Coverage { books: None, markets });
        let named = (end.source.as_str(), end.league.as_deref());
        assert_eq!(named, ("the-odds-api/soccer_simulated_league", Some(sport)));
    }
    let path = broker.path("served.jsonl");
    std::fs::write(&path, recorded(broker, &api.state().served, &received_at)).unwrap();
    let last = to_rfc3339(*received_at.last().unwrap());
    let expected = oracle(&["board", "--format", "american", "--until", &last], &path);
    let board = stack.board_at(&last);
    let ours = board["arbs"].as_array().unwrap().iter().map(in_oracles_words).collect();
    assert_same(&by_key(ours), &by_key(board_entries(&expected[0])), "the board");
    assert!(!board["arbs"].as_array().unwrap().is_empty());
    let output = log(broker, KEY);
    assert!(output.contains("TRACE") && !output.contains(KEY), "the key is in the log");
    for sentence in [
        "asks for fewer calls (status 429)",
        "cannot answer (status 500)",
        "refuses this machine or subscription (status 403)",
        "no answer: it timed out",
        "the answer is cut off",
        "the answer is no JSON array",
        "the answer is no JSON by its content type",
        "the answer is longer than 32 MiB",
        "sends elsewhere (status 302), which is not followed",
        "does not say how many credits remain",
        "no answer: it is no HTTP",
    ] {
        assert!(output.contains(sentence), "{sentence}");
    }
    assert!(api.state().takes_gzip);
    assert!(api.state().calls.iter().all(|call| call.key == KEY));
    let beats = read_all(&broker.kafka, ODDS_TICKS.name);
    let is_beat = |value: &[u8]| matches!(TickRecord::decode(value).unwrap(), TickRecord::Heartbeat(_));
    assert!(beats.iter().any(|record| is_beat(&record.value)));
}

#[test]
fn only_what_is_due_is_asked_for() {
    let broker = Broker::start();
    let sports = [
        ("a_in_play", Some(-HOUR)),
        ("b_tomorrow", Some(20 * HOUR)),
        ("c_next_week", Some(7 * 24 * HOUR)),
        ("d_no_events", None),
        ("e_unknown", Some(-HOUR)),
        ("f_not_wanted", Some(-HOUR)),
    ];
    let api = OddsApi::start(broker.scratch.path(), &[KEY], &sports);
    api.state().unknown.insert("e_unknown".to_owned());
    let wanted = "a_in_play,b_tomorrow,c_next_week,d_no_events,e_unknown,g_out_of_season";
    let mut role = worker(&broker, &api, KEY, &["--sports", wanted]);
    wait_for("twenty polls of what is in play", || {
        role.assert_runs();
        (api.polls("a_in_play") >= 20 && api.polls("c_next_week") > 0).then_some(())
    });
    // It comes nearer: now it is due oftener.
    api.state().sports.insert("b_tomorrow".to_owned(), Some(HOUR / 2));
    wait_for("what begins soon is polled again", || (api.polls("b_tomorrow") >= 5).then_some(()));
    let events = |sport: &str| {
        let is_it = |call: &&Call| call.kind == "events" && call.sport == sport;
        api.state().calls.iter().filter(is_it).count()
    };
    wait_for("free listings are looked at again", || (events("d_no_events") >= 2).then_some(()));
    role.stop();
    assert_eq!(api.polls("c_next_week"), 1);
    for sport in ["d_no_events", "e_unknown", "f_not_wanted", "g_out_of_season"] {
        assert_eq!(api.polls(sport), 0, "{sport}");
    }
    assert_eq!((events("f_not_wanted"), events("g_out_of_season")), (0, 0));
    assert!(log(&broker, KEY).contains("nothing of the kind (status 404, UNKNOWN_SPORT)"));
}

#[test]
fn credits_stay_at_the_floor_and_polling_goes_on_when_they_are_reset() {
    let broker = Broker::start();
    let sports: Vec<_> = (0..8).map(|index| (format!("sport_{index}"), Some(-HOUR))).collect();
    let sports: Vec<_> = sports.iter().map(|(sport, starts)| (sport.as_str(), *starts)).collect();
    let keys = ["one0", "two0"];
    let api = OddsApi::start(broker.scratch.path(), &keys, &sports);
    (api.state().credits, api.state().least) = (90, 90);
    api.state().faults.extend([Fault::NoHeaders, Fault::Status(500), Fault::OddHeaders, Fault::Cut]);
    let arguments = ["--sports", "all", "--credit-floor", "40", "--regions", "eu,uk"];
    let mut roles = keys.map(|key| worker(&broker, &api, key, &arguments));
    let logged = |key: &str, what: &str| log(&broker, key).matches(what).count();
    wait_for("both stop", || {
        roles.iter_mut().for_each(Role::assert_runs);
        keys.iter().all(|key| logged(key, "polling stops at the floor") >= 1).then_some(())
    });
    let listings = |api: &OddsApi| api.state().calls.iter().filter(|call| call.kind == "sports").count();
    let before = listings(&api);
    wait_for("more looks", || (listings(&api) >= before + 6).then_some(()));
    let least = api.state().least;
    // Two credits a poll, four partitions: it may stop eight above the floor, and no lower than the floor.
    assert!((40..48).contains(&least), "{least}");
    api.state().credits = 100_000;
    let polls = api.state().calls.len();
    wait_for("polling goes on", || (api.polls_from(polls).len() >= 20).then_some(()));
    // Whatever the headers before: no credits are left at all.
    api.state().credits = 0;
    wait_for("both stop again", || {
        roles.iter_mut().for_each(Role::assert_runs);
        keys.iter().all(|key| logged(key, "polling stops at the floor") >= 2).then_some(())
    });
    api.state().credits = 100_000;
    let polls = api.state().calls.len();
    wait_for("polling goes on again", || (api.polls_from(polls).len() >= 20).then_some(()));
    roles.iter_mut().for_each(Role::stop);
}

#[test]
fn workers_share_the_sports_and_take_over_from_one_that_dies_or_freezes() {
    let broker = Broker::start();
    let near: Vec<_> = (0..6).map(|index| format!("near_{index}")).collect();
    let far: Vec<_> = (0..8).map(|index| format!("far_{index}")).collect();
    let near_ones = near.iter().map(|sport| (sport.as_str(), Some(-HOUR)));
    let far_ones = far.iter().map(|sport| (sport.as_str(), Some(100 * HOUR)));
    let sports: Vec<_> = near_ones.chain(far_ones).collect();
    let keys = ["one1", "two1", "three1"];
    let api = OddsApi::start(broker.scratch.path(), &keys, &sports);
    let start = |key: &str| worker(&broker, &api, key, &["--sports", "all", SHIPPED_SESSION]);
    let mut one = start(keys[0]);
    wait_for("the first polls all of them", || {
        sports.iter().all(|(sport, _)| api.polls(sport) > 0).then_some(())
    });
    let two = start(keys[1]);
    // The worker that makes each of the latest polls.
    let shares = || {
        let from = api.state().calls.len();
        wait_for("three rounds", || {
            let polls = api.polls_from(from);
            near.iter().all(|sport| polls.iter().filter(|c| c.sport == *sport).count() >= 3).then_some(())
        });
        let mut shares: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
        for call in api.polls_from(from) {
            shares.entry(call.key).or_default().insert(call.sport);
        }
        shares
    };
    let is_shared = |shares: &BTreeMap<String, BTreeSet<String>>| {
        shares.len() == 2 && shares.values().map(BTreeSet::len).sum::<usize>() == near.len()
    };
    wait_for("each polls sports of its own", || Some(shares()).filter(is_shared));
    for sport in &near {
        let calls = api.polls_from(0).into_iter().filter(|call| call.sport == *sport);
        let mut holders: Vec<_> = calls.map(|call| call.key).collect();
        holders.dedup();
        assert!(
            ["one1", "two1"].starts_with(&holders.iter().map(String::as_str).collect::<Vec<_>>()),
            "{holders:?}"
        );
    }
    one.kill();
    wait_for("the second has all", || Some(shares()).filter(|shares| shares.len() == 1));
    let mut three = start(keys[2]);
    wait_for("each polls sports of its own", || Some(shares()).filter(is_shared));
    two.signal(Signal::STOP);
    wait_for("it is frozen", || two.is_frozen().then_some(()));
    let alone = wait_for("the third has all", || Some(shares()).filter(|shares| shares.len() == 1));
    assert!(alone.contains_key(keys[2]), "{alone:?}");
    two.signal(Signal::CONT);
    wait_for("each polls sports of its own again", || Some(shares()).filter(is_shared));
    three.assert_runs();
    drop((two, three));
    // Events far away were polled once, whichever worker held them since.
    for sport in &far {
        assert_eq!(api.polls(sport), 1, "{sport}");
    }
    // The times of a source grow: of the frozen worker nothing comes late.
    let mut latest: BTreeMap<String, Micros> = BTreeMap::new();
    let ends = poll_ends(&broker, 0).into_iter();
    let late: Vec<_> = ends
        .filter_map(|end| {
            let before = latest.insert(end.source.clone(), end.received_at)?;
            (before >= end.received_at).then_some((end.source, before, end.received_at))
        })
        .collect();
    assert!(late.is_empty(), "{late:?}");
    assert_eq!(latest.len(), sports.len());
}

#[test]
fn a_key_that_is_not_taken_is_a_sentence() {
    let broker = Broker::start();
    let api = OddsApi::start(broker.scratch.path(), &[KEY], &[("near", Some(-HOUR))]);
    let ingest = |key: Option<&str>| {
        let mut command = arb();
        command
            .env_remove("ODDS_API_KEY")
            .env("RUST_LOG", "ureq_proto::util=trace")
            .args(["ingest", "--live"]);
        command.args([broker.kafka.at(), broker.kafka.named(), "--live-url", &api.url]);
        command.envs(key.map(|key| ("ODDS_API_KEY", key)));
        run(&mut command)
    };
    let output = ingest(None);
    assert!(
        !output.success && output.err.contains("arb: set ODDS_API_KEY to a key of The Odds API"),
        "{}",
        output.err
    );
    let output = ingest(Some("no&key"));
    assert!(!output.success && output.err.contains("no key: one has letters and digits"), "{}", output.err);
    assert!(!output.err.contains("no&key"));
    let output = ingest(Some("badbadbad"));
    let sentence = "arb: The Odds API does not take the key in ODDS_API_KEY (INVALID_KEY)";
    assert!(!output.success && output.err.contains(sentence), "{}", output.err);
    assert!(!output.err.contains("badbadbad"));
    let mut up = arb();
    let home = broker.path("home").display().to_string();
    up.env_remove("ODDS_API_KEY").args([
        "up",
        "--live",
        "--home",
        &home,
        broker.kafka.at(),
        broker.kafka.named(),
    ]);
    let output = run(&mut up);
    assert!(!output.success && output.err.contains("set ODDS_API_KEY"), "{}", output.err);
}

#[test]
fn heartbeats_tell_the_time_between_rare_polls_and_a_worker_without_leases_knows_no_credits() {
    let broker = Broker::bare();
    let output =
        run(arb().args(["topics", "create", "--partitions", "1", broker.kafka.at(), broker.kafka.named()]));
    assert!(output.success, "{}", output.err);
    let keys = ["one3", "two3"];
    let api = OddsApi::start(broker.scratch.path(), &keys, &[("far", Some(100 * HOUR))]);
    let start = |key: &str| worker(&broker, &api, key, &["--sports", "far"]);
    let one = start(keys[0]);
    let admin = Admin::of(&broker.path("one3.log"));
    let credits = |page: &Page| page.sum("arb_ingest_credits_remaining", &[]);
    let page = admin.page_when("time goes on without a poll", |page| {
        let polled = page.sum("arb_ingest_event_time_lag_seconds", &[]);
        polled > page.sum("arb_ingest_published_time_lag_seconds", &[]) + 2.0
    });
    assert!(credits(&page) > 0.0);
    assert_eq!(api.polls("far"), 1);
    let _two = start(keys[1]);
    one.signal(Signal::STOP);
    // A worker without a lease makes no calls.
    wait_for("the other takes over", || {
        api.state().calls.iter().any(|call| call.key == keys[1]).then_some(())
    });
    one.signal(Signal::CONT);
    // One after the other, with a moment between.
    admin.page_when("it knows that it was expelled, and of no credits and no sports", |page| {
        credits(page).is_nan() && page.sum("arb_ingest_sports", &[]) < 0.5
    });
}
