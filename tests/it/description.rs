//! The OpenAPI document and the pages under `/docs`: valid by the validator of others, true of what a running `arb up` answers, and
//! their samples run.

mod calls;
mod generated;
mod schemathesis;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::process::Command;

use arb_model::fixtures::pick;
use arb_schemas::topics::PICKS;
use arb_schemas::wire::encode;
use rustix::process::Signal;
use serde_json::{Map, Value, json};

use self::calls::Called;
use crate::kafka::write_to;
use crate::support::http::request;
use crate::support::local_up::{LocalHome, Running};
use crate::support::program::run;
use crate::support::receiver::{Manner, Receiver};
use crate::support::{python, root, wait_for};

/// Validates the document and its examples, then each answer by the schema of its operation and status. Reads the document and a line an
/// answer; prints how many were compared.
const VALIDATE: &str = r"
import json, sys
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate
document, *lines = sys.stdin.read().split('\n')
document = json.loads(document)
validate(document)
compared = 0
def compare(what, schema, value):
    global compared
    validator = Draft202012Validator({**schema, 'components': document['components']})
    errors = [f'{error.json_path}: {error.message}' for error in validator.iter_errors(value)]
    if errors: sys.exit(what + ': ' + '; '.join(errors[:5]))
    compared += 1
operations = {}
for path, methods in document['paths'].items():
    for method, operation in methods.items():
        operations[operation['operationId']] = operation
        contents = [operation.get('requestBody', {})] + list(operation['responses'].values())
        for content in (content for each in contents for content in each.get('content', {}).values()):
            if 'example' in content: compare(path + ' example', content['schema'], content['example'])
for line in filter(None, lines):
    answer = json.loads(line)
    response = operations[answer['id']]['responses'][str(answer['status'])]
    content = response.get('content', {})
    if answer['status'] == 204: continue
    if answer['media'] not in content: sys.exit(line[:300] + ': its media type is not described')
    compare(answer['id'], content[answer['media']]['schema'], answer['answer'])
print(compared)
";

/// What is done once: its sample would find nothing to do.
const ONCE: [&str; 3] = ["rotateKey", "revokeKey", "deleteWebhook"];
/// What stays open, has another name in each build, and needs the setting `--cors-origins`.
const NOT_CALLED: [&str; 3] = ["openStream", "showAsset", "createTicket"];

/// Until when the recording is replayed.
const END: &str = "2026-01-01T03:00:00Z";

/// The page with an arb, a signal and a pick, and the history with a window, once the recording is at its end: from then on the market
/// stands still.
pub(crate) fn wait_for_market(running: &Running, local: &LocalHome) {
    running.board_at(END);
    let kafka = local.kafka();
    write_to(&kafka, PICKS.name, &[(&pick().id, &encode(&pick()).unwrap())]);
    let bearer = format!("Bearer {}", running.key);
    wait_for("an arb, a signal, a pick and a window of the past", || {
        let has = |path: &str, list: &str| {
            let url = format!("{}{path}", running.url);
            let answer = request("GET", &url, &[("authorization", &bearer)])?.json();
            answer[list].as_array().map(|entries| !entries.is_empty())
        };
        let lists = [
            ("/v1/arbs", "arbs"),
            ("/v1/signals", "signals"),
            ("/v1/picks", "picks"),
            ("/v1/arbs/history", "windows"),
        ];
        lists.iter().all(|(path, list)| has(path, list) == Some(true)).then_some(())
    });
}

/// What examples show in place of the receiver of a run.
const SHOWN_RECEIVER: &str = "http://127.0.0.1:3000/hook";

/// An example as it is checked in: of a long list the beginning, and no secret.
fn shortened(value: &Value) -> Value {
    match value {
        Value::Array(values) => values.iter().take(2).map(shortened).collect(),
        Value::Object(fields) => {
            let shown = fields.iter().map(|(name, value)| {
                let is_secret = ["key", "secret", "ticket"].contains(&&**name) && value.is_string();
                (name.clone(), if is_secret { json!("...") } else { shortened(value) })
            });
            Value::Object(shown.collect())
        }
        value => value.clone(),
    }
}

/// All examples, by operation.
fn examples(called: &[Called]) -> Value {
    let mut examples = Map::new();
    for call in called {
        let mut example = json!({"request": call.request});
        if let Some(body) = &call.body {
            example["body"] = body.clone();
        }
        if call.media.contains("json")
            && !["showDescription", "showAsyncApi", "schemaTextById"].contains(&&*call.id)
        {
            example["status"] = json!(call.status);
            example["media"] = json!(call.media);
            example["answer"] = shortened(&call.answer);
        }
        examples.insert(call.id.clone(), example);
    }
    Value::Object(examples)
}

/// The path and the operation.
fn operation<'a>(document: &'a Value, id: &str) -> (&'a str, &'a Value) {
    let paths = document["paths"].as_object().unwrap().iter();
    let mut operations =
        paths.flat_map(|(path, methods)| methods.as_object().unwrap().values().map(move |of| (&**path, of)));
    operations.find(|(_, operation)| operation["operationId"] == id).unwrap()
}

