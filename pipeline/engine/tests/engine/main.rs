//! The engine as its callers see it: examples by scenario, and properties over random markets.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod caps;
mod changes;
mod dispositions;
mod draws;
mod golden;
mod inspect;
mod lifecycles;
mod limits;
mod links;
mod log_properties;
mod movement;
mod private;
mod properties;
mod pushes;
mod quote_model;
mod random_log;
mod renaming;
mod scenarios;
mod sides;
mod signals;
mod stale;
mod survival;
mod suspension;
mod time;
mod touched_lines;
mod user_board;
mod venue_formulas;
mod verification;
mod world;
