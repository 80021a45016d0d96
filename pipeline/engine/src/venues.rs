//! Books and exchanges: the operator, fees, rules and effective prices of each.
//!
//! Nothing here compares prices.

mod books;
mod evidence;
mod fees;
mod link;
mod pricing;
mod rules;
mod table;

pub use books::{Book, Books, DatedFee, VenueKind, currency};
pub use evidence::Evidence;
pub use fees::{CONTRACTS, Fee};
pub use link::{LinkTemplate, TemplateError};
pub(crate) use link::{SourceLink, restated};
pub(crate) use pricing::PricingContext;
pub use rules::{Level, Rules};
pub(crate) use table::{Currency, Venues};
