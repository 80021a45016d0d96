//! The command lines and JSON answers of the documents, against a running `arb up`: a line that is printed works, and a
//! field that is shown is there.
//!
//! SQL is run by `analysts`.

use std::collections::BTreeSet;
use std::process::{Command, Stdio};

use arb_schemas::topics::PICKS;
use arb_schemas::wire::encode;
use rustix::process::Signal;
use serde_json::Value;

use crate::documents::{documents, read};
use crate::kafka::write_to;
use crate::support::local_up::{LocalHome, Running};
use crate::support::program::{arb, run};
use crate::support::{root, wait_for};

/// The code blocks of a language in a page.
fn blocks<'a>(page: &'a str, language: &str) -> Vec<&'a str> {
    let start = format!("```{language}\n");
    page.split(&start).skip(1).filter_map(|rest| rest.split("```").next()).collect()
}

/// The commands of all pages that begin with one of these words, without their comments.
fn commands(beginnings: &[&str]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for page in documents() {
        let text = read(&page);
        for block in blocks(&text, "console") {
            let joined = block.replace("\\\n", " ");
            for line in joined.lines().map(|line| line.split(" # ").next().unwrap_or(line).trim()) {
                if beginnings.iter().any(|start| line.starts_with(start)) {
                    found.push((page.clone(), line.to_owned()));
                }
            }
        }
    }
    found
}

/// The words of a command that name a command of `arb` and its options, without assignments before it.
fn arguments(line: &str) -> Option<Vec<String>> {
    let words: Vec<_> = line.trim_end_matches(')').split_whitespace().collect();
    let at = words.iter().position(|word| ["cargo", "arb", "KEY=$(cargo"].contains(word))?;
    let after_cargo = usize::from(words[at] != "arb");
    let rest = &words[at + after_cargo..];
    let rest = if rest.first() == Some(&"arb") { &rest[1..] } else { rest };
    Some(rest.iter().map(|word| (*word).to_owned()).collect())
}

#[test]
fn commands_of_the_documents_have_their_options() {
    let mut checked = 0;
    for (page, line) in commands(&["cargo ", "arb ", "KEY=", "ODDS_API_KEY=", "KAFKA_", "CLICKHOUSE_"]) {
        let Some(words) = arguments(&line) else { continue };
        let is_option = |word: &&String| word.starts_with("--");
        let command: Vec<_> = words.iter().take_while(|word| !word.starts_with('-')).collect();
        if command.first().is_none_or(|first| ["test", "build", "arb-bench", "doc"].contains(&first.as_str()))
        {
            continue;
        }
        let known = if ["topics", "dlq", "account"].contains(&command[0].as_str()) { 2 } else { 1 };
        let help = run(arb().args(command.iter().take(known)).arg("--help"));
        assert!(help.success, "{page}: {line}: {}", help.err);
        for option in words.iter().filter(is_option) {
            let name = option.split('=').next().unwrap();
            assert!(help.out.contains(name), "{page}: {line}: there is no {name}");
        }
        checked += 1;
    }
    assert!(checked >= 8, "only {checked} commands were found");
}

/// A line of a page with the addresses of a test's `arb up`.
fn at_home(line: &str, local: &LocalHome) -> String {
    let clickhouse = format!("127.0.0.1:{}", local.clickhouse_port);
    let home = local.home.path().display().to_string();
    line.replace("127.0.0.1:8080", &local.listen)
        .replace("127.0.0.1:18123", &clickhouse)
        .replace("cat .arb/", &format!("cat {home}/"))
        // A stream ends by this alone.
        .replacen(
            "curl ",
            if line.contains("curl -sN") { "curl --max-time 10 " } else { "curl --max-time 120 " },
            1,
        )
}

