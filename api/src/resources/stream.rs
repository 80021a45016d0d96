//! `GET /v1/stream`, `GET /api/v1/stream` and `GET /session/stream`: the entry to the stream of the feed, or to that of a board of own books; and
//! `GET /v1/arbs/changes`, pages of the feed. It never decides which events a client is sent.

use std::sync::Arc;

use arb_feed::filter::EventFilter;
use arb_feed::filter::window::WindowFilter;
use serde_json::json;
use warp::http::HeaderValue;
use warp::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use warp::reply::Response;

use super::tickets::TicketResource;
use crate::access::authority::{SESSION, SignedIn};
use crate::access::tickets;
use crate::access::usage::Usage;
use crate::http::charge::Charge;
use crate::http::parameters;
use crate::http::problem::Problem;
use crate::http::query::{ParameterList, parameters_of};
use crate::http::reply;
use crate::http::request::Request;
use crate::http::route::{Answer, Started};
use crate::quotes::store::UNREAD;
use crate::resources::user_boards::UserBoards;
use crate::resources::user_query::{COST, NOT_IN_TEST, UserQuery};
use crate::stream::{BoardWatch, ChangesPage, ChangesQuery, OpenStream, StreamQuery, StreamState};
use crate::view::ChangesHead;

/// Parameters of the feed alone.
const OF_THE_FEED: [&str; 3] = ["event", "kind", "last_event_id"];
const NO_FEED: &str =
    "does not go with books, commissions and total_stake: such a stream has one board, and begins with it";

/// The feed and its streams.
#[derive(Debug)]
pub(crate) struct StreamResource {
    pub(crate) streams: Arc<StreamState>,
    /// What boards of own books are computed of; test keys have none.
    pub(crate) boards: Option<Arc<UserBoards>>,
}

/// What is asked for, with a place of the account.
struct AskedStream {
    query: StreamQuery,
    place: OpenStream,
    /// Where it is of a board that is computed.
    watch: Option<BoardWatch>,
}

impl StreamResource {
    /// What a stream is asked for by.
    pub(crate) const PARAMETERS: ParameterList = || {
        let (of_window, of_events) = (parameters_of::<WindowFilter>(), parameters_of::<EventFilter>());
        [of_window, parameters_of::<UserQuery>(), of_events, parameters_of::<StreamQuery>()].concat()
    };
    /// What a page of changes is asked for by.
    pub(crate) const OF_CHANGES: ParameterList = ChangesQuery::PARAMETERS;

    /// Answers a request of a key, or of a ticket: that is spent first.
    pub(crate) fn open(
        &self,
        request: &Request<'_>,
        charge: &Charge<'_>,
        tickets: &TicketResource,
    ) -> Started {
        let ticket = tickets.check(request, charge)?;
        let caller = &charge.caller;
        let (most, private) = (charge.limits().streams, caller.private_source.as_deref());
        let begun = self.begin(request, (&caller.account, most), private)?;
        // A client that connects during shutdown receives the notice in a stream, free of charge: after a 503
        // an EventSource never reconnects.
        if !self.streams.is_closing() {
            charge.charge()?;
        }
        let (streams, kid) = (Arc::clone(&self.streams), caller.kid.clone());
        let begun = request.wants_body().then_some(begun);
        Ok(Box::pin(async move {
            if let Some(ticket) = ticket {
                ticket.await?;
            }
            Ok(response(begun.map(|begun| begun.open(&streams, &kid))))
        }))
    }

    /// Answers `GET /arbs/changes`.
    pub(crate) fn changes(&self, request: &Request<'_>, charge: &Charge<'_>) -> Answer {
        let query = ChangesQuery::parse(request.query())?;
        self.check(query.stream())?;
        charge.charge()?;
        let ChangesPage { events, next, has_more, resync } = self.streams.changes(&query);
        let head = json!(ChangesHead { next, has_more, resync }).to_string();
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
        if UserQuery::is_in(request.query()) {
            let reads = &self.streams.authority.page_reads;
            let counted = reads.count(&signed_in.account, u32::try_from(COST).unwrap_or(u32::MAX));
            counted.map_err(Problem::page_reads_exceeded)?;
        }
        let private = signed_in.private_source.as_deref();
        let begun = self.begin(request, (&signed_in.account, streams), private)?;
        // The stream ends with its session, and spends nothing of the quota.
        let holder = format!("{SESSION}{}", signed_in.session);
        let (streams, begun) = (Arc::clone(&self.streams), request.wants_body().then_some(begun));
        Ok(Box::pin(async move { Ok(response(begun.map(|begun| begun.open(&streams, &holder)))) }))
    }

    /// Refuses a query that cannot be answered, or not yet.
    fn check(&self, query: &StreamQuery) -> Result<(), Problem> {
        if !self.streams.is_ready() {
            return Err(Problem::unavailable("The feed is being read; try again."));
        }
        self.streams.check(query)
    }

    /// What is asked for, and a place of the account, of which it may have so many.
    fn begin(
        &self,
        request: &Request<'_>,
        (account, most): (&str, u32),
        private: Option<&str>,
    ) -> Result<AskedStream, Problem> {
        let (user, feed) = UserQuery::split(&tickets::without_ticket(request.query()))?;
        let query = StreamQuery::parse(&feed, request.headers())?;
        self.check(&query)?;
        let place = self.streams.place(account, most);
        let place = place.ok_or_else(Problem::too_many_streams)?;
        let private = private.map(str::to_owned);
        let watch = user.map(|user| self.watch(&user.of_source(private), &query, (account, &feed)));
        Ok(AskedStream { query, place, watch: watch.transpose()? })
    }

    /// Watches a board of own books for an account; `feed` are the other parameters.
    fn watch(
        &self,
        user: &UserQuery,
        query: &StreamQuery,
        (account, feed): (&str, &str),
    ) -> Result<BoardWatch, Problem> {
        let boards = self.boards.as_ref().ok_or_else(|| Problem::forbidden(NOT_IN_TEST))?;
        if let Some(name) = OF_THE_FEED.iter().find(|name| parameters::has(feed, name)) {
            return Err(Problem::invalid_param(name, NO_FEED));
        }
        if query.resumes() {
            return Err(Problem::invalid_param("last-event-id", NO_FEED));
        }
        self.streams.lists.names.check(user.names())?;
        if !boards.quotes.is_ready() {
            return Err(Problem::unavailable(UNREAD));
        }
        boards.watched.watch(account, user.to_user_books())
    }
}

impl AskedStream {
    fn open(self, streams: &Arc<StreamState>, holder: &str) -> Response {
        match self.watch {
            Some(watch) => streams.open_board(self.query, (holder, self.place), watch),
            None => streams.open(self.query, (holder, self.place)),
        }
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
