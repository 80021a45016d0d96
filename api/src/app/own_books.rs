//! The processor's quotes in an instance, and the boards that are computed of them. It never computes one itself.

use std::sync::Arc;

use arb_engine::venues::Books;
use arb_kafka::{self as kafka, Table};
use arb_runtime::stop::Stop;

use super::App;
use crate::lists::Lists;
use crate::quotes::follow;
use crate::quotes::store::Quotes;
use crate::resources::user_boards::UserBoards;

/// Boards of quotes of so many partitions, by a table of books.
pub(super) fn boards(partitions: i32, books: &Arc<Books>, lists: &Lists) -> Arc<UserBoards> {
    Arc::new(UserBoards::new(&Arc::new(Quotes::new(partitions, books)), &lists.polls))
}

impl App {
    /// With quotes of so many partitions, by the processor's table of books.
    #[must_use]
    pub fn with_books(self, partitions: i32, books: &Arc<Books>) -> Self {
        Self { boards: boards(partitions, books, &self.lists), ..self }
    }

    /// Reads the processor's changelog until the shutdown signal.
    ///
    /// # Errors
    /// [`kafka::Error`].
    pub fn follow_quotes(&self, table: Table, stop: &Stop) -> Result<(), kafka::Error> {
        follow::follow(table, &self.boards.quotes, stop)
    }
}
