//! The time between the shutdown signal and the end of listening, in which an instance makes clients leave.
//!
//! It is not ready any more, so that load balancers send nothing new, and each answer ends its connection, so that a client opens the
//! next one elsewhere instead of finding this one closed under its request. It never refuses a request.
//!
//! Source: RFC 9112, 9.6 (the close option of the field Connection).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use warp::http::header::CONNECTION;
use warp::http::{HeaderMap, HeaderValue};

/// Whether it has begun; clones share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Drain(Arc<AtomicBool>);

impl Drain {
    /// Begins it.
    pub(crate) fn begin(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it has begun.
    pub(crate) fn has_begun(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Writes that the connection ends with this response, once it has begun.
    pub(crate) fn write(&self, headers: &mut HeaderMap) {
        if self.has_begun() {
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
    }
}
