//! Scans: requests that are sent to the sources, and their answers.
//!
//! - `fields`: the fields of a request, from a query or a body; `answer`: an answer as JSON.
//!
//! It never polls anything itself, and never shows a scan to another account than its own.

mod answer;
mod fields;

use std::sync::Arc;
use std::time::{Duration, Instant};

use arb_schemas::records::ScanRequest;
use arb_schemas::time::{Micros, SECOND};
use warp::http::header::{CACHE_CONTROL, LOCATION};
use warp::http::{HeaderValue, StatusCode};
use warp::reply::Response;

use self::answer::AnswerView;
use self::fields::ScanFields;
use super::account;
use crate::access::authority::Authority;
use crate::http::charge::Charge;
use crate::http::idempotency;
use crate::http::problem::Problem;
use crate::http::query::ParameterList;
use crate::http::reply;
use crate::http::request::Request;
use crate::http::route::{Answer, Started};
use crate::lists::Lists;
use crate::scans::store::{HOUR, Scan, ScanStatus, Scans};
use crate::telemetry;

/// Most bytes of a body.
pub(crate) const MAX_BODY: usize = 65_536;
/// Digits of an id that is derived.
const ID: usize = 32;
const NO_SCAN: &str = "No scan of the account has this id, or it was forgotten since.";
const UNREAD: &str = "The scans are being read; try again.";
const FULL: &str = "Too many scans wait to be sent; try again.";

/// The scans.
#[derive(Debug, Clone)]
pub(crate) struct ScanResource {
    pub(crate) scans: Arc<Scans>,
    pub(crate) lists: Lists,
    pub(crate) authority: Arc<Authority>,
}

impl ScanResource {
    /// What a query of a scan has.
    pub(crate) const PARAMETERS: ParameterList = ScanFields::PARAMETERS;

    /// Answers `GET /scan`.
    pub(crate) fn by_query(&self, request: &Request<'_>, charge: &Charge<'_>) -> Started {
        self.begin(ScanFields::of_query(request.query())?, None, request, charge)
    }

    /// Answers `POST /scan`.
    pub(crate) fn by_body(&self, request: &Request<'_>, charge: &Charge<'_>) -> Started {
        let key = idempotency::key(request.headers())?;
        self.begin(ScanFields::of_body(request)?, key, request, charge)
    }

    fn begin(
        &self,
        fields: ScanFields,
        key: Option<&str>,
        request: &Request<'_>,
        charge: &Charge<'_>,
    ) -> Started {
        let wanted = fields.check(&self.lists.names)?;
        if !self.scans.is_ready() {
            return Err(Problem::unavailable(UNREAD));
        }
        let (account, now) = (charge.caller.account.clone(), self.authority.now());
        self.refuse_if_capped(&account, charge.limits().scans, now)?;
        let private = charge.caller.private_source.clone();
        let asked = ScanRequest { account: account.clone(), private, ..wanted.request };
        let id = self.id(&asked, key)?;
        let location = format!("{}s/{id}", request.path());
        charge.charge()?;
        let is_known = self.scans.find(&id, &account).is_some();
        if !is_known && !self.scans.send(ScanRequest { id: id.clone(), requested_at: now, ..asked }) {
            return Err(Problem::unavailable(FULL));
        }
        let this = self.clone();
        Ok(Box::pin(async move { this.wait((&id, &account), wanted.wait, &location).await }))
    }

    /// The id of a scan: with an `Idempotency-Key` the same each time that the account sends the same request with it.
    fn id(&self, asked: &ScanRequest, key: Option<&str>) -> Result<String, Problem> {
        let Some(key) = key else { return Ok(format!("scn_{}", account::random()?)) };
        let hash = self.authority.pepper().hmac(&format!("/scan/{asked:?}\n{key}"));
        Ok(format!("scn_{}", hash.get(..ID).unwrap_or(&hash)))
    }

    /// Refuses an account that has had so many scans within an hour; 0 is no limit.
    fn refuse_if_capped(&self, account: &str, most: u32, now: Micros) -> Result<(), Problem> {
        if most == 0 {
            return Ok(());
        }
        let (counted, most) = (self.scans.counted(account, now), most as usize);
        match counted.len().checked_sub(most).and_then(|index| counted.get(index)) {
            None => Ok(()),
            Some(at) => {
                let left = at.saturating_add(HOUR).saturating_sub(now).max(0) / SECOND + 1;
                Err(Problem::scans_capped(left.cast_unsigned(), most))
            }
        }
    }

    /// Waits until a scan is final, at most so long.
    async fn wait(&self, (id, account): (&str, &str), wait: Duration, location: &str) -> Answer {
        let (deadline, mut changes) = (Instant::now() + wait, self.scans.changes());
        loop {
            changes.mark_unchanged();
            let scan = self.scans.find(id, account).ok_or_else(|| Problem::unavailable(UNREAD))?;
            let left = deadline.saturating_duration_since(Instant::now());
            if self.status(&scan) != ScanStatus::Pending || left.is_zero() {
                return self.show_new(&scan, location);
            }
            // Whether it changed or the time is over, the scan is looked at again.
            let _ = tokio::time::timeout(left, changes.changed()).await;
        }
    }

    fn status(&self, scan: &Scan) -> ScanStatus {
        let polled = self.lists.polls.whole().into_keys().collect();
        scan.status(self.scans.partitions(), &polled, self.authority.now())
    }

    /// The answer to a request: 200 when it is final, else 202 with the address at which it can be followed.
    fn show_new(&self, scan: &Scan, location: &str) -> Answer {
        let mut response = self.show_scan(scan)?;
        let status = self.status(scan);
        telemetry::scan(status.key());
        if status == ScanStatus::Pending {
            *response.status_mut() = StatusCode::ACCEPTED;
        }
        if let Ok(location) = HeaderValue::from_str(location) {
            response.headers_mut().insert(LOCATION, location);
        }
        Ok(response)
    }

    /// Answers `GET /scans/{id}`.
    pub(crate) fn show(&self, request: &Request<'_>, charge: &Charge<'_>) -> Answer {
        if !self.scans.is_ready() {
            return Err(Problem::unavailable(UNREAD));
        }
        let scan = self.scans.find(&request.parameter("id"), &charge.caller.account);
        self.show_scan(&scan.ok_or_else(|| Problem::unknown_id(NO_SCAN))?)
    }

    fn show_scan(&self, scan: &Scan) -> Result<Response, Problem> {
        let request = scan.request.as_ref().ok_or_else(|| Problem::unknown_id(NO_SCAN))?;
        let view =
            AnswerView { request, scan, status: self.status(scan), partitions: self.scans.partitions() };
        let mut response = reply::json(view.json().to_string());
        response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        Ok(response)
    }
}
