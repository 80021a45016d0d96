//! The feed of events, as all that read it have in common.
//!
//! - [`event`]: a record as an event, and an event as the text that every client is sent; [`position`]: its id.
//! - [`filter`]: which events are sent; [`view`]: how they read in JSON; [`fold`]: what they leave open.
//! - [`webhook`]: how webhooks send them.
//! - `fixtures`: records for tests (Cargo feature `fixtures`).
//!
//! Streams of the API and webhooks send the same JSON under the same filters, because both have it from here. Pure: it never reads Kafka
//! and never looks at a client or an endpoint.

pub mod event;
pub mod filter;
#[cfg(any(test, feature = "fixtures"))]
pub mod fixtures;
pub mod fold;
pub mod position;
pub mod view;
pub mod webhook;
