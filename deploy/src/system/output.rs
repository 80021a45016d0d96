//! What a command answers, on standard output.
//!
//! The reader may close it early (`| head`): then the command ends without a message, with the exit code of a
//! program that SIGPIPE ends.

use std::fmt::Display;
use std::io::{ErrorKind, Write};

use anyhow::Context;

/// The code of a program that SIGPIPE has ended: 128 and the signal's number.
pub const UNREAD: u8 = 141;

/// The reader has closed it.
#[derive(Debug, thiserror::Error)]
#[error("the reader of standard output has closed it")]
pub struct Unread;

/// Writes an answer, or a part of one, as it is.
///
/// # Errors
/// [`Unread`]; any other of the system's.
pub fn write(text: impl Display) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    match write!(out, "{text}").and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(Unread.into()),
        error => error.context("standard output"),
    }
}
