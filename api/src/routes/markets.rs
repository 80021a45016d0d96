//! Events, their prices and scores, and the books that offer them.

use arb_accounts::scope::Scope;

use super::{MARKET, Row};
use crate::http::operation::Content::Json;
use crate::http::operation::get;
use crate::resources::{EventsResource, ScoresResource};

pub(super) const ROWS: [Row; 7] = [
    Row::keyed(
        get("/api/v1/events", "listEvents", "Events of which there are prices.", &[(200, Json("EventPage"))]),
        (Scope::BoardRead, 1),
        |to, request, charge| to.events.page(request, charge),
    )
    .taking(EventsResource::PARAMETERS),
    Row::keyed(
        get("/api/v1/events/{id}/odds", "listOdds", "Prices of an event.", &[(200, Json("Odds"))]),
        (Scope::BoardRead, 1),
        |to, request, charge| to.events.odds(request, charge),
    )
    .taking(EventsResource::OF_ODDS)
    .for_sessions(&MARKET),
    Row::keyed_task(
        get(
            "/api/v1/events/{id}/odds/history",
            "listOddsHistory",
            "The prices of a line of an event at all books over time.",
            &[(200, Json("OddsHistory"))],
        ),
        (Scope::HistoryRead, 1),
        |to, request, charge| to.events.odds_history(request, charge, to.now()),
    )
    .taking(EventsResource::OF_LINE)
    .for_sessions(&MARKET),
    Row::keyed(
        get(
            "/api/v1/scores",
            "listScores",
            "Scores of events in play, for display.",
            &[(200, Json("ScoreList"))],
        ),
        (Scope::BoardRead, 1),
        |to, request, charge| to.scores.list(request, charge),
    )
    .taking(ScoresResource::PARAMETERS)
    .for_sessions(&MARKET),
    Row::keyed(
        get(
            "/api/v1/odds/best",
            "listBestOdds",
            "Of each bet the best price, by event.",
            &[(200, Json("BestOddsPage"))],
        ),
        (Scope::BoardRead, 1),
        |to, request, charge| to.events.best(request, charge),
    )
    .taking(EventsResource::OF_BEST),
    Row::keyed(
        get(
            "/api/v1/books",
            "listBooks",
            "Books and how often they are heard of.",
            &[(200, Json("BookList"))],
        ),
        (Scope::BoardRead, 1),
        |to, request, charge| to.books.list(request, charge),
    )
    .for_sessions(&MARKET),
    Row::keyed(
        get("/api/v1/sports", "listSports", "Sports and leagues.", &[(200, Json("SportList"))]),
        (Scope::BoardRead, 0),
        |to, request, charge| to.market(charge).sports.list(request, charge),
    )
    .for_test_keys(),
];
