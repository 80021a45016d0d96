//! What each route is for: its name, its body and its answers, from `schemas/openapi/operations.json`.
//!
//! Paths are those of `/v1`; the same entry describes the path under `/api/v1`. It never repeats what the route table states.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use warp::http::Method;

/// The body of a route that takes lines of JSON, its media type, and the schema of the same lines as one document.
pub(super) const LINES: &str = "lines";
pub(super) const LINES_TYPE: &str = "application/x-ndjson";
pub(super) const LINES_SCHEMA: &str = "TickLines";
/// The media type of the schema registry.
pub(super) const REGISTRY: &str = "application/vnd.schemaregistry.v1+json";

/// What a route answers with.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Content {
    Empty,
    /// JSON by a schema of the components.
    Json(String),
    /// The same, or CSV where that is asked for.
    Page(String),
    /// JSON of the schema registry by a schema of the components.
    Registry(String),
    /// Text of a media type.
    Text(String),
}

/// A route.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Operation {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) id: String,
    pub(super) summary: String,
    #[serde(default)]
    pub(super) body: Option<String>,
    /// By status.
    pub(super) answers: BTreeMap<String, Content>,
}

/// All of them.
#[expect(clippy::expect_used, reason = "the file is compiled in, and a test reads it")]
pub(super) static OPERATIONS: LazyLock<Vec<Operation>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../../schemas/openapi/operations.json")).expect("operations")
});

/// The operation of a path of the route table.
pub(super) fn of(method: &Method, pattern: &str) -> Option<&'static Operation> {
    OPERATIONS
        .iter()
        .find(|operation| operation.method == method.as_str() && operation.path == plain(pattern))
}

/// A path as operations name it.
pub(super) fn plain(pattern: &str) -> &str {
    pattern.strip_prefix("/api").filter(|rest| rest.starts_with("/v1")).unwrap_or(pattern)
}
