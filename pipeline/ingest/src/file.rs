//! What all files of polls share: their bytes, unpacked on the way, their name as a source, and how far times may jump.
//!
//! It never unpacks a file to disk, and never looks into one.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use arb_schemas::time::{Micros, SECOND};

use super::source::SourceError;

/// Window of the decoder: recordings are packed with `--long=27`.
const WINDOW_LOG: u32 = 27;

/// A poll this long after the one before it has a wrong time: if it were accepted, all polls after it would
/// be late.
pub(super) const JUMP: Micros = 366 * 86_400 * SECOND;

/// The bytes of a file, unpacked on the way if it is packed.
///
/// # Errors
/// [`SourceError::Io`] with the path.
pub fn reader(path: &Path) -> Result<Box<dyn BufRead + Send>, SourceError> {
    let io = |error| SourceError::Io { what: path.display().to_string(), error };
    let file = File::open(path).map_err(io)?;
    if path.extension().is_none_or(|extension| extension != "zst") {
        return Ok(Box::new(BufReader::with_capacity(1 << 20, file)));
    }
    let mut decoder = zstd::Decoder::new(file).map_err(io)?;
    decoder.window_log_max(WINDOW_LOG).map_err(io)?;
    Ok(Box::new(BufReader::with_capacity(1 << 20, decoder)))
}

/// What a source that reads this file is called.
pub(super) fn name(path: &Path) -> String {
    let stem = path.file_name().unwrap_or_default().to_string_lossy();
    format!("the-odds-api/{}", stem.split('.').next().unwrap_or_default())
}
