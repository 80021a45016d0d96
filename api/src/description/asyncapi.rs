//! The topics of Kafka and the stream described: one AsyncAPI 3 document, for programs that read them.
//!
//! - `kafka`: the channels of the catalogue of topics and their records; `avro`: a record's schema with those that it refers to.
//! - `sse`: the stream and its events.
//!
//! Names, sentences, keys, cleanup and schema ids of topics come from `arb-schemas`, the names of events from the stream, parameters and shared schemas from the
//! OpenAPI document. What a header or an event is for is a row here; one without a row fails a test. Tests write the examples. It never describes what does not exist.
//!
//! Source: AsyncAPI 3.1.0; its bindings of Kafka 0.5.0 and of HTTP 0.3.0.

mod avro;
mod kafka;
mod sse;

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::components::SCHEMAS;
use super::{COMPONENTS, read};

/// The whole document, of a stream that takes these parameters of a query.
pub(super) fn document(stream: &Map<String, Value>) -> Value {
    let messages = merged(kafka::messages(), sse::messages());
    let schemas = shared_schemas(&Value::Object(messages.clone()));
    json!({
        "asyncapi": "3.1.0",
        "info": {
            "title": "Arbitrage Board",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "The topics of Kafka and the Server-Sent Events of the API. What the board sends may be read by anybody with access; what it \
                receives are the inputs of its machines. Records are Avro in the Confluent wire format: a zero byte, the schema id in four bytes, \
                the datum. /registry resolves the ids. Fields and values may be added: ignore those that you do not know.",
            "license": {"name": "MIT OR Apache-2.0"},
        },
        "defaultContentType": "application/json",
        "servers": {"kafka": kafka::server(), "api": sse::server()},
        "channels": merged(kafka::channels(), sse::channels()),
        "operations": merged(kafka::operations(), sse::operations(stream)),
        "components": {
            "messages": messages,
            "schemas": schemas,
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer", "description": "A key with the scope stream:read."},
                "apiKey": {"type": "httpApiKey", "in": "header", "name": "x-api-key", "description": "The same key."},
            },
        },
    })
}

fn merged(mut one: Map<String, Value>, other: Map<String, Value>) -> Map<String, Value> {
    one.extend(other);
    one
}

/// The schemas of the OpenAPI document that messages refer to, and those that these refer to.
fn shared_schemas(messages: &Value) -> Map<String, Value> {
    let all = &*COMPONENTS;
    let mut wanted = BTreeSet::new();
    names(messages, &mut wanted);
    let mut found = Map::new();
    while let Some(name) = wanted.pop_first() {
        if !found.contains_key(&name) {
            names(&all[&name], &mut wanted);
            found.insert(name.clone(), all[&name].clone());
        }
    }
    found
}

/// The names of schemas that a value refers to.
fn names(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            let name = fields.get("$ref").and_then(Value::as_str).and_then(|to| to.strip_prefix(SCHEMAS));
            found.extend(name.map(str::to_owned));
            fields.values().for_each(|value| names(value, found));
        }
        Value::Array(values) => values.iter().for_each(|value| names(value, found)),
        _ => {}
    }
}

#[cfg(test)]
mod tests;
