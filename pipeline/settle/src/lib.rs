//! The settlement machine: bets that bots publish before events, graded from results.
//!
//! - [`machine`]: what becomes of candidates, results, closing prices and time; [`grading`]: a pick and a result as a grading; [`window_grade`]: an arb window and a result;
//!   [`offers`]: what counts as still on offer.
//! - [`codec`]: their records, and what of them is refused; [`pick_id`]: which pick a candidate is; [`counts`], [`telemetry`].
//!
//! What was published of a pick never changes (docs/adr/047-settlement-machine.md). It never decides what to bet on.

mod book;
pub mod codec;
pub mod counts;
pub mod grading;
pub mod machine;
pub mod offers;
pub mod pick_id;
pub mod telemetry;
pub mod window_grade;
