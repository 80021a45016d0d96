//! A user's own bot: a rule file in TOML, conditions over the prices of a match and a rule for the stake. Pure.
//!
//! A person writes it, so every mistake is reported with its line and field, and nothing is guessed. What a rule is given ([`MatchPrices`]) has no
//! result and no closing price, so that no rule can look ahead. The format is described in `docs/bots/rules.md`.

use serde::Deserialize;
use thiserror::Error;
use toml::Spanned;

use arb_engine::odds::devig::{Method, fair};
use arb_model::Price;

use crate::bots::Pick;
use crate::history::{BOOKS, Three};
use crate::model::forecast;

/// The name of a price that is the highest of all named books.
pub const BEST: &str = "best";
/// The book that `probability = "sharp"` reads.
const SHARP_BOOK: &str = "pinnacle";
const OUTCOMES: Three<&str> = ["home", "draw", "away"];

/// Why a rule file is not taken.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RuleError {
    /// It is no TOML of this form; the place is in the message.
    #[error("{0}")]
    Form(#[from] toml::de::Error),
    /// It is readable, but makes no sense.
    #[error("line {line}, field `{field}`: {problem}")]
    Sense {
        /// Line, from 1.
        line: usize,
        /// The field.
        field: &'static str,
        /// What is wrong.
        problem: &'static str,
    },
}

/// The prices of a match that a rule is given.
#[derive(Debug, Clone, Copy)]
pub struct MatchPrices<'a> {
    /// Country in football-data, league key in recordings.
    pub league: &'a str,
    /// Named books with all three prices.
    pub books: &'a [(&'a str, Three<Price>)],
}

/// A bet of a rule.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RulePick {
    /// The bet.
    pub pick: Pick,
    /// Its stake, as a fraction of the bank.
    pub stake: f64,
}

/// What fair probabilities are taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ProbabilitySource {
    Consensus,
    Sharp,
    Model,
}

/// What a condition is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Field {
    Price,
    Probability,
    Value,
    Average,
    Books,
    Outcome,
    League,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Condition {
    field: Spanned<Field>,
    at_least: Option<f64>,
    at_most: Option<f64>,
    is: Option<Vec<String>>,
}

/// How much is staked, as a fraction of the bank.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case", tag = "rule", deny_unknown_fields)]
enum StakeRule {
    Flat { fraction: f64 },
    Kelly { fraction: f64, at_most: f64 },
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleText {
    bot: String,
    version: u32,
    price: Spanned<String>,
    probability: ProbabilitySource,
    when: Vec<Condition>,
    stake: Spanned<StakeRule>,
}

/// A bot that a user has written.
#[derive(Debug, Clone, PartialEq)]
pub struct RuleFile {
    /// Its name.
    pub bot: String,
    /// The version of its rule.
    pub version: u32,
    /// The book that is bet at, or `best`.
    pub price: String,
    probability: ProbabilitySource,
    conditions: Vec<Condition>,
    stake: StakeRule,
}

/// The values of an outcome.
struct OutcomeValues<'a> {
    price: f64,
    probability: f64,
    average: f64,
    books: f64,
    outcome: &'a str,
    league: &'a str,
}

impl RuleFile {
    /// Reads the text of a rule for football-data, whose books are known.
    ///
    /// # Errors
    /// [`RuleError`].
    pub fn parse(text: &str) -> Result<Self, RuleError> {
        Self::parse_with(text, |book| BOOKS.contains(&book))
    }

    /// Reads the text of a rule for recordings, which can have any book.
    ///
    /// # Errors
    /// [`RuleError`].
    pub fn parse_for_recordings(text: &str) -> Result<Self, RuleError> {
        Self::parse_with(text, |_| true)
    }

    fn parse_with(text: &str, is_book: impl Fn(&str) -> bool) -> Result<Self, RuleError> {
        let file: RuleText = toml::from_str(text)?;
        let line = |at: usize| text[..at.min(text.len())].lines().count().max(1);
        let wrong = |at, field, problem| RuleError::Sense { line: line(at), field, problem };
        let price = file.price.get_ref();
        if price != BEST && !is_book(price) {
            return Err(wrong(
                file.price.span().end,
                "price",
                "no named book of football-data, and not `best`",
            ));
        }
        if file.when.is_empty() {
            return Err(wrong(0, "when", "without a condition it would bet on everything"));
        }
        for condition in &file.when {
            if let Some(problem) = condition.problem() {
                return Err(wrong(condition.field.span().end, condition.field.get_ref().key(), problem));
            }
        }
        if !file.stake.get_ref().is_sound() {
            return Err(wrong(
                file.stake.span().start + 1,
                "stake",
                "fractions of a bank are above 0 and at most 1",
            ));
        }
        let (price, stake) = (file.price.into_inner(), file.stake.into_inner());
        Ok(Self {
            bot: file.bot,
            version: file.version,
            price,
            probability: file.probability,
            conditions: file.when,
            stake,
        })
    }

