//! The engine as its callers see it: examples by scenario, and properties over random markets.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod caps;
mod limits;
mod movement;
mod properties;
mod renaming;
mod scenarios;
mod signals;
mod stale;
mod survival;
mod time;
mod user_board;
mod verification;
mod world;
