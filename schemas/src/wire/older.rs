//! Older versions of records: their schemas, and readers that answer as the newest version.
//!
//! A version that was published is never removed from here, and never changed.

use std::sync::LazyLock;

use apache_avro::reader::datum::GenericDatumReader;

use super::{RecordType, newest, parsed};

/// Schema ids of the changelog's layout before `StateHead` and `StateLine`, a record for a whole market. They are never used
/// again, and what they wrote is not read: it is computed again from the ticks.
pub(super) const MARKET_LAYOUT: [u32; 3] = [10, 23, 28];

/// An older version of a type of record, readable for ever.
pub(super) struct Older {
    pub(super) id: u32,
    pub(super) record: RecordType,
    schema_text: &'static str,
    /// The schemas that it refers to by name, as they were then.
    references: &'static [&'static str],
}

/// Frames of before limits, which [`crate::view`] reads too.
pub(crate) const FRAME_V1: u32 = 1;
const BOARD_ENTRY_V1: &str = include_str!("../../golden/BoardEntry.v1.avsc");
const BOARD_ENTRY_V2: &str = include_str!("../../golden/BoardEntry.v2.avsc");

pub(super) const OLDER: &[Older] = &[
    Older {
        id: 12,
        record: RecordType::StatePartition,
        schema_text: include_str!("../../golden/StatePartition.v1.avsc"),
        references: &[],
    },
    Older {
        id: FRAME_V1,
        record: RecordType::Frame,
        schema_text: include_str!("../../golden/Frame.v1.avsc"),
        references: &[],
    },
    Older { id: 4, record: RecordType::BoardEntry, schema_text: BOARD_ENTRY_V1, references: &[] },
    Older {
        id: 6,
        record: RecordType::ArbWindow,
        schema_text: include_str!("../../golden/ArbWindow.v1.avsc"),
        references: &[BOARD_ENTRY_V1],
    },
    Older { id: 20, record: RecordType::BoardEntry, schema_text: BOARD_ENTRY_V2, references: &[] },
    Older {
        id: 21,
        record: RecordType::ArbWindow,
        schema_text: include_str!("../../golden/ArbWindow.v2.avsc"),
        references: &[BOARD_ENTRY_V2],
    },
    Older {
        id: 7,
        record: RecordType::CloseSignal,
        schema_text: include_str!("../../golden/CloseSignal.v1.avsc"),
        references: &[],
    },
    Older {
        id: 13,
        record: RecordType::CloseSignal,
        schema_text: include_str!("../../golden/CloseSignal.v2.avsc"),
        references: &[],
    },
];

/// Readers of older versions, which answer as the newest.
#[allow(clippy::expect_used)] // As above.
pub(super) static OLDER_READERS: LazyLock<Vec<(u32, GenericDatumReader<'static>)>> = LazyLock::new(|| {
    OLDER.iter().map(|older| (older.id, older_reader(older).expect("embedded schema"))).collect()
});

fn older_reader(older: &Older) -> Result<GenericDatumReader<'static>, apache_avro::Error> {
    let (written, names) = parsed(older.schema_text, older.references.to_vec())?;
    let (newest, new_names) = newest(older.record)?;
    let reader = GenericDatumReader::builder(written).writer_schemata(names)?;
    reader.reader_schema(newest).reader_schemata(new_names)?.build()
}
