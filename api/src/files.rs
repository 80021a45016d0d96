//! Small files of our own: whole or not at all, and readable by their owner alone.
//!
//! It never leaves half a file behind, not even when the power fails, and names the file in every error. Two that write
//! the same file at one time would write into one another: whoever calls sees to it that there is one.

pub mod reload;

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
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

/// Writes a file beside the old one, then puts it in its place; it is on the disk when this returns.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    replace(path, bytes).map_err(at(path))
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let new = path.with_extension("new");
    let replaced = write_new(&new, bytes).and_then(|()| fs::rename(&new, path));
    if let Err(error) = replaced {
        // Half of it, or nothing: on a full disk it would stay.
        let _ = fs::remove_file(&new);
        return Err(error);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

fn write_new(new: &Path, bytes: &[u8]) -> io::Result<()> {
    use std::os::unix::fs::OpenOptionsExt;
    let mut open = fs::OpenOptions::new();
    let mut file = open.write(true).create(true).truncate(true).mode(0o600).open(new)?;
    file.write_all(bytes)?;
    // Else the name may be on the disk before the bytes are: an empty file, after a power cut.
    file.sync_all()
}

/// What tells one state of a file from another: every change of ours gives it another inode, others' another time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp(Option<(u64, u64, i64, i64)>);

impl Stamp {
    /// Of a file as it is now; where there is none, that.
    pub(crate) fn of(path: &Path) -> Self {
        let stamp = |file: fs::Metadata| (file.ino(), file.size(), file.mtime(), file.mtime_nsec());
        Self(fs::metadata(path).ok().map(stamp))
    }
}
