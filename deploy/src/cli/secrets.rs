//! The variables that hold secrets, and which process of ours may see which.
//!
//! A child inherits the environment of its parent: whoever starts one takes from it what it has no need of. No secret is
//! read here.

use std::process::Command;

use super::live;

/// Of the sink.
pub(super) const WRITER: &str = "CLICKHOUSE_WRITER_PASSWORD";
/// Of whoever brings the schema up to date.
pub(super) const MIGRATOR: &str = "CLICKHOUSE_MIGRATOR_PASSWORD";
/// Of analysts: only to make their user.
pub(super) const ANALYST: &str = "CLICKHOUSE_ANALYST_PASSWORD";
/// Of whoever makes users.
pub(super) const ADMIN: &str = "CLICKHOUSE_ADMIN_PASSWORD";

/// Of every client of Kafka: the password of SASL PLAIN and SCRAM.
pub(super) const KAFKA: &str = "KAFKA_PASSWORD";
/// The same for SASL OAUTHBEARER: the secret that tokens are issued for.
pub(super) const KAFKA_OAUTH: &str = "KAFKA_OAUTH_CLIENT_SECRET";

const ALL: [&str; 7] = [live::KEY, WRITER, MIGRATOR, ANALYST, ADMIN, KAFKA, KAFKA_OAUTH];

/// Takes every secret from a command's environment, but those that this role of ours needs; a program that is not ours
/// needs none.
pub fn hide(command: &mut Command, role: Option<&str>) {
    let needed: &[&str] = match role {
        Some("ingest") => &[KAFKA, KAFKA_OAUTH, live::KEY],
        Some("sink") => &[KAFKA, KAFKA_OAUTH, WRITER],
        Some("process" | "serve") => &[KAFKA, KAFKA_OAUTH],
        _ => &[],
    };
    for name in ALL.iter().filter(|name| !needed.contains(name)) {
        command.env_remove(name);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::CommandFactory;

    use super::super::Cli;
    use super::*;

    fn hidden(role: Option<&str>) -> BTreeSet<String> {
        let mut command = Command::new("true");
        hide(&mut command, role);
        let names = command.get_envs().filter(|(_, value)| value.is_none());
        names.map(|(name, _)| name.to_str().unwrap().to_owned()).collect()
    }

    /// What a command and those below it read from the environment and do not show.
    fn secrets(command: &clap::Command, found: &mut BTreeSet<String>) {
        let arguments = command.get_arguments().filter(|argument| argument.is_hide_env_values_set());
        found.extend(arguments.filter_map(|argument| Some(argument.get_env()?.to_str()?.to_owned())));
        command.get_subcommands().for_each(|command| secrets(command, found));
    }

    #[test]
    fn every_secret_is_known_and_each_role_sees_its_own() {
        let mut all = BTreeSet::from([live::KEY.to_owned()]);
        secrets(&Cli::command(), &mut all);
        assert_eq!(hidden(None), all);
        assert_eq!(all.len(), ALL.len());
        let kafka = [KAFKA, KAFKA_OAUTH];
        for (role, own) in
            [("ingest", Some(live::KEY)), ("sink", Some(WRITER)), ("process", None), ("serve", None)]
        {
            let is_needed = |name: &str| Some(name) == own || kafka.contains(&name);
            let rest: BTreeSet<_> = all.iter().filter(|name| !is_needed(name)).cloned().collect();
            assert_eq!(hidden(Some(role)), rest, "{role}");
        }
        assert_eq!(hidden(Some("kafka")), all);
    }
}
