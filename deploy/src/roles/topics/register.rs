//! `arb topics register`: writes the schemas to a Confluent Schema Registry that exists, with the ids that messages carry.
//!
//! It never changes what the registry has: a version that is there must be the same one, and one that is not is added.
//!
//! Source: Confluent Schema Registry, "API reference": mode `IMPORT` is the one in which a client names the ids.

use std::time::Duration;

use anyhow::{Context, bail};
use arb_schemas::registry::{self, PublishedSchema};
use serde_json::{Value, json};
use ureq::Agent;
use ureq::tls::{RootCerts, TlsConfig};

use crate::system::output;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(30);
const MEDIA_TYPE: &str = "application/vnd.schemaregistry.v1+json";

/// Adds all versions that the registry does not have; prints how many.
pub(super) fn run(url: &str) -> anyhow::Result<()> {
    let registry = Registry::new(url);
    let mut missing = Vec::new();
    for schema in in_order() {
        if !registry.has(&schema)? {
            missing.push(schema);
        }
    }
    let mut subjects: Vec<_> = missing.iter().map(PublishedSchema::subject).collect();
    subjects.dedup();
    for subject in &subjects {
        registry.set_mode(subject, "IMPORT")?;
    }
    let added = missing.iter().try_for_each(|schema| registry.add(schema));
    for subject in &subjects {
        registry.set_mode(subject, "READWRITE")?;
    }
    added?;
    let (all, added) = (registry::all().count(), missing.len());
    output::write(format_args!("{added} of {all} schemas were added, the others were there\n"))?;
    Ok(())
}

/// A registry takes a schema only when it has those that it refers to.
fn in_order() -> Vec<PublishedSchema> {
    let (alone, referring): (Vec<_>, Vec<_>) =
        registry::all().partition(|schema| schema.references().next().is_none());
    [alone, referring].concat()
}

struct Registry {
    agent: Agent,
    url: String,
}

impl Registry {
    fn new(url: &str) -> Self {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(PATIENCE))
            // The system's, so that an operator's own authority counts.
            .tls_config(TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build())
            .build();
        Self { agent: config.into(), url: url.trim_end_matches('/').to_owned() }
    }

    /// Whether it has this version with this id.
    fn has(&self, schema: &PublishedSchema) -> anyhow::Result<bool> {
        let (subject, version) = (schema.subject(), schema.version);
        let path = format!("/subjects/{subject}/versions/{version}");
        let answer = self.agent.get(format!("{}{path}", self.url)).call();
        let (status, body) = read(answer).with_context(|| format!("GET {}{path}", self.url))?;
        match status {
            404 => Ok(false),
            200 if body["id"] == schema.id => Ok(true),
            200 => bail!(
                "version {version} of {subject} has the id {} there, and {} in messages: use a context of its own \
                 (.../contexts/.arb)",
                body["id"],
                schema.id
            ),
            _ => bail!("GET {}{path}: {status} {body}", self.url),
        }
    }

    fn set_mode(&self, subject: &str, mode: &str) -> anyhow::Result<()> {
        // Without force a subject that has versions does not become one for import.
        let path = format!("/mode/{subject}?force=true");
        let request = self.agent.put(format!("{}{path}", self.url)).header("content-type", MEDIA_TYPE);
        self.accepted("PUT", &path, request.send(json!({"mode": mode}).to_string()))
    }

    fn add(&self, schema: &PublishedSchema) -> anyhow::Result<()> {
        let path = format!("/subjects/{}/versions", schema.subject());
        let body = json!({
            "schemaType": "AVRO",
            "schema": schema.text,
            "references": schema.named_references(),
            "version": schema.version,
            "id": schema.id,
        });
        let request = self.agent.post(format!("{}{path}", self.url)).header("content-type", MEDIA_TYPE);
        self.accepted("POST", &path, request.send(body.to_string()))
    }

    fn accepted(&self, method: &str, path: &str, answer: Answer) -> anyhow::Result<()> {
        let (status, body) = read(answer).with_context(|| format!("{method} {}{path}", self.url))?;
        if !(200..300).contains(&status) {
            bail!("{method} {}{path}: {status} {body}", self.url);
        }
        Ok(())
    }
}

type Answer = Result<ureq::http::Response<ureq::Body>, ureq::Error>;

fn read(answer: Answer) -> anyhow::Result<(u16, Value)> {
    let mut answer = answer?;
    let text = answer.body_mut().read_to_string()?;
    Ok((answer.status().as_u16(), serde_json::from_str(&text).unwrap_or(Value::String(text))))
}
