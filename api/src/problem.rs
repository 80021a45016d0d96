//! Errors as `application/problem+json`, from a fixed catalogue.
//!
//! Every `type` is a path that resolves to a page of this API. It never carries anything of another caller.
//!
//! Source: RFC 9457, Problem Details for HTTP APIs.

use serde_json::json;
use warp::http::header::{ALLOW, CONTENT_TYPE, HeaderName, RETRY_AFTER, WWW_AUTHENTICATE};
use warp::http::{HeaderValue, StatusCode};
use warp::reply::Response;

/// A kind of error: its name in `type`, status, title, and what its page says.
struct Kind {
    name: &'static str,
    status: StatusCode,
    title: &'static str,
    page: &'static str,
}

static INVALID_REQUEST: Kind = Kind {
    name: "invalid-request",
    status: StatusCode::BAD_REQUEST,
    title: "Invalid request",
    page: "A parameter is unknown, missing or out of range; invalid_params names each with its reason.",
};
static UNAUTHORIZED: Kind = Kind {
    name: "unauthorized",
    status: StatusCode::UNAUTHORIZED,
    title: "Unauthorized",
    page: "The request carries no valid key; /v1 routes take it as Authorization: Bearer <key>.",
};
static NOT_FOUND: Kind = Kind {
    name: "not-found",
    status: StatusCode::NOT_FOUND,
    title: "Not found",
    page: "There is nothing at this path.",
};
static METHOD_NOT_ALLOWED: Kind = Kind {
    name: "method-not-allowed",
    status: StatusCode::METHOD_NOT_ALLOWED,
    title: "Method not allowed",
    page: "The path exists, but not for this method; the Allow header names those that do.",
};
static UNAVAILABLE: Kind = Kind {
    name: "unavailable",
    status: StatusCode::SERVICE_UNAVAILABLE,
    title: "Unavailable",
    page: "The server is starting or ending; try again after the seconds of the Retry-After header.",
};

static KINDS: [&Kind; 5] = [&INVALID_REQUEST, &UNAUTHORIZED, &NOT_FOUND, &METHOD_NOT_ALLOWED, &UNAVAILABLE];

/// What a kind of error means; `None` for a name that is not in the catalogue.
pub(crate) fn page(name: &str) -> Option<String> {
    let kind = KINDS.iter().find(|kind| kind.name == name)?;
    Some(format!("{} ({})\n\n{}\n", kind.title, kind.status.as_u16(), kind.page))
}

/// An error to be answered.
pub(crate) struct Problem {
    kind: &'static Kind,
    detail: String,
    /// A parameter's name and what is wrong with it.
    invalid_param: Option<(String, &'static str)>,
    header: Option<(HeaderName, &'static str)>,
}

impl Problem {
    fn new(kind: &'static Kind, detail: &str) -> Self {
        Self { kind, detail: detail.to_owned(), invalid_param: None, header: None }
    }

    /// 400.
    pub(crate) fn bad_request(detail: &str) -> Self {
        Self::new(&INVALID_REQUEST, detail)
    }

    /// 400 for a parameter, with the reason.
    pub(crate) fn invalid_param(name: &str, reason: &'static str) -> Self {
        let invalid_param = Some((name.to_owned(), reason));
        Self { invalid_param, ..Self::new(&INVALID_REQUEST, &format!("Parameter {name} {reason}.")) }
    }

    /// 401.
    pub(crate) fn unauthorized(detail: &str) -> Self {
        let header = Some((WWW_AUTHENTICATE, "Bearer"));
        Self { header, ..Self::new(&UNAUTHORIZED, detail) }
    }

    /// 404.
    pub(crate) fn not_found() -> Self {
        Self::new(&NOT_FOUND, "There is nothing at this path.")
    }

    /// 405.
    pub(crate) fn method_not_allowed(allow: &'static str) -> Self {
        let header = Some((ALLOW, allow));
        Self { header, ..Self::new(&METHOD_NOT_ALLOWED, &format!("This path answers {allow}.")) }
    }

    /// 503.
    pub(crate) fn unavailable(detail: &str) -> Self {
        Self { header: Some((RETRY_AFTER, "1")), ..Self::new(&UNAVAILABLE, detail) }
    }

    /// The answer.
    pub(crate) fn into_response(self) -> Response {
        let &Kind { name, status, title, .. } = self.kind;
        let mut body = json!({
            "type": format!("/problems/{name}"),
            "title": title,
            "status": status.as_u16(),
            "detail": self.detail,
        });
        if let Some((name, reason)) = self.invalid_param {
            body["invalid_params"] = json!([{"name": name, "reason": reason}]);
        }
        let mut response = Response::new(body.to_string().into());
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        headers.extend(self.header.map(|(name, value)| (name, HeaderValue::from_static(value))));
        response
    }
}
