//! Standard error as lines of text with one status line below them, which is written again in place.
//!
//! Whatever this process prints while a status line may be shown goes through here, so that no line runs into it. Where
//! standard error is not a terminal there is no status line.

use std::io::{IsTerminal, Write};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use rustix::fs::FileType;

static ERR: LazyLock<Mutex<StatusLine>> = LazyLock::new(|| Mutex::new(StatusLine::default()));

/// Whether standard error is a terminal.
#[must_use]
pub fn is_terminal() -> bool {
    std::io::stderr().is_terminal()
}

/// Whether standard output is a file that other users of this machine may read.
#[must_use]
pub fn is_readable_by_others() -> bool {
    rustix::fs::fstat(std::io::stdout()).is_ok_and(|stat| {
        FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile && stat.st_mode & 0o077 != 0
    })
}

/// Prints a line above the status line.
pub fn print(line: &str) {
    let _ = lock().print(&mut std::io::stderr(), line);
}

/// Shows another status line; an empty one is none.
pub fn status(text: &str) {
    if is_terminal() {
        let _ = lock().show(&mut std::io::stderr(), text, columns());
    }
}

fn lock() -> MutexGuard<'static, StatusLine> {
    ERR.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How many characters a line of the terminal has.
fn columns() -> usize {
    let size = rustix::termios::tcgetwinsize(std::io::stderr());
    size.map_or(0, |size| usize::from(size.ws_col)).max(20)
}

/// Moves to the first column and clears the line (ECMA-48: CR, EL 2).
const CLEAR: &str = "\r\x1b[2K";

/// The status line that is on the screen.
#[derive(Default)]
struct StatusLine {
    shown: String,
}

impl StatusLine {
    fn print(&self, to: &mut impl Write, line: &str) -> std::io::Result<()> {
        let clear = if self.shown.is_empty() { "" } else { CLEAR };
        // One write, so that no other process's line comes between.
        to.write_all(format!("{clear}{line}\n{}", self.shown).as_bytes())?;
        to.flush()
    }

    /// A long text is cut: a line that wraps could not be cleared.
    fn show(&mut self, to: &mut impl Write, text: &str, columns: usize) -> std::io::Result<()> {
        let clear = if self.shown.is_empty() { "" } else { CLEAR };
        self.shown = text.chars().take(columns - 1).collect();
        to.write_all(format!("{clear}{}", self.shown).as_bytes())?;
        to.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_printed_above_the_status_line() {
        let (mut line, mut screen) = (StatusLine::default(), Vec::new());
        line.print(&mut screen, "first").unwrap();
        line.show(&mut screen, "1 poll", 80).unwrap();
        line.print(&mut screen, "second").unwrap();
        line.show(&mut screen, "2 polls", 80).unwrap();
        line.show(&mut screen, "", 80).unwrap();
        line.print(&mut screen, "third").unwrap();
        let expected = "first\n1 poll\r\x1b[2Ksecond\n1 poll\r\x1b[2K2 polls\r\x1b[2Kthird\n";
        assert_eq!(String::from_utf8(screen).unwrap(), expected);
    }

    #[test]
    fn a_status_line_never_wraps() {
        let (mut line, mut screen) = (StatusLine::default(), Vec::new());
        line.show(&mut screen, "0123456789ä123456789", 12).unwrap();
        assert_eq!(String::from_utf8(screen).unwrap(), "0123456789ä");
    }
}
