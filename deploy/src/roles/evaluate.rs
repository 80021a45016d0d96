//! `arb evaluate`: the windows, signals or picks of recordings, or the record of bots over football-data; `arb backtest`: that of a user's bot; `arb fit`: the prior of lifetimes from them.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use arb_ingest::source::SourceError;
use arb_lab::evaluate::{RawWindow, Report, evaluate, fitted, graded, offered, ruled};
use arb_picks::rule_file::RuleFile;

use crate::cli::{Backtest, Evaluate, Fit};
use crate::roles::books;
use crate::system::output;

/// Prints the report; a recording that breaks off is reported as far as it goes, and fails the command.
pub(crate) fn run(config: &Evaluate) -> anyhow::Result<ExitCode> {
    if let Some(path) = &config.bots {
        return bots(path);
    }
    let paths = config.recordings.iter().map(PathBuf::as_path);
    let books = books::read(config.books_file.as_deref())?;
    if config.signals {
        let graded = graded(paths, config.odds_format.into(), &books)?;
        output::write(&graded)?;
        return Ok(report_cut(&graded.cut));
    }
    if config.picks {
        let offered = offered(paths, config.odds_format.into(), &books, &config.sharp_books)?;
        output::write(&offered)?;
        return Ok(report_cut(&offered.cut));
    }
    let evaluation = evaluate(paths, config.odds_format.into(), &books, config.split)?;
    if let Some(path) = &config.windows {
        write(path, &evaluation.windows).with_context(|| path.display().to_string())?;
    }
    output::write(Report(&evaluation))?;
    Ok(report_cut(&evaluation.cut))
}

/// Prints the record of the bots over the matches of a table.
fn bots(path: &Path) -> anyhow::Result<ExitCode> {
    let table = arb_ingest::file::reader(path)?;
    let history = arb_picks::history::read(table).with_context(|| path.display().to_string())?;
    output::write(arb_picks::evaluation::evaluate(&history))?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the record of a user's bot over the matches of a table, or what it would have bet on over recordings.
pub(crate) fn backtest(config: &Backtest) -> anyhow::Result<ExitCode> {
    let name = || config.bot.display().to_string();
    let text = std::fs::read_to_string(&config.bot).with_context(name)?;
    let Some(table) = &config.table else {
        let rule = RuleFile::parse_for_recordings(&text).with_context(name)?;
        let (paths, books) = (&config.recordings, books::read(config.books_file.as_deref())?);
        let offered = ruled(&rule, paths.iter().map(PathBuf::as_path), config.odds_format.into(), &books)?;
        output::write(&offered)?;
        return Ok(report_cut(&offered.cut));
    };
    let rule = RuleFile::parse(&text).with_context(name)?;
    let history = arb_picks::history::read(arb_ingest::file::reader(table)?);
    let history = history.with_context(|| table.display().to_string())?;
    output::write(arb_picks::evaluation::backtest(&rule, &history))?;
    Ok(ExitCode::SUCCESS)
}

/// Prints which recordings ended early.
fn report_cut(cut: &[SourceError]) -> ExitCode {
    for cut in cut {
        eprintln!("arb: {cut}");
    }
    if cut.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Prints the prior as the engine's source has it.
pub(crate) fn fit(config: &Fit) -> anyhow::Result<ExitCode> {
    let paths = config.recordings.iter().map(PathBuf::as_path);
    let books = books::read(None)?;
    output::write(fitted(paths, config.odds_format.into(), &books, config.split)?)?;
    Ok(ExitCode::SUCCESS)
}

fn write(path: &Path, windows: &[RawWindow]) -> std::io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    for window in windows {
        writeln!(file, "{}", window.to_json())?;
    }
    file.flush()
}
