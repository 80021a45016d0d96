//! What a process writes outside transactions.
//!
//! - `tick_producer`: the ticks; `push_producer`: pushed odds, acknowledged by the batch.
//! - `outbox`: one producer for everything else; `command_producer` and `task_producer` send by it.
//! - `queue`: how a record comes into a producer's queue, and how the queue is waited for.
//! - `partitioner`: the partition of a key.
//!
//! It never drops a record without an error.

mod command_producer;
mod outbox;
mod partitioner;
mod push_producer;
mod queue;
mod task_producer;
mod tick_producer;

pub use command_producer::CommandProducer;
pub use partitioner::partition_of;
pub use push_producer::{PushProducer, PushReceipt};
pub use task_producer::TaskProducer;
pub use tick_producer::TickProducer;

pub(crate) use queue::enqueue;
