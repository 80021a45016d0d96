//! The topics on the broker, beside the catalogue's.
//!
//! - `provision`: creates those that are missing; `partitions`: how many partitions they have.
//! - `topic_id`: what distinguishes a topic from one of the same name before it.
//! - `answer`: the first answer of a broker, or why there is none.
//!
//! It never deletes or repartitions a topic.

mod answer;
mod partitions;
mod provision;
mod topic_id;

pub use answer::answers;
pub use partitions::{machine_partitions, partitions};
pub use provision::provision;
pub use topic_id::{TopicIds, topic_id};
