//! Arithmetic of prices: odds, fair chances, expected value.
//!
//! Nothing here knows an event, a book or a time. Nothing keeps state but `fair_cache` and `line_chances`, which no result shows.

pub mod devig;
mod exp_ln;
mod fair_cache;
mod line_chances;
mod price;
mod rank;
pub mod value;

pub(crate) use exp_ln::{exp, ln};
pub use fair_cache::FairCache;
pub(crate) use line_chances::{BookPrices, LineChances};
pub use price::{
    ARB_BELOW, OddsFormat, Price, PriceError, fixed_point, implied_probability, margin, stake_share,
};
pub use rank::{MiddleRank, median_of_operators};
pub(crate) use rank::{is_held_by_most, is_lower_median};
