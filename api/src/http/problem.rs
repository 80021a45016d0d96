//! Errors as `application/problem+json`, from a fixed catalogue.
//!
//! Every `type` is a path that resolves to a page of this API. It never carries anything of another caller.
//!
//! Source: RFC 9457, Problem Details for HTTP APIs.

mod body;
mod kinds;

use std::borrow::Cow;

use arb_feed::filter::parameter::InvalidParameter;
use serde_json::json;
use warp::http::header::{ALLOW, CONTENT_TYPE, HeaderName, RETRY_AFTER, WWW_AUTHENTICATE};
use warp::http::{HeaderMap, HeaderValue, StatusCode};
use warp::reply::Response;

use self::body::{InvalidParam, MoreOfProblem, ProblemHead, ProofAsked};
pub(crate) use self::body::{LineError, ProblemView, RegistryError};
use self::kinds::{
    ACCOUNTS_UNAVAILABLE, ADDRESS_NOT_ALLOWED, CONFLICT, FORBIDDEN, HEADERS_TOO_LARGE, INSUFFICIENT_SCOPE,
    INVALID_REQUEST, KINDS, METHOD_NOT_ALLOWED, NOT_FOUND, PAYLOAD_TOO_LARGE, PROOF_REQUIRED, ProblemKind,
    QUOTA_EXCEEDED, RATE_LIMITED, REQUEST_TIMEOUT, TOO_MANY_CONNECTIONS, TOO_MANY_STREAMS, UNAUTHORIZED,
    UNAVAILABLE, UNPROCESSABLE, UNSUPPORTED_MEDIA_TYPE, URI_TOO_LONG,
};

/// What a kind of error means: its title and status, and a text; `None` for a name that is not in the catalogue.
pub(crate) fn meaning(name: &str) -> Option<(String, &'static str)> {
    let kind = KINDS.iter().find(|kind| kind.name == name)?;
    Some((format!("{} ({})", kind.title, kind.status.as_u16()), kind.page))
}

/// An error to be answered.
#[derive(Debug, Clone)]
pub(crate) struct Problem {
    kind: &'static ProblemKind,
    detail: String,
    /// A parameter's name and what is wrong with it.
    invalid_param: Option<(String, Cow<'static, str>)>,
    /// Boxed: it is seldom there, and large.
    header: Option<Box<(HeaderName, HeaderValue)>>,
    /// What the body of this kind alone has; boxed as above.
    more: Option<Box<MoreOfProblem>>,
}

/// How often a client asks for a board that it cannot watch.
const POLL_SECONDS: u64 = 60;

impl From<InvalidParameter> for Problem {
    fn from(InvalidParameter { name, reason }: InvalidParameter) -> Self {
        Self::invalid_param(&name, reason)
    }
}

impl Problem {
    fn new(kind: &'static ProblemKind, detail: &str) -> Self {
        Self { kind, detail: detail.to_owned(), invalid_param: None, header: None, more: None }
    }

    /// 400.
    pub(crate) fn bad_request(detail: &str) -> Self {
        Self::new(&INVALID_REQUEST, detail)
    }

    /// 400 for a parameter, with the reason.
    pub(crate) fn invalid_param(name: &str, reason: impl Into<Cow<'static, str>>) -> Self {
        let reason = reason.into();
        let detail = format!("Parameter {name} {reason}.");
        Self { invalid_param: Some((name.to_owned(), reason)), ..Self::new(&INVALID_REQUEST, &detail) }
    }

    /// 401.
    pub(crate) fn unauthorized(detail: &str, scheme: &'static str) -> Self {
        let header = Some(Box::new((WWW_AUTHENTICATE, HeaderValue::from_static(scheme))));
        Self { header, ..Self::new(&UNAUTHORIZED, detail) }
    }

    /// 403 for a key without the scope of the route.
    pub(crate) fn insufficient_scope(scope: &str) -> Self {
        Self::new(&INSUFFICIENT_SCOPE, &format!("The key does not have the scope {scope}."))
    }

    /// 403 for a key that is restricted to other addresses.
    pub(crate) fn address_not_allowed() -> Self {
        Self::new(&ADDRESS_NOT_ALLOWED, "The key may not be used from this address.")
    }

    /// 403.
    pub(crate) fn forbidden(detail: &str) -> Self {
        Self::new(&FORBIDDEN, detail)
    }

    /// 409.
    pub(crate) fn conflict(detail: &str) -> Self {
        Self::new(&CONFLICT, detail)
    }

    /// 429, until another attempt is allowed.
    pub(crate) fn rate_limited(seconds: u64) -> Self {
        let header = Some(Box::new((RETRY_AFTER, HeaderValue::from(seconds))));
        Self { header, ..Self::new(&RATE_LIMITED, "There were too many attempts.") }
    }

