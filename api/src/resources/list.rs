//! What is open, a page at a time: `GET /v1/arbs`, `/v1/signals` and the same under `/api`.
//!
//! It never filters or reorders by anything that the caller did not name.

use std::sync::Arc;

use tokio::task::block_in_place;
use warp::http::HeaderValue;
use warp::http::header::{CONTENT_TYPE, LINK};
use warp::reply::Response;

use crate::http::caching::Caching;
use crate::http::charge::Charge;
use crate::http::etag::Tag;
use crate::http::paging::{self, PageAsk};
use crate::http::problem::Problem;
use crate::http::query::ParameterList;
use crate::http::request::Request;
use crate::http::route::Answer;
use crate::http::{accept, encoding, etag};
use crate::lists::entries::Entries;
use crate::lists::listed::{ListFilter, Listed};
use crate::lists::snapshot::{Page, PageForm, PageQueryOf, Snapshot};

/// A list of what is open.
#[derive(Debug)]
pub(crate) struct ListResource<E: Listed> {
    pub(crate) entries: Arc<Entries<E>>,
}

impl<E: Listed> ListResource<E> {
    /// What a page is asked for by.
    pub(crate) const PARAMETERS: ParameterList = paging::parameters_of_page::<E::Filter>;

    /// Answers a request.
    pub(crate) fn page(&self, request: &Request<'_>, charge: &Charge<'_>) -> Answer {
        let query = self.query(request)?;
        self.answer(&query, request, charge)
    }

    /// What a request asks for.
    pub(crate) fn query(&self, request: &Request<'_>) -> Result<PageQueryOf<E>, Problem> {
        let is_csv = E::CSV.is_some() && accept::wants_csv(request.headers());
        let form = if is_csv { PageForm::Csv } else { PageForm::Json };
        let query = PageQueryOf::<E> { form, ..parse::<E>(request.query())? };
        if !self.entries.is_ready() {
            return Err(Problem::unavailable(E::UNREAD));
        }
        self.entries.names().check(query.filter.names())?;
        Ok(query)
    }

    /// Answers what it asks for, from the list that all callers share.
    pub(crate) fn answer(
        &self,
        query: &PageQueryOf<E>,
        request: &Request<'_>,
        charge: &Charge<'_>,
    ) -> Answer {
        let entries = &*self.entries;
        let page = if etag::is_conditional(request.headers()) {
            // A request that would be refused without the tag is refused with it (RFC 9110, 13.2.1), and
            // nothing is rendered for it.
            charge.refuse_if_spent()?;
            let page = snapshot(entries)?.page(query);
            if page.tag.is_known_to(request.headers()) {
                return Ok(Caching::PAGE.not_modified(&page.tag));
            }
            charge.charge()?;
            page
        } else {
            // Before the work: a refusal is to cost no rendering. What is ready stays so.
            charge.charge()?;
            snapshot(entries)?.page(query)
        };
        Ok(respond((&page, &page.tag), query.form, request))
    }
}

/// The list as it is now; what has changed is rendered where it may take its time.
fn snapshot<E: Listed>(entries: &Entries<E>) -> Result<Arc<Snapshot<E>>, Problem> {
    let snapshot = entries.current().or_else(|| block_in_place(|| entries.snapshot()));
    snapshot.ok_or_else(|| Problem::unavailable(E::UNREAD))
}

/// A page under its tag.
pub(crate) fn respond((page, tag): (&Page, &Tag), form: PageForm, request: &Request<'_>) -> Response {
    let (body, coding) = page.body.accepted(request.headers());
    let mut response = Response::new(body.into());
    Caching::PAGE.describe(tag, response.headers_mut());
    encoding::describe(coding, response.headers_mut());
    let media = match form {
        PageForm::Json => "application/json",
        PageForm::Csv => accept::CSV,
    };
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media));
    // Rows have no room for a cursor.
    let address = (request.path(), request.query());
    if let Some(link) =
        page.next.as_ref().filter(|_| form == PageForm::Csv).and_then(|next| paging::next_link(next, address))
    {
        response.headers_mut().insert(LINK, link);
    }
    response
}

/// The parameters of a query.
fn parse<E: Listed>(query: &str) -> Result<PageQueryOf<E>, Problem> {
    let mut ask = PageAsk::<E::Key, E::Filter>::of(query, E::Filter::default(), paging::LIMIT)?;
    ask.filter = ask.filter.checked();
    let (filter, limit, after) = ask.begin()?;
    Ok(PageQueryOf::<E> { limit, after, filter, form: PageForm::Json })
}

#[cfg(test)]
mod tests {
    use arb_feed::filter::sport::Sport;
    use arb_feed::fixtures::{entry, signal};

    use super::*;
    use crate::http::paging::Cursor;
    use crate::resources::board_filter::BoardFilter;
    use crate::resources::{rank, signals};

    #[test]
    fn a_place_in_one_list_is_none_in_another() {
        let (arb, signal) = (entry("a", 0.02), signal("a", 7));
        let of_arbs = Cursor { after: arb.key(), filter: BoardFilter::default() }.encode();
        let of_signals = Cursor { after: signal.key(), filter: Sport::default() }.encode();
        assert!(Cursor::<signals::SignalKey, Sport>::decode(&of_arbs).is_none());
        assert!(Cursor::<rank::Rank, BoardFilter>::decode(&of_signals).is_none());
    }
}
