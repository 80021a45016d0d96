//! The OpenAPI document: valid by the validator of others, and true of what a running API answers.

use std::fmt::Write as _;

use arb_model::fixtures::pick;
use arb_schemas::topics::PICKS;
use arb_schemas::wire::encode;
use serde_json::{Value, json};

use crate::kafka::write_to;
use crate::support::program::Role;
use crate::support::stack::Stack;
use crate::support::{http, python, wait_for};

/// Validates the document, then each answer by the schema of its path and status. Reads the document and a line an answer; prints how
/// many were compared.
const VALIDATE: &str = r"
import json, sys
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate
document, *lines = sys.stdin.read().split('\n')
document = json.loads(document)
validate(document)
compared = 0
for line in filter(None, lines):
    answer = json.loads(line)
    operation = document['paths'][answer['path']][answer['method']]
    response = operation['responses'].get(str(answer['status']), operation['responses']['default'])
    if '$ref' in response:
        response = document['components']['responses'][response['$ref'].rsplit('/', 1)[1]]
    media = answer['media'].split(';')[0]
    if media not in response['content']: sys.exit(f'{line}: {media} is not described')
    schema = {**response['content'][media]['schema'], 'components': document['components']}
    errors = [f'{error.json_path}: {error.message}' for error in Draft202012Validator(schema).iter_errors(answer['body'])]
    if errors: sys.exit(answer['path'] + ': ' + '; '.join(errors[:5]))
    compared += 1
print(compared)
";

/// A market of some minutes, all that reads it, and a pick that was graded.
fn stack() -> (Stack, Role) {
    let stack = Stack::start("board");
    let brokers = stack.broker.brokers.clone();
    let pick = pick();
    write_to(&brokers, PICKS.name, &[(&pick.id, &encode(&pick).unwrap())]);
    let ingest =
        Role::start("ingest", &["--brokers", &brokers, "--every", "2"], &stack.broker.path("ingest.log"));
    wait_for("an arb, a signal and a pick", || {
        let has = |path: &str, list: &str| {
            stack.get(path).json()[list].as_array().is_some_and(|entries| !entries.is_empty())
        };
        (has("/v1/arbs", "arbs") && has("/v1/signals", "signals") && has("/v1/picks", "picks")).then_some(())
    });
    (stack, ingest)
}

/// What is asked: the path of the document, and the one of the request.
fn asked(stack: &Stack) -> Vec<(&'static str, String)> {
    let board = stack.get("/v1/arbs").json();
    let (arb, event) = (&board["arbs"][0]["id"], &board["arbs"][0]["event"]["id"]);
    let (arb, event) = (arb.as_str().unwrap(), event.as_str().unwrap());
    let plain = [
        "/v1/arbs",
        "/v1/signals",
        "/v1/picks",
        "/v1/bots",
        "/v1/events",
        "/v1/books",
        "/v1/sports",
        "/v1/account",
        "/v1/keys",
        "/v1/webhooks",
        "/status",
        "/openapi.json",
        "/llms.txt",
        "/livez",
        "/readyz",
        "/registry/subjects",
    ];
    let more = [
        ("/v1/arbs", "/v1/arbs?verified=true&sort=margin&odds_format=american&limit=2".to_owned()),
        ("/v1/arbs", "/v1/arbs?limit=0".to_owned()),
        ("/v1/arbs/{id}", format!("/v1/arbs/{arb}")),
        ("/v1/events/{id}/odds", format!("/v1/events/{event}/odds?market=h2h")),
        ("/v1/picks/{id}", format!("/v1/picks/{}", pick().id)),
        ("/v1/picks/{id}", "/v1/picks/none".to_owned()),
        ("/v1/bots/{id}", "/v1/bots/consensus".to_owned()),
        ("/problems/{name}", "/problems/not-found".to_owned()),
    ];
    plain.into_iter().map(|path| (path, path.to_owned())).chain(more).collect()
}

#[test]
fn every_answer_is_as_the_document_says() {
    let (stack, _ingest) = stack();
    let document = stack.get("/openapi.json").body.replace('\n', "");
    let mut input = document + "\n";
    let asked = asked(&stack);
    for (path, request) in &asked {
        let answer = stack.get(request);
        let media = answer.header("content-type").to_owned();
        let is_json = media.contains("json");
        let body = if is_json { answer.json() } else { Value::String(answer.body.clone()) };
        let line =
            json!({"method": "get", "path": path, "status": answer.status, "media": media, "body": body});
        let _ = writeln!(input, "{line}");
    }
    let usage =
        http::request("GET", &format!("{}/api/v1/usage", stack.url), &[("x-api-key", &stack.key)]).unwrap();
    let line = json!({"method": "get", "path": "/api/v1/usage", "status": usage.status, "media": usage.header("content-type"), "body": usage.json()});
    let _ = writeln!(input, "{line}");
    let compared = python::run_with(&python::openapi(), VALIDATE, &input);
    assert_eq!(compared.trim().parse::<usize>().unwrap(), asked.len() + 1);
    let lines = stack.get("/llms.txt").body;
    assert!(lines.starts_with("# Arbitrage Board\n") && lines.contains("- `GET /v1/picks`: "), "{lines}");
}
