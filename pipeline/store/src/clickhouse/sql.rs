//! The roles as SQL, for a server whose users are made by SQL.
//!
//! Every statement can be run again: a user keeps its name, and has afterwards exactly the rights of the list. A
//! password travels as its digest.

use super::roles::{Quota, Role, Setting};
use super::{Error, Settings, sha256};

/// Creates the users on a server, or resets them to their definition, as a user who may: each with its
/// password.
///
/// # Errors
/// When a statement is refused.
pub async fn create_roles(settings: &Settings, roles: &[(Role, String)]) -> Result<(), Error> {
    let client = settings.client()?;
    for (role, password) in roles {
        for statement in role_statements(role, password) {
            settings.ask(client.query_raw(&statement).execute()).await?;
        }
    }
    Ok(())
}

/// The statements of one role. Its rights are replaced in one statement, so that it is never without.
#[must_use]
pub fn role_statements(role: &Role, password: &str) -> Vec<String> {
    let (name, digest) = (&*role.user, sha256(password));
    let identified = format!("IDENTIFIED WITH sha256_hash BY '{digest}'");
    let settings: Vec<_> = role.settings.iter().map(setting).collect();
    let settings =
        if settings.is_empty() { String::new() } else { format!(" SETTINGS {}", settings.join(", ")) };
    let mut statements = vec![
        format!("CREATE SETTINGS PROFILE OR REPLACE arb_{name}{settings}"),
        format!("CREATE USER IF NOT EXISTS {name} {identified}"),
        format!("ALTER USER {name} {identified} SETTINGS PROFILE arb_{name}"),
        format!("GRANT {} TO {name} WITH REPLACE OPTION", role.grants.join(", ")),
    ];
    statements.extend(role.quota.map(|quota| quota_of(name, quota)));
    statements
}

fn setting(Setting { name, value, range }: &Setting) -> String {
    let range =
        range.map_or_else(String::new, |(min, max)| format!(" MIN {min} MAX {max} CHANGEABLE_IN_READONLY"));
    let value = if value.parse::<u64>().is_ok() { (*value).to_owned() } else { format!("'{value}'") };
    format!("{name} = {value}{range}")
}

fn quota_of(name: &str, Quota { queries, execution_seconds }: Quota) -> String {
    format!(
        "CREATE QUOTA OR REPLACE arb_{name} FOR INTERVAL 1 hour MAX queries = {queries}, execution_time = \
         {execution_seconds} TO {name}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use arb_schemas::clickhouse::Databases;

    use crate::clickhouse::roles;

    #[test]
    fn the_analyst_in_sql() {
        let [.., analyst] = roles::all(&Databases::default());
        let digest = sha256("abc");
        assert_eq!(digest, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(role_statements(&analyst, "abc"), [
            "CREATE SETTINGS PROFILE OR REPLACE arb_analyst SETTINGS readonly = 1, max_execution_time = 30 MIN 1 MAX \
             60 CHANGEABLE_IN_READONLY, max_memory_usage = 1000000000, max_result_rows = 1000000, max_result_bytes = \
             268435456, result_overflow_mode = 'throw', max_concurrent_queries_for_user = 20"
                .to_owned(),
            format!("CREATE USER IF NOT EXISTS analyst IDENTIFIED WITH sha256_hash BY '{digest}'"),
            format!(
                "ALTER USER analyst IDENTIFIED WITH sha256_hash BY '{digest}' SETTINGS PROFILE arb_analyst"
            ),
            "GRANT SELECT ON arb.* TO analyst WITH REPLACE OPTION".to_owned(),
            "CREATE QUOTA OR REPLACE arb_analyst FOR INTERVAL 1 hour MAX queries = 20000, execution_time = 7200 TO \
             analyst"
                .to_owned(),
        ]);
    }

    #[test]
    fn the_writer_has_no_right_over_a_whole_database() {
        let [_, writer, ..] = roles::all(&Databases::default());
        assert!(writer.grants.iter().all(|grant| !grant.contains('*')), "{:?}", writer.grants);
    }
}
