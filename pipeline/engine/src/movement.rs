//! Line movement: prices that moved within a hopping window, and main lines that changed.
//!
//! A quote's move is the change of its implied probability within the window; a reported move is not counted
//! again, so that the next report of the quote starts where the last one ended. The **main line** is computed
//! when the end of a window is passed. It never looks at arb windows.

mod hops;
mod main_line;
mod report;

pub(crate) use hops::{Hops, due, ends, forget_passed, main_line_due, within};
pub(crate) use main_line::main_line;
pub(crate) use report::{report, report_main_line};
