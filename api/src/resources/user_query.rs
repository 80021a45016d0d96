//! What a request of the board asks to be computed for its caller alone: own books, own commissions, a total stake.
//!
//! It is canonical: two requests for the same have equal ones, however they write it. It never filters what was computed.

use std::collections::{BTreeMap, BTreeSet};

use arb_engine::UserBooks;
use arb_feed::filter::parameter::{NAMES, Parameter, Values, is_name};
use form_urlencoded::Serializer;
use serde::{Deserialize, Serialize};

use crate::http::parameters::parameters;
use crate::http::problem::Problem;
use crate::http::query::{Query, QueryRow, row};
use crate::lists::known_names::{NameKind, Named};

/// Why a test key has none.
pub(crate) const NOT_IN_TEST: &str = "Boards of own books and total stakes have no answer for test keys.";
/// What an answer costs that is computed for its caller, in requests.
pub(crate) const COST: u64 = 3;
/// Most books of a request.
const MAX_BOOKS: usize = 100;
/// The highest commission, in percent.
const MAX_PERCENT: f64 = 25.0;
/// A hundredth of a percent, in millionths.
const HUNDREDTH: u32 = 100;
/// The least and the largest total stake, in units of the currency.
const STAKES: [f64; 2] = [1.0, 10_000_000.0];
pub(super) const BOOKS: &Parameter<BTreeSet<String>> = &Parameter::new(
    "books",
    "The only books whose prices count; such a page costs three requests, as does a stream, which then follows the board that they make \
     instead of the feed.",
    NAMES,
    |_, text| books(text),
)
.because("must be keys of books with commas between them, at most 100");
pub(super) const COMMISSIONS: &Parameter<BTreeMap<String, u32>> =
    &Parameter::new("commissions", "book:percent with commas between them.", NAMES, |_, text| {
        commissions(text)
    })
    .because(
        "must be book:percent with commas between them, percent from 0 to 25, each book once, at most 100",
    );
pub(super) const TOTAL_STAKE: &Parameter<i64> = &Parameter::new(
    "total_stake",
    "The total that stakes are for.",
    Values::Number { least: Some(STAKES[0]), most: Some(STAKES[1]) },
    |_, text| total_stake(text),
)
.because("must be an amount of money from 1 to 10000000");

/// What is computed for the caller; nothing by default.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct UserQuery {
    /// The only books that count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) books: Option<BTreeSet<String>>,
    /// Commissions on winnings, in millionths.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) commissions: BTreeMap<String, u32>,
    /// In minor units.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) total_stake: Option<i64>,
    /// The private source of whoever asks: never of a cursor, which callers can write.
    #[serde(skip)]
    private: Option<String>,
}

impl Query for UserQuery {
    const ROWS: &'static [QueryRow<Self>] =
        &[row!(BOOKS => books), row!(COMMISSIONS => commissions), row!(TOTAL_STAKE => total_stake)];
}

impl UserQuery {
    /// The same for the account that has a private source.
    pub(crate) fn of_source(self, private: Option<String>) -> Self {
        Self { private, ..self }
    }

    /// Takes its parameters out of a query: what they ask for, none where there are none of them, and the others.
    pub(crate) fn split(query: &str) -> Result<(Option<Self>, String), Problem> {
        let (mut user, mut others) = (None, Serializer::new(String::new()));
        for (name, value) in parameters(query)? {
            if Self::has(&name) {
                user.get_or_insert_with(Self::default).take(&name, &value)?;
            } else {
                others.append_pair(&name, &value);
            }
        }
        Ok((user.map(Self::canonical), others.finish()))
    }

    /// Whether a query has one of its parameters.
    pub(crate) fn is_in(query: &str) -> bool {
        let names = form_urlencoded::parse(query.as_bytes()).map(|(name, _)| name);
        names.take(MAX_BOOKS).any(|name| Self::has(&name))
    }

    /// Whether a parameter is one of these.
    pub(crate) fn has(parameter: &str) -> bool {
        Self::ROWS.iter().any(|row| row.shape.name == parameter)
    }

    /// The same without what changes no answer: commissions of books that do not count.
    pub(crate) fn canonical(mut self) -> Self {
        if let Some(books) = &self.books {
            self.commissions.retain(|book, _| books.contains(book));
        }
        self
    }

