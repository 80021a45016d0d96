//! `/v1/arbs/history`, `/v1/arbs/{id}` and `/v1/arbs/{id}/prices`: windows from opening to close, from ClickHouse, what became of one of
//! them, and the prices of its line at all books.
//!
//! It never shows what is open otherwise than the board does.

use std::sync::Arc;

use arb_engine::WindowEvidence;
use arb_feed::filter::parameter::name;
use arb_feed::filter::sport::{LEAGUE, SPORT};
use arb_feed::filter::window::{BOOK, EVENT_ID, MARKET, MIN_MARGIN, VERIFIED};
use arb_feed::view::{EntryView, GradeView};
use arb_schemas::records::BoardEntry;
use arb_schemas::time::Micros;
use arb_store::history::{
    History, PastGrading, PastWindow, PriceQuery, Transition, WindowPlace, WindowQuery,
};
use serde::{Deserialize, Serialize};
use tokio::task::block_in_place;
use warp::http::HeaderValue;
use warp::http::header::{CONTENT_TYPE, LINK};
use warp::reply::Response;

use crate::http::charge::Charge;
use crate::http::paging::{self, Cursor, PageAsk};
use crate::http::problem::Problem;
use crate::http::query::{ParameterList, Query, QueryRow, row};
use crate::http::request::Request;
use crate::http::route::Started;
use crate::http::{accept, reply};
use crate::lists::Lists;
use crate::lists::entries::Entries;
use crate::lists::known_names::{KnownNames, NameKind, Named};
use crate::lists::listed::Listed;
use crate::quotes::store::Quotes;
use crate::resources::parameters::{SINCE, UNTIL};
use crate::resources::tagged;
use crate::view::{
    ArbPrices, EvidenceView, TransitionView, WindowHistory, WindowPage, WindowView, csv, settlement,
};

const NO_WINDOW: &str = "No window has this id.";
const BAD_NAME: &str = "must be a name of at most 100 characters";
/// Transitions of a window that are shown.
const TRANSITIONS: usize = 1_000;
/// Prices from this long before a window opened to this long after it closed, in microseconds.
const AROUND: Micros = 30 * 60 * 1_000_000;
/// The longest range of prices.
const LONGEST: Micros = 24 * 3_600 * 1_000_000;

/// What was open, and what is.
#[derive(Debug)]
pub(crate) struct HistoryResource {
    history: Option<History>,
    board: Arc<Entries<BoardEntry>>,
    /// Of which evidence is computed; `None` for test keys, whose market has entries alone.
    quotes: Option<Arc<Quotes>>,
    names: Arc<KnownNames>,
}

/// A page of windows.
struct HistoryPage {
    query: WindowQuery,
    before: Option<WindowPlace>,
    limit: usize,
    is_csv: bool,
    /// Its path and query.
    address: (String, String),
}

/// The filters of a request; a filter applies where it is given.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
struct PastFilter {
    query: WindowQuery,
}

impl Query for PastFilter {
    const ROWS: &'static [QueryRow<Self>] = &[
        row!(SINCE => query.since),
        row!(UNTIL => query.until),
        row!(SPORT => query.sport),
        row!(LEAGUE => query.league),
        row!(EVENT_ID => query.event),
        row!(MARKET => query.market),
        row!(BOOK => query.book),
        row!(VERIFIED => query.verified),
        row!(MIN_MARGIN => query.min_margin),
    ];
}

impl HistoryPage {
    fn parse(request: &Request<'_>) -> Result<Self, Problem> {
        let ask = PageAsk::of(request.query(), PastFilter::default(), paging::LIMIT)?;
        let (PastFilter { query }, limit, before) = ask.begin()?;
        let is_csv = accept::wants_csv(request.headers());
        let address = (request.path().to_owned(), request.query().to_owned());
        Ok(Self { query, before, limit, is_csv, address })
    }

    /// The names in it, each with its parameter.
    fn names(&self) -> impl Iterator<Item = Named<'_>> {
        let query = &self.query;
        let sports = [("sport", &query.sport), ("league", &query.league)].into_iter().filter_map(
            |(parameter, name)| Some(Named { parameter, kind: NameKind::Sport, name: name.as_deref()? }),
        );
        let rest = [Named::market(query.market.as_ref()), Named::book(query.book.as_ref())];
        sports.chain(rest.into_iter().flatten())
    }

    fn answer(self, mut windows: Vec<PastWindow>, gradings: &[PastGrading]) -> Response {
        let has_more = windows.len() > self.limit;
        windows.truncate(self.limit);
        let last = windows.last().filter(|_| has_more).map(PastWindow::place);
        let next = last.map(|after| Cursor { after, filter: PastFilter { query: self.query } }.encode());
        if !self.is_csv {
            let windows = windows.iter().map(|window| WindowView::new(window, gradings)).collect();
            return reply::view(&WindowPage { windows, next_cursor: next });
        }
        let mut response = Response::new(csv::windows(&windows).into());
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(accept::CSV));
        let (path, query) = &self.address;
        if let Some(link) = next.and_then(|next| paging::next_link(&next, (path, query))) {
            response.headers_mut().insert(LINK, link);
        }
        response
    }
}

impl HistoryResource {
    /// What a page is asked for by.
    pub(crate) const PARAMETERS: ParameterList = paging::parameters_of_page::<PastFilter>;

    /// Of a history, of what is open, and of quotes, where there are any.
    pub(crate) fn new(history: Option<History>, lists: &Lists, quotes: Option<&Arc<Quotes>>) -> Self {
        let quotes = quotes.map(Arc::clone);
        Self { history, board: Arc::clone(&lists.board), quotes, names: Arc::clone(&lists.names) }
    }

