//! What the bots report. It never carries the name of an event or a book.

use std::sync::LazyLock;
use std::time::Duration;

use arb_picks::bots::Bot;
use arb_runtime::telemetry::{Counter, Gauge, Histogram, list, took};

struct Meters {
    candidates: [Counter; Bot::ALL.len()],
    closings: Counter,
    offers: Counter,
    looks: Counter,
    look_seconds: Histogram,
    open: Gauge,
    signals: Gauge,
}

static METERS: LazyLock<Meters> = LazyLock::new(|| Meters {
    candidates: Bot::ALL.map(|bot| list::BOTS_CANDIDATES.counter(&[bot.key()])),
    closings: list::BOTS_CLOSINGS.counter(&[]),
    offers: list::BOTS_OFFERS.counter(&[]),
    looks: list::BOTS_EVENTS.counter(&[]),
    look_seconds: list::BOTS_LOOK_SECONDS.histogram(&[]),
    open: list::BOTS_OPEN.gauge(&[]),
    signals: list::BOTS_SIGNALS.gauge(&[]),
});

/// Begins to report: before anything has happened, counters are 0.
pub fn begin() {
    LazyLock::force(&METERS);
}

/// A candidate was written.
pub(crate) fn candidate(bot: Bot) {
    let place = Bot::ALL.iter().position(|other| *other == bot);
    if let Some(counter) = place.and_then(|place| METERS.candidates.get(place)) {
        counter.increment(1);
    }
}

/// A closing price was written.
pub(crate) fn closing() {
    METERS.closings.increment(1);
}

/// Whether a pick is still on offer was written.
pub(crate) fn offer() {
    METERS.offers.increment(1);
}

/// The bots looked at events that had changed.
pub(crate) fn looked(events: usize, time: Duration) {
    METERS.looks.increment(events as u64);
    METERS.look_seconds.record(took(time));
}

/// Reports what is held.
pub(crate) fn sizes(open: usize, signals: usize) {
    METERS.open.set(open as f64);
    METERS.signals.set(signals as f64);
}
