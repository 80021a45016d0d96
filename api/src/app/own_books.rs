//! The processor's quotes in an instance, and the boards that are computed of them. It never computes one itself.

use std::sync::Arc;

use arb_engine::UserBooks;
use arb_engine::venues::Books;
use arb_kafka::{self as kafka, Table};
use arb_process::replica::ReplicaError;
use arb_runtime::stop::Stop;

use super::App;
use crate::lists::Lists;
use crate::quotes::follow;
use crate::quotes::store::Quotes;
use crate::resources::user_boards::UserBoards;

/// Boards of quotes of so many partitions, by a table of books; from then on books are known by them.
pub(super) fn boards(partitions: i32, books: &Arc<Books>, lists: &Lists) -> Arc<UserBoards> {
    let quotes = Arc::new(Quotes::new(partitions, books));
    lists.names.set_quotes(&quotes);
    Arc::new(UserBoards::new(&quotes, &lists.polls))
}

impl App {
    /// With quotes of so many partitions, by the processor's table of books.
    #[must_use]
    pub fn with_books(self, partitions: i32, books: &Arc<Books>) -> Self {
        // The market of test keys has no quotes, and the same table.
        self.test_market.lists.names.set_quotes(&Arc::new(Quotes::of_table(books)));
        Self { boards: boards(partitions, books, &self.lists), ..self }
    }

    /// Takes in the changelog of a partition, keys and records, for a caller that hands it over; an empty record is a tombstone. Returns how
    /// many arbs its quotes make.
    ///
    /// # Errors
    /// [`ReplicaError`] when it is none of a processor.
    pub fn begin_quotes(
        &self,
        changelog: impl IntoIterator<Item = (Vec<u8>, Vec<u8>)>,
    ) -> Result<usize, ReplicaError> {
        let quotes = &self.boards.quotes;
        for (key, value) in changelog {
            quotes.put(0, &key, Some(&value[..]).filter(|value| !value.is_empty()))?;
        }
        quotes.ready()?;
        Ok(quotes.board_of(&UserBooks::default()).0.len())
    }

    /// Reads the processor's changelog until the shutdown signal.
    ///
    /// # Errors
    /// [`kafka::Error`].
    pub fn follow_quotes(&self, table: Table, stop: &Stop) -> Result<(), kafka::Error> {
        follow::follow(table, &self.boards.quotes, stop)
    }
}
