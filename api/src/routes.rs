//! The route table of the API, on one screen; `docs/api/routes.md` lists it as users meet it.
//!
//! `/v1` takes the key as `Authorization: Bearer <key>`, `/api/v1` as `x-api-key: <key>`; every response of the latter has
//! the quota. HEAD is answered as GET. Nothing is computed here.

use warp::http::Method;

use crate::http::auth::AuthScheme;
use crate::http::route::{BOTH, Route, Scope};
use crate::resources::{Resources, health, problems};

const API_KEY: &[AuthScheme] = &[AuthScheme::ApiKey];

/// All routes.
pub(crate) static ROUTES: [Route<Resources>; 7] = [
    Route::keyed(Method::GET, "/api/v1/arbs", (BOTH, Scope::BoardRead), 1, |to, request, charge| {
        to.arbs.page(request, charge)
    }),
    Route::keyed(Method::GET, "/api/v1/signals", (BOTH, Scope::SignalsRead), 1, |to, request, charge| {
        to.signals.page(request, charge)
    }),
    Route::keyed(Method::GET, "/api/v1/stream", (BOTH, Scope::StreamRead), 1, |to, request, charge| {
        to.stream.open(request, charge)
    }),
    Route::keyed(Method::GET, "/api/v1/usage", (API_KEY, Scope::UsageRead), 0, |to, request, charge| {
        to.usage.show(request, charge)
    }),
    Route::open("/livez", |_, _| health::live()),
    Route::open("/readyz", |to, _| to.health.ready()),
    Route::open("/problems/{name}", |_, request| problems::page(request)),
];

#[cfg(test)]
mod tests;
