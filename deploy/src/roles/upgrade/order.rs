//! Which role is upgraded next: readers of a topic before its writers, as `docs/operations/upgrade.md` has it.
//!
//! It is pure, and asks nobody.

use std::fmt;

/// The steps, each with how it is done.
pub(super) const ORDER: [(&[&str], &str); 7] = [
    (&["sink"], "all instances, after `arb migrate`: stop the old ones in order, start the new ones"),
    (&["serve"], "one instance after the other, each until it is ready"),
    (&["accounts"], "the standby first, then the owner"),
    (&["deliver"], "one instance after the other"),
    (&["settle", "bots"], "`arb settle` first, one instance after the other"),
    (&["process"], "one instance after the other"),
    (&["ingest"], "a standby or another worker takes over meanwhile"),
];

/// A version, by its numbers.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Version(Vec<u64>);

impl Version {
    /// Of its text; what follows a hyphen or a plus does not count.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let numbers = text.split(['-', '+']).next()?.split('.');
        numbers.map(|number| number.parse().ok()).collect::<Option<_>>().map(Self)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers: Vec<_> = self.0.iter().map(u64::to_string).collect();
        formatter.write_str(&numbers.join("."))
    }
}

/// An instance that answers.
#[derive(Debug, Clone)]
pub(super) struct Instance {
    pub(super) address: String,
    pub(super) role: String,
    pub(super) version: Version,
    pub(super) is_ready: bool,
}

/// What is to be done.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// All of them have this version and are ready.
    Done,
    /// These are next.
    Next(String),
    /// Nothing, for this reason.
    NotYet(String),
}

/// What is to be done to have all instances at a version.
pub(super) fn next(instances: &[Instance], wanted: &Version) -> Verdict {
    let named = |one: &Instance| format!("{} at {}", one.role, one.address);
    if let Some(newer) = instances.iter().find(|one| one.version > *wanted) {
        let (name, version) = (named(newer), &newer.version);
        return Verdict::NotYet(format!(
            "{name} runs {version}, and this program is {wanted}: ask that version"
        ));
    }
    for (place, (roles, how)) in ORDER.iter().enumerate() {
        let of_step = || instances.iter().filter(|one| roles.contains(&one.role.as_str()));
        if let Some(ill) = of_step().find(|one| one.version == *wanted && !one.is_ready) {
            let name = named(ill);
            return Verdict::NotYet(format!(
                "{name} runs {wanted} and is not ready: wait for its /readyz, or read its log"
            ));
        }
        let old: Vec<_> = of_step().filter(|one| one.version < *wanted).map(named).collect();
        if old.is_empty() {
            continue;
        }
        let mut text = format!("{}: {how}", old.join(", "));
        let is_later = |one: &&Instance| {
            let later = ORDER.iter().skip(place + 1).any(|(roles, _)| roles.contains(&one.role.as_str()));
            later && one.version == *wanted
        };
        let early: Vec<_> = instances.iter().filter(is_later).map(named).collect();
        if !early.is_empty() {
            text = format!(
                "{text}. At once: {} run {wanted} already, which these may not be able to read",
                early.join(", ")
            );
        }
        return Verdict::Next(text);
    }
    Verdict::Done
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> Version {
        Version::parse(text).unwrap()
    }

    fn instances(all: &[(&str, &str, bool)]) -> Vec<Instance> {
        let instance = |(place, (role, text, is_ready)): (usize, &(&str, &str, bool))| Instance {
            address: format!("h{place}"),
            role: (*role).to_owned(),
            version: version(text),
            is_ready: *is_ready,
        };
        all.iter().enumerate().map(instance).collect()
    }

    fn next_of(all: &[(&str, &str, bool)]) -> String {
        format!("{:?}", next(&instances(all), &version("0.2.0")))
    }

    #[test]
    fn versions_are_compared_by_their_numbers() {
        assert!(version("0.10.0") > version("0.9.1"));
        assert_eq!(version("0.2.0-rc1"), version("0.2.0"));
        assert_eq!(Version::parse("unknown"), None);
    }

    #[test]
    fn readers_come_before_writers_and_each_step_waits_until_the_one_before_is_ready() {
        let mut roles: Vec<_> =
            ["ingest", "process", "bots", "settle", "deliver", "accounts", "serve", "serve", "sink"]
                .map(|role| (role, "0.1.0", true))
                .to_vec();
        let mut order = Vec::new();
        while let Verdict::Next(text) = next(&instances(&roles), &version("0.2.0")) {
            let role = text.split_whitespace().next().unwrap().to_owned();
            for one in roles.iter_mut().filter(|(name, ..)| *name == role) {
                (one.1, one.2) = ("0.2.0", false);
            }
            let ill = next_of(&roles);
            assert!(ill.contains("NotYet") && ill.contains("is not ready"), "{role}: {ill}");
            for one in &mut roles {
                one.2 = true;
            }
            order.push(role);
        }
        assert_eq!(order, ["sink", "serve", "accounts", "deliver", "bots", "settle", "process", "ingest"]);
        assert!(next_of(&roles).contains("Done"));
    }

    #[test]
    fn a_writer_that_was_early_is_named_and_a_newer_instance_ends_it() {
        let early = next_of(&[("sink", "0.1.0", true), ("process", "0.2.0", true)]);
        assert!(early.contains("sink at h0") && early.contains("At once: process at h1"), "{early}");
        let newer = next_of(&[("sink", "0.3.0", true)]);
        assert!(newer.contains("NotYet") && newer.contains("this program is 0.2.0"), "{newer}");
    }

    #[test]
    fn every_role_has_a_step() {
        use arb_runtime::telemetry::Role;
        for role in crate::roles::admin::ROLES.map(Role::key) {
            assert_eq!(ORDER.iter().filter(|(roles, _)| roles.contains(&role)).count(), 1, "{role}");
        }
    }
}
