//! Schemathesis makes requests from the OpenAPI document by itself, valid and invalid ones, and finds nothing.
//!
//! Streams are left out, because it waits for the end of a body. So is its check that every request that the schemas allow is
//! accepted: which sports, leagues, cursors and ids exist is not in a document.

use std::process::{Command, Stdio};

use arb_accounts::scope::Scope;
use rustix::process::Signal;
use serde_json::json;

use super::{END, LocalHome, Running, wait_for_market};
use crate::support::http::{once_it_knows, request, send};
use crate::support::program::{arb, run};
use crate::support::scratch::Scratch;
use crate::support::{python, wait_for};

/// What is not asked: streams stay open, tickets need a setting, and a key that is rotated or revoked may be the one that asks.
const LEFT_OUT: [&str; 4] = ["openStream", "createTicket", "rotateKey", "revokeKey"];
/// The one body that Schemathesis has no writer for is lines of JSON.
const LINES: &str = "pushOdds";
/// An instance answers 503 while it does not know its accounts, as it does after a second in which the machine stands still: that is
/// documented, and no other 503 may be found. What the schemas do not allow may be refused as Schemathesis expects by itself, and for being
/// too large (413, 414, 431).
const SETTINGS: &str = r#"
hooks = "hooks.py"
[checks]
not_a_server_error.expected-statuses = ["2xx", "3xx", "4xx", 503]
[checks.negative_data_rejection]
expected-statuses = ["400", "401", "403", "404", "405", "406", "409", "413", "414", "415", "422", "428", "429", "431", "5xx"]
"#;
const HOOKS: &str = r#"
import schemathesis

@schemathesis.check
def accounts_alone_are_unavailable(context, response, case):
    if response.status_code == 503 and response.content:
        assert response.json()["type"] == "/problems/accounts-unavailable", response.text
"#;

/// A key of the account that `arb up` prints one of.
fn new_key(running: &Running, body: &serde_json::Value) -> String {
    let fields =
        [("authorization", &*format!("Bearer {}", running.key)), ("content-type", "application/json")];
    let url = format!("{}/v1/keys", running.url);
    let created = once_it_knows(|| send("POST", &url, &fields, body.to_string().into_bytes())).unwrap();
    created.json()["key"].as_str().unwrap_or_else(|| panic!("{}", created.body)).to_owned()
}

/// Asks the routes of a surface with a key, so many examples of each; panics with what was found.
fn finds_nothing(running: &Running, surface: &str, header: &str, effort: &[&str]) {
    let suffix = if surface.starts_with("^/api/") { "ByApiKey" } else { "" };
    let folder = Scratch::new();
    for (name, text) in [("schemathesis.toml", SETTINGS), ("hooks.py", HOOKS)] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let mut command = Command::new(python::schemathesis());
    command.args([
        "--config-file",
        "schemathesis.toml",
        "run",
        &format!("{}/openapi.json", running.url),
        "--header",
        header,
    ]);
    command.args(["--include-path-regex", surface, "--seed", "1", "--no-color", "--continue-on-failure"]);
    command.args(["--exclude-checks", "positive_data_acceptance", "--generation-database", "none"]);
    for id in LEFT_OUT.iter().chain([&LINES]) {
        command.args(["--exclude-operation-id", &format!("{id}{suffix}")]);
    }
    let output = command.args(effort).current_dir(folder.path()).stdin(Stdio::null()).output().unwrap();
    let found = String::from_utf8_lossy(&output.stdout);
    let summary = found.lines().rev().find(|line| line.contains("generated")).unwrap_or_default();
    println!("{surface}: {}", summary.trim());
    assert!(output.status.success(), "{found}\n{}", String::from_utf8_lossy(&output.stderr));
}

/// Everything that a program may ask, with the key of the first surface and of the second.
const SURFACES: [(&str, &str); 2] = [
    ("^/(v1/|openapi|asyncapi|registry|problems|llms|docs|status|livez|readyz)", "Authorization: Bearer "),
    ("^/api/v1/", "x-api-key: "),
];

/// A running market with everything in it; asks, and ends it.
fn on_a_market(ask: impl FnOnce(&Running, &LocalHome)) {
    let local = LocalHome::new();
    let mut running = local.replay(51, 60, END);
    wait_for_market(&running, &local);
    ask(&running, &local);
    running.signal(Signal::INT);
    assert!(running.child.wait().unwrap().success());
}

/// With each kind of key.
fn asks_everything(running: &Running, effort: &[&str]) {
    let test_key = new_key(running, &json!({"name": "test", "mode": "test"}));
    let reader = new_key(running, &json!({"name": "reader", "scopes": ["board:read"]}));
    let [(first, bearer), (second, api_key)] = SURFACES;
    finds_nothing(running, first, &format!("{bearer}{}", running.key), effort);
    finds_nothing(running, second, &format!("{api_key}{}", running.key), effort);
    finds_nothing(running, "^/v1/", &format!("{bearer}{test_key}"), effort);
    finds_nothing(running, second, &format!("{api_key}{reader}"), effort);
}

/// The account of the key has this plan from now on, and the API knows it.
fn set_plan(running: &Running, local: &LocalHome, plan: &str) {
    let get = |path: &str| {
        let url = format!("{}{path}", running.url);
        once_it_knows(|| request("GET", &url, &[("x-api-key", &*running.key)])).unwrap().json()
    };
    let account = get("/api/v1/account")["id"].as_str().unwrap().to_owned();
    let kafka = local.kafka();
    let output = run(arb().args(["account", "set-plan", &account, plan, kafka.at(), kafka.named()]));
    assert!(output.success, "{}", output.err);
    wait_for("the plan holds", || (get("/api/v1/usage")["plan"] == plan).then_some(()));
}

/// A key of each plan on both surfaces, and a key of each scope alone on one of them.
fn asks_with_every_plan_and_scope(running: &Running, local: &LocalHome) {
    const EFFORT: [&str; 4] = ["--phases", "examples,fuzzing", "--max-examples", "3"];
    // It is about fields of pushed odds, which are not asked.
    let scopes = Scope::ALL.iter().filter(|scope| **scope != Scope::EventsWrite);
    for (at, scope) in scopes.enumerate() {
        let (surface, header) = SURFACES[at % 2];
        let key = new_key(running, &json!({"name": scope.key(), "scopes": [scope.key()]}));
        finds_nothing(running, surface, &format!("{header}{key}"), &EFFORT);
    }
    for plan in ["free", "pro", "enterprise"] {
        set_plan(running, local, plan);
        for (surface, header) in SURFACES {
            finds_nothing(running, surface, &format!("{header}{}", running.key), &EFFORT);
        }
    }
}

#[test]
fn schemathesis_finds_nothing_with_any_key() {
    on_a_market(|running, _| {
        asks_everything(running, &["--phases", "examples,fuzzing", "--max-examples", "3"]);
    });
}

/// `cargo test -p arb-tests --test it -- --ignored --nocapture schemathesis`
#[test]
#[ignore = "a quarter of an hour"]
fn schemathesis_finds_nothing_at_every_edge() {
    on_a_market(|running, _| {
        asks_everything(running, &["--phases", "examples,coverage,fuzzing", "--max-examples", "20"]);
    });
}

/// By the same command.
#[test]
#[ignore = "ten minutes"]
fn schemathesis_finds_nothing_with_any_plan_and_scope() {
    on_a_market(asks_with_every_plan_and_scope);
}
