//! The meaning of an error of ClickHouse: retry, or report to the operator.
//!
//! Only what a person must mend ends the sink; everything else is waited for. It never decides how often.

use clickhouse::error::Error;
use thiserror::Error as ThisError;

use crate::clickhouse::tls;

/// Why something was not done.
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
pub enum Failure {
    /// It may be done the next time; and it may have been done.
    #[error("{0}")]
    Passing(String),
    /// A person must mend it.
    #[error("{0}")]
    Lasting(String),
}

/// Errors that do not go away by themselves, by ClickHouse's number of each.
const LASTING: &[(u32, &str)] = &[
    (16, "no such column"),
    (20, "number of columns does not match"),
    (41, "cannot parse date and time"),
    (44, "illegal column"),
    (46, "unknown function"),
    (47, "unknown identifier"),
    (50, "unknown type"),
    (53, "type mismatch"),
    (60, "unknown table"),
    (62, "syntax error"),
    (70, "cannot convert type"),
    (72, "cannot parse number"),
    (73, "unknown format"),
    (81, "unknown database"),
    (108, "no data to insert"),
    (115, "unknown setting"),
    (117, "incorrect data"),
    (164, "read-only user"),
    (192, "unknown user"),
    (193, "wrong password"),
    (194, "required password"),
    (195, "address not allowed"),
    (291, "database access denied"),
    (349, "null in a column that has none"),
    (497, "access denied"),
    (516, "authentication failed"),
];

impl Failure {
    /// Of an error that came of something that was asked of a table.
    #[must_use]
    pub fn of(error: &Error, what: &str) -> Self {
        let text = sentence(error);
        if let Some(problem) = tls::problem(error) {
            return Self::Lasting(format!("{what}: {problem}"));
        }
        match error {
            Error::Network(_) | Error::TimedOut => Self::Passing(format!("{what}: {text}")),
            Error::BadResponse(response) => match code(response) {
                Some(60 | 81) => Self::Lasting(format!(
                    "{what}: ClickHouse has no such table; `arb migrate` creates it: {text}"
                )),
                Some(193 | 516) => Self::Lasting(format!(
                    "{what}: ClickHouse does not take the user or the password; compare it with the one that \
                     `arb migrate --create-roles` gave that user: {text}"
                )),
                Some(code) if LASTING.iter().any(|(lasting, _)| *lasting == code) => {
                    Self::Lasting(format!("{what}: {text}"))
                }
                _ => Self::Passing(format!("{what}: {text}")),
            },
            Error::SchemaMismatch(_) => Self::Lasting(format!(
                "{what} does not fit what the sink writes; run `arb migrate` for details: {text}"
            )),
            // The end of an answer is missing, or the like.
            Error::NotEnoughData | Error::Decompression(_) | Error::Other(_) => {
                Self::Passing(format!("{what}: {text}"))
            }
            _ => Self::Lasting(format!("{what}: {text}")),
        }
    }

    /// Whether a person must mend it.
    #[must_use]
    pub fn is_lasting(&self) -> bool {
        matches!(self, Self::Lasting(_))
    }
}

/// The number of an error in an answer such as `Code: 60. DB::Exception: ...`.
fn code(response: &str) -> Option<u32> {
    let (_, rest) = response.split_once("Code: ")?;
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    rest[..digits].parse().ok()
}

/// The first sentence of an error, and those of its causes.
fn sentence(error: &Error) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        source = cause.source();
    }
    let line = text.lines().next().unwrap_or_default();
    line.trim_end_matches(['#', ' ', '.', ':']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bad(response: &str) -> Failure {
        Failure::of(&Error::BadResponse(response.to_owned()), "ticks")
    }

    #[test]
    fn lasting_errors_differ_from_passing_ones() {
        let passing = [
            "Code: 252. DB::Exception: Too many parts (3000)",
            "Code: 241. DB::Exception: Memory limit (total) exceeded",
            "Code: 202. DB::Exception: Too many simultaneous queries",
            "Code: 242. DB::Exception: Table is in readonly mode",
            "Code: 243. DB::Exception: Cannot reserve 1.00 MiB, not enough space",
            "Code: 9999. DB::Exception: of a later version",
            "<html>502 Bad Gateway</html>",
        ];
        for response in passing {
            assert!(!bad(response).is_lasting(), "{response}");
        }
        for response in [
            "Code: 60. DB::Exception: Table ticks does not exist.",
            "Code: 16. DB::Exception: No such column price in table ticks",
            "Code: 53. DB::Exception: Type of 'price' must be String, not Int64",
            "Code: 516. DB::Exception: writer: Authentication failed",
            "Code: 497. DB::Exception: writer: Not enough privileges.",
        ] {
            assert!(bad(response).is_lasting(), "{response}");
        }
        assert!(!Failure::of(&Error::TimedOut, "t").is_lasting());
        assert!(!Failure::of(&Error::Network("refused".into()), "t").is_lasting());
    }

    #[test]
    fn an_error_is_one_sentence_that_names_table_and_column() {
        let mismatch =
            "While processing struct TickRow: database schema has no column named price.\n#### All struct";
        let text = Failure::of(&Error::SchemaMismatch(mismatch.to_owned()), "ticks").to_string();
        assert!(text.starts_with("ticks does not fit") && text.ends_with("no column named price"), "{text}");
        assert!(bad("Code: 60. DB::Exception: gone").to_string().contains("`arb migrate` creates it"));
    }
}