    /// A page of windows, the newest first.
    pub(crate) fn page(&self, request: &Request<'_>, charge: &Charge<'_>) -> Started {
        let page = HistoryPage::parse(request)?;
        self.names.check(page.names())?;
        let history = self.history.clone().ok_or_else(Problem::no_history)?;
        charge.charge()?;
        Ok(Box::pin(async move {
            // One more than is shown reveals whether there is another page.
            let asked = history.windows(&page.query, page.before.as_ref(), page.limit + 1);
            let windows = asked.await.map_err(|error| Problem::history_unread(&error))?;
            let gradings = if page.is_csv { Vec::new() } else { gradings(&history, &windows).await? };
            Ok(page.answer(windows, &gradings))
        }))
    }

    /// One window: as the board has it while it is open, and from its opening on as it was stored.
    pub(crate) fn show(&self, request: &Request<'_>, charge: &Charge<'_>) -> Started {
        let id = name("id", &request.parameter("id"), BAD_NAME).map_err(|_| Problem::not_found())?;
        tagged::refuse_parameters(request)?;
        let (open, evidence) = self.open(&id)?;
        let history = self.history.clone();
        charge.charge()?;
        Ok(Box::pin(async move {
            let stored = match &history {
                Some(history) => stored(history, id).await?,
                None => None,
            };
            if open.is_none() && stored.is_none() {
                return Err(Problem::unknown_id(NO_WINDOW));
            }
            let transitions = stored.iter().flat_map(|stored| &stored.transitions);
            let gradings = stored.iter().flat_map(|stored| &stored.gradings);
            let grades: Vec<_> = gradings.map(settlement::grade).collect();
            Ok(reply::view(&WindowHistory {
                open: open.as_deref().map(|entry| EntryView::new(entry, entry.updated_at.0)),
                evidence: evidence.as_ref().and_then(EvidenceView::new),
                window: stored.as_ref().map(|stored| WindowView::new(&stored.window, &stored.gradings)),
                transitions: transitions.map(TransitionView::new).collect(),
                gradings: grades.iter().map(GradeView::new).collect(),
            }))
        }))
    }

    /// The prices of the outcomes of a window at all books, around the time at which it was open.
    pub(crate) fn prices(&self, request: &Request<'_>, charge: &Charge<'_>, now: Micros) -> Started {
        let id = name("id", &request.parameter("id"), BAD_NAME).map_err(|_| Problem::not_found())?;
        tagged::refuse_parameters(request)?;
        let history = self.history.clone().ok_or_else(Problem::no_history)?;
        charge.charge()?;
        Ok(Box::pin(async move {
            let query = WindowQuery { window: Some(id), ..WindowQuery::default() };
            let found =
                history.windows(&query, None, 1).await.map_err(|error| Problem::history_unread(&error))?;
            let window = found.into_iter().next().ok_or_else(|| Problem::unknown_id(NO_WINDOW))?;
            let query = price_query(&window, now);
            let series = history.prices(&query).await.map_err(|error| Problem::history_unread(&error))?;
            Ok(reply::view(&ArbPrices::new(&window, &query, &series)))
        }))
    }

    /// The entry of the board, if it is open, and what its flags were decided by, where the replica of the quotes has it.
    fn open(&self, id: &str) -> Result<(Option<Arc<BoardEntry>>, Option<WindowEvidence>), Problem> {
        if !self.board.is_ready() {
            return Err(Problem::unavailable(BoardEntry::UNREAD));
        }
        let Some(entry) = self.board.find(id) else { return Ok((None, None)) };
        let quotes = self.quotes.as_deref().filter(|quotes| quotes.is_ready());
        let evidence = quotes.and_then(|quotes| block_in_place(|| quotes.evidence_of(&entry.event.id, id)));
        Ok((Some(entry), evidence))
    }
}

/// The gradings of windows.
async fn gradings(history: &History, windows: &[PastWindow]) -> Result<Vec<PastGrading>, Problem> {
    history.gradings(windows).await.map_err(|error| Problem::history_unread(&error))
}

/// A window as it was stored.
struct StoredWindow {
    window: PastWindow,
    transitions: Vec<Transition>,
    gradings: Vec<PastGrading>,
}

/// The newest window of an id.
async fn stored(history: &History, window: String) -> Result<Option<StoredWindow>, Problem> {
    let query = WindowQuery { window: Some(window), ..WindowQuery::default() };
    let found = history.windows(&query, None, 1).await.map_err(|error| Problem::history_unread(&error))?;
    let gradings = gradings(history, &found).await?;
    let Some(window) = found.into_iter().next() else { return Ok(None) };
    let transitions = history.transitions(&window.window, &window.topic, TRANSITIONS).await;
    let transitions = transitions.map_err(|error| Problem::history_unread(&error))?;
    Ok(Some(StoredWindow { window, transitions, gradings }))
}

/// The prices around a window: until it closed, or until now, at most the last day of it.
fn price_query(window: &PastWindow, now: Micros) -> PriceQuery {
    let until = window.closed_micros.map_or(now, |closed| closed + AROUND);
    let until = until.max(window.opened_micros + 1);
    PriceQuery {
        sport: window.sport_key.clone(),
        event: window.event.clone(),
        market: window.market_key.clone(),
        period: window.period_key.clone(),
        line: window.points,
        since: (window.opened_micros - AROUND).max(until - LONGEST),
        until,
    }
}
