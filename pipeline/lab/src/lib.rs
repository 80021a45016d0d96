//! The same engine over recordings, without Kafka: what windows and signals were, and what can be learnt of them.
//!
//! - [`evaluate`]: windows, signals, picks and lifetimes of recordings; the prior of the engine, fitted.
//!
//! It never publishes anything.

pub mod evaluate;
