//! A parameter of a query, declared once: its name, its sentence, its values and how they are read. What is refused and what documents state
//! come from the same declaration.
//!
//! Pure. It never guesses, and never knows a route, nor the format of a document.

use std::borrow::Cow;
use std::fmt::Display;

use arb_schemas::time::{Micros, parse_rfc3339};
use serde::de::DeserializeOwned;
use serde::de::value::{Error, StrDeserializer};

/// Longest name of anything.
pub const MAX_NAME: usize = 100;
/// Why another value is not a time.
pub const BAD_TIME: &str = "must be a time such as 2027-01-01T00:00:00Z";

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

/// What documents state of a parameter.
#[derive(Debug)]
pub struct ParameterShape {
    /// Its name.
    pub name: &'static str,
    /// Its name among the components of a document: another one where two parameters have one name.
    pub component: &'static str,
    /// What it means.
    pub sentence: &'static str,
    /// Its values.
    pub values: Values,
    /// The value that holds where none is given.
    pub default: Option<&'static str>,
    /// There is no answer without it.
    pub is_required: bool,
}

/// Which values a parameter has.
#[derive(Debug, Clone, Copy)]
pub enum Values {
    /// `true` and `false`.
    Truth,
    /// Times, as RFC 3339 writes them.
    Time,
    /// Numbers within limits.
    Number {
        /// The least, where there is one.
        least: Option<f64>,
        /// The most, likewise.
        most: Option<f64>,
    },
    /// Whole numbers within limits.
    Whole {
        /// The least, where there is one.
        least: u64,
        /// The most, likewise.
        most: u64,
    },
    /// Some whole numbers.
    OneOf(&'static [u16]),
    /// The keys of a list.
    Keys(&'static [&'static str]),
    /// Texts of so many bytes.
    Text {
        /// The fewest bytes.
        least: usize,
        /// The most.
        most: usize,
        /// A regular expression that they match.
        pattern: Option<&'static str>,
    },
    /// Texts with commas between them; the sentence states which.
    List(&'static str),
}

/// Texts that name something.
pub const NAME: Values = Values::Text { least: 1, most: MAX_NAME, pattern: None };
/// Names with commas between them.
pub const NAMES: Values = Values::List("Names with commas between them.");

/// A parameter whose values are read as a type.
#[derive(Debug)]
pub struct Parameter<T> {
    /// What documents state of it.
    pub shape: ParameterShape,
    read: fn(&Values, &str) -> Option<T>,
    /// Why another value is refused, where the limits do not say it.
    reason: Option<&'static str>,
}

/// A finite number within the limits of its parameter; zero has one sign.
///
/// Filters keep numbers as their bits: equal filters have equal ones.
#[derive(Debug, Clone, Copy)]
pub struct Number(f64);

impl From<Number> for Option<u64> {
    fn from(Number(number): Number) -> Self {
        Some(number.to_bits())
    }
}

impl From<Number> for Option<f64> {
    fn from(Number(number): Number) -> Self {
        Some(number)
    }
}

impl<T> Parameter<T> {
    /// A parameter whose values are read by a function.
    #[must_use]
    pub const fn new(
        name: &'static str,
        sentence: &'static str,
        values: Values,
        read: fn(&Values, &str) -> Option<T>,
    ) -> Self {
        let shape =
            ParameterShape { name, component: name, sentence, values, default: None, is_required: false };
        Self { shape, read, reason: None }
    }

    /// The same, where another value is refused for this reason.
    #[must_use]
    pub const fn because(mut self, reason: &'static str) -> Self {
        self.reason = Some(reason);
        self
    }

    /// The same, which has a value where none is given.
    #[must_use]
    pub const fn defaulting(mut self, value: &'static str) -> Self {
        self.shape.default = Some(value);
        self
    }

    /// The same, under another name among the components of a document.
    #[must_use]
    pub const fn component(mut self, component: &'static str) -> Self {
        self.shape.component = component;
        self
    }

    /// The same, without which there is no answer.
    #[must_use]
    pub const fn required(mut self) -> Self {
        self.shape.is_required = true;
        self
    }

    /// A value from its text.
    ///
    /// # Errors
    /// For another value, with the reason.
    pub fn parse(&self, text: &str) -> Result<T, InvalidParameter> {
        (self.read)(&self.shape.values, text).ok_or_else(|| self.refused())
    }

    /// The value that holds where none is given.
    #[must_use]
    pub fn default_value(&self) -> Option<T> {
        (self.read)(&self.shape.values, self.shape.default?)
    }

    /// Why another value is refused.
    #[must_use]
    pub fn refused(&self) -> InvalidParameter {
        let reason = self.reason.map_or_else(|| self.shape.values.reason(), Cow::Borrowed);
        InvalidParameter::new(self.shape.name, reason)
    }
}

impl<T: DeserializeOwned> Parameter<T> {
    /// A parameter whose values are the keys of a list.
    #[must_use]
    pub const fn keys(name: &'static str, sentence: &'static str, keys: &'static [&'static str]) -> Self {
        Self::new(name, sentence, Values::Keys(keys), |values, text| {
            let Values::Keys(keys) = values else { return None };
            let is_key = keys.contains(&text);
            is_key.then(|| T::deserialize(StrDeserializer::<Error>::new(text)).ok()).flatten()
        })
    }
}

