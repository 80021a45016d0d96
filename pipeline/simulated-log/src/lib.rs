//! A log in memory with the faults of a real one, for the tests of machines: pumps on one broker are killed,
//! fenced, expelled and given unknown outcomes, from one seed.
//!
//! - [`World`]: what a broker holds; [`Kind`]: what befalls a pump; [`Simulation`]: a run.
//! - [`compare`]: what must be equal to an undisturbed run; [`bounds`]: a machine without a log, at its limits;
//!   [`WrongClock`]: timers of wrong clocks.
//!
//! It is never part of the product. It claims nothing about Kafka: that is for the tests with a real one.

pub mod bounds;
mod broker;
mod clocks;
pub mod compare;
mod input;
mod producer;
mod simulation;
mod world;

pub use bounds::Bounded;
pub use broker::Kind;
pub use clocks::WrongClock;
pub use compare::run_disturbed;
pub use simulation::{Scenario, Simulation};
pub use world::{World, Written};
