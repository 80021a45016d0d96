//! Each route that a program may call, called once on a running `arb up`, in an order in which each has what it needs.

use arb_model::fixtures::pick;
use arb_schemas::records::LiveScore;
use arb_schemas::topics::LIVE_SCORES;
use arb_schemas::wire::encode;
use serde_json::{Value, json};

use super::NOT_CALLED;
use crate::kafka::write_to;
use crate::support::environment::Environment;
use crate::support::http::{Answer, once_it_knows, send};
use crate::support::local_up::Running;
use crate::support::odds_api::now;
use crate::support::program::{arb, run};
use crate::support::receiver::Receiver;
use crate::support::wait_for;

/// What was asked, and what was answered.
pub(super) struct Called {
    /// The operation.
    pub(super) id: String,
    /// With the ids of this run.
    pub(super) request: String,
    /// JSON, or lines of it as text.
    pub(super) body: Option<Value>,
    pub(super) status: u16,
    pub(super) media: String,
    pub(super) answer: Value,
    /// With which key.
    pub(super) key: String,
}

/// Calls, and keeps what was answered.
struct Caller<'a> {
    running: &'a Running,
    kafka: &'a Environment,
    key: String,
    called: Vec<Called>,
}

impl Caller<'_> {
    fn get(&mut self, id: &str, request: &str) -> Value {
        self.call(id, "GET", request, None)
    }

    fn post(&mut self, id: &str, request: &str, body: Value) -> Value {
        self.call(id, "POST", request, Some(body))
    }

    fn call(&mut self, id: &str, method: &'static str, request: &str, body: Option<Value>) -> Value {
        let answer = send_to(self.running, &self.key, method, request, body.as_ref());
        let media = answer.header("content-type").split(';').next().unwrap().to_owned();
        let shown = if media.contains("json") { answer.json() } else { Value::String(answer.body.clone()) };
        let (id, request, status) = (id.to_owned(), request.to_owned(), answer.status);
        assert!(status < 300, "{method} {request}: {}", answer.body);
        let key = self.key.clone();
        self.called.push(Called { id, request, body, status, media, answer: shown.clone(), key });
        shown
    }
}

fn send_to(running: &Running, key: &str, method: &str, request: &str, body: Option<&Value>) -> Answer {
    let bearer = format!("Bearer {key}");
    let is_api_key = request.starts_with("/api/");
    let key = if is_api_key { ("x-api-key", key) } else { ("authorization", &*bearer) };
    let (media, body) = match body {
        Some(Value::String(lines)) => ("application/x-ndjson", lines.clone().into_bytes()),
        Some(body) => ("application/json", body.to_string().into_bytes()),
        None => ("application/json", Vec::new()),
    };
    let headers = [key, ("content-type", media)];
    let url = format!("{}{request}", running.url);
    once_it_knows(|| send(method, &url, &headers, body.clone())).unwrap()
}

/// All of them; the market has an arb and a signal, the pick of the fixtures is published, and a receiver answers webhooks.
pub(super) fn all(
    (running, document): (&Running, &Value),
    kafka: &Environment,
    receiver: &Receiver,
) -> Vec<Called> {
    let mut caller = Caller { running, kafka, key: running.key.clone(), called: Vec::new() };
    market(&mut caller);
    account(&mut caller);
    webhooks(&mut caller, receiver);
    others(&mut caller);
    plain(&mut caller, document);
    caller.called
}

