//! The API described: one OpenAPI 3.1 document of every route of the table, for programs and for people.
//!
//! - `asyncapi`: the topics and the stream, as a document of their own.
//! - `parameters`: parameters of queries and paths, from their declarations.
//! - `components`: schemas of bodies, from the views that answers are.
//!
//! All that is said of a route comes from its row in the route table; the document is checked in as `schemas/openapi/openapi.json`. It never
//! describes what no route does.

mod asyncapi;
mod components;
mod parameters;

use std::fmt::Write as _;
use std::sync::LazyLock;

use arb_feed::filter::parameter::ParameterShape;
use serde_json::{Map, Value, json};
use warp::http::Method;

use crate::docs::{self, Pages};
use crate::http::body::Media;
use crate::http::deprecation::Deprecation;
use crate::http::operation::{Content, RequestBody};
use crate::http::route::{Route, RouteAccess};

/// The media type of the schema registry.
const REGISTRY: &str = "application/vnd.schemaregistry.v1+json";
/// Schemas of bodies.
static COMPONENTS: LazyLock<Map<String, Value>> = LazyLock::new(components::all);
/// What a running API answered, by operation: `request` is what it was asked for, `body` what was sent. A test produces it.
const EXAMPLES: &str = include_str!("../../schemas/openapi/examples.json");

/// The API described.
#[derive(Debug)]
pub(crate) struct Description {
    /// The OpenAPI document, as it is served and checked in.
    pub(crate) document: String,
    /// The AsyncAPI document, likewise.
    pub(crate) channels: String,
    /// What there is, in lines for a language model.
    pub(crate) lines: String,
}

impl Description {
    /// Of a route table.
    pub(crate) fn of<S>(routes: &[Route<S>]) -> Self {
        let stream = routes.iter().find(|route| route.patterns().any(|pattern| pattern == "/v1/stream"));
        let taken = stream.map_or_else(Vec::new, Route::parameters);
        let channels = pretty(&asyncapi::document(&parameters::schemas(&taken)));
        Self { document: pretty(&document(routes)), channels, lines: lines(routes) }
    }

    /// Pages for people who reach the API by this URL.
    pub(crate) fn pages(&self, url: &str) -> Pages {
        Pages::of(&read(&self.document), url)
    }
}

fn pretty(document: &Value) -> String {
    serde_json::to_string_pretty(document).unwrap_or_default() + "\n"
}

/// The whole document.
fn document<S>(routes: &[Route<S>]) -> Value {
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Arbitrage Board",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Arbs across betting markets, edge signals and picks of bots, as they are found. Every path under /v1 takes the \
                key as a bearer token; the same path under /api/v1 takes it as x-api-key and shows the quota in headers. Fields may be \
                added to any answer: ignore those that you do not know.",
            "license": {"name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "paths": paths(routes),
        "components": {
            "schemas": *COMPONENTS,
            "parameters": parameters::components(routes.iter().flat_map(Route::parameters)),
            "responses": {
                "Problem": {
                    "description": "An error. It costs nothing.",
                    "content": {"application/problem+json": {"schema": schema("Problem")}},
                },
                "RegistryError": {
                    "description": "An error of the registry, or of the request.",
                    "content": {
                        REGISTRY: {"schema": schema("RegistryError")},
                        "application/problem+json": {"schema": schema("RegistryError")},
                    },
                },
            },
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer", "description": "A key, arb_live_... or arb_test_..."},
                "apiKey": {"type": "apiKey", "in": "header", "name": "x-api-key"},
                "ticket": {"type": "apiKey", "in": "query", "name": "ticket", "description": "Of a stream, for pages of other origins."},
                "session": {"type": "apiKey", "in": "cookie", "name": "arb_session",
                    "description": "The cookie of a browser that signed in. Its real name has the port, or the prefix __Host-."},
            },
        },
    })
}

fn read(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}

fn paths<S>(routes: &[Route<S>]) -> Value {
    let examples = read(EXAMPLES);
    let mut paths = Map::new();
    for route in routes {
        for pattern in route.patterns() {
            let path = paths.entry(pattern).or_insert_with(|| json!({}));
            path[route.method().as_str().to_lowercase()] =
                described(route, pattern, &examples[&*route.operation().id]);
        }
    }
    Value::Object(paths)
}

fn described<S>(route: &Route<S>, pattern: &str, example: &Value) -> Value {
    let operation = route.operation();
    let is_api_key = pattern.starts_with("/api/");
    let of_two = if is_api_key && route.patterns().count() > 1 { "ByApiKey" } else { "" };
    let id = format!("{}{of_two}", operation.id);
    let tag = pattern.split('/').find(|part| !["", "api", "v1"].contains(part)).unwrap_or("page");
    let mut shown = json!({
        "operationId": id, "summary": operation.summary, "tags": [tag], "responses": responses(route, example),
    });
    let taken = route.parameters();
    let given = parameters::list(pattern, &taken);
    if !given.is_empty() {
        shown["parameters"] = Value::Array(given);
    }
    if let Some(body) = &operation.body {
        shown["requestBody"] = request_body(body, example.get("body"));
    }
    if let Some(request) = example.get("request") {
        shown["x-example"] = request.clone();
    }
    deprecate(route.deprecations(), &taken, &mut shown);
    match route.access() {
        RouteAccess::Open => shown["security"] = json!([]),
        RouteAccess::Session => shown["security"] = json!([{"session": []}, {}]),
        RouteAccess::Key { scope, cost } => {
            let scheme = if is_api_key { "apiKey" } else { "bearer" };
            let mut security = vec![json!({scheme: []})];
            if route.takes_tickets() {
                security.push(json!({"ticket": []}));
            }
            shown["security"] = Value::Array(security);
            shown["x-scope"] = json!(scope);
            shown["x-requests"] = json!(cost);
            shown["x-test-keys"] = json!(route.serves_test_keys());
        }
    }
    shown
}

