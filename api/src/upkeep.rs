//! What is done again and again beside the requests: what has been spent is written, keys and plans that have changed are
//! read again, and it is looked whether polls still come.
//!
//! It blocks, so it has a thread of its own. It never ends for a file that is wrong.

use std::time::{Duration, Instant};

use arb_runtime::stop::Stop;

use crate::App;

/// How often. A key that is taken away is refused within a second, and no more than that of usage is lost with a process.
const EVERY: Duration = Duration::from_millis(500);

/// How often it is said that what has been spent cannot be written.
const REMIND: Duration = Duration::from_mins(1);

/// Keeps the files until the end is wished.
pub fn keep(app: &App, stop: &Stop) {
    let mut last_said = None;
    while !stop.wait(EVERY) {
        if app.keys.look() {
            app.streams.keys_have_changed();
        }
        app.usage.look();
        app.polls.look(Instant::now());
        if let Err(error) = app.usage.save()
            && is_due(&mut last_said, Instant::now())
        {
            tracing::warn!(%error, "charges cannot be written: requests that cost something are answered 503 until they can");
        }
    }
}

/// Whether something is to be said now that is said once a minute.
fn is_due(last_said: &mut Option<Instant>, now: Instant) -> bool {
    let is_due = last_said.is_none_or(|last| now.duration_since(last) >= REMIND);
    if is_due {
        *last_said = Some(now);
    }
    is_due
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_said_once_a_minute() {
        let (mut last, begun) = (None, Instant::now());
        let said = (0..300).filter(|half| is_due(&mut last, begun + EVERY * *half)).collect::<Vec<_>>();
        assert_eq!(said, [0, 120, 240]);
    }
}
