//! The clauses of the file of books: each with the sentence that it rests on, for the books, sports and markets that it is of.
//!
//! It never takes a sentence for more than it says: a topic that the row does not name stays unknown.

use std::collections::BTreeMap;
use std::sync::Arc;

use arb_engine::market::Family;
use arb_engine::venues::{Clause, Topic, words_of};
use serde::Deserialize;
use toml::value::Datetime;

use super::facts::{BooksError, ensure, evidence, sense};

/// The most words of a sentence that are quoted.
const WORDS: usize = 25;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ClauseEntry {
    books: Vec<String>,
    #[serde(default)]
    sports: Vec<String>,
    #[serde(default)]
    markets: Vec<String>,
    periods: Option<String>,
    level: Option<String>,
    push: Option<String>,
    shortened: Option<String>,
    retirement: Option<String>,
    postponed: Option<String>,
    moved: Option<String>,
    starters: Option<String>,
    abandoned: Option<String>,
    void: Option<String>,
    says: String,
    source: String,
    /// The date that the text itself bears.
    dated: Option<Datetime>,
    checked_at: Datetime,
}

/// The clauses of each book, in the order of the file.
pub(super) fn by_book(entries: &[ClauseEntry]) -> Result<BTreeMap<&str, Vec<Clause>>, BooksError> {
    let mut all: BTreeMap<&str, Vec<Clause>> = BTreeMap::new();
    for (entry, number) in entries.iter().zip(1..) {
        let place = format!("clause {number}");
        let clauses = entry.clauses(&place)?;
        ensure(!entry.books.is_empty(), &place, || "it is of no book".to_owned())?;
        for book in &entry.books {
            let known = all.entry(book).or_default();
            for clause in &clauses {
                let is_there = known.iter().any(|other| are_of_one(other, clause));
                ensure(!is_there, &place, || format!("{book} has one of {} already", clause.topic.key()))?;
                known.push(clause.clone());
            }
        }
    }
    Ok(all)
}

/// Whether two clauses say what only one can: neither is narrower.
fn are_of_one(a: &Clause, b: &Clause) -> bool {
    let share =
        |a: &[Family], b: &[Family]| (a.is_empty() && b.is_empty()) || a.iter().any(|of| b.contains(of));
    (a.topic, &a.league) == (b.topic, &b.league) && share(&a.families, &b.families)
}

impl ClauseEntry {
    /// What it states, each topic in each sport.
    fn clauses(&self, place: &str) -> Result<Vec<Clause>, BooksError> {
        let words = self.says.split_whitespace().count();
        ensure((1..=WORDS).contains(&words), place, || {
            format!("its sentence has {words} words: 1 to {WORDS} are quoted")
        })?;
        let evidence = evidence(self.dated.as_ref(), &self.source, Some(&self.checked_at), place)?;
        let family =
            |key: &String| Family::parse(key).ok_or_else(|| sense(place, format!("no such market: {key}")));
        let families: Vec<_> = self.markets.iter().map(family).collect::<Result<_, _>>()?;
        let stated = self.stated(place)?;
        ensure(!stated.is_empty(), place, || "it is about nothing".to_owned())?;
        let all = [None];
        let sports: Vec<_> = self.sports.iter().map(|sport| Some(Arc::from(sport.as_str()))).collect();
        let sports = if sports.is_empty() { &all[..] } else { &sports };
        let of = |league: &Option<Arc<str>>, topic: Topic, value: &str| Clause {
            topic,
            value: value.into(),
            league: league.clone(),
            families: families.clone(),
            says: self.says.as_str().into(),
            evidence: evidence.clone(),
        };
        Ok(sports
            .iter()
            .flat_map(|league| stated.iter().map(|(topic, value)| of(league, *topic, value)))
            .collect())
    }

    /// The topics that it is about, each with one of the words of it.
    fn stated(&self, place: &str) -> Result<Vec<(Topic, &str)>, BooksError> {
        let of = |topic| match topic {
            Topic::Periods => &self.periods,
            Topic::Level => &self.level,
            Topic::Push => &self.push,
            Topic::Shortened => &self.shortened,
            Topic::Retirement => &self.retirement,
            Topic::Postponed => &self.postponed,
            Topic::Moved => &self.moved,
            Topic::Starters => &self.starters,
            Topic::Abandoned => &self.abandoned,
            Topic::Void => &self.void,
        };
        let stated = Topic::ALL.into_iter().filter_map(|topic| Some((topic, of(topic).as_deref()?)));
        let known = |(topic, value): (Topic, &'_ str)| match words_of(topic) {
            Some(words) if !words.contains(&value) => {
                Err(sense(place, format!("{} is none of {}: {}", value, topic.key(), words.join(", "))))
            }
            _ if value.is_empty() => Err(sense(place, format!("{} says nothing", topic.key()))),
            _ => Ok(()),
        };
        stated.map(|(topic, value)| known((topic, value)).map(|()| (topic, value))).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::books::parse;

    const FILE: &str = r#"
        [[clause]]
        books = ["a"]
        sports = ["baseball"]
        markets = ["h2h"]
        shortened = "5_innings"
        says = "Five innings are a game."
        source = "a page"
        checked_at = 2026-01-01
        [[clause]]
        books = ["a", "b"]
        level = "refunded"
        says = "A tie is void."
        source = "a page"
        checked_at = 2026-01-01
        [[book]]
        keys = ["a", "b"]
        kind = "bookmaker"
        currency = "USD"
        from = 2020-01-01
        source = "a page"
        checked_at = 2026-01-01
    "#;

    fn broken(from: &str, to: &str) -> String {
        assert!(FILE.contains(from), "{from}");
        parse(&FILE.replacen(from, to, 1)).expect_err(to).to_string()
    }

    #[test]
    fn a_clause_without_its_sentence_or_with_words_of_its_own_is_refused() {
        assert!(parse(FILE).is_ok());
        let long = "word ".repeat(26);
        assert_eq!(
            broken("Five innings are a game.", &long),
            "clause 1: its sentence has 26 words: 1 to 25 are quoted"
        );
        assert!(broken("Five innings are a game.", " ").contains("has 0 words"));
        assert_eq!(
            broken("\"refunded\"", "\"refund\""),
            "clause 2: refund is none of level: outcome, refunded, dead_heat, impossible"
        );
        assert_eq!(broken("shortened = \"5_innings\"", ""), "clause 1: it is about nothing");
        assert_eq!(broken("\"5_innings\"", "\"\""), "clause 1: shortened says nothing");
        assert_eq!(broken("\"h2h\"", "\"corners\""), "clause 1: no such market: corners");
        assert_eq!(broken("[\"a\", \"b\"]", "[]"), "clause 2: it is of no book");
        assert_eq!(broken("\"a page\"", "\"\""), "clause 1: it has no source");
        assert!(broken("checked_at = 2026-01-01", "").contains("checked_at"));
        let twice =
            FILE.replacen("level = \"refunded\"", "sports = [\"baseball\"]\nshortened = \"9_innings\"", 1);
        assert!(parse(&twice).is_ok(), "the one of fewer markets is narrower");
        let twice = twice.replacen("shortened = \"9", "markets = [\"h2h\", \"totals\"]\nshortened = \"9", 1);
        let error = parse(&twice).expect_err("two").to_string();
        assert_eq!(error, "clause 2: a has one of shortened already");
    }
}
