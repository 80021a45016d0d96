//! What is listed: records of a compacted topic that are open until their tombstone, and how each type of them is
//! ordered, filtered and shown.
//!
//! Only the differences between the types are here; reading, rendering, paging and answering are the same for
//! all: `entries`, `snapshot` and `resources::list`. An implementation never looks at the caller.

use std::fmt::Debug;
use std::hash::Hash;

use arb_feed::view::OddsFormat;
use arb_model::described::Described;
use arb_schemas::records::Event;
use arb_schemas::time::Micros;
use arb_schemas::topics::Topic;
use arb_schemas::wire::Record;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::http::query::Query;
use crate::lists::known_names::{NameKind, Named};

/// A type of record that is listed.
pub(crate) trait Listed: Record + Debug + Send + Sync + 'static {
    /// Where they are.
    const TOPIC: Topic;
    /// Their field in the envelope.
    const NAME: &'static str;
    /// The name of the schema of a page.
    const PAGE: &'static str;
    /// The text of the error before the list is ready.
    const UNREAD: &'static str;
    /// A place in their order.
    type Key: SortKey;
    /// The filter of a request.
    type Filter: ListFilter<Self>;
    /// How it reads.
    type View<'a>: Serialize + Described;

    /// One from open to close; the record's key.
    fn id(&self) -> &str;
    /// What it is about.
    fn event(&self) -> &Event;
    /// The market and the books of its bets.
    fn market_and_books(&self) -> impl Iterator<Item = (NameKind, &str)>;
    /// The number of the last transition.
    fn sequence(&self) -> i64;
    /// Its position in the order of the list.
    fn key(&self) -> Self::Key;
    /// The names of its columns where it is answered as CSV too.
    const CSV: Option<&'static str> = None;

    /// How it reads at its rank from 1, as of a time, if there is one, with odds in a format.
    fn view(&self, rank: u64, as_of: Option<Micros>, odds: OddsFormat) -> Self::View<'_>;
    /// Appends the same as CSV, where there are columns.
    fn write_csv(&self, _rank: u64, _as_of: Option<Micros>, _odds: OddsFormat, _text: &mut String) {}
}

/// A place in a total order, first things first; a page ends after one.
pub(crate) trait SortKey:
    Debug + Clone + Ord + Hash + Serialize + DeserializeOwned + Send + Sync
{
    /// Bytes of its id, which may be any that a caller has written.
    fn bytes(&self) -> usize;
}

/// The filter of a request; everything by default.
pub(crate) trait ListFilter<E>:
    Query + Debug + Clone + Default + Eq + Hash + Serialize + DeserializeOwned + Send + Sync
{
    /// Whether an entry is shown, as of a time, if there is one.
    fn includes(&self, entry: &E, as_of: Option<Micros>) -> bool;
    /// The names in it, each with its parameter.
    fn names(&self) -> Vec<Named<'_>>;
    /// Why a stream does not have a parameter of this filter; `None` for any other parameter.
    fn not_of_streams(_name: &str) -> Option<&'static str> {
        None
    }
    /// Whether it asks for another order than the list's.
    fn reorders(&self) -> bool {
        false
    }
    /// The position of an entry in the order that it asks for; it is asked where [`Self::reorders`].
    fn key(&self, entry: &E) -> E::Key
    where
        E: Listed,
    {
        entry.key()
    }
    /// The same once all parameters were taken, such that equal requests have equal filters.
    #[must_use]
    fn checked(self) -> Self {
        self
    }
    /// The format of the odds that it asks for.
    fn odds(&self) -> OddsFormat {
        OddsFormat::Decimal
    }
    /// Bytes of the names in it.
    fn bytes(&self) -> usize;
}
