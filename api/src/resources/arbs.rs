//! The board: the open windows, ranked, of all books or of the caller's.
//!
//! It never ranks by anything but the values that the engine computed for a window.

use std::cmp::Ordering;
use std::sync::Arc;

use arb_engine::venues::Books;
use arb_schemas::records::{BoardEntry, Event};
use arb_schemas::time::Micros;
use arb_schemas::topics::{ARBS_BOARD, Topic};
use serde::{Deserialize, Serialize};
use warp::http::HeaderValue;

use crate::http::caching::Caching;
use crate::http::charge::Charge;
use crate::http::problem::Problem;
use crate::http::quota_headers;
use crate::http::request::Request;
use crate::http::route::{Answer, Started};
use crate::lists::known_names::NameKind;
use crate::lists::listed::{Listed, SortKey};
use crate::lists::snapshot::PageQueryOf;
use crate::quotes::store::UNREAD;
use crate::resources::board_filter::BoardFilter;
use crate::resources::hedge;
use crate::resources::list::{self, ListResource};
use crate::resources::user_boards::UserBoards;
use crate::resources::user_query::{self, NOT_IN_TEST, UserQuery};
use crate::view::{EntryView, OddsFormat, Ranked, csv};

impl Listed for BoardEntry {
    const TOPIC: Topic = ARBS_BOARD;
    const NAME: &'static str = "arbs";
    const UNREAD: &'static str = "The board is being read; try again.";
    type Key = Rank;
    type Filter = BoardFilter;

    fn id(&self) -> &str {
        &self.id
    }

    fn event(&self) -> &Event {
        &self.event
    }

    fn market_and_books(&self) -> impl Iterator<Item = (NameKind, &str)> {
        let books = self.legs.iter().map(|leg| (NameKind::Book, &*leg.book));
        [(NameKind::Market, self.market.as_str())].into_iter().chain(books)
    }

    fn sequence(&self) -> i64 {
        self.sequence
    }

    fn key(&self) -> Rank {
        Rank::new(self.verified, self.score, &self.id)
    }

    const CSV: Option<&'static str> = Some(csv::HEADER);

    fn view(&self, rank: u64, as_of: Option<Micros>, odds: OddsFormat) -> impl Serialize {
        Ranked { rank, entry: EntryView::with_odds(self, as_of.unwrap_or(self.updated_at.0), odds) }
    }

    fn write_csv(&self, rank: u64, as_of: Option<Micros>, odds: OddsFormat, text: &mut String) {
        csv::write_entry(text, (rank, self), as_of.unwrap_or(self.updated_at.0), odds);
    }
}

/// The board of a market, for each caller.
#[derive(Debug)]
pub(crate) struct ArbsResource {
    pub(crate) list: ListResource<BoardEntry>,
    /// What is computed for callers; `None` in the market of test keys, which has no quotes.
    pub(crate) boards: Option<Arc<UserBoards>>,
}

impl ArbsResource {
    /// Answers `GET /arbs`.
    pub(crate) fn page(&self, request: &Request<'_>, charge: &Charge<'_>) -> Answer {
        let is_of_caller = user_query::cost(request.query()) > 1;
        if is_of_caller && self.boards.is_none() {
            return Err(Problem::forbidden(NOT_IN_TEST));
        }
        let mut query = self.list.query(request)?;
        match &self.boards {
            Some(boards) if is_of_caller => {
                query.filter = query.filter.of_source(charge.caller.private_source.clone());
                of_caller(boards, &query, request, charge)
            }
            _ => self.list.answer(&query, request, charge),
        }
    }

    /// Answers `POST /arbs/{id}/hedge`.
    pub(crate) fn hedge(&self, request: &Request<'_>, charge: &Charge<'_>) -> Started {
        let default = Books::default();
        let books = self.boards.as_ref().map_or(&default, |boards| boards.quotes.books());
        let entries = &self.list.entries;
        if !entries.is_ready() {
            return Err(Problem::unavailable(BoardEntry::UNREAD));
        }
        let find = |id: &str| match entries.find(id) {
            Some(entry) => Ok(Some(entry)),
            None => self.find_private(id, charge),
        };
        hedge::answer(find, books, request, charge)
    }

