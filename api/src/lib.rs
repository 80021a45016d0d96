//! The HTTP surface: the ranked board, from the compacted topic to JSON.
//!
//! - `routes`: the URL map on one screen.
//! - [`keys`] and `auth`: who may ask.
//! - [`board`] and `follow`: the open windows, as the topic has them.
//! - `arbs` and `view`: the resource, and how an entry reads.
//! - `problem`: errors, RFC 9457.
//! - [`server`]: the accept loop.
//!
//! It never computes anything about odds: entries are shown as the processor wrote them.

mod arbs;
mod auth;
pub mod board;
mod cursor;
pub mod follow;
pub mod keys;
mod problem;
mod routes;
pub mod server;
mod view;

use std::sync::Arc;

/// What every request handler may look at.
#[derive(Debug)]
pub struct App {
    /// The open windows.
    pub board: board::Board,
    /// Who may ask.
    pub keys: keys::Keys,
}

/// Shared by all connections.
pub type SharedApp = Arc<App>;
