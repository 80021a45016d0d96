//! What a command answers, on standard output.
//!
//! Whoever reads it may have had enough of it (`| head`): then the command ends without a word, with the code that programs
//! have which the system ends for that.

use std::fmt::Display;
use std::io::{ErrorKind, Write};

use anyhow::Context;

/// The code of a program that SIGPIPE has ended: 128 and the signal's number.
pub const UNREAD: u8 = 141;

/// Nobody reads any more.
#[derive(Debug, thiserror::Error)]
#[error("nobody reads standard output")]
pub struct Unread;

/// Writes an answer, or a part of one, as it is.
///
/// # Errors
/// [`Unread`]; any other of the system's.
pub fn write(text: impl Display) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    match write!(out, "{text}").and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(Unread.into()),
        said => said.context("standard output"),
    }
}
