//! The Avro schema of a record with those that it refers to by name, as a document without a registry must have it. Pure.
//!
//! It never changes what a schema means.

use arb_schemas::registry;
use arb_schemas::wire::RecordType;
use serde_json::Value;

/// The newest schema of a record; where it names another one first, that one's is in the name's place.
pub(super) fn whole_schema(record: RecordType) -> Value {
    let mut schema = super::read(record.schema_text());
    for reference in record.references() {
        let name = registry::subject(*reference);
        replace_first(&mut schema, &name, &whole_schema(*reference));
    }
    schema
}

/// Whether the name was found and replaced. An enum's symbols and texts are no names of types.
fn replace_first(value: &mut Value, name: &str, with: &Value) -> bool {
    match value {
        Value::String(text) if text == name => {
            *value = with.clone();
            true
        }
        Value::Array(values) => values.iter_mut().any(|value| replace_first(value, name, with)),
        Value::Object(fields) => ["type", "items", "values", "fields"]
            .iter()
            .any(|part| fields.get_mut(*part).is_some_and(|value| replace_first(value, name, with))),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_reference_is_replaced_where_it_is_first() {
        let mut schema = json!({"name": "a.B", "fields": [
            {"name": "a.C", "type": "string"}, {"name": "x", "type": ["null", "a.C"]}, {"name": "y", "type": "a.C"},
        ]});
        assert!(replace_first(&mut schema, "a.C", &json!({"type": "record"})));
        assert_eq!(schema["fields"][0]["name"], "a.C", "a field's name is no type");
        assert_eq!(schema["fields"][1]["type"], json!(["null", {"type": "record"}]));
        assert_eq!(schema["fields"][2]["type"], "a.C", "the same by its name");
        assert!(!replace_first(&mut schema, "a.D", &json!(1)));
    }

    #[test]
    fn every_reference_of_every_record_is_found() {
        for record in RecordType::ALL {
            let schema = whole_schema(record);
            for reference in record.references() {
                let mut without = schema.clone();
                let name = format!("{reference:?}");
                let text = without.to_string();
                assert!(text.contains(&format!("\"name\":\"{name}\"")), "{record:?} has no {name}");
                assert!(
                    !replace_first(&mut without, &registry::subject(*reference), &json!(1))
                        || text.matches(&name).count() > 1
                );
            }
        }
    }
}
