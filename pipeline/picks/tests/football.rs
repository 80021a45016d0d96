//! Published numbers, reproduced from football-data, which is read in place and is not part of the repository. Without it the test says so.
#![allow(clippy::unwrap_used)]

mod data;

use arb_picks::evaluation::{Evaluation, Selection, evaluate, study};
use arb_picks::record::Summary;

/// Bets, return and its standard error in percent.
fn numbers(summary: &Summary) -> (usize, String, String) {
    let percent = |share: f64| format!("{:.2}", 100.0 * share);
    (summary.profit.count, percent(summary.profit.mean), percent(summary.profit.standard_error))
}

fn is(count: usize, mean: &str, error: &str) -> (usize, String, String) {
    (count, mean.to_owned(), error.to_owned())
}

#[test]
fn published_numbers_are_reproduced() {
    let Some(history) = data::history() else { return };
    let run = |extra_leagues, plausible| {
        numbers(&Summary::of(&study(&history.matches, Selection { extra_leagues, plausible })))
    };
    assert_eq!(run(true, false), is(4_318, "1.34", "2.11"));
    assert_eq!(run(true, true), is(4_270, "0.31", "2.08"), "the highest prices that are no typing errors");
    assert_eq!(
        run(false, true),
        is(3_068, "-2.89", "2.40"),
        "without leagues that have closing prices alone"
    );
    assert_eq!(run(false, false), is(3_105, "-1.61", "2.44"));

    let evaluation: Evaluation = evaluate(&history);
    println!("{evaluation}");
    let primary = &evaluation.trials[0].run.summary;
    assert_eq!(numbers(primary), is(1_076, "-5.25", "5.57"), "as docs/bots/evaluation.md has it");
    assert_eq!((evaluation.arbs[&2006], evaluation.arbs[&2007], evaluation.arbs[&2018]), (3, 6, 434));
}
