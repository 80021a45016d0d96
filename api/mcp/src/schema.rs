//! Schemas of the OpenAPI document as JSON Schemas that need no other document. Pure.
//!
//! It never changes what a schema means.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

/// The beginning of a reference within the document.
const SHARED: &str = "#/components/schemas/";
/// The same within a schema of its own.
const OWN: &str = "#/$defs/";

/// What a reference refers to; any other value is itself.
pub(crate) fn resolved<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    let to = value["$ref"].as_str().and_then(|to| document.pointer(to.strip_prefix('#')?));
    to.unwrap_or(value)
}

/// A schema with all that it refers to among its definitions.
pub(crate) fn alone(document: &Value, schema: &Value) -> Map<String, Value> {
    let mut root = resolved(document, schema).clone();
    let mut wanted = BTreeSet::new();
    own(&mut root, &mut wanted);
    let mut definitions = Map::new();
    while let Some(name) = wanted.pop_first() {
        if !definitions.contains_key(&name) {
            let mut definition = document["components"]["schemas"][&name].clone();
            own(&mut definition, &mut wanted);
            definitions.insert(name, definition);
        }
    }
    let mut root = root.as_object().cloned().unwrap_or_default();
    if !definitions.is_empty() {
        root.insert("$defs".to_owned(), Value::Object(definitions));
    }
    root
}

/// Lets references refer to definitions, and collects their names.
fn own(value: &mut Value, names: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            if let Some(Value::String(to)) = fields.get_mut("$ref")
                && let Some(name) = to.strip_prefix(SHARED).map(str::to_owned)
            {
                *to = format!("{OWN}{name}");
                names.insert(name);
            }
            fields.values_mut().for_each(|value| own(value, names));
        }
        Value::Array(values) => values.iter_mut().for_each(|value| own(value, names)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_schema_takes_along_what_it_refers_to_and_nothing_else() {
        let document = json!({"components": {"schemas": {
            "Page": {"type": "object", "properties": {"list": {"type": "array", "items": {"$ref": "#/components/schemas/Entry"}}}},
            "Entry": {"anyOf": [{"type": "null"}, {"$ref": "#/components/schemas/Leg"}, {"$ref": "#/components/schemas/Entry"}]},
            "Leg": {"type": "string"}, "Other": {},
        }}});
        let schema = alone(&document, &json!({"$ref": "#/components/schemas/Page"}));
        assert_eq!(
            Value::Object(schema),
            json!({
                "type": "object",
                "properties": {"list": {"type": "array", "items": {"$ref": "#/$defs/Entry"}}},
                "$defs": {
                    "Entry": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/Leg"}, {"$ref": "#/$defs/Entry"}]},
                    "Leg": {"type": "string"},
                },
            })
        );
        assert_eq!(alone(&document, &json!({"$ref": "#/components/schemas/Leg"})).get("$defs"), None);
    }
}
