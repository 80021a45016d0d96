//! What each command does. A command that is refused changes nothing.

use arb_schemas::records::AccountBankroll;

use crate::account::Account;
use crate::audit::Action;
use crate::command::{Actor, Command, Request};
use crate::directory::{Invitation, Part};
use crate::machine::AccountsConfig;
use crate::machine::authority;
use crate::machine::done::{Done, account, enabled_account};
use crate::machine::timed_directory::Draft;
use crate::machine::{endpoints, keys, quota, sessions, valid};
use crate::plan::Plan;
use crate::reply::{Refusal, Reply};
use crate::scope::Scope;

/// Carries a command out, or returns why not.
pub(super) fn carry_out(
    draft: &mut Draft,
    config: AccountsConfig,
    request: &Request,
) -> Result<Done, Refusal> {
    let authority = authority::of(draft.directory(), &request.actor, &request.command)?;
    match &request.command {
        Command::CreateAccount { account, email, password, plan, invitation } => {
            let (password, invitation) = (password.as_deref(), invitation.as_deref());
            let new = NewAccount { id: account, email, password, plan: *plan, invitation };
            create(draft, config, &request.actor, &new)
        }
        Command::ChangePassword { account, password, revision, keep } => {
            let change = sessions::Change { account, password, revision: *revision, keep: keep.as_deref() };
            sessions::change_password(draft, &request.actor, &change)
        }
        Command::SetBankroll { account, bankroll } => set_bankroll(draft, account, bankroll),
        Command::OpenSession { account, session, revision, seconds, replaces } => {
            let new = sessions::New { account, hash: session, revision: *revision, seconds: *seconds };
            sessions::open(draft, &request.address, &new, replaces.as_deref())
        }
        Command::CloseSession { session } => sessions::close(draft, &request.actor, session),
        Command::SetPlan { account, plan } => set_plan(draft, account, *plan),
        Command::Grant { account, scopes, books, source, is_public } => grant(
            draft,
            account,
            &Granted { scopes, books, source: source.as_deref(), is_public: *is_public },
        ),
        Command::SetDisabled { account, is_disabled } => set_disabled(draft, account, *is_disabled),
        Command::EraseAccount { account } => erase(draft, account),
        Command::CreateKey(new) => keys::create(draft, &authority, new),
        Command::RotateKey { account, kid, new_kid, hmac, grace_seconds } => {
            let rotation = keys::Rotation { account, kid, new_kid, hmac, grace_seconds: *grace_seconds };
            keys::rotate(draft, &authority, &rotation)
        }
        Command::SpendTicket { account, ticket } => spend_ticket(draft, account, ticket),
        Command::RevokeKey { account, kid } => keys::revoke(draft, &authority, account, kid),
        Command::CreateEndpoint { account, endpoint, settings } => {
            endpoints::create(draft, account, endpoint, settings)
        }
        Command::UpdateEndpoint { account, endpoint, settings } => {
            endpoints::update(draft, account, endpoint, settings)
        }
        Command::DeleteEndpoint { account, endpoint } => endpoints::delete(draft, account, endpoint),
        Command::RotateEndpoint { account, endpoint, overlap_seconds } => {
            endpoints::rotate(draft, account, endpoint, *overlap_seconds)
        }
        Command::SetEndpointState { endpoint, revision, state, reason } => {
            endpoints::set_state(draft, (endpoint, *revision), *state, reason.as_deref())
        }
    }
}

struct NewAccount<'a> {
    id: &'a str,
    email: &'a str,
    password: Option<&'a str>,
    plan: Plan,
    invitation: Option<&'a str>,
}

fn create(
    draft: &mut Draft,
    config: AccountsConfig,
    actor: &Actor,
    new: &NewAccount<'_>,
) -> Result<Done, Refusal> {
    let email = valid::email(new.email)?;
    valid::account_id(new.id)?;
    let is_operator = *actor == Actor::Operator;
    match new.password {
        Some(hash) => valid::password(hash)?,
        None if is_operator => {}
        None => return Err(valid::invalid("password", "is missing")),
    }
    if !is_operator && new.plan != Plan::Free {
        return Err(Refusal::Exceeds("plan".to_owned()));
    }
    let directory = draft.directory();
    if directory.account_of(&email).is_some() {
        return Err(Refusal::EmailTaken);
    }
    if directory.accounts().len() >= config.max_accounts {
        return Err(Refusal::TooManyAccounts);
    }
    if directory.account(new.id).is_some() {
        return Err(valid::invalid("account", "is taken"));
    }
    let created_at = directory.clock();
    if let Some(hash) = new.invitation {
        use_invitation(draft, hash, new.id)?;
    }
    draft.put(Part::Account(Account {
        password: new.password.map(str::to_owned),
        plan: new.plan,
        ..Account::new(new.id.to_owned(), email, created_at)
    }));
    Ok(Done::about(new.id, Action::AccountCreated, new.plan.key()))
}