fn market(to: &mut Caller<'_>) {
    let board = to.get("listArbs", "/v1/arbs?limit=1");
    let arb = &board["arbs"][0];
    let (id, event) = (arb["id"].as_str().unwrap(), arb["event"]["id"].as_str().unwrap());
    let shown = format!("/v1/arbs/{id}");
    wait_for("the window that is shown is stored", || {
        (!send_to(to.running, &to.key, "GET", &shown, None).json()["window"].is_null()).then_some(())
    });
    to.get("showArb", &shown);
    let leg = &arb["legs"][0];
    let leg = json!({"book": leg["book"], "outcome": leg["outcome"], "price": leg["price"], "stake": 50});
    to.post("hedgeArb", &format!("/v1/arbs/{id}/hedge"), json!({"placed": [leg]}));
    to.get("listChanges", "/v1/arbs/changes?limit=1");
    let past = to.get("listWindows", "/v1/arbs/history?limit=1");
    let window = past["windows"][0]["id"].as_str().unwrap();
    to.get("listArbPrices", &format!("/v1/arbs/{window}/prices"));
    to.get("listSignals", "/v1/signals?limit=1");
    to.get("listPicks", "/v1/picks?limit=1");
    to.get("showPick", &format!("/v1/picks/{}", pick().id));
    to.get("showBot", "/v1/bots/consensus");
    to.get("listEvents", "/v1/events?limit=1");
    to.get("listOdds", &format!("/v1/events/{event}/odds?market=h2h"));
    let range = "since=2026-01-01T00:00:00Z&until=2026-01-01T04:00:00Z";
    to.get("listOddsHistory", &format!("/v1/events/{event}/odds/history?market=h2h&{range}"));
    to.get("listBestOdds", "/v1/odds/best?market=h2h&limit=1");
    show_score(to.kafka, &arb["event"], &arb["sport"], &arb["league"]);
    wait_for("the score is shown", || {
        let shown = send_to(to.running, &to.key, "GET", "/v1/scores", None).json();
        (shown["scores"].as_array().is_some_and(|scores| !scores.is_empty())).then_some(())
    });
    to.get("listScores", "/v1/scores");
    let scan = to.post("startScan", "/v1/scan", json!({"sport": "soccer", "wait_seconds": 1}));
    to.get("showScan", &format!("/v1/scans/{}", scan["id"].as_str().unwrap()));
    to.get("scanByQuery", "/v1/scan?sport=soccer&wait_seconds=1");
    let tick = json!({
        "event": event, "book": "demo", "market": "h2h", "outcome": "home", "price": 2.05, "sequence": 1,
    });
    to.post("pushOdds", "/v1/ticks", Value::String(tick.to_string()));
    let result = json!({"event": "not-played", "status": "cancelled"});
    let key = std::mem::replace(&mut to.key, operator_key(to.running, to.kafka));
    to.post("reportResult", "/v1/results", result);
    to.key = key;
}

/// A score of an event, as a source of now reports it.
fn show_score(kafka: &Environment, event: &Value, sport: &Value, league: &Value) {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let score = LiveScore {
        event: text(&event["id"]),
        sport: text(sport),
        league: text(league),
        home: text(&event["home"]),
        away: text(&event["away"]),
        home_points: 1,
        away_points: 0,
        period: Some("h2".to_owned()),
        source: "simulated".to_owned(),
        reported_at: now(),
    };
    write_to(kafka, LIVE_SCORES.name, &[(&score.event, &encode(&score).unwrap())]);
}

/// A key of the demonstration account, once its operator has granted it the results of every event.
fn operator_key(running: &Running, kafka: &Environment) -> String {
    let scopes = ["--scope", "ticks:write", "--scope", "results:write", "--scope", "results:any"];
    let grant = ["account", "grant", "demonstration@localhost", "--book", "demo", "--source", "demo"];
    let granted = run(arb().args(grant).args(scopes).args([kafka.at(), kafka.named()]));
    assert!(granted.success, "{}", granted.err);
    let password = running.page.rsplit('/').next().unwrap();
    let post = |path: &str, fields: &[(&str, &str)], body: Value| {
        let fields = [&[("content-type", "application/json")], fields].concat();
        let url = format!("{}{path}", running.url);
        once_it_knows(|| send("POST", &url, &fields, body.to_string().into_bytes())).unwrap()
    };
    let signed_in = post("/session", &[], json!({"email": "demonstration@localhost", "password": password}));
    let cookie = signed_in.header("set-cookie").split(';').next().unwrap().to_owned();
    let csrf = signed_in.json()["csrf_token"].as_str().unwrap().to_owned();
    let fields = [("cookie", &*cookie), ("x-csrf-token", &*csrf)];
    let wanted = json!({"name": "operator", "scopes": ["results:write", "results:any"]});
    // The command has its answer before the instance has read the grant.
    wait_for("the grant is known", || {
        let created = post("/session/keys", &fields, wanted.clone());
        (created.status == 201).then(|| created.json()["key"].as_str().unwrap().to_owned())
    })
}

