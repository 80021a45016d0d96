//! `arb evaluate`: the windows, signals or picks of recordings, hashes of what is made of them, or the record of bots over football-data; `arb backtest`: that of a user's bot; `arb fit`: the prior of lifetimes from them.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, bail};
use arb_ingest::recording;
use arb_ingest::source::{Source, SourceError};
use arb_ingest::table::Table;
use arb_lab::evaluate::{RawWindow, Report, evaluate, fitted, graded, hashed, offered, ruled};
use arb_picks::rule_file::RuleFile;
use arb_store::history::{History, RecordedLeague, RecordedQuery, RecordedTable};
use tokio::runtime::{Builder, Runtime};

use crate::cli::{Backtest, Evaluate, Fit, StoredHistory};
use crate::roles::{books, clickhouse};
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
    if config.hash {
        let hashes = hashed(paths, config.odds_format.into(), &books)?;
        hashes.iter().try_for_each(output::write)?;
        return Ok(report_cut(hashes.iter().flat_map(|hashes| &hashes.cut)));
    }
    let evaluation = evaluate(paths, config.odds_format.into(), &books, config.policy.into(), config.split)?;
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

/// Prints the record of a user's bot over the matches of a table, or what it would have bet on over recordings or what is stored.
pub(crate) fn backtest(config: &Backtest) -> anyhow::Result<ExitCode> {
    let name = || config.bot.display().to_string();
    let text = std::fs::read_to_string(&config.bot).with_context(name)?;
    let Some(table) = &config.table else {
        let rule = RuleFile::parse_for_recordings(&text).with_context(name)?;
        let books = books::read(config.books_file.as_deref())?;
        let files = config.recordings.iter().map(|path| recording::open(path, config.odds_format.into()));
        let offered = if config.stored.is_asked {
            ruled(&rule, stored(&config.stored)?, &books)
        } else {
            ruled(&rule, files, &books)
        }?;
        output::write(&offered)?;
        return Ok(report_cut(&offered.cut));
    };
    let rule = RuleFile::parse(&text).with_context(name)?;
    let history = arb_picks::history::read(arb_ingest::file::reader(table)?);
    let history = history.with_context(|| table.display().to_string())?;
    output::write(arb_picks::evaluation::backtest(&rule, &history))?;
    Ok(ExitCode::SUCCESS)
}

/// What ClickHouse has stored, a recording for each source and league.
fn stored(
    config: &StoredHistory,
) -> anyhow::Result<impl Iterator<Item = Result<Box<dyn Source>, SourceError>>> {
    let history = History::new(clickhouse::stored(config)?)?;
    let runtime = Arc::new(Builder::new_current_thread().enable_all().build()?);
    let StoredHistory { league, since, until, .. } = config.clone();
    let query = RecordedQuery { league, since, until };
    let leagues = runtime.block_on(history.recorded_leagues(&query))?;
    if leagues.is_empty() {
        let of = query.league.as_deref().unwrap_or("any league");
        bail!("ClickHouse has no polls of {of} with prices of winners in this time");
    }
    Ok(leagues.into_iter().map(move |league| open_stored(&history, &runtime, league, query.clone())))
}

fn open_stored(
    history: &History,
    runtime: &Arc<Runtime>,
    league: RecordedLeague,
    query: RecordedQuery,
) -> Result<Box<dyn Source>, SourceError> {
    let what = format!("{} of {} in ClickHouse", league.league_key, league.source_name);
    let name = league.source_name.clone();
    let table = RecordedTable::open(history.clone(), Arc::clone(runtime), league, query)
        .map_err(|error| SourceError::Io { what: what.clone(), error: std::io::Error::other(error) })?;
    Ok(Box::new(Table::read(what.into(), name, Box::new(table))?))
}

/// Prints which recordings ended early.
fn report_cut<'a>(cut: impl IntoIterator<Item = &'a SourceError>) -> ExitCode {
    let mut code = ExitCode::SUCCESS;
    for cut in cut {
        eprintln!("arb: {cut}");
        code = ExitCode::FAILURE;
    }
    code
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
