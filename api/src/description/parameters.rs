//! Parameters of queries and of paths as OpenAPI writes them, from their declarations.
//!
//! It never states more than a declaration does.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use arb_feed::filter::parameter::{ParameterShape, Values};

/// What the parameters of paths are, by the part before them and their name.
pub(super) const OF_PATHS: [(&str, &str); 14] = [
    ("arbs/{id}", "The id of an entry of the board."),
    ("assets/{name}", "The name of a file, which the page refers to."),
    ("bots/{id}", "The id of a bot."),
    ("deliveries/{delivery}", "The id of a delivery, as the log has it."),
    ("docs/{name}", "The name of a guide, or the operationId of a route."),
    ("events/{id}", "The id of an event, as entries and the list of events have it."),
    ("ids/{id}", "The id of a schema, as the header of a message has it."),
    ("keys/{kid}", "The kid of a key: the 8 characters after its prefix."),
    ("picks/{id}", "The id of a pick."),
    ("problems/{name}", "The last part of the type of a problem."),
    ("scans/{id}", "The id of a scan, as its first answer has it."),
    ("subjects/{subject}", "The full name of a record, such as arb.v1.Frame."),
    ("versions/{version}", "A number from 1, or latest."),
    ("webhooks/{id}", "The id of an endpoint."),
];

/// The components that routes refer to, by their names.
pub(super) fn components(shapes: impl Iterator<Item = &'static ParameterShape>) -> Value {
    let all: BTreeMap<_, _> = shapes.map(|shape| (shape.component, whole(shape))).collect();
    json!(all)
}

/// A parameter of a query.
pub(super) fn whole(shape: &ParameterShape) -> Value {
    let mut parameter =
        json!({"name": shape.name, "in": "query", "description": shape.sentence, "schema": schema(shape)});
    if shape.is_required {
        parameter["required"] = json!(true);
    }
    parameter
}

/// Those of a path, and references to those of a query.
pub(super) fn list(path: &str, query: &[&ParameterShape]) -> Vec<Value> {
    let in_path = path.split('/').zip(path.split('/').skip(1)).filter_map(|(before, part)| {
        let name = part.strip_prefix('{')?.strip_suffix('}')?;
        let key = format!("{before}/{part}");
        Some(json!({
            "name": name,
            "in": "path",
            "required": true,
            "description": OF_PATHS.iter().find(|(path, _)| *path == key).map(|(_, sentence)| sentence),
            "schema": {"type": "string", "minLength": 1},
        }))
    });
    let in_query =
        query.iter().map(|shape| json!({"$ref": format!("#/components/parameters/{}", shape.component)}));
    in_path.chain(in_query).collect()
}

/// The schemas of parameters by their names, each with its sentence.
pub(super) fn schemas(shapes: &[&ParameterShape]) -> Map<String, Value> {
    let described = shapes.iter().map(|shape| {
        let mut schema = schema(shape);
        let texts = [Some(shape.sentence), schema["description"].as_str()];
        schema["description"] = texts.into_iter().flatten().collect::<Vec<_>>().join(" ").into();
        (shape.name.to_owned(), schema)
    });
    described.collect()
}

fn schema(shape: &ParameterShape) -> Value {
    let mut schema = match shape.values {
        Values::Truth => json!({"type": "boolean"}),
        Values::Time => json!({"type": "string", "format": "date-time"}),
        Values::Number { least, most } => limited("number", least.map(number), most.map(number)),
        Values::Whole { least, most } => limited("integer", Some(json!(least)), Some(json!(most))),
        Values::OneOf(numbers) => json!({"type": "integer", "enum": numbers}),
        Values::Keys(keys) => json!({"type": "string", "enum": keys}),
        Values::Text { least, most, pattern } => {
            let mut schema = json!({"type": "string", "minLength": least, "maxLength": most});
            if let Some(pattern) = pattern {
                schema["pattern"] = json!(pattern);
            }
            schema
        }
        Values::List(sentence) => json!({"type": "string", "description": sentence}),
    };
    if let Some(default) = shape.default {
        // A number stands in its text as JSON writes it; a key does not.
        schema["default"] = serde_json::from_str(default).unwrap_or_else(|_| default.into());
    }
    schema
}

fn limited(kind: &str, least: Option<Value>, most: Option<Value>) -> Value {
    let mut schema = json!({"type": kind});
    for (name, limit) in [("minimum", least), ("maximum", most)] {
        if let Some(limit) = limit {
            schema[name] = limit;
        }
    }
    schema
}

/// A whole number without a fraction.
fn number(limit: f64) -> Value {
    serde_json::from_str(&limit.to_string()).unwrap_or_default()
}
