//! Arithmetic of prices: odds, fair chances, expected value.
//!
//! Nothing here knows an event, a book or a time, and nothing keeps state.

pub mod devig;
mod exp_ln;
mod price;
pub mod value;

pub(crate) use exp_ln::{exp, ln};
pub use price::{ARB_BELOW, Price, PriceError, fixed_point, implied_probability, margin, stake_share};
