//! The board: the open windows, ranked, of all books or of the caller's.
//!
//! It never ranks by anything but the values that the engine computed for a window.

use std::sync::Arc;

use arb_engine::venues::Books;
use arb_feed::view::{EntryView, OddsFormat};
use arb_schemas::records::{BoardEntry, Event};
use arb_schemas::time::Micros;
use arb_schemas::topics::{ARBS_BOARD, Topic};
use warp::http::HeaderValue;

use crate::http::caching::Caching;
use crate::http::charge::Charge;
use crate::http::problem::Problem;
use crate::http::query::ParameterList;
use crate::http::quota_headers;
use crate::http::request::Request;
use crate::http::route::{Answer, Started};
use crate::lists::known_names::NameKind;
use crate::lists::listed::Listed;
use crate::lists::snapshot::PageQueryOf;
use crate::quotes::store::UNREAD;
use crate::resources::board_filter::BoardFilter;
use crate::resources::hedge;
use crate::resources::list::{self, ListResource};
use crate::resources::rank::Rank;
use crate::resources::user_boards::UserBoards;
use crate::resources::user_query::{self, NOT_IN_TEST, UserQuery};
use crate::view::csv;

impl Listed for BoardEntry {
    const TOPIC: Topic = ARBS_BOARD;
    const NAME: &'static str = "arbs";
    const PAGE: &'static str = "ArbPage";
    const UNREAD: &'static str = "The board is being read; try again.";
    type Key = Rank;
    type Filter = BoardFilter;
    type View<'a> = EntryView<'a>;

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

    fn view(&self, rank: u64, as_of: Option<Micros>, odds: OddsFormat) -> EntryView<'_> {
        EntryView::with_odds(self, as_of.unwrap_or(self.updated_at.0), odds).ranked(rank)
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
    /// What a page is asked for by.
    pub(crate) const PARAMETERS: ParameterList = ListResource::<BoardEntry>::PARAMETERS;

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
