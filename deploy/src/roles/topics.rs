//! `arb topics`: the catalogue, printed or created, and the schemas of its records.

mod register;
mod rights;
mod schemas;

use std::collections::BTreeMap;

use arb_kafka as kafka;
use arb_schemas::topics::{self, Cleanup, Topic};
use serde_json::json;

use crate::cli::{Topics, TopicsAction};
use crate::roles::cluster;
use crate::system::output;

pub(crate) fn run(config: &Topics) -> anyhow::Result<()> {
    match &config.action {
        TopicsAction::List { json: false } => list()?,
        TopicsAction::List { json: true } => list_json()?,
        TopicsAction::Rights { json } => rights::list(*json)?,
        TopicsAction::Schemas { json } => schemas::list(*json)?,
        TopicsAction::Register { registry } => register::run(registry)?,
        TopicsAction::Create { partitions, brokers } => {
            let cluster = cluster::open(brokers)?;
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            let created = runtime.block_on(kafka::provision(&cluster, *partitions))?;
            output::write(format_args!("created {created}, there before {}\n", topics::ALL.len() - created))?;
        }
    }
    Ok(())
}

fn in_words(days: u32) -> String {
    if days == 1 { "1 day".to_owned() } else { format!("{days} days") }
}

/// As programs read it: an object a line.
fn list_json() -> anyhow::Result<()> {
    let topic = |topic: &Topic| {
        let config: BTreeMap<_, _> = topic.config().into_iter().collect();
        let fixed = (!topic.follows_ticks()).then_some(topic.partitions);
        json!({ "name": topic.name, "partitions": fixed, "config": config })
    };
    let lines: Vec<_> = topics::ALL.iter().map(|one| topic(one).to_string()).collect();
    output::write(format_args!("[\n{}\n]\n", lines.join(",\n")))
}

/// As the table that docs/operations/topics.md shows.
fn list() -> anyhow::Result<()> {
    output::write("| topic | key | partitions | cleanup | records |\n|---|---|---|---|---|\n")?;
    for topic in topics::ALL {
        let cleanup = match topic.cleanup {
            Cleanup::Compact => "compacted".to_owned(),
            Cleanup::CompactWithin(days) => format!("compacted within {}", in_words(days)),
            Cleanup::CompactFor(days) => format!("compacted, {}", in_words(days)),
            Cleanup::Days(days) => in_words(days),
        };
        let records: Vec<_> = topic.records.iter().map(|record| format!("{record:?}")).collect();
        let records = if records.is_empty() { "as they were".to_owned() } else { records.join(", ") };
        let partitions = topic.partitions;
        output::write(format_args!(
            "| `{}` | {} | {partitions} | {cleanup} | {records} |\n",
            topic.name, topic.key
        ))?;
    }
    Ok(())
}
