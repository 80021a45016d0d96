//! A request as its handler sees it, with or without a key. It never charges anything.

use std::borrow::Cow;
use std::net::IpAddr;

use bytes::Bytes;
use percent_encoding::percent_decode_str;
use warp::http::{HeaderMap, Method};

use super::pattern;
use super::server::connections;

/// The head of a request.
pub(crate) struct Head<'a> {
    pub(crate) method: &'a Method,
    pub(crate) path: &'a str,
    pub(crate) query: &'a str,
    pub(crate) headers: &'a HeaderMap,
}

/// Where a request comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ClientOrigin {
    /// Its address; of IPv6 the /64 that it is in.
    pub(crate) address: String,
    /// The network of the address, a /24 or of IPv6 a /48.
    pub(crate) network: String,
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

    /// Where it comes from, as attempts are counted; empty where that is not known.
    pub(crate) fn origin(&self) -> ClientOrigin {
        let origin = connections::client_origin(self.head.headers);
        let origin = origin.map(|(address, network)| (address.to_string(), network.to_string()));
        let (address, network) = origin.unwrap_or_default();
        ClientOrigin { address, network }
    }

    /// The path.
    pub(crate) fn path(&self) -> &'a str {
        self.head.path
    }

    /// A parameter of the path, by its name in the pattern, as text: `%3A` is a colon, as clients write it. What is no UTF-8 has the replacement
    /// character, which no id has.
    pub(crate) fn parameter(&self, name: &str) -> Cow<'a, str> {
        let segment = pattern::parameter(self.pattern, self.head.path, name).unwrap_or_default();
        percent_decode_str(segment).decode_utf8_lossy()
    }
}