/// The samples of a page: its blocks of code in these languages.
fn samples(page: &str) -> Vec<(&'static str, String)> {
    let block = |language: &'static str| {
        let start = format!("<code class=\"language-{language}\">");
        let text = page.split(&start).nth(1)?.split("</code>").next()?;
        let text = [("&quot;", "\""), ("&#x27;", "'"), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")]
            .iter()
            .fold(text.to_owned(), |text, (shown, plain)| text.replace(shown, plain));
        Some((language, text))
    };
    ["sh", "python", "js"].into_iter().filter_map(block).collect()
}

/// The ids of the path that was asked for, as the samples of a page read them from the environment.
fn ids(path: &str, call: &Called) -> Vec<(String, String)> {
    let request = call.request.split('?').next().unwrap();
    let parts = path.split('/').zip(request.split('/'));
    let id = |(part, value): (&str, &str)| {
        let name = part.strip_prefix('{')?.strip_suffix('}')?;
        Some((format!("ARB_{}", name.to_uppercase()), value.to_owned()))
    };
    parts.filter_map(id).chain([("ARB_KEY".to_owned(), call.key.clone())]).collect()
}

/// A sample with the body of this run in place of that which the document has as the example of an operation.
fn of_this_run(sample: &str, example: &Value, call: &Called) -> String {
    let mut sample = sample.to_owned();
    let content = example["requestBody"]["content"].as_object().and_then(|content| content.values().next());
    if let (Some(then), Some(now)) = (content.and_then(|content| content.get("example")), &call.body) {
        // Lines were sent as text; the sample sends them as one document.
        let now = now.as_str().map_or_else(|| now.clone(), as_document);
        let [then, now] = [then.to_string(), now.to_string()];
        for (then, now) in [(json!(then).to_string(), json!(now).to_string()), (then, now)] {
            sample = sample.replace(&then, &now);
        }
    }
    sample
}

fn as_document(lines: &str) -> Value {
    let lines = lines.lines().map(|line| serde_json::from_str(line).unwrap());
    json!({"lines": lines.collect::<Vec<Value>>()})
}

fn run_sample(language: &str, sample: &str, ids: &[(String, String)], running: &Running) -> String {
    let program = match language {
        "sh" => "sh",
        "python" => "python3",
        _ => "node",
    };
    let arguments: &[&str] = if language == "js" { &["--input-type=module", "--eval"] } else { &["-c"] };
    wait_for("the instance can answer", || {
        let mut command = Command::new(program);
        command.args(arguments).arg(sample).env("ARB_URL", &running.url);
        command.envs(ids.iter().map(|(name, value)| (name, value)));
        let output = run(&mut command);
        // A sample ends with an error when the instance does not know its accounts at the moment.
        let is_for_later = !output.success && (output.out.contains("503") || output.err.contains("503"));
        assert!(output.success || is_for_later, "{sample}\n{}{}", output.out, output.err);
        output.success.then_some(output.out)
    })
}

#[test]
fn every_answer_is_as_the_document_says_and_every_sample_runs() {
    let local = LocalHome::new();
    // A recording that has ended: what was asked for stays as it is.
    let mut running = local.replay(51, 60, END);
    wait_for_market(&running, &local);
    let receiver = Receiver::start(Manner::Status(204, ""));
    let get = |path: &str| request("GET", &format!("{}{path}", running.url), &[]).unwrap().body;
    let document: Value = serde_json::from_str(&get("/openapi.json")).unwrap();
    let called = calls::all((&running, &document), &local.kafka(), &receiver);
    let file = root().join("schemas/openapi/examples.json");
    if std::env::var_os("ARB_WRITE_OPENAPI").is_some() {
        let text = serde_json::to_string_pretty(&examples(&called)).unwrap() + "\n";
        std::fs::write(&file, text.replace(&receiver.url, SHOWN_RECEIVER)).unwrap();
    }

    let mut input = document.to_string() + "\n";
    for Called { id, status, media, answer, .. } in &called {
        let _ = writeln!(input, "{}", json!({"id": id, "status": status, "media": media, "answer": answer}));
    }
    let compared: usize = python::run_with(&python::openapi(), VALIDATE, &input).trim().parse().unwrap();
    assert!(compared > 2 * called.len() - 30, "{compared} of {}", called.len());

    let mut run = 0;
    for call in called.iter().filter(|call| !ONCE.contains(&&*call.id)) {
        let page = get(&format!("/docs/{}", call.id));
        let found = samples(&page);
        assert_eq!(found.len(), 3, "{}", call.id);
        for (language, sample) in found {
            let (path, operation) = operation(&document, &call.id);
            let (sample, ids) = (of_this_run(&sample, operation, call), ids(path, call));
            assert!(!run_sample(language, &sample, &ids, &running).is_empty(), "{sample}");
            run += 1;
        }
    }
    assert!(run > 140, "{run}");

    let ids = called.iter().map(|call| &*call.id);
    let called: BTreeSet<_> = ids.chain(NOT_CALLED).collect();
    let operations =
        document["paths"].as_object().unwrap().iter().filter(|(path, _)| !path.starts_with("/session"));
    for operation in operations.flat_map(|(_, methods)| methods.as_object().unwrap().values()) {
        let id = operation["operationId"].as_str().unwrap().trim_end_matches("ByApiKey");
        assert!(called.contains(id), "{id} is not called");
    }
    running.signal(Signal::INT);
    assert!(running.child.wait().unwrap().success());
}
