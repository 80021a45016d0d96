//! Arbs: the best prices of a line, what is proven of them, what can be staked, and the life of their windows.
//!
//! Nothing here looks at two markets. A window's data is `window`; what changes it is `lifecycle`.

mod best;
mod checks;
mod eligible;
mod entry;
pub mod hedge;
mod judged;
mod lifecycle;
mod lifetime;
mod measure;
pub mod settlement;
pub mod stakes;
mod standing;
mod user_window;
mod window;
mod window_id;

pub(crate) use best::{Arb, better, better_first};
pub(crate) use checks::BetsOf;
pub(crate) use eligible::{LineCovers, covers_of_line, is_eligible, is_of_eligible};
pub(crate) use entry::entry_of;
pub(crate) use judged::{Judged, KnownStakes, basis, explain};
pub(crate) use lifecycle::{advance, close, keep};
pub use measure::{CONSENSUS, Measure, OUTLIER};
pub use standing::Standing;
pub(crate) use user_window::user_window;
pub(crate) use window::Window;
