//! The simulated market: the same for the same seed, like real feeds, and found out when it is made wrong.
//!
//! `--nocapture` prints every figure beside the real one.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod figures;
mod results;
mod same;
mod watch;

use arb_ingest::simulator::Model;

use crate::figures::{Measured, figures, print};

#[test]
fn the_market_resembles_real_feeds() {
    let measured = Measured::of(&[1, 2, 3], &Model::default(), 500);
    let figures = figures(&measured);
    print("the market", &measured, &figures);
    let wrong: Vec<_> = figures.iter().filter(|figure| !figure.holds()).map(|f| f.target.name).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    let markets = &measured.seen[0].markets;
    for sport in ["soccer", "baseball", "basketball", "americanfootball"] {
        for market in ["h2h", "spreads", "totals"] {
            assert!(markets.contains(&(sport.to_owned(), market.to_owned())), "{sport} {market}");
        }
    }
}

/// A figure set wrong, and the check that must see it.
fn mutants() -> Vec<(&'static str, Model, &'static str)> {
    let good = Model::default;
    vec![
        ("desks that always look", Model { looks: 0.0, ..good() }, "S(30 min) before"),
        ("desks that hardly look", Model { looks: 8.0, ..good() }, "S(60 min) before"),
        ("ages that are all alike", Model { confirms: 0.0, ..good() }, "age p50, s"),
        ("ages twice as long", Model { confirms: 2.0, ..good() }, "age p90, s"),
        ("no withdrawals", Model { withdrawals: 0.0, ..good() }, "withdrawn before"),
        ("many withdrawals", Model { withdrawals: 20.0, ..good() }, "withdrawn"),
        ("nothing in play", Model { length: 0.0, ..good() }, "in play to before"),
        ("books that agree", Model { opinion: 0.005, ..good() }, "in play to before"),
        ("books that disagree", Model { opinion: 0.03, ..good() }, "in play to before"),
        ("operators that are books", Model { shared_desks: false, ..good() }, "lowline, beechonline"),
        ("no palpable errors", Model { errors: 0.0, ..good() }, "largest margin before"),
        ("many palpable errors", Model { errors: 30.0, ..good() }, "over 10 % before"),
        ("no suspensions", Model { freezes: 0.0, suspensions: 0.0, ..good() }, "age in play p99, s"),
        ("many suspensions", Model { freezes: 8.0, ..good() }, "over 10 % in play"),
        ("always a draw", Model { missing_draws: 0.0, ..good() }, "without their draw"),
        ("news all the time", Model { news_every: 3_000.0, ..good() }, "in play to before"),
    ]
}

#[test]
fn a_market_that_is_made_wrong_is_found_out() {
    let sized = |model: &Model| figures(&Measured::of(&[4], model, 280));
    let good = sized(&Model::default());
    let mut missed = Vec::new();
    for (what, model, check) in mutants() {
        let of = |figures: &[figures::Figure]| *figures.iter().find(|f| f.target.name == check).unwrap();
        let (right, wrong) = (of(&good), of(&sized(&model)));
        println!("{what:<28}{check:<22}{:>10.5} for {:.5}", wrong.value, right.value);
        assert!(right.holds(), "{check} is {} of the good market, too", right.value);
        if wrong.holds() {
            missed.push(what);
        }
    }
    assert!(missed.is_empty(), "{missed:?}");
}
