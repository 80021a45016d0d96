//! The settlement machine: bets that bots publish before events, and arb windows, graded from results.
//!
//! - [`machine`]: what becomes of candidates, windows, results, closing prices and time; [`grading`]: a pick and a result as a grading;
//!   [`window_grade`]: an arb window and a result; [`clauses`]: by which clause; [`offers`]: what counts as still on offer.
//! - [`opened`]: windows of the feed as tasks; [`codec`]: the records of tasks, and what of them is refused; [`pick_id`]: which pick a candidate
//!   is; [`counts`], `telemetry`.
//!
//! What was published of a pick or a window never changes (docs/adr/047-settlement-machine.md). It never decides what to bet on.

mod book;
pub mod clauses;
pub mod codec;
pub mod counts;
pub mod grading;
pub mod machine;
pub mod offers;
pub mod opened;
pub mod pick_id;
mod telemetry;
pub mod window_grade;
