//! What ours and the others cost, as rows of the table.
//!
//! It computes nothing but ratios, and measures nothing.

use super::programs::{Peer, Peers, TICKS};
use super::{Filled, NOT_COUNTED, Ours, PART, PeerCost, PeerDelay};
use crate::report::{Expected, Measure, Measured, Row};

const SPEED: Measure = Measure("throughput", "ticks/s");
const CPU: Measure = Measure("CPU a tick", "us");
const BROKER: Measure = Measure("broker CPU a tick", "us");

/// What is expected of CPU beside each of the others, for the whole engine and for the raw policy.
const EXPECTED: [(&str, f64, f64); 2] = [("Flink", 0.75, 0.6), ("a loop in Java", 1.6, 1.3)];

pub(super) fn measured(ours: &Ours, peers: &Peers, filled: &Filled, rate: u32) -> Measured {
    let mut rows = Vec::new();
    for peer in &peers.all {
        let expected = EXPECTED.iter().find(|(name, ..)| peer.name.starts_with(name));
        rows.extend(costs("the whole engine", &ours.whole, peer, expected.map(|expected| expected.1)));
        rows.extend(costs("the raw policy", &ours.raw, peer, expected.map(|expected| expected.2)));
        if peer.is_paced() {
            rows.extend(delays(&ours.delays, peer, rate));
        }
    }
    let mut notes = vec![format!(
        "peers: a simpler job (keyed state, best prices, margin, stakes, windows; no signals, flags or lifetimes), exactly once, by programs \
         that are no part of this repository, in turn with ours on one broker. They read {TICKS} ticks, ours the same ones as its own \
         records ({} of them); what each does first is not counted. CPU is of the client's process; a loop in Rust has the \
         broker's CPU of its whole run. Delays are of {rate} ticks/s to a record that a reader of committed ones has; ours from the \
         time at which a tick was to be sent, theirs from the time at which it was sent, less the first {NOT_COUNTED} s. Both generators let a tick wait 0.5 ms for others.",
        filled.records
    )];
    notes.extend(peers.missing.as_ref().map(|reason| format!("peers, not available: {reason}.")));
    Measured { rows, notes, ..Measured::default() }
}

fn costs(what: &str, ours: &[PeerCost], peer: &Peer, expected: Option<f64>) -> Vec<Row> {
    let case = format!("{what}, beside {}", peer.name);
    let row = |measure, of: &dyn Fn(&PeerCost) -> f64| {
        let [ours, theirs] = [ours, &peer.costs].map(|rounds| rounds.iter().map(of).collect::<Vec<_>>());
        beside(&case, measure, &ours, &theirs)
    };
    let mut rows = vec![
        row(SPEED, &|cost| cost.per_second),
        row(CPU, &|cost| cost.cpu).expect_if(expected.map(Expected::AtMost)),
    ];
    if ours.iter().chain(&peer.costs).all(|cost| cost.broker.is_some()) {
        // Of the broker's, one of them is judged.
        let is_judged = what == "the whole engine" && peer.name == "a loop in Java";
        let row = row(BROKER, &|cost| cost.broker.unwrap_or_default());
        rows.push(row.expect_if(is_judged.then_some(Expected::AtMost(1.5))));
    }
    rows
}

fn delays(ours: &[PeerDelay], peer: &Peer, rate: u32) -> [Row; 3] {
    let case = format!("{rate} ticks/s, beside {} with windows of 20 ms", peer.name);
    let row = |measure, of: fn(&PeerDelay) -> f64| {
        let [ours, theirs] = [ours, &peer.delays].map(|rounds| rounds.iter().map(of).collect::<Vec<_>>());
        beside(&case, measure, &ours, &theirs)
    };
    [
        row(Measure("delay, p50", "ms"), |delay| delay.p50).expect(Expected::AtMost(0.8)),
        row(Measure("delay, p99", "ms"), |delay| delay.p99).expect(Expected::AtMost(1.0)),
        row(CPU, |delay| delay.cpu),
    ]
}

/// Ours beside theirs, round by round; alone where a round of theirs is missing.
fn beside(case: &str, measure: Measure, ours: &[f64], theirs: &[f64]) -> Row {
    if theirs.len() < ours.len() {
        return Row::alone(PART, case, measure, ours).without_baseline();
    }
    let pairs: Vec<_> = ours.iter().copied().zip(theirs.iter().copied()).collect();
    Row::beside(PART, case, measure, &pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_that_is_missing_leaves_ours_alone() {
        let row = beside("case", CPU, &[3.0, 4.0], &[1.0]).expect(Expected::AtMost(1.0));
        assert!(row.is_without_baseline && row.is_met.is_none() && row.ratio.is_none());
        let row = beside("case", CPU, &[3.0, 4.0], &[1.0, 2.0]).expect(Expected::AtMost(3.0));
        assert!(!row.is_without_baseline && row.is_met == Some(true) && row.ratio.is_some());
    }
}
