//! Tests of the prior, apart from it: `arb fit` writes that file and nothing else may be in it.

use super::prior::hazard;
use super::profile::{EventStage, MarketKind};
use super::ttl::Ttl;

#[test]
fn every_hazard_is_positive_and_below_a_hundredth_a_second() {
    for stage in EventStage::ALL {
        for kind in MarketKind::ALL {
            let hazard = hazard(stage, kind);
            assert!(hazard.iter().all(|deaths| *deaths > 1e-5 && *deaths < 1e-2), "{stage:?} {kind:?}");
        }
    }
}

/// Windows of a new partition live for minutes, and longest where the event is days away: those were the recordings.
#[test]
fn windows_in_play_have_the_shortest_medians() {
    let medians = |stage| MarketKind::ALL.map(|kind| Ttl::new(*hazard(stage, kind), 1_000, 0).median);
    let [in_play, .., later] = EventStage::ALL.map(medians);
    for (short, long) in in_play.into_iter().zip(later) {
        assert!(short < long && short > 300_000_000 && long < 7_200_000_000, "{short} {long}");
    }
}
