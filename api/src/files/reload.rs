//! The content of a file, or of a few that belong together, read again when one of them has changed.
//!
//! A caller gets the content that was read last, and never waits for a disk. A file that cannot be read, or
//! has another format, changes nothing: the earlier content stays, and the log has the reason.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, RwLock};

use crate::files::Stamp;

/// What can be read from a file.
pub trait FromFile: Sized {
    /// Why it cannot.
    type Error: Display;

    /// Reads it.
    ///
    /// # Errors
    /// The error of the file format.
    fn read(path: &Path) -> Result<Self, Self::Error>;
}

/// The content that was read last.
#[derive(Debug)]
pub struct Reloaded<T> {
    paths: Vec<PathBuf>,
    read: ReadFiles<T>,
    value: RwLock<T>,
    seen: Mutex<Seen>,
}

/// Reads the content of these files, or returns why it cannot.
type ReadFiles<T> = fn(&[PathBuf]) -> Result<T, String>;

/// Which states of the files are known.
#[derive(Debug)]
struct Seen {
    read: Vec<Stamp>,
    /// The states of files that could not be read and were reported.
    refused: Option<Vec<Stamp>>,
}

impl<T: FromFile> Reloaded<T> {
    /// Reads a file for the first time.
    ///
    /// # Errors
    /// That of the reading.
    pub fn open(path: PathBuf) -> Result<Self, T::Error> {
        let paths = vec![path];
        // Before it is read: what changes in between is read again.
        let stamps = stamps(&paths);
        let value = T::read(&paths[0])?;
        let read = |paths: &[PathBuf]| T::read(&paths[0]).map_err(|error| error.to_string());
        Ok(Self::begin(paths, read, stamps, value))
    }
}

impl<T> Reloaded<T> {
    /// Reads files that belong together for the first time.
    ///
    /// # Errors
    /// That of the reading.
    pub(crate) fn open_together(paths: Vec<PathBuf>, read: ReadFiles<T>) -> Result<Self, String> {
        let stamps = stamps(&paths);
        let value = read(&paths)?;
        Ok(Self::begin(paths, read, stamps, value))
    }

    fn begin(paths: Vec<PathBuf>, read: ReadFiles<T>, stamps: Vec<Stamp>, value: T) -> Self {
        let seen = Mutex::new(Seen { read: stamps, refused: None });
        Self { paths, read, value: RwLock::new(value), seen }
    }

    /// Passes the current content to a function; a change waits until it returns.
    pub(crate) fn with<A>(&self, question: impl FnOnce(&T) -> A) -> A {
        question(&self.value.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Reads it again, if it has changed: whether there is something new.
    pub(crate) fn reload_if_changed(&self) -> bool {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let stamps = stamps(&self.paths);
        if stamps == seen.read {
            return false;
        }
        match (self.read)(&self.paths) {
            Ok(value) => {
                *self.value.write().unwrap_or_else(PoisonError::into_inner) = value;
                *seen = Seen { read: stamps, refused: None };
                tracing::info!(path = %self.paths[0].display(), "read again");
                true
            }
            // Once for each state of it, though it is tried again: the reason may lie elsewhere.
            Err(error) => {
                if seen.refused.as_ref() != Some(&stamps) {
                    seen.refused = Some(stamps);
                    tracing::warn!(%error, "the file cannot be read: its last content stays in use");
                }
                false
            }
        }
    }
}

fn stamps(paths: &[PathBuf]) -> Vec<Stamp> {
    paths.iter().map(|path| Stamp::of(path)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::plan::{Plan, Plans};

    #[test]
    fn a_change_is_seen_and_nonsense_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("plans.json");
        let plans = Reloaded::<Plans>::open(path.clone()).unwrap();
        let quota = || {
            plans.reload_if_changed();
            plans.with(|plans| plans.quota(Plan::Free))
        };
        assert_eq!(quota(), 1_000, "there is no file");
        for (text, expected) in
            [(r#"{"free": 3}"#, 3), (r#"{"free": 4}"#, 4), ("nonsense", 4), (r#"{"free": 5}"#, 5)]
        {
            crate::files::write(&path, text.as_bytes()).unwrap();
            assert_eq!(quota(), expected, "{text}");
        }
        std::fs::remove_file(&path).unwrap();
        assert_eq!(quota(), 1_000, "there is none again");
    }

    #[test]
    fn a_file_that_cannot_be_read_at_first_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("plans.json"), "nonsense").unwrap();
        assert!(Reloaded::<Plans>::open(folder.path().join("plans.json")).is_err());
    }
}
