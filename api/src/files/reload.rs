//! The content of a file, read again when the file has changed.
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
    path: PathBuf,
    value: RwLock<T>,
    seen: Mutex<Seen>,
}

/// Which states of the file are known.
#[derive(Debug)]
struct Seen {
    read: Stamp,
    /// The state of a file that could not be read and was reported.
    refused: Option<Stamp>,
}

impl<T: FromFile> Reloaded<T> {
    /// Reads a file for the first time.
    ///
    /// # Errors
    /// That of the reading.
    pub fn open(path: PathBuf) -> Result<Self, T::Error> {
        // Before it is read: what changes in between is read again.
        let seen = Mutex::new(Seen { read: Stamp::of(&path), refused: None });
        let value = RwLock::new(T::read(&path)?);
        Ok(Self { path, value, seen })
    }

    /// Passes the current content to a function; a change waits until it returns.
    pub(crate) fn with<A>(&self, question: impl FnOnce(&T) -> A) -> A {
        question(&self.value.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Reads it again, if it has changed: whether there is something new.
    pub(crate) fn reload_if_changed(&self) -> bool {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let stamp = Stamp::of(&self.path);
        if stamp == seen.read {
            return false;
        }
        match T::read(&self.path) {
            Ok(value) => {
                *self.value.write().unwrap_or_else(PoisonError::into_inner) = value;
                *seen = Seen { read: stamp, refused: None };
                tracing::info!(path = %self.path.display(), "read again");
                true
            }
            // Once for each state of it, though it is tried again: the reason may lie elsewhere.
            Err(error) => {
                if seen.refused.replace(stamp) != Some(stamp) {
                    tracing::warn!(%error, "the file cannot be read: its last content stays in use");
                }
                false
            }
        }
    }
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
