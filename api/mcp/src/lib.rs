//! The API as tools of the Model Context Protocol: each tool is a route, its arguments are the route's parameters, its result is the answer.
//!
//! - `tools`: which tools there are, and their definitions, from the OpenAPI document; `schema`: its schemas without their document.
//! - `arguments`: the arguments of a call as a path and a query.
//! - [`client`]: requests to the API; `outcome`: an answer as the result of a call.
//! - `server`: the protocol.
//!
//! It never decides anything that the API decides: what is wrong with an argument or a key is the API's answer. Nothing but the protocol is written to
//! standard output, and the key to nowhere but the API.
//!
//! Source: Model Context Protocol, revisions 2024-11-05 to 2026-07-28, "Tools" and "stdio".

mod arguments;
pub mod client;
mod outcome;
mod schema;
mod server;
mod tools;

pub use server::{ServeError, serve};