    /// 429, for so long without a proof of work: the hash of `challenge`, a colon and the proof begins with so many zero bits.
    pub(crate) fn proof_required(seconds: u64, challenge: &str, bits: u32) -> Self {
        let header = Some(Box::new((RETRY_AFTER, HeaderValue::from(seconds))));
        let proof = ProofAsked { algorithm: "sha-256", bits, challenge: challenge.to_owned() };
        let detail = "There were too many attempts. Send the request again with a proof of work, or wait.";
        let more = MoreOfProblem { proof: Some(proof), errors: None };
        Self { header, more: Some(Box::new(more)), ..Self::new(&PROOF_REQUIRED, detail) }
    }

    /// 429, for a key that asks more often than its plan allows.
    pub(crate) fn burst_exceeded(seconds: u64) -> Self {
        let header = Some(Box::new((RETRY_AFTER, HeaderValue::from(seconds))));
        Self { header, ..Self::new(&RATE_LIMITED, "The key asks more often than its plan allows.") }
    }

    /// 429, until a source may send so many lines.
    pub(crate) fn pushes_too_fast(seconds: u64) -> Self {
        let header = Some(Box::new((RETRY_AFTER, HeaderValue::from(seconds))));
        Self {
            header,
            ..Self::new(
                &RATE_LIMITED,
                "The source sends more than 10000 lines a second; send the batch again.",
            )
        }
    }

    /// 429, until the account's browsers may read again.
    pub(crate) fn page_reads_exceeded(seconds: u64) -> Self {
        let header = Some(Box::new((RETRY_AFTER, HeaderValue::from(seconds))));
        Self {
            header,
            ..Self::new(
                &RATE_LIMITED,
                "The browsers of this account read more often than readers do; a program uses a key.",
            )
        }
    }

    /// 429, until another stream of the account ends.
    pub(crate) fn too_many_streams() -> Self {
        let header = Some(Box::new((RETRY_AFTER, HeaderValue::from(1))));
        Self { header, ..Self::new(&TOO_MANY_STREAMS, "The plan allows no more open streams.") }
    }

    /// 429, until the account may cause another poll.
    pub(crate) fn scans_capped(seconds: u64, most: usize) -> Self {
        let header = Some(Box::new((RETRY_AFTER, HeaderValue::from(seconds))));
        let detail =
            format!("The account has had {most} scans that caused polls within an hour, as many as it may.");
        Self { header, ..Self::new(&RATE_LIMITED, &detail) }
    }

    /// 429, until the account may have another board computed.
    pub(crate) fn boards_capped(seconds: u64, most: u32) -> Self {
        let header = Some(Box::new((RETRY_AFTER, HeaderValue::from(seconds))));
        let detail = format!(
            "The account has asked for {most} boards of own books within a minute, as many as its plan allows."
        );
        Self { header, ..Self::new(&RATE_LIMITED, &detail) }
    }

    /// 429, until a stream of the account with another board of own books ends.
    pub(crate) fn watches_capped(most: usize) -> Self {
        let header = Some(Box::new((RETRY_AFTER, HeaderValue::from(POLL_SECONDS))));
        let detail = format!(
            "The account watches {most} boards of own books at this instance, as many as it may: ask GET /v1/arbs for another one each minute."
        );
        Self { header, ..Self::new(&TOO_MANY_STREAMS, &detail) }
    }

    /// 503, until a board of own books is watched by nobody any more.
    pub(crate) fn watches_full() -> Self {
        let header = Some(Box::new((RETRY_AFTER, HeaderValue::from(POLL_SECONDS))));
        let detail =
            "This instance computes as many boards of own books as it can: ask GET /v1/arbs each minute.";
        Self { header, ..Self::unavailable(detail) }
    }

    /// 429, until the month ends, for a key with a cap.
    pub(crate) fn key_capped(seconds: u64) -> Self {
        let header = Some(Box::new((RETRY_AFTER, HeaderValue::from(seconds))));
        Self { header, ..Self::new(&QUOTA_EXCEEDED, "The monthly cap of this key is spent.") }
    }

    /// 503 for what needs the accounts machine.
    pub(crate) fn accounts_unavailable(detail: &str) -> Self {
        let header = Some(Box::new((RETRY_AFTER, HeaderValue::from(1))));
        Self { header, ..Self::new(&ACCOUNTS_UNAVAILABLE, detail) }
    }

    /// Whether the accounts were not known.
    pub(crate) fn is_accounts_unavailable(&self) -> bool {
        std::ptr::eq(self.kind, &raw const ACCOUNTS_UNAVAILABLE)
    }

    /// 404.
    pub(crate) fn not_found() -> Self {
        Self::new(&NOT_FOUND, "There is nothing at this path.")
    }

    /// 404 of something that has an id: why there is none.
    pub(crate) fn unknown_id(detail: &str) -> Self {
        Self::new(&NOT_FOUND, detail)
    }

    /// 405.
    pub(crate) fn method_not_allowed(allow: &str) -> Self {
        let header = HeaderValue::from_str(allow).ok().map(|allow| Box::new((ALLOW, allow)));
        Self { header, ..Self::new(&METHOD_NOT_ALLOWED, &format!("This path answers {allow}.")) }
    }

