//! What ours and the others cost, as rows of the table.
//!
//! It computes nothing but ratios, and measures nothing.

use super::programs::{Peer, Peers, TICKS};
use super::{NOT_COUNTED, Ours, OursOn, PART, PeerCost, PeerDelay};
use crate::push_market::MOVING;
use crate::report::{Expected, Measure, Measured, Row};

const SPEED: Measure = Measure("throughput", "ticks/s");
const CPU: Measure = Measure("CPU a tick", "us");
const BROKER: Measure = Measure("broker CPU a tick", "us");

/// What is expected of CPU beside each of the others, for the whole engine and for the raw policy.
const EXPECTED: [(&str, f64, f64); 2] = [("Flink", 0.75, 0.6), ("a loop in Java", 1.6, 1.3)];

pub(super) fn measured(ours: &OursOn, peers: &Peers, ticks: u64, rate: u32) -> Measured {
    let mut rows = Vec::new();
    for (ticks, ours) in [("the same ticks", &ours.theirs), ("each on its own ticks", &ours.pushes)] {
        rows.extend(peers.all.iter().flat_map(|peer| on_ticks(ticks, ours, peer, rate)));
    }
    let mut notes = vec![format!(
        "peers: a simpler job (keyed state, best prices, margin, stakes, windows; no signals, flags or lifetimes), exactly once, by programs \
         that are no part of this repository, in turn with ours on one broker. They read {TICKS} ticks, of which nearly each has another price, of 20,000 \
         markets of 40 books; ours {ticks} records, one tick each: the same ticks, or those of our push feed with {} % of prices moving, lighter \
         ones; that is the comparison for which the expectations were made. Delays are of 500 of their markets. What each does first is not counted. CPU is of the client's process; a loop in Rust has the \
         broker's CPU of its whole run. Delays are of {rate} ticks/s to a record that a reader of committed ones has; ours from the \
         time at which a tick was to be sent, theirs from the time at which it was sent, less the first {NOT_COUNTED} s. Both generators let a tick wait 0.5 ms for others.",
        MOVING[0]
    )];
    notes.extend(peers.missing.as_ref().map(|reason| format!("peers, not available: {reason}.")));
    Measured { rows, notes, ..Measured::default() }
}

/// Ours on some ticks beside one of the others.
fn on_ticks(ticks: &str, ours: &Ours, peer: &Peer, rate: u32) -> Vec<Row> {
    let expected = EXPECTED.iter().find(|(name, ..)| peer.name.starts_with(name));
    let [whole, raw] = [expected.map(|expected| expected.1), expected.map(|expected| expected.2)];
    // Of the broker's, one of them is judged.
    let broker = (peer.name == "a loop in Java").then_some(1.5);
    let case = |what: &str| format!("{what}, beside {}, {ticks}", peer.name);
    let mut rows = costs(&case("the whole engine"), &ours.whole, peer, [whole, broker]);
    rows.extend(costs(&case("the raw policy"), &ours.raw, peer, [raw, None]));
    if peer.is_paced() {
        let case = format!("{rate} ticks/s, beside {} with windows of 20 ms, {ticks}", peer.name);
        rows.extend(delays(&case, &ours.delays, peer));
    }
    rows
}

/// Throughput, CPU and the broker's CPU, of which the ratios of the last two are to be at most so much.
fn costs(case: &str, ours: &[PeerCost], peer: &Peer, most: [Option<f64>; 2]) -> Vec<Row> {
    let row = |measure, of: &dyn Fn(&PeerCost) -> f64| {
        let [ours, theirs] = [ours, &peer.costs].map(|rounds| rounds.iter().map(of).collect::<Vec<_>>());
        beside(case, measure, &ours, &theirs)
    };
    let [cpu, broker] = most.map(|most| most.map(Expected::AtMost));
    let mut rows = vec![row(SPEED, &|cost| cost.per_second), row(CPU, &|cost| cost.cpu).expect_if(cpu)];
    if ours.iter().chain(&peer.costs).all(|cost| cost.broker.is_some()) {
        rows.push(row(BROKER, &|cost| cost.broker.unwrap_or_default()).expect_if(broker));
    }
    rows
}

fn delays(case: &str, ours: &[PeerDelay], peer: &Peer) -> [Row; 3] {
    let row = |measure, of: fn(&PeerDelay) -> f64| {
        let [ours, theirs] = [ours, &peer.delays].map(|rounds| rounds.iter().map(of).collect::<Vec<_>>());
        beside(case, measure, &ours, &theirs)
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
