//! The schemas of `avro/` are what is written from the declarations of records, one file for each type of record.
//!
//! A schema that changes is seen here before a client sees it. It never knows what a schema has to say.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use arb_schemas::wire::RecordType;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("avro")
}

#[test]
fn the_schemas_that_are_checked_in_are_those_of_the_declarations() {
    #[expect(clippy::disallowed_methods, reason = "a switch of this test alone")]
    let is_written = std::env::var_os("ARB_WRITE_AVRO").is_some();
    for record in RecordType::ALL {
        let file = folder().join(format!("{record:?}.avsc"));
        if is_written {
            std::fs::write(&file, record.schema_text()).unwrap();
        }
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        assert!(
            text == record.schema_text(),
            "{}: ARB_WRITE_AVRO=1 cargo test -p arb-schemas --test avro",
            file.display()
        );
    }
}

#[test]
fn no_schema_is_left_of_a_record_that_is_gone() {
    let names = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().file_name());
    let found: BTreeSet<_> = names.map(|name| name.into_string().unwrap()).collect();
    assert_eq!(found, RecordType::ALL.map(|record| format!("{record:?}.avsc")).into());
}
