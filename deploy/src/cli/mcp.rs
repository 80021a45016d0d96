//! Settings of `arb mcp`, and the key, which is read from the environment or a file alone.
//!
//! The key has no option: every user of the machine can read a command line. They decide nothing.
#![cfg_attr(
    not(feature = "mcp"),
    allow(dead_code, reason = "the command is known in builds without it, and says so")
)]

use std::path::PathBuf;

use clap::Args;

use super::secrets::API_KEY;

#[derive(Debug, Clone, Args)]
pub(crate) struct Mcp {
    /// Address of the API
    #[arg(long, env = "ARB_URL", value_name = "URL", default_value = "http://127.0.0.1:8080")]
    pub(crate) url: String,
    /// File of a key, instead of the environment variable `ARB_KEY`
    #[arg(long, env = "ARB_KEY_FILE", value_name = "FILE")]
    pub(crate) key_file: Option<PathBuf>,
}

/// What is in the environment.
#[expect(clippy::disallowed_methods, reason = "a setting that must not be an option")]
pub(crate) fn key() -> Option<String> {
    std::env::var(API_KEY).ok().filter(|key| !key.trim().is_empty())
}
