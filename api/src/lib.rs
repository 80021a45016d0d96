//! The HTTP surface: the ranked board, and the feed as it happens, from Kafka's topics to JSON.
//!
//! - `routes`: the URL map on one screen.
//! - [`keys`] and `auth`: who may ask; [`plan`], [`usage`] and `quota`: how often.
//! - [`board`] and `follow`: the open windows, as the topic has them.
//! - `arbs`, `filter`, `cursor` and `view`: the resource, and how an entry reads.
//! - [`stream`]: Server-Sent Events.
//! - `problem`: errors, RFC 9457.
//! - [`server`]: the accept loop; `stall`: who does not read is let go.
//!
//! It never computes anything about odds: entries are shown as the processor wrote them. It never asks a clock what time
//! it is, except for the quota's month, and then the one that it is given.

mod arbs;
mod auth;
pub mod board;
mod cursor;
pub mod files;
mod filter;
pub mod follow;
pub mod keys;
pub mod plan;
mod problem;
mod quota;
mod routes;
pub mod server;
mod stall;
pub mod stream;
pub mod usage;
mod view;

use std::sync::Arc;

/// What every request handler may look at.
#[derive(Debug)]
pub struct App {
    /// The open windows.
    pub board: board::Board,
    /// Who may ask.
    pub keys: keys::Keys,
    /// How often.
    pub usage: usage::Usage,
    /// The feed.
    pub streams: stream::Streams,
}

/// Shared by all connections.
pub type SharedApp = Arc<App>;
