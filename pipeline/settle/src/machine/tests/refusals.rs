//! Records that cannot be are refused. It never looks at what is published.

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
    let score = |home, away| report("finished", Some((home, away)), START);
    assert_eq!(codec::check_report(&score(1, 0)), Ok(()));
    for wrong in [
        score(-1, 0),
        report("over", None, START),
        report("finished", None, START),
        ResultReport { starts_at: Some(i64::MIN), ..score(1, 0) },
        ResultReport { scores: [score(1, 0).scores, score(2, 0).scores].concat(), ..score(1, 0) },
    ] {
        assert!(codec::check_report(&wrong).is_err(), "{wrong:?}");
    }
}
