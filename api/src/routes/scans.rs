//! Scans: polls of the sources at a request.

use arb_accounts::scope::Scope;

use super::Row;
use crate::http::operation::Content::Json;
use crate::http::operation::{get, post};
use crate::resources::{ScanResource, scan};

pub(super) const ROWS: [Row; 3] = [
    Row::keyed_task(
        get(
            "/api/v1/scan",
            "scanByQuery",
            "Polls the sources now, and answers with the arbs.",
            &[(200, Json("Scan")), (202, Json("Scan"))],
        ),
        (Scope::ScanWrite, 1),
        |to, request, charge| to.scan.by_query(request, charge),
    )
    .taking(ScanResource::PARAMETERS)
    .without_head(),
    Row::keyed_task(
        post(
            "/api/v1/scan",
            "startScan",
            "Polls the sources now, and answers with the arbs.",
            &[(200, Json("Scan")), (202, Json("Scan"))],
        )
        .with_body("ScanRequest", scan::MAX_BODY),
        (Scope::ScanWrite, 1),
        |to, request, charge| to.scan.by_body(request, charge),
    ),
    Row::keyed(
        get(
            "/api/v1/scans/{id}",
            "showScan",
            "A scan that was begun.",
            &[(200, Json("Scan")), (202, Json("Scan"))],
        ),
        (Scope::ScanWrite, 0),
        |to, request, charge| to.scan.show(request, charge),
    ),
];
