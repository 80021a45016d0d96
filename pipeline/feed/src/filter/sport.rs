//! The filter by sport or league, for lists and for the feed.
//!
//! The same words on all of them. It never changes the content of an entry, only whether it is shown.

use serde::{Deserialize, Serialize};

use super::parameter::{self, InvalidParameter};

/// A sport (`soccer`) or a league (`soccer_fifa_world_cup`); all of them unless one is named.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Sport(Option<String>);

impl Sport {
    /// From the parameter `sport`.
    ///
    /// # Errors
    /// For what is no name.
    pub fn parse(name: &str) -> Result<Self, InvalidParameter> {
        Ok(Self(Some(parameter::name("sport", name, "must be a sport or a league key")?)))
    }

    /// From the parameter `league`; a league is no sport.
    ///
    /// # Errors
    /// For what is no key of a league.
    pub fn parse_league(name: &str) -> Result<Self, InvalidParameter> {
        let league = parameter::name("league", name, "must be a league key")?;
        let is_league = league.contains('_');
        is_league
            .then_some(Self(Some(league)))
            .ok_or_else(|| InvalidParameter::new("league", "must be a league key, as soccer_epl"))
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
        assert!(Sport::parse("").is_err() && Sport::parse(&"s".repeat(101)).is_err());
    }
}
