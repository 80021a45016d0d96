//! A request as its handler sees it, with or without a key. It never charges anything.

use std::net::IpAddr;

use bytes::Bytes;
use warp::http::{HeaderMap, Method};

use super::router;
use super::server::connections;

/// The head of a request.
pub(crate) struct Head<'a> {
    pub(crate) method: &'a Method,
    pub(crate) path: &'a str,
    pub(crate) query: &'a str,
    pub(crate) headers: &'a HeaderMap,
}

/// A request for a row of the route table.
pub(crate) struct Request<'a> {
    pub(crate) head: &'a Head<'a>,
    /// The pattern of its path.
    pub(super) pattern: &'a str,
    /// Its body, where the row takes one.
    pub(crate) body: Bytes,
}

impl<'a> Request<'a> {
    /// The query, without its question mark.
    pub(crate) fn query(&self) -> &'a str {
        self.head.query
    }

    /// The header fields.
    pub(crate) fn headers(&self) -> &'a HeaderMap {
        self.head.headers
    }

    /// Whether the answer has a body: not that of HEAD.
    pub(crate) fn wants_body(&self) -> bool {
        self.head.method != Method::HEAD
    }

    /// The address of whoever sent it, as far as it is known.
    pub(crate) fn address(&self) -> Option<IpAddr> {
        connections::client_address(self.head.headers)
    }

    /// The network of its address, as attempts are counted; empty where it is not known.
    pub(crate) fn network(&self) -> String {
        connections::client_network(self.head.headers).map(|address| address.to_string()).unwrap_or_default()
    }

    /// The path.
    pub(crate) fn path(&self) -> &'a str {
        self.head.path
    }

    /// The pattern of the path.
    pub(crate) fn pattern(&self) -> &'a str {
        self.pattern
    }

    /// A parameter of the path, by its name in the pattern.
    pub(crate) fn parameter(&self, name: &str) -> &'a str {
        router::parameter(self.pattern, self.head.path, name).unwrap_or_default()
    }
}
