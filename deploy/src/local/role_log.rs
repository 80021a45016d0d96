//! The log of a role that `arb up` runs: a file with a bound, and what of it comes through to the terminal.
//!
//! An error comes through as one sentence with the place of the log. It never keeps a line from the terminal that it could not write.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use arb_setup::terminal;

use crate::cli::Logs;
use crate::local::home;
use crate::system::output;

/// A file that is longer becomes the former one, of which one is kept.
const LONGEST: u64 = 16 * 1024 * 1024;

/// Where the logs of all roles are.
#[derive(Debug, Clone)]
pub(crate) struct RoleLogs {
    folder: PathBuf,
    /// Whether every line comes through.
    is_verbose: bool,
}

impl RoleLogs {
    /// In a home folder.
    ///
    /// # Errors
    /// When the folder cannot be made.
    pub(crate) fn open(home: &Path, is_verbose: bool) -> anyhow::Result<Self> {
        let folder = home::logs(home);
        arb_setup::home::make_private(&folder)?;
        Ok(Self { folder, is_verbose })
    }

    /// The log of a role.
    pub(crate) fn path(&self, role: &str) -> PathBuf {
        file(&self.folder, role)
    }

    /// Writes what a role logs, until it has ended.
    pub(crate) fn follow(&self, role: &str, from: impl Read) {
        let path = self.path(role);
        let (mut lines, mut line) = (BufReader::new(from), Vec::new());
        let mut last = String::new();
        let mut to = append(&path).ok();
        while lines.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
            let is_written = to.as_mut().is_some_and(|to| to.write_all(&line).is_ok());
            let text = String::from_utf8_lossy(&line);
            let text = text.trim_end_matches('\n');
            if self.is_verbose || !is_written {
                terminal::print(text);
            } else if let Some(error) = error(text).filter(|error| *error != last) {
                terminal::print(&format!("{role}: {error} (log: {})", path.display()));
                last = error;
            }
            line.clear();
            if to.as_ref().is_none_or(is_long) {
                to = append(&path).ok();
            }
        }
    }
}

fn file(folder: &Path, role: &str) -> PathBuf {
    folder.join(role).with_extension("log")
}

fn former(path: &Path) -> PathBuf {
    path.with_extension("log.1")
}

fn is_long(file: &File) -> bool {
    file.metadata().is_ok_and(|about| about.len() >= LONGEST)
}

/// A file to write to its end; one that is too long is moved away before.
fn append(path: &Path) -> std::io::Result<File> {
    let open = || File::options().create(true).append(true).open(path);
    let found = open()?;
    if !is_long(&found) {
        return Ok(found);
    }
    fs::rename(path, former(path))?;
    open()
}

/// What a line of a log says, if it is that of an error, in either format.
fn error(line: &str) -> Option<String> {
    if line.contains("panicked at") {
        return Some(line.to_owned());
    }
    if let Ok(object) = serde_json::from_str::<serde_json::Value>(line) {
        let is_error = object["level"] == "ERROR";
        return is_error.then(|| object["fields"]["message"].as_str().unwrap_or(line).to_owned());
    }
    // The role, the time, the level, the module, and what is said.
    let (head, rest) = line.split_once(" ERROR ")?;
    let (_, said) = rest.split_once(": ")?;
    (head.split_whitespace().count() == 2).then(|| said.to_owned())
}

/// `arb logs`: which logs there are, or one of them.
pub(crate) fn show(config: &Logs) -> anyhow::Result<()> {
    let folder = home::logs(&config.home.home);
    let entries =
        fs::read_dir(&folder).with_context(|| format!("{}: no arb up has run there", folder.display()))?;
    let names = entries.filter_map(|entry| entry.ok()?.path().file_name()?.to_str().map(str::to_owned));
    let mut roles: Vec<_> = names.filter_map(|name| name.strip_suffix(".log").map(str::to_owned)).collect();
    roles.sort();
    let Some(role) = &config.role else {
        return roles.iter().try_for_each(|role| {
            let path = file(&folder, role);
            let kib = fs::metadata(&path).map_or(0, |about| about.len().div_ceil(1024));
            output::write(format_args!("{role}\t{kib} KiB\t{}\n", path.display()))
        });
    };
    if !roles.contains(role) {
        bail!("there is no log of {role}: there are those of {}", roles.join(", "));
    }
    let path = file(&folder, role);
    for path in [former(&path), path].iter().filter(|path| path.exists()) {
        let bytes = fs::read(path).with_context(|| path.display().to_string())?;
        output::write(String::from_utf8_lossy(&bytes))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_found_in_either_format_and_nothing_else_is_one() {
        let text = "process 2026-11-28T00:38:37.185690Z ERROR arb_runtime::pump: it ended error=no disk";
        assert_eq!(error(text).as_deref(), Some("it ended error=no disk"));
        let json = r#"{"role":"process","level":"ERROR","fields":{"message":"it ended"},"target":"arb"}"#;
        assert_eq!(error(json).as_deref(), Some("it ended"));
        assert!(error("thread 'main' panicked at src/main.rs:3:5:").is_some());
        for other in [
            "process 2026-11-28T00:38:37.185690Z  WARN arb_kafka: the broker said ERROR x: y",
            r#"{"role":"process","level":"WARN","fields":{"message":"ERROR "}}"#,
            "",
        ] {
            assert_eq!(error(other), None, "{other}");
        }
    }

    #[test]
    fn a_log_goes_on_where_it_was_and_has_a_bound() {
        let home = tempfile::tempdir().unwrap();
        let logs = RoleLogs::open(home.path(), false).unwrap();
        logs.follow("process", &b"one\n"[..]);
        logs.follow("process", &b"two\nthree"[..]);
        let path = logs.path("process");
        assert_eq!(fs::read_to_string(&path).unwrap(), "one\ntwo\nthree");
        File::options().write(true).open(&path).unwrap().set_len(LONGEST).unwrap();
        logs.follow("process", &b"four\n"[..]);
        assert_eq!(fs::read_to_string(&path).unwrap(), "four\n");
        assert_eq!(fs::metadata(former(&path)).unwrap().len(), LONGEST);
    }
}
