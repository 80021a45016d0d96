//! Accounts, sessions and API keys: what may be asked of them, what they are, and the directory that holds them.
//!
//! - [`command`]: what the API and operators ask for; [`reply`]: what each command is answered.
//! - [`account`], [`session`], [`key`]: the parts of the state; [`plan`]: what an account may do and spend; [`scope`]: what a
//!   key may do.
//! - [`directory`]: the whole state, as the machine holds it and as each API instance reads it.
//!
//! It is pure: it never asks a clock, never makes a random number, and never sees a password or a key. Those who send commands
//! make ids and secrets, and send hashes of them.

pub mod account;
pub mod codec;
pub mod command;
pub mod directory;
pub mod key;
pub mod plan;
pub mod reply;
pub mod scope;
pub mod session;