    /// The bet on a match: of the outcomes for which all conditions hold the one with the highest value; of equal ones the first. `None` where none
    /// does, where the book has no prices, and where the probabilities are not known.
    #[must_use]
    pub fn pick(&self, found: &MatchPrices<'_>) -> Option<RulePick> {
        let (prices, probabilities) = (self.prices(found)?, self.probabilities(found)?);
        let count = found.books.len() as f64;
        let values = |outcome: usize| OutcomeValues {
            price: prices[outcome],
            probability: probabilities[outcome],
            average: found.books.iter().map(|(_, prices)| prices[outcome].decimal()).sum::<f64>() / count,
            books: count,
            outcome: OUTCOMES[outcome],
            league: found.league,
        };
        let is_taken = |outcome: &usize| {
            let values = values(*outcome);
            self.conditions.iter().all(|condition| condition.holds(&values))
        };
        let value = |outcome: usize| probabilities[outcome] * prices[outcome];
        let best = (0..3)
            .filter(is_taken)
            .reduce(|best, next| if value(next) > value(best) { next } else { best })?;
        let pick = Pick { outcome: best, odds: prices[best], probability: probabilities[best] };
        let stake = self.stake.of(&pick);
        (stake > 0.0).then_some(RulePick { pick, stake })
    }

    /// The prices that are bet at.
    pub(crate) fn prices(&self, found: &MatchPrices<'_>) -> Option<Three> {
        if self.price == BEST {
            let highest = |outcome: usize| found.books.iter().map(|(_, prices)| prices[outcome]).max();
            return Some([highest(0)?, highest(1)?, highest(2)?].map(Price::decimal));
        }
        book(found, &self.price).map(|prices| prices.map(Price::decimal))
    }

    /// The probabilities that are taken for fair.
    pub(crate) fn probabilities(&self, found: &MatchPrices<'_>) -> Option<Three> {
        let forecast = || forecast(&found.books.iter().map(|(_, prices)| *prices).collect::<Vec<_>>());
        match self.probability {
            ProbabilitySource::Consensus => Some(forecast()?.consensus),
            ProbabilitySource::Model => Some(forecast()?.probabilities),
            ProbabilitySource::Sharp => {
                fair(&book(found, SHARP_BOOK)?, Method::Shin)?.probabilities.try_into().ok()
            }
        }
    }
}

fn book(found: &MatchPrices<'_>, name: &str) -> Option<Three<Price>> {
    found.books.iter().find(|(book, _)| *book == name).map(|(_, prices)| *prices)
}

impl Field {
    fn key(self) -> &'static str {
        match self {
            Self::Price => "price",
            Self::Probability => "probability",
            Self::Value => "value",
            Self::Average => "average",
            Self::Books => "books",
            Self::Outcome => "outcome",
            Self::League => "league",
        }
    }

    fn is_text(self) -> bool {
        matches!(self, Self::Outcome | Self::League)
    }
}

impl Condition {
    fn problem(&self) -> Option<&'static str> {
        let field = *self.field.get_ref();
        let bounds = [self.at_least, self.at_most];
        let known = self.is.iter().flatten().all(|name| OUTCOMES.contains(&name.as_str()));
        let problem = if field.is_text() && (bounds != [None; 2] || self.is.is_none()) {
            "compares text: it takes `is`, a list of names, and no bounds"
        } else if field == Field::Outcome && !known {
            "names are `home`, `draw` and `away`"
        } else if !field.is_text() && (bounds == [None; 2] || self.is.is_some()) {
            "compares a number: it takes `at_least`, `at_most` or both, and no `is`"
        } else if bounds.iter().flatten().any(|bound| !bound.is_finite()) {
            "a bound is a finite number"
        } else {
            return None;
        };
        Some(problem)
    }

    fn holds(&self, values: &OutcomeValues<'_>) -> bool {
        let number = match self.field.get_ref() {
            Field::Outcome => return self.names(values.outcome),
            Field::League => return self.names(values.league),
            Field::Price => values.price,
            Field::Probability => values.probability,
            Field::Value => values.probability * values.price - 1.0,
            Field::Average => values.average,
            Field::Books => values.books,
        };
        self.at_least.is_none_or(|least| number >= least) && self.at_most.is_none_or(|most| number <= most)
    }

    fn names(&self, text: &str) -> bool {
        self.is.iter().flatten().any(|name| name == text)
    }
}

impl StakeRule {
    fn is_sound(self) -> bool {
        let is_part = |fraction: f64| fraction > 0.0 && fraction <= 1.0;
        match self {
            Self::Flat { fraction } => is_part(fraction),
            Self::Kelly { fraction, at_most } => is_part(fraction) && is_part(at_most),
        }
    }

    /// Not above 0 where the price does not pay by the probability and the rule is Kelly's.
    fn of(self, pick: &Pick) -> f64 {
        match self {
            Self::Flat { fraction } => fraction,
            Self::Kelly { fraction, at_most } => {
                (fraction * (pick.probability * pick.odds - 1.0) / (pick.odds - 1.0)).min(at_most)
            }
        }
    }
}

#[cfg(test)]
mod tests;
