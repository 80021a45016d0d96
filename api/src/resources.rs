//! What the API serves: one file a resource, each with the state that it needs.
//!
//! - `list`: how a list is answered, a page at a time; `arbs` and `signals`: what differs between the two.
//! - `stream`: the entry to Server-Sent Events; `usage`: a key's quota; `health`: whether the process runs and serves;
//!   `problems`: what an error's `type` means.
//!
//! A resource never knows another one, nor its path.

mod arbs;
pub(crate) mod health;
pub(crate) mod list;
pub(crate) mod problems;
mod signals;
pub(crate) mod stream;
pub(crate) mod usage;

use arb_schemas::records::{BoardEntry, EdgeSignal};

use self::health::Health;
use self::list::ListResource;
use self::stream::StreamResource;
use self::usage::UsageResource;

/// All resources that have a state.
#[derive(Debug)]
pub(crate) struct Resources {
    pub(crate) arbs: ListResource<BoardEntry>,
    pub(crate) signals: ListResource<EdgeSignal>,
    pub(crate) stream: StreamResource,
    pub(crate) usage: UsageResource,
    pub(crate) health: Health,
}
