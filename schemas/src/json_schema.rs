//! The JSON Schema of a record's text form, written from its declaration.
//!
//! It never describes what a view adds or writes in another form.
//!
//! Source: JSON Schema 2020-12, which OpenAPI 3.1 and AsyncAPI 3.1 use.

use arb_model::described::{FieldShape, RecordShape, Shape};
use serde_json::{Map, Value, json};

use crate::sentence;
use crate::wire::RecordType;

/// The declaration of a record by its name, of those that have a schema id and of those within them.
#[must_use]
pub fn record(name: &str) -> Option<&'static RecordShape> {
    RecordType::ALL.into_iter().find_map(|record| within(&record.shape(), name))
}

fn within(shape: &Shape, name: &str) -> Option<&'static RecordShape> {
    match shape {
        Shape::Optional(value) | Shape::List(value) => within(value, name),
        Shape::Record(record) if record.name == name => Some(record),
        Shape::Record(record) => record.fields.iter().find_map(|field| within(&field.shape, name)),
        _ => None,
    }
}

/// The schema of an object that has the fields of a record. A record within it is `reference` of its name, where there is one.
#[must_use]
pub fn object(record: &RecordShape, reference: &dyn Fn(&str) -> Option<String>) -> Value {
    let fields = record.fields.iter().filter_map(|field| Some((field.text?, field)));
    let required: Vec<_> = fields.clone().map(|(name, _)| name).collect();
    let properties = fields.map(|(name, field)| (name.to_owned(), property(field, reference)));
    json!({
        "type": "object",
        "description": sentence::of(record.doc, None),
        "properties": properties.collect::<Map<_, _>>(),
        "required": required,
    })
}

fn property(field: &FieldShape, reference: &dyn Fn(&str) -> Option<String>) -> Value {
    let mut schema = value(&field.shape, reference);
    schema["description"] = sentence::of(field.doc, note(&field.shape)).into();
    schema
}

fn value(shape: &Shape, reference: &dyn Fn(&str) -> Option<String>) -> Value {
    match shape {
        Shape::Boolean => json!({"type": "boolean"}),
        Shape::Int | Shape::Long => json!({"type": "integer"}),
        Shape::Double | Shape::Measured(_) => json!({"type": "number"}),
        Shape::Time => json!({"type": "string", "format": "date-time"}),
        Shape::Key(list) if list.is_closed => json!({"type": "string", "enum": list.keys}),
        Shape::Text | Shape::Bytes | Shape::Key(_) => json!({"type": "string"}),
        Shape::Symbol(list) => json!({"type": "string", "enum": list.symbols}),
        Shape::Optional(of) => or_null(value(of, reference)),
        Shape::List(item) => json!({"type": "array", "items": value(item, reference)}),
        Shape::Record(record) => match reference(record.name) {
            Some(to) => json!({"$ref": to}),
            None => object(record, reference),
        },
    }
}

/// The same, or null.
fn or_null(mut schema: Value) -> Value {
    let Some(name) = schema["type"].as_str().filter(|name| *name != "object").map(str::to_owned) else {
        return json!({"anyOf": [{"type": "null"}, schema]});
    };
    schema["type"] = json!([name, "null"]);
    if let Some(values) = schema.get_mut("enum").and_then(Value::as_array_mut) {
        values.push(Value::Null);
    }
    schema
}

/// What is said of all values of a type in text.
fn note(shape: &Shape) -> Option<String> {
    match shape {
        Shape::Measured(measure) => Some(measure.text_unit.to_owned()),
        Shape::Key(list) if !list.is_closed => Some(sentence::of_keys(list)),
        Shape::Optional(value) | Shape::List(value) => note(value),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use arb_model::fixtures;

    use super::*;

    /// A value has the fields and the types of a schema, and the objects in it those of theirs.
    fn agrees(schema: &Value, value: &Value) {
        let schema = schema["anyOf"].get(1).unwrap_or(schema);
        let is = |name: &str| schema["type"] == name || schema["type"] == json!([name, "null"]);
        let agree = match value {
            Value::Object(fields) => {
                for (name, value) in fields {
                    agrees(&schema["properties"][name], value);
                }
                schema["required"].as_array().unwrap().len() == fields.len()
            }
            Value::Array(values) => {
                for value in values {
                    agrees(&schema["items"], value);
                }
                is("array")
            }
            Value::Null => schema["type"].is_array() || is("object"),
            Value::Bool(_) => is("boolean"),
            Value::String(_) => is("string"),
            Value::Number(number) => is(if number.is_f64() { "number" } else { "integer" }),
        };
        assert!(agree, "{schema}: {value}");
    }

    #[test]
    fn a_record_in_text_has_the_fields_and_the_types_of_its_schema() {
        let compare = |name: &str, text: Value| agrees(&object(record(name).unwrap(), &|_| None), &text);
        compare("BoardEntry", json!(fixtures::entry()));
        compare("Leg", json!(fixtures::entry().legs[0]));
        compare("EdgeSignal", json!(fixtures::signal()));
        compare("CloseSignal", json!(fixtures::close()));
        compare("LineMovement", json!(fixtures::movement()));
        compare("StaleAlert", json!(fixtures::alert()));
        compare("Pick", json!(fixtures::pick()));
        compare("WindowGrading", json!(fixtures::window_grading()));
    }

    #[test]
    fn a_record_that_has_a_schema_of_its_own_is_referred_to() {
        let schema =
            object(record("Pick").unwrap(), &|name| (name == "LaterOffer").then(|| "#/it".to_owned()));
        let offer = &schema["properties"]["offer_after_poll"]["anyOf"];
        assert_eq!(offer, &json!([{"type": "null"}, {"$ref": "#/it"}]));
        assert_eq!(schema["properties"]["closing"]["anyOf"][1]["type"], "object");
        assert!(record("Lost").is_none());
    }
}