    /// 408.
    pub(crate) fn request_timeout(detail: &str) -> Self {
        Self::new(&REQUEST_TIMEOUT, detail)
    }

    /// 413.
    pub(crate) fn payload_too_large(max_bytes: usize) -> Self {
        Self::new(&PAYLOAD_TOO_LARGE, &format!("This path takes a body of at most {max_bytes} bytes."))
    }

    /// 414.
    pub(crate) fn uri_too_long() -> Self {
        Self::new(&URI_TOO_LONG, "The path and the query are too long.")
    }

    /// 431.
    pub(crate) fn headers_too_large() -> Self {
        Self::new(&HEADERS_TOO_LARGE, "The header fields are too large, or there are too many of them.")
    }

    /// 415.
    pub(crate) fn unsupported_media_type(expected: &str) -> Self {
        Self::new(&UNSUPPORTED_MEDIA_TYPE, &format!("This path takes a body of the type {expected}."))
    }

    /// 415 for the encoding of a body.
    pub(crate) fn unsupported_encoding() -> Self {
        Self::new(&UNSUPPORTED_MEDIA_TYPE, "This path takes a body without Content-Encoding, or with gzip.")
    }

    /// 413 for a body that contains too much.
    pub(crate) fn too_much(detail: &str) -> Self {
        Self::new(&PAYLOAD_TOO_LARGE, detail)
    }

    /// 422 for a body of which no line is accepted, with what is wrong with each.
    pub(crate) fn nothing_accepted(errors: Vec<LineError>) -> Self {
        let more = MoreOfProblem { errors: Some(errors), proof: None };
        Self { more: Some(Box::new(more)), ..Self::new(&UNPROCESSABLE, "No line of the body is accepted.") }
    }

    /// 429, until there is room for another batch.
    pub(crate) fn pushes_full() -> Self {
        let header = Some(Box::new((RETRY_AFTER, HeaderValue::from(1))));
        Self { header, ..Self::new(&RATE_LIMITED, "The queue of pushed odds is full. Send the batch again.") }
    }

    /// 429, until the month ends.
    pub(crate) fn quota_exceeded(seconds: u64) -> Self {
        let header = Some(Box::new((RETRY_AFTER, HeaderValue::from(seconds))));
        Self { header, ..Self::new(&QUOTA_EXCEEDED, "The plan's requests of this month are spent.") }
    }

    /// 429, until the key's other connections end.
    pub(crate) fn too_many_connections() -> Self {
        let header = Some(Box::new((RETRY_AFTER, HeaderValue::from(1))));
        Self { header, ..Self::new(&TOO_MANY_CONNECTIONS, "The key holds too many connections.") }
    }

    /// 503.
    pub(crate) fn unavailable(detail: &str) -> Self {
        Self {
            header: Some(Box::new((RETRY_AFTER, HeaderValue::from(1)))),
            ..Self::new(&UNAVAILABLE, detail)
        }
    }

    /// 503 for answers about the past, of a server that has none.
    pub(crate) fn no_history() -> Self {
        Self::unavailable("This server has no history: it was started without --history-url.")
    }

    /// 503 for answers about the past that could not be read, which is logged.
    pub(crate) fn history_unread(error: &dyn std::fmt::Display) -> Self {
        tracing::warn!(%error, "the history was not read");
        Self::unavailable("The history cannot be read at the moment; try again.")
    }

    /// Whether the caller is to blame.
    pub(crate) fn is_refusal(&self) -> bool {
        self.kind.status.is_client_error()
    }

    /// 404 and 422 of the schema registry: its status, and its body with what the registry's clients read.
    pub(crate) fn of_registry(is_invalid: bool, code: u32, message: &str) -> (StatusCode, RegistryError) {
        let problem = Self::new(if is_invalid { &UNPROCESSABLE } else { &NOT_FOUND }, message);
        let (status, message) = (problem.kind.status, Some(message.to_owned()));
        (status, RegistryError { head: problem.head(), error_code: Some(code), message })
    }

    fn head(&self) -> ProblemHead {
        let &ProblemKind { name, status, title, .. } = self.kind;
        let kind = format!("/problems/{name}");
        ProblemHead { kind, title, status: status.as_u16(), detail: self.detail.clone() }
    }

    fn body(self) -> String {
        let head = self.head();
        let invalid_params = self.invalid_param.map(|(name, reason)| [InvalidParam { name, reason }]);
        let more = self.more.map(|more| *more).unwrap_or_default();
        json!(ProblemView { head, invalid_params, more }).to_string()
    }

    /// The status, the header fields and the body of the response.
    pub(crate) fn into_parts(mut self) -> (StatusCode, HeaderMap, String) {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        headers.extend(self.header.take().map(|header| *header));
        (self.kind.status, headers, self.body())
    }

    /// The response.
    pub(crate) fn into_response(self) -> Response {
        let (status, headers, body) = self.into_parts();
        let mut response = Response::new(body.into());
        *response.status_mut() = status;
        *response.headers_mut() = headers;
        response
    }
}
