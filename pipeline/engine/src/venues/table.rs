//! What is known of each book, by its symbol.
//!
//! It never compares prices.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use arb_model::source::of_private_book;
use foldhash::fast::RandomState;

use crate::market::{Names, Period, Symbol};

use super::books::{Book, Books, DatedFee};
use super::clauses::Asked;
use super::fees::Fee;
use super::level::Level;
use super::native::NativeForm;
use super::terms::Terms;

/// The table of books, and the row of each symbol in it.
#[derive(Debug, Default)]
pub(crate) struct Venues {
    books: Arc<Books>,
    by_symbol: Vec<Venue>,
    /// What is compared of each symbol's, tick by tick: all of it in a few lines of the machine's cache.
    numbers: Vec<Numbers>,
    /// The operators that are known, each with its number.
    operators: HashMap<Arc<str>, u32, RandomState>,
    /// Of all that are known, by name.
    currencies: BTreeMap<Arc<str>, Currency>,
}

/// A currency's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Currency(u32);

#[derive(Debug, Clone, Copy)]
struct Numbers {
    /// Equal for books of one operator.
    operator: u32,
    currency: Option<Currency>,
    native: Option<NativeForm>,
    /// It keeps nothing of any bet.
    is_free: bool,
    /// It is in the table.
    is_known: bool,
}

/// A book by its key.
#[derive(Debug)]
pub(crate) struct Venue {
    pub(crate) key: Arc<str>,
    pub(crate) book: Book,
}

impl Venue {
    pub(crate) fn operator(&self) -> &str {
        self.book.operator(&self.key)
    }

    /// The same, shared.
    pub(crate) fn shared_operator(&self) -> Arc<str> {
        match &self.book.operator {
            Some(operator) => Arc::clone(operator),
            None if of_private_book(&self.key).is_none() => Arc::clone(&self.key),
            None => self.operator().into(),
        }
    }
}

impl Venues {
    pub(crate) fn new(books: Arc<Books>) -> Self {
        Self { books, ..Self::default() }
    }

    /// The same with other commissions, in parts of a million of winnings, in place of some books' fees.
    pub(crate) fn at_commissions(&self, names: &Names, commissions: &BTreeMap<String, u32>) -> Self {
        let mut venues = Self::new(Arc::clone(&self.books));
        venues.follow(names);
        for venue in &mut venues.by_symbol {
            if let Some(ppm) = commissions.get(&*venue.key) {
                venue.book.fees = vec![DatedFee::always(Fee::Commission { ppm: *ppm })];
            }
        }
        for (numbers, venue) in venues.numbers.iter_mut().zip(&venues.by_symbol) {
            numbers.is_free = venue.book.fees.is_empty();
        }
        venues
    }

    /// Looks up the names that are new. Source names are among them, and have no row.
    pub(crate) fn follow(&mut self, names: &Names) {
        for symbol in names.symbols().skip(self.by_symbol.len()) {
            let key = Arc::clone(names.name(symbol));
            let book = self.books.get(&key).clone();
            let next = Currency(number(self.currencies.len()));
            let currency = book.currency.clone().map(|name| *self.currencies.entry(name).or_insert(next));
            let (name, next) = (book.operator(&key), number(self.operators.len()));
            let operator = match self.operators.get(name) {
                Some(number) => *number,
                None => *self.operators.entry(name.into()).or_insert(next),
            };
            let native = book.native.as_ref().map(|native| native.form);
            let (is_free, is_known) = (book.fees.is_empty(), book.known);
            self.numbers.push(Numbers { operator, currency, native, is_free, is_known });
            self.by_symbol.push(Venue { key, book });
        }
    }

    /// A book that was followed.
    pub(crate) fn venue(&self, book: Symbol) -> &Venue {
        &self.by_symbol[book.index()]
    }

    /// In which form a book makes its prices, where that is known.
    pub(crate) fn native_of(&self, book: Symbol) -> Option<NativeForm> {
        self.numbers[book.index()].native
    }

    /// Whether a book keeps nothing of any bet.
    pub(crate) fn is_free(&self, book: Symbol) -> bool {
        self.numbers[book.index()].is_free
    }

