//! Who may say how an event ended, over HTTP alone: a source of its own events, an operator of all; nothing before the start, nothing that
//! contradicts itself or the names, and after any storm of corrections the last word.

use arb_accounts::scope::Scope;
use arb_model::{Event, Time};
use arb_schemas::records::PickCandidate;
use arb_schemas::time::{Micros, SECOND};
use arb_schemas::topics::PICK_TASKS;
use arb_schemas::wire::encode;
use serde_json::{Value, json};

use crate::kafka::write_to;
use crate::scores::{AHEAD, candidate, settlement};
use crate::support::http::{Answer, once_it_knows, send};
use crate::support::odds_api::now;
use crate::support::program::Role;
use crate::support::serve::{Key, Serve};
use crate::support::stack::Broker;
use crate::support::wait::{wait_for, wait_for_steps};

const SOURCE: [Scope; 3] = [Scope::TicksWrite, Scope::EventsWrite, Scope::ResultsWrite];
const OPERATOR: [Scope; 2] = [Scope::ResultsWrite, Scope::ResultsAny];
const HOUR: Micros = 3_600 * SECOND;

struct Ground {
    roles: Vec<Role>,
    serve: Serve,
    source: Key,
    operator: Key,
    broker: Broker,
}

impl Ground {
    fn start() -> Self {
        let broker = Broker::start();
        let source = Key::granted(&broker, "enterprise", &SOURCE, Some("acme"));
        let operator = Key::granted(&broker, "enterprise", &OPERATOR, None);
        let serve = Serve::start(&broker, &operator, "serve", &[]);
        let process =
            Role::start("process", &[broker.kafka.at(), broker.kafka.named()], &broker.path("process.log"));
        let roles = vec![settlement(&broker), process];
        Self { roles, serve, source, operator, broker }
    }

    fn post(&self, key: &Key, path: &str, content_type: &str, body: &str) -> Answer {
        let url = format!("http://{}/api/v1/{path}", self.serve.listen);
        let fields = [("x-api-key", &*key.text), ("content-type", content_type)];
        once_it_knows(|| send("POST", &url, &fields, body.as_bytes().to_vec())).unwrap()
    }

    fn report(&self, key: &Key, body: &Value) -> Answer {
        self.post(key, "results", "application/json", &body.to_string())
    }

    /// Asserts the status that each key gets for a result, and words of the answer.
    fn refused(&self, key: &Key, body: &Value, status: u16, says: &str) {
        let answer = self.report(key, body);
        assert!(
            answer.status == status && answer.body.contains(says),
            "{body}: {} {}",
            answer.status,
            answer.body
        );
    }

    /// Waits until a pick on an event is published that begins soon, again with another event where the machine was too slow; the event.
    fn published(&mut self, name: &str, change: impl Fn(&mut PickCandidate)) -> (String, Micros) {
        let mut attempt = 0;
        wait_for_steps("a pick is published before its event begins", || {
            let (id, start) = (format!("{name}{attempt}"), now() + (AHEAD << attempt));
            let mut candidate = candidate(&id, start);
            change(&mut candidate);
            write_to(&self.broker.kafka, PICK_TASKS.name, &[(&id, &encode(&candidate).unwrap())]);
            attempt += 1;
            let is_shown = || self.pick(&id).is_some();
            wait_for("the pick is shown, or it is too late", || (is_shown() || now() >= start).then_some(()));
            if is_shown() { Ok((id, start)) } else { Err(attempt) }
        })
    }

    /// The pick on an event.
    fn pick(&self, event: &str) -> Option<Value> {
        let page = self.serve.get(&format!("/v1/picks?event={event}")).json();
        page["picks"].get(0).cloned()
    }

    fn wait_for_pick(&mut self, what: &str, event: &str, is_it: impl Fn(&Value) -> bool) -> Value {
        wait_for(what, || {
            self.roles.iter_mut().for_each(Role::assert_runs);
            self.pick(event).filter(|pick| is_it(pick))
        })
    }
}

/// A result with these points of the whole event, which was over after its regular time.
fn result(event: &str, status: &str, points: Option<[i32; 2]>) -> Value {
    let score = |[home, away]: [i32; 2]| json!({"period": "full_time", "home": home, "away": away});
    let scores: Vec<_> = points.map(score).into_iter().collect();
    json!({"event": event, "status": status, "home": "Nørdby", "away": "Sør", "ended": "regulation", "scores": scores})
}

/// A price of an event of the source's own that begins years from now.
fn line(id: &str) -> String {
    let event = json!({
        "id": id, "sport": "soccer", "league": "soccer_pushed", "home": "Nørdby", "away": "Sør",
        "commence_time": "2036-01-01T12:00:00Z"
    });
    json!({"event": event, "book": "acme", "market": "draw_no_bet", "outcome": "home", "price": 2.0, "sequence": 1})
        .to_string()
}