/// A body, with what a test sent for its example.
fn request_body(body: &RequestBody, sent: Option<&Value>) -> Value {
    // What no test calls has an example with its schema.
    let of_schema = || components::example(body.schema);
    let content = |schema: Value, example: Option<Value>| {
        let mut content = json!({"schema": schema});
        if let Some(example) = example {
            content["example"] = example;
        }
        content
    };
    let documents = schema(body.schema);
    let content = match body.media {
        Media::Json => json!({"application/json": content(documents, sent.cloned().or_else(of_schema))}),
        Media::Lines => {
            // The same lines as one document.
            let lines: Vec<_> = sent.and_then(Value::as_str).unwrap_or_default().lines().map(read).collect();
            json!({
                body.media.types()[0]: content(json!({"type": "string"}), sent.cloned()),
                "application/json": content(documents, Some(json!({"lines": lines}))),
            })
        }
    };
    json!({"required": true, "content": content})
}

fn responses<S>(route: &Route<S>, example: &Value) -> Value {
    let mut responses = Map::new();
    let answers = route.operation().answers;
    for &(status, content) in answers {
        let (description, media) = match content {
            Content::Empty => ("Done.", None),
            Content::Json(_) => ("The answer.", Some("application/json")),
            // Not a second media type: a generated client would have to tell text from a page.
            Content::Page(_) => {
                ("A page; as CSV where the request accepts text/csv and no JSON.", Some("application/json"))
            }
            Content::Registry(_) => ("The answer.", Some(REGISTRY)),
            Content::Text(media) => ("The answer.", Some(media)),
        };
        let mut response = json!({"description": description});
        if let Some(media) = media {
            let schema = content.schema().map_or_else(|| json!({"type": "string"}), schema);
            response["content"] = json!({media: {"schema": schema}});
        }
        if example["status"].as_u64() == Some(u64::from(status))
            && let Some(media) = example["media"].as_str()
        {
            response["content"][media]["example"] = example["answer"].clone();
        }
        responses.insert(status.to_string(), response);
    }
    let is_read = route.method() == Method::GET;
    if is_read && matches!(route.access(), RouteAccess::Key { .. }) {
        responses.insert(
            "304".to_owned(),
            json!({"description": "The caller has it, by If-None-Match. It costs nothing."}),
        );
    }
    let is_registry = answers.iter().any(|(_, content)| matches!(content, Content::Registry(_)));
    let error = if is_registry { "RegistryError" } else { "Problem" };
    responses.insert("default".to_owned(), json!({"$ref": format!("#/components/responses/{error}")}));
    Value::Object(responses)
}

/// Marks what is deprecated: the operation, or a parameter, which is then written here instead of a reference.
fn deprecate(marks: &[Deprecation], taken: &[&ParameterShape], operation: &mut Value) {
    for mark in marks {
        let Some(name) = mark.parameter else {
            operation["deprecated"] = json!(true);
            operation["x-deprecation"] = mark.shown();
            continue;
        };
        for parameter in operation["parameters"].as_array_mut().into_iter().flatten() {
            let id = parameter["$ref"].as_str().and_then(|to| to.rsplit('/').next());
            let is_it = |shape: &&&ParameterShape| shape.name == name && Some(shape.component) == id;
            let Some(shape) = taken.iter().find(is_it) else { continue };
            *parameter = parameters::whole(shape);
            parameter["deprecated"] = json!(true);
            parameter["x-deprecation"] = mark.shown();
        }
    }
}

fn schema(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

fn lines<S>(routes: &[Route<S>]) -> String {
    let mut lines = "# Arbitrage Board\n\n> Arbs across betting markets, edge signals and picks of bots, over HTTP, Server-Sent Events and webhooks.\n\n\
        Send a key as `Authorization: Bearer KEY` to paths under /v1, or as `x-api-key: KEY` to the same paths under /api/v1. Errors are \
        RFC 9457 problems. Times are RFC 3339 in UTC, prices decimal odds, margins and probabilities fractions.\n\n\
        ## Description\n\n- [OpenAPI 3.1](/openapi.json): every route with its parameters and answers\n\
        - [AsyncAPI 3](/asyncapi.json): the topics of Kafka and the events of the stream\n- [Schemas of the topics](/registry/subjects)\n\n\
        ## Guides\n\n"
        .to_owned();
    for (name, title) in docs::guides() {
        let _ = writeln!(lines, "- [{title}](/docs/{name})");
    }
    lines += "\n## Routes\n\n";
    for route in routes {
        let path = route.patterns().next().unwrap_or_default();
        let _ = writeln!(lines, "- `{} {path}`: {}", route.method(), route.operation().summary);
    }
    lines
}

#[cfg(test)]
mod tests;
