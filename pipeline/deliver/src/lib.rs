//! Webhooks: events of the feed, posted to endpoints at least once, signed according to Standard Webhooks 1.0.0.
//!
//! - [`fan_out`]: from the feed to tasks; [`machine`]: what is due and what came of it; [`schedule`]: what may be sent now;
//!   [`sender`]: posts it; [`attempt_batch`]: what came of it, in few records; [`verifier`]: verifies endpoints and disables those that fail.
//! - [`delivery`], [`policy`], [`circuit`], [`codec`], [`counts`]: deliveries, when they are tried again, when an endpoint is left alone,
//!   their records, what is counted.
//! - [`endpoints`]: the endpoints of all accounts.
//! - [`client`], [`connector`], `headers`, [`retry_after`]: one signed request, to an address that may be connected to.
//!
//! What is sent, under which id and signature, and to which addresses is `arb_feed::webhook`.
//!
//! What is pending is the state of a machine on the runtime, so that it survives every kill (docs/adr/038-webhook-deliveries.md). It
//! never computes anything about odds.

pub mod attempt_batch;
mod book;
pub mod circuit;
pub mod client;
pub mod codec;
pub mod connector;
pub mod counts;
pub mod delivery;
pub mod endpoints;
pub mod fan_out;
mod headers;
pub mod machine;
pub mod policy;
pub mod retry_after;
pub mod schedule;
pub mod sender;
pub mod telemetry;
pub mod verifier;
