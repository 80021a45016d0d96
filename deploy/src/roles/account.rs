//! `arb account`: what an operator does about accounts. Each action is a command of an operator, whose reply is read back.
//!
//! It never writes the state itself, and prints a key once, when it is created.

mod books;
pub(crate) mod client;
mod show;

use anyhow::{Context, anyhow, bail};
use arb_accounts::account::Account as Holder;
use arb_accounts::command::{Command, NewKey};
use arb_accounts::key::{Mode, Permissions};
use arb_accounts::password::{self, SALT};
use arb_accounts::plan::Plan;
use arb_accounts::reply::Refusal;
use arb_accounts::scope::Scope;
use arb_accounts::secrets::{self, Pepper};

use self::client::AccountsClient;
use crate::cli::{Account, AccountAction, Brokers, CreateAccount};
use crate::roles::sources;
use crate::system::{output, password as typed, pepper, random};

pub(crate) fn run(config: &Account) -> anyhow::Result<()> {
    match &config.action {
        AccountAction::Create(create) => self::create(create),
        AccountAction::ResetPassword { account, password, brokers } => {
            let hash = hash(&typed::read(password.password_file.as_deref())?)?;
            change(brokers, account, |account| Command::ChangePassword {
                account,
                password: hash,
                revision: None,
                keep: None,
            })
        }
        AccountAction::List { brokers } => show::list(brokers),
        AccountAction::SetPlan { account, plan, brokers } => {
            change(brokers, account, |account| Command::SetPlan { account, plan: plan_of(*plan) })
        }
        AccountAction::Grant { account, scopes, books, source, public, brokers } => {
            let scopes = scopes.iter().map(|text| scope(text)).collect::<anyhow::Result<_>>()?;
            if *public {
                books::refuse_those_of_others(brokers, source.as_deref(), books)?;
            }
            let (books, source, is_public) = (books.clone(), source.clone(), *public);
            change_source(brokers, account, |account| Command::Grant {
                account,
                scopes,
                books,
                source,
                is_public,
            })
        }
        AccountAction::Disable { account, brokers } => {
            change_source(brokers, account, |account| Command::SetDisabled { account, is_disabled: true })
        }
        AccountAction::Erase { account, brokers } => {
            change_source(brokers, account, |account| Command::EraseAccount { account })
        }
        AccountAction::Enable { account, brokers } => {
            change(brokers, account, |account| Command::SetDisabled { account, is_disabled: false })
        }
        AccountAction::Audit { account, brokers } => show::audit(brokers, account.as_deref()),
    }
}

/// A plan as accounts have it.
pub(crate) fn plan_of(name: crate::cli::PlanName) -> Plan {
    match name {
        crate::cli::PlanName::Free => Plan::Free,
        crate::cli::PlanName::Pro => Plan::Pro,
        crate::cli::PlanName::Enterprise => Plan::Enterprise,
    }
}

fn scope(text: &str) -> anyhow::Result<Scope> {
    Scope::parse(text).ok_or_else(|| anyhow!("{text} is no scope"))
}

fn hash(password: &str) -> anyhow::Result<String> {
    Ok(password::hash(password, &random::bytes::<SALT>()?)?)
}

fn create(config: &CreateAccount) -> anyhow::Result<()> {
    let password = Some(hash(&typed::read(config.password.password_file.as_deref())?)?);
    let mut client = AccountsClient::open(&config.brokers)?;
    // Before anything is created: what has no pepper has no key.
    let are_accounts = || Ok(client.directory().accounts().len() > 0);
    let pepper = pepper::read_or_create(&config.pepper.pepper, are_accounts)?;
    let account = secrets::new_account_id(&random::bytes()?);
    let (email, plan) = (config.email.clone(), plan_of(config.plan));
    client.ask(Command::CreateAccount {
        account: account.clone(),
        email,
        password,
        plan,
        invitation: None,
    })?;
    output::write(format_args!("account {account}\n"))?;
    if let Some(name) = &config.key_name {
        let key = secrets::new_key(Mode::Live, &random::bytes()?);
        client.ask(Command::CreateKey(new_key(&pepper, account, name, &key)))?;
        output::write(format_args!("key {key}\n"))?;
    }
    Ok(())
}

/// A key of an account with the scopes of one that names none.
pub(crate) fn new_key(pepper: &Pepper, account: String, name: &str, key: &str) -> NewKey {
    NewKey {
        account,
        kid: secrets::parse_key(key).map(|parsed| parsed.kid.to_owned()).unwrap_or_default(),
        hmac: pepper.hmac(key),
        name: name.to_owned(),
        mode: Mode::Live,
        // All reads and scans, for ever, from everywhere.
        permissions: Permissions {
            scopes: Scope::DEFAULT.to_vec(),
            expires_at: None,
            cidrs: Vec::new(),
            monthly_cap: None,
        },
    }
}

/// Changes an account that is named by its id or e-mail.
fn change(brokers: &Brokers, name: &str, command: impl FnOnce(String) -> Command) -> anyhow::Result<()> {
    change_found(&mut AccountsClient::open(brokers)?, name, command).map(drop)
}

/// The same of what an account may push: the prices of a source that is no more, or that others see from now on, are withdrawn.
fn change_source(
    brokers: &Brokers,
    name: &str,
    command: impl FnOnce(String) -> Command,
) -> anyhow::Result<()> {
    let mut client = AccountsClient::open(brokers)?;
    let before = change_found(&mut client, name, command)?;
    let still_pushes = client.find(&before.id).is_some_and(|after| {
        let is_same = (&after.source, after.is_public) == (&before.source, before.is_public);
        is_same && may_push(after) && before.books.iter().all(|book| after.books.contains(book))
    });
    match before.source.as_deref().filter(|_| may_push(&before) && !still_pushes) {
        Some(source) => sources::withdraw(brokers, source, &[before.is_public]).with_context(|| {
            format!("the account is changed; withdraw its prices by arb sources withdraw {source}")
        }),
        None => Ok(()),
    }
}

fn may_push(account: &Holder) -> bool {
    !account.is_disabled && account.may_have(Scope::TicksWrite)
}

/// Changes an account; what it was before is returned.
fn change_found(
    client: &mut AccountsClient,
    name: &str,
    command: impl FnOnce(String) -> Command,
) -> anyhow::Result<Holder> {
    let Some(account) = client.find(name).cloned() else {
        bail!("{name}: {}", Refusal::NoAccount);
    };
    client.ask(command(account.id.clone()))?;
    Ok(account)
}
