//! `arb results`: the results of files, for events that have picks, written for the settlement machine.
//!
//! It never writes a result that is known, nor one of an event that it cannot name for sure.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use arb_ingest::football_data::{self, AwaitedEvent, FileResults, TeamNames};
use arb_ingest::results::ResultWriter;
use arb_kafka::{self as kafka, Cluster, Table, TableEvent};
use arb_model::{FeedKind, Pick};
use arb_schemas::time::to_rfc3339;
use arb_schemas::topics::PICKS;
use arb_schemas::wire;

use crate::cli::Results;
use crate::roles::cluster;
use crate::system::{clock, output};

/// How long Kafka may take to give the picks.
const LONGEST: Duration = Duration::from_mins(1);
/// How long is waited for a record before the time is looked at.
const WAIT: Duration = Duration::from_millis(100);

pub(crate) fn run(config: &Results) -> anyhow::Result<()> {
    let path = &config.football_data;
    let table = arb_ingest::file::reader(path)?;
    let (played, left_out) = football_data::read(table).with_context(|| path.display().to_string())?;
    let names = names(config)?;
    let cluster = &cluster::open(&config.brokers)?;
    let partitions = kafka::partitions(cluster)?;
    let events = awaited(cluster, partitions)?;
    let found = football_data::results(&events, &played, &names, clock::now());
    let writer = ResultWriter::connect(cluster, partitions)?;
    found.news.iter().try_for_each(|report| writer.report(report))?;
    writer.flush()?;
    output::write(told(&found, played.len(), left_out))
}

/// Names of the file by our names.
fn names(config: &Results) -> anyhow::Result<TeamNames> {
    let Some(path) = &config.names else { return Ok(TeamNames::new()) };
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let pair = |line: &str| {
        let (ours, theirs) = line.split_once('=')?;
        Some((ours.trim().to_owned(), theirs.trim().to_owned()))
    };
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let named =
        lines.map(|line| pair(line).with_context(|| format!("{}: no name = name: {line}", path.display())));
    named.collect()
}

/// The events that have picks, with the result that their picks were graded by.
fn awaited(cluster: &Cluster, partitions: i32) -> anyhow::Result<Vec<AwaitedEvent>> {
    let mut table = Table::open(cluster, &PICKS, partitions)?;
    let mut picks = BTreeMap::<String, Pick>::new();
    let begun = Instant::now();
    loop {
        match table.next(WAIT)? {
            TableEvent::CaughtUp => break,
            TableEvent::Put { value: Some(value), .. } => {
                let pick: Pick = wire::decode(&value)?;
                picks.insert(pick.id.clone(), pick);
            }
            TableEvent::Put { key, .. } => drop(picks.remove(&*String::from_utf8_lossy(&key))),
            TableEvent::Idle if begun.elapsed() > LONGEST => bail!("Kafka does not give the picks"),
            TableEvent::Idle => {}
        }
    }
    let mut events = BTreeMap::<String, Vec<Pick>>::new();
    for pick in picks.into_values().filter(|pick| pick.feed != FeedKind::Simulated) {
        events.entry(pick.event.id.to_string()).or_default().push(pick);
    }
    Ok(events.into_values().filter_map(|picks| event(&picks)).collect())
}

fn event(picks: &[Pick]) -> Option<AwaitedEvent> {
    let first = picks.first()?;
    let whole = picks.iter().filter(|pick| pick.period == arb_model::Period::FullTime);
    let points = whole.filter_map(|pick| pick.grade()).find_map(|grade| grade.home.zip(grade.away));
    let info = &first.event;
    Some(AwaitedEvent {
        id: info.id.to_string(),
        league: info.league.to_string(),
        home: info.home.to_string(),
        away: info.away.to_string(),
        starts_at: picks.iter().map(|pick| pick.starts_at.0).max()?,
        known: points.filter(|_| !picks.iter().any(Pick::is_open)),
    })
}

fn told(found: &FileResults, played: usize, left_out: usize) -> String {
    let FileResults { news, unchanged, unmatched } = found;
    let mut text = format!(
        "{} results written, {unchanged} known; the file has {played} matches, {left_out} rows were left out\n",
        news.len()
    );
    for event in unmatched {
        let AwaitedEvent { id, league, home, away, starts_at, .. } = event;
        let start = to_rfc3339(*starts_at);
        let _ =
            writeln!(text, "no row for {id}: {league}, {home} - {away}, {start} (--names FILE names a team)");
    }
    text
}
