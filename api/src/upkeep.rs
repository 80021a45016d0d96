//! What is done again and again beside the requests: what has been spent is written, keys and plans that have changed are
//! read again.
//!
//! It blocks, so it has a thread of its own. It never ends for a file that is wrong.

use std::time::Duration;

use arb_pipeline::stop::Stop;

use crate::App;

/// How often. A key that is taken away is refused within a second, and no more than that of usage is lost with a process.
const EVERY: Duration = Duration::from_millis(500);

/// Keeps the files until the end is wished.
pub fn keep(app: &App, stop: &Stop) {
    while !stop.wait(EVERY) {
        app.keys.look();
        app.usage.look();
        if let Err(error) = app.usage.save() {
            tracing::warn!(%error, "what has been spent could not be written; it is tried again");
        }
    }
}
