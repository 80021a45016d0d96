//! The roles as the users file of a packaged server.
//!
//! It contains digests, never a password, and admits no connection from another machine.

use std::fmt::Write;

use super::roles::{Role, Setting};
use super::sha256;

/// The user as which the server runs the statement that keeps it up. ClickHouse lets that user in without a
/// password, so it may do nothing else: its quota is spent by the time that anybody could ask, and what no quota
/// counts (the one row of `system.one`) may take no memory.
const KEEPER: &str = "
    <default>
      <no_password/>
      <networks><ip>127.0.0.1</ip></networks>
      <profile>keeper</profile>
      <quota>keeper</quota>
      <grants>
        <query>GRANT SYSTEM LISTEN ON *.*</query>
        <query>GRANT READ ON FILE</query>
        <query>GRANT CREATE TEMPORARY TABLE ON *.*</query>
      </grants>
    </default>";
const KEEPER_PROFILE: &str = "
    <keeper>
      <max_memory_usage>33554432</max_memory_usage>
      <constraints><max_memory_usage><const/></max_memory_usage></constraints>
    </keeper>";
/// Two statements until 2038.
const KEEPER_QUOTA: &str = "
    <keeper><interval><duration>2147483647</duration><queries>2</queries></interval></keeper>";

/// The users file for these roles, each with its password; with the keeper for a server that needs one.
#[must_use]
pub fn users_xml(roles: &[(Role, String)], with_keeper: bool) -> String {
    let keeper = if with_keeper { [KEEPER_PROFILE, KEEPER_QUOTA, KEEPER] } else { [""; 3] };
    let [mut profiles, mut quotas, mut users] = keeper.map(str::to_owned);
    for (role, password) in roles {
        profiles += &profile(role);
        quotas += &quota(role);
        users += &user(role, password);
    }
    format!(
        "<clickhouse>\n  <profiles>\n    <default/>{profiles}\n  </profiles>\n  \
         <quotas>\n    <default/>{quotas}\n  </quotas>\n  \
         <users>{users}\n  </users>\n</clickhouse>\n"
    )
}

fn profile(role: &Role) -> String {
    let (mut values, mut constraints) = (String::new(), String::new());
    for Setting { name, value, range } in &role.settings {
        let _ = write!(values, "<{name}>{value}</{name}>");
        if let Some((min, max)) = range {
            let range = format!("<min>{min}</min><max>{max}</max><changeable_in_readonly/>");
            let _ = write!(constraints, "<{name}>{range}</{name}>");
        }
    }
    let name = &role.user;
    format!("\n    <{name}>{values}<constraints>{constraints}</constraints></{name}>")
}

fn quota(role: &Role) -> String {
    let limits = role.quota.map_or_else(String::new, |quota| {
        let (queries, seconds) = (quota.queries, quota.execution_seconds);
        format!(
            "<interval><duration>3600</duration><queries>{queries}</queries>\
             <execution_time>{seconds}</execution_time></interval>"
        )
    });
    let name = &role.user;
    format!("\n    <{name}>{limits}</{name}>")
}

fn user(role: &Role, password: &str) -> String {
    let (name, digest) = (&role.user, sha256(password));
    let grants = role.grants.iter().map(|grant| format!("\n        <query>GRANT {grant}</query>"));
    let grants = grants.collect::<Vec<_>>().concat();
    format!(
        "\n    <{name}>\n      <password_sha256_hex>{digest}</password_sha256_hex>\n      \
         <networks><ip>127.0.0.1</ip></networks>\n      <profile>{name}</profile>\n      <quota>{name}</quota>\n      \
         <grants>{grants}\n      </grants>\n    </{name}>"
    )
}
