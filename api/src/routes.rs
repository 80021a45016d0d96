//! The route table of the API, on one screen; `docs/api/routes.md` lists it as users meet it.
//!
//! `/v1` takes the key as `Authorization: Bearer <key>`, `/api/v1` as `x-api-key: <key>`; every response of the latter has
//! the quota. A row that does not say `for_test_keys` refuses test keys, so that none can show them the live market by mistake.
//! HEAD is answered as GET, but for what a GET triggers. Nothing is computed here.

use std::future::ready;

use arb_accounts::scope::Scope;
use arb_schemas::limits::PUSH_BODY;
use arb_schemas::records::EdgeSignal;
use warp::http::Method;

use crate::http::auth::AuthScheme;
use crate::http::route::{Answer, BOTH, Route, Started};
use crate::page;
use crate::resources::account::AccountHolder;
use crate::resources::{
    ArbsResource, EventsResource, HistoryResource, ListResource, PicksResource, Resources, ScanResource,
    ScoresResource, StreamResource, TruthResource, WebhooksResource, board_cost, health, hedge, keys,
    problems, registry, results, scan, session, tickets, webhooks,
};

const API_KEY: &[AuthScheme] = &[AuthScheme::ApiKey];

type Row = Route<Resources>;

const MANAGE: (&[AuthScheme], Scope) = (BOTH, Scope::KeysManage);
const WEBHOOKS: (&[AuthScheme], Scope) = (BOTH, Scope::WebhooksManage);

/// What is answered at once.
#[expect(clippy::unnecessary_wraps, reason = "as handlers that wait begin")]
fn done(answer: Answer) -> Started {
    Ok(Box::pin(ready(answer)))
}

