//! HTTP, whatever resources are served by it: connections, authentication, the route table's machinery, errors, paging.
//!
//! - [`server`]: the accept loop and its connections.
//! - `operation`: what a route says of itself; `route` and `router`: a row of the route table, and how a path finds its rows; `service`: from a request to its
//!   response; `request`, `body` and `json_body`: what a handler is given; `charge`: what an answer costs its key.
//! - [`site`]: under which names browsers reach it, and their cookies.
//! - [`cors`]: which pages of other origins may read answers.
//! - `auth`: which key a request has; `limits`: how large it may be; `request_id`, `quota_headers`,
//!   `rate_limit_headers` and `security_headers`: what every response has.
//! - `options`: which methods a path has; `deprecation`: what is deprecated, and until when it works.
//! - `idempotency`: the header by which a request that is sent again is the same request.
//! - `problem`: errors, RFC 9457; `query`, `parameters`, `paging`, `etag` and `encoding`: what handlers of lists share; `reply`: bodies.
//!
//! It never knows a resource: the resources are passed in as rows of a table.

pub(crate) mod accept;
pub(crate) mod auth;
pub(crate) mod body;
pub(crate) mod caching;
pub(crate) mod charge;
pub mod cors;
pub(crate) mod deprecation;
pub(crate) mod encoding;
pub(crate) mod etag;
pub(crate) mod idempotency;
pub(crate) mod json_body;
mod limits;
pub(crate) mod operation;
mod options;
pub(crate) mod paging;
pub(crate) mod parameters;
mod pattern;
pub(crate) mod problem;
pub(crate) mod query;
pub(crate) mod quota_headers;
mod rate_limit_headers;
pub(crate) mod reply;
pub(crate) mod request;
mod request_id;
pub(crate) mod route;
mod router;
mod security_headers;
pub mod server;
pub(crate) mod service;
pub mod site;
