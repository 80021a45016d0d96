//! Tests of the whole: a real Kafka that they start themselves, the program as users run it, and an independent
//! oracle in Python.
//!
//! Recordings are read in place where they are; where they are absent a simulated one is used, and the output
//! mentions it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
// Tests look at the machine and use clients as strangers would.
#![allow(clippy::disallowed_methods)]

mod accounts;
mod analysts;
mod api;
mod asyncapi;
mod backtest;
mod bad_input;
mod bench;
mod board;
mod changes;
mod chart;
mod clickhouse;
mod compose;
mod contract;
mod dead_letters;
mod description;
mod devig;
mod documents;
mod doubles;
mod drain;
mod evaluate;
mod examples;
mod failures;
mod gradings;
mod grafana;
mod group_lag;
mod history;
mod image;
mod kafka;
mod kill;
mod limits;
mod live;
mod live_formats;
mod live_limits;
mod live_scores;
mod lost_commits;
mod markers;
mod mcp;
mod members;
mod notices;
mod opinion;
mod own_books;
mod page;
mod picks;
mod private;
mod processor;
mod prompt;
mod pushes;
mod quota;
mod readiness;
mod recovery;
mod registry;
mod restart;
mod results;
mod rules;
mod scan;
mod scores;
mod settings;
mod signals;
mod signup;
mod sink;
mod sink_doubt;
mod sink_log;
mod soak;
mod standby;
mod stream;
mod stream_limits;
mod support;
mod surface;
mod telemetry;
mod tickets;
mod tidy;
mod tls;
mod tools;
mod up;
mod upgrade;
mod views;
mod walk;
mod webhooks;
