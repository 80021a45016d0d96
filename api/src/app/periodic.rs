//! The periodic task beside the requests: it reloads files that have changed, ends the streams of keys that end, and checks
//! whether polls still come.
//!
//! It blocks, so it has a dedicated thread. It never ends because of a faulty file.

use std::time::{Duration, Instant};

use arb_runtime::stop::Stop;

use super::App;
use crate::stream::Streams;

/// How often. The streams of a key that expires end within a second.
const EVERY: Duration = Duration::from_millis(500);

/// Runs until the shutdown signal.
pub(super) fn run(app: &App, stop: &Stop) {
    while !stop.wait(EVERY) {
        if app.authority.has_key_ended() {
            app.each_stream(Streams::keys_have_changed);
        }
        app.authority.bursts.forget();
        app.sessions.sign_up.reload();
        app.usage.reload_plans();
        app.lists.polls.check_staleness(Instant::now());
        app.usage.run_local_machine();
    }
}
