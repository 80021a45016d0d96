//! Doing something at a rate.
//!
//! Evenly: what is late is done at once, and what comes after it is not later for that.

use std::thread;
use std::time::{Duration, Instant};

use arb_schemas::time::Micros;

use super::Times;
use arb::system::clock;

/// Before an instant no system wakes anybody exactly: the last bit is spun.
const SPIN: Duration = Duration::from_micros(100);

/// Calls a function a number of times at a rate; returns when each call began. The argument is the number of
/// calls before.
pub(crate) fn evenly(
    times: usize,
    per_second: f64,
    mut each: impl FnMut(usize) -> anyhow::Result<()>,
) -> anyhow::Result<Times> {
    let (started, mut stamps) = (Instant::now(), Times::with_capacity(times));
    for index in 0..times {
        let due = started + Duration::from_secs_f64(index as f64 / per_second);
        thread::sleep(due.saturating_duration_since(Instant::now()).saturating_sub(SPIN));
        while Instant::now() < due {
            std::hint::spin_loop();
        }
        let now: Micros = clock::now();
        each(index)?;
        stamps.push(now);
    }
    Ok(stamps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_are_done_in_order() {
        let mut done = vec![];
        let stamps = evenly(3, 1_000.0, |index| {
            done.push(index);
            Ok(())
        });
        assert_eq!((done, stamps.unwrap().len()), (vec![0, 1, 2], 3));
    }
}
