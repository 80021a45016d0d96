//! The demonstration account of `arb up`: one account with one key, another one at each start, and a password that stays, by which the
//! printed address signs in to the page.
//!
//! It never changes another account.

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use arb_accounts::account::Account;
use arb_accounts::command::{Command, NewKey};
use arb_accounts::key::{Mode, Permissions};
use arb_accounts::password;
use arb_accounts::plan::Plan;
use arb_accounts::reply::Refusal;
use arb_accounts::scope::Scope;
use arb_accounts::secrets;
use arb_runtime::stop::Stop;

use crate::cli::Brokers;
use crate::roles::account::client::AccountsClient;
use crate::system::{pepper, random};

/// Its name.
const EMAIL: &str = "demonstration@localhost";
/// The source that it may push, and its one book.
const BOOK: &str = "demo";
/// The name of its key.
const NAME: &str = "arb up";
/// How often the first command is sent, each time with the same id: the accounts role may still be starting.
const ATTEMPTS: usize = 6;

/// What the account is entered by.
pub(super) struct Demonstration {
    pub(super) key: String,
    pub(super) password: String,
}

/// What it may do beyond every account: push odds and report results, as the documents show it.
const GRANTED: [Scope; 2] = [Scope::TicksWrite, Scope::ResultsWrite];

/// The files that it needs, each created where there is none.
pub(super) struct Files {
    pub(super) pepper: PathBuf,
    pub(super) password: PathBuf,
}

/// Creates its key, in place of that of the last start; the account where there is none.
pub(super) fn create(brokers: &Brokers, files: &Files, stop: &Stop) -> anyhow::Result<Demonstration> {
    pepper::create(&files.pepper, &random::bytes::<{ secrets::PEPPER }>()?)?;
    let pepper = pepper::read(&files.pepper)?;
    let password = stored_password(&files.password)?;
    let mut client = AccountsClient::open_until(brokers, stop.clone())?;
    let account = account(&mut client, &password, stop)?;
    set_password(&mut client, &account, &password)?;
    let earlier = client.directory().keys_of(&account).filter(|key| key.name == NAME);
    let earlier: Vec<_> = earlier.map(|key| key.kid.clone()).collect();
    for kid in earlier {
        revoke(&mut client, &account, kid)?;
    }
    client.ask(Command::Grant {
        account: account.clone(),
        scopes: GRANTED.to_vec(),
        books: vec![BOOK.to_owned()],
        source: Some(BOOK.to_owned()),
        is_public: false,
    })?;
    let key = secrets::new_key(Mode::Live, &random::bytes()?);
    let may_have = |scope: &Scope| !scope.is_granted() || GRANTED.contains(scope);
    let scopes = Scope::ALL.iter().copied().filter(may_have).collect();
    client.ask(Command::CreateKey(NewKey {
        account,
        kid: secrets::parse_key(&key).map(|parsed| parsed.kid.to_owned()).unwrap_or_default(),
        hmac: pepper.hmac(&key),
        name: NAME.to_owned(),
        mode: Mode::Live,
        permissions: Permissions { scopes, expires_at: None, cidrs: Vec::new(), monthly_cap: None },
    }))?;
    Ok(Demonstration { key, password })
}

/// The password of a file that only this user reads, so that sessions and the printed address outlive a restart.
fn stored_password(file: &Path) -> anyhow::Result<String> {
    pepper::create(file, secrets::new_token(&random::bytes()?).as_bytes())?;
    std::fs::read_to_string(file).with_context(|| file.display().to_string())
}

fn hash(password: &str) -> anyhow::Result<String> {
    Ok(password::hash(password, &random::bytes()?)?)
}

/// Gives an account of an earlier start, which may have another password or none, that of the file.
fn set_password(client: &mut AccountsClient, account: &str, password: &str) -> anyhow::Result<()> {
    let found: Option<&Account> = client.find(EMAIL);
    let has_it = found.is_some_and(|account| password::verify(password, account.password.as_deref()));
    if has_it {
        return Ok(());
    }
    let (account, password) = (account.to_owned(), hash(password)?);
    client.ask(Command::ChangePassword { account, password, revision: None, keep: None })
}

/// Ends a key of an earlier start. One that is gone has ended: a command of that start may be carried out only now.
fn revoke(client: &mut AccountsClient, account: &str, kid: String) -> anyhow::Result<()> {
    match client.request(request_id()?, Command::RevokeKey { account: account.to_owned(), kid })? {
        Ok(()) | Err(Refusal::NoKey) => Ok(()),
        Err(refusal) => Err(anyhow!("{refusal}")),
    }
}

fn request_id() -> anyhow::Result<String> {
    Ok(format!("operator/{:032x}", u128::from_be_bytes(random::bytes()?)))
}

/// The id of the account.
fn account(client: &mut AccountsClient, password: &str, stop: &Stop) -> anyhow::Result<String> {
    let found: Option<&Account> = client.find(EMAIL);
    if let Some(account) = found {
        return Ok(account.id.clone());
    }
    let request = request_id()?;
    let id = secrets::new_account_id(&random::bytes()?);
    let hash = hash(password)?;
    let mut attempts = ATTEMPTS;
    loop {
        let (account, email) = (id.clone(), EMAIL.to_owned());
        let create = Command::CreateAccount {
            account,
            email,
            password: Some(hash.clone()),
            plan: Plan::Enterprise,
            invitation: None,
        };
        attempts -= 1;
        match client.request(request.clone(), create) {
            // A command of an earlier start that nobody carried out then was carried out before this one.
            Ok(Err(Refusal::EmailTaken)) => {
                return client.find(EMAIL).map(|account| account.id.clone()).context("no account");
            }
            Ok(reply) => {
                reply.map_err(|refusal| anyhow!("{refusal}"))?;
                return Ok(id);
            }
            Err(error) if attempts == 0 || stop.is_stopped() => return Err(error),
            Err(error) => tracing::debug!(%error, "the accounts role does not answer yet"),
        }
    }
}
