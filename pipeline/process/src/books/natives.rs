//! The table's rows of the forms in which books make their prices, read and checked.
//!
//! It never guesses: a book without a row has no known form.

use std::collections::BTreeSet;

use arb_engine::venues::{Native, NativeForm};
use serde::Deserialize;
use toml::value::Datetime;

use super::UNIT;
use super::facts::{BooksError, OfBooks, ensure, evidence, sense};

/// Books that make their prices in one form.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NativeEntry {
    form: FormName,
    /// Of a decimal price or of a contract's, in millionths.
    step_ppm: Option<u32>,
    books: Vec<String>,
    /// Regions of The Odds API all of whose books are among these.
    #[serde(default)]
    regions: Vec<String>,
    from: Datetime,
    source: String,
    checked_at: Option<Datetime>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum FormName {
    Decimal,
    American,
    Fractional,
    Probability,
}

/// The books that make American odds, and the regions all of whose books do.
pub(super) fn american(entries: &[NativeEntry]) -> (BTreeSet<String>, BTreeSet<String>) {
    let american = || entries.iter().filter(|entry| matches!(entry.form, FormName::American));
    let all = |of: fn(&NativeEntry) -> &Vec<String>| american().flat_map(of).cloned().collect();
    (all(|entry| &entry.books), all(|entry| &entry.regions))
}

impl OfBooks for NativeEntry {
    const ROWS: &'static str = "native";
    type Fact = Native;

    fn books(&self) -> &[String] {
        &self.books
    }

    fn fact(&self, place: &str) -> Result<Native, BooksError> {
        let evidence = evidence(Some(&self.from), &self.source, self.checked_at.as_ref(), place)?;
        let form = match (self.form, self.step_ppm) {
            (FormName::American, None) => NativeForm::American,
            (FormName::Fractional, None) => NativeForm::Fractional,
            (FormName::Decimal, Some(step_ppm)) => NativeForm::Decimal { step_ppm },
            (FormName::Probability, Some(step_ppm)) => NativeForm::Probability { step_ppm },
            _ => {
                return Err(sense(
                    place,
                    "a decimal form and a probability have a step_ppm, others none".to_owned(),
                ));
            }
        };
        // A price of six digits is a whole number of steps.
        ensure(self.step_ppm.is_none_or(|step| UNIT.is_multiple_of(step)), place, || {
            "step_ppm is no part of a million".to_owned()
        })?;
        Ok(Native { form, evidence })
    }
}
