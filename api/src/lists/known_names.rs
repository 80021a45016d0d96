//! Which sports, leagues, markets and books there are: those of the catalogues, and whatever was seen.
//!
//! A name that is none of them is a mistake, and is answered with similar names. It never removes a name: a
//! league without an open window still exists.
//!
//! Source of the catalogue of leagues: the sport keys of The Odds API v4, leagues of every season; a league's key begins with its sport.

use std::collections::BTreeSet;
use std::sync::{Arc, PoisonError, RwLock};

use arb_accounts::directory::Directory;
use arb_engine::venues::Books;
use arb_feed::filter::sport::Sport;
use arb_feed::filter::window::WindowFilter;
use arb_model::Family;
use arb_model::source::of_private_book;

use crate::access::replica::Replica;
use crate::http::problem::Problem;
use crate::quotes::store::{Quotes, UNREAD};

/// The leagues, a line each, in order.
const LEAGUES: &str = include_str!("leagues.txt");
/// Names of a kind that are remembered, at most: they come from the feed.
const MAX_SEEN: usize = 10_000;
/// Names that are suggested, at most.
const SUGGESTED: usize = 3;
/// One letter in so many may differ in a suggestion.
const LETTERS: usize = 3;

/// What a name is the name of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NameKind {
    /// A sport or a league.
    Sport,
    /// A family of markets.
    Market,
    Book,
}

impl NameKind {
    /// For people.
    fn text(self) -> &'static str {
        match self {
            Self::Sport => "sport or league",
            Self::Market => "market family",
            Self::Book => "book",
        }
    }
}

/// A name in a request, and the parameter that has it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Named<'a> {
    pub(crate) parameter: &'static str,
    pub(crate) kind: NameKind,
    pub(crate) name: &'a str,
}

impl<'a> Named<'a> {
    /// Those in the filters by what a window has.
    pub(crate) fn of_window(filter: &'a WindowFilter) -> impl Iterator<Item = Self> {
        let (sport, league) = (Self::sport("sport", &filter.sport), Self::sport("league", &filter.league));
        let (market, book) = (Self::market(filter.market.as_ref()), Self::book(filter.book.as_ref()));
        [sport, league, market, book].into_iter().flatten()
    }

    /// The market of the parameter `market`, where it names one.
    pub(crate) fn market(name: Option<&'a String>) -> Option<Self> {
        name.map(|name| Self { parameter: "market", kind: NameKind::Market, name })
    }

    /// The book of the parameter `book`, where it names one.
    pub(crate) fn book(name: Option<&'a String>) -> Option<Self> {
        name.map(|name| Self { parameter: "book", kind: NameKind::Book, name })
    }

    /// The sport or the league of a parameter, where it names one.
    pub(crate) fn sport(parameter: &'static str, sport: &'a Sport) -> Option<Self> {
        sport.name().map(|name| Self { parameter, kind: NameKind::Sport, name })
    }
}

/// The names of the catalogues, those that records have had, and the books that are known elsewhere.
#[derive(Debug)]
pub(crate) struct KnownNames {
    /// By kind.
    seen: [RwLock<BTreeSet<String>>; 3],
    /// With the table of books.
    quotes: RwLock<Arc<Quotes>>,
    /// Accounts are granted books, which exist before their first price.
    accounts: Arc<Replica>,
}

impl Default for KnownNames {
    fn default() -> Self {
        Self::new(Arc::default())
    }
}

impl KnownNames {
    /// Those of the catalogues, and the books that these accounts are granted; there is no table of books yet.
    pub(crate) fn new(accounts: Arc<Replica>) -> Self {
        let quotes = RwLock::new(Arc::new(Quotes::of_table(&Arc::default())));
        Self { seen: Default::default(), quotes, accounts }
    }

    /// From now on books are known by these quotes and by their table too.
    pub(crate) fn set_quotes(&self, quotes: &Arc<Quotes>) {
        *self.quotes.write().unwrap_or_else(PoisonError::into_inner) = Arc::clone(quotes);
    }

