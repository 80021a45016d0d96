//! A password from a file, the terminal or standard input. It is never shown: the terminal does not echo it, and echoes again
//! however the question ends. Ctrl-C comes as a character meanwhile, and SIGTERM ends the question, so that no signal ends the process
//! before that.

use std::fs;
use std::io::{self, BufRead, ErrorKind, IsTerminal, Write, stderr, stdin};
use std::path::Path;

use anyhow::{Context, bail};
use arb_runtime::stop::Stop;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr};

use super::signals::Question;

/// How often it is looked whether the process is asked to end.
const CHECK: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };
/// Ctrl-C.
const INTERRUPT: u8 = 3;

/// Of a file; without one of the terminal, asked for twice, or the first line of standard input.
///
/// # Errors
/// When it cannot be read, is empty, or two that were typed differ.
pub(crate) fn read(file: Option<&Path>) -> anyhow::Result<String> {
    let password = match file {
        Some(path) => first_line(&fs::read_to_string(path).with_context(|| path.display().to_string())?),
        None if stdin().is_terminal() => typed_twice()?,
        None => line()?,
    };
    if password.is_empty() {
        bail!("the password is empty: give --password-file, or write it to standard input");
    }
    Ok(password)
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}

fn line() -> anyhow::Result<String> {
    let mut text = String::new();
    stdin().lock().read_line(&mut text).context("standard input")?;
    Ok(first_line(&text))
}

fn typed_twice() -> anyhow::Result<String> {
    let question = Question::begin()?;
    let first = typed("password: ", &question.stop)?;
    if typed("again: ", &question.stop)? != first {
        bail!("the passwords differ");
    }
    Ok(first)
}

fn typed(prompt: &str, stop: &Stop) -> anyhow::Result<String> {
    let mut error = stderr();
    write!(error, "{prompt}").and_then(|()| error.flush())?;
    let before = tcgetattr(stdin())?;
    tcsetattr(stdin(), OptionalActions::Flush, &silent(before.clone()))?;
    let typed = while_running(stop).and_then(|()| typed_line(&mut stdin().lock()));
    tcsetattr(stdin(), OptionalActions::Flush, &before)?;
    writeln!(error)?;
    typed.context("the password")
}

/// Waits until a line was typed; an error when the process is asked to end before that.
fn while_running(stop: &Stop) -> io::Result<()> {
    let input = stdin();
    loop {
        if stop.is_stopped() {
            return Err(ErrorKind::Interrupted.into());
        }
        let mut waits = [PollFd::new(&input, PollFlags::IN)];
        match poll(&mut waits, Some(&CHECK)) {
            Ok(0) | Err(Errno::INTR) => {}
            Ok(_) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
    }
}

/// A terminal that echoes nothing, and for which Ctrl-C ends a line.
fn silent(mut terminal: Termios) -> Termios {
    terminal.local_modes.remove(LocalModes::ECHO | LocalModes::ISIG);
    terminal.special_codes[SpecialCodeIndex::VEOL] = INTERRUPT;
    terminal
}

/// A line that was typed, without its end.
fn typed_line(input: &mut impl BufRead) -> io::Result<String> {
    let mut bytes = Vec::new();
    loop {
        let part = input.fill_buf()?;
        let end = part.iter().position(|byte| [b'\n', INTERRUPT].contains(byte));
        let (is_over, length) = (end.is_some() || part.is_empty(), end.map_or(part.len(), |at| at + 1));
        bytes.extend_from_slice(&part[..length]);
        input.consume(length);
        if bytes.last() == Some(&INTERRUPT) {
            return Err(ErrorKind::Interrupted.into());
        }
        if is_over {
            let text = String::from_utf8(bytes).map_err(|_| io::Error::from(ErrorKind::InvalidData))?;
            return Ok(first_line(&text));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_it_in_its_first_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("password");
        fs::write(&path, "correct horse\nsecond\n").unwrap();
        assert_eq!(read(Some(&path)).unwrap(), "correct horse");
        fs::write(&path, "\n").unwrap();
        assert!(read(Some(&path)).is_err());
        assert!(read(Some(&folder.path().join("none"))).unwrap_err().to_string().ends_with("none"));
    }

    #[test]
    fn ctrl_c_ends_the_question_and_a_line_is_read_to_its_end() {
        let read = |mut text: &[u8]| typed_line(&mut text).map_err(|error| error.kind());
        assert_eq!(read(b"correct horse\nsecond\n"), Ok("correct horse".to_owned()));
        assert_eq!(read(b"correct horse"), Ok("correct horse".to_owned()));
        assert_eq!(read(b"correct\x03"), Err(ErrorKind::Interrupted));
        assert_eq!(read(b"\xff\n"), Err(ErrorKind::InvalidData));
    }
}
