//! What the settlement reports. It never carries an id or a name of a bot.

use arb_runtime::machine::Counts;
use arb_runtime::telemetry::list;

use crate::counts::{Held, SettleCounts};

/// A transaction was committed.
pub(crate) fn committed(counts: &Counts<SettleCounts>) {
    let SettleCounts { picks, repeated, results, gradings, corrections, closings, offers, .. } = counts.tally;
    let SettleCounts { windows, window_gradings, window_corrections, .. } = counts.tally;
    list::SETTLE_PICKS.add(picks);
    list::SETTLE_REPEATED.add(repeated);
    list::SETTLE_RESULTS.add(results);
    list::SETTLE_GRADINGS.add(gradings);
    list::SETTLE_CORRECTIONS.add(corrections);
    list::SETTLE_WINDOWS.add(windows);
    list::SETTLE_WINDOW_GRADINGS.add(window_gradings);
    list::SETTLE_WINDOW_CORRECTIONS.add(window_corrections);
    list::SETTLE_CLOSINGS.add(closings);
    list::SETTLE_OFFERS.add(offers);
}

/// Reports what the partitions hold.
pub(crate) fn sizes(of: impl Iterator<Item = Held>) {
    let (open, graded, windows) = of.fold((0, 0, 0), |(open, graded, windows), held| {
        (open + held.open, graded + held.graded, windows + held.windows)
    });
    list::SETTLE_OPEN.set(open as f64);
    list::SETTLE_GRADED.set(graded as f64);
    list::SETTLE_HELD_WINDOWS.set(windows as f64);
}
