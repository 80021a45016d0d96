//! `arb topics rights`: the table of rights, for people, and for programs that create users and ACLs.
//!
//! It never asks a broker.

use arb_schemas::topics::Topic;
use arb_schemas::topics::rights::{self, Group, Rights, Use};
use serde_json::{Value, json};

use crate::system::output;

pub(super) fn list(json: bool) -> anyhow::Result<()> {
    if json {
        let lines: Vec<_> = rights::ALL.iter().map(|one| object(one).to_string()).collect();
        return output::write(format_args!("[\n{}\n]\n", lines.join(",\n")));
    }
    output::write("| role | reads | writes | groups | transactional ids |\n|---|---|---|---|---|\n")?;
    rights::ALL.iter().try_for_each(|one| output::write(format_args!("{}\n", row(one))))
}

fn names(topics: &[Topic]) -> Vec<&'static str> {
    topics.iter().map(|topic| topic.name).collect()
}

/// What Kafka calls it: operations that do not follow from another one.
fn operations(group: &Group) -> &'static [&'static str] {
    match group.used {
        Use::Join => &["Read"],
        Use::Look => &["Describe"],
        Use::CommitAndDelete => &["Read", "Delete"],
    }
}

fn object(rights: &Rights) -> Value {
    let group = |group: &Group| json!({ "name": group.name, "prefix": group.is_prefix, "operations": operations(group) });
    json!({
        "role": rights.role,
        "reads": names(rights.reads),
        "writes": names(rights.writes),
        "groups": rights.groups.iter().map(group).collect::<Vec<_>>(),
        "transactions": rights.transactions,
        "creates": rights.creates,
    })
}

/// As the table that docs/operations/deploy.md shows.
fn row(rights: &Rights) -> String {
    let listed = |topics: &[Topic]| {
        let all = topics.len() == arb_schemas::topics::ALL.len();
        if all {
            "all".to_owned()
        } else {
            or_none(&names(topics).iter().map(|name| format!("`{name}`")).collect::<Vec<_>>())
        }
    };
    let group = |group: &Group| {
        let name = format!("`{}{}`", group.name, if group.is_prefix { "*" } else { "" });
        match group.used {
            Use::Join => name,
            Use::Look | Use::CommitAndDelete => format!("{name} ({})", operations(group).join(", ")),
        }
    };
    let role = rights.role;
    let role = if rights.creates { format!("{role}, which creates topics") } else { format!("`arb {role}`") };
    format!(
        "| {role} | {} | {} | {} | {} |",
        listed(rights.reads),
        listed(rights.writes),
        or_none(&rights.groups.iter().map(group).collect::<Vec<_>>()),
        rights.transactions.map_or_else(|| "none".to_owned(), |start| format!("`{start}*`")),
    )
}

fn or_none(list: &[String]) -> String {
    if list.is_empty() { "none".to_owned() } else { list.join(", ") }
}

#[cfg(test)]
mod tests {
    use arb_accounts::machine::AccountsMachine;
    use arb_deliver::machine::DeliverMachine;
    use arb_process::machine::OddsMachine;
    use arb_runtime::machine::Machine;
    use arb_settle::machine::SettleMachine;

    use super::*;

    /// Who takes a partition over reads what the owner before has left open in whatever a transaction of the machine writes.
    #[test]
    fn a_machine_may_write_and_read_what_its_transactions_write() {
        for (role, topics) in [
            ("accounts", AccountsMachine::TOPICS),
            ("deliver", DeliverMachine::TOPICS),
            ("process", OddsMachine::TOPICS),
            ("settle", SettleMachine::TOPICS),
        ] {
            let rights = rights::ALL.iter().find(|rights| rights.role == role).unwrap();
            let has = |list: &[Topic], name: &str| list.iter().any(|topic| topic.name == name);
            for Topic { name, .. } in topics.written() {
                assert!(has(rights.writes, name) && has(rights.reads, name), "{role}: {name}");
            }
        }
    }
}
