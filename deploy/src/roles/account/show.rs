//! `arb account list` and `arb account audit`: what there is and what was done, a line each, separated by tabs.
//!
//! It shows no hash.

use std::time::{Duration, Instant};

use anyhow::bail;
use arb_accounts::account::Account;
use arb_accounts::directory::Directory;
use arb_kafka::{Table, TableEvent};
use arb_schemas::records::AccountAudit;
use arb_schemas::time::to_rfc3339;
use arb_schemas::topics::ACCOUNT_AUDIT;
use arb_schemas::wire;

use crate::cli::Brokers;
use crate::roles::account::client::AccountsClient;
use crate::roles::cluster;
use crate::system::output;

/// How long the audit may give nothing before its end.
const PATIENCE: Duration = Duration::from_secs(30);
const LOOK: Duration = Duration::from_millis(100);

pub(super) fn list(brokers: &Brokers) -> anyhow::Result<()> {
    let client = AccountsClient::open(brokers)?;
    output::write("id\temail\tplan\tstate\tkeys\tgranted\tcreated\n")?;
    client.directory().accounts().try_for_each(|account| output::write(line(client.directory(), account)))
}

fn line(directory: &Directory, account: &Account) -> String {
    let state = if account.is_disabled { "disabled" } else { "enabled" };
    let keys = directory.keys_of(&account.id).filter(|key| !key.is_expired(directory.clock())).count();
    let granted: Vec<_> = account.granted.iter().map(|scope| scope.key()).collect();
    let granted = if granted.is_empty() { "-".to_owned() } else { granted.join(",") };
    let created = to_rfc3339(account.created_at);
    let Account { id, email, plan, .. } = account;
    format!("{id}\t{email}\t{}\t{state}\t{keys}\t{granted}\t{created}\n", plan.key())
}

pub(super) fn audit(brokers: &Brokers, name: Option<&str>) -> anyhow::Result<()> {
    let account = match name {
        Some(name) => match AccountsClient::open(brokers)?.find(name) {
            Some(account) => Some(account.id.clone()),
            None => bail!("{name}: there is no such account"),
        },
        None => None,
    };
    let mut table = Table::open(&cluster::open(brokers)?, &ACCOUNT_AUDIT, ACCOUNT_AUDIT.partitions)?;
    let mut deadline = Instant::now() + PATIENCE;
    output::write("at\taccount\taction\tactor\tsubject\taddress\n")?;
    while Instant::now() < deadline {
        match table.next(LOOK)? {
            TableEvent::Put { value: Some(value), .. } => {
                deadline = Instant::now() + PATIENCE;
                let entry = wire::decode::<AccountAudit>(&value)?;
                if account.as_ref().is_none_or(|account| *account == entry.account) {
                    output::write(audit_line(&entry))?;
                }
            }
            TableEvent::CaughtUp => return Ok(()),
            TableEvent::Put { .. } | TableEvent::Idle => {}
        }
    }
    bail!("{} was not read to its end", ACCOUNT_AUDIT.name)
}

fn audit_line(entry: &AccountAudit) -> String {
    let or_none = |text: Option<&str>| text.filter(|text| !text.is_empty()).unwrap_or("-").to_owned();
    let actor = match &entry.actor_kid {
        Some(kid) => format!("{} {kid}", entry.actor),
        None => entry.actor.clone(),
    };
    let (subject, address) = (or_none(entry.subject.as_deref()), or_none(Some(&entry.address)));
    let AccountAudit { account, action, at, .. } = entry;
    format!("{}\t{account}\t{action}\t{actor}\t{subject}\t{address}\n", to_rfc3339(*at))
}
