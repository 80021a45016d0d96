//! `GET /v1/stream`, `GET /api/v1/stream` and `GET /session/stream`: the entry to the stream; and `GET /v1/arbs/changes`, pages of it. It
//! never decides which events a client is sent.

use std::sync::Arc;

use serde_json::json;
use warp::http::HeaderValue;
use warp::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use warp::reply::Response;

use super::tickets::TicketResource;
use crate::access::authority::{SESSION, SignedIn};
use crate::access::tickets;
use crate::access::usage::Usage;
use crate::http::charge::Charge;
use crate::http::problem::Problem;
use crate::http::reply;
use crate::http::request::Request;
use crate::http::route::{Answer, Started};
use crate::stream::{ChangesPage, ChangesQuery, OpenStream, StreamQuery, StreamState};

/// The feed and its streams.
#[derive(Debug)]
pub(crate) struct StreamResource {
    pub(crate) streams: Arc<StreamState>,
}

impl StreamResource {
    /// Answers a request of a key, or of a ticket: that is spent first.
    pub(crate) fn open(
        &self,
        request: &Request<'_>,
        charge: &Charge<'_>,
        tickets: &TicketResource,
    ) -> Started {
        let ticket = tickets.check(request, charge)?;
        let caller = &charge.caller;
        let (query, place) = self.begin(request, (&caller.account, charge.limits().streams))?;
        // A client that connects during shutdown receives the notice in a stream, free of charge: after a 503
        // an EventSource never reconnects.
        if !self.streams.is_closing() {
            charge.charge()?;
        }
        let (streams, kid) = (Arc::clone(&self.streams), caller.kid.clone());
        let query = request.wants_body().then_some(query);
        Ok(Box::pin(async move {
            if let Some(ticket) = ticket {
                ticket.await?;
            }
            Ok(response(query.map(|query| streams.open(query, (&kid, place)))))
        }))
    }

    /// Answers `GET /arbs/changes`.
    pub(crate) fn changes(&self, request: &Request<'_>, charge: &Charge<'_>) -> Answer {
        let query = ChangesQuery::parse(request.query())?;
        self.check(query.stream())?;
        charge.charge()?;
        let ChangesPage { events, next, has_more, resync } = self.streams.changes(&query);
        let head = json!({"next": next, "has_more": has_more, "resync": resync}).to_string();
        // The events are text already.
        Ok(reply::json(format!(r#"{{"events":[{}],{}"#, events.join(","), &head[1..])))
    }

    /// Answers the request of a session, which it holds like a key.
    pub(crate) fn open_for_session(
        &self,
        request: &Request<'_>,
        signed_in: &SignedIn,
        usage: &Usage,
    ) -> Started {
        let streams = usage.limits(signed_in.plan).streams;
        let (query, place) = self.begin(request, (&signed_in.account, streams))?;
        // The stream ends with its session, and spends nothing of the quota.
        let holder = format!("{SESSION}{}", signed_in.session);
        let (streams, query) = (Arc::clone(&self.streams), request.wants_body().then_some(query));
        Ok(Box::pin(async move { Ok(response(query.map(|query| streams.open(query, (&holder, place))))) }))
    }

    /// Refuses a query that cannot be answered, or not yet.
    fn check(&self, query: &StreamQuery) -> Result<(), Problem> {
        if !self.streams.is_ready() {
            return Err(Problem::unavailable("The feed is being read; try again."));
        }
        self.streams.check(query)
    }

    /// The query and a place of the account, of which it may have so many.
    fn begin(
        &self,
        request: &Request<'_>,
        (account, most): (&str, u32),
    ) -> Result<(StreamQuery, OpenStream), Problem> {
        let query = StreamQuery::parse(&tickets::without_ticket(request.query()), request.headers())?;
        self.check(&query)?;
        let place = self.streams.place(account, most);
        Ok((query, place.ok_or_else(Problem::too_many_streams)?))
    }
}

/// With the headers of a stream.
fn response(stream: Option<Response>) -> Response {
    let mut response = stream.unwrap_or_default();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // nginx would otherwise collect events until it has a buffer full.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}
