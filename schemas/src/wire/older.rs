//! Readers of older versions of records, which answer as the newest version.
//!
//! It never reads a version that the table of versions does not have.

use std::sync::LazyLock;

use apache_avro::from_value;
use apache_avro::reader::datum::GenericDatumReader;
use serde::de::DeserializeOwned;

use super::versions::{OLDER, Older, RecordType};
use super::{newest, parsed};

/// The versions before the newest, each with its reader, by schema id.
pub(super) struct Readers(Vec<(u32, GenericDatumReader<'static>)>);

#[allow(clippy::expect_used)] // The schemas are part of the program; a test parses each.
pub(super) static READERS: LazyLock<Readers> =
    LazyLock::new(|| Readers::of(OLDER).expect("embedded schemas"));

impl Readers {
    fn of(versions: &[Older]) -> Result<Self, apache_avro::Error> {
        let reader = |older: &Older| Ok((older.id, reader(older, versions)?));
        versions.iter().map(reader).collect::<Result<_, _>>().map(Self)
    }

    /// The record of a datum of an older version; `None` where the id is of none.
    pub(super) fn read<T: DeserializeOwned>(
        &self,
        id: u32,
        datum: &mut &[u8],
    ) -> Option<Result<T, apache_avro::Error>> {
        let (_, reader) = self.0.iter().find(|(older, _)| *older == id)?;
        Some(reader.read_value(datum).and_then(|value| from_value(&value)))
    }
}

fn reader(older: &Older, versions: &[Older]) -> Result<GenericDatumReader<'static>, apache_avro::Error> {
    let references = older.record.references().iter();
    let references = references.map(|reference| text(*reference, older.version, versions)).collect();
    let (written, names) = parsed(older.schema_text, references)?;
    let (newest, new_names) = newest(older.record)?;
    let reader = GenericDatumReader::builder(written).writer_schemata(names)?;
    reader.reader_schema(newest).reader_schemata(new_names)?.build()
}

/// A type's schema as a version had it.
fn text(record: RecordType, version: u32, versions: &[Older]) -> &'static str {
    let older = versions.iter().find(|older| (older.record, older.version) == (record, version));
    older.map_or_else(|| record.schema_text(), |older| older.schema_text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::StateClock;
    use crate::wire::{HEADER, Record, encode};

    /// A version of a record that had not the last field of the newest.
    fn without_the_last_field<T: Record>(id: u32) -> Older {
        let text = T::TYPE.schema_text();
        let last = text.rfind(",\n").unwrap();
        Older { id, record: T::TYPE, version: 1, schema_text: format!("{}]}}", &text[..last]).leak() }
    }

    #[test]
    fn what_a_version_does_not_have_is_the_default_of_the_newest() {
        let readers = Readers::of(&[without_the_last_field::<StateClock>(7)]).unwrap();
        let newest = StateClock { now: 17, watermark: 9, leap: Some(4) };
        let expected = StateClock { leap: None, ..newest };
        let written = encode(&expected).unwrap();
        // A null is one byte, the last.
        let mut datum = &written[HEADER..written.len() - 1];
        let read: StateClock = readers.read(7, &mut datum).unwrap().unwrap();
        assert_eq!((read, datum), (expected, &[][..]));
        assert!(readers.read::<StateClock>(8, &mut datum).is_none());
    }
}