    /// All books that it names, each with its parameter.
    pub(crate) fn names(&self) -> impl Iterator<Item = Named<'_>> {
        let books = self.books.iter().flatten().map(|book| ("books", book));
        let all = books.chain(self.commissions.keys().map(|book| ("commissions", book)));
        all.map(|(parameter, name)| Named { parameter, kind: NameKind::Book, name })
    }

    /// As the engine asks for it.
    pub(crate) fn to_user_books(&self) -> UserBooks {
        let Self { books, commissions, total_stake, private } = self.clone();
        UserBooks { books, commissions, total_stake, private }
    }

    /// Bytes of its names.
    pub(crate) fn bytes(&self) -> usize {
        self.names().map(|named| named.name.len()).sum()
    }
}

/// What a request of the board costs, or of a stream.
pub(crate) fn cost(query: &str) -> u64 {
    if UserQuery::is_in(query) { COST } else { 1 }
}

fn books(text: &str) -> Option<BTreeSet<String>> {
    let keys: Option<BTreeSet<_>> = text.split(',').map(name).collect();
    keys.filter(|keys| keys.len() <= MAX_BOOKS)
}

fn commissions(text: &str) -> Option<BTreeMap<String, u32>> {
    let mut commissions = BTreeMap::new();
    for pair in text.split(',') {
        let (book, percent) = pair.rsplit_once(':')?;
        let percent = percent.parse::<f64>().ok().filter(|percent| (0.0..=MAX_PERCENT).contains(percent))?;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // From 0 to 2,500.
        let hundredths = (percent * 100.0).round() as u32;
        if commissions.insert(name(book)?, hundredths * HUNDREDTH).is_some() {
            return None;
        }
    }
    (commissions.len() <= MAX_BOOKS).then_some(commissions)
}

fn name(key: &str) -> Option<String> {
    is_name(key).then(|| key.to_owned())
}

fn total_stake(text: &str) -> Option<i64> {
    let amount = text.parse::<f64>().ok().filter(|amount| (STAKES[0]..=STAKES[1]).contains(amount))?;
    #[allow(clippy::cast_possible_truncation)] // At most 10^9.
    Some((amount * 100.0).round() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(parameters: &[(&str, &str)]) -> UserQuery {
        let mut query = UserQuery::default();
        for (name, value) in parameters {
            assert!(query.take(name, value).ok().unwrap(), "{name}={value}");
        }
        query.canonical()
    }

    #[test]
    fn equal_requests_have_equal_queries_however_they_are_written() {
        let one =
            query(&[("books", "beta,alpha"), ("commissions", "beta:2,alpha:1.504"), ("total_stake", "250")]);
        let other = query(&[
            ("total_stake", "250.001"),
            ("commissions", "alpha:1.5,beta:2.0"),
            ("books", "alpha,beta,alpha"),
        ]);
        assert_eq!(one, other);
        let asked = one.to_user_books();
        assert_eq!(asked.books, Some(BTreeSet::from(["alpha".into(), "beta".into()])));
        assert_eq!(asked.commissions, BTreeMap::from([("alpha".into(), 15_000), ("beta".into(), 20_000)]));
        assert_eq!(asked.total_stake, Some(25_000));
    }

    #[test]
    fn a_commission_of_a_book_that_does_not_count_changes_nothing() {
        assert_eq!(query(&[("books", "alpha"), ("commissions", "beta:2")]), query(&[("books", "alpha")]));
        assert_ne!(query(&[("commissions", "beta:2")]), query(&[]));
        assert_ne!(query(&[("total_stake", "1")]), query(&[]));
    }

    #[test]
    fn what_is_none_is_refused() {
        let many =
            vec!["a"; 101].iter().enumerate().map(|(at, name)| format!("{name}{at}")).collect::<Vec<_>>();
        for (name, value) in [
            ("books", ""),
            ("books", "alpha,,beta"),
            ("books", &many.join(",")),
            ("commissions", ""),
            ("commissions", "alpha"),
            ("commissions", "alpha:"),
            ("commissions", ":2"),
            ("commissions", "alpha:25.1"),
            ("commissions", "alpha:-1"),
            ("commissions", "alpha:NaN"),
            ("commissions", "alpha:1,alpha:2"),
            ("total_stake", "0.99"),
            ("total_stake", "inf"),
            ("total_stake", "10000000.01"),
            ("total_stake", ""),
        ] {
            assert!(UserQuery::default().take(name, value).is_err(), "{name}={value}");
        }
        assert!(matches!(UserQuery::default().take("book", "alpha"), Ok(false)));
    }

    #[test]
    fn what_is_computed_for_a_caller_costs_more() {
        for (text, expected) in [
            ("", 1),
            ("book=alpha&limit=3", 1),
            ("books=alpha", COST),
            ("limit=3&total%5Fstake=5", COST),
            ("commissions=", COST),
        ] {
            assert_eq!(cost(text), expected, "{text}");
        }
    }
}
