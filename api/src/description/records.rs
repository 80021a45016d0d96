//! Schemas of records within schemas that are written by hand.
//!
//! A schema with `x-record` has the fields of that record in its text form, as they are declared. What is written beside it adds to them, as a view does, or
//! replaces what the declaration states of one. A record whose name is that of such a component is referred to. It never takes a field away.

use arb_schemas::json_schema;
use serde_json::{Map, Value};

/// The beginning of a reference to a schema.
pub(super) const SCHEMAS: &str = "#/components/schemas/";
/// The key that names a record.
const RECORD: &str = "x-record";

/// Adds the fields of records to a schema and to all schemas in it.
pub(super) fn complete(schema: &mut Value, components: &Value) {
    match schema {
        Value::Object(fields) => {
            fields.values_mut().for_each(|value| complete(value, components));
            let record = fields.get(RECORD).and_then(|name| json_schema::record(name.as_str()?));
            if let Some(record) = record {
                fields.remove(RECORD);
                let declared = json_schema::object(record, &|name| reference(name, components));
                *schema = with_additions(declared, std::mem::take(fields));
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|value| complete(value, components)),
        _ => {}
    }
}

/// The component of a record's name, where that is written as the record.
fn reference(name: &str, components: &Value) -> Option<String> {
    (components[name][RECORD] == name).then(|| format!("{SCHEMAS}{name}"))
}

fn with_additions(mut declared: Value, mut additions: Map<String, Value>) -> Value {
    let required = additions.remove("required");
    add(&mut declared, Value::Object(additions));
    if let (Some(all), Some(Value::Array(more))) = (declared["required"].as_array_mut(), required) {
        all.extend(more);
    }
    declared
}

/// Objects are united, other values are replaced.
fn add(value: &mut Value, addition: Value) {
    match (value, addition) {
        (Value::Object(fields), Value::Object(additions)) => {
            for (name, addition) in additions {
                add(fields.entry(name).or_insert(Value::Null), addition);
            }
        }
        (value, addition) => *value = addition,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::Description;
    use super::*;
    use crate::routes::ROUTES;

    #[test]
    fn no_record_is_named_that_is_not_declared() {
        let Description { document, channels, .. } = Description::of(&ROUTES);
        assert!(!document.contains(RECORD) && !channels.contains(RECORD));
    }

    #[test]
    fn a_schema_has_the_fields_of_its_record_and_what_is_written_beside_it() {
        let components = json!({
            "LaterOffer": {"x-record": "LaterOffer"},
            "Pick": {
                "x-record": "Pick",
                "description": "A bet.",
                "properties": {"bot": {"description": "Who."}, "result": {"type": "string"}},
                "required": ["result"],
            },
        });
        let mut completed = components.clone();
        complete(&mut completed, &components);
        let pick = &completed["Pick"];
        assert_eq!(pick["description"], "A bet.");
        assert_eq!(pick["properties"]["bot"], json!({"type": "string", "description": "Who."}));
        assert_eq!(pick["properties"]["result"], json!({"type": "string"}));
        assert_eq!(pick["properties"]["version"]["description"], "The version of its rule.");
        let required = pick["required"].as_array().unwrap();
        assert!(required.contains(&json!("version")) && required.contains(&json!("result")));
        let offer = &pick["properties"]["offer_after_minute"]["anyOf"][1];
        assert_eq!(offer, &json!({"$ref": "#/components/schemas/LaterOffer"}));
        assert_eq!(completed["LaterOffer"]["properties"]["price"]["type"], json!(["number", "null"]));
    }
}