impl Parameter<bool> {
    /// A parameter that is true or false.
    #[must_use]
    pub const fn truth(name: &'static str, sentence: &'static str) -> Self {
        Self::new(name, sentence, Values::Truth, |_, text| text.parse().ok())
    }
}

impl Parameter<Micros> {
    /// A time, in microseconds.
    #[must_use]
    pub const fn time(name: &'static str, sentence: &'static str) -> Self {
        Self::new(name, sentence, Values::Time, |_, text| parse_rfc3339(text))
    }
}

impl Parameter<u64> {
    /// A whole number within limits.
    #[must_use]
    pub const fn whole(name: &'static str, sentence: &'static str, (least, most): (u64, u64)) -> Self {
        Self::new(name, sentence, Values::Whole { least, most }, |values, text| {
            let Values::Whole { least, most } = values else { return None };
            text.parse().ok().filter(|number| (least..=most).contains(&number))
        })
    }
}

impl Parameter<String> {
    /// The name of something; the reason is why another value is refused.
    #[must_use]
    pub const fn name(name: &'static str, sentence: &'static str, reason: &'static str) -> Self {
        let read: fn(&Values, &str) -> Option<String> = |_, text| is_name(text).then(|| text.to_owned());
        Self::new(name, sentence, NAME, read).because(reason)
    }
}

impl Parameter<Number> {
    /// A number within limits, where there are any.
    #[must_use]
    pub const fn number(
        name: &'static str,
        sentence: &'static str,
        (least, most): (Option<f64>, Option<f64>),
    ) -> Self {
        Self::new(name, sentence, Values::Number { least, most }, |values, text| {
            text.parse().ok().and_then(|number| values.within(number))
        })
    }

    /// A number that was not a text.
    ///
    /// # Errors
    /// Outside the limits.
    pub fn check(&self, number: f64) -> Result<f64, InvalidParameter> {
        self.shape.values.within(number).map(|Number(number)| number).ok_or_else(|| self.refused())
    }
}

impl Values {
    /// A number, if it is one of these.
    fn within(&self, number: f64) -> Option<Number> {
        let Self::Number { least, most } = self else { return None };
        let is_within = least.is_none_or(|least| number >= least) && most.is_none_or(|most| number <= most);
        (number.is_finite() && is_within).then_some(Number(number + 0.0))
    }

    /// Why another value is refused.
    fn reason(&self) -> Cow<'static, str> {
        match self {
            Self::Truth => "must be true or false".into(),
            Self::Time => BAD_TIME.into(),
            Self::Number { least: Some(least), most: Some(most) } => {
                format!("must be a number from {least} to {most}").into()
            }
            Self::Number { least: Some(least), .. } => format!("must be a number, at least {least}").into(),
            Self::Number { most: Some(most), .. } => format!("must be a number, at most {most}").into(),
            Self::Number { .. } => "must be a number".into(),
            Self::Whole { least, most } => format!("must be a whole number from {least} to {most}").into(),
            Self::OneOf(numbers) => format!("must be {}", alternatives(numbers)).into(),
            Self::Keys(keys) => format!("must be {}", alternatives(keys)).into(),
            Self::Text { least, most, .. } => format!("must be a text of {least} to {most} bytes").into(),
            Self::List(sentence) => format!("must be a list: {}", sentence.trim_end_matches('.')).into(),
        }
    }
}

/// Whether a text may name something.
#[must_use]
pub fn is_name(text: &str) -> bool {
    !text.is_empty() && text.len() <= MAX_NAME
}

/// A value as the name of something; the reason is why another value is refused.
///
/// # Errors
/// For a value that is empty or longer than 100 bytes.
pub fn name(parameter: &str, value: &str, reason: &'static str) -> Result<String, InvalidParameter> {
    is_name(value).then(|| value.to_owned()).ok_or_else(|| InvalidParameter::new(parameter, reason))
}

/// `a, b or c`.
fn alternatives(values: &[impl Display]) -> String {
    let texts: Vec<_> = values.iter().map(ToString::to_string).collect();
    match texts.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => texts.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLOUR: &Parameter<String> = &Parameter::keys("colour", "A colour.", &["red", "green", "blue"]);

    fn reason<T>(parameter: &Parameter<T>, text: &str) -> String {
        format!("{:?}", parameter.parse(text).err().unwrap())
    }

    #[test]
    fn what_is_refused_is_what_is_described() {
        assert_eq!(COLOUR.parse("red").ok().unwrap(), "red");
        assert!(reason(COLOUR, "black").contains("must be red, green or blue"));
        let seconds = Parameter::whole("seconds", "Seconds.", (1, 9)).defaulting("3");
        assert_eq!((seconds.parse("9").ok(), seconds.default_value()), (Some(9), Some(3)));
        assert!(reason(&seconds, "10").contains("must be a whole number from 1 to 9"));
        let share = Parameter::number("share", "A share.", (Some(0.0), Some(1.0)));
        assert_eq!(share.parse("-0").ok().and_then(Option::<u64>::from), Some(0), "zero has one sign");
        for wrong in ["1.1", "NaN", "inf", ""] {
            assert!(reason(&share, wrong).contains("must be a number from 0 to 1"), "{wrong}");
        }
        assert!(share.check(0.5).is_ok() && share.check(-0.5).is_err());
        let book = Parameter::name("book", "A book.", "must be the key of a book");
        assert!(book.parse("b").is_ok() && book.parse(&"b".repeat(MAX_NAME + 1)).is_err());
        assert!(reason(&book, "").contains("must be the key of a book"));
    }
}