#[test]
fn a_source_reports_results_of_its_own_events_alone() {
    let mut ground = Ground::start();
    let (public, _) = ground.published("public", |candidate| {
        candidate.event.commence_time = Time(now() + 100 * HOUR);
    });
    assert_eq!(ground.post(&ground.source, "ticks", "application/x-ndjson", &line("acme:1")).status, 200);
    wait_for("the source's event is listed", || {
        let events = ground.serve.get("/v1/events?sport=soccer").json();
        events["events"].as_array().unwrap().iter().any(|event| event["id"] == "acme:1").then_some(())
    });
    let cancelled = |event: &str| result(event, "cancelled", None);
    ground.refused(&ground.source, &cancelled(&public), 403, "results:any");
    ground.refused(&ground.source, &cancelled("nobody's"), 404, "no prices");
    ground.refused(&ground.source, &result("acme:1", "finished", Some([1, 0])), 409, "begins at 2036");
    assert_eq!(ground.report(&ground.source, &cancelled("acme:1")).status, 202, "at any time");
    assert_eq!(ground.report(&ground.operator, &cancelled("acme:1")).status, 202);

    let finished = |points| result(&public, "finished", Some(points));
    ground.refused(&ground.operator, &finished([2, 0]), 409, "begins at");
    ground.refused(&ground.operator, &result(&public, "abandoned", None), 409, "begins at");
    let with = |name: &str, value: Value| {
        let mut body = finished([2, 0]);
        body[name] = value;
        body
    };
    ground.refused(&ground.operator, &with("away", "Elsewhere".into()), 409, "The sides of the event are");
    let half = json!([{"period": "full_time", "home": 2, "away": 0}, {"period": "h1", "home": 3, "away": 0}]);
    ground.refused(&ground.operator, &with("scores", half), 409, "more than those of full_time");
    for (name, value) in
        [("home", Value::from("")), ("ended", "somehow".into()), ("starts_at", "2036-01-01T00:00:00Z".into())]
    {
        ground.refused(&ground.operator, &with(name, value), 400, "");
    }
    assert!(ground.pick(&public).unwrap()["grades"].as_array().unwrap().is_empty());
    assert_eq!(ground.report(&ground.operator, &cancelled(&public)).status, 202);
    let pick = ground.wait_for_pick("it is void", &public, |pick| pick["result"]["settlement"] == "void");
    assert!(pick["result"]["source"].as_str().unwrap().starts_with("account acc_"));
}

#[test]
fn after_a_storm_of_results_the_last_word_counts() {
    let mut ground = Ground::start();
    let (event, start) = ground.published("storm", |_| {});
    wait_for("the event has begun", || (now() > start).then_some(()));
    for number in 0..104 {
        let report = result(&event, "finished", Some([number % 2, 0]));
        assert_eq!(ground.report(&ground.operator, &report).status, 202);
    }
    let mut truth = result(&event, "finished", Some([4, 7]));
    // Points belong to names: the home side of the pick has 7.
    (truth["home"], truth["away"]) = ("Sør".into(), "Nørdby".into());
    assert_eq!(ground.report(&ground.operator, &truth).status, 202);
    let pick = ground.wait_for_pick("the last word is graded by", &event, |pick| pick["result"]["home"] == 7);
    assert_eq!((&pick["result"]["settlement"], &pick["result"]["away"]), (&json!("won"), &json!(4)));
    let grades = pick["grades"].as_array().unwrap().len();
    assert!(grades < 40, "{grades} gradings of 105 reports");
}

#[test]
fn a_result_of_an_event_that_cannot_be_over_is_held() {
    let mut ground = Ground::start();
    let (event, start) = ground.published("held", |candidate| candidate.event.league = "soccer_epl".into());
    wait_for("the event has begun", || (now() > start).then_some(()));
    let answer = ground.report(&ground.operator, &result(&event, "finished", Some([2, 0])));
    assert_eq!(answer.status, 202, "{}", answer.body);
    let graded_from = answer.json()["graded_from"].as_str().map(str::to_owned);
    assert_eq!(graded_from, Some(arb_schemas::time::to_rfc3339(start + 95 * 60 * SECOND)));
    // What comes later in the same partition is graded by: the held result was read before.
    assert_eq!(ground.report(&ground.operator, &result(&event, "cancelled", None)).status, 202);
    let pick =
        ground.wait_for_pick("it is void", &event, |pick| !pick["grades"].as_array().unwrap().is_empty());
    assert_eq!(pick["grades"].as_array().unwrap().len(), 1, "{pick}");
    assert_eq!(pick["result"]["settlement"], "void");
}

/// Ice hockey that ended 2-3 in overtime, three-way: nobody wins by the final score.
#[test]
fn a_three_way_bet_waits_for_the_score_after_regulation() {
    let mut ground = Ground::start();
    let (event, start) = ground.published("overtime", |candidate| {
        let Event { sport, league, .. } = &mut candidate.event;
        (*sport, *league) = ("icehockey".into(), "icehockey_simulated_nhl".into());
        candidate.outcome = "draw".into();
    });
    wait_for("the event has begun", || (now() > start).then_some(()));
    let mut report = result(&event, "finished", Some([2, 3]));
    report["ended"] = "overtime".into();
    assert_eq!(ground.report(&ground.operator, &report).status, 202);
    report["scores"].as_array_mut().unwrap().push(json!({"period": "regulation", "home": 2, "away": 2}));
    assert_eq!(ground.report(&ground.operator, &report).status, 202);
    let pick =
        ground.wait_for_pick("it is graded", &event, |pick| !pick["grades"].as_array().unwrap().is_empty());
    let grades = pick["grades"].as_array().unwrap();
    assert_eq!((grades.len(), &grades[0]["settlement"], &grades[0]["away"]), (1, &json!("won"), &json!(2)));
}
