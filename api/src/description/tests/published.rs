//! A change of the API only adds: whatever was published is still there.
//!
//! `schemas/openapi/published.txt` has a line for each thing that a client may rely on: a parameter, a field of an answer and its type, and
//! a field that a body must have. `ARB_WRITE_OPENAPI=1` adds lines; what goes on purpose
//! is deleted from it by hand.

use std::collections::BTreeSet;

use super::*;
use crate::generated::read as read_file;
use crate::routes::ROUTES;

const FILE: &str = "schemas/openapi/published.txt";
/// How deep fields are listed.
const DEEPEST: usize = 6;

/// What a client may rely on: what is there, and what it must send.
#[derive(Default)]
struct Promises {
    given: BTreeSet<String>,
    demanded: BTreeSet<String>,
}

fn resolved<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    let to = value["$ref"].as_str().and_then(|to| document.pointer(to.strip_prefix('#')?));
    to.unwrap_or(value)
}

impl Promises {
    fn of(document: &Value) -> Self {
        let mut found = Self::default();
        for (path, methods) in document["paths"].as_object().unwrap() {
            for (method, operation) in methods.as_object().unwrap() {
                found.operation(document, &format!("{} {path}", method.to_uppercase()), operation);
            }
        }
        found
    }

    fn operation(&mut self, document: &Value, name: &str, operation: &Value) {
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            let parameter = resolved(document, parameter);
            self.given.insert(format!("{name} {} {}", parameter["in"], parameter["name"]));
        }
        for (media, content) in operation["requestBody"]["content"].as_object().into_iter().flatten() {
            self.given.insert(format!("{name} takes {media}"));
            let schema = resolved(document, &content["schema"]);
            let fields = schema["properties"].as_object().into_iter().flatten();
            self.given.extend(fields.map(|(field, _)| format!("{name} takes {field}")));
            let required = schema["required"].as_array().into_iter().flatten();
            self.demanded.extend(required.map(|field| format!("{name} demands {field}")));
        }
        for (status, answer) in operation["responses"].as_object().unwrap() {
            for (media, content) in answer["content"].as_object().into_iter().flatten() {
                self.given.insert(format!("{name} {status} {media}"));
                self.fields(document, &content["schema"], &format!("{name} {status} "), 0);
            }
        }
    }

    fn fields(&mut self, document: &Value, schema: &Value, under: &str, depth: usize) {
        let schema = resolved(document, schema);
        if depth > DEEPEST {
            return;
        }
        if schema["items"].is_object() {
            self.fields(document, &schema["items"], &format!("{under}[]"), depth + 1);
        }
        for choice in ["allOf", "anyOf"].iter().filter_map(|name| schema[*name].as_array()).flatten() {
            self.fields(document, choice, under, depth + 1);
        }
        for (name, field) in schema["properties"].as_object().into_iter().flatten() {
            let path = format!("{under}.{name}");
            self.given.insert(format!("{path} {}", resolved(document, field)["type"]));
            self.fields(document, field, &path, depth + 1);
        }
    }

    fn text(&self) -> String {
        let lines = self.given.iter().chain(&self.demanded);
        lines.fold(String::new(), |text, line| text + line + "\n")
    }
}

/// What a change takes away: lines of before that are gone, and what bodies of before did not have to have.
fn broken(before: &str, now: &Promises) -> Vec<String> {
    let before: BTreeSet<_> = before.lines().map(str::to_owned).collect();
    let is_kept = |line: &&String| now.given.contains(*line) || line.contains(" demands ");
    let gone = before.iter().filter(|line| !is_kept(line)).map(|line| format!("gone: {line}"));
    let is_new_route = |line: &String| {
        let name = line.split(" demands ").next().unwrap_or_default();
        !before.iter().any(|earlier| earlier.starts_with(&format!("{name} ")))
    };
    let demanded = now.demanded.difference(&before).filter(|line| !is_new_route(line));
    gone.chain(demanded.map(|line| format!("new: {line}"))).collect()
}

#[test]
fn a_change_only_adds() {
    let now = Promises::of(&document(&ROUTES));
    assert!(now.given.len() > 1_000, "{}", now.given.len());
    let before = read_file(FILE);
    let broken = broken(&before, &now);
    assert!(broken.is_empty(), "clients rely on this:\n{}", broken.join("\n"));
    assert_file("ARB_WRITE_OPENAPI", FILE, &now.text());
}

#[test]
fn what_is_taken_away_is_found() {
    let now = Promises::of(&document(&ROUTES));
    let all = now.text();
    assert!(broken(&all, &now).is_empty());
    assert!(broken("", &now).is_empty(), "all of it is new");
    let more = all.clone() + "GET /v1/arbs 200 .gone \"string\"\n";
    assert_eq!(broken(&more, &now), ["gone: GET /v1/arbs 200 .gone \"string\""]);
    let demanded = now.demanded.first().unwrap();
    let less = all.replace(&format!("{demanded}\n"), "");
    assert_eq!(broken(&less, &now), [format!("new: {demanded}")]);
}
