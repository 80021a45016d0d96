//! The published schemas as a Confluent Schema Registry names them: ids, subjects, versions, references.
//!
//! A record type is a subject by its full name (the strategy `RecordNameStrategy`), because a topic holds several types.
//! It never gives a schema out that the table of versions does not have, and nothing can be registered.
//!
//! Source: Confluent Schema Registry, "API reference".

use serde::Serialize;

use crate::topics::{self, Topic};
use crate::wire::RecordType;
use crate::wire::schema::NAMESPACE;
use crate::wire::versions::OLDER;

/// A version of a type of record, as it was published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PublishedSchema {
    /// The id in the header of its messages.
    pub id: u32,
    /// Which type of record.
    pub record: RecordType,
    /// Which version of it, from 1.
    pub version: u32,
    /// The Avro schema, JSON.
    pub text: &'static str,
}

/// How a schema names one that it refers to, in the API of a registry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SchemaReference {
    /// The full name of the record.
    pub name: String,
    /// The subject that has it.
    pub subject: String,
    /// Which version of the subject.
    pub version: u32,
}

impl PublishedSchema {
    /// Its subject: the full name of the record.
    #[must_use]
    pub fn subject(&self) -> String {
        subject(self.record)
    }

    /// The schemas that it refers to by name, each in the version that it was published with.
    pub fn references(&self) -> impl Iterator<Item = Self> {
        let version = self.version;
        let of = move |record: &RecordType| all().find(|one| (one.record, one.version) == (*record, version));
        self.record.references().iter().filter_map(of)
    }

    /// The same as a registry lists them.
    #[must_use]
    pub fn named_references(&self) -> Vec<SchemaReference> {
        let named =
            |of: Self| SchemaReference { name: of.subject(), subject: of.subject(), version: of.version };
        self.references().map(named).collect()
    }

    /// The topics that may hold its messages.
    pub fn topics(&self) -> impl Iterator<Item = &'static Topic> {
        let record = self.record;
        topics::ALL.iter().filter(move |topic| topic.records.contains(&record))
    }
}

/// The subject of a type of record.
#[must_use]
pub fn subject(record: RecordType) -> String {
    format!("{NAMESPACE}.{record:?}")
}

/// Every version of every type of record, by type, the oldest first.
pub fn all() -> impl Iterator<Item = PublishedSchema> {
    RecordType::ALL.into_iter().flat_map(|record| {
        let older = OLDER.iter().filter(move |older| older.record == record);
        let older = older.map(move |older| PublishedSchema {
            id: older.id,
            record,
            version: older.version,
            text: older.schema_text,
        });
        let version = u32::try_from(older.clone().count()).unwrap_or(u32::MAX).saturating_add(1);
        let newest = PublishedSchema { id: record as u32, record, version, text: record.schema_text() };
        older.chain([newest])
    })
}

#[cfg(test)]
mod tests {
    use apache_avro::Schema;

    use super::*;

    #[test]
    fn a_subject_is_the_name_in_its_schemas() {
        for schema in all() {
            let references: Vec<_> = schema.references().map(|reference| reference.text).collect();
            let Schema::Record(parsed) = Schema::parse_str_with_list(schema.text, references).unwrap().0
            else {
                panic!("{schema:?}")
            };
            assert_eq!(parsed.name.fullname(None), schema.subject());
        }
    }

    #[test]
    fn a_schema_parses_with_the_references_that_it_names() {
        for schema in all() {
            let references: Vec<_> = schema.references().map(|reference| reference.text).collect();
            assert_eq!(references.len(), schema.record.references().len(), "{schema:?}");
            Schema::parse_str_with_list(schema.text, references).unwrap();
        }
    }

    #[test]
    fn a_record_is_of_the_version_that_is_written_and_refers_to_the_same_of_its_reference() {
        let windows: Vec<_> = all().filter(|schema| schema.record == RecordType::ArbWindow).collect();
        let [window] = windows[..] else { panic!("{windows:?}") };
        assert_eq!((window.version, window.id), (1, RecordType::ArbWindow as u32));
        let entry = window.references().next().unwrap();
        let id = RecordType::BoardEntry as u32;
        assert_eq!((entry.subject().as_str(), entry.version, entry.id), ("arb.v1.BoardEntry", 1, id));
        assert!(window.topics().any(|topic| topic.name == "feed.events.v1"));
    }
}
