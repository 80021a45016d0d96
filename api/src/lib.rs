//! The HTTP surface: the ranked board, and the feed as it happens, from Kafka's topics to JSON.
//!
//! - [`server`]: the accept loop; `stall`: who does not read is let go.
//! - `routes`: the URL map on one screen; `request`: what a handler is given; `request_id`: what its answer is called; `problem`: errors, RFC 9457.
//! - `auth` and [`keys`]: who may ask; [`plan`], [`usage`] and `quota`: how often.
//! - [`files`] and [`watched`]: what is kept on the disk; [`upkeep`]: the thread that writes and reads it again.
//! - [`follow`] and [`board`]: the open windows, as the topic has them; `snapshot`: ranked, as JSON.
//! - `arbs`, `filter`, `cursor` and `view`: the resource, and how an entry reads; `etag`: whether a caller has it already.
//! - [`stream`]: Server-Sent Events.
//!
//! It never computes anything about odds: entries are shown as the processor wrote them. It never asks a clock what time
//! it is, except for the quota's month, and then the one that it is given.

mod arbs;
mod auth;
pub mod board;
mod cursor;
mod etag;
pub mod files;
mod filter;
pub mod follow;
pub mod keys;
pub mod plan;
mod problem;
mod quota;
mod request;
mod request_id;
mod routes;
pub mod server;
mod snapshot;
mod stall;
pub mod stream;
pub mod upkeep;
pub mod usage;
mod view;
pub mod watched;

use std::sync::Arc;

/// What every request handler may look at.
#[derive(Debug)]
pub struct App {
    /// The open windows.
    pub board: board::Board,
    /// Who may ask.
    pub keys: watched::Watched<keys::Keys>,
    /// How often.
    pub usage: usage::Usage,
    /// The feed.
    pub streams: stream::Streams,
}

/// Shared by all connections.
pub type SharedApp = Arc<App>;
