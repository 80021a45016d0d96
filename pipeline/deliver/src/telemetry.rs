//! What the deliverer reports. It never carries an id, a URL or an answer.

use arb_runtime::machine::Counts;
use arb_runtime::telemetry::list;
use arb_schemas::time::Micros;

use crate::counts::{DeliverCounts, Pending};
use crate::delivery::AttemptOutcome;

/// Begins to report: before anything has happened, counters are 0.
pub fn begin() {
    list::DELIVER_ATTEMPTS.begin_each(AttemptOutcome::ALL.map(AttemptOutcome::key));
}

/// A delivery was attempted for the first time, so many microseconds after its event was read.
pub(crate) fn first_attempt(after: Micros) {
    list::DELIVER_FIRST_ATTEMPT.record(after as f64 / 1e6);
}

/// A transaction was committed.
pub(crate) fn committed(counts: &Counts<DeliverCounts>) {
    let DeliverCounts { events, deliveries, doubles, attempts, ended, redelivered } = counts.tally;
    list::DELIVER_EVENTS.add(events);
    list::DELIVER_DELIVERIES.add(deliveries);
    list::DELIVER_DOUBLES.add(doubles);
    list::DELIVER_ENDED.add(ended);
    list::DELIVER_REDELIVERED.add(redelivered);
    list::DELIVER_ATTEMPTS.add_each(AttemptOutcome::ALL.map(AttemptOutcome::key).into_iter().zip(attempts));
}

/// Reports what the partitions hold.
pub(crate) fn sizes(of: impl Iterator<Item = Pending>) {
    let sum = of.fold(Pending::default(), |sum, one| Pending {
        pending: sum.pending + one.pending,
        failed: sum.failed + one.failed,
        age: sum.age.max(one.age),
    });
    list::DELIVER_PENDING.set(sum.pending as f64);
    list::DELIVER_FAILED.set(sum.failed as f64);
    list::DELIVER_OLDEST.set(sum.age as f64 / 1e6);
}

/// Reports circuits that are open.
pub fn circuits(open: usize) {
    list::DELIVER_CIRCUITS.set(open as f64);
}
