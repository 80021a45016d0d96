//! What topics, groups and transactional ids are called in Kafka: the names of the program after the prefix of one environment,
//! so that several environments share a Kafka.
//!
//! It must never let a name with a prefix into a record, a header or an id: all that is published has the catalogue's names.

use std::collections::BTreeMap;

use arb_schemas::topics;

use super::settings_error::SettingsError;

/// The longest prefix: with it, the longest name of a topic or group stays below Kafka's 249 characters.
const LONGEST: usize = 100;

/// A prefix, and the catalogue's topics after it.
#[derive(Debug, Default)]
pub(super) struct Names {
    prefix: String,
    /// Names in Kafka by the catalogue's; empty without a prefix.
    topics: BTreeMap<&'static str, &'static str>,
}

impl Names {
    /// With a prefix, which may be empty.
    ///
    /// # Errors
    /// [`SettingsError::Options`] for one that Kafka would not take in a name.
    pub(super) fn new(prefix: &str) -> Result<Self, SettingsError> {
        let is_legal = |it: char| it.is_ascii_alphanumeric() || matches!(it, '.' | '_' | '-');
        if prefix.len() > LONGEST || !prefix.chars().all(is_legal) {
            let problem = format!(
                "--topic-prefix {prefix:?} must be at most {LONGEST} letters, digits, dots, underscores and hyphens"
            );
            return Err(SettingsError::Options(problem));
        }
        // A process has one prefix, and clients have the names as long as it lives.
        let named = |name| (name, &*format!("{prefix}{name}").leak());
        let all = topics::ALL.iter().filter(|_| !prefix.is_empty());
        Ok(Self { prefix: prefix.to_owned(), topics: all.map(|topic| named(topic.name)).collect() })
    }

    /// A topic of the catalogue.
    pub(super) fn topic(&self, name: &'static str) -> &'static str {
        self.topics.get(name).copied().unwrap_or(name)
    }

    /// A group, or a transactional id.
    pub(super) fn id(&self, id: &str) -> String {
        format!("{}{id}", self.prefix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_catalogues_after_the_prefix() {
        let (none, staging) = (Names::new("").unwrap(), Names::new("staging.").unwrap());
        assert_eq!((none.topic("odds.ticks.v1"), &*none.id("process")), ("odds.ticks.v1", "process"));
        for topic in topics::ALL {
            assert_eq!(staging.topic(topic.name), format!("staging.{}", topic.name));
        }
        assert_eq!(staging.id("process-0"), "staging.process-0");
    }

    #[test]
    fn a_prefix_that_no_name_may_have_is_refused() {
        for prefix in ["a b", "a/", "ä", &"a".repeat(LONGEST + 1)] {
            let error = Names::new(prefix).unwrap_err().to_string();
            assert!(error.starts_with("--topic-prefix "), "{error}");
        }
        assert!(Names::new(&"a".repeat(LONGEST)).is_ok());
    }
}
