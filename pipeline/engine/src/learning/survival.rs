//! How long windows live: the remaining life of one, learnt from those that this partition has seen.
//!
//! The hazard (deaths a unit of time lived) is piecewise constant in the age since the **verdict**: the opening, or the
//! event's start while it was open. Deaths and time lived are counted by cell, and a cell is (stage of the event, kind of
//! market), then its sport, then its margin and the age of its oldest leg (`profile`). A thin cell leans on the one
//! above it and the uppermost on a prior that ships (`prior`): with `D` deaths in `E` seconds and the hazard `h` of
//! the one above, a cell's hazard is `(D + a) / (E + a/h)`, the mean of a gamma distribution that weighs as `a` deaths do.
//! Counts are integers, recorded in the order of the records, so that a replay learns the same.
//!
//! **What counts as the end.** A window ends when a leg's price moved, was withdrawn, suspended, or became
//! stale: it can no longer be bet on. The start of the event, its end, and another set of outcomes carry no
//! information about the prices: they end the observation (censoring), as a gap of more than an hour does
//! (`life`). An end between two polls is spread over the time between them.
//!
//! **Limits of the method.** Spreading contains no information about when in its gap a window ended, and
//! windows end early in it: of in-play windows whose next poll came 5 minutes later 63 % were gone by it (22
//! of 35), of those 15 minutes later 71 % (2,670 of 3,759). Learnt from every second poll of four recordings
//! and compared with all polls, 75 % were gone by their median. So the times that are learnt at 15-minute
//! polls are upper estimates; faster polls give shorter and truer ones. Windows are also found only at polls,
//! which is why ages are counted at a **pace** (`profile::pace`).
//!
//! It never looks at a price, and costs nothing while no window changes but once a minute for each open one.
//!
//! Source: D. R. Cox and D. Oakes, "Analysis of Survival Data" (1984), sections 3.2 (piecewise exponential), 4.2 (actuarial
//! estimate); gamma-Poisson shrinkage as in A. Gelman et al., "Bayesian Data Analysis" (3rd ed.), section 2.6.

mod cell;
mod cells;
pub mod fit;
mod life;
mod prior;
#[cfg(test)]
mod prior_tests;
mod profile;
mod ttl;

pub use cell::{BOUNDS, Cell, Hazard, PIECES};
pub(crate) use cells::{Cells, LifetimeSample, Survival, put, record};
pub(crate) use life::End;
pub use life::{HOLE, Life};
pub(crate) use profile::ProfileInput;
pub use profile::{EventStage, MarketKind, Profile};
pub use ttl::Ttl;
