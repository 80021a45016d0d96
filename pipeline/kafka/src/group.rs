//! Consumer groups: members that share the partitions of topics, and what is known of other groups.
//!
//! - `member`: a member of a group; `commit`: how a commit of it ends.
//! - `consumer`: the input of a machine, with `taken_records`; `sink`: the input of the sink; `forwarder`: records that become
//!   tasks; `lease`: partitions as leases.
//! - `reader_group`: the group that shows the position of a reader; `group_lag`: how far groups are behind.
//!
//! A partition is never given back before its owner decides.

mod commit;
mod consumer;
mod forwarder;
mod group_lag;
mod lease;
mod member;
mod reader_group;
mod sink;
mod taken_records;

pub use commit::Commit;
pub use consumer::InputConsumer;
pub use forwarder::{Beginning, ForwardedRecord, Forwarder, OutgoingTask};
pub use group_lag::{GroupLags, WatchedGroup};
pub use lease::{Lease, LeaseNote, Leases};
pub use reader_group::{ReaderGroup, remove_group};
pub use sink::{Mark, SinkConsumer, SinkEvent, Source, Taken};