    /// Notes a name of a record.
    pub(crate) fn note(&self, kind: NameKind, name: &str) {
        let seen = &self.seen[kind as usize];
        let is_new = !seen.read().unwrap_or_else(PoisonError::into_inner).contains(name);
        if is_new {
            let mut seen = seen.write().unwrap_or_else(PoisonError::into_inner);
            if seen.len() < MAX_SEEN {
                seen.insert(name.to_owned());
            }
        }
    }

    /// All leagues, in order.
    pub(crate) fn leagues(&self) -> BTreeSet<String> {
        let seen = self.seen(NameKind::Sport);
        let seen = seen.into_iter().filter(|name| name.contains('_'));
        LEAGUES.lines().map(ToOwned::to_owned).chain(seen).collect()
    }

    /// Refuses names of which there is nothing, with those that are like the first of them.
    ///
    /// # Errors
    /// 400; 503 for a book that may have had a price, before the quotes were read.
    pub(crate) fn check<'a>(&self, names: impl IntoIterator<Item = Named<'a>>) -> Result<(), Problem> {
        let unknown = names.into_iter().find(|named| !self.is_known(named.kind, named.name));
        unknown.map_or(Ok(()), |named| Err(self.refusal(named)))
    }

    /// The same for a stream, which may name any league of a known sport: a browser that resumes on an instance which has not
    /// seen the league yet never reconnects after a 400.
    pub(crate) fn check_for_stream<'a>(
        &self,
        names: impl IntoIterator<Item = Named<'a>>,
    ) -> Result<(), Problem> {
        let of_known_sport = |named: &Named<'_>| {
            let sport = named.name.split_once('_').filter(|(_, league)| !league.is_empty());
            named.kind == NameKind::Sport
                && sport.is_some_and(|(sport, _)| sports().any(|known| known == sport))
        };
        self.check(names.into_iter().filter(|named| !of_known_sport(named)))
    }

    fn is_known(&self, kind: NameKind, name: &str) -> bool {
        let is_in_catalogue = match kind {
            NameKind::Sport => sports().chain(LEAGUES.lines()).any(|known| known == name),
            NameKind::Market => Family::parse(name).is_some(),
            NameKind::Book => self.quotes().books().get(name).known,
        };
        is_in_catalogue
            || self.seen[kind as usize].read().unwrap_or_else(PoisonError::into_inner).contains(name)
            || kind == NameKind::Book && self.is_pushed_or_seen(name)
    }

    /// Whether a book may have prices. Which private ones have, nobody is told by an error.
    fn is_pushed_or_seen(&self, book: &str) -> bool {
        let is_granted = |directory: &Directory| {
            let public = directory.accounts().filter(|account| account.is_public);
            public.flat_map(|account| &account.books).any(|granted| granted == book)
        };
        of_private_book(book).is_some() || self.quotes().is_known(book) || self.accounts.with(is_granted)
    }

    fn refusal(&self, Named { parameter, kind, name }: Named<'_>) -> Problem {
        let quotes = self.quotes();
        if kind == NameKind::Book && quotes.is_being_read() {
            return Problem::unavailable(UNREAD);
        }
        let (seen, catalogue) = (self.seen(kind), catalogue(kind, quotes.books()));
        let near = similar(name, catalogue.iter().copied().chain(seen.iter().map(String::as_str)));
        let named = match kind {
            _ if !near.is_empty() => near.join(", "),
            NameKind::Sport => sports().collect::<Vec<_>>().join(", "),
            NameKind::Market => catalogue.join(", "),
            NameKind::Book => "those of GET /v1/books".to_owned(),
        };
        let what = kind.text();
        Problem::invalid_param(
            parameter,
            format!("names {name:?}, which is no {what} that is known; there are: {named}"),
        )
    }

    fn quotes(&self) -> Arc<Quotes> {
        Arc::clone(&self.quotes.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn seen(&self, kind: NameKind) -> BTreeSet<String> {
        self.seen[kind as usize].read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// All names of a kind that are known before anything was seen.
fn catalogue(kind: NameKind, books: &Books) -> Vec<&str> {
    match kind {
        NameKind::Sport => sports().chain(LEAGUES.lines()).collect(),
        NameKind::Market => Family::KEYS.to_vec(),
        NameKind::Book => books.keys(),
    }
}

/// The names that are most like one, the most similar first.
fn similar<'a>(name: &str, all: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let length = name.chars().count();
    let most = (length / LETTERS).max(1);
    // Lengths that differ by more letters need no comparison.
    let may_be_near =
        |other: &&str| other.starts_with(name) || other.chars().count().abs_diff(length) <= most;
    let mut near: Vec<_> = all
        .filter(may_be_near)
        .map(|other| (distance(name, other), other))
        .filter(|(distance, other)| *distance <= most || other.starts_with(name))
        .collect();
    near.sort_unstable();
    near.dedup();
    near.into_iter().take(SUGGESTED).map(|(_, other)| other).collect()
}

/// The sports of the catalogue, each once.
fn sports<'a>() -> impl Iterator<Item = &'a str> {
    let mut last = "";
    LEAGUES.lines().map(|league| league.split('_').next().unwrap_or(league)).filter(move |sport| {
        let is_new = *sport != last;
        last = sport;
        is_new
    })
}

/// How many letters must be added, removed or changed.
///
/// Source: the Levenshtein distance, a row at a time.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<_> = b.chars().collect();
    let mut row: Vec<_> = (0..=b.len()).collect();
    for (above, letter) in (1..).zip(a.chars()) {
        let mut diagonal = row[0];
        row[0] = above;
        for column in 1..row.len() {
            let changed = diagonal + usize::from(b[column - 1] != letter);
            diagonal = row[column];
            row[column] = changed.min(row[column] + 1).min(row[column - 1] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use arb_accounts::directory::Part;
    use arb_engine::venues::{Book, VenueKind};

    use super::*;
    use crate::fixtures::account;

    fn names() -> KnownNames {
        KnownNames::new(Arc::new(Replica::by_hand()))
    }

    fn refusal_of(names: &KnownNames, kind: NameKind, name: &str) -> Option<String> {
        let problem = names.check([Named { parameter: "x", kind, name }]).err()?;
        Some(problem.into_parts().2)
    }

    fn refusal(names: &KnownNames, name: &str) -> Option<String> {
        refusal_of(names, NameKind::Sport, name)
    }

    #[test]
    fn a_name_that_is_none_is_refused_with_those_that_are_like_it() {
        let names = names();
        for name in ["soccer", "soccer_epl", "icehockey_nhl", "tennis"] {
            assert_eq!(refusal(&names, name), None, "{name}");
        }
        assert!(names.check(Named::sport("sport", &Sport::default())).is_ok());
        for (name, suggested) in [
            ("soccr", "there are: soccer\""),
            ("socc", "there are: soccer, "),
            ("basket", "there are: basketball, "),
            ("soccer_", "there are: soccer, soccer_epl, soccer_spl\""),
            ("soccer_epll", "there are: soccer_epl, "),
            ("soccer_typo", "there are: soccer_"),
        ] {
            let detail = refusal(&names, name).unwrap();
            assert!(detail.contains(suggested), "{name}: {detail}");
        }
        assert!(refusal(&names, "nonsense").unwrap().contains("americanfootball, aussierules, baseball"));
    }

    #[test]
    fn a_name_in_a_record_is_known_from_then_on() {
        let names = names();
        for never_seen in ["kabaddi_pro", "soccer_test"] {
            assert!(refusal(&names, never_seen).is_some());
        }
        let note = |of: [&str; 2]| {
            for name in of {
                names.note(NameKind::Sport, name);
            }
        };
        note(["soccer", "soccer_test"]);
        assert!(refusal(&names, "soccer_test").is_none() && refusal(&names, "soccer_tests").is_some());
        note(["kabaddi", "kabaddi_pro"]);
        assert!(refusal(&names, "kabaddi_pro").is_none() && refusal(&names, "kabaddi").is_none());
        assert!(refusal(&names, "kabadi").unwrap().contains("kabaddi"));
        let leagues = names.leagues();
        assert!(
            leagues.contains("kabaddi_pro") && leagues.contains("soccer_epl") && !leagues.contains("kabaddi")
        );
    }

    #[test]
    fn markets_are_those_of_the_catalogue() {
        let names = names();
        let refusal = |name| refusal_of(&names, NameKind::Market, name);
        assert!(Family::KEYS.iter().all(|key| refusal(key).is_none()));
        let all = "h2h, h2h_3_way, draw_no_bet, spreads, totals";
        assert!(
            refusal("moneyline")
                .unwrap()
                .contains(&format!("no market family that is known; there are: {all}"))
        );
        assert!(refusal("total").unwrap().contains("there are: totals\""));
    }

    /// A table of one book.
    fn table() -> Arc<Books> {
        let book = Book { kind: VenueKind::Exchange, known: true, ..Books::default().get("alpha").clone() };
        Arc::new(Books::new([("alpha".into(), book)]))
    }

    #[test]
    fn books_are_those_of_the_table_of_records_and_of_grants() {
        let names = names();
        names.set_quotes(&Arc::new(Quotes::of_table(&table())));
        let refusal = |name| refusal_of(&names, NameKind::Book, name);
        assert!(refusal("alpha").is_none());
        assert!(
            refusal("alpa")
                .unwrap()
                .contains("names \\\"alpa\\\", which is no book that is known; there are: alpha")
        );
        assert!(refusal("bet365").unwrap().contains("there are: those of GET /v1/books"));
        names.note(NameKind::Book, "bet365");
        assert!(refusal("bet365").is_none() && refusal("acme").is_some());
        let granted = account("acc_0000000000000001", "one@example.com");
        names.accounts.put(Part::Account(arb_accounts::account::Account {
            books: vec!["acme".into()],
            ..granted.clone()
        }));
        assert!(refusal("acme").is_some(), "that an account has it for itself is nobody's business");
        let public =
            arb_accounts::account::Account { books: vec!["acme".into()], is_public: true, ..granted };
        names.accounts.put(Part::Account(public));
        assert!(refusal("acme").is_none() && refusal("acme:alpha").is_none());
        assert!(refusal_of(&names, NameKind::Market, "alpha").is_some(), "kinds have names of their own");
    }

    #[test]
    fn a_book_may_exist_until_the_quotes_were_read() {
        let names = names();
        names.set_quotes(&Arc::new(Quotes::new(1, &table())));
        let status = |name| {
            names
                .check([Named { parameter: "book", kind: NameKind::Book, name }])
                .map_err(|problem| problem.into_parts().0.as_u16())
        };
        assert_eq!((status("alpha"), status("bet365")), (Ok(()), Err(503)));
        names.quotes().fail();
        assert_eq!((status("alpha"), status("bet365")), (Ok(()), Err(400)), "they cannot be read");
    }

    #[test]
    fn a_stream_may_name_any_league_of_a_known_sport() {
        let names = names();
        let is_refused = |name: &str| {
            let sport = Sport::parse(name).unwrap();
            names.check_for_stream(Named::sport("sport", &sport)).is_err()
        };
        for (name, expected) in [
            ("soccer", false),
            ("soccer_test", false),
            ("soccer_", true),
            ("soccr_epl", true),
            ("kabaddi_pro", true),
        ] {
            assert_eq!(is_refused(name), expected, "{name}");
        }
        names.note(NameKind::Sport, "kabaddi_pro");
        assert!(!is_refused("kabaddi_pro"));
        let book = Named { parameter: "book", kind: NameKind::Book, name: "soccer_test" };
        assert!(names.check_for_stream([book]).is_err(), "it is no league");
    }

    #[test]
    fn the_catalogue_is_in_order_and_has_each_league_once() {
        assert!(LEAGUES.lines().is_sorted_by(|a, b| a < b));
        assert!(LEAGUES.lines().all(|league| league.contains('_')));
    }

    #[test]
    fn the_distance_counts_letters() {
        for (a, b, expected) in
            [("", "", 0), ("a", "", 1), ("", "ab", 2), ("kitten", "sitting", 3), ("soccer", "socer", 1)]
        {
            assert_eq!((distance(a, b), distance(b, a)), (expected, expected), "{a} {b}");
        }
    }
}
