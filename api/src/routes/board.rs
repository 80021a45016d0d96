//! Arb windows, those that are open and those of the past, signals, and the stream of both.

use arb_accounts::scope::Scope;
use arb_schemas::records::EdgeSignal;

use super::{MARKET, Row};
use crate::http::operation::Content::{Json, Page, Text};
use crate::http::operation::{get, post};
use crate::resources::{
    ArbsResource, HistoryResource, ListResource, StreamResource, TruthResource, board_cost, hedge, tickets,
};

/// What both routes of it are for, that for keys and that for anybody.
pub(super) const TRUTH: &str = "How much of what the running feed showed was real: phantoms, whether legs stood when they were next \
    confirmed, and whether stated lifetimes came true.";

pub(super) const ROWS: [Row; 11] = [
    Row::keyed(
        get("/api/v1/arbs", "listArbs", "The board: open arb windows, ranked.", &[(200, Page("ArbPage"))]),
        (Scope::BoardRead, 1),
        |to, request, charge| to.market(charge).arbs.page(request, charge),
    )
    .taking(ArbsResource::PARAMETERS)
    .priced_by(board_cost)
    .for_test_keys()
    .for_sessions(&MARKET),
    Row::keyed_task(
        get("/api/v1/arbs/history", "listWindows", "Windows of the past.", &[(200, Page("WindowPage"))]),
        (Scope::HistoryRead, 1),
        |to, request, charge| to.history.page(request, charge),
    )
    .taking(HistoryResource::PARAMETERS)
    .for_sessions(&MARKET),
    Row::keyed(
        get(
            "/api/v1/arbs/changes",
            "listChanges",
            "Events of the stream since an id, for clients that cannot hold a stream.",
            &[(200, Json("Changes"))],
        ),
        (Scope::StreamRead, 1),
        |to, request, charge| to.market(charge).stream.changes(request, charge),
    )
    .taking(StreamResource::OF_CHANGES)
    .for_test_keys(),
    Row::keyed_task(
        get(
            "/api/v1/arbs/{id}",
            "showArb",
            "One window: its entry, its record and its transitions.",
            &[(200, Json("WindowHistory"))],
        ),
        (Scope::BoardRead, 1),
        |to, request, charge| to.windows(charge).show(request, charge),
    )
    .for_test_keys()
    .for_sessions(&MARKET),
    Row::keyed_task(
        get(
            "/api/v1/arbs/{id}/prices",
            "listArbPrices",
            "The prices of a window's outcomes at all books, around the time at which it was open.",
            &[(200, Json("ArbPrices"))],
        ),
        (Scope::HistoryRead, 1),
        |to, request, charge| to.history.prices(request, charge, to.now()),
    )
    .for_sessions(&MARKET),
    Row::keyed_task(
        get("/api/v1/truth", "showTruth", TRUTH, &[(200, Json("Truth"))]),
        (Scope::HistoryRead, 1),
        |to, request, charge| to.truth.show(request, charge),
    )
    .taking(TruthResource::PARAMETERS),
    Row::keyed_task(
        post(
            "/api/v1/arbs/{id}/hedge",
            "hedgeArb",
            "What to stake on the other legs once some are placed.",
            &[(200, Json("Hedge"))],
        )
        .with_body("HedgeRequest", hedge::MAX_BODY),
        (Scope::BoardRead, 1),
        |to, request, charge| to.market(charge).arbs.hedge(request, charge),
    )
    .for_test_keys()
    .for_sessions(&MARKET),
    Row::keyed(
        get("/api/v1/signals", "listSignals", "Open edge signals.", &[(200, Json("SignalPage"))]),
        (Scope::SignalsRead, 1),
        |to, request, charge| to.market(charge).signals.page(request, charge),
    )
    .taking(ListResource::<EdgeSignal>::PARAMETERS)
    .for_test_keys(),
    Row::keyed_task(
        get(
            "/api/v1/stream",
            "openStream",
            "Server-Sent Events: a snapshot, then every transition.",
            &[(200, Text("text/event-stream"))],
        ),
        (Scope::StreamRead, 1),
        |to, request, charge| to.market(charge).stream.open(request, charge, &to.tickets),
    )
    .taking(StreamResource::PARAMETERS)
    .priced_by(board_cost)
    .for_tickets()
    .for_test_keys(),
    Row::keyed_task(
        post(
            "/api/v1/stream/tickets",
            "createTicket",
            "A ticket that opens a stream from a page of another origin.",
            &[(201, Json("Ticket"))],
        )
        .with_body("TicketRequest", tickets::MAX_BODY),
        (Scope::StreamRead, 0),
        |to, request, charge| to.tickets.issue(request, charge),
    )
    .for_test_keys(),
    Row::session(
        get(
            "/session/stream",
            "openStreamInSession",
            "The stream, for a page of this site.",
            &[(200, Text("text/event-stream"))],
        ),
        |to, request| {
            let signed_in = to.session.enter(request)?;
            to.live.stream.open_for_session(request, &signed_in, &to.usage.usage)
        },
    )
    .taking(StreamResource::PARAMETERS),
];
