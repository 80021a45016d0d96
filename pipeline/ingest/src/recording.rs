//! Recordings: one poll a line, as JSON lines, plain (`.jsonl`) or zstd (`.zst`), streamed; or a table, see
//! [`super::table`].
//!
//! A line is `{"polled_at": RFC 3339, "events": [...]}`, `events` being the API's own array. It never holds more
//! than a line, and never unpacks a file to disk.

use std::io::{BufRead, ErrorKind, Read};
use std::path::{Path, PathBuf};

use arb_model::Faults;
use arb_schemas::time::Micros;

use super::file::{JUMP, name, reader};
use super::skew::Corrected;
use super::source::{Poll, Source, SourceError};
use super::table::Table;
use super::the_odds_api::{Decoder, OddsFormat};

/// Longest line that is read, in bytes.
const MAX_LINE: u64 = 64 * 1024 * 1024;

/// Opens a recording of either form, by its name: `.csv` and `.csv.zst` are tables, whose prices are decimal; any other is JSON
/// lines, whose prices have this format. Polls that a machine with a clock behind its source's recorded are corrected.
///
/// # Errors
/// [`SourceError::Io`].
pub fn open(path: &Path, format: OddsFormat) -> Result<Box<dyn Source>, SourceError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let is_table = [".csv", ".csv.zst"].iter().any(|ending| name.ends_with(ending));
    Ok(if is_table {
        Box::new(Corrected::new(Table::open(path)?))
    } else {
        Box::new(Corrected::new(Recording::open(path, format)?))
    })
}

/// A recording as a source.
pub struct Recording {
    path: PathBuf,
    name: String,
    lines: Lines,
    decoder: Decoder,
    last: Option<Micros>,
}

/// The lines of a recording.
struct Lines {
    reader: Box<dyn BufRead + Send>,
    line: String,
    read: u64,
}

impl Recording {
    /// Opens a file whose prices have this format.
    ///
    /// # Errors
    /// [`SourceError::Io`].
    pub fn open(path: &Path, format: OddsFormat) -> Result<Self, SourceError> {
        Ok(Self {
            path: path.to_owned(),
            name: name(path),
            lines: Lines { reader: reader(path)?, line: String::new(), read: 0 },
            decoder: Decoder::new(format),
            last: None,
        })
    }
}

impl Lines {
    /// The next line; `None` at the end.
    fn next(&mut self) -> std::io::Result<Option<&str>> {
        self.line.clear();
        let mut bytes = std::mem::take(&mut self.line).into_bytes();
        let read = (&mut self.reader).take(MAX_LINE).read_until(b'\n', &mut bytes)?;
        self.read += 1;
        // What is no UTF-8 costs its event alone, which the decoder finds by the sign in its place.
        let lossy =
            |error: std::string::FromUtf8Error| String::from_utf8_lossy(error.as_bytes()).into_owned();
        self.line = String::from_utf8(bytes).unwrap_or_else(lossy);
        Ok((read > 0).then_some(&self.line))
    }
}

impl Source for Recording {
    fn name(&self) -> &str {
        &self.name
    }

    fn next_poll(&mut self, faults: &mut Faults) -> Result<Option<Poll>, SourceError> {
        loop {
            let lines = self.lines.read;
            let what = || self.path.display().to_string();
            let line = match self.lines.next() {
                Ok(Some(line)) => line,
                Ok(None) => return Ok(None),
                Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
                    return Err(SourceError::Truncated { what: what(), lines, error });
                }
                Err(error) => return Err(SourceError::Io { what: what(), error }),
            };
            let Some(poll) = self.decoder.recorded(line, faults) else { continue };
            if self.last.is_some_and(|last| poll.received_at > last + JUMP) {
                faults.count("polled_at", "a year after the last");
                continue;
            }
            self.last = Some(poll.received_at);
            return Ok(Some(poll));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    const LINES: &str = "{\"polled_at\":\"2026-06-06T04:52:30Z\",\"events\":[]}\n\
                         {\"polled_at\":\n\
                         {\"polled_at\":\"2026-06-06T04:57:30Z\",\"events\":[]}\n";

    fn read(path: &Path) -> (u64, Faults, Option<SourceError>) {
        let (mut polls, mut faults) = (0, Faults::default());
        let mut recording = Recording::open(path, OddsFormat::American).unwrap();
        loop {
            match recording.next_poll(&mut faults) {
                Ok(Some(_)) => polls += 1,
                Ok(None) => return (polls, faults, None),
                Err(error) => return (polls, faults, Some(error)),
            }
        }
    }

    #[test]
    fn a_broken_line_is_counted_and_the_rest_is_read() {
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes) in [
            ("r.jsonl", LINES.as_bytes().to_vec()),
            ("r.jsonl.zst", zstd::encode_all(LINES.as_bytes(), 3).unwrap()),
        ] {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            let (polls, faults, error) = read(&path);
            assert_eq!((polls, faults.of("line", "is no JSON")), (2, 1), "{name}");
            assert!(error.is_none());
        }
    }

    #[test]
    fn a_truncated_file_gives_what_is_there_and_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.jsonl.zst");
        let mut encoder = zstd::Encoder::new(Vec::new(), 3).unwrap();
        encoder.write_all(LINES.as_bytes()).unwrap();
        encoder.flush().unwrap();
        // A second block that is cut.
        encoder.write_all(LINES.repeat(50).as_bytes()).unwrap();
        let bytes = encoder.finish().unwrap();
        std::fs::write(&path, &bytes[..bytes.len() - 6]).unwrap();
        let (polls, _, error) = read(&path);
        assert_eq!(polls, 2);
        let message = error.expect("an error").to_string();
        assert!(message.contains("r.jsonl.zst is cut off after 3 lines"), "{message}");
    }

    #[test]
    fn a_time_far_ahead_does_not_make_the_rest_late() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.jsonl");
        let poll = |at: &str| format!("{{\"polled_at\":\"{at}\",\"events\":[]}}\n");
        std::fs::write(
            &path,
            ["2026-06-06T04:52:30Z", "2099-12-30T00:00:00Z", "2026-06-06T04:57:30Z"].map(poll).concat(),
        )
        .unwrap();
        let (polls, faults, _) = read(&path);
        assert_eq!((polls, faults.of("polled_at", "a year after the last")), (2, 1));
    }

    #[test]
    fn a_missing_file_is_named() {
        let error = Recording::open(Path::new("nowhere.jsonl"), OddsFormat::American).err().unwrap();
        assert!(error.to_string().starts_with("nowhere.jsonl: "), "{error}");
    }
}