    /// An arb with prices of the caller's private source.
    fn find_private(&self, id: &str, charge: &Charge<'_>) -> Result<Option<Arc<BoardEntry>>, Problem> {
        let private = charge.caller.private_source.clone();
        let boards = self.boards.as_ref().filter(|boards| private.is_some() && boards.quotes.is_ready());
        let Some(boards) = boards else { return Ok(None) };
        Ok(boards.board(&UserQuery::default().of_source(private))?.snapshot.find(id))
    }
}

/// A page of a board that is computed for its caller.
fn of_caller(
    boards: &UserBoards,
    query: &PageQueryOf<BoardEntry>,
    request: &Request<'_>,
    charge: &Charge<'_>,
) -> Answer {
    let user = query.filter.user();
    if !boards.quotes.is_ready() {
        return Err(Problem::unavailable(UNREAD));
    }
    charge.refuse_if_spent()?;
    let tag = boards.state().tag(query);
    if tag.is_known_to(request.headers()) {
        return Ok(Caching::PAGE.not_modified(&tag));
    }
    boards.admit(&charge.caller.account, user, charge.limits().boards)?;
    let board = boards.board(user)?;
    charge.charge()?;
    let page = board.snapshot.page(query);
    let mut response = list::respond((&page, &board.state.tag(query)), query.form, request);
    response.headers_mut().insert(quota_headers::LAST, HeaderValue::from(charge.cost()));
    Ok(response)
}

/// A place in the ranked board, or in another order of it.
///
/// The order: what comes first (verified entries), then the larger value (the score), and the id, so that it is total.
///
/// The value travels as its bits: as a decimal it would come back a digit off, and a page would begin where
/// the last one had not ended.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rank {
    first: bool,
    value: u64,
    id: String,
}

impl Rank {
    /// The place of an entry with a value; what is `first` comes before all else.
    pub(crate) fn new(first: bool, value: f64, id: &str) -> Self {
        Self { first, value: value.to_bits(), id: id.to_owned() }
    }
}

/// Best first.
impl Ord for Rank {
    fn cmp(&self, other: &Self) -> Ordering {
        let larger = |mine, theirs| f64::from_bits(theirs).total_cmp(&f64::from_bits(mine));
        let is_first = other.first.cmp(&self.first);
        is_first.then(larger(self.value, other.value)).then_with(|| self.id.cmp(&other.id))
    }
}

impl PartialOrd for Rank {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl SortKey for Rank {
    fn bytes(&self) -> usize {
        self.id.len()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fixtures::of_sport;
    use crate::http::paging::Cursor;

    #[test]
    fn the_order_is_total() {
        let ranked = [(true, 0.02, "c"), (true, 0.0, "a"), (true, 0.0, "b"), (false, 0.9, "e")]
            .map(|(first, value, id)| Rank::new(first, value, id));
        for (index, a) in ranked.iter().enumerate() {
            for (other, b) in ranked.iter().enumerate() {
                assert_eq!(a.cmp(b), index.cmp(&other), "{a:?} {b:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn a_place_survives_its_journey(a in 1.0..1001.0_f64, b in 1.0..1001.0_f64, id in "[0-9a-f]{32}") {
            let after = Rank::new(true, 1.0 / (1.0 / a + 1.0 / b) - 1.0, &id);
            let cursor = Cursor { after, filter: of_sport("soccer") };
            let back = Cursor::<Rank, BoardFilter>::decode(&cursor.encode());
            prop_assert_eq!(back.as_ref(), Some(&cursor));
            prop_assert_eq!(back.map(|back| back.after.cmp(&cursor.after)), Some(Ordering::Equal));
        }
    }
}
