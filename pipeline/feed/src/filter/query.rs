//! A query as the list of its parameters: each a row of its declaration and of the field that takes its value.
//!
//! Pure. It never takes what is not in the list.

use super::parameter::{InvalidParameter, ParameterShape};

/// A parameter of a query, and what takes its value.
#[derive(Debug)]
pub struct QueryRow<Q> {
    /// The parameter.
    pub shape: &'static ParameterShape,
    /// Takes a value from its text.
    pub take: fn(&mut Q, &str) -> Result<(), InvalidParameter>,
}

/// Names the parameters of a route.
pub type ParameterList = fn() -> Vec<&'static ParameterShape>;

/// What a query asks for.
pub trait Query: Sized + 'static {
    /// Its parameters, in the order of documents.
    const ROWS: &'static [QueryRow<Self>];

    /// Takes a parameter; `false` when it is none of these.
    ///
    /// # Errors
    /// For an invalid value.
    fn take(&mut self, name: &str, value: &str) -> Result<bool, InvalidParameter> {
        let row = Self::ROWS.iter().find(|row| row.shape.name == name);
        row.map_or(Ok(false), |row| (row.take)(self, value).map(|()| true))
    }
}

/// The parameters of a query.
#[must_use]
pub fn parameters_of<Q: Query>() -> Vec<&'static ParameterShape> {
    Q::ROWS.iter().map(|row| row.shape).collect()
}

/// A row of a query: `row!(BOOK => book)` puts the value into a field, `row!(BOOK, |query, book| ...)` hands it to a closure.
#[macro_export]
macro_rules! row {
    ($parameter:path => $($field:ident).+) => {
        $crate::filter::query::QueryRow {
            shape: &$parameter.shape,
            take: |query: &mut Self, text: &str| {
                query.$($field).+ = $parameter.parse(text)?.into();
                Ok(())
            },
        }
    };
    ($parameter:path, |$query:ident, $value:ident| $take:expr) => {
        $crate::filter::query::QueryRow {
            shape: &$parameter.shape,
            take: |$query: &mut Self, text: &str| {
                let $value = $parameter.parse(text)?;
                $take;
                Ok(())
            },
        }
    };
}
