//! A password from a file, the terminal or standard input. It is never shown: the terminal does not echo it.

use std::fs;
use std::io::{BufRead, IsTerminal, Write, stderr, stdin};
use std::path::Path;

use anyhow::{Context, bail};
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};

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
    let first = typed("password: ")?;
    if typed("again: ")? != first {
        bail!("the passwords differ");
    }
    Ok(first)
}

fn typed(prompt: &str) -> anyhow::Result<String> {
    let mut error = stderr();
    write!(error, "{prompt}").and_then(|()| error.flush())?;
    let before = tcgetattr(stdin())?;
    let mut silent = before.clone();
    silent.local_modes.remove(LocalModes::ECHO);
    tcsetattr(stdin(), OptionalActions::Flush, &silent)?;
    let typed = line();
    tcsetattr(stdin(), OptionalActions::Flush, &before)?;
    writeln!(error)?;
    typed
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
}
