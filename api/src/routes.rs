//! The route table of the API: a list of rows by what they are about. `docs/api/routes.md` lists them as users meet them.
//!
//! - `board`, `markets`, `picks`: what is read of the market.
//! - `scans`, `reports`: what clients make happen, and what they send.
//! - `account`, `webhooks`, `session`: what an account manages, by a key or in a browser.
//! - `registry`, `public`: what needs no key.
//!
//! `/v1` takes the key as `Authorization: Bearer <key>`, `/api/v1` as `x-api-key: <key>`; every response of the latter has
//! the quota. A row that says `for_sessions` is a second one, under `/session`, for browsers that signed in. A row that does not say
//! `for_test_keys` refuses test keys, so that none can show them the live market by mistake.
//! HEAD is answered as GET, but for what a GET triggers. Nothing is computed here.

mod account;
mod board;
mod markets;
mod picks;
mod public;
mod registry;
mod reports;
mod scans;
mod session;
mod webhooks;

use std::future::ready;
use std::sync::LazyLock;

use crate::http::route::{Answer, Route, SessionTwin, Started};
use crate::resources::Resources;

type Row = Route<Resources>;

/// What browsers read of the market, at a rate of their own.
static MARKET: SessionTwin<Resources> =
    SessionTwin { id_end: "BySession", summary_end: ", by the session.", check: Resources::by_session };

/// What browsers see and change of the account.
static ACCOUNT: SessionTwin<Resources> =
    SessionTwin { id_end: "InSession", summary_end: ".", check: Resources::in_session };

/// What is answered at once.
#[expect(clippy::unnecessary_wraps, reason = "as handlers that wait begin")]
fn done(answer: Answer) -> Started {
    Ok(Box::pin(ready(answer)))
}

/// All routes.
pub(crate) static ROUTES: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let read = board::ROWS.into_iter().chain(markets::ROWS).chain(picks::ROWS);
    let sent = scans::ROWS.into_iter().chain(reports::ROWS);
    let managed = account::ROWS.into_iter().chain(webhooks::ROWS).chain(session::ROWS);
    let open = public::ROWS.into_iter().chain(registry::ROWS);
    read.chain(sent).chain(managed).chain(open).flat_map(Row::with_twin).collect()
});

#[cfg(test)]
mod tests;
