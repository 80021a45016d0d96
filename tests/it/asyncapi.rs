//! The AsyncAPI document by tools of others: the official parser, an Avro library that is not ours, and a validator of JSON Schema.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::documents::read;
use crate::support::{node, python};

/// Parses the document with all its Avro schemas, and prints every finding. Then each example of a record must be a value of its schema.
const PARSE: &str = r#"
import { readFileSync } from "node:fs";
import { Parser } from "@asyncapi/parser";
import { AvroSchemaParser } from "@asyncapi/avro-schema-parser";
import avro from "avsc";
const text = readFileSync(0, "utf8");
const parser = new Parser();
parser.registerSchemaParser(AvroSchemaParser());
const { document, diagnostics } = await parser.parse(text);
const found = diagnostics.map(({ severity, code, message, path }) => ({ severity, code, message, path: path.join("/") }));
const wrong = [];
let compared = 0;
const bytes = (type, value) => {
    if (type.typeName === "bytes") return Buffer.from(value, "latin1");
    if (type.typeName === "record") return Object.fromEntries(type.fields.map(({ name, type }) => [name, bytes(type, value[name])]));
    if (type.typeName === "array") return value.map((one) => bytes(type.itemsType, one));
    return value;
};
for (const [name, message] of Object.entries(JSON.parse(text).components.messages)) {
    if (!message.payload.schemaFormat) continue;
    const type = avro.Type.forSchema(message.payload.schema, { wrapUnions: "never" });
    for (const { payload } of message.examples) {
        const errorHook = (path, value, type) => {
            // A long that is too long for a number of JavaScript.
            if (type.typeName === "long" && Number.isInteger(value) && !Number.isSafeInteger(value)) return;
            wrong.push([name, path.join("."), String(value)]);
        };
        type.isValid(bytes(type, payload), { errorHook });
        compared += 1;
    }
}
const channels = document ? document.channels().all().map((channel) => channel.id()) : [];
console.log(JSON.stringify({ found, wrong, compared, channels, messages: document ? document.allMessages().length : 0 }));
"#;

/// Compares events with the payloads of their messages: reads the document and an event a line. A field without a description is an error too.
const COMPARE: &str = r"
import json, sys
from jsonschema import Draft7Validator
document, *lines = sys.stdin.read().split('\n')
document = json.loads(document)
def resolved(schema):
    while '$ref' in schema: schema = document['components']['schemas'][schema['$ref'].split('/')[-1]]
    return schema
def fields(schema):
    schema = resolved(schema)
    found = dict(schema.get('properties', {}))
    for part in schema.get('allOf', []): found.update(fields(part))
    return found
compared = {}
for line in filter(None, lines):
    event = json.loads(line)
    payload = document['components']['messages'][event['event']]['payload']
    validator = Draft7Validator({**payload, 'components': document['components']})
    errors = [f'{error.json_path}: {error.message}' for error in validator.iter_errors(event['data'])]
    errors += [f'{name} is not described' for name in event['data'] if name not in fields(payload)]
    if errors: sys.exit(event['event'] + ': ' + '; '.join(errors[:5]))
    compared[event['event']] = compared.get(event['event'], 0) + 1
print(json.dumps(compared))
";

const DOCUMENT: &str = "schemas/asyncapi/asyncapi.json";

#[test]
fn the_official_parser_finds_nothing_and_examples_are_values_of_their_schemas() {
    let said: Value = serde_json::from_str(&node::run_with_asyncapi(PARSE, &read(DOCUMENT))).unwrap();
    // What is worse than information; the severities are those of diagnostics of the Language Server Protocol.
    let found = said["found"].as_array().unwrap();
    let worse: Vec<_> = found.iter().filter(|found| found["severity"].as_i64().unwrap() <= 1).collect();
    assert!(worse.is_empty(), "{worse:#?}");
    assert_eq!(said["wrong"], json!([]));
    let document: Value = serde_json::from_str(&read(DOCUMENT)).unwrap();
    let messages = document["components"]["messages"].as_object().unwrap();
    let records = messages.values().filter(|message| message["payload"]["schemaFormat"].is_string()).count();
    assert_eq!(said["compared"], records);
    let channels: Vec<_> = document["channels"].as_object().unwrap().keys().collect();
    let parsed: Vec<_> = said["channels"].as_array().unwrap().iter().map(|id| id.as_str().unwrap()).collect();
    assert_eq!(parsed, channels);
    assert_eq!(said["messages"].as_u64().unwrap(), u64::try_from(messages.len()).unwrap());
}

/// A parser that finds nothing in anything would pass the test above.
#[test]
fn the_official_parser_finds_what_is_wrong() {
    let whole: Value = serde_json::from_str(&read(DOCUMENT)).unwrap();
    let broken = |change: &dyn Fn(&mut Value)| {
        let mut document = whole.clone();
        change(&mut document);
        let said: Value =
            serde_json::from_str(&node::run_with_asyncapi(PARSE, &document.to_string())).unwrap();
        said["found"].as_array().unwrap().iter().any(|found| found["severity"] == 0)
    };
    assert!(broken(&|document| document["operations"]["openStream"]["action"] = json!("read")));
    assert!(broken(
        &|document| document["channels"]["stream"]["servers"] = json!([{"$ref": "#/servers/none"}])
    ));
}

/// Every event of the test market, and the example of each type.
#[test]
fn every_event_is_as_the_document_says() {
    let document: Value = serde_json::from_str(&read(DOCUMENT)).unwrap();
    let mut input = document.to_string();
    let mut add = |event: &str, data: &Value| {
        let _ = write!(input, "\n{}", json!({"event": event, "data": data}));
    };
    let stream = read("api/src/test_market/stream.txt");
    for block in stream.split("\n\n") {
        let field = |name: &str| block.lines().find_map(|line| line.strip_prefix(name));
        if let (Some(event), Some(data)) = (field("event: "), field("data: ")) {
            add(event, &serde_json::from_str(data).unwrap());
        }
    }
    for (name, message) in document["components"]["messages"].as_object().unwrap() {
        if message["payload"].get("schemaFormat").is_none() && message["contentType"] == "application/json" {
            add(name, &message["examples"][0]["payload"]);
        }
    }
    let compared = python::run_with(&python::openapi(), COMPARE, &input);
    let compared: Value = serde_json::from_str(&compared).unwrap();
    let compared = compared.as_object().unwrap();
    assert_eq!(compared.len(), 15, "{compared:?}");
    assert!(compared.values().map(|count| count.as_u64().unwrap()).sum::<u64>() > 70, "{compared:?}");
}
