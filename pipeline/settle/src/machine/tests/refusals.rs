//! Records that cannot be are refused. It never looks at what is published.

use arb_model::OpenedLeg;

use super::*;

#[test]
fn records_that_cannot_be_are_refused() {
    let refused = |candidate: &PickCandidate| codec::decode_task(&wire::encode(candidate).unwrap()).is_err();
    assert!(!refused(&candidate()));
    for wrong in [
        PickCandidate { line: None, ..candidate() },
        PickCandidate { probability: 1.0, ..candidate() },
        PickCandidate { stake: f64::NAN, ..candidate() },
        PickCandidate { reasons: Vec::new(), ..candidate() },
        PickCandidate { feed: "dreamt".into(), ..candidate() },
        PickCandidate { bot: "b".repeat(401), ..candidate() },
    ] {
        assert!(refused(&wrong), "{wrong:?}");
    }
}

#[test]
fn windows_that_cannot_be_are_refused() {
    let refused = |window: &OpenedWindow| codec::decode_task(&wire::encode(window).unwrap()).is_err();
    let window = windows::window("a", "e", START);
    assert!(!refused(&window));
    let with_leg = |change: &dyn Fn(&mut OpenedLeg)| {
        let mut legs = window.legs.clone();
        change(&mut legs[0]);
        OpenedWindow { legs, ..window.clone() }
    };
    for wrong in [
        OpenedWindow { id: String::new(), ..window.clone() },
        OpenedWindow { line: None, ..window.clone() },
        OpenedWindow { legs: Vec::new(), ..window.clone() },
        OpenedWindow { market: "corners".into(), ..window.clone() },
        OpenedWindow { legs: vec![window.legs[0].clone(); 21], ..window.clone() },
        with_leg(&|leg| leg.outcome = "home".into()),
        with_leg(&|leg| leg.implied_probability = f64::NAN),
        with_leg(&|leg| leg.stake_share = 1.0),
        with_leg(&|leg| leg.book = "b".repeat(401).as_str().into()),
    ] {
        assert!(refused(&wrong), "{wrong:?}");
    }
}
