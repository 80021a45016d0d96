//! A table that only tests have: methods beyond GET, path parameters and bodies.

use arb_accounts::scope::Scope;
use serde_json::json;

use super::MAX_BODY;
use crate::http::charge::Charge;
use crate::http::deprecation::Deprecation;
use crate::http::json_body::JsonBody;
use crate::http::operation::{Answers, Content, Operation, delete, get, post};
use crate::http::reply;
use crate::http::request::Request;
use crate::http::route::{Answer, Route};

/// What the handlers are handed.
pub(super) struct Shelf(pub(super) &'static str);

/// Echoes a scan.
fn scan(shelf: &Shelf, request: &Request<'_>, charge: &Charge<'_>) -> Answer {
    let mut body = JsonBody::of(request)?;
    let sport: Option<String> = body.take("sport", "must be text")?;
    let markets: Option<Vec<String>> = body.take("markets", "must be an array of text")?;
    body.finish()?;
    charge.charge()?;
    Ok(reply::json(json!({"shelf": shelf.0, "sport": sport, "markets": markets}).to_string()))
}

fn show(shelf: &Shelf, request: &Request<'_>, charge: &Charge<'_>) -> Answer {
    charge.charge()?;
    Ok(reply::text(format!("{} {}", shelf.0, request.parameter("id"))))
}

/// The whole row, and a parameter of it that ends earlier.
const MARKS: &[Deprecation] = &[
    Deprecation { parameter: None, since: "2026-12-01", until: Some("2027-06-30"), link: "/docs/changelog" },
    Deprecation {
        parameter: Some("old"),
        since: "2026-11-24",
        until: Some("2027-01-31"),
        link: "/docs/arbs",
    },
];

const TEXT: Answers = &[(200, Content::Text("text/plain"))];
const READ: (Scope, u64) = (Scope::BoardRead, 0);
const SCAN: Operation = post("/api/v1/scans", "scan", "Scans.", TEXT).with_body("Scan", MAX_BODY);
const SHOW: Operation = get("/api/v1/scans/{id}", "show", "A scan.", TEXT);
const END: Operation = delete("/api/v1/scans/{id}", "end", "Ends a scan.", TEXT);

pub(super) static ROUTES: [Route<Shelf>; 6] = [
    Route::keyed(SCAN, (Scope::BoardRead, 2), scan),
    Route::keyed(SHOW, (Scope::BoardRead, 1), show).by_api_key_alone(),
    Route::keyed(END, (Scope::BoardRead, 1), show).by_api_key_alone(),
    Route::keyed(get("/api/v1/scans/last", "last", "The last.", TEXT), READ, |shelf: &Shelf, _, _| {
        Ok(reply::text(format!("{} last", shelf.0)))
    })
    .by_api_key_alone(),
    Route::keyed(get("/api/v1/old", "old", "Its name.", TEXT), READ, |shelf: &Shelf, _, _| {
        Ok(reply::text(shelf.0.to_owned()))
    })
    .by_api_key_alone()
    .deprecating(MARKS),
    Route::open(get("/open/{id}", "open", "For anybody.", TEXT), |shelf, request| {
        Ok(reply::text(format!("{} {}", shelf.0, request.parameter("id"))))
    }),
];
