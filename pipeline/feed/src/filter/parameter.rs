//! Values of parameters, and why one is refused. It never guesses.

use std::borrow::Cow;

/// Longest name of anything.
const MAX_NAME: usize = 100;

/// A parameter whose value is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidParameter {
    /// Its name.
    pub name: String,
    /// What is wrong with the value, as the rest of a sentence that begins with the name.
    pub reason: Cow<'static, str>,
}

impl InvalidParameter {
    /// Of a parameter, with the reason.
    pub fn new(name: &str, reason: impl Into<Cow<'static, str>>) -> Self {
        Self { name: name.to_owned(), reason: reason.into() }
    }
}

/// A parameter's value as the name of something; the reason is why another value is refused.
///
/// # Errors
/// For a value that is empty or longer than 100 bytes.
pub fn name(parameter: &str, value: &str, reason: &'static str) -> Result<String, InvalidParameter> {
    let is_name = !value.is_empty() && value.len() <= MAX_NAME;
    is_name.then(|| value.to_owned()).ok_or_else(|| InvalidParameter::new(parameter, reason))
}

/// A parameter's value as `true` or `false`.
///
/// # Errors
/// For any other value.
pub fn truth(parameter: &str, value: &str) -> Result<bool, InvalidParameter> {
    value.parse().map_err(|_| InvalidParameter::new(parameter, "must be true or false"))
}

/// The bits of a finite number that is accepted; zero has those of one sign. The reason is why another value is refused.
///
/// Numbers of filters are kept, and travel in cursors, as their bits: equal filters have equal ones.
///
/// # Errors
/// For a value that is no such number.
pub fn number(
    parameter: &str,
    value: &str,
    reason: &'static str,
    is_accepted: impl Fn(f64) -> bool,
) -> Result<u64, InvalidParameter> {
    let number = value.parse().ok().filter(|number: &f64| number.is_finite() && is_accepted(*number));
    number.map(|number| (number + 0.0).to_bits()).ok_or_else(|| InvalidParameter::new(parameter, reason))
}
