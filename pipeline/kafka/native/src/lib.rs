//! The calls of librdkafka that rdkafka does not wrap: a topic's id, the token of a client, a flush that waits, a commit that
//! is waited for as long as one likes, records of partitions by a queue of their own, and the settings of one topic.
//!
//! It calls C and converts the result, and must never decide anything: what an
//! error means is for its caller, `arb-kafka`.
//!
//! Source: librdkafka `rdkafka.h` (`DescribeTopics`, KIP-516; `rd_kafka_oauthbearer_set_token`, KIP-255).
#![expect(unsafe_code, reason = "librdkafka is a C library; each call states why it is sound")]

mod batch;
mod commit;
mod describe;
mod flush;
mod handle;
mod message;
mod token;
mod topic;

pub use batch::{Record, RecordError, RecordQueue};
pub use commit::commit;
pub use describe::{DescribeError, topic_id};
pub use flush::flush;
pub use token::set_token;
pub use topic::{TopicSettings, known_end};
