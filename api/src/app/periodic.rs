//! The periodic task beside the requests: it writes what has been spent, reloads files that have changed, ends the streams of keys that end, and checks
//! whether polls still come.
//!
//! It blocks, so it has a dedicated thread. It never ends because of a faulty file.

use std::time::{Duration, Instant};

use arb_runtime::stop::Stop;

use super::App;
use crate::stream::Streams;

/// How often. The streams of a key that expires end within a second, and no more than that of usage is lost with a process.
const EVERY: Duration = Duration::from_millis(500);

/// How often it is logged that what has been spent cannot be written.
const REMIND: Duration = Duration::from_mins(1);

/// Runs until the shutdown signal.
pub(super) fn run(app: &App, stop: &Stop) {
    let mut last_warning = None;
    while !stop.wait(EVERY) {
        if app.authority.has_key_ended() {
            app.each_stream(Streams::keys_have_changed);
        }
        app.authority.bursts.forget();
        app.sessions.sign_up.reload();
        app.usage.reload_plans();
        app.lists.polls.check_staleness(Instant::now());
        if let Err(error) = app.usage.save()
            && is_due(&mut last_warning, Instant::now())
        {
            tracing::warn!(%error, "charges cannot be written: requests that cost something are answered 503 until they can");
        }
    }
}

/// Whether a warning is due that is logged once a minute.
fn is_due(last: &mut Option<Instant>, now: Instant) -> bool {
    let is_due = last.is_none_or(|last| now.duration_since(last) >= REMIND);
    if is_due {
        *last = Some(now);
    }
    is_due
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_logged_once_a_minute() {
        let (mut last, begun) = (None, Instant::now());
        let logged = (0..300).filter(|half| is_due(&mut last, begun + EVERY * *half)).collect::<Vec<_>>();
        assert_eq!(logged, [0, 120, 240]);
    }
}
