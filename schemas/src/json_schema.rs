//! The JSON Schema of a record's text form and of a view, written from its declaration.
//!
//! It never describes what a declaration does not have.
//!
//! Source: JSON Schema 2020-12, which OpenAPI 3.1 and AsyncAPI 3.1 use.

use std::collections::BTreeMap;

use arb_model::described::{FieldShape, Limit, Presence, RecordShape, Shape};
use serde_json::{Map, Value, json};

use crate::sentence;

/// What refers to a record or a view by its name, where there is a schema of that name.
type Reference<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The schema of an object that has these fields in text. A record within it is referred to, where that is possible.
#[must_use]
pub fn object(record: &RecordShape, reference: Reference<'_>) -> Value {
    let mut fields = ObjectFields::default();
    fields.add(record, reference);
    let ObjectFields { properties, required, .. } = fields;
    let schema = json!({"type": "object", "properties": properties, "required": required});
    described(schema, &sentence::of(record.doc, None))
}

/// The fields of an object.
#[derive(Default)]
struct ObjectFields {
    properties: Map<String, Value>,
    required: Vec<&'static str>,
    /// What records say of those that they leave to a view, which has them in another form.
    left: BTreeMap<&'static str, &'static [&'static str]>,
}

impl ObjectFields {
    /// Adds those of a record, and in place of one that is flattened those of its value.
    fn add(&mut self, record: &RecordShape, reference: Reference<'_>) {
        for field in record.fields {
            match (field.presence, field.shape, field.text) {
                (Presence::Flattened, Shape::Record(part), _) => self.add(part, reference),
                (presence, _, Some(name)) => {
                    let doc = self.left.get(name).filter(|_| field.doc.is_empty()).unwrap_or(&field.doc);
                    let property = property(&FieldShape { doc, ..*field }, reference);
                    self.properties.insert(name.to_owned(), property);
                    if presence == Presence::Required {
                        self.required.push(name);
                    }
                }
                (.., None) => {
                    self.left.insert(field.name, field.doc);
                }
            }
        }
    }
}

fn property(field: &FieldShape, reference: Reference<'_>) -> Value {
    let shape = match &field.shape {
        Shape::Optional(of) if field.presence == Presence::Optional => of,
        shape => shape,
    };
    described(limited_value(shape, field.limits, reference), &sentence::of(field.doc, note(shape)))
}

/// The same with a description, where there is one.
fn described(mut schema: Value, sentence: &str) -> Value {
    if !sentence.is_empty() {
        schema["description"] = sentence.into();
    }
    schema
}

/// The schema of values of a shape.
#[must_use]
pub fn value(shape: &Shape, reference: Reference<'_>) -> Value {
    limited_value(shape, &[], reference)
}

fn limited_value(shape: &Shape, limits: &[Limit], reference: Reference<'_>) -> Value {
    let schema = match shape {
        Shape::Boolean => json!({"type": "boolean"}),
        Shape::Int | Shape::Long => json!({"type": "integer"}),
        Shape::Double | Shape::Measured(_) => json!({"type": "number"}),
        Shape::Time => json!({"type": "string", "format": "date-time"}),
        Shape::Key(list) if list.is_closed => json!({"type": "string", "enum": list.keys}),
        Shape::Text | Shape::Bytes | Shape::Key(_) => json!({"type": "string"}),
        Shape::Symbol(list) => json!({"type": "string", "enum": list.symbols}),
        Shape::Optional(of) => return or_null(limited_value(of, limits, reference)),
        Shape::List(item) => {
            json!({"type": "array", "items": limited_value(item, &of_items(limits), reference)})
        }
        Shape::Map(of) => {
            return json!({"type": "object", "additionalProperties": limited_value(of, limits, reference)});
        }
        Shape::OneOf(shapes, _) => {
            one_of(&shapes.iter().map(|shape| value(shape, reference)).collect::<Vec<_>>())
        }
        Shape::Object => json!({"type": "object"}),
        Shape::Record(record) => match reference(record.name) {
            Some(to) => json!({"$ref": to}),
            None => object(record, reference),
        },
    };
    limited(schema, limits)
}

/// Those of the limits of a list that its items have.
fn of_items(limits: &[Limit]) -> Vec<Limit> {
    let is_of_list = |limit: &&Limit| matches!(limit, Limit::Least(_) | Limit::Most(_));
    limits.iter().filter(|limit| !is_of_list(limit)).copied().collect()
}

fn limited(mut schema: Value, limits: &[Limit]) -> Value {
    let is_list = schema["type"] == "array";
    let [least, most] = match schema["type"].as_str() {
        Some("string") => ["minLength", "maxLength"],
        Some("array") => ["minItems", "maxItems"],
        _ => ["minimum", "maximum"],
    };
    for limit in limits {
        let (name, value) = match limit {
            Limit::Least(bound) => (least, number(*bound)),
            Limit::Most(bound) => (most, number(*bound)),
            _ if is_list => continue,
            Limit::Keys(keys) => ("enum", json!(keys)),
            Limit::Above(bound) => ("exclusiveMinimum", number(*bound)),
            Limit::Pattern(expression) => ("pattern", json!(expression)),
            Limit::Wide => ("format", json!("int64")),
            Limit::Day => ("format", json!("date")),
            Limit::Moment => ("format", json!("date-time")),
        };
        schema[name] = value;
    }
    schema
}

/// A whole number without a fraction.
fn number(limit: f64) -> Value {
    serde_json::from_str(&limit.to_string()).unwrap_or_default()
}

/// Values of one of these schemas; of those that state a type alone their types.
fn one_of(schemas: &[Value]) -> Value {
    let is_type = |schema: &Value| schema.as_object().is_some_and(|schema| schema.len() == 1);
    let types: Vec<_> =
        schemas.iter().filter(|schema| is_type(schema)).map(|schema| &schema["type"]).collect();
    if types.len() == schemas.len() && types.iter().all(|name| name.is_string()) {
        return json!({"type": types});
    }
    json!({"anyOf": schemas})
}

/// The same, or null.
fn or_null(mut schema: Value) -> Value {
    match &mut schema["type"] {
        Value::String(name) => schema["type"] = json!([name, "null"]),
        Value::Array(names) => names.push("null".into()),
        _ => {
            schema.as_object_mut().map(|schema| schema.remove("type"));
            return json!({"anyOf": [{"type": "null"}, schema]});
        }
    }
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
        Shape::OneOf(_, sentence) => Some((*sentence).to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use arb_model::fixtures;

    use super::*;
    use crate::wire::RecordType;

    /// The declaration of a record by its name, of those that have a schema id and of those within them.
    fn record(name: &str) -> Option<&'static RecordShape> {
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

    /// A value has the fields and the types of a schema, and the objects in it those of theirs.
    fn agrees(schema: &Value, value: &Value) {
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
            Value::Null => schema["type"].is_array(),
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
        assert_eq!(schema["properties"]["closing"]["type"], json!(["object", "null"]));
        assert!(record("Lost").is_none());
    }
}
