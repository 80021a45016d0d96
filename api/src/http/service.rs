//! From a request to its response, by the route table: authentication, permission, and the headers that every
//! response has.
//!
//! The order of refusals is part of the API: connections of a key, its burst, size, path (404), method (405), key (401), body, and then
//! what the handler refuses. OPTIONS of a path is answered to anybody, without a look at the key. A body is read only for a row that takes one, and not before all that can be refused without it.
//! It never charges: the handler does.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::{Buf, Bytes};
use futures_util::Stream;
use futures_util::future::{Either, ready};
use warp::Filter;
use warp::filters::BoxedFilter;
use warp::http::header::HeaderName;
use warp::http::{HeaderMap, Method};
use warp::path::FullPath;
use warp::reply::Response;

use super::auth::AuthScheme;
use super::body::Media;
use super::charge::Charge;
use super::cors::Cors;
use super::problem::Problem;
use super::request::{Head, Request};
use super::route::{Answer, Route, Work};
use super::router::{PathRoutes, Router};
use super::server::connections;
use super::server::drain::Drain;
use super::site::Site;
use super::{
    auth, body, deprecation, idempotency, limits, options, quota_headers, rate_limit_headers, request_id,
    security_headers,
};
use crate::access::authority::{Authority, Caller};
use crate::access::burst::BurstStatus;
use crate::access::tickets;
use crate::access::usage::Usage;

/// How long a request waits for the accounts, where it is not known at once whether its key is valid.
const PATIENCE: Duration = Duration::from_secs(3);
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The service that answers requests: a route table, its state, and the keys.
pub(crate) struct Service<S: 'static> {
    router: Router<S>,
    state: S,
    authority: Arc<Authority>,
    surroundings: Surroundings,
}

/// What a table is served with, besides its state and the keys.
pub(crate) struct Surroundings {
    pub(crate) usage: Arc<Usage>,
    pub(crate) cors: Cors,
    pub(crate) site: Site,
    pub(crate) drain: Drain,
}

/// What answers a request.
enum Answerer<S: 'static> {
    Row(&'static Route<S>),
    /// The path, by its methods.
    Options,
}

/// What is known of a request before its body is read.
struct Begun<'a, S: 'static> {
    at: Instant,
    path: Option<&'a PathRoutes<S>>,
    scheme: AuthScheme,
    /// Of a valid key.
    charge: Option<Charge<'a>>,
    /// Of a valid key whose plan limits bursts.
    burst: Option<BurstStatus>,
    /// What answers, or why nothing does.
    answerer: Result<Answerer<S>, Problem>,
}

impl<S: 'static> Begun<'_, S> {
    /// The row that answers, if one does.
    fn row(&self) -> Option<&'static Route<S>> {
        match self.answerer {
            Ok(Answerer::Row(row)) => Some(row),
            Ok(Answerer::Options) | Err(_) => None,
        }
    }

    /// What the body is and how many bytes it may have, where it is to be read.
    fn body(&self) -> Option<(Media, usize)> {
        self.row().and_then(|row| row.operation().body.map(|body| (body.media, body.max_bytes)))
    }

    /// What the answer costs, where there is one.
    fn cost(&self) -> Option<&Charge<'_>> {
        self.row().and(self.charge.as_ref())
    }

    /// Whether what the answer costs is reserved, or refused.
    fn is_reserved(&self) -> bool {
        self.cost().is_none_or(Charge::reserve_now)
    }

    /// Whether the response is ready at once.
    fn is_immediate(&self) -> bool {
        match &self.answerer {
            Ok(Answerer::Row(row)) => !row.waits(),
            Ok(Answerer::Options) => true,
            Err(problem) => !problem.is_accounts_unavailable(),
        }
    }
}

