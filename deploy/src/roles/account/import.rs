//! `arb account import-keys`: the keys of a `keys.json` as accounts, one for each name, so that their holders keep them.
//!
//! What was imported before stays as it is. It never changes the file.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, bail};
use arb_accounts::command::{Command, NewKey};
use arb_accounts::key::Mode;
use arb_accounts::plan::Plan;
use arb_accounts::secrets::Pepper;
use serde::Deserialize;

use crate::cli::Brokers;
use crate::roles::account::client::AccountsClient;
use crate::roles::account::default_permissions;
use crate::system::{output, pepper};

/// A key as the file has it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
struct ImportedKey {
    name: String,
    hmac: String,
    #[serde(default)]
    plan: Plan,
}

/// The keys of one name: by their kids.
type Holder = BTreeMap<String, ImportedKey>;

pub(super) fn run(file: &Path, own_pepper: &Path, brokers: &Brokers) -> anyhow::Result<()> {
    let holders = read(file)?;
    let pepper = take_pepper(&file.with_extension("pepper"), own_pepper)?;
    let mut client = AccountsClient::open(brokers)?;
    let (mut imported, mut known) = (0, 0);
    for (name, keys) in holders {
        let account = account(&mut client, &pepper, &name, &keys)?;
        for (kid, key) in keys {
            let there = client.directory().key(&kid).map(|there| there.hmac == key.hmac);
            if there == Some(false) {
                bail!("another key has the kid {kid} of {name}");
            }
            let is_new = there.is_none() && create(&mut client, &account, &kid, key).context(name.clone())?;
            if is_new {
                imported += 1;
            } else {
                known += 1;
            }
        }
    }
    output::write(format_args!("imported {imported} keys; {known} were there already\n"))
}

/// The file's keys by their names.
fn read(file: &Path) -> anyhow::Result<BTreeMap<String, Holder>> {
    let text = fs::read(file).with_context(|| file.display().to_string())?;
    let keys: Holder = serde_json::from_slice(&text).with_context(|| file.display().to_string())?;
    let mut holders = BTreeMap::<_, Holder>::new();
    for (kid, key) in keys {
        holders.entry(key.name.clone()).or_default().insert(kid, key);
    }
    Ok(holders)
}

/// The keys are hashed under the pepper beside them, so it must be ours; it becomes ours where there is none.
fn take_pepper(theirs: &Path, own: &Path) -> anyhow::Result<Pepper> {
    let bytes = pepper::bytes(theirs)?;
    pepper::create(own, &bytes)?;
    if pepper::bytes(own)? != bytes {
        bail!(
            "{} is another pepper than {}: keys that were hashed under it cannot be imported",
            own.display(),
            theirs.display()
        );
    }
    Ok(Pepper::new(&bytes))
}

/// The account of a name, created where there is none.
fn account(
    client: &mut AccountsClient,
    pepper: &Pepper,
    name: &str,
    keys: &Holder,
) -> anyhow::Result<String> {
    let account = pepper.derive_account_id(&format!("import/{name}"));
    if client.directory().account(&account).is_none() {
        let email = format!("{}@imported.invalid", account.to_lowercase());
        let plan = keys.values().map(|key| key.plan).max().unwrap_or_default();
        let created = client.ask(Command::CreateAccount {
            account: account.clone(),
            email,
            password: None,
            plan,
            invitation: None,
        });
        // A command that an earlier import has left may have been carried out before ours.
        if client.directory().account(&account).is_none() {
            created?;
        }
    }
    Ok(account)
}

/// Creates a key, unless a command that an earlier import has left has created it meanwhile; whether it did.
fn create(client: &mut AccountsClient, account: &str, kid: &str, key: ImportedKey) -> anyhow::Result<bool> {
    let created = client.ask(Command::CreateKey(NewKey {
        account: account.to_owned(),
        kid: kid.to_owned(),
        hmac: key.hmac.clone(),
        name: key.name,
        mode: Mode::Live,
        permissions: default_permissions(),
    }));
    let is_there = client.directory().key(kid).is_some_and(|there| there.hmac == key.hmac);
    match created {
        Err(_) if is_there => Ok(false),
        created => created.map(|()| true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_grouped_by_their_names() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("keys.json");
        let text = r#"{"a": {"name": "x", "hmac": "1", "plan": "pro"}, "b": {"name": "y", "hmac": "2"},
            "c": {"name": "x", "hmac": "3"}}"#;
        fs::write(&file, text).unwrap();
        let holders = read(&file).unwrap();
        let kids = |name: &str| holders[name].keys().map(String::as_str).collect::<Vec<_>>();
        assert_eq!((kids("x"), kids("y")), (vec!["a", "c"], vec!["b"]));
        assert_eq!(holders["x"]["a"].plan, Plan::Pro);
        fs::write(&file, "[]").unwrap();
        assert!(read(&file).unwrap_err().to_string().contains("keys.json"));
    }

    #[test]
    fn the_pepper_of_the_keys_becomes_ours_or_is_ours() {
        let folder = tempfile::tempdir().unwrap();
        let (theirs, own) = (folder.path().join("keys.pepper"), folder.path().join("pepper"));
        fs::write(&theirs, [1; 32]).unwrap();
        let hmac = |pepper: Pepper| pepper.hmac("x");
        let first = hmac(take_pepper(&theirs, &own).unwrap());
        assert_eq!(hmac(take_pepper(&theirs, &own).unwrap()), first);
        fs::write(&own, [2; 32]).unwrap();
        assert!(take_pepper(&theirs, &own).unwrap_err().to_string().contains("another pepper"));
    }
}
