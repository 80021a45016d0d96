//! The periodic task beside the requests: it reloads files that have changed, ends the streams of keys that end, checks
//! whether polls still come, and sends accounts the notices that concern them.
//!
//! It blocks, so it has a dedicated thread. It never ends because of a faulty file.

use std::time::{Duration, Instant};

use arb_runtime::stop::Stop;

use super::App;
use crate::stream::Streams;
use crate::webhooks::notices::{Feed, Notices};

/// How often. The streams of a key that expires end within a second.
const EVERY: Duration = Duration::from_millis(500);

/// Runs until the shutdown signal.
pub(super) fn run(app: &App, stop: &Stop) {
    let mut notices = Notices::default();
    while !stop.wait(EVERY) {
        if app.authority.has_key_ended() {
            app.each_stream(Streams::keys_have_changed);
        }
        app.authority.bursts.forget();
        app.authority.page_reads.forget();
        app.pushes.lines.forget();
        app.sessions.sign_up.reload();
        app.usage.reload_plans();
        app.lists.polls.check_staleness(Instant::now());
        app.usage.run_local_machine();
        notice(app, &mut notices);
    }
}

/// Writes the notices for accounts, once the accounts are known.
fn notice(app: &App, notices: &mut Notices) {
    if !app.authority.replica().is_ready() {
        return;
    }
    let polls = &app.lists.polls;
    let feed = Feed { as_of: polls.as_of(), is_stale: polls.is_stale() };
    let (now, tasks) = (app.authority.now(), &app.webhooks.tasks);
    app.usage.with_accounts(|directory, status| notices.look(directory, status, (feed, now), tasks));
}
