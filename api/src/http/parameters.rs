//! A query's parameters. It never guesses: what is given twice, or too often, is refused. What its values are is
//! declared (`arb_feed::filter::parameter`).

use std::borrow::Cow;

use super::problem::Problem;

/// Most parameters of a query. No route has as many, and each is compared with all before it.
const MAX_PARAMETERS: usize = 16;

/// A name and its value.
type Parameter<'a> = (Cow<'a, str>, Cow<'a, str>);

/// A query's parameters, each given at most once.
pub(crate) fn parameters(query: &str) -> Result<Vec<Parameter<'_>>, Problem> {
    let mut seen: Vec<Parameter<'_>> = Vec::new();
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        if seen.len() == MAX_PARAMETERS {
            return Err(Problem::bad_request("There are more than 16 parameters."));
        }
        if seen.iter().any(|(other, _)| *other == name) {
            return Err(Problem::invalid_param(&name, "is given twice"));
        }
        seen.push((name, value));
    }
    Ok(seen)
}

/// Whether a query has a parameter.
pub(crate) fn has(query: &str, name: &str) -> bool {
    form_urlencoded::parse(query.as_bytes()).any(|(given, _)| given == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_few_and_each_is_given_once() {
        let query = |count: usize| (0..count).map(|index| format!("p{index}=")).collect::<Vec<_>>().join("&");
        assert_eq!(parameters(&query(MAX_PARAMETERS)).ok().unwrap().len(), MAX_PARAMETERS);
        assert!(parameters(&query(MAX_PARAMETERS + 1)).is_err());
        assert!(parameters("a=1&b=2&a=1").is_err());
    }
}
