//! What the bots report. It never carries the name of an event or a book.

use std::time::Duration;

use arb_picks::bots::Bot;
use arb_runtime::telemetry::{list, took};

/// Begins to report: before anything has happened, counters are 0.
pub fn begin() {
    list::BOTS_CANDIDATES.begin_each(Bot::ALL.iter().map(|bot| bot.key()));
}

/// A candidate was written.
pub(crate) fn candidate(bot: Bot) {
    list::BOTS_CANDIDATES.add_each([(bot.key(), 1)]);
}

/// A closing price was written.
pub(crate) fn closing() {
    list::BOTS_CLOSINGS.add(1);
}

/// Whether a pick is still on offer was written.
pub(crate) fn offer() {
    list::BOTS_OFFERS.add(1);
}

/// The bots looked at events that had changed.
pub(crate) fn looked(events: usize, time: Duration) {
    list::BOTS_EVENTS.add(events as u64);
    list::BOTS_LOOK_SECONDS.record(took(time));
}

/// Reports what is held.
pub(crate) fn sizes(open: usize, signals: usize) {
    list::BOTS_OPEN.set(open as f64);
    list::BOTS_SIGNALS.set(signals as f64);
}
