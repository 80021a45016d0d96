//! Which role sees which secret of the environment.
//!
//! No secret is read here; the list is `arb_setup::secrets`.

use std::process::Command;

use arb_setup::secrets::ALL;
pub(super) use arb_setup::secrets::{
    ADMIN, ANALYST, API_KEY, KAFKA, KAFKA_OAUTH, MIGRATOR, ODDS_API_KEY, READER, WRITER,
};

/// Removes every secret from a command's environment except those that this role needs.
pub fn hide(command: &mut Command, role: &str) {
    let needed: &[&str] = match role {
        "ingest" => &[KAFKA, KAFKA_OAUTH, ODDS_API_KEY],
        "sink" => &[KAFKA, KAFKA_OAUTH, WRITER],
        "serve" => &[KAFKA, KAFKA_OAUTH, READER],
        "process" | "deliver" | "settle" | "bots" => &[KAFKA, KAFKA_OAUTH],
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

    fn hidden(role: &str) -> BTreeSet<String> {
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
        let mut all = BTreeSet::from([ODDS_API_KEY.to_owned()]);
        secrets(&Cli::command(), &mut all);
        assert_eq!(all, ALL.map(str::to_owned).into());
        let kafka = [KAFKA, KAFKA_OAUTH];
        let roles = [
            ("ingest", Some(ODDS_API_KEY)),
            ("sink", Some(WRITER)),
            ("process", None),
            ("serve", Some(READER)),
        ];
        for (role, own) in roles {
            let is_needed = |name: &str| Some(name) == own || kafka.contains(&name);
            let rest: BTreeSet<_> = all.iter().filter(|name| !is_needed(name)).cloned().collect();
            assert_eq!(hidden(role), rest, "{role}");
        }
        assert_eq!(hidden("kafka"), all);
    }
}
