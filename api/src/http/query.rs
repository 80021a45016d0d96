//! The parameters of a query, taken by its list of rows (`arb_feed::filter::query`).
//!
//! It never guesses: what is not in the list is refused, and so is what is given twice.

pub(crate) use arb_feed::filter::query::{ParameterList, Query, QueryRow, parameters_of};
pub(crate) use arb_feed::row;

use super::parameters::parameters;
use super::problem::Problem;

/// The same with all parameters of a query.
///
/// # Errors
/// 400 for a parameter that it does not have, and for an invalid value.
pub(crate) fn filled<Q: Query>(mut asked: Q, query: &str) -> Result<Q, Problem> {
    for (name, value) in parameters(query)? {
        if !asked.take(&name, &value)? {
            return Err(unknown(&name));
        }
    }
    Ok(asked)
}

/// Why a parameter is refused that a route does not have.
pub(crate) fn unknown(name: &str) -> Problem {
    Problem::invalid_param(name, "is unknown")
}

#[cfg(test)]
mod tests {
    use arb_feed::filter::parameter::Parameter;

    use super::*;

    const AGE: &Parameter<u64> = &Parameter::whole("age", "An age.", (0, 9));
    const NAME: &Parameter<String> = &Parameter::name("name", "A name.", "must be a name");

    #[derive(Debug, Default, PartialEq)]
    struct Animal {
        age: Option<u64>,
        names: Vec<String>,
    }

    impl Query for Animal {
        const ROWS: &'static [QueryRow<Self>] =
            &[row!(AGE => age), row!(NAME, |animal, name| animal.names.push(name))];
    }

    #[test]
    fn a_query_is_read_by_its_rows() {
        let animal = filled(Animal::default(), "name=cat&age=3").ok().unwrap();
        assert_eq!(animal, Animal { age: Some(3), names: vec!["cat".into()] });
        for wrong in ["age=10", "name=", "colour=red", "age=1&age=2"] {
            assert!(filled(Animal::default(), wrong).is_err(), "{wrong}");
        }
        let names: Vec<_> = parameters_of::<Animal>().iter().map(|shape| shape.name).collect();
        assert_eq!(names, ["age", "name"]);
    }
}
