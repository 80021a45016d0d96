//! What is listed: records of a compacted topic that are open until their tombstone, and how each type of them is
//! ordered, filtered and shown.
//!
//! Only the differences between the types are here; reading, rendering, paging and answering are the same for
//! all: `entries`, `snapshot` and `resources::list`. An implementation never looks at the caller.

use std::fmt::Debug;
use std::hash::Hash;

use arb_model::FilterValues;
use arb_schemas::records::Event;
use arb_schemas::time::Micros;
use arb_schemas::topics::Topic;
use arb_schemas::wire::Record;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::http::problem::Problem;
use crate::lists::known_names::{NameKind, Named};
use crate::view::OddsFormat;

/// A type of record that is listed.
pub(crate) trait Listed: Record + Debug + Send + Sync + 'static {
    /// Where they are.
    const TOPIC: Topic;
    /// Their field in the envelope.
    const NAME: &'static str;
    /// The text of the error before the list is ready.
    const UNREAD: &'static str;
    /// A place in their order.
    type Key: SortKey;
    /// The filter of a request.
    type Filter: ListFilter<Self>;

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
    fn view(&self, rank: u64, as_of: Option<Micros>, odds: OddsFormat) -> impl Serialize;
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

/// What an event of the feed is about, which no transition changes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct About<'a> {
    pub(crate) sport: &'a str,
    pub(crate) league: &'a str,
    pub(crate) event_id: &'a str,
    /// `None` where it is about no market.
    pub(crate) market: Option<&'a str>,
    /// `None` where it is about no single book.
    pub(crate) book: Option<&'a str>,
}

/// A filter that holds for a stream too: stateless, by what an event has and by what it replaces.
pub(crate) trait StreamFilter {
    /// Takes a parameter of a stream; `false` when it is none of this filter's.
    ///
    /// # Errors
    /// [`Problem`] for an invalid value, and for a parameter that a list has and a stream cannot have.
    fn take_for_stream(&mut self, name: &str, value: &str) -> Result<bool, Problem>;
    /// Whether a sport and a league are what is asked for.
    fn is_in(&self, place: (&str, &str)) -> bool;
    /// Whether what no transition changes is what is asked for. What an event does not have excludes it not.
    fn is_about(&self, about: &About<'_>) -> bool;
    /// Whether a window with these values is shown.
    fn includes_values(&self, values: &FilterValues) -> bool;
}

/// The filter of a request; everything by default.
pub(crate) trait ListFilter<E>:
    Debug + Clone + Default + Eq + Hash + Serialize + DeserializeOwned + Send + Sync
{
    /// Takes a parameter of the query; `false` when it is none of this filter's.
    ///
    /// # Errors
    /// [`Problem`] for an invalid value.
    fn take(&mut self, name: &str, value: &str) -> Result<bool, Problem>;
    /// Whether an entry is shown, as of a time, if there is one.
    fn includes(&self, entry: &E, as_of: Option<Micros>) -> bool;
    /// The names in it, each with its parameter.
    fn names(&self) -> Vec<Named<'_>>;
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
