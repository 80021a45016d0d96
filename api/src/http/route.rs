//! A row of the route table: what the route says of itself, scope, cost in requests and handler.
//!
//! A pattern is literal segments and parameters, such as `/api/v1/arbs/{id}`. A path that both authentication schemes serve
//! is written once, as `/api/v1` has it: that of `/v1` is the same without `/api`. A row for browsers that has the handler of a
//! row for keys is made from that row. Pure. A row never holds state: its handler is handed the state of the table.

use std::pin::Pin;

use arb_accounts::key::Mode;
use arb_accounts::scope::Scope;
use arb_feed::filter::parameter::ParameterShape;
use warp::http::Method;
use warp::reply::Response;

use super::auth::AuthScheme;
use super::charge::Charge;
use super::deprecation::Deprecation;
use super::operation::Operation;
use super::problem::Problem;
use super::query::ParameterList;
use super::request::{Head, Request};
use crate::access::authority::Caller;

/// What a handler gives.
pub(crate) type Answer = Result<Response, Problem>;

/// An answer that is waited for.
pub(crate) type PendingAnswer = Pin<Box<dyn Future<Output = Answer> + Send>>;
/// What a handler that waits gives: the work, or why there is none.
pub(crate) type Started = Result<PendingAnswer, Problem>;

/// A handler that needs no key.
type OpenHandler<S> = fn(&S, &Request<'_>) -> Answer;
/// A handler that needs no key, and waits.
type OpenTask<S> = fn(&S, &Request<'_>) -> Started;
/// A handler that charges a key once it knows that it will answer.
type KeyHandler<S> = fn(&S, &Request<'_>, &Charge<'_>) -> Answer;
/// A handler for a key that waits.
type KeyTask<S> = fn(&S, &Request<'_>, &Charge<'_>) -> Started;

/// Checks the session of a request, whose answer would cost a key so many requests, and gives what the handler of keys is handed: who asks, for nothing.
type SessionCheck<S> = for<'a> fn(&'a S, &Request<'_>, u64) -> Result<Charge<'a>, Problem>;

/// How browsers that signed in reach handlers of keys.
pub(crate) struct SessionTwin<S: 'static> {
    /// What the name of such a route ends with.
    pub(crate) id_end: &'static str,
    /// What its sentence ends with.
    pub(crate) summary_end: &'static str,
    pub(crate) check: SessionCheck<S>,
}

/// The schemes of a row that both surfaces serve.
const BOTH: &[AuthScheme] = &[AuthScheme::Bearer, AuthScheme::ApiKey];

/// Which callers may use a row, and the handler that answers it.
enum Access<S: 'static> {
    Open(OpenHandler<S>),
    OpenTask(OpenTask<S>),
    /// By the cookie of a session, or to get one: the handler checks that.
    Session(OpenTask<S>),
    /// By a session, with the handler of a key.
    SessionTwin {
        check: SessionCheck<S>,
        cost: u64,
        work: KeyWork<S>,
    },
    Key {
        schemes: &'static [AuthScheme],
        scope: Scope,
        cost: u64,
        work: KeyWork<S>,
    },
}

/// Which callers may use a row, for who describes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RouteAccess {
    /// Anybody.
    Open,
    /// A browser with the cookie of a session, or to get one.
    Session,
    /// A key with this scope, for so many requests.
    Key { scope: &'static str, cost: u64 },
}

/// What answers a row for keys.
enum KeyWork<S: 'static> {
    Now(KeyHandler<S>),
    Task(KeyTask<S>),
}

impl<S: 'static> Clone for KeyWork<S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: 'static> Copy for KeyWork<S> {}

impl<S: 'static> KeyWork<S> {
    fn begin(self, state: &S, request: &Request<'_>, charge: &Charge<'_>) -> Work {
        match self {
            Self::Now(handler) => Work::Done(handler(state, request, charge)),
            Self::Task(handler) => handler(state, request, charge).into(),
        }
    }
}

/// What answers a request.
pub(super) enum Work {
    Done(Answer),
    Task(PendingAnswer),
}

impl From<Started> for Work {
    fn from(begun: Started) -> Self {
        begun.map_or_else(|problem| Self::Done(Err(problem)), Self::Task)
    }
}

