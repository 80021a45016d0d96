//! The API described: one OpenAPI 3.1 document of every route of the table, for programs and for people.
//!
//! - `operations`: what each route is for, what it takes and what it answers.
//! - `asyncapi`: the topics and the stream, as a document of their own.
//! - `parameters`: parameters of queries and paths, from their declarations.
//! - `components`: schemas of bodies, from the views that answers are.
//!
//! Paths, methods, scopes and costs come from the route table; a route without an operation, or an operation without a route, fails a
//! test. The document is checked in as `schemas/openapi/openapi.json`. It never describes what no route does.

mod asyncapi;
mod components;
mod operations;
mod parameters;

use std::fmt::Write as _;
use std::sync::LazyLock;

use arb_feed::filter::parameter::ParameterShape;
use serde_json::{Map, Value, json};
use warp::http::Method;

use self::operations::{Content, OPERATIONS, Operation};
use crate::docs::{self, Pages};
use crate::http::deprecation::Deprecation;
use crate::http::route::{Route, RouteAccess};

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
                        operations::REGISTRY: {"schema": schema("RegistryError")},
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
            let Some(operation) = operations::of(route.method(), pattern) else { continue };
            let path = paths.entry(pattern).or_insert_with(|| json!({}));
            path[route.method().as_str().to_lowercase()] =
                described(route, pattern, operation, &examples[&operation.id]);
        }
    }
    Value::Object(paths)
}

fn described<S>(route: &Route<S>, pattern: &str, operation: &Operation, example: &Value) -> Value {
    let is_api_key = pattern.starts_with("/api/");
    let id = if is_api_key && operation.path.starts_with("/v1") && route.patterns().count() > 1 {
        format!("{}ByApiKey", operation.id)
    } else {
        operation.id.clone()
    };
    let tag = operation.path.split('/').find(|part| !["", "v1"].contains(part)).unwrap_or("page");
    let mut shown = json!({
        "operationId": id, "summary": operation.summary, "tags": [tag], "responses": responses(route, operation, example),
    });
    let taken = route.parameters();
    let given = parameters::list(pattern, &taken);
    if !given.is_empty() {
        shown["parameters"] = Value::Array(given);
    }
    if let Some(body) = &operation.body {
        let is_lines = body == operations::LINES;
        let (media, of_media) = if is_lines {
            (operations::LINES_TYPE, json!({"type": "string"}))
        } else {
            ("application/json", schema(body))
        };
        let mut content = json!({"schema": of_media});
        if let Some(body) = example.get("body").cloned().or_else(|| components::example(body)) {
            content["example"] = body;
        }
        shown["requestBody"] = json!({"required": true, "content": {media: content}});
        if is_lines {
            shown["requestBody"]["content"]["application/json"] = lines_as_document(&example["body"]);
        }
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

/// The same lines as one document, with what was sent as lines for its example.
fn lines_as_document(sent: &Value) -> Value {
    let lines: Vec<_> = sent.as_str().unwrap_or_default().lines().map(read).collect();
    json!({"schema": schema(operations::LINES_SCHEMA), "example": {"lines": lines}})
}

fn responses<S>(route: &Route<S>, operation: &Operation, example: &Value) -> Value {
    let mut responses = Map::new();
    for (status, content) in &operation.answers {
        let (description, content) = match content {
            Content::Empty => ("Done.", None),
            Content::Json(name) => {
                ("The answer.", Some(json!({"application/json": {"schema": schema(name)}})))
            }
            // Not a second media type: a generated client would have to tell text from a page.
            Content::Page(name) => (
                "A page; as CSV where the request accepts text/csv and no JSON.",
                Some(json!({"application/json": {"schema": schema(name)}})),
            ),
            Content::Registry(name) => {
                ("The answer.", Some(json!({operations::REGISTRY: {"schema": schema(name)}})))
            }
            Content::Text(media) => ("The answer.", Some(json!({media: {"schema": {"type": "string"}}}))),
        };
        let mut response = json!({"description": description});
        if let Some(content) = content {
            response["content"] = content;
        }
        if example["status"].as_u64() == status.parse().ok()
            && let Some(media) = example["media"].as_str()
        {
            response["content"][media]["example"] = example["answer"].clone();
        }
        responses.insert(status.clone(), response);
    }
    let is_read = route.method() == Method::GET;
    if is_read && matches!(route.access(), RouteAccess::Key { .. }) {
        responses.insert(
            "304".to_owned(),
            json!({"description": "The caller has it, by If-None-Match. It costs nothing."}),
        );
    }
    let is_registry = operation.answers.values().any(|content| matches!(content, Content::Registry(_)));
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
    for operation in &*OPERATIONS {
        let of_method = routes.iter().filter(|route| route.method().as_str() == operation.method);
        let paths: Vec<_> = of_method
            .flat_map(Route::patterns)
            .filter(|pattern| operations::plain(pattern) == operation.path)
            .collect();
        // Some are on the second surface alone.
        let path = paths.iter().find(|path| ***path == operation.path).or(paths.first());
        let path = path.map_or(&*operation.path, |path| path);
        let _ = writeln!(lines, "- `{} {path}`: {}", operation.method, operation.summary);
    }
    lines
}

#[cfg(test)]
mod tests;
