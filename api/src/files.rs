//! Small files that an operator writes, and which state of a file was read.
//!
//! It never writes one, and names the file in every error.

pub mod reload;

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use serde::de::DeserializeOwned;
use thiserror::Error;

/// What is wrong with a file.
#[derive(Debug, Error)]
pub enum FileError {
    /// It cannot be read.
    #[error("{path}: {error}")]
    Io {
        /// The path.
        path: String,
        /// The error of the operating system.
        error: io::Error,
    },
    /// It is none of ours.
    #[error("{path}: {error}")]
    Format {
        /// The path.
        path: String,
        /// The error.
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
#[cfg(test)]
pub(crate) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let new = path.with_extension("new");
    fs::write(&new, bytes)?;
    fs::rename(&new, path)
}

/// Identifies one state of a file: whoever replaces it gives it another inode, and whoever writes into it changes its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp(Option<(u64, u64, i64, i64)>);

impl Stamp {
    /// Of a file as it is now; where there is none, that.
    pub(crate) fn of(path: &Path) -> Self {
        let stamp = |file: fs::Metadata| (file.ino(), file.size(), file.mtime(), file.mtime_nsec());
        Self(fs::metadata(path).ok().map(stamp))
    }
}
