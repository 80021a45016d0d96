//! The table's rows of the sizes in which books take bets, read and checked.
//!
//! It never guesses: of a book without a row no least stake is known.

use arb_engine::venues::{Least, SizeStep, Sizes};
use serde::Deserialize;
use toml::value::Datetime;

use super::facts::{BooksError, OfBooks, ensure, evidence, sense};

/// A bound beyond this is a mistake: a million of the currency, or of contracts.
const HIGHEST: i64 = 100_000_000;

/// Books that take bets in the same sizes.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SizeEntry {
    books: Vec<String>,
    /// In minor units.
    step: Option<i64>,
    /// In hundredths of a contract.
    contract_step: Option<i64>,
    least_stake: Option<i64>,
    least_liability: Option<i64>,
    least_contracts: Option<i64>,
    from: Datetime,
    source: String,
    checked_at: Option<Datetime>,
}

impl OfBooks for SizeEntry {
    const ROWS: &'static str = "size";
    type Fact = Sizes;

    fn books(&self) -> &[String] {
        &self.books
    }

    fn fact(&self, place: &str) -> Result<Sizes, BooksError> {
        let evidence = evidence(Some(&self.from), &self.source, self.checked_at.as_ref(), place)?;
        let step = match (self.step, self.contract_step) {
            (Some(step), None) => SizeStep::Money(step),
            (None, Some(step)) => SizeStep::Contracts(step),
            (None, None) => SizeStep::Money(1),
            (Some(_), Some(_)) => return Err(sense(place, "it has two steps".to_owned())),
        };
        let (SizeStep::Money(multiple) | SizeStep::Contracts(multiple)) = step;
        ensure((1..=HIGHEST).contains(&multiple), place, || format!("a step of {multiple} is none"))?;
        let bounds = [self.least_stake, self.least_liability, self.least_contracts];
        let fits = |bound: &Option<i64>| bound.is_none_or(|bound| (0..=HIGHEST).contains(&bound));
        ensure(bounds.iter().all(fits), place, || format!("a least is outside 0 to {HIGHEST}"))?;
        let [stake, liability, contracts] = bounds.map(Option::unwrap_or_default);
        let is_known = bounds.iter().any(Option::is_some);
        Ok(Sizes { step, least: is_known.then_some(Least { stake, liability, contracts }), evidence })
    }
}
