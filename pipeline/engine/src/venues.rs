//! Books and exchanges: the operator, fees, clauses and effective prices of each.
//!
//! Nothing here compares prices.

mod books;
mod clauses;
mod evidence;
mod fees;
mod level;
mod link;
mod native;
mod pricing;
mod sizes;
mod sport;
mod table;
mod terms;
mod topic;
mod verdict;

pub use books::{Book, Books, DatedFee, VenueKind, currency};
pub(crate) use clauses::Asked;
pub use clauses::{Clause, Clauses};
pub use evidence::Evidence;
pub use fees::{CONTRACTS, Fee};
pub use level::Level;
pub use link::{LinkTemplate, TemplateError};
pub(crate) use link::{SourceLink, restated};
pub use native::{Native, NativeForm};
pub(crate) use pricing::PricingContext;
pub use sizes::{Least, SizeStep, Sizes};
pub use sport::Draws;
pub(crate) use table::{Currency, Venues};
pub use terms::VoidPays;
pub(crate) use terms::{Played, Terms};
pub use topic::{EXTRA_TIME_COUNTS, Topic, words_of};
pub use verdict::Verdict;
pub(crate) use verdict::verdict;