    /// A number that is equal for books of one operator.
    pub(crate) fn operator_of(&self, book: Symbol) -> u32 {
        self.numbers[book.index()].operator
    }

    /// What a book states about a bet.
    pub(crate) fn terms(&self, book: Symbol, asked: Asked<'_>) -> Terms<'_> {
        self.venue(book).book.clauses.terms(asked)
    }

    /// Whether a book is in the table.
    pub(crate) fn is_known(&self, book: Symbol) -> bool {
        self.numbers.get(book.index()).is_some_and(|numbers| numbers.is_known)
    }

    /// What a level result may do to a bet at a book.
    pub(crate) fn levels(&self, book: Symbol, league: &str, period: Period) -> Vec<Level> {
        self.books.levels(&self.venue(book).book, league, period)
    }

    /// Whether a book takes stakes in a currency, as far as that is known; `None` is any.
    pub(crate) fn may_be_in(&self, book: Symbol, currency: Option<Currency>) -> bool {
        let its = self.numbers[book.index()].currency;
        its.zip(currency).is_none_or(|(its, currency)| its == currency)
    }

    /// The currencies of all books, in the order of their names; any, where no two books are known to take stakes in different ones.
    pub(crate) fn currencies(&self) -> impl Iterator<Item = Option<Currency>> + Clone {
        let any = self.share_a_currency().then_some(None);
        any.into_iter().chain(self.currencies.values().skip(usize::from(any.is_some())).copied().map(Some))
    }

    /// Whether no two books are known to take stakes in different currencies.
    pub(crate) fn share_a_currency(&self) -> bool {
        self.currencies.len() <= 1
    }
}

/// There are as many names at most as [`Symbol`] has numbers.
fn number(of: usize) -> u32 {
    u32::try_from(of).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{World, book};
    use crate::venues::Level;

    /// `a` in dollars, `b` in pounds, `c` of no known currency; `d` is not in the table.
    fn world() -> World {
        let of = |name: &str, currency: Option<&str>| {
            let known = Book { currency: currency.map(Into::into), ..book(name, "us") };
            (name.into(), known)
        };
        World::new(Books::new([of("a", Some("USD")), of("b", Some("GBP")), of("c", None)]), 4)
    }

    #[test]
    fn a_book_of_no_known_currency_may_be_in_any() {
        let world = world();
        let may_be_in = |currency: &str| {
            let may_be = |name: &&str| {
                world.venues.may_be_in(world.book(name), Some(world.venues.currencies[currency]))
            };
            ["a", "b", "c", "d"].iter().filter(|name| may_be(name)).copied().collect::<String>()
        };
        assert_eq!((may_be_in("USD"), may_be_in("GBP")), ("acd".to_owned(), "bcd".to_owned()));
        let currencies = world.venues.currencies().map(|it| it.map(|it| it.0));
        assert_eq!(currencies.collect::<Vec<_>>(), [Some(1), Some(0)], "pounds, dollars");
        assert!(world.venues.may_be_in(world.book("a"), None));
        assert!(!world.venues.share_a_currency());
        let unknown = World::new(Books::default(), 3).venues;
        assert!(unknown.share_a_currency(), "none is known");
        assert_eq!(unknown.currencies().collect::<Vec<_>>(), [None]);
    }

    #[test]
    fn only_what_is_in_the_table_is_known() {
        let mut world = world();
        let known = |world: &World, name| world.venues.is_known(world.book(name));
        assert_eq!(["a", "b", "c", "d"].map(|name| known(&world, name)), [true, true, true, false]);
        let new = world.names.symbol("e");
        assert!(!world.venues.is_known(new), "it is not followed yet");
        world.venues.follow(&world.names);
        assert_eq!((&*world.venues.venue(new).key, world.venues.is_known(new)), ("e", false));
    }

    #[test]
    fn a_book_without_rules_may_settle_by_any() {
        let world = world();
        let of = |name| world.venues.levels(world.book(name), "baseball_mlb", Period::FullTime);
        assert_eq!((of("a"), of("d")), (vec![Level::Impossible], vec![Level::Impossible]));
    }
}
