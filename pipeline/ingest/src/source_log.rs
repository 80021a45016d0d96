//! What the holder of a lease writes: records and its note, in one transaction, again until it is known to be there.
//!
//! After a transaction that failed the holder takes its lease over again, and the note tells: that of the transaction means that it is
//! there, the one before it that it is not, and any other one that another instance has gone on. It never writes again without having
//! read the note, and never a part.
//!
//! Source: docs/adr/097-a-poll-and-its-position.md.

use std::time::{Duration, Instant};

use arb_kafka::{LeaseNote, TickOutput, Written};
use arb_runtime::stop::Stop;

/// How long whoever was fenced waits for the group's word that the lease is another's: longer than a session.
const FENCED: Duration = Duration::from_secs(8);

/// The log as the holder of a lease sees it.
pub(super) trait SourceLog {
    /// Why nothing can be written at all.
    type Error;

    /// Fences whoever wrote under the lease before, and returns the note; `None` when that is not possible now.
    ///
    /// # Errors
    /// What another attempt does not change.
    fn take_over(&mut self) -> Result<Option<LeaseNote>, Self::Error>;

    /// Writes records and the note that follows from them.
    ///
    /// # Errors
    /// For a record that is never taken.
    fn write(&mut self, records: &[TickOutput], note: &LeaseNote) -> Result<Written, Self::Error>;

    /// Waits a moment; whether the lease is still held and the work is wanted. One who was fenced waits until the group would have
    /// said that it is another's.
    ///
    /// # Errors
    /// When this instance cannot be a member of the group.
    fn is_wanted(&mut self, is_fenced: bool) -> Result<bool, Self::Error>;
}

/// Takes a lease over; `None` when it is lost, or the work is not wanted any more.
///
/// # Errors
/// Those of the log.
pub(super) fn taken_over<L: SourceLog>(
    log: &mut L,
    mut is_fenced: bool,
) -> Result<Option<LeaseNote>, L::Error> {
    while log.is_wanted(is_fenced)? {
        if let Some(note) = log.take_over()? {
            return Ok(Some(note));
        }
        is_fenced = false;
    }
    Ok(None)
}

/// Writes records and the text of the note that follows from them, once; whether they are there. Where not, the lease is lost or the work
/// is not wanted any more, and whoever has the lease next goes on from the note before.
///
/// # Errors
/// Those of the log.
pub(super) fn write_once<L: SourceLog>(
    log: &mut L,
    note: &mut LeaseNote,
    records: &[TickOutput],
    text: String,
) -> Result<bool, L::Error> {
    let next = LeaseNote { count: note.count + 1, text };
    loop {
        let is_fenced = match log.write(records, &next)? {
            Written::Yes => break,
            Written::Unknown => false,
            Written::Fenced => true,
        };
        match taken_over(log, is_fenced)? {
            Some(found) if found == next => break,
            Some(found) if found == *note => {}
            _ => return Ok(false),
        }
    }
    *note = next;
    Ok(true)
}

/// What [`SourceLog::is_wanted`] is, where `may_write` waits a moment and tells whether the lease is still held.
///
/// # Errors
/// Those of `may_write`.
pub(super) fn wait_for_news<E>(
    is_fenced: bool,
    stop: &Stop,
    mut may_write: impl FnMut() -> Result<bool, E>,
) -> Result<bool, E> {
    let until = Instant::now() + if is_fenced { FENCED } else { Duration::ZERO };
    loop {
        if stop.is_stopped() || !may_write()? {
            return Ok(false);
        }
        if Instant::now() >= until {
            return Ok(true);
        }
    }
}

#[cfg(test)]
mod tests;