impl<S: Send + Sync + 'static> Service<S> {
    /// Of these rows, for these keys.
    pub(crate) fn new(
        routes: &'static [Route<S>],
        state: S,
        authority: Arc<Authority>,
        surroundings: Surroundings,
    ) -> Arc<Self> {
        Arc::new(Self { router: Router::new(routes), state, authority, surroundings })
    }

    /// As a filter. It never rejects, so every request gets one of our own responses.
    pub(crate) fn filter(self: Arc<Self>) -> BoxedFilter<(Response,)> {
        let query = warp::query::raw().or(warp::any().map(String::new)).unify();
        warp::method()
            .and(warp::path::full())
            .and(query)
            .and(warp::header::headers_cloned())
            .and(warp::body::stream())
            .then(move |method: Method, path: FullPath, query: String, headers: HeaderMap, body| {
                let head = Head { method: &method, path: path.as_str(), query: &query, headers: &headers };
                let begun = self.begin(&head, None);
                if begun.is_immediate() && begun.is_reserved() {
                    // Nearly all: a future that could wait would cost more than all else here.
                    return Either::Left(ready(self.respond_now(begun, &head)));
                }
                // It is counted once, however often it is looked at.
                let counted = begun.burst;
                drop(begun);
                let service = Arc::clone(&self);
                Either::Right(Box::pin(async move {
                    let (path, query) = (path.as_str(), &*query);
                    let head = Head { method: &method, path, query, headers: &headers };
                    service.respond(&head, body, counted).await
                }))
            })
            .boxed()
    }

    /// Answers a request; `counted` is what its key's burst limit left of it before, where that has counted it.
    pub(crate) async fn respond<B: Buf, E>(
        &self,
        head: &Head<'_>,
        body: impl Stream<Item = Result<B, E>>,
        counted: Option<BurstStatus>,
    ) -> Response {
        if auth::has_credentials(head) {
            // Browsers end a stream for good whose reconnection is answered by an error.
            self.authority.replica().wait_until_current(PATIENCE).await;
        }
        let begun = self.begin(head, counted);
        let body = match begun.body() {
            Some(expected) => body::read(head.headers, body, expected).await,
            None => Ok(Bytes::new()),
        };
        if body.is_ok() && !begun.is_reserved() {
            let order = begun.charge.as_ref().map(Charge::order);
            let reserved = match order {
                Some((usage, caller, cost)) => Some(usage.reserve(&caller, cost).await),
                None => None,
            };
            if let (Some(charge), Some(reserved)) = (&begun.charge, reserved) {
                charge.put(reserved);
            }
        }
        let answer = match self.work(&begun, head, body) {
            Work::Done(answer) => answer,
            Work::Task(task) => task.await,
        };
        self.finish(begun, answer, head)
    }

    /// Answers a request whose row does not wait.
    fn respond_now(&self, begun: Begun<'_, S>, head: &Head<'_>) -> Response {
        match self.work(&begun, head, Ok(Bytes::new())) {
            Work::Done(answer) => self.finish(begun, answer, head),
            Work::Task(_) => unreachable!("its row waits"),
        }
    }

    /// What a request is, and whether it may be.
    fn begin<'a>(&'a self, head: &Head<'_>, counted: Option<BurstStatus>) -> Begun<'a, S> {
        let at = Instant::now();
        let (scheme, path) = (AuthScheme::of(head.path), self.router.find(head.path));
        if *head.method == Method::OPTIONS && path.is_some() {
            let (burst, admitted) = self.admit(None, head.headers);
            let admitted = admitted.and_then(|()| limits::check(head.path, head.query, head.headers));
            let answerer = admitted.map(|()| Answerer::Options);
            return Begun { at, path, scheme, charge: None, burst, answerer };
        }
        let route = path.ok_or_else(Problem::not_found).and_then(|path| path.route(head.method));
        let takes_tickets = route.as_ref().is_ok_and(|route| route.takes_tickets);
        let caller = match takes_tickets.then(|| tickets::of_query(head.query)).flatten() {
            Some(ticket) => auth::ticket_holder(&ticket, head.headers, &self.authority),
            None => scheme.caller(head.headers, &self.authority),
        };
        let (burst, admitted) = match counted {
            Some(_) => (counted, Ok(())),
            None => self.admit(caller.as_ref().ok(), head.headers),
        };
        let (charge, refusal) = match caller {
            Ok(caller) => {
                let cost = route.as_ref().map_or(0, |route| route.cost(head));
                let pattern = path.map_or("", |path| path.pattern);
                (Some(Charge::new(caller, &self.surroundings.usage, (pattern, cost))), None)
            }
            Err(refusal) => (None, Some(refusal)),
        };
        let route = admitted.and_then(|()| limits::check(head.path, head.query, head.headers)).and(route);
        let route = route.and_then(|route| match refusal {
            Some(refusal) if route.needs_key() => Err(refusal),
            _ => {
                let check = |charge: &Charge<'_>| route.check_caller(&charge.caller);
                charge.as_ref().map_or(Ok(()), check).map(|()| route)
            }
        });
        Begun { at, path, scheme, charge, burst, answerer: route.map(Answerer::Row) }
    }

    /// Refuses a key that holds too many connections, or asks too often.
    fn admit(
        &self,
        caller: Option<&Caller>,
        headers: &HeaderMap,
    ) -> (Option<BurstStatus>, Result<(), Problem>) {
        let limits = caller.map(|caller| (caller, self.surroundings.usage.limits(caller.plan)));
        let noted =
            connections::note(limits.map(|(caller, limits)| (&*caller.kid, limits.connections)), headers);
        let (Some((caller, limits)), Ok(())) = (limits, &noted) else { return (None, noted) };
        let status = self.authority.bursts.check(&caller.kid, caller.plan, &limits);
        let wait = status.map_or(0, |status| status.wait);
        (status, if wait > 0 { Err(Problem::burst_exceeded(wait)) } else { Ok(()) })
    }

    fn work(&self, begun: &Begun<'_, S>, head: &Head<'_>, body: Result<Bytes, Problem>) -> Work {
        let row = match &begun.answerer {
            Ok(Answerer::Row(row)) => *row,
            Ok(Answerer::Options) => return Work::Done(Ok(self.options(begun.path, head))),
            Err(problem) => return Work::Done(Err(problem.clone())),
        };
        let checked = || {
            let body = body?;
            // Of a handler that has no use for it, too: a client need not know which ones have.
            if head.method == Method::POST {
                idempotency::key(head.headers)?;
            }
            Ok(body)
        };
        match checked() {
            Ok(body) => {
                let pattern = begun.path.map_or("", |path| path.pattern);
                row.work(&self.state, &Request { head, pattern, body }, begun.charge.as_ref())
            }
            Err(problem) => Work::Done(Err(problem)),
        }
    }

    /// Answers OPTIONS, to browsers that ask before another request in the way that they understand.
    fn options(&self, path: Option<&PathRoutes<S>>, head: &Head<'_>) -> Response {
        let methods = path.map_or("", |path| &path.allow);
        let preflight = self.surroundings.cors.preflight(head, methods);
        preflight.unwrap_or_else(|| options::answer(methods))
    }

    fn finish(&self, begun: Begun<'_, S>, answer: Answer, head: &Head<'_>) -> Response {
        let Begun { at, path, scheme, charge, burst, .. } = begun;
        let Surroundings { cors, site, drain, .. } = &self.surroundings;
        let mut response = answer.unwrap_or_else(Problem::into_response);
        let status = response.status();
        let headers = response.headers_mut();
        cors.write(head, headers);
        let quota = charge.map(|charge| charge.close(status));
        if scheme == AuthScheme::ApiKey {
            quota_headers::write(quota, headers);
        }
        if let Some(burst) = burst {
            rate_limit_headers::write(burst, headers);
        }
        if let Some(path) = path {
            deprecation::write(path.deprecations(head.method), head.query, headers);
        }
        security_headers::write(site.is_secure(head.headers), headers);
        drain.write(headers);
        // Every response has a unique id, so that it can be found in a log.
        headers.insert(REQUEST_ID, request_id::next());
        self.router.meters(path).answered(status.as_u16(), at.elapsed());
        response
    }
}

#[cfg(test)]
mod tests;
