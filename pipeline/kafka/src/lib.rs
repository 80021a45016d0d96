//! Kafka: the only user of rdkafka in the product. (`deploy/bench` uses it too: a judge must not use the client that it judges.)
//!
//! Its modules, each of which imports only those before it:
//!
//! - `error`: what Kafka refuses or cannot do.
//! - `cluster`: the brokers, and how clients connect to them.
//! - `client`: what every client has: settings that correctness depends on, what it reports, how it is polled.
//! - `offsets`: where partitions begin and end, and what groups have committed.
//! - `topics`: the topics on the broker, created and compared with the catalogue.
//! - `producers`: what is written outside transactions.
//! - `readers`: what is read outside groups.
//! - `group`: members of consumer groups.
//! - `transactions`: what a machine writes, together with its offsets.
//!
//! It knows topics by the catalogue and never looks into a record.

mod client;
mod cluster;
mod error;
mod group;
mod offsets;
mod producers;
mod readers;
mod topics;
mod transactions;

pub use cluster::{
    Cluster, ClusterOptions, OAuthOptions, SaslMechanism, Secret, SecurityProtocol, SettingsError,
};
pub use error::Error;
pub use group::{
    Beginning, Commit, ForwardedRecord, Forwarder, GroupLags, InputConsumer, Lease, LeaseNote, Leases, Mark,
    OutgoingTask, ReaderGroup, SinkConsumer, SinkEvent, Source, Taken, WatchedGroup, remove_group,
};
pub use offsets::{Committed, committed_spans, spans};
pub use producers::{CommandProducer, PushProducer, PushReceipt, TaskProducer, TickProducer, partition_of};
pub use readers::{
    EndProbe, Ends, Feed, FeedEvent, Kept, Letter, LetterEvent, Letters, NewLetters, Table, TableEvent, Tail,
    settle, snapshot,
};
pub use topics::{TopicIds, answers, machine_partitions, partitions, provision, topic_id};
pub use transactions::{
    POSITION_HEADER, SourceProducer, Surroundings, TRANSACTION_HEADER, TickOutput, Transaction,
    TransactionalProducer, Written, watch_held_back,
};
