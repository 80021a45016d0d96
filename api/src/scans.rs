//! Scans: the requests and results of the last day, as the topics have them, so that any instance can follow any scan.
//!
//! - `store`: scans in memory; `follow`: the threads that read and send.
//!
//! It never decides who may see a scan: the resource does.

pub(crate) mod follow;
pub(crate) mod store;
