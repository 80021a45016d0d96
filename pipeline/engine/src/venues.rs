//! Where bets are placed: who runs a book, what it keeps, how it settles, and what its prices are worth after that.
//!
//! Nothing here compares prices.

mod books;
mod fees;
mod pricing;
mod rules;
mod table;

pub use books::{Book, Books, DatedFee, VenueKind, currency};
pub use fees::{CONTRACTS, Fee};
pub(crate) use pricing::PricingContext;
pub use rules::{Level, Rules};
pub(crate) use table::Venues;
