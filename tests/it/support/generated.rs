//! What the program makes of files and documents: a test compares it, and writes it where the variable of such texts is set.
//!
//! The tests of `arb-api` have this file too. It never writes without the variable.

use std::fs;
use std::path::{Path, PathBuf};

/// The variable of the tables of documents.
pub(crate) const DOCUMENTS: &str = "ARB_WRITE_DOCUMENTS";

fn at(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join(path)
}

/// A file of the repository.
pub(crate) fn read(path: &str) -> String {
    fs::read_to_string(at(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Compares a file of the repository with what the program has.
pub(crate) fn assert_file(variable: &str, path: &str, expected: &str) {
    #[expect(clippy::disallowed_methods, reason = "a switch of tests alone")]
    if std::env::var_os(variable).is_some() {
        fs::write(at(path), expected).unwrap();
    }
    assert!(read(path) == expected, "{path} is another one: {variable}=1 writes it again");
}

/// Compares the rows of the first table below a heading of a document with what the program has.
pub(crate) fn assert_table(path: &str, heading: &str, rows: &str) {
    let text = read(path);
    let start = text.find(&format!("{heading}\n")).unwrap_or_else(|| panic!("{path} has no {heading}"));
    let start = start + text[start..].find("\n|---").unwrap() + 1;
    let start = start + text[start..].find('\n').unwrap() + 1;
    let end = text[start..].find("\n\n").map_or(text.len(), |length| start + length + 1);
    assert_file(DOCUMENTS, path, &[&text[..start], rows, &text[end..]].concat());
}
