//! The folder of a test: removed with it, but kept where the test fails, with the last lines of its logs on the test's output.
//!
//! It must never remove what a failed test leaves, nor show anything of a test that passes.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::program::last_lines;

/// How many lines of a log are shown.
const LINES: usize = 60;
/// How deep logs are looked for: below are the segments of Kafka's partitions.
const DEPTH: usize = 2;
/// Marks of lines that are not shown: what went well, and the client library's reports of each connection.
const QUIET: [&str; 7] =
    ["INFO", " DEBUG ", " TRACE ", " librdkafka: ", "<Information>", "<Debug>", "<Trace>"];

/// A folder of the test's own.
pub(crate) struct Scratch(TempDir);

impl Scratch {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Keeps it, and shows what failed in it.
    pub(crate) fn keep(&mut self) {
        keep(&mut self.0);
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.keep();
        }
    }
}

/// Keeps a folder of a test that failed, and shows the last lines of its logs.
pub(crate) fn keep(folder: &mut TempDir) {
    folder.disable_cleanup(true);
    eprintln!("kept: {}", folder.path().display());
    show(folder.path());
}

/// Shows the last lines of the logs in a folder.
pub(crate) fn show(folder: &Path) {
    for log in logs(folder, DEPTH) {
        let text = String::from_utf8_lossy(&std::fs::read(&log).unwrap_or_default()).into_owned();
        let last = last_lines(&text, LINES, |line| !QUIET.iter().any(|mark| line.contains(mark)));
        if !last.is_empty() {
            eprintln!("{}, its last lines without INFO:\n{last}", log.display());
        }
    }
}

/// The files of logs, in the order of their names.
fn logs(folder: &Path, depth: usize) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut entries: Vec<_> = entries.collect();
    entries.sort();
    let is_log = |path: &Path| path.extension().is_some_and(|it| it == "log" || it == "out");
    let below = |path: PathBuf| match path.is_dir() {
        // The download is shared, not the test's.
        true if depth > 1 && !path.is_symlink() => logs(&path, depth - 1),
        false if is_log(&path) => vec![path],
        _ => Vec::new(),
    };
    entries.into_iter().flat_map(below).collect()
}

#[test]
fn the_folder_of_a_failed_test_is_kept_and_that_of_another_is_not() {
    let failed = std::thread::spawn(|| {
        let scratch = Scratch::new();
        std::fs::write(scratch.path().join("role.log"), "INFO well\nERROR not well\n").unwrap();
        std::panic::panic_any(scratch.path().to_owned());
    });
    let left = failed.join().unwrap_err().downcast::<PathBuf>().unwrap();
    assert_eq!(logs(&left, DEPTH), [left.join("role.log")]);
    std::fs::remove_dir_all(&*left).unwrap();
    let passed = Scratch::new().path().to_owned();
    assert!(!passed.exists());
}
