//! What needs no key: the page, the state of the service and the API described.

use super::Row;
use super::board::TRUTH;
use crate::http::operation::Content::{Json, Text};
use crate::http::operation::get;
use crate::page;
use crate::resources::{TruthResource, health, problems};

pub(super) const ROWS: [Row; 12] = [
    Row::open(get("/", "showPage", "The page.", &[(200, Text("text/html"))]), |_, request| {
        page::document(request)
    }),
    Row::open(
        get("/assets/{name}", "showAsset", "A file of the page.", &[(200, Text("*/*"))]),
        |_, request| page::asset(request),
    ),
    Row::open(get("/livez", "isAlive", "Whether the process runs.", &[(200, Text("text/plain"))]), |_, _| {
        health::live()
    }),
    Row::open(get("/readyz", "isReady", "Whether it serves.", &[(200, Text("text/plain"))]), |to, _| {
        to.health.ready()
    }),
    Row::open(
        get("/status", "showStatus", "The state of the service, for anybody.", &[(200, Json("Status"))]),
        |to, request| to.status.show(request),
    ),
    Row::open_task(get("/truth", "showTruthToAnybody", TRUTH, &[(200, Json("Truth"))]), |to, request| {
        to.truth.show_anybody(request)
    })
    .taking(TruthResource::PARAMETERS),
    Row::open(
        get("/problems/{name}", "showProblem", "What an error means.", &[(200, Text("text/plain"))]),
        |_, request| problems::show(request),
    ),
    Row::open(
        get("/openapi.json", "showDescription", "This document.", &[(200, Json("Document"))]),
        |to, request| Ok(to.description.document(request)),
    ),
    Row::open(
        get(
            "/asyncapi.json",
            "showAsyncApi",
            "The topics of Kafka and the events of the stream, as AsyncAPI 3.",
            &[(200, Json("Document"))],
        ),
        |to, request| Ok(to.description.channels(request)),
    ),
    Row::open(
        get("/llms.txt", "showLines", "What there is, in lines.", &[(200, Text("text/plain"))]),
        |to, request| Ok(to.description.lines(request)),
    ),
    Row::open(get("/docs", "showDocs", "These pages.", &[(200, Text("text/html"))]), |to, request| {
        to.description.page(request, "")
    }),
    Row::open(
        get("/docs/{name}", "showDocsPage", "A guide, or a route with samples.", &[(200, Text("text/html"))]),
        |to, request| to.description.page(request, &request.parameter("name")),
    ),
];
