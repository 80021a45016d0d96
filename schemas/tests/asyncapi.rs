//! The examples of the AsyncAPI document are the golden records of the newest versions, as JSON.
//!
//! `schemas/asyncapi/records.json` has one for each type of record, by its name. Values of unions are without their types, and bytes are text of
//! the characters U+0000 to U+00FF, as Avro writes them in JSON.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::path::{Path, PathBuf};

use apache_avro::Schema;
use apache_avro::reader::datum::GenericDatumReader;
use apache_avro::types::Value as Datum;
use arb_schemas::registry::{self, PublishedSchema};
use arb_schemas::wire::RecordType;
use serde_json::{Map, Value, json};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn as_json(datum: Datum) -> Value {
    match datum {
        Datum::Null => Value::Null,
        Datum::Boolean(value) => json!(value),
        Datum::Int(value) => json!(value),
        Datum::Long(value) | Datum::TimestampMicros(value) => json!(value),
        Datum::Float(value) => json!(value),
        Datum::Double(value) => json!(value),
        Datum::String(text) | Datum::Enum(_, text) => json!(text),
        Datum::Bytes(bytes) | Datum::Fixed(_, bytes) => {
            bytes.into_iter().map(char::from).collect::<String>().into()
        }
        Datum::Union(_, value) => as_json(*value),
        Datum::Array(values) => values.into_iter().map(as_json).collect(),
        Datum::Map(fields) => fields.into_iter().map(|(name, value)| (name, as_json(value))).collect(),
        Datum::Record(fields) => fields.into_iter().map(|(name, value)| (name, as_json(value))).collect(),
        other => panic!("no record has {other:?}"),
    }
}

/// The golden record of a published schema.
fn example(schema: &PublishedSchema) -> Value {
    let name = format!("golden/{:?}.v{}.bin", schema.record, schema.version);
    let bytes = std::fs::read(folder().join(&name)).unwrap();
    let references: Vec<_> = schema.references().map(|reference| reference.text).collect();
    let (parsed, mut all) = Schema::parse_str_with_list(schema.text, references).unwrap();
    all.push(parsed.clone());
    let reader = GenericDatumReader::builder(&parsed).writer_schemata(all.iter().collect()).unwrap();
    let mut datum = &bytes[5..];
    let value = reader.build().unwrap().read_value(&mut datum).unwrap();
    assert!(datum.is_empty(), "{name}");
    as_json(value)
}

#[test]
fn the_examples_that_are_checked_in_are_the_golden_records() {
    // Of each type the last version is the newest.
    let examples: Map<_, _> =
        registry::all().map(|schema| (format!("{:?}", schema.record), example(&schema))).collect();
    assert_eq!(examples.len(), RecordType::ALL.len());
    let now = serde_json::to_string_pretty(&examples).unwrap() + "\n";
    let file = folder().join("asyncapi/records.json");
    #[expect(clippy::disallowed_methods, reason = "a switch of this test alone")]
    if std::env::var_os("ARB_WRITE_ASYNCAPI").is_some() {
        std::fs::write(&file, &now).unwrap();
    }
    assert!(
        std::fs::read_to_string(file).unwrap() == now,
        "ARB_WRITE_ASYNCAPI=1 cargo test -p arb-schemas --test asyncapi"
    );
}
