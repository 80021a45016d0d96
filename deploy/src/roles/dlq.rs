//! `arb dlq`: lists dead-lettered records, and sends them again once the fault is corrected.
//!
//! A letter is sent again as it came, to the partition that it came from. It never edits one.

use std::collections::BTreeMap;

use arb_kafka::{Cluster, Letter, Letters, TickProducer};
use arb_runtime::dead_letters::{Reason, header};
use arb_schemas::time::to_rfc3339;

use crate::cli::{Dlq, DlqAction};
use crate::roles::cluster;
use crate::system::output;

pub(crate) fn run(config: &Dlq) -> anyhow::Result<()> {
    match &config.action {
        DlqAction::List { all, brokers } => list(&cluster::open(brokers)?, *all),
        DlqAction::Replay { partition, offset, brokers } => {
            let wanted = partition.zip(*offset);
            replay(&cluster::open(brokers)?, wanted)
        }
    }
}

fn list(cluster: &Cluster, all: bool) -> anyhow::Result<()> {
    let mut letters = if all { Letters::all(cluster) } else { Letters::unsent(cluster) }?;
    output::write("partition\toffset\tat\tfrom\tbytes\treason\terror\n")?;
    while let Some(letter) = letters.read()? {
        let at = letter.at_millis.map_or_else(|| "-".to_owned(), |millis| to_rfc3339(millis * 1_000));
        let from = format!("{} {}", letter.header(header::TOPIC), letter.header(header::OFFSET));
        let bytes = letter.value.as_ref().map_or(0, Vec::len);
        let (reason, error) = (letter.header(header::REASON), letter.header(header::ERROR));
        let (partition, offset) = (letter.partition, letter.offset);
        output::write(format_args!("{partition}\t{offset}\t{at}\t{from}\t{bytes}\t{reason}\t{error}\n"))?;
    }
    Ok(())
}

/// Sends again all that were not sent yet, or the one that is named; each is acknowledged before the next.
fn replay(cluster: &Cluster, wanted: Option<(i32, i64)>) -> anyhow::Result<()> {
    let mut letters = if wanted.is_some() { Letters::all(cluster) } else { Letters::unsent(cluster) }?;
    let producer = TickProducer::new(cluster)?;
    let (mut sent, mut refused, mut last) = (0, 0, BTreeMap::new());
    while let Some(letter) = letters.read()? {
        let Letter { partition, offset, key, value, .. } = &letter;
        if wanted.is_some_and(|wanted| wanted != (*partition, *offset)) {
            continue;
        }
        last.insert(*partition, *offset);
        let is_whole = letter.header(header::REASON) != Reason::TooLong.key();
        let again = || producer.send_bytes(*partition, key.as_deref(), value.as_deref());
        match is_whole.then(|| again().and_then(|()| producer.flush())) {
            Some(Ok(())) => sent += 1,
            Some(Err(error)) => {
                refused += 1;
                eprintln!("partition {partition} offset {offset}: {error}");
            }
            None => {
                refused += 1;
                eprintln!("partition {partition} offset {offset}: only its headers were put aside");
            }
        }
    }
    if wanted.is_none() {
        last.iter().try_for_each(|(partition, offset)| letters.sent(*partition, *offset))?;
    }
    println!("{sent} sent again");
    match (refused, last.is_empty()) {
        (1.., _) => anyhow::bail!("{refused} could not be sent again; `arb dlq list --all` still shows them"),
        (0, true) if wanted.is_some() => {
            anyhow::bail!("there is no such dead letter; `arb dlq list --all` lists all of them")
        }
        _ => Ok(()),
    }
}
