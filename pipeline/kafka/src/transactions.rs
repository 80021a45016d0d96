//! Transactions: what a machine writes becomes visible with the offsets of what it was made from, or not at all.
//!
//! - `transactional`: the producer of a machine, and which transactional id it uses; `transaction`: one transaction.
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
mod transaction;
mod transactional;

pub use held_back::watch as watch_held_back;
pub use origin::ORIGIN as TRANSACTION_HEADER;
pub use transaction::Transaction;
pub use transactional::{Surroundings, TransactionalProducer};
