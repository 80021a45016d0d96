//! Small files of our own: whole or not at all, and readable by their owner alone.
//!
//! It never leaves half a file behind, and names the file in every error.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use serde::de::DeserializeOwned;
use thiserror::Error;

/// What is wrong with a file.
#[derive(Debug, Error)]
pub enum FileError {
    /// It cannot be read or written.
    #[error("{path}: {error}")]
    Io {
        /// Which.
        path: String,
        /// What the system says.
        error: io::Error,
    },
    /// It is none of ours.
    #[error("{path}: {error}")]
    Format {
        /// Which.
        path: String,
        /// What is wrong.
        error: serde_json::Error,
    },
}

impl FileError {
    /// Whether the file is simply not there.
    pub(crate) fn is_missing(&self) -> bool {
        matches!(self, Self::Io { error, .. } if error.kind() == io::ErrorKind::NotFound)
    }
}

/// Names the file of a system's error.
pub(crate) fn at(path: &Path) -> impl FnOnce(io::Error) -> FileError + use<> {
    let path = path.display().to_string();
    move |error| FileError::Io { path, error }
}

/// Names the file of a JSON error.
pub(crate) fn format(path: &Path) -> impl FnOnce(serde_json::Error) -> FileError + use<> {
    let path = path.display().to_string();
    move |error| FileError::Format { path, error }
}

/// A file's bytes.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, FileError> {
    fs::read(path).map_err(at(path))
}

/// A file's JSON.
pub(crate) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T, FileError> {
    serde_json::from_slice(&read(path)?).map_err(format(path))
}

/// Writes a file beside the old one, then puts it in its place.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    use std::os::unix::fs::OpenOptionsExt;
    let new = path.with_extension("new");
    let mut open = fs::OpenOptions::new();
    let file = open.write(true).create(true).truncate(true).mode(0o600).open(&new);
    let written = file.and_then(|mut file| file.write_all(bytes)).and_then(|()| fs::rename(&new, path));
    written.map_err(at(path))
}
