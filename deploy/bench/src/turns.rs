//! The order of measurements: all contestants in each round, another one first each time, so that other load
//! on the machine affects all of them.
//!
//! The first round is to warm all up, and is never counted.

use anyhow::bail;
use arb_runtime::stop::Stop;

/// Samples by contestant and then by round; `sample` receives the contestant's index.
pub(super) fn in_turns<const CONTESTANTS: usize, S>(
    rounds: u32,
    stop: &Stop,
    mut sample: impl FnMut(usize) -> anyhow::Result<S>,
) -> anyhow::Result<[Vec<S>; CONTESTANTS]> {
    let mut samples = [const { Vec::new() }; CONTESTANTS];
    for round in 0..=rounds {
        for turn in 0..CONTESTANTS {
            if stop.is_stopped() {
                bail!("stopped");
            }
            let contestant = (turn + round as usize) % CONTESTANTS;
            let of_turn = sample(contestant)?;
            if round > 0 {
                samples[contestant].push(of_turn);
            }
        }
    }
    Ok(samples)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_round_is_not_counted_and_each_is_first_in_its_turn() {
        let mut order = vec![];
        let samples = in_turns::<3, _>(2, &Stop::default(), |contestant| {
            order.push(contestant);
            Ok(order.len())
        });
        assert_eq!(order, [0, 1, 2, 1, 2, 0, 2, 0, 1]);
        assert_eq!(samples.unwrap(), [vec![6, 8], vec![4, 9], vec![5, 7]]);
    }

    #[test]
    fn a_stopped_measurement_has_no_samples() {
        let stop = Stop::default();
        stop.stop();
        assert!(in_turns::<1, ()>(1, &stop, |_| unreachable!("it is stopped")).is_err());
    }
}
