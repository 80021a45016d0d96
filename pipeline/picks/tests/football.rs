//! Published numbers, reproduced from football-data, which is read in place and is not part of the repository. Without it the test prints that.
#![allow(clippy::unwrap_used)]

mod data;

use arb_picks::evaluation::{Evaluation, Selection, backtest, evaluate, study};
use arb_picks::record::Summary;
use arb_picks::rule_file::RuleFile;

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
    let trial = |name: &str| evaluation.trials.iter().find(|trial| trial.run.name == name).unwrap();
    // The same bets by a computation in Python.
    assert_eq!(numbers(&trial("model 1").run.summary), is(856, "-8.01", "6.16"));
    assert_eq!(numbers(&trial("model 1, best named book").run.summary), is(2_415, "-1.74", "3.15"));
    let scores = &evaluation.forecasts;
    assert_eq!((scores.matches, scores.deciles.iter().map(|decile| decile.count).sum()), (15_599, 46_797));
    let rounded = |[log, brier]: [f64; 2]| [log, brier].map(|score| format!("{score:.6}"));
    assert_eq!(rounded(scores.model), ["0.994205", "0.594431"]);
    assert_eq!(rounded(scores.consensus), ["0.994175", "0.594355"]);
    assert_eq!((evaluation.arbs[&2006], evaluation.arbs[&2007], evaluation.arbs[&2018]), (3, 6, 434));
}

/// `sharp` as a rule file makes the bets of `sharp`, which other code makes.
#[test]
fn a_rule_file_of_a_bot_has_the_record_of_the_bot() {
    let Some(history) = data::history() else { return };
    let rule = "bot = 'sharp'\nversion = 1\nprice = 'bet365'\nprobability = 'sharp'\n\
                [[when]]\nfield = 'value'\nat_least = 0.02\n[stake]\nrule = 'flat'\nfraction = 0.01\n";
    let found = backtest(&RuleFile::parse(rule).unwrap(), &history);
    println!("{found}");
    let judged = found.seasons.iter().filter(|run| run.name.ends_with("2017") || run.name.ends_with("2018"));
    let (bets, profit) = judged.fold((0, 0.0), |(bets, profit), run| {
        let of = run.summary.profit;
        (bets + of.count, profit + of.mean * of.count as f64)
    });
    assert_eq!((bets, format!("{:.2}", 100.0 * profit / bets as f64)), (1_076, "-5.25".to_owned()));
    let (all, (stakes, won)) = (found.trials[0].run.summary.profit, found.at_its_stakes);
    assert!((stakes - 0.01 * all.count as f64).abs() < 1e-9 && (won / stakes - all.mean).abs() < 1e-9);
    assert_eq!(found.control.summary.profit.count, all.count);
}