fn account(to: &mut Caller<'_>) {
    let key = to.post("createKey", "/v1/keys", json!({"name": "reader", "scopes": ["board:read"]}));
    let kid = key["kid"].as_str().unwrap().to_owned();
    to.get("listKeys", "/v1/keys");
    to.post("rotateKey", &format!("/v1/keys/{kid}/rotate"), json!({"grace_seconds": 3600}));
    to.call("revokeKey", "DELETE", &format!("/v1/keys/{kid}"), None);
}

fn webhooks(to: &mut Caller<'_>, receiver: &Receiver) {
    let wanted = json!({
        "url": receiver.url,
        "events": ["arb_window", "close_signal"],
        "filters": {"sport": "soccer", "min_margin": 0.01},
    });
    let endpoint = to.post("createWebhook", "/v1/webhooks", wanted);
    let path = format!("/v1/webhooks/{}", endpoint["id"].as_str().unwrap());
    wait_for("the endpoint is verified", || {
        (send_to(to.running, &to.key, "GET", &path, None).json()["state"] == "active").then_some(())
    });
    to.get("listWebhooks", "/v1/webhooks");
    to.get("showWebhook", &path);
    to.call("changeWebhook", "PATCH", &path, Some(json!({"filters": {"sport": "tennis"}})));
    to.post("rotateSecret", &format!("{path}/rotate"), json!({"overlap_seconds": 600}));
    let sent = to.call("testWebhook", "POST", &format!("{path}/test"), None);
    to.get("listDeliveries", &format!("{path}/deliveries?limit=1"));
    to.get("showStatistics", &format!("{path}/statistics"));
    let delivery = sent["webhook_id"].as_str().unwrap();
    to.call("redeliver", "POST", &format!("{path}/deliveries/{delivery}/redeliver"), None);
    to.post("recoverDeliveries", &format!("{path}/recover"), json!({"since": "2026-11-23T07:00:00Z"}));
    let other = send_to(
        to.running,
        &to.key,
        "POST",
        "/v1/webhooks",
        Some(&json!({"url": "http://127.0.0.1:3000/other"})),
    );
    let path = format!("/v1/webhooks/{}", other.json()["id"].as_str().unwrap());
    to.call("deleteWebhook", "DELETE", &path, None);
}

fn others(to: &mut Caller<'_>) {
    for (id, path) in [
        ("showProblem", "/problems/not-found"),
        ("showDocsPage", "/docs/arbs"),
        ("schemaById", "/registry/schemas/ids/1007"),
        ("schemaTextById", "/registry/schemas/ids/1007/schema"),
        ("versionsOfId", "/registry/schemas/ids/1007/versions"),
        ("listVersions", "/registry/subjects/arb.v1.Frame/versions"),
        ("showVersion", "/registry/subjects/arb.v1.Frame/versions/1"),
    ] {
        to.get(id, path);
    }
}

/// What is read without anything in its path or its query, and was not called yet.
fn plain(to: &mut Caller<'_>, document: &Value) {
    for (path, methods) in document["paths"].as_object().unwrap() {
        let id = methods["get"]["operationId"].as_str().unwrap_or_default();
        let is_other = id.is_empty() || id.ends_with("ByApiKey") || path.starts_with("/session");
        let is_done = NOT_CALLED.contains(&id) || to.called.iter().any(|call| call.id == id);
        if !is_other && !is_done && !path.contains('{') {
            to.get(id, path);
        }
    }
}
