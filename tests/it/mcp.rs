//! `arb mcp` between a running API and the official client of the protocol in Python: the configuration of its guide, every tool
//! beside the answer of its route, and what goes wrong.

use std::io::Write;
use std::process::{Child, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::description::wait_for_market;
use crate::documents::read;
use crate::support::http::{once_it_knows, request, send};
use crate::support::local_up::{LocalHome, Running};
use crate::support::program::arb;
use crate::support::scratch::Scratch;
use crate::support::{python, wait_for};

/// Calls tools of a server in one session, by the newest revision of the protocol and by one with a handshake: reads how to start it and what
/// to call, prints what it answered. The client compares each result with the output schema of its tool.
const CLIENT: &str = r"
import asyncio, json, os, sys
from mcp import Client, MCPError, StdioServerParameters
wanted = json.load(sys.stdin)
async def session(mode):
    found = {'results': []}
    server = StdioServerParameters(command=wanted['command'], args=wanted['args'], env=wanted['env'])
    async with Client(server, mode=mode) as client:
        found['version'] = client.protocol_version
        found['server'] = client.server_info.name
        found['instructions'] = client.instructions
        found['tools'] = [tool.model_dump(mode='json') for tool in (await client.list_tools()).tools]
        for name, arguments in wanted['calls']:
            try:
                result = await client.call_tool(name, arguments)
                text = ''.join(part.text for part in result.content)
                found['results'].append({'is_error': result.is_error, 'text': text, 'json': result.structured_content})
            except MCPError as error:
                found['results'].append({'is_error': True, 'protocol': error.error.code, 'text': error.error.message})
    return found
async def main():
    print(json.dumps([await session(mode) for mode in ('auto', 'legacy')]))
asyncio.run(main())
";

/// How a client starts the server: as the guide configures it, with the program, the address and the key of a test.
fn configured(url: &str, key: &str) -> Value {
    let guide = read("docs/api/mcp.md");
    let block = guide.split("```json\n").nth(1).unwrap().split("```").next().unwrap();
    let shown: Value = serde_json::from_str(block).unwrap();
    let server = &shown["mcpServers"]["arbitrage-board"];
    let arguments: Vec<_> =
        server["args"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
    assert_eq!(arguments, ["mcp", "--url", "http://127.0.0.1:8080"]);
    assert!(server["command"].as_str().unwrap().ends_with("/arb") && server["env"]["ARB_KEY"].is_string());
    json!({"command": arb().get_program().to_str().unwrap(), "args": ["mcp", "--url", url], "env": {"ARB_KEY": key}})
}

/// What the server answers in a session of each kind.
pub(crate) fn sessions(url: &str, key: &str, calls: &Value) -> [Value; 2] {
    let mut wanted = configured(url, key);
    wanted["calls"] = calls.clone();
    // A tool ends with an error when the instance does not know its accounts at the moment.
    wait_for("the instance can answer", || {
        let said = python::run_with(&python::mcp_client(), CLIENT, &wanted.to_string());
        let said: [Value; 2] = serde_json::from_str(&said).unwrap();
        let mut results = said.iter().flat_map(|session| session["results"].as_array().unwrap());
        let is_later =
            |result: &Value| result["is_error"] == true && result["text"].to_string().contains("(503)");
        (!results.any(is_later)).then(|| said.clone())
    })
}

/// The answer of the API.
fn answer(running: &Running, path: &str) -> Value {
    let url = format!("{}{path}", running.url);
    once_it_knows(|| request("GET", &url, &[("x-api-key", &running.key)])).unwrap().json()
}

fn error_text(result: &Value) -> &str {
    assert_eq!(result["is_error"], true, "{result}");
    assert!(result["json"].is_null(), "{result}");
    result["text"].as_str().unwrap()
}

/// Tools of lists and of things in them, each with its arguments and the path that answers the same.
fn reads(running: &Running) -> Vec<(&'static str, Value, String)> {
    let board = answer(running, "/api/v1/arbs");
    let (entry, event) =
        (board["arbs"][0]["id"].as_str().unwrap(), board["arbs"][0]["event"]["id"].as_str().unwrap());
    let window = answer(running, "/api/v1/arbs/history?limit=1");
    assert_eq!(window["windows"].as_array().unwrap().len(), 1);
    vec![
        ("board", json!({}), "/api/v1/arbs".to_owned()),
        (
            "board",
            json!({"limit": 2, "odds_format": "american", "verified": null, "min_margin": 0.001}),
            "/api/v1/arbs?limit=2&odds_format=american&min_margin=0.001".to_owned(),
        ),
        ("entry", json!({"id": entry}), format!("/api/v1/arbs/{entry}")),
        ("history", json!({"limit": 1}), "/api/v1/arbs/history?limit=1".to_owned()),
        ("signals", json!({"kind": ["value", "steam"]}), "/api/v1/signals?kind=value,steam".to_owned()),
        ("events", json!({"in_play": false}), "/api/v1/events?in_play=false".to_owned()),
        ("odds", json!({"id": event, "market": "h2h"}), format!("/api/v1/events/{event}/odds?market=h2h")),
        ("books", json!({}), "/api/v1/books".to_owned()),
        ("sports", json!({}), "/api/v1/sports".to_owned()),
        ("picks", json!({"state": "graded"}), "/api/v1/picks?state=graded".to_owned()),
        ("bots", json!({}), "/api/v1/bots".to_owned()),
    ]
}

/// Calls the tools of lists and of things in them, a usage and a scan, while the answers of their routes stay the same: what the roles behind
/// the API still work at changes both, and an answer of before a change is not one of after it.
fn sessions_between_equal_answers(running: &Running) -> (Vec<(&'static str, Value)>, [Value; 2]) {
    wait_for("a market that stays as it is while the tools are called", || {
        let reads = reads(running);
        let answers =
            || reads.iter().map(|(name, _, path)| (*name, answer(running, path))).collect::<Vec<_>>();
        let mut calls: Vec<_> = reads.iter().map(|(name, arguments, _)| json!([name, arguments])).collect();
        calls.push(json!(["usage", {}]));
        calls.push(json!(["scan", {"sport": "soccer", "markets": "h2h", "wait_seconds": 5}]));
        let before = answers();
        let sessions = sessions(&running.url, &running.key, &json!(calls));
        (before == answers()).then_some((before, sessions))
    })
}

/// Every tool gives what its route answers, in both kinds of sessions; the client has compared the results with their schemas.
fn tools_answer_as_routes(running: &Running) {
    let (answers, sessions) = sessions_between_equal_answers(running);
    for said in &sessions {
        assert_eq!(said["server"], "arb");
        assert!(said["instructions"].as_str().unwrap().starts_with("Arbs across betting markets"));
        let named: Vec<_> =
            said["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        for (name, ..) in &answers {
            assert!(named.contains(name), "{named:?}");
        }
        assert_eq!(named.len(), 13);
        let results = said["results"].as_array().unwrap();
        for ((name, answer), result) in answers.iter().zip(results) {
            assert_eq!(result["is_error"], false, "{name}: {result}");
            assert_eq!(&result["json"], answer, "{name}");
            let text: Value = serde_json::from_str(result["text"].as_str().unwrap()).unwrap();
            assert_eq!(text, result["json"], "{name}");
        }
        let [usage, scan] = &results[answers.len()..] else { panic!("{results:?}") };
        assert_eq!(usage["json"]["plan"], answer(running, "/api/v1/usage")["plan"]);
        a_scan_is_read_again(running, &scan["json"]);
    }
    assert_ne!(sessions[0]["version"], sessions[1]["version"]);
    descriptions_are_those_of_the_document(running, &sessions[0]["tools"]);
}

/// A scan that has ended is the same by its tool and by its route.
fn a_scan_is_read_again(running: &Running, scan: &Value) {
    let id = scan["id"].as_str().unwrap();
    let path = format!("/api/v1/scans/{id}");
    let done = wait_for("the scan has ended", || {
        let scan = answer(running, &path);
        (scan["status"] != "pending").then_some(scan)
    });
    assert_eq!(done["id"], id);
    let again = sessions(&running.url, &running.key, &json!([["scan_result", {"id": id}]]));
    assert_eq!(again[0]["results"][0]["json"], done);
}

fn descriptions_are_those_of_the_document(running: &Running, tools: &Value) {
    let document = answer(running, "/openapi.json");
    let board = tools.as_array().unwrap().iter().find(|tool| tool["name"] == "board").unwrap();
    let operation = &document["paths"]["/api/v1/arbs"]["get"];
    assert!(board["description"].as_str().unwrap().starts_with(operation["summary"].as_str().unwrap()));
    let fields = board["input_schema"]["properties"].as_object().unwrap();
    assert_eq!(fields.len(), operation["parameters"].as_array().unwrap().len());
    for (name, field) in fields {
        let parameter = document["components"]["parameters"]
            .as_object()
            .unwrap()
            .values()
            .find(|it| it["name"] == **name)
            .unwrap();
        assert_eq!(
            (&field["type"], &field["enum"]),
            (&parameter["schema"]["type"], &parameter["schema"]["enum"]),
            "{name}"
        );
    }
}

/// What goes wrong is an error of the tool, which explains what to do.
fn problems_say_what_to_do(running: &Running) {
    let calls = json!([
        ["board", {"sort": "luck"}],
        ["board", {"no_such_filter": 1}],
        ["entry", {"id": "0".repeat(32)}],
        ["entry", {}],
        ["board", {"sport": {"name": "soccer"}}],
        ["nothing", {}],
    ]);
    for said in sessions(&running.url, &running.key, &calls) {
        let results = said["results"].as_array().unwrap();
        for (result, parts) in results.iter().zip([
            ["Invalid request (400): ", "sort", "Correct the arguments"],
            ["Invalid request (400): ", "no_such_filter", "Correct the arguments"],
            ["Not found (404): ", "", "Take the id from a list"],
            ["The argument id is missing", "", ""],
            ["The argument sport is an object", "", ""],
        ]) {
            let text = error_text(result);
            assert!(parts.iter().all(|part| text.contains(part)), "{text}: {parts:?}");
            assert!(result.get("protocol").is_none(), "{result}");
        }
        assert_eq!(
            (&results[5]["protocol"], &results[5]["text"]),
            (&json!(-32602), &json!("there is no tool nothing"))
        );
    }
    let wrong = sessions(&running.url, "arb_live_0000000000000000", &json!([["board", {}]]));
    let text = error_text(&wrong[0]["results"][0]);
    assert!(text.starts_with("Unauthorized (401): ") && text.contains("ARB_KEY"), "{text}");
}

/// A test key sees the market that never changes, and receives an error where there is none for it.
fn a_test_key_gets_golden_answers(running: &Running) {
    let bearer = format!("Bearer {}", running.key);
    let headers = [("authorization", &*bearer), ("content-type", "application/json")];
    let body = json!({"name": "tools", "mode": "test"}).to_string().into_bytes();
    let url = format!("{}/v1/keys", running.url);
    let created = once_it_knows(|| send("POST", &url, &headers, body.clone())).unwrap();
    assert_eq!(created.status, 201, "{}", created.body);
    let key = created.json()["key"].as_str().unwrap().to_owned();
    let said = sessions(&running.url, &key, &json!([["board", {}], ["signals", {}], ["events", {}]]));
    for result in &said[0]["results"].as_array().unwrap()[..2] {
        assert_eq!(result["is_error"], false, "{result}");
    }
    for (at, name) in ["arbs", "signals"].iter().enumerate() {
        let golden: Value = serde_json::from_str(&read(&format!("api/src/test_market/{name}.json"))).unwrap();
        assert_eq!(said[0]["results"][at]["json"], golden, "{name}");
    }
    assert!(error_text(&said[0]["results"][2]).contains("(403)"), "{}", said[0]["results"][2]);
}

#[test]
fn a_client_of_others_finds_calls_and_understands_every_tool() {
    let local = LocalHome::new();
    let mut running = local.replay(51, 60, "2026-01-01T03:00:00Z");
    wait_for_market(&running, &local);
    tools_answer_as_routes(&running);
    problems_say_what_to_do(&running);
    a_test_key_gets_golden_answers(&running);
    running.signal(Signal::INT);
    assert!(running.child.wait().unwrap().success());
    let stopped = sessions(&running.url, &running.key, &json!([["board", {}]]));
    let text = error_text(&stopped[0]["results"][0]);
    assert!(text.contains(&format!("The API at {} does not answer", running.url)), "{text}");
}

/// A server whose API does not matter.
fn started() -> Child {
    let mut command = arb();
    command.args(["mcp", "--url", "http://127.0.0.1:9"]).env("ARB_KEY", "arb_live_0");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Begins a session and asks for the tools, by hand.
fn begin(child: &mut Child) {
    let client = json!({"name": "test", "version": "1"});
    let parameters = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
    let stdin = child.stdin.as_mut().unwrap();
    for message in [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": parameters}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}),
    ] {
        writeln!(stdin, "{message}").unwrap();
    }
}

/// The messages of a server that has ended well, and nothing else on its standard output.
fn said(child: Child) -> Vec<Value> {
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{} {}", output.status, String::from_utf8_lossy(&output.stderr));
    let lines = String::from_utf8(output.stdout).unwrap();
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_session_ends_with_its_input_and_answers_what_was_asked_before() {
    let mut child = started();
    begin(&mut child);
    drop(child.stdin.take());
    let said = said(child);
    assert_eq!(said.iter().map(|message| &message["id"]).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(said[0]["result"]["protocolVersion"], "2025-06-18");
    assert_eq!(said[1]["result"]["tools"].as_array().unwrap().len(), 13);
    let mut silent = started();
    drop(silent.stdin.take());
    assert_eq!(self::said(silent), [Value::Null; 0], "a client that leaves before it begins");
}

#[test]
fn a_session_ends_on_sigterm_while_its_input_is_open() {
    for has_begun in [true, false] {
        let mut child = started();
        if has_begun {
            begin(&mut child);
        }
        // It handles signals by the time that it catches SIGTERM.
        let status = format!("/proc/{}/status", child.id());
        wait_for("signals are handled", || {
            let status = std::fs::read_to_string(&status).unwrap();
            let caught =
                status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap().trim().to_owned();
            let caught = u64::from_str_radix(&caught, 16).unwrap();
            (caught & (1 << (Signal::TERM.as_raw() - 1)) != 0).then_some(())
        });
        kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
        let input = child.stdin.take();
        assert!(said(child).len() <= 2);
        drop(input);
    }
}

#[test]
fn without_a_key_there_is_a_sentence_and_no_session() {
    let folder = Scratch::new();
    let file = folder.path().join("key");
    std::fs::write(&file, "\n").unwrap();
    for (arguments, sentence) in [
        (vec!["mcp"], "set ARB_KEY to a key of the board, or name its file by --key-file"),
        (vec!["mcp", "--key-file", file.to_str().unwrap()], "the key is empty"),
        (vec!["mcp", "--key-file", "/nowhere/key"], "/nowhere/key: "),
        (
            vec!["mcp", "--url", "127.0.0.1:8080", "--key-file", file.to_str().unwrap()],
            "is no address of the API",
        ),
    ] {
        let output = arb().args(&arguments).env_remove("ARB_KEY").stdin(Stdio::null()).output().unwrap();
        let (out, error) =
            (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
        assert!(
            !output.status.success() && out.is_empty() && error.contains(sentence),
            "{arguments:?}: {error}"
        );
    }
}
