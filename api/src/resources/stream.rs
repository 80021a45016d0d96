//! `GET /v1/stream` and `GET /api/v1/stream`: the entry to the stream. It never sends an event itself.

use std::sync::Arc;

use warp::http::HeaderValue;
use warp::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use warp::reply::Response;

use crate::http::charge::Charge;
use crate::http::problem::Problem;
use crate::http::request::Request;
use crate::http::route::Answer;
use crate::stream::{StreamQuery, StreamState};

/// The feed and its streams.
#[derive(Debug)]
pub(crate) struct StreamResource {
    pub(crate) streams: Arc<StreamState>,
}

impl StreamResource {
    /// Answers a request.
    pub(crate) fn open(&self, request: &Request<'_>, charge: &Charge<'_>) -> Answer {
        let query = StreamQuery::parse(request.query(), request.headers())?;
        if !self.streams.is_ready() {
            return Err(Problem::unavailable("The feed is being read; try again."));
        }
        self.streams.check(&query)?;
        let account = &charge.caller.account;
        let place = self.streams.place(account, charge.limits().streams);
        let place = place.ok_or_else(Problem::too_many_streams)?;
        // A client that connects during shutdown receives the notice in a stream, free of charge: after a 503
        // an EventSource never reconnects.
        if !self.streams.is_closing() {
            charge.charge()?;
        }
        let mut response = if request.wants_body() {
            self.streams.open(query, (&charge.caller.kid, place))
        } else {
            Response::default()
        };
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        // nginx would otherwise collect events until it has a buffer full.
        headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
        Ok(response)
    }
}
