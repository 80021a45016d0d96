//! What the API serves: one file a resource, each with the state that it needs.
//!
//! - `list`: how a list is answered, a page at a time; `arbs` and `signals`: what differs between the two.
//! - `account`: what handlers about accounts share; `keys`: the keys of an account; `session`: browsers that sign in.
//! - `stream`: the entry to Server-Sent Events; `ticks`: odds that clients push; `usage`: an account's quota; `health`: whether the process runs and serves;
//!   `problems`: what an error's `type` means.
//!
//! A resource never knows its path, nor another one, except that a session shows keys and usage too.

pub(crate) mod account;
mod arbs;
pub(crate) mod health;
pub(crate) mod keys;
pub(crate) mod list;
pub(crate) mod problems;
pub(crate) mod session;
mod signals;
pub(crate) mod stream;
pub(crate) mod ticks;
pub(crate) mod usage;

use arb_schemas::records::{BoardEntry, EdgeSignal};

use self::account::Accounts;
use self::health::Health;
use self::keys::KeysResource;
use self::list::ListResource;
use self::session::SessionResource;
use self::stream::StreamResource;
use self::ticks::TicksResource;
use self::usage::UsageResource;

/// All resources that have a state.
#[derive(Debug)]
pub(crate) struct Resources {
    pub(crate) arbs: ListResource<BoardEntry>,
    pub(crate) signals: ListResource<EdgeSignal>,
    pub(crate) stream: StreamResource,
    pub(crate) usage: UsageResource,
    pub(crate) ticks: TicksResource,
    pub(crate) health: Health,
    pub(crate) accounts: Accounts,
    pub(crate) keys: KeysResource,
    pub(crate) session: SessionResource,
}

#[cfg(test)]
mod tests;
