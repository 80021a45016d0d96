//! `POST /v1/stream/tickets` and `POST /api/v1/stream/tickets`: a ticket by which a page opens a stream with `EventSource`, which can
//! send no header; and what must hold where one is used.
//!
//! A first connection spends it, by the accounts machine, so that of two instances one refuses. A connection with `Last-Event-ID` is
//! one that comes again. It never puts a key into a URL.

use std::sync::Arc;

use arb_accounts::command::{Actor, Command};
use arb_model::Time;
use form_urlencoded::Serializer;
use serde_json::{Map, Value};
use warp::http::header::{CACHE_CONTROL, ORIGIN};
use warp::http::{HeaderMap, HeaderValue, StatusCode};

use super::account::{AccountHolder, Accounts, random};
use crate::access::tickets::{self, LIFE, Ticket};
use crate::http::charge::Charge;
use crate::http::cors::Cors;
use crate::http::json_body::JsonBody;
use crate::http::problem::Problem;
use crate::http::reply;
use crate::http::request::Request;
use crate::http::route::Started;
use crate::lists::known_names::KnownNames;
use crate::stream::StreamQuery;
use crate::view::TicketView;
use crate::view::bodies::TicketRequest;

/// Most bytes of a body.
pub(crate) const MAX_BODY: usize = 4_096;
const NO_ORIGIN: &str = "must be one of the origins that this server allows; see --cors-origins";
const OTHER_ORIGIN: &str = "The ticket is of another origin.";
const OTHER_QUERY: &str = "The ticket is of another query; ask for another one.";
const EXPIRED: &str = "The ticket was not used within 60 s; ask for another one.";
const SPENT: &str = "The ticket was used before; ask for another one.";
const LAST_EVENT_ID: &str = "last-event-id";

/// The tickets.
#[derive(Debug, Clone)]
pub(crate) struct TicketResource {
    pub(crate) accounts: Accounts,
    pub(crate) cors: Cors,
    pub(crate) names: Arc<KnownNames>,
}

impl TicketResource {
    /// Issues a ticket. A request that is sent again has the same one, but for the time.
    pub(crate) fn issue(&self, request: &Request<'_>, charge: &Charge<'_>) -> Started {
        let TicketRequest { origin, filters } = TicketRequest::take(JsonBody::of(request)?)?;
        let origin = origin.filter(|origin| self.cors.has(origin));
        let origin = origin.ok_or_else(|| Problem::invalid_param("origin", NO_ORIGIN))?;
        let query = query(&filters.unwrap_or_default().0)?;
        let stream = StreamQuery::parse(&query, &HeaderMap::new())?;
        self.names.check_for_stream(stream.names())?;
        let query = tickets::bound(&query);
        let id = self.accounts.id(request, &charge.caller.kid, &format!("{origin}\n{query}"))?;
        let authority = &self.accounts.authority;
        let expires_at = authority.now().saturating_add(LIFE);
        let ticket = Ticket { kid: charge.caller.kid.clone(), origin, query, expires_at, id };
        let text = ticket.sign(authority.pepper());
        let view = TicketView { ticket: &text, query: &ticket.query, expires_at: Time(expires_at) };
        let mut response = reply::view(&view);
        *response.status_mut() = StatusCode::CREATED;
        response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        Ok(Box::pin(std::future::ready(Ok(response))))
    }

    /// Checks the ticket of a request for a stream, if it has one; what is to be waited for is that it is spent.
    ///
    /// # Errors
    /// 401 for a ticket that was never issued, 403 for one of another origin or query, or that is too old.
    pub(crate) fn check(
        &self,
        request: &Request<'_>,
        charge: &Charge<'_>,
    ) -> Result<Option<impl Future<Output = Result<(), Problem>> + Send + use<>>, Problem> {
        let Some(text) = tickets::of_query(request.query()) else { return Ok(None) };
        let authority = &self.accounts.authority;
        let ticket = Ticket::verify(&text, authority.pepper());
        let ticket = ticket.ok_or_else(|| Problem::unauthorized("The ticket is not valid.", "Ticket"))?;
        let headers = request.headers();
        if headers.get(ORIGIN).is_none_or(|origin| origin.as_bytes() != ticket.origin.as_bytes()) {
            return Err(Problem::forbidden(OTHER_ORIGIN));
        }
        if tickets::bound(request.query()) != ticket.query {
            return Err(Problem::forbidden(OTHER_QUERY));
        }
        if headers.get(LAST_EVENT_ID).is_some_and(|id| !id.is_empty()) || !request.wants_body() {
            return Ok(None);
        }
        if authority.now() > ticket.expires_at {
            return Err(Problem::forbidden(EXPIRED));
        }
        let holder = AccountHolder::of(charge);
        let source = (random()?, request.address().map(|address| address.to_string()).unwrap_or_default());
        let command = Command::SpendTicket { account: holder.account, ticket: ticket.id };
        let (actor, accounts) = (Actor::Key(ticket.kid), self.accounts.clone());
        let command = accounts.request(source, actor, command);
        Ok(Some(async move {
            let spent = accounts.write(command).await;
            spent.map_err(|problem| if problem.is_refusal() { Problem::forbidden(SPENT) } else { problem })
        }))
    }
}

/// The filters of a body as a query.
fn query(filters: &Map<String, Value>) -> Result<String, Problem> {
    let mut query = Serializer::new(String::new());
    for (name, value) in filters {
        let text = value.as_str().filter(|_| name != tickets::PARAMETER);
        query.append_pair(name, text.ok_or_else(|| Problem::invalid_param(name, "must be text"))?);
    }
    Ok(query.finish())
}
