//! `GET /registry/...`: the schemas of the topics, as clients of a Confluent Schema Registry ask for them.
//!
//! The read-only part of its API: the URL of a deserializer is `http://HOST/registry`. It never takes a schema in, and its
//! answers are the same on every instance of one version. Errors have the registry's code and message, because its clients read those, and the fields of
//! every other error of the API.
//!
//! Source: Confluent Schema Registry, "API reference"; the table of versions, `arb_schemas::registry`.

use arb_schemas::registry::{self, PublishedSchema};
use serde::Serialize;
use serde_json::{Value, json};
use warp::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use warp::http::{HeaderValue, StatusCode};
use warp::reply::Response;

use crate::http::problem::Problem;
use crate::http::request::Request;
use crate::http::route::Answer;
use crate::view::{RegistryConfig, RegistryMode, RegistrySchema, RegistryUse, RegistryVersion};

const MEDIA_TYPE: &str = "application/vnd.schemaregistry.v1+json";
/// A published version never changes.
const NEVER_CHANGES: &str = "public, max-age=86400, immutable";
/// A newer program has more of them.
const MAY_GROW: &str = "public, max-age=60";

/// Why there is no answer: whether it is 422 instead of 404, the registry's code and message.
type Missing = (bool, u32, &'static str);

const NO_SCHEMA: Missing = (false, 40403, "Schema not found");
const NO_SUBJECT: Missing = (false, 40401, "Subject not found");
const NO_VERSION: Missing = (false, 40402, "Version not found");
const BAD_VERSION: Missing = (true, 42202, "A version is a number from 1, or latest");

/// Answers `GET /registry/config`: how versions of one subject may differ.
pub(crate) fn config() -> Answer {
    answer(Ok(RegistryConfig { level: "FULL_TRANSITIVE" }), MAY_GROW)
}

/// Answers `GET /registry/mode`.
pub(crate) fn mode() -> Answer {
    answer(Ok(RegistryMode { mode: "READONLY" }), MAY_GROW)
}

/// Answers `GET /registry/schemas/types`.
pub(crate) fn types() -> Answer {
    answer(Ok(["AVRO"]), MAY_GROW)
}

/// Answers `GET /registry/schemas/ids/{id}`: the schema by which a message with this id was written.
pub(crate) fn by_id(request: &Request<'_>) -> Answer {
    answer(with_id(request).map(|schema| RegistrySchema::new(&schema)), NEVER_CHANGES)
}

/// Answers `GET /registry/schemas/ids/{id}/schema`: the schema alone.
pub(crate) fn text_by_id(request: &Request<'_>) -> Answer {
    let parsed = with_id(request).map(|schema| serde_json::from_str(schema.text).unwrap_or(Value::Null));
    answer(parsed, NEVER_CHANGES)
}

/// Answers `GET /registry/schemas/ids/{id}/versions`: of which subject it is which version.
pub(crate) fn versions_of_id(request: &Request<'_>) -> Answer {
    let found = with_id(request);
    let place =
        |schema: PublishedSchema| [RegistryUse { subject: schema.subject(), version: schema.version }];
    answer(found.map(place), NEVER_CHANGES)
}

/// Answers `GET /registry/subjects`.
pub(crate) fn subjects() -> Answer {
    let newest = registry::all().filter(|schema| schema.version == 1);
    answer(Ok(newest.map(|schema| schema.subject()).collect::<Vec<_>>()), MAY_GROW)
}

/// Answers `GET /registry/subjects/{subject}/versions`.
pub(crate) fn versions(request: &Request<'_>) -> Answer {
    let found = of_subject(request);
    answer(found.map(|found| found.iter().map(|schema| schema.version).collect::<Vec<_>>()), MAY_GROW)
}

/// Answers `GET /registry/subjects/{subject}/versions/{version}`.
pub(crate) fn version(request: &Request<'_>) -> Answer {
    let number = request.parameter("version");
    let found = of_subject(request).and_then(|found| match &*number {
        // Clients of the registry write the latest version in both ways.
        "latest" | "-1" => found.last().copied().ok_or(NO_VERSION),
        _ => {
            let number: u32 = number.parse().ok().filter(|number| *number > 0).ok_or(BAD_VERSION)?;
            found.into_iter().find(|schema| schema.version == number).ok_or(NO_VERSION)
        }
    });
    answer(found.map(|schema| RegistryVersion::new(&schema)), MAY_GROW)
}

fn with_id(request: &Request<'_>) -> Result<PublishedSchema, Missing> {
    let id: u32 = request.parameter("id").parse().map_err(|_| NO_SCHEMA)?;
    registry::all().find(|schema| schema.id == id).ok_or(NO_SCHEMA)
}

/// The versions of a subject, the oldest first.
fn of_subject(request: &Request<'_>) -> Result<Vec<PublishedSchema>, Missing> {
    let subject = request.parameter("subject");
    let found: Vec<_> = registry::all().filter(|schema| schema.subject() == subject).collect();
    if found.is_empty() { Err(NO_SUBJECT) } else { Ok(found) }
}

#[expect(clippy::unnecessary_wraps, reason = "as handlers answer")]
fn answer(found: Result<impl Serialize, Missing>, caching: &'static str) -> Answer {
    let (status, body, caching) = match found {
        Ok(body) => (StatusCode::OK, json!(body), caching),
        Err((is_invalid, code, message)) => {
            let (status, body) = Problem::of_registry(is_invalid, code, message);
            (status, json!(body), "no-store")
        }
    };
    let mut response = Response::new(body.to_string().into());
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE));
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static(caching));
    Ok(response)
}
