//! Line movement: prices that moved within a hopping window, and main lines that changed.
//!
//! A quote's move is what its price changed by within the window, as implied probability; one that is reported counts no more, so
//! that the next report of the quote starts where the last one ended. The **main line** is computed when the end of a window is
//! passed. Nothing here looks at a window of arbs.

mod hops;
mod main_line;
mod report;

pub(crate) use hops::{Hops, due, ends, is_pending, main_line_due, within};
pub(crate) use main_line::main_line;
pub(crate) use report::{report, report_main_line};
