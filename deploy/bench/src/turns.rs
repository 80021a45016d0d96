//! Who is measured when: everybody in each round, another one first each time, so that whatever else the machine does
//! meets all.
//!
//! The first round is to warm all up, and is never counted.

use anyhow::bail;
use arb_runtime::stop::Stop;

/// Samples of so many who are measured in turn, by who and then by round; `sample` is told whose turn it is.
pub(super) fn in_turns<const WHO: usize, S>(
    rounds: u32,
    stop: &Stop,
    mut sample: impl FnMut(usize) -> anyhow::Result<S>,
) -> anyhow::Result<[Vec<S>; WHO]> {
    let mut samples = [const { Vec::new() }; WHO];
    for round in 0..=rounds {
        for turn in 0..WHO {
            if stop.is_stopped() {
                bail!("stopped");
            }
            let who = (turn + round as usize) % WHO;
            let of_turn = sample(who)?;
            if round > 0 {
                samples[who].push(of_turn);
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
        let samples = in_turns::<3, _>(2, &Stop::default(), |who| {
            order.push(who);
            Ok(order.len())
        });
        assert_eq!(order, [0, 1, 2, 1, 2, 0, 2, 0, 1]);
        assert_eq!(samples.unwrap(), [vec![6, 8], vec![4, 9], vec![5, 7]]);
    }

    #[test]
    fn whoever_is_stopped_measures_nothing() {
        let stop = Stop::default();
        stop.stop();
        assert!(in_turns::<1, ()>(1, &stop, |_| unreachable!("it is stopped")).is_err());
    }
}
