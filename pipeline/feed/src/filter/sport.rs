//! The filter by sport or league, for lists and for the feed.
//!
//! The same words on all of them. It never changes the content of an entry, only whether it is shown.

use serde::{Deserialize, Serialize};

use super::parameter::{MAX_NAME, NAME, Parameter, Values, is_name};

/// The parameter of a sport or a league.
pub const SPORT: &Parameter<Sport> = &Parameter::new(
    "sport",
    "A sport or a league, as GET /v1/sports lists them; one that does not exist is 400.",
    NAME,
    |_, key| Sport::parse(key),
)
.because("must be a sport or a league key");
/// The parameter of a league.
pub const LEAGUE: &Parameter<Sport> = &Parameter::new(
    "league",
    "A league, as GET /v1/sports lists them; one that does not exist is 400.",
    Values::Text { least: 1, most: MAX_NAME, pattern: Some("_") },
    |_, key| Sport::parse_league(key),
)
.because("must be a league key, as soccer_epl");

/// A sport (`soccer`) or a league (`soccer_fifa_world_cup`); all of them unless one is named.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Sport(Option<String>);

impl From<Sport> for Option<String> {
    fn from(Sport(key): Sport) -> Self {
        key
    }
}

impl Sport {
    /// From its key.
    #[must_use]
    pub fn parse(key: &str) -> Option<Self> {
        is_name(key).then(|| Self(Some(key.to_owned())))
    }

    /// From the key of a league; a league is no sport.
    #[must_use]
    pub fn parse_league(key: &str) -> Option<Self> {
        Self::parse(key).filter(|_| key.contains('_'))
    }

    /// Its name, if one is named.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.0.as_deref()
    }

    /// Bytes of its name.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.0.as_ref().map_or(0, String::len)
    }

    /// Whether what is of this sport and league is shown.
    #[must_use]
    pub fn is(&self, sport: &str, league: &str) -> bool {
        self.0.as_deref().is_none_or(|name| name == sport || name == league)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sport_is_named_by_its_key_or_its_leagues() {
        let named = |name| Sport::parse(name).unwrap();
        for (name, expected) in
            [("soccer", true), ("soccer_test", true), ("soccer_other", false), ("socc", false)]
        {
            assert_eq!(named(name).is("soccer", "soccer_test"), expected, "{name}");
        }
        assert!(Sport::default().is("any", "of them"));
        assert!(Sport::parse("").is_none() && Sport::parse(&"s".repeat(101)).is_none());
    }
}