/// A row.
pub(crate) struct Route<S: 'static> {
    pub(super) operation: Operation,
    access: Access<S>,
    /// How browsers reach its handler, where they do.
    twin: Option<&'static SessionTwin<S>>,
    /// Whether it has an answer for test keys.
    serves_test_keys: bool,
    /// Whether a row of GET answers HEAD too.
    pub(super) answers_head: bool,
    /// Whether a ticket is as good as a key.
    pub(super) takes_tickets: bool,
    /// What an answer costs by the query, where that decides it.
    priced: Option<fn(&str) -> u64>,
    /// Names the parameters of its query.
    parameters: Option<ParameterList>,
    /// What of it is deprecated.
    pub(super) deprecations: &'static [Deprecation],
}

impl<S: 'static> Route<S> {
    /// A row for anybody.
    pub(crate) const fn open(operation: Operation, handler: OpenHandler<S>) -> Self {
        Self::of(operation, Access::Open(handler))
    }

    /// The same, whose answer waits for something.
    pub(crate) const fn open_task(operation: Operation, handler: OpenTask<S>) -> Self {
        Self::of(operation, Access::OpenTask(handler))
    }

    const fn of(operation: Operation, access: Access<S>) -> Self {
        Self {
            operation,
            access,
            twin: None,
            serves_test_keys: false,
            answers_head: true,
            takes_tickets: false,
            priced: None,
            parameters: None,
            deprecations: &[],
        }
    }

    /// A row for keys with a scope; each answer costs so many requests.
    pub(crate) const fn keyed(
        operation: Operation,
        (scope, cost): (Scope, u64),
        handler: KeyHandler<S>,
    ) -> Self {
        Self::of(operation, Access::Key { schemes: BOTH, scope, cost, work: KeyWork::Now(handler) })
    }

    /// The same, whose handler waits.
    pub(crate) const fn keyed_task(
        operation: Operation,
        (scope, cost): (Scope, u64),
        handler: KeyTask<S>,
    ) -> Self {
        Self::of(operation, Access::Key { schemes: BOTH, scope, cost, work: KeyWork::Task(handler) })
    }

    /// A row for browsers, which sign in and send cookies; keys are nothing here.
    pub(crate) const fn session(operation: Operation, handler: OpenTask<S>) -> Self {
        Self::of(operation, Access::Session(handler))
    }

    /// The same row, which has no path for keys as bearer tokens.
    pub(crate) const fn by_api_key_alone(mut self) -> Self {
        if let Access::Key { schemes, .. } = &mut self.access {
            *schemes = &[AuthScheme::ApiKey];
        }
        self
    }

    /// The same row, with another one for browsers, whose path begins with `/session`.
    pub(crate) const fn for_sessions(mut self, twin: &'static SessionTwin<S>) -> Self {
        self.twin = Some(twin);
        self
    }

    /// The same row, which answers test keys too, and never with anything of the live market.
    pub(crate) const fn for_test_keys(mut self) -> Self {
        self.serves_test_keys = true;
        self
    }

    /// The same row, which takes a ticket in place of a key.
    pub(crate) const fn for_tickets(mut self) -> Self {
        self.takes_tickets = true;
        self
    }

    /// The same row, whose answers cost what this computes from the query; documents show what an answer without one costs.
    pub(crate) const fn priced_by(mut self, priced: fn(&str) -> u64) -> Self {
        self.priced = Some(priced);
        self
    }

    /// The same row, whose query has these parameters.
    pub(crate) const fn taking(mut self, parameters: ParameterList) -> Self {
        self.parameters = Some(parameters);
        self
    }

    /// The same row, of which this is deprecated: nothing at present, so only tests mark any.
    #[cfg_attr(not(test), expect(dead_code, reason = "nothing is deprecated at present"))]
    pub(crate) const fn deprecating(mut self, marks: &'static [Deprecation]) -> Self {
        self.deprecations = marks;
        self
    }

    /// The same row, which does not answer HEAD: what its GET triggers has a price.
    pub(crate) const fn without_head(mut self) -> Self {
        self.answers_head = false;
        self
    }

    /// The row, and that for browsers which is made from it.
    pub(crate) fn with_twin(self) -> impl Iterator<Item = Self> {
        let twin = self.twin();
        [Some(self), twin].into_iter().flatten()
    }

    fn twin(&self) -> Option<Self> {
        let (Some(twin), Access::Key { cost, work, .. }) = (self.twin, &self.access) else { return None };
        let operation = self.operation.of_session(twin.id_end, twin.summary_end);
        let access = Access::SessionTwin { check: twin.check, cost: *cost, work: *work };
        let Self { answers_head, priced, parameters, deprecations, .. } = *self;
        Some(Self { answers_head, priced, parameters, deprecations, ..Self::of(operation, access) })
    }

    /// What it says of itself.
    pub(crate) fn operation(&self) -> &Operation {
        &self.operation
    }

    /// Its method.
    pub(crate) fn method(&self) -> &Method {
        &self.operation.method
    }

    /// Who may use it.
    pub(crate) fn access(&self) -> RouteAccess {
        match self.access {
            Access::Open(_) | Access::OpenTask(_) => RouteAccess::Open,
            Access::Session(_) | Access::SessionTwin { .. } => RouteAccess::Session,
            Access::Key { scope, cost, .. } => RouteAccess::Key { scope: scope.key(), cost },
        }
    }

    /// Whether it has an answer for test keys.
    pub(crate) fn serves_test_keys(&self) -> bool {
        self.serves_test_keys
    }

    /// The parameters of its query.
    pub(crate) fn parameters(&self) -> Vec<&'static ParameterShape> {
        self.parameters.map_or_else(Vec::new, |parameters| parameters())
    }

    /// What of it is deprecated.
    pub(crate) fn deprecations(&self) -> &'static [Deprecation] {
        self.deprecations
    }

    /// Whether a ticket opens it.
    pub(crate) fn takes_tickets(&self) -> bool {
        self.takes_tickets
    }

    /// The patterns of its paths, one for each scheme.
    pub(crate) fn patterns(&self) -> impl Iterator<Item = &str> {
        let path = &*self.operation.path;
        let schemes = match self.access {
            Access::Key { schemes, .. } => schemes,
            _ => &[AuthScheme::ApiKey],
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

    /// What an answer to a request costs. HEAD costs nothing: it has no body.
    pub(super) fn cost(&self, head: &Head<'_>) -> u64 {
        match self.access {
            Access::Key { cost, .. } if head.method != Method::HEAD => self.price(cost, head.query),
            _ => 0,
        }
    }

    fn price(&self, cost: u64, query: &str) -> u64 {
        self.priced.map_or(cost, |priced| priced(query))
    }

    /// Whether its answer may have to be waited for; where a session is asked for, the accounts may have to be.
    pub(super) fn waits(&self) -> bool {
        self.operation.body.is_some()
            || !matches!(self.access, Access::Open(_) | Access::Key { work: KeyWork::Now(_), .. })
    }

    /// Refuses a caller whose key does not have the scope, or whose test key has nothing to see here.
    pub(super) fn check_caller(&self, caller: &Caller) -> Result<(), Problem> {
        match self.access {
            Access::Key { scope, .. } if !caller.scopes.contains(&scope) => {
                Err(Problem::insufficient_scope(scope.key()))
            }
            Access::Key { .. } if caller.mode == Mode::Test && !self.serves_test_keys => {
                Err(Problem::forbidden("This route has no answer for test keys."))
            }
            _ => Ok(()),
        }
    }

    /// Answers a request; the charge is that of a valid key, without which a row that needs one is not asked.
    pub(super) fn work(&self, state: &S, request: &Request<'_>, charge: Option<&Charge<'_>>) -> Work {
        match (&self.access, charge) {
            (Access::Open(handler), _) => Work::Done(handler(state, request)),
            (Access::OpenTask(handler) | Access::Session(handler), _) => handler(state, request).into(),
            (Access::SessionTwin { check, cost, work }, _) => {
                match check(state, request, self.price(*cost, request.query())) {
                    Ok(charge) => work.begin(state, request, &charge),
                    Err(problem) => Work::Done(Err(problem)),
                }
            }
            (Access::Key { work, .. }, Some(charge)) => work.begin(state, request, charge),
            (Access::Key { .. }, None) => unreachable!("a caller without a key is refused before"),
        }
    }

    /// Method, pattern, scope and cost, as documents list them.
    #[cfg(test)]
    pub(crate) fn lines(&self) -> impl Iterator<Item = String> {
        let access = match self.access {
            Access::Open(_) | Access::OpenTask(_) => "none | 0".to_owned(),
            Access::Session(_) | Access::SessionTwin { .. } => "cookie | 0".to_owned(),
            Access::Key { scope, cost, .. } => format!("`{}` | {cost}", scope.key()),
        };
        self.patterns().map(move |pattern| format!("| `{} {pattern}` | {access} |\n", self.method()))
    }
}
