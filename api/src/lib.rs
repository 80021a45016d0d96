//! The HTTP surface: the ranked board, the edge signals, and the feed as it happens, from Kafka's topics to JSON.
//!
//! - `app`: an instance, wired; `routes`: the route table; `resources`: what answers each row of it; `description`: all of it as OpenAPI.
//! - [`http`]: the server, the machinery of the table, authentication, errors, paging.
//! - [`lists`]: what is open, from the compacted topics; [`stream`]: Server-Sent Events.
//! - `test_market`: the lists and streams that test keys see.
//! - [`quotes`]: the processor's quotes, from its changelog: what is computed for one caller, events and odds.
//! - `scans`: the requests and results of scans; [`pushes`]: odds that clients push, on their way to Kafka.
//! - [`picks`]: the picks of bots, and their records; `scores`: scores of events in play; [`tasks`]: what requests have written for machines.
//! - [`access`]: accounts, keys, plans and usage; [`files`]: small files, and files that are read again when they change.
//! - [`webhooks`]: what may be chosen of a webhook endpoint.
//! - `view`: how records read in JSON; [`telemetry`]: the numbers that the API reports.
//!
//! Modules use one another in this order only: app, `test_market`, routes, page, resources, description, scans, stream, lists, http, pushes, webhooks, picks, scores, access, files, quotes, tasks;
//! `view` and `telemetry` use none of them. The crate never computes anything about odds: entries are shown
//! as the processor wrote them, or as the engine gives them for a caller's books. It never reads a clock, except for the quota's month and for
//! the ends of keys and sessions, and then the clock that is passed in.

pub mod access;
mod app;
mod description;
mod docs;
pub mod files;
#[cfg(test)]
mod fixtures;
#[cfg(test)]
#[path = "../../tests/it/support/generated.rs"]
mod generated;
pub mod http;
pub mod lists;
mod page;
pub mod picks;
pub mod pushes;
pub mod quotes;
mod resources;
mod routes;
mod scans;
mod scores;
pub mod stream;
pub mod tasks;
pub mod telemetry;
mod test_market;
mod view;
pub mod webhooks;

pub use self::app::{App, Sessions, SharedApp};
