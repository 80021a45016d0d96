//! A row of the route table: method, path pattern, scope, cost in requests and handler.
//!
//! A pattern is literal segments and parameters, such as `/api/v1/arbs/{id}`. A path that both authentication schemes serve
//! is written once, as `/api/v1` has it: that of `/v1` is the same without `/api`. Pure. A row never holds state: its
//! handler is handed the state of the table.

use warp::http::Method;
use warp::reply::Response;

use super::auth::AuthScheme;
use super::charge::Charge;
use super::problem::Problem;
use super::request::Request;

/// What a handler gives.
pub(crate) type Answer = Result<Response, Problem>;

/// A handler that needs no key.
type OpenHandler<S> = fn(&S, &Request<'_>) -> Answer;
/// A handler that charges a key once it knows that it will answer.
type KeyHandler<S> = fn(&S, &Request<'_>, &Charge<'_>) -> Answer;

/// The schemes of a resource that both surfaces serve.
pub(crate) const BOTH: &[AuthScheme] = &[AuthScheme::Bearer, AuthScheme::ApiKey];

/// What a key must be allowed to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::enum_variant_names, reason = "those that write come with their routes")]
pub(crate) enum Scope {
    /// Read the board of arbs.
    BoardRead,
    /// Read the edge signals.
    SignalsRead,
    /// Follow the stream.
    StreamRead,
    /// Read the own usage.
    UsageRead,
}

/// Which callers may use a row, and the handler that answers it.
enum Access<S: 'static> {
    Open(OpenHandler<S>),
    Key {
        schemes: &'static [AuthScheme],
        #[cfg_attr(not(test), expect(dead_code, reason = "listed by tests; checked once keys have scopes"))]
        scope: Scope,
        cost: u64,
        handler: KeyHandler<S>,
    },
}

/// A row.
pub(crate) struct Route<S: 'static> {
    pub(super) method: Method,
    path: &'static str,
    access: Access<S>,
    /// Most bytes of its body; without it a body is not read.
    pub(super) max_body: Option<usize>,
}

impl<S: 'static> Route<S> {
    /// A row for anybody.
    pub(crate) const fn open(path: &'static str, handler: OpenHandler<S>) -> Self {
        Self { method: Method::GET, path, access: Access::Open(handler), max_body: None }
    }

    /// A row for keys with a scope, by these schemes; each answer costs so many requests.
    pub(crate) const fn keyed(
        method: Method,
        path: &'static str,
        (schemes, scope): (&'static [AuthScheme], Scope),
        cost: u64,
        handler: KeyHandler<S>,
    ) -> Self {
        Self { method, path, access: Access::Key { schemes, scope, cost, handler }, max_body: None }
    }

    /// The same row, which takes a JSON body of at most so many bytes.
    #[cfg_attr(not(test), expect(dead_code, reason = "POST /v1/scan is the first route with a body"))]
    pub(crate) const fn with_body(mut self, max_bytes: usize) -> Self {
        self.max_body = Some(max_bytes);
        self
    }

    /// The patterns of its paths, one for each scheme.
    pub(super) fn patterns(&self) -> impl Iterator<Item = &'static str> {
        let (path, schemes) = match self.access {
            Access::Open(_) => (self.path, &[AuthScheme::ApiKey][..]),
            Access::Key { schemes, .. } => (self.path, schemes),
        };
        schemes.iter().map(move |scheme| match scheme {
            AuthScheme::Bearer => path.strip_prefix("/api").unwrap_or(path),
            AuthScheme::ApiKey => path,
        })
    }

    /// Whether it answers only callers with a key.
    pub(super) fn needs_key(&self) -> bool {
        matches!(self.access, Access::Key { .. })
    }

    /// What an answer to a method costs. HEAD costs nothing: it has no body.
    pub(super) fn cost(&self, method: &Method) -> u64 {
        match self.access {
            Access::Key { cost, .. } if method != Method::HEAD => cost,
            _ => 0,
        }
    }

    /// Answers a request; the charge is that of a valid key, without which a row that needs one is not asked.
    pub(super) fn answer(&self, state: &S, request: &Request<'_>, charge: Option<&Charge<'_>>) -> Answer {
        match (&self.access, charge) {
            (Access::Open(handler), _) => handler(state, request),
            (Access::Key { handler, .. }, Some(charge)) => handler(state, request, charge),
            (Access::Key { .. }, None) => unreachable!("a caller without a key is refused before"),
        }
    }

    /// Method, pattern, scope and cost, as documents list them.
    #[cfg(test)]
    pub(crate) fn lines(&self) -> impl Iterator<Item = String> {
        let access = match self.access {
            Access::Open(_) => "none | 0".to_owned(),
            Access::Key { scope, cost, .. } => format!("`{}` | {cost}", scope.key()),
        };
        self.patterns().map(move |pattern| format!("| `{} {pattern}` | {access} |\n", self.method))
    }
}

#[cfg(test)]
impl Scope {
    fn key(self) -> &'static str {
        match self {
            Self::BoardRead => "board:read",
            Self::SignalsRead => "signals:read",
            Self::StreamRead => "stream:read",
            Self::UsageRead => "usage:read",
        }
    }
}
