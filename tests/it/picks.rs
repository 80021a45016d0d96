//! Picks from end to end: bots over a simulated market, published before the start, graded from its results, whatever dies meanwhile;
//! records in the API, and events of the feed.

use std::collections::{BTreeMap, BTreeSet};

use arb_model::{Pick, PickChange};
use arb_schemas::records::ResultReport;
use arb_schemas::topics::{FEED_EVENTS, PICK_TASKS, PICKS};
use arb_schemas::wire::{RecordType, decode};
use serde_json::{Value, json};

use crate::kafka::{read_all, wait_until_settled};
use crate::support::http::{once_it_knows, send};
use crate::support::program::Role;
use crate::support::serve::{Key, Serve};
use crate::support::stack::Broker;
use crate::support::{wait_for, wait_for_steps};

/// A market of short matches, a minute of it each second.
const MARKET: [&str; 8] = ["--speed", "60", "--every", "20", "--events", "4", "--short-events", "40"];

/// The filter of a stream of picks.
const PICK_EVENTS: &str = "event=pick,pick_graded";

/// Everything that picks need.
struct Ground {
    serve: Serve,
    roles: BTreeMap<&'static str, Role>,
    /// Its quota is leased for as long as it lives.
    _key: Key,
    broker: Broker,
}

impl Ground {
    fn start() -> Self {
        let broker = Broker::start();
        let key = Key::new(&broker, "enterprise");
        let serve = Serve::start(&broker, &key, "serve", &[]);
        let mut ground = Self { serve, roles: BTreeMap::new(), _key: key, broker };
        for role in ["process", "settle", "bots", "ingest"] {
            ground.start_role(role);
        }
        ground
    }

    fn start_role(&mut self, role: &'static str) {
        let more = match role {
            "bots" => &["--feed", "simulated", "--sharp-books", "alderbet"][..],
            "ingest" => &MARKET,
            _ => &[],
        };
        let arguments = [&[self.broker.kafka.at(), self.broker.kafka.named()], more].concat();
        let log = self.broker.path(&format!("{role}.log"));
        self.roles.insert(role, Role::start(role, &arguments, &log));
    }

    fn kill(&mut self, role: &'static str) {
        self.roles.get_mut(role).unwrap().kill();
        self.start_role(role);
    }

    /// Waits until so many picks are graded; the first page of them.
    fn graded(&mut self, count: usize) -> Vec<Value> {
        wait_for_steps(&format!("{count} picks are graded"), || {
            self.roles.values_mut().for_each(Role::assert_runs);
            let picks = self.serve.get("/v1/picks?state=graded&limit=500").json();
            let picks = picks["picks"].as_array().unwrap().clone();
            if picks.len() >= count { Ok(picks) } else { Err(picks.len()) }
        })
    }

    /// Every pick that is shown, page by page; none of them changes meanwhile.
    fn shown(&self) -> Vec<Value> {
        let (mut shown, mut cursor) = (Vec::new(), String::new());
        loop {
            let page = self.serve.get(&format!("/v1/picks?limit=500{cursor}")).json();
            shown.extend(page["picks"].as_array().unwrap().iter().cloned());
            let Some(next) = page["next_cursor"].as_str() else { return shown };
            cursor = format!("&cursor={next}");
        }
    }
}

/// Profit of a bet on a winner per unit, by arithmetic of the test's own.
fn profit(pick: &Pick, home: i32, away: i32) -> f64 {
    let winner = match home.cmp(&away) {
        std::cmp::Ordering::Greater => "home",
        std::cmp::Ordering::Less => "away",
        std::cmp::Ordering::Equal => "draw",
    };
    match (pick.outcome.as_str() == winner, winner == "draw" && pick.draw_refunds) {
        (true, _) => pick.price.decimal() - 1.0,
        (false, true) => 0.0,
        (false, false) => -1.0,
    }
}

/// Every pick as it is now, and every version of it that is in the topic.
fn published(broker: &Broker) -> (BTreeMap<String, Pick>, Vec<Pick>) {
    let all: Vec<Pick> =
        read_all(&broker.kafka, PICKS.name).iter().map(|record| decode(&record.value).unwrap()).collect();
    (all.iter().map(|pick| (pick.id.clone(), pick.clone())).collect(), all)
}

fn scores(broker: &Broker) -> BTreeMap<String, (i32, i32)> {
    let tasks = read_all(&broker.kafka, PICK_TASKS.name);
    let reports =
        tasks.iter().filter(|task| RecordType::of(&task.value).unwrap() == RecordType::ResultReport);
    let score =
        |report: ResultReport| Some((report.event, report.scores.first().map(|it| (it.home, it.away))?));
    reports.filter_map(|task| score(decode(&task.value).unwrap())).collect()
}

