//! Transactions: what a machine or a source writes becomes visible with its position, or not at all.
//!
//! - `transactional`: the producer of a machine, and which transactional id it uses; `transaction`: one transaction.
//! - `source_producer`: the producer of a source under its lease; `silent`: what either is told beside its calls.
//! - `adoption`: ends what a dead owner of an id has left open; `lost_commit`: repeats a commit whose markers are lost, found by its
//!   `origin`.
//! - `output_ends`: where the outputs end; `held_back`: how long open transactions hold them back.
//!
//! It never retries what may already have happened.

mod adoption;
mod held_back;
mod lost_commit;
mod origin;
mod output_ends;
mod silent;
mod source_producer;
mod transaction;
mod transactional;

pub use held_back::watch as watch_held_back;
pub use origin::ORIGIN as TRANSACTION_HEADER;
pub use source_producer::{POSITION as POSITION_HEADER, SourceProducer, TickOutput, Written};
pub use transaction::Transaction;
pub use transactional::{Surroundings, TransactionalProducer};
