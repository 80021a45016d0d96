//! Readers of older versions of records, which answer as the newest version.
//!
//! It never reads a version that the table of versions does not have.

use std::sync::LazyLock;

use apache_avro::reader::datum::GenericDatumReader;

use super::versions::{OLDER, Older, RecordType};
use super::{newest, parsed};

/// By schema id.
#[allow(clippy::expect_used)] // The schemas are part of the program; a test parses each.
pub(super) static OLDER_READERS: LazyLock<Vec<(u32, GenericDatumReader<'static>)>> = LazyLock::new(|| {
    OLDER.iter().map(|older| (older.id, older_reader(older).expect("embedded schema"))).collect()
});

fn older_reader(older: &Older) -> Result<GenericDatumReader<'static>, apache_avro::Error> {
    let references = older.record.references().iter();
    let version = older.record.reference_version(older.version);
    let references = references.map(|reference| schema_text(*reference, version)).collect();
    let (written, names) = parsed(older.schema_text, references)?;
    let (newest, new_names) = newest(older.record)?;
    let reader = GenericDatumReader::builder(written).writer_schemata(names)?;
    reader.reader_schema(newest).reader_schemata(new_names)?.build()
}

/// A type's schema as a version had it. A record that refers to another has the versions of that.
fn schema_text(record: RecordType, version: u32) -> &'static str {
    let older = OLDER.iter().find(|older| (older.record, older.version) == (record, version));
    older.map_or_else(|| record.schema_text(), |older| older.schema_text)
}
