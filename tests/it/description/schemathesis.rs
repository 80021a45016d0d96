//! Schemathesis makes requests from the OpenAPI document by itself, valid and invalid ones, and finds nothing.
//!
//! Streams are left out, because it waits for the end of a body. So is its check that every request that the schemas allow is
//! accepted: which sports, leagues, cursors and ids exist is not in a document.

use std::process::{Command, Stdio};

use rustix::process::Signal;
use serde_json::json;

use super::{END, LocalHome, Running, wait_for_market};
use crate::support::http::{once_it_knows, send};
use crate::support::python;

/// What is not asked: streams stay open, tickets need a setting, and a key that is rotated or revoked may be the one that asks.
const LEFT_OUT: [&str; 4] = ["openStream", "createTicket", "rotateKey", "revokeKey"];
/// The one body that Schemathesis has no writer for is lines of JSON.
const LINES: &str = "pushOdds";

/// An instance answers 503 while it does not know its accounts, as it does after a second in which the machine stands still: that is
/// documented, and no other 503 may be found.
const SETTINGS: &str = r#"
hooks = "hooks.py"
[checks]
not_a_server_error.expected-statuses = ["2xx", "3xx", "4xx", 503]
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
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [("schemathesis.toml", SETTINGS), ("hooks.py", HOOKS)] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let mut command = Command::new(python::schemathesis());
    command.args(["run", &format!("{}/openapi.json", running.url), "--header", header]);
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

/// With each kind of key.
fn asks_everything(effort: &[&str]) {
    let local = LocalHome::new();
    let mut running = local.replay(51, 60, END);
    wait_for_market(&running, &local);
    let test_key = new_key(&running, &json!({"name": "test", "mode": "test"}));
    let reader = new_key(&running, &json!({"name": "reader", "scopes": ["board:read"]}));
    let key = &running.key;
    let public = "^/(v1/|openapi|asyncapi|registry|problems|llms|docs|status|livez|readyz)";
    finds_nothing(&running, public, &format!("Authorization: Bearer {key}"), effort);
    finds_nothing(&running, "^/api/v1/", &format!("x-api-key: {key}"), effort);
    finds_nothing(&running, "^/v1/", &format!("Authorization: Bearer {test_key}"), effort);
    finds_nothing(&running, "^/api/v1/", &format!("x-api-key: {reader}"), effort);
    running.signal(Signal::INT);
    assert!(running.child.wait().unwrap().success());
}

#[test]
fn schemathesis_finds_nothing_with_any_key() {
    asks_everything(&["--phases", "examples,fuzzing", "--max-examples", "3"]);
}

/// `cargo test -p arb-tests --test it -- --ignored --nocapture schemathesis`
#[test]
#[ignore = "a quarter of an hour"]
fn schemathesis_finds_nothing_at_every_edge() {
    asks_everything(&["--phases", "examples,coverage,fuzzing", "--max-examples", "20"]);
}
