//! Bots and their picks.

use arb_accounts::scope::Scope;

use super::{MARKET, Row};
use crate::http::operation::Content::Json;
use crate::http::operation::get;
use crate::resources::PicksResource;

pub(super) const ROWS: [Row; 4] = [
    Row::keyed(
        get("/api/v1/picks", "listPicks", "Picks of bots, the newest first.", &[(200, Json("PickPage"))]),
        (Scope::PicksRead, 1),
        |to, request, charge| to.picks.page(request, charge),
    )
    .taking(PicksResource::PARAMETERS)
    .for_sessions(&MARKET),
    Row::keyed(
        get("/api/v1/picks/{id}", "showPick", "One pick.", &[(200, Json("Pick"))]),
        (Scope::PicksRead, 1),
        |to, request, charge| to.picks.show(request, charge),
    )
    .for_sessions(&MARKET),
    Row::keyed(
        get("/api/v1/bots", "listBots", "Bots with their records in short.", &[(200, Json("BotList"))]),
        (Scope::PicksRead, 1),
        |to, request, charge| to.picks.bots(request, charge),
    )
    .for_sessions(&MARKET),
    Row::keyed(
        get("/api/v1/bots/{id}", "showBot", "A bot with its whole record.", &[(200, Json("Bot"))]),
        (Scope::PicksRead, 1),
        |to, request, charge| to.picks.bot(request, charge),
    )
    .for_sessions(&MARKET),
];
