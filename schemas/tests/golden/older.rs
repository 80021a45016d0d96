//! What an older version of a record is read as: what it has stays, and what it does not have is the default that the newest
//! schema states.
//!
//! It states no field, so that a new one changes nothing here. The golden records of all versions of a type have the same values.

use apache_avro::Schema;
use apache_avro::reader::datum::GenericDatumReader;
use apache_avro::schema::Name;
use apache_avro::types::Value;
use arb_model::fixtures::filter_values;
use arb_schemas::records::{
    Account, ArbWindow, BoardEntry, CloseSignal, Frame, Pick, ResultReport, ScanRequest, StateHead,
    StateLine, StatePartition, StateWebhookDelivery, StateWebhookFailing, WebhookEvent,
};
use arb_schemas::wire::{self, Record, RecordType};

use super::{all_stay, golden, parsed, read, versions};

/// The record of a name, wherever a schema describes it.
fn named<'a>(schema: &'a Schema, name: &Name) -> Option<&'a Schema> {
    match schema {
        Schema::Record(record) if record.name == *name => Some(schema),
        Schema::Record(record) => record.fields.iter().find_map(|field| named(&field.schema, name)),
        Schema::Array(array) => named(&array.items, name),
        Schema::Union(union) => union.variants().iter().find_map(|variant| named(variant, name)),
        _ => None,
    }
}

/// A value as a version without some of the fields has it, read by the newest; `roots` are the whole schemas, whose names it refers to.
fn aged(value: Value, (newest, older): (&Schema, &Schema), roots: (&Schema, &Schema)) -> Value {
    match (value, newest, older) {
        (Value::Record(fields), Schema::Record(newest), Schema::Record(older)) => {
            let of = |(name, value): (String, Value)| {
                let now = newest.fields.iter().find(|field| field.name == name).unwrap();
                let value = match older.fields.iter().find(|field| field.name == name) {
                    Some(then) => aged(value, (&now.schema, &then.schema), roots),
                    None => default_of(now.default.clone().unwrap(), &now.schema),
                };
                (name, value)
            };
            Value::Record(fields.into_iter().map(of).collect())
        }
        (Value::Array(items), Schema::Array(newest), Schema::Array(older)) => Value::Array(
            items.into_iter().map(|item| aged(item, (&newest.items, &older.items), roots)).collect(),
        ),
        (Value::Union(variant, value), Schema::Union(newest), Schema::Union(older)) => {
            let of = |schemas: &[Schema]| schemas[variant as usize].clone();
            Value::Union(
                variant,
                Box::new(aged(*value, (&of(newest.variants()), &of(older.variants())), roots)),
            )
        }
        (value, Schema::Ref { name: newest }, Schema::Ref { name: older }) => {
            match (named(roots.0, newest), named(roots.1, older)) {
                (Some(newest), Some(older)) => aged(value, (newest, older), roots),
                _ => value,
            }
        }
        (value, _, _) => value,
    }
}

/// The default of a field. One that may be absent is not resolved: what it would contain may be described elsewhere in its record.
fn default_of(default: serde_json::Value, schema: &Schema) -> Value {
    match schema {
        Schema::Union(union) if default.is_null() && union.variants().first() == Some(&Schema::Null) => {
            Value::Union(0, Box::new(Value::Null))
        }
        _ => Value::try_from(default).unwrap().resolve(schema).unwrap(),
    }
}

fn value(message: &[u8], schema: &Schema) -> Value {
    let reader = GenericDatumReader::builder(schema).build().unwrap();
    reader.read_value(&mut &message[5..]).unwrap()
}

/// Compares what all older versions of a type are read as.
fn compare<T: Record>() -> RecordType {
    let (record, published) = (T::TYPE, versions(T::TYPE));
    let newest = parsed(record, record.schema_text());
    let written = std::fs::read(golden(&format!("{record:?}.v{}.bin", published.len()))).unwrap();
    let written = value(&written, &newest);
    for (version, older) in (1..published.len()).zip(&published) {
        let is = wire::encode(&read::<T>(&format!("{record:?}.v{version}.bin"))).unwrap();
        let expected = aged(written.clone(), (&newest, older), (&newest, older));
        assert_eq!(value(&is, &newest), expected, "{record:?} v{version}");
        assert_ne!(expected, written, "{record:?} v{version} has all fields");
    }
    record
}

#[test]
fn what_an_older_version_does_not_have_is_its_default() {
    all_stay();
    let compared = [
        compare::<Frame>(),
        compare::<BoardEntry>(),
        compare::<CloseSignal>(),
        compare::<StateHead>(),
        compare::<StateLine>(),
        compare::<StatePartition>(),
        compare::<Account>(),
        compare::<ScanRequest>(),
        compare::<WebhookEvent>(),
        compare::<StateWebhookDelivery>(),
        compare::<StateWebhookFailing>(),
        compare::<ResultReport>(),
        compare::<Pick>(),
    ];
    let has_older = |record: &RecordType| record.references().is_empty() && versions(*record).len() > 1;
    let all: Vec<_> = RecordType::ALL.into_iter().filter(has_older).collect();
    assert_eq!(all, compared);
}

/// A record that has another has its versions, and is read as it is.
#[test]
fn an_older_window_has_the_older_entry() {
    all_stay();
    for version in 1..=versions(RecordType::ArbWindow).len() {
        let window = read::<ArbWindow>(&format!("ArbWindow.v{version}.bin"));
        let number = u32::try_from(version).unwrap();
        let number = RecordType::ArbWindow.reference_version(number);
        let entry = read::<BoardEntry>(&format!("BoardEntry.v{number}.bin"));
        let replaced = (version > 3).then(filter_values);
        assert_eq!(window, ArbWindow { change: "opened".into(), entry, replaced }, "v{version}");
    }
}
