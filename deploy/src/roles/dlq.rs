//! `arb dlq`: what could not be taken in, listed, and sent again once the fault is mended.
//!
//! A letter is sent again as it came, to the partition that it came from. It never edits one.

use std::collections::BTreeMap;

use arb_pipeline::kafka::{Letter, Letters, TickProducer};
use arb_pipeline::process::dead_letters::header;
use arb_schemas::time::to_rfc3339;

use crate::cli::{Dlq, DlqAction};

pub(crate) fn run(config: &Dlq) -> anyhow::Result<()> {
    match &config.action {
        DlqAction::List { all, brokers } => list(&brokers.brokers, *all),
        DlqAction::Replay { partition, offset, brokers } => {
            let wanted = partition.zip(*offset);
            replay(&brokers.brokers, wanted)
        }
    }
}

fn list(brokers: &str, all: bool) -> anyhow::Result<()> {
    let mut letters = if all { Letters::all(brokers) } else { Letters::unsent(brokers) }?;
    println!("partition\toffset\tat\tfrom\tbytes\treason\terror");
    while let Some(letter) = letters.read()? {
        let at = letter.at_millis.map_or_else(|| "-".to_owned(), |millis| to_rfc3339(millis * 1_000));
        let from = format!("{} {}", letter.header(header::TOPIC), letter.header(header::OFFSET));
        let bytes = letter.value.as_ref().map_or(0, Vec::len);
        let (reason, error) = (letter.header(header::REASON), letter.header(header::ERROR));
        println!("{}\t{}\t{at}\t{from}\t{bytes}\t{reason}\t{error}", letter.partition, letter.offset);
    }
    Ok(())
}

/// Sends again all that have not been, or one that is named.
fn replay(brokers: &str, wanted: Option<(i32, i64)>) -> anyhow::Result<()> {
    let mut letters = if wanted.is_some() { Letters::all(brokers) } else { Letters::unsent(brokers) }?;
    let producer = TickProducer::new(brokers)?;
    let (mut count, mut last) = (0, BTreeMap::new());
    while let Some(Letter { partition, offset, key, value, .. }) = letters.read()? {
        if wanted.is_none_or(|wanted| wanted == (partition, offset)) {
            producer.send_bytes(partition, key.as_deref(), value.as_deref())?;
            last.insert(partition, offset);
            count += 1;
        }
    }
    producer.flush()?;
    if wanted.is_none() {
        last.into_iter().try_for_each(|(partition, offset)| letters.sent(partition, offset))?;
    }
    println!("{count} sent again");
    if wanted.is_some() && count == 0 {
        anyhow::bail!("there is no such letter; `arb dlq list --all` shows those that are kept");
    }
    Ok(())
}
