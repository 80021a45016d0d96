//! The books: what the table has of them, and what the feed has shown: `GET /books`.
//!
//! It never shows a fee or a clause that the table does not have.

use std::collections::BTreeSet;
use std::sync::Arc;

use arb_engine::ListedBook;
use arb_engine::venues::Books;
use arb_model::Time;
use arb_schemas::time::Micros;
use tokio::task::block_in_place;

use crate::http::charge::Charge;
use crate::http::problem::Problem;
use crate::http::request::Request;
use crate::http::route::Answer;
use crate::lists::polls::Polls;
use crate::quotes::store::{Quotes, UNREAD};
use crate::resources::tagged;
use crate::view::{BookList, BookView};

/// The books of the live market.
#[derive(Debug)]
pub(crate) struct BooksResource {
    pub(crate) quotes: Arc<Quotes>,
    pub(crate) polls: Arc<Polls>,
}

impl BooksResource {
    /// Answers `GET /books`.
    pub(crate) fn list(&self, request: &Request<'_>, charge: &Charge<'_>) -> Answer {
        tagged::refuse_parameters(request)?;
        if !self.quotes.is_ready() {
            return Err(Problem::unavailable(UNREAD));
        }
        charge.refuse_if_spent()?;
        let (table, as_of) = (self.quotes.books(), self.polls.as_of());
        let listed = block_in_place(|| self.quotes.listed_books(charge.caller.private_source.as_deref()));
        let keys: BTreeSet<&str> = table.keys().into_iter().chain(listed.keys().map(|key| &**key)).collect();
        let books: Vec<_> =
            keys.into_iter().map(|key| self.book(key, table, listed.get(key), as_of)).collect();
        tagged::answer(&BookList { as_of: as_of.map(Time), books }, request, charge)
    }

    fn book<'a>(
        &self,
        key: &'a str,
        table: &'a Books,
        listed: Option<&ListedBook>,
        as_of: Option<Micros>,
    ) -> BookView<'a> {
        let sources = listed.into_iter().flat_map(|listed| &listed.sources);
        let polled_every = sources.filter_map(|source| self.polls.polled_every(source)).min();
        BookView::new(key, table.get(key), (listed, polled_every), as_of)
    }
}
