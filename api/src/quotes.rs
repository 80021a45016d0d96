//! The quotes that the processor holds, as an instance of the API has them: a replica of each partition's state.
//!
//! - `store`: the replicas, and what is read of them; [`follow`]: the thread that reads the changelog.
//!
//! It never knows a request, and never publishes anything. Where the changelog cannot be read, all else is still served.

pub mod follow;
pub(crate) mod store;

#[cfg(test)]
pub(crate) mod fixtures;