/// Uses an invitation for an account, unless another one was created with it: decided in the order of the log, so that two sign-ups
/// at two instances cannot both use it.
fn use_invitation(draft: &mut Draft, hash: &str, account: &str) -> Result<(), Refusal> {
    valid::hmac("invitation", hash)?;
    if draft.directory().invitation(hash).is_some() {
        return Err(Refusal::InvitationUsed);
    }
    let (hash, account, at) = (hash.to_owned(), account.to_owned(), draft.directory().clock());
    draft.put(Part::Invitation(Invitation { hash, account, at }));
    Ok(())
}

/// Spends a ticket, unless it was spent before: decided in the order of the log, so that two connections to two instances cannot
/// both. That it was spent is kept as a reply is, which outlives it.
fn spend_ticket(draft: &mut Draft, account: &str, ticket: &str) -> Result<Done, Refusal> {
    valid::hmac("ticket", ticket)?;
    let id = format!("ticket/{ticket}");
    if draft.directory().reply(&id).is_some() {
        return Err(valid::invalid("ticket", "was used before"));
    }
    let at = draft.directory().clock();
    draft.put(Part::Reply(Reply { id, at, result: Ok(()) }));
    Ok(Done::new(account, Action::TicketSpent))
}

fn set_plan(draft: &mut Draft, id: &str, plan: Plan) -> Result<Done, Refusal> {
    let account = account(draft, id)?;
    draft.put(Part::Account(Account { plan, ..account }));
    quota::recall(draft, id);
    Ok(Done::about(id, Action::PlanSet, plan.key()))
}

fn set_bankroll(draft: &mut Draft, id: &str, bankroll: &AccountBankroll) -> Result<Done, Refusal> {
    valid::bankroll(bankroll)?;
    let account = enabled_account(draft, id)?;
    draft.put(Part::Account(Account { bankroll: Some(bankroll.clone()), ..account }));
    Ok(Done::new(id, Action::BankrollSet))
}

struct Granted<'a> {
    scopes: &'a [Scope],
    books: &'a [String],
    source: Option<&'a str>,
    is_public: bool,
}

fn grant(draft: &mut Draft, id: &str, granted: &Granted<'_>) -> Result<Done, Refusal> {
    if !granted.scopes.iter().all(|scope| scope.is_granted()) {
        return Err(valid::invalid("scopes", "a scope needs no grant"));
    }
    valid::books(granted.books)?;
    granted.source.map_or(Ok(()), valid::source)?;
    let others = || draft.directory().accounts().filter(|other| other.id != id);
    if granted.source.is_some() && others().any(|other| other.source.as_deref() == granted.source) {
        return Err(valid::invalid("source", "is that of another account"));
    }
    // Two public sources of one book would overwrite each other's prices; private ones have books of their own.
    let has_same = |other: &Account| other.books.iter().any(|book| granted.books.contains(book));
    if granted.is_public && others().any(|other| other.is_public && has_same(other)) {
        return Err(valid::invalid("books", "one of them is that of another account"));
    }
    let account = Account {
        granted: valid::sorted(granted.scopes),
        books: granted.books.to_vec(),
        source: granted.source.map(str::to_owned),
        is_public: granted.is_public,
        ..account(draft, id)?
    };
    keys::withdraw(draft, &account);
    draft.put(Part::Account(account));
    Ok(Done::new(id, Action::Granted))
}

/// Removes an account and all that is kept of it.
fn erase(draft: &mut Draft, id: &str) -> Result<Done, Refusal> {
    let account = account(draft, id)?;
    let directory = draft.directory();
    let keys = directory.keys_of(id).cloned().map(Part::Key);
    let sessions = directory.sessions_of(id).cloned().map(Part::Session);
    let endpoints = directory.endpoints_of(id).cloned().map(Part::Endpoint);
    let usage = directory.ledgers_of(id).cloned().map(Part::Usage);
    let parts = keys.chain(sessions).chain(endpoints).chain(usage).chain([Part::Account(account)]);
    parts.collect::<Vec<_>>().iter().for_each(|part| draft.remove(&part.key()));
    Ok(Done::new(id, Action::Erased))
}

fn set_disabled(draft: &mut Draft, id: &str, is_disabled: bool) -> Result<Done, Refusal> {
    let account = account(draft, id)?;
    draft.put(Part::Account(Account { is_disabled, ..account }));
    if is_disabled {
        sessions::end_all(draft, id, None);
    }
    Ok(Done::new(id, if is_disabled { Action::Disabled } else { Action::Enabled }))
}
