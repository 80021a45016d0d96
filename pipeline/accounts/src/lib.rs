//! Accounts, sessions and API keys: what may be asked of them, what they are, and the directory that holds them.
//!
//! - [`command`]: what the API and operators ask for; [`reply`]: what each command is answered.
//! - [`account`], [`session`], [`key`]: the parts of the state; [`plan`]: what an account may do and spend; [`scope`]: what a
//!   key may do.
//! - [`endpoint`]: webhook endpoints of accounts.
//! - [`quota`]: what instances of the API ask of quotas; [`ledger`]: what an account has spent, and what is leased to them.
//! - [`secrets`]: keys, their checksums and HMACs; [`password`]: hashes of passwords.
//! - [`machine`]: what decides about commands; [`audit`]: what it records of them; [`codec`]: all of it as bytes;
//!   [`counts`], [`telemetry`]: what is counted.
//! - [`directory`]: the whole state, as the machine holds it and as each API instance reads it.
//!
//! It is pure: it never asks a clock, never reads a file and never makes a random number. The machine never sees a password or a
//! key: those who send commands make ids and secrets, from random bytes that they have, and send hashes of them.

pub mod account;
pub mod audit;
pub mod codec;
pub mod command;
pub mod counts;
pub mod directory;
pub mod endpoint;
pub mod key;
pub mod ledger;
pub mod machine;
pub mod password;
pub mod plan;
pub mod quota;
pub mod reply;
pub mod scope;
pub mod secrets;
pub mod session;
pub mod telemetry;
