//! Who may ask, and how often: accounts, sessions and keys as the accounts topic has them, plans, and usage.
//!
//! - [`replica`]: the accounts topic in memory; [`currency`]: whether it is known to be complete; [`follow`]: the threads that read it.
//! - [`authority`]: what a key or a session allows; [`commands`]: how accounts are changed.
//! - `password_worker`: where passwords are hashed, in the turns of `fair_queue`; [`sign_up`]: who may sign up.
//! - `throttle`: how often somebody may try, counted by `attempts`; `proof`: how one goes on beyond a limit that many share;
//!   `device`: what a browser keeps of having logged in.
//! - [`plan`]: what a plan allows; `burst`: how often a key may ask at once; [`usage`]: what each account has spent; `lease_pool`:
//!   what this instance may still spend; `settle`: the thread that asks for leases and reports charges.
//! - `tickets`: what is as good as a key for one stream.
//!
//! It never sees an HTTP request: callers pass in a key or a session.

pub(crate) mod attempts;
pub mod authority;
pub(crate) mod burst;
pub mod commands;
pub mod currency;
pub(crate) mod device;
pub(crate) mod fair_queue;
pub mod follow;
pub(crate) mod lease_pool;
pub(crate) mod password_worker;
pub mod plan;
pub(crate) mod proof;
pub mod replica;
pub(crate) mod settle;
pub mod sign_up;
pub(crate) mod throttle;
pub(crate) mod tickets;
pub mod usage;
