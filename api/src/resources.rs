//! What the API serves: one file a resource, each with the state that it needs.
//!
//! - `list`: how a list is answered, a page at a time; `arbs` and `signals`: what differs between the two; `board_filter`: what
//!   a request may ask of the board.
//! - `user_query` and `user_boards`: what of the board is computed for one caller, and where it is kept.
//! - `events`: events and their odds; `books`; `sports`: sports and leagues, and the state of the service; `tagged`: JSON answers
//!   with a tag.
//! - `account`: what handlers about accounts share; `keys`: the keys of an account; `session`: browsers that sign in.
//! - `scan`: scans and their answers; `ticks`: odds that clients push; `results`: results that they report; `scores`: scores of events in play.
//! - `history`: windows of the past; `truth`: how much of them was real; `by_session`: what of all this a browser reads.
//! - `picks`: the picks of bots, and their records; `description`: the API described.
//! - `stream`: the entry to Server-Sent Events; `tickets`: what opens one without a key; `usage`: an account's quota;
//!   `health`: whether the process runs and serves; `problems`: what an error's `type` means; `registry`: the schemas of the
//!   topics.
//!
//! A resource never knows its path, nor another one, except that a session shows keys and usage too.

pub(crate) mod account;
mod arbs;
mod board_filter;
pub(crate) mod books;
mod by_session;
mod deliveries;
pub(crate) mod description;
pub(crate) mod events;
pub(crate) mod health;
pub(crate) mod hedge;
pub(crate) mod history;
pub(crate) mod keys;
pub(crate) mod list;
mod parameters;
pub(crate) mod picks;
pub(crate) mod problems;
mod rank;
pub(crate) mod registry;
pub(crate) mod results;
pub(crate) mod scan;
pub(crate) mod scores;
pub(crate) mod session;
mod signals;
pub(crate) mod sports;
pub(crate) mod stream;
mod tagged;
pub(crate) mod tickets;
pub(crate) mod ticks;
pub(crate) mod truth;
pub(crate) mod usage;
pub(crate) mod user_boards;
mod user_query;
pub(crate) mod webhooks;

pub(crate) use self::arbs::ArbsResource;
pub(crate) use self::events::EventsResource;
pub(crate) use self::history::HistoryResource;
pub(crate) use self::list::ListResource;
pub(crate) use self::picks::PicksResource;
pub(crate) use self::scan::ScanResource;
pub(crate) use self::scores::ScoresResource;
pub(crate) use self::stream::StreamResource;
pub(crate) use self::truth::TruthResource;
pub(crate) use self::user_query::cost as board_cost;
pub(crate) use self::webhooks::WebhooksResource;

use std::sync::Arc;

use arb_accounts::key::Mode;
use arb_schemas::records::EdgeSignal;
use arb_schemas::time::Micros;

use self::account::Accounts;
use self::books::BooksResource;
use self::description::DescriptionResource;
use self::health::Health;
use self::keys::KeysResource;
use self::results::ResultsResource;
use self::session::SessionResource;
use self::sports::{SportsResource, StatusResource};
use self::tickets::TicketResource;
use self::ticks::TicksResource;
use self::usage::UsageResource;
use self::user_boards::UserBoards;
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
    pub(crate) events: EventsResource,
    pub(crate) history: HistoryResource,
    /// What test keys see of a window.
    pub(crate) test_history: HistoryResource,
    pub(crate) truth: TruthResource,
    pub(crate) books: BooksResource,
    pub(crate) status: StatusResource,
    pub(crate) picks: PicksResource,
    pub(crate) results: ResultsResource,
    pub(crate) scores: ScoresResource,
    pub(crate) description: DescriptionResource,
}

/// What there is of a market.
#[derive(Debug)]
pub(crate) struct MarketResources {
    pub(crate) arbs: ArbsResource,
    pub(crate) sports: SportsResource,
    pub(crate) signals: ListResource<EdgeSignal>,
    pub(crate) stream: StreamResource,
}

impl MarketResources {
    /// Of these lists and streams, and of boards that are computed where there are any.
    pub(crate) fn new(lists: &Lists, streams: &Arc<StreamState>, boards: Option<&Arc<UserBoards>>) -> Self {
        let boards = boards.map(Arc::clone);
        let list = ListResource { entries: Arc::clone(&lists.board) };
        Self {
            stream: StreamResource { streams: Arc::clone(streams), boards: boards.clone() },
            arbs: ArbsResource { list, boards },
            sports: SportsResource { lists: lists.clone() },
            signals: ListResource { entries: Arc::clone(&lists.signals) },
        }
    }
}

impl Resources {
    /// The time of the market, or that of this instance before anything was polled.
    pub(crate) fn now(&self) -> Micros {
        self.books.polls.as_of().unwrap_or_else(|| self.accounts.authority.received_at())
    }

    /// The market that a caller sees.
    pub(crate) fn market(&self, charge: &Charge<'_>) -> &MarketResources {
        match charge.caller.mode {
            Mode::Live => &self.live,
            Mode::Test => &self.test,
        }
    }

    /// The windows of that market.
    pub(crate) fn windows(&self, charge: &Charge<'_>) -> &HistoryResource {
        match charge.caller.mode {
            Mode::Live => &self.history,
            Mode::Test => &self.test_history,
        }
    }
}

#[cfg(test)]
mod tests;
