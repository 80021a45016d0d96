//! A recording of an exchange is evaluated whole.

#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::sync::Arc;

use arb_ingest::recording::open;
use arb_ingest::the_odds_api::OddsFormat;
use arb_lab::evaluate::evaluate_source;

#[test]
fn every_tick_of_an_exchange_is_taken_in() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/data/betfair-exchange/afl-game-odds-back-lay.csv.zst");
    if !path.exists() {
        println!("NOTE: {} is absent: it is not evaluated", path.display());
        return;
    }
    let evaluation = evaluate_source(open(&path, OddsFormat::American).unwrap().as_mut(), &Arc::default());
    assert_eq!((evaluation.polls, evaluation.late, evaluation.ticks), (104, 0, 31_797));
    assert!(evaluation.cut.is_empty() && !evaluation.windows.is_empty());
    println!("{} windows", evaluation.windows.len());
}
