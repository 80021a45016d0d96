//! What the API serves: one file a resource, each with the state that it needs.
//!
//! - `list`: how a list is answered, a page at a time; `arbs` and `signals`: what differs between the two; `board_filter`: what
//!   a request may ask of the board.
//! - `account`: what handlers about accounts share; `keys`: the keys of an account; `session`: browsers that sign in.
//! - `scan`: scans and their answers; `ticks`: odds that clients push.
//! - `stream`: the entry to Server-Sent Events; `tickets`: what opens one without a key; `usage`: an account's quota;
//!   `health`: whether the process runs and serves; `problems`: what an error's `type` means; `registry`: the schemas of the
//!   topics.
//!
//! A resource never knows its path, nor another one, except that a session shows keys and usage too.

pub(crate) mod account;
mod arbs;
mod board_filter;
mod deliveries;
pub(crate) mod health;
pub(crate) mod keys;
pub(crate) mod list;
pub(crate) mod problems;
pub(crate) mod registry;
pub(crate) mod scan;
pub(crate) mod session;
mod signals;
pub(crate) mod stream;
pub(crate) mod tickets;
pub(crate) mod ticks;
pub(crate) mod usage;
pub(crate) mod webhooks;

use std::sync::Arc;

use arb_accounts::key::Mode;
use arb_schemas::records::{BoardEntry, EdgeSignal};

use self::account::Accounts;
use self::health::Health;
use self::keys::KeysResource;
use self::list::ListResource;
use self::scan::ScanResource;
use self::session::SessionResource;
use self::stream::StreamResource;
use self::tickets::TicketResource;
use self::ticks::TicksResource;
use self::usage::UsageResource;
use self::webhooks::WebhooksResource;
use crate::http::charge::Charge;
use crate::lists::Lists;
use crate::stream::StreamState;

/// All resources that have a state.
#[derive(Debug)]
pub(crate) struct Resources {
    /// What live keys see.
    pub(crate) live: MarketResources,
    /// What test keys see.
    pub(crate) test: MarketResources,
    pub(crate) scan: ScanResource,
    pub(crate) tickets: TicketResource,
    pub(crate) usage: UsageResource,
    pub(crate) ticks: TicksResource,
    pub(crate) health: Health,
    pub(crate) accounts: Accounts,
    pub(crate) keys: KeysResource,
    pub(crate) session: SessionResource,
    pub(crate) webhooks: WebhooksResource,
}

/// What there is of a market.
#[derive(Debug)]
pub(crate) struct MarketResources {
    pub(crate) arbs: ListResource<BoardEntry>,
    pub(crate) signals: ListResource<EdgeSignal>,
    pub(crate) stream: StreamResource,
}

impl MarketResources {
    /// Of these lists and streams.
    pub(crate) fn new(lists: &Lists, streams: &Arc<StreamState>) -> Self {
        Self {
            arbs: ListResource { entries: Arc::clone(&lists.board) },
            signals: ListResource { entries: Arc::clone(&lists.signals) },
            stream: StreamResource { streams: Arc::clone(streams) },
        }
    }
}

impl Resources {
    /// The market that a caller sees.
    pub(crate) fn market(&self, charge: &Charge<'_>) -> &MarketResources {
        match charge.caller.mode {
            Mode::Live => &self.live,
            Mode::Test => &self.test,
        }
    }
}

#[cfg(test)]
mod tests;
