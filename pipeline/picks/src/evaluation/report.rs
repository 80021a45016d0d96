//! The evaluation as text: tables in Markdown, with the sentences that say what they are evidence of.
//!
//! It computes nothing.

use std::fmt::{self, Display, Formatter};

use super::{Backtest, Evaluation, ForecastScores, Run, Trial};
use crate::record::Decile;
use crate::significance::LEVEL;

const HEADER: &str = "| run | bets | return, % | s.e. | 95 % by match day | closing-line value, % | with a close, % \
                      | Brier, bot / close | log score, bot / close | drawdown, units |\n\
                      |---|---|---|---|---|---|---|---|---|---|";

impl Display for Evaluation {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (matches, without_goals) = self.rows;
        writeln!(
            f,
            "Feed: football-data. {matches} matches; {without_goals} rows without goals are left out.\n"
        )?;
        writeln!(f, "## `consensus` 1 at the highest price of any book, seasons up to 2015\n\n{HEADER}")?;
        table(f, &self.study)?;
        writeln!(
            f,
            "\nExtra leagues hold closing prices in columns named as opening, so that runs with them flatter."
        )?;
        writeln!(f, "\n## Arbs between named books, five top leagues\n\n| season | arbs |\n|---|---|")?;
        for (season, arbs) in &self.arbs {
            writeln!(f, "| {season} | {arbs} |")?;
        }
        writeln!(f, "\n## Trials in the seasons 2017 and 2018, at Bet365's prices\n\n{HEADER}")?;
        table(f, self.trials.iter().map(|trial| &trial.run))?;
        p_values(f, &self.trials)?;
        if let Some(primary) = self.trials.first() {
            writeln!(f, "\nPrimary hypothesis: {}", primary.run.summary.sentence())?;
            calibration(f, &primary.run)?;
        }
        models(f, self)?;
        writeln!(
            f,
            "\n## The second versions, same seasons: no trials, for they were written later\n\n{HEADER}"
        )?;
        table(f, &self.second)?;
        writeln!(f, "\n## Negative controls, same seasons\n\n{HEADER}")?;
        table(f, &self.controls)?;
        writeln!(f, "\n`steam`, `stale`: not available: football-data has no prices over time.")
    }
}

impl Display for Backtest {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (matches, without_goals) = self.rows;
        writeln!(f, "Feed: football-data. {matches} matches with prices before the close.")?;
        writeln!(
            f,
            "{without_goals} rows without goals are left out.\n\n## `{}`, all seasons\n\n{HEADER}",
            self.name
        )?;
        table(f, self.trials.iter().map(|trial| &trial.run))?;
        p_values(f, &self.trials)?;
        if let Some(trial) = self.trials.first() {
            writeln!(f, "\n{}", trial.run.summary.sentence())?;
            calibration(f, &trial.run)?;
        }
        let (stakes, profit) = self.at_its_stakes;
        write!(f, "\nAt its stakes: {stakes:.3} banks were staked, ")?;
        if stakes > 0.0 {
            writeln!(f, "and {:+.2} % of that returned as profit.", 100.0 * profit / stakes)?;
        } else {
            writeln!(f, "and the return is not available.")?;
        }
        writeln!(f, "\n## By season\n\n{HEADER}")?;
        table(f, &self.seasons)?;
        writeln!(f, "\n## Negative control, same matches\n\n{HEADER}")?;
        table(f, [&self.control])?;
        writeln!(
            f,
            "\nA rule that was written after looking at these seasons is judged by what it was made from."
        )?;
        writeln!(f, "Recordings, ClickHouse history: not available: they have prices without results.")
    }
}

fn p_values(f: &mut Formatter<'_>, trials: &[Trial]) -> fmt::Result {
    writeln!(f, "\n| trial | p, one-sided | after Holm |\n|---|---|---|")?;
    let row = |trial: &Trial| (trial.run.name.clone(), trial.p_value, trial.corrected);
    trials
        .iter()
        .map(row)
        .try_for_each(|(name, p, corrected)| writeln!(f, "| {name} | {p:.4} | {corrected:.4} |"))
}

fn table<'a>(f: &mut Formatter<'_>, runs: impl IntoIterator<Item = &'a Run>) -> fmt::Result {
    runs.into_iter().try_for_each(|run| writeln!(f, "| {} {}", run.name, run.summary))
}

/// What the trials of the model are evidence of, and how well its probabilities fit.
fn models(f: &mut Formatter<'_>, evaluation: &Evaluation) -> fmt::Result {
    let count = evaluation.trials.len();
    for trial in evaluation.trials.iter().filter(|trial| trial.run.name.starts_with("model")) {
        write!(f, "\n{}: {}", trial.run.name, trial.run.summary.sentence())?;
        let verdict = if trial.corrected > LEVEL { "cannot be told" } else { "is told" };
        writeln!(f, " After Holm's correction over {count} trials a profit {verdict} from luck.")?;
    }
    let ForecastScores { matches, model, consensus, deciles } = &evaluation.forecasts;
    writeln!(
        f,
        "\nProbabilities of all outcomes, {matches} matches: log score {:.5} (consensus {:.5}), Brier {:.5} \
         (consensus {:.5}).",
        model[0], consensus[0], model[1], consensus[1]
    )?;
    writeln!(f, "\n| outcomes | stated, % | happened, % |\n|---|---|---|")?;
    deciles.iter().try_for_each(|decile| row(f, decile))
}

fn row(f: &mut Formatter<'_>, decile: &Decile) -> fmt::Result {
    match decile.count {
        0 => Ok(()),
        count => writeln!(f, "| {count} | {:.1} | {:.1} |", 100.0 * decile.stated, 100.0 * decile.won),
    }
}

fn calibration(f: &mut Formatter<'_>, run: &Run) -> fmt::Result {
    writeln!(f, "\nCalibration of {}:\n\n| bets | stated, % | won, % |\n|---|---|---|", run.name)?;
    run.summary.deciles.iter().try_for_each(|decile| row(f, decile))
}