#[test]
fn picks_are_published_before_the_start_and_graded_once_whatever_dies() {
    let mut ground = Ground::start();
    let mut stream = ground.serve.stream(PICK_EVENTS, None);
    ground.graded(2);
    ground.kill("settle");
    ground.kill("bots");
    ground.graded(6);
    ground.kill("settle");
    ground.graded(10);
    // What is under way is graded; then nothing moves any more.
    for role in ["ingest", "bots", "settle"] {
        ground.roles.get_mut(role).unwrap().stop();
    }
    for topic in [PICKS, PICK_TASKS, FEED_EVENTS] {
        wait_until_settled(&ground.broker.kafka, &topic);
    }
    let (picks, versions) = published(&ground.broker);
    let slots: BTreeSet<_> = picks.keys().map(|id| id.rsplit_once('_').unwrap().0).collect();
    assert_eq!(slots.len(), picks.len(), "a bot has one pick of a market");
    let scores = scores(&ground.broker);
    for pick in versions {
        assert!(pick.published_at < pick.event.commence_time, "{}", pick.id);
        assert_eq!((pick.feed.as_str(), pick.reasons.is_empty()), ("simulated", false));
        let Some(grade) = pick.grade().filter(|_| pick.market.as_str() == "h2h") else { continue };
        let (home, away) = scores[&*pick.event.id];
        assert!((grade.profit - profit(&pick, home, away)).abs() < 1e-12, "{}: {home}:{away}", pick.id);
    }
    assert!(picks.values().any(|pick| pick.closing.is_some()), "some are of matches that were near");
    // The feed has each publication and each grading once.
    let told: Vec<PickChange> = read_all(&ground.broker.kafka, FEED_EVENTS.name)
        .iter()
        .filter(|record| RecordType::of(&record.value).unwrap() == RecordType::PickChange)
        .map(|record| decode(&record.value).unwrap())
        .collect();
    let of = |change: &'static str| {
        told.iter().filter(move |told| told.change == change).map(|told| &told.pick.id)
    };
    let gradings = picks.values().map(|pick| pick.grades.len()).sum::<usize>();
    assert!(
        of("published").collect::<BTreeSet<_>>().len() == picks.len()
            && of("published").count() == picks.len()
    );
    assert_eq!(of("graded").count(), gradings);
    for number in 0..told.len() {
        let event = loop {
            match stream.next() {
                Some(event) if event.name.starts_with("pick") => break event,
                Some(_) => {}
                // Nothing was read meanwhile: on a slow machine that is long enough to be cut.
                None => stream = ground.serve.stream(PICK_EVENTS, stream.last_id.as_deref()),
            }
        };
        let shown = event.json();
        assert!(picks.contains_key(shown["id"].as_str().unwrap()), "event {number}: {shown}");
        assert_eq!(&*event.name == "pick", shown["change"] == "published");
    }
    records_are_those_of_the_topic(&ground, &picks);
}

fn records_are_those_of_the_topic(ground: &Ground, picks: &BTreeMap<String, Pick>) {
    let shown = wait_for("all picks are shown", || {
        let page = ground.shown();
        let graded = |pick: &Value| pick["grades"].as_array().map_or(0, Vec::len);
        let expected: usize = picks.values().map(|pick| pick.grades.len()).sum();
        (page.len() == picks.len() && page.iter().map(graded).sum::<usize>() == expected).then_some(page)
    });
    assert!(shown.is_sorted_by(|a, b| a["published_at"].as_str() >= b["published_at"].as_str()));
    for bot in ["consensus", "sharp", "steam", "stale", "model"] {
        let of: Vec<_> = picks.values().filter(|pick| pick.bot == bot).collect();
        let profits: Vec<f64> = of.iter().filter_map(|pick| Some(pick.grade()?.profit)).collect();
        let answer = ground.serve.get(&format!("/v1/bots/{bot}")).json();
        let record = &answer["records"][0];
        if of.is_empty() {
            assert_eq!(*record, Value::Null);
            continue;
        }
        assert_eq!(
            (record["picks"].as_u64(), record["bets"].as_u64()),
            (Some(of.len() as u64), Some(profits.len() as u64))
        );
        if !profits.is_empty() {
            let mean = profits.iter().sum::<f64>() / profits.len() as f64;
            assert!((record["return"].as_f64().unwrap() - mean).abs() < 1e-12, "{bot}: {record}");
        }
    }
}

#[test]
fn results_need_a_grant() {
    let broker = Broker::start();
    let key = Key::new(&broker, "pro");
    let serve = Serve::start(&broker, &key, "serve", &[]);
    let url = format!("http://{}/api/v1/results", serve.listen);
    let fields = [("x-api-key", &*key.text), ("content-type", "application/json")];
    let answer = once_it_knows(|| send("POST", &url, &fields, b"{}".to_vec())).unwrap();
    assert_eq!((answer.status, answer.json()["type"].as_str()), (403, Some("/problems/insufficient-scope")));
    assert_eq!(serve.get("/v1/picks").json()["picks"], json!([]));
}