/// All routes.
pub(crate) static ROUTES: [Route<Resources>; 101] = [
    Row::keyed(Method::GET, "/api/v1/arbs", (BOTH, Scope::BoardRead), 1, |to, request, charge| {
        to.market(charge).arbs.page(request, charge)
    })
    .taking(ArbsResource::PARAMETERS)
    .priced_by(board_cost)
    .for_test_keys(),
    Row::keyed_task(
        Method::GET,
        "/api/v1/arbs/history",
        (BOTH, Scope::HistoryRead),
        |to, request, charge| to.history.page(request, charge),
    )
    .taking(HistoryResource::PARAMETERS)
    .costing(1),
    Row::keyed(Method::GET, "/api/v1/arbs/changes", (BOTH, Scope::StreamRead), 1, |to, request, charge| {
        to.market(charge).stream.changes(request, charge)
    })
    .taking(StreamResource::OF_CHANGES)
    .for_test_keys(),
    Row::keyed_task(Method::GET, "/api/v1/arbs/{id}", (BOTH, Scope::BoardRead), |to, request, charge| {
        to.windows(charge).show(request, charge)
    })
    .costing(1)
    .for_test_keys(),
    Row::keyed_task(
        Method::GET,
        "/api/v1/arbs/{id}/prices",
        (BOTH, Scope::HistoryRead),
        |to, request, charge| to.history.prices(request, charge, to.now()),
    )
    .costing(1),
    Row::keyed_task(Method::GET, "/api/v1/truth", (BOTH, Scope::HistoryRead), |to, request, charge| {
        to.truth.show(request, charge)
    })
    .taking(TruthResource::PARAMETERS)
    .costing(1),
    Row::keyed_task(
        Method::POST,
        "/api/v1/arbs/{id}/hedge",
        (BOTH, Scope::BoardRead),
        |to, request, charge| to.market(charge).arbs.hedge(request, charge),
    )
    .costing(1)
    .for_test_keys()
    .with_body(hedge::MAX_BODY),
    Row::keyed(Method::GET, "/api/v1/signals", (BOTH, Scope::SignalsRead), 1, |to, request, charge| {
        to.market(charge).signals.page(request, charge)
    })
    .taking(ListResource::<EdgeSignal>::PARAMETERS)
    .for_test_keys(),
    Row::keyed(Method::GET, "/api/v1/picks", (BOTH, Scope::PicksRead), 1, |to, request, charge| {
        to.picks.page(request, charge)
    })
    .taking(PicksResource::PARAMETERS),
    Row::keyed(Method::GET, "/api/v1/picks/{id}", (BOTH, Scope::PicksRead), 1, |to, request, charge| {
        to.picks.show(request, charge)
    }),
    Row::keyed(Method::GET, "/api/v1/bots", (BOTH, Scope::PicksRead), 1, |to, request, charge| {
        to.picks.bots(request, charge)
    }),
    Row::keyed(Method::GET, "/api/v1/bots/{id}", (BOTH, Scope::PicksRead), 1, |to, request, charge| {
        to.picks.bot(request, charge)
    }),
    Row::keyed(Method::GET, "/api/v1/events", (BOTH, Scope::BoardRead), 1, |to, request, charge| {
        to.events.page(request, charge)
    })
    .taking(EventsResource::PARAMETERS),
    Row::keyed(
        Method::GET,
        "/api/v1/events/{id}/odds",
        (BOTH, Scope::BoardRead),
        1,
        |to, request, charge| to.events.odds(request, charge),
    )
    .taking(EventsResource::OF_ODDS),
    Row::keyed_task(
        Method::GET,
        "/api/v1/events/{id}/odds/history",
        (BOTH, Scope::HistoryRead),
        |to, request, charge| to.events.odds_history(request, charge, to.now()),
    )
    .taking(EventsResource::OF_LINE)
    .costing(1),
    Row::keyed(Method::GET, "/api/v1/scores", (BOTH, Scope::BoardRead), 1, |to, request, charge| {
        to.scores.list(request, charge)
    })
    .taking(ScoresResource::PARAMETERS),
    Row::keyed(Method::GET, "/api/v1/odds/best", (BOTH, Scope::BoardRead), 1, |to, request, charge| {
        to.events.best(request, charge)
    })
    .taking(EventsResource::OF_BEST),
    Row::keyed(Method::GET, "/api/v1/books", (BOTH, Scope::BoardRead), 1, |to, request, charge| {
        to.books.list(request, charge)
    }),
    Row::keyed(Method::GET, "/api/v1/sports", (BOTH, Scope::BoardRead), 0, |to, request, charge| {
        to.market(charge).sports.list(request, charge)
    })
    .for_test_keys(),
    Row::keyed_task(Method::GET, "/api/v1/stream", (BOTH, Scope::StreamRead), |to, request, charge| {
        to.market(charge).stream.open(request, charge, &to.tickets)
    })
    .taking(StreamResource::PARAMETERS)
    .costing(1)
    .priced_by(board_cost)
    .for_tickets()
    .for_test_keys(),
    Row::keyed_task(
        Method::POST,
        "/api/v1/stream/tickets",
        (BOTH, Scope::StreamRead),
        |to, request, charge| to.tickets.issue(request, charge),
    )
    .with_body(tickets::MAX_BODY)
    .for_test_keys(),
    Row::keyed_task(Method::GET, "/api/v1/scan", (BOTH, Scope::ScanWrite), |to, request, charge| {
        to.scan.by_query(request, charge)
    })
    .taking(ScanResource::PARAMETERS)
    .costing(1)
    .without_head(),
    Row::keyed_task(Method::POST, "/api/v1/scan", (BOTH, Scope::ScanWrite), |to, request, charge| {
        to.scan.by_body(request, charge)
    })
    .costing(1)
    .with_body(scan::MAX_BODY),
    Route::keyed(Method::GET, "/api/v1/scans/{id}", (BOTH, Scope::ScanWrite), 0, |to, request, charge| {
        to.scan.show(request, charge)
    }),
    Row::keyed(Method::GET, "/api/v1/usage", (API_KEY, Scope::UsageRead), 0, |to, request, charge| {
        to.usage.show(request, charge)
    })
    .for_test_keys(),
    Row::keyed(Method::GET, "/api/v1/account", (BOTH, Scope::UsageRead), 0, |to, _, charge| {
        to.accounts.show(charge)
    })
    .for_test_keys(),
    Row::keyed(Method::GET, "/api/v1/keys", MANAGE, 0, |to, _, charge| {
        to.keys.list(&AccountHolder::of_key(charge))
    })
    .for_test_keys(),
    Row::keyed_task(Method::POST, "/api/v1/keys", MANAGE, |to, request, charge| {
        to.keys.create(AccountHolder::of_key(charge), request)
    })
    .for_test_keys()
    .with_body(keys::MAX_BODY),
    Row::keyed_task(Method::POST, "/api/v1/keys/{kid}/rotate", MANAGE, |to, request, charge| {
        to.keys.rotate(AccountHolder::of_key(charge), request)
    })
    .for_test_keys()
    .with_body(keys::MAX_BODY),
    Row::keyed_task(Method::DELETE, "/api/v1/keys/{kid}", MANAGE, |to, request, charge| {
        to.keys.revoke(AccountHolder::of_key(charge), request)
    })
    .for_test_keys(),
    Row::keyed(Method::GET, "/api/v1/webhooks", WEBHOOKS, 0, |to, _, charge| {
        to.webhooks.list(&AccountHolder::of_key(charge))
    }),
    Row::keyed_task(Method::POST, "/api/v1/webhooks", WEBHOOKS, |to, request, charge| {
        to.webhooks.create(AccountHolder::of_key(charge), request)
    })
    .with_body(webhooks::MAX_BODY),
    Row::keyed(Method::GET, "/api/v1/webhooks/{id}", WEBHOOKS, 0, |to, request, charge| {
        to.webhooks.show(&AccountHolder::of_key(charge), request)
    }),
    Row::keyed_task(Method::PATCH, "/api/v1/webhooks/{id}", WEBHOOKS, |to, request, charge| {
        to.webhooks.update(AccountHolder::of_key(charge), request)
    })
    .with_body(webhooks::MAX_BODY),
    Row::keyed_task(Method::DELETE, "/api/v1/webhooks/{id}", WEBHOOKS, |to, request, charge| {
        to.webhooks.delete(AccountHolder::of_key(charge), request)
    }),
    Row::keyed_task(Method::POST, "/api/v1/webhooks/{id}/rotate", WEBHOOKS, |to, request, charge| {
        to.webhooks.rotate(AccountHolder::of_key(charge), request)
    })
    .with_body(webhooks::MAX_BODY),
    Row::keyed_task(Method::POST, "/api/v1/webhooks/{id}/test", WEBHOOKS, |to, request, charge| {
        to.webhooks.test(&AccountHolder::of_key(charge), request)
    }),
    Row::keyed_task(Method::POST, "/api/v1/webhooks/{id}/recover", WEBHOOKS, |to, request, charge| {
        to.webhooks.recover(&AccountHolder::of_key(charge), request)
    })
    .with_body(webhooks::MAX_BODY),
    Row::keyed_task(Method::GET, "/api/v1/webhooks/{id}/deliveries", WEBHOOKS, |to, request, charge| {
        to.webhooks.deliveries(&AccountHolder::of_key(charge), request)
    })
    .taking(WebhooksResource::OF_LOG),
    Row::keyed_task(Method::GET, "/api/v1/webhooks/{id}/statistics", WEBHOOKS, |to, request, charge| {
        to.webhooks.statistics(&AccountHolder::of_key(charge), request)
    })
    .taking(WebhooksResource::OF_STATISTICS),
    Row::keyed_task(
        Method::POST,
        "/api/v1/webhooks/{id}/deliveries/{delivery}/redeliver",
        WEBHOOKS,
        |to, request, charge| to.webhooks.redeliver(&AccountHolder::of_key(charge), request),
    ),
    Row::keyed_task(Method::POST, "/api/v1/ticks", (BOTH, Scope::TicksWrite), |to, request, charge| {
        to.ticks.push(request, charge)
    })
    .costing(1)
    .with_lines(PUSH_BODY),
    Row::keyed(
        Method::GET,
        "/api/v1/ticks/dead-letters",
        (BOTH, Scope::TicksWrite),
        0,
        |to, request, charge| to.ticks.dead_letters(request, charge),
    ),
    Row::keyed_task(Method::POST, "/api/v1/results", (BOTH, Scope::ResultsWrite), |to, request, charge| {
        to.results.report(request, charge)
    })
    .costing(1)
    .with_body(results::MAX_BODY),
    Row::session(Method::POST, "/session/signup", |to, request| to.session.sign_up(request))
        .with_body(session::MAX_BODY),
    Row::session(Method::POST, "/session", |to, request| to.session.log_in(request))
        .with_body(session::MAX_BODY),
    Row::session(Method::GET, "/session", |to, request| done(to.session.show(request))),
    Row::session(Method::DELETE, "/session", |to, request| to.session.log_out(request)),
    Row::session(Method::PUT, "/session/bankroll", |to, request| to.session.set_bankroll(request))
        .with_body(session::MAX_BODY),
    Row::session(Method::POST, "/session/password", |to, request| to.session.change_password(request))
        .with_body(session::MAX_BODY),
    Row::session(Method::GET, "/session/keys", |to, request| {
        done(to.session.keys.list(&to.session.holder(request)?))
    }),
    Row::session(Method::POST, "/session/keys", |to, request| {
        to.session.keys.create(to.session.holder(request)?, request)
    })
    .with_body(keys::MAX_BODY),
    Row::session(Method::POST, "/session/keys/{kid}/rotate", |to, request| {
        to.session.keys.rotate(to.session.holder(request)?, request)
    })
    .with_body(keys::MAX_BODY),
    Row::session(Method::DELETE, "/session/keys/{kid}", |to, request| {
        to.session.keys.revoke(to.session.holder(request)?, request)
    }),
    Row::session(Method::GET, "/session/stream", |to, request| {
        let signed_in = to.session.enter(request)?;
        to.live.stream.open_for_session(request, &signed_in, &to.usage.usage)
    })
    .taking(StreamResource::PARAMETERS),
    Row::session(Method::GET, "/session/arbs", |to, request| {
        let cost = board_cost(request.query());
        to.by_session(request, cost, |charge| done(to.live.arbs.page(request, charge)))
    })
    .taking(ArbsResource::PARAMETERS),
    Row::session(Method::GET, "/session/arbs/history", |to, request| {
        to.by_session(request, 1, |charge| to.history.page(request, charge))
    })
    .taking(HistoryResource::PARAMETERS),
    Row::session(Method::GET, "/session/arbs/{id}", |to, request| {
        to.by_session(request, 1, |charge| to.history.show(request, charge))
    }),
    Row::session(Method::GET, "/session/arbs/{id}/prices", |to, request| {
        to.by_session(request, 1, |charge| to.history.prices(request, charge, to.now()))
    }),
    Row::session(Method::POST, "/session/arbs/{id}/hedge", |to, request| {
        to.by_session(request, 1, |charge| to.live.arbs.hedge(request, charge))
    })
    .with_body(hedge::MAX_BODY),
    Row::session(Method::GET, "/session/picks", |to, request| {
        to.by_session(request, 1, |charge| done(to.picks.page(request, charge)))
    })
    .taking(PicksResource::PARAMETERS),
    Row::session(Method::GET, "/session/picks/{id}", |to, request| {
        to.by_session(request, 1, |charge| done(to.picks.show(request, charge)))
    }),
    Row::session(Method::GET, "/session/bots", |to, request| {
        to.by_session(request, 1, |charge| done(to.picks.bots(request, charge)))
    }),
    Row::session(Method::GET, "/session/bots/{id}", |to, request| {
        to.by_session(request, 1, |charge| done(to.picks.bot(request, charge)))
    }),
    Row::session(Method::GET, "/session/books", |to, request| {
        to.by_session(request, 1, |charge| done(to.books.list(request, charge)))
    }),
    Row::session(Method::GET, "/session/scores", |to, request| {
        to.by_session(request, 1, |charge| done(to.scores.list(request, charge)))
    })
    .taking(ScoresResource::PARAMETERS),
    Row::session(Method::GET, "/session/events/{id}/odds", |to, request| {
        to.by_session(request, 1, |charge| done(to.events.odds(request, charge)))
    })
    .taking(EventsResource::OF_ODDS),
    Row::session(Method::GET, "/session/events/{id}/odds/history", |to, request| {
        to.by_session(request, 1, |charge| to.events.odds_history(request, charge, to.now()))
    })
    .taking(EventsResource::OF_LINE),
    Row::session(Method::GET, "/session/usage", |to, request| {
        let signed_in = to.session.enter(request)?;
        done(to.session.usage.of_account(request, &signed_in.account, signed_in.plan))
    }),
    Row::session(Method::GET, "/session/webhooks", |to, request| {
        done(to.webhooks.list(&to.session.holder(request)?))
    }),
    Row::session(Method::POST, "/session/webhooks", |to, request| {
        to.webhooks.create(to.session.holder(request)?, request)
    })
    .with_body(webhooks::MAX_BODY),
    Row::session(Method::GET, "/session/webhooks/{id}", |to, request| {
        done(to.webhooks.show(&to.session.holder(request)?, request))
    }),
    Row::session(Method::PATCH, "/session/webhooks/{id}", |to, request| {
        to.webhooks.update(to.session.holder(request)?, request)
    })
    .with_body(webhooks::MAX_BODY),
    Row::session(Method::DELETE, "/session/webhooks/{id}", |to, request| {
        to.webhooks.delete(to.session.holder(request)?, request)
    }),
    Row::session(Method::POST, "/session/webhooks/{id}/rotate", |to, request| {
        to.webhooks.rotate(to.session.holder(request)?, request)
    })
    .with_body(webhooks::MAX_BODY),
    Row::session(Method::POST, "/session/webhooks/{id}/test", |to, request| {
        to.webhooks.test(&to.session.holder(request)?, request)
    }),
    Row::session(Method::POST, "/session/webhooks/{id}/recover", |to, request| {
        to.webhooks.recover(&to.session.holder(request)?, request)
    })
    .with_body(webhooks::MAX_BODY),
    Row::session(Method::GET, "/session/webhooks/{id}/deliveries", |to, request| {
        to.webhooks.deliveries(&to.session.holder(request)?, request)
    })
    .taking(WebhooksResource::OF_LOG),
    Row::session(Method::GET, "/session/webhooks/{id}/statistics", |to, request| {
        to.webhooks.statistics(&to.session.holder(request)?, request)
    })
    .taking(WebhooksResource::OF_STATISTICS),
    Row::session(Method::POST, "/session/webhooks/{id}/deliveries/{delivery}/redeliver", |to, request| {
        to.webhooks.redeliver(&to.session.holder(request)?, request)
    }),
    Route::open("/", |_, request| page::document(request)),
    Route::open("/assets/{name}", |_, request| page::asset(request)),
    Route::open("/livez", |_, _| health::live()),
    Route::open("/readyz", |to, _| to.health.ready()),
    Route::open("/status", |to, request| to.status.show(request)),
    Row::open_task("/truth", |to, request| to.truth.show_anybody(request)).taking(TruthResource::PARAMETERS),
    Route::open("/problems/{name}", |_, request| problems::show(request)),
    Route::open("/openapi.json", |to, request| Ok(to.description.document(request))),
    Route::open("/asyncapi.json", |to, request| Ok(to.description.channels(request))),
    Route::open("/llms.txt", |to, request| Ok(to.description.lines(request))),
    Route::open("/docs", |to, request| to.description.page(request, "")),
    Route::open("/docs/{name}", |to, request| to.description.page(request, &request.parameter("name"))),
    Route::open("/registry/config", |_, _| registry::config()),
    Route::open("/registry/mode", |_, _| registry::mode()),
    Route::open("/registry/schemas/types", |_, _| registry::types()),
    Route::open("/registry/schemas/ids/{id}", |_, request| registry::by_id(request)),
    Route::open("/registry/schemas/ids/{id}/schema", |_, request| registry::text_by_id(request)),
    Route::open("/registry/schemas/ids/{id}/versions", |_, request| registry::versions_of_id(request)),
    Route::open("/registry/subjects", |_, _| registry::subjects()),
    Route::open("/registry/subjects/{subject}/versions", |_, request| registry::versions(request)),
    Route::open("/registry/subjects/{subject}/versions/{version}", |_, request| registry::version(request)),
];

#[cfg(test)]
mod tests;
