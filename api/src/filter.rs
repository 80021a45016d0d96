//! What a caller wants to see of what is open and of the feed.
//!
//! The same words on all. A filter never changes what an entry says, only whether it is shown.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::problem::Problem;

/// Longest name of anything.
const MAX_NAME: usize = 100;

/// A sport (`soccer`) or a league (`soccer_fifa_world_cup`); all of them unless one is named.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Sport(Option<String>);

impl Sport {
    /// From a parameter.
    pub(crate) fn parse(name: &str) -> Result<Self, Problem> {
        Ok(Self(Some(self::name("sport", name, "must be a sport or a league key")?)))
    }

    /// Its name, if one is named.
    pub(crate) fn name(&self) -> Option<&str> {
        self.0.as_deref()
    }

    /// Bytes of its name.
    pub(crate) fn len(&self) -> usize {
        self.0.as_ref().map_or(0, String::len)
    }

    /// Whether what is of this sport and league is shown.
    pub(crate) fn is(&self, sport: &str, league: &str) -> bool {
        self.0.as_deref().is_none_or(|name| name == sport || name == league)
    }
}

/// A parameter's value as the name of something; the reason is what is said of one that is none.
pub(crate) fn name(parameter: &str, value: &str, reason: &'static str) -> Result<String, Problem> {
    let is_name = !value.is_empty() && value.len() <= MAX_NAME;
    is_name.then(|| value.to_owned()).ok_or_else(|| Problem::invalid_param(parameter, reason))
}

/// Most parameters of a query. No route has as many, and each is compared with all before it.
const MAX_PARAMETERS: usize = 16;

/// A name and its value.
type Parameter<'a> = (Cow<'a, str>, Cow<'a, str>);

/// A query's parameters, each given at most once; the handler refuses those that it does not know.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sport_is_named_by_its_key_or_its_leagues() {
        let named = |name| Sport::parse(name).ok().unwrap();
        for (name, expected) in
            [("soccer", true), ("soccer_test", true), ("soccer_other", false), ("socc", false)]
        {
            assert_eq!(named(name).is("soccer", "soccer_test"), expected, "{name}");
        }
        assert!(Sport::default().is("any", "of them"));
        assert!(Sport::parse("").is_err() && Sport::parse(&"s".repeat(101)).is_err());
    }

    #[test]
    fn parameters_are_few_and_each_is_given_once() {
        let query = |count: usize| (0..count).map(|index| format!("p{index}=")).collect::<Vec<_>>().join("&");
        assert_eq!(parameters(&query(MAX_PARAMETERS)).ok().unwrap().len(), MAX_PARAMETERS);
        assert!(parameters(&query(MAX_PARAMETERS + 1)).is_err());
        assert!(parameters("a=1&b=2&a=1").is_err());
    }
}
