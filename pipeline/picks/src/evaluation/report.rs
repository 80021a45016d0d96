//! The evaluation as text: tables in Markdown, with the sentences that say what they are evidence of.
//!
//! It computes nothing.

use std::fmt::{self, Display, Formatter};

use super::{Evaluation, Run};

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
        writeln!(f, "\n| trial | p, one-sided | after Holm |\n|---|---|---|")?;
        for trial in &self.trials {
            writeln!(f, "| {} | {:.4} | {:.4} |", trial.run.name, trial.p_value, trial.corrected)?;
        }
        if let Some(primary) = self.trials.first() {
            writeln!(f, "\nPrimary hypothesis: {}", primary.run.summary.sentence())?;
            calibration(f, &primary.run)?;
        }
        writeln!(f, "\n## Negative controls, same seasons\n\n{HEADER}")?;
        table(f, &self.controls)?;
        writeln!(f, "\n`steam`, `stale`: not available: football-data has no prices over time.")
    }
}

fn table<'a>(f: &mut Formatter<'_>, runs: impl IntoIterator<Item = &'a Run>) -> fmt::Result {
    runs.into_iter().try_for_each(|run| writeln!(f, "| {} {}", run.name, run.summary))
}

fn calibration(f: &mut Formatter<'_>, run: &Run) -> fmt::Result {
    writeln!(f, "\nCalibration of {}:\n\n| bets | stated, % | won, % |\n|---|---|---|", run.name)?;
    for decile in run.summary.deciles.iter().filter(|decile| decile.count > 0) {
        writeln!(f, "| {} | {:.1} | {:.1} |", decile.count, 100.0 * decile.stated, 100.0 * decile.won)?;
    }
    Ok(())
}
