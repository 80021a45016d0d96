//! `arb topics schemas`: the table of schema ids, printed. It never lists a schema that the program cannot read.

use arb_schemas::registry::{self, PublishedSchema};
use serde_json::{Value, json};

use crate::system::output;

/// Prints all versions, the oldest of each type of record first.
pub(super) fn list(as_json: bool) -> anyhow::Result<()> {
    if as_json {
        let all: Vec<_> = registry::all().map(|schema| as_value(&schema)).collect();
        output::write(format_args!("{}\n", serde_json::to_string_pretty(&all)?))?;
        return Ok(());
    }
    output::write("| id | subject | version | topics |\n|---|---|---|---|\n")?;
    for schema in registry::all() {
        let (id, subject, version) = (schema.id, schema.subject(), schema.version);
        output::write(format_args!("| {id} | `{subject}` | {version} | {} |\n", topics(&schema).join(", ")))?;
    }
    Ok(())
}

fn topics(schema: &PublishedSchema) -> Vec<&'static str> {
    schema.topics().map(|topic| topic.name).collect()
}

fn as_value(schema: &PublishedSchema) -> Value {
    json!({
        "id": schema.id,
        "subject": schema.subject(),
        "version": schema.version,
        "topics": topics(schema),
        "references": schema.named_references(),
        "schema": schema.text,
    })
}
