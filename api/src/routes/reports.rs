//! What clients send: odds of a source of their own, and results of events.

use arb_accounts::scope::Scope;
use arb_schemas::limits::PUSH_BODY;

use super::Row;
use crate::http::operation::Content::Json;
use crate::http::operation::{get, post};
use crate::resources::results;

pub(super) const ROWS: [Row; 3] = [
    Row::keyed_task(
        post("/api/v1/ticks", "pushOdds", "Pushes odds, a line of JSON each.", &[(200, Json("Ticks"))])
            .with_lines("TickLines", PUSH_BODY),
        (Scope::TicksWrite, 1),
        |to, request, charge| to.ticks.push(request, charge),
    ),
    Row::keyed(
        get(
            "/api/v1/ticks/dead-letters",
            "listDeadLettersOfTicks",
            "Pushed odds of the caller's source that were not taken in, the newest first.",
            &[(200, Json("PushLetters"))],
        ),
        (Scope::TicksWrite, 0),
        |to, request, charge| to.ticks.dead_letters(request, charge),
    ),
    Row::keyed_task(
        post(
            "/api/v1/results",
            "reportResult",
            "Reports the result of an event.",
            &[(202, Json("ResultTaken"))],
        )
        .with_body("Result", results::MAX_BODY),
        (Scope::ResultsWrite, 1),
        |to, request, charge| to.results.report(request, charge),
    ),
];