/// What a line of a page prints, run by a shell with a key once the instance knows its accounts.
fn shell(line: &str, local: &LocalHome, key: &str) -> String {
    let line = at_home(line, local);
    wait_for("the accounts are known", || {
        let mut shell = Command::new("sh");
        shell.args(["-c", &line]).env("KEY", key).current_dir(root());
        let output = shell.stdin(Stdio::null()).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        (!text.contains(r#""type":"/problems/accounts-unavailable""#)).then_some(text)
    })
}

/// The names of all fields in a text of JSON, whole or not.
fn fields(text: &str) -> BTreeSet<String> {
    let parts: Vec<_> = text.split('"').collect();
    let is_name = |window: &&[&str]| window[1].trim_start().starts_with(':');
    let names = parts.windows(2).skip(1).step_by(2).filter(is_name).map(|window| window[0]);
    names
        .filter(|name| name.chars().all(|c| c.is_ascii_lowercase() || c == '_' || c.is_ascii_digit()))
        .map(str::to_owned)
        .collect()
}

/// The event of the first window on the board, if there is one.
fn first_event(running: &Running) -> Option<String> {
    let board = running.board()?;
    board["arbs"][0]["event"]["id"].as_str().map(str::to_owned)
}

/// Fields that pages show and no answer has had.
fn missing(shown: &BTreeSet<String>) -> Vec<(String, String)> {
    // What they show is no answer of the API: `mcp` runs the configuration of the other page.
    let others = ["docs/recordings.md", "docs/api/mcp.md"];
    let mut missing = Vec::new();
    for page in documents().iter().filter(|page| !others.contains(&page.as_str())) {
        for block in blocks(&read(page), "json") {
            let fields = fields(block).into_iter().filter(|name| !shown.contains(name));
            missing.extend(fields.map(|name| (page.clone(), name)));
        }
    }
    missing
}

/// Libraries of others that examples use; the tests of `registry` and `webhooks` run these with what they need.
const LIBRARIES: [&str; 2] = ["confluent_kafka", "standardwebhooks"];

/// The examples of all pages in Python that need nothing but Python.
fn python_alone() -> Vec<(String, String)> {
    let needs_library = |block: &str| LIBRARIES.iter().any(|name| block.contains(&format!("from {name}")));
    let mut found = Vec::new();
    for page in documents() {
        let text = read(&page);
        let alone = blocks(&text, "python").into_iter().filter(|block| !needs_library(block));
        found.extend(alone.map(|block| (page.clone(), block.to_owned())));
    }
    assert!(found.len() >= 3, "only {} examples were found", found.len());
    found
}

#[test]
fn requests_of_the_documents_are_answered_as_they_are_shown() {
    let local = LocalHome::own();
    let mut running = local.up(&[]);
    // Until a pick of the market is graded takes minutes.
    let pick = arb_model::fixtures::pick();
    let kafka = local.kafka();
    write_to(&kafka, PICKS.name, &[(&pick.id, &encode(&pick).unwrap())]);
    let event = wait_for("a window", || first_event(&running));
    let requests = commands(&["curl "]);
    assert!(requests.len() >= 8, "only {} requests were found", requests.len());
    let requests = requests.iter().filter(|(_, line)| line.contains("127.0.0.1"));
    let mut shown = BTreeSet::new();
    for (page, line) in requests.clone() {
        // What is on the board comes to the odds and to the history a moment later.
        let answer = wait_for(&format!("{page}: {line}"), || {
            let answer = shell(&line.replace("$EVENT", &event), &local, &running.key);
            let is_shown = !answer.is_empty() && !answer.contains("\"type\":\"/problems/");
            if is_shown { Ok(answer) } else { Err(answer) }
        });
        if line.contains("text/csv") {
            assert!(answer.starts_with("rank,") && answer.ends_with("\r\n"), "{page}: {line}\n{answer}");
        } else if line.contains("-s ") && !line.contains("user") {
            assert!(serde_json::from_str::<Value>(&answer).is_ok(), "{page}: {line}\n{answer}");
        }
        shown.extend(fields(&answer));
    }
    for (page, block) in python_alone() {
        let output = wait_for("the instance can answer", || {
            let mut python = Command::new("python3");
            python.args(["-c", &block]).env("KEY", &running.key).env("SITE", &running.url);
            // It ends with an error when the instance does not know its accounts at the moment.
            Some(run(&mut python)).filter(|output| output.success || !output.err.contains("503"))
        });
        assert!(output.success && !output.out.is_empty(), "{page}: {}{}", output.out, output.err);
        serde_json::from_str::<Value>(&output.out).unwrap();
    }
    // A refusal, and entries of which some are not verified.
    let board = |limit| {
        format!("curl -s -H \"Authorization: Bearer $KEY\" 'http://127.0.0.1:8080/v1/arbs?limit={limit}'")
    };
    shown.extend(fields(&shell(&board(0), &local, &running.key)));
    // The market moves: what a page shows may be there a moment later, such as an arb of the sport that is scanned.
    let lists = requests.map(|(_, line)| line.clone()).filter(|line| !line.contains("curl -sN"));
    let lists: Vec<_> = lists.chain([board(500)]).collect();
    wait_for("each field that a page shows is in an answer", || {
        let missing = missing(&shown);
        if missing.is_empty() {
            return Ok(());
        }
        for line in &lists {
            shown.extend(fields(&shell(&line.replace("$EVENT", &event), &local, &running.key)));
        }
        Err(missing)
    });
    running.signal(Signal::INT);
    assert!(running.child.wait().unwrap().success());
}

#[test]
fn fields_are_found_in_cut_json() {
    let found = fields(r#"{"as_of": "x:y", "legs": [{"price": 1, ...}], "note": "a \u007b"}"#);
    assert_eq!(found.into_iter().collect::<Vec<_>>(), ["as_of", "legs", "note", "price"]);
}
