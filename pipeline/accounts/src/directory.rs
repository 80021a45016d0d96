//! The whole state: accounts by id and by e-mail, sessions and keys by their public part, replies by their request.
//!
//! The machine holds it; each API instance reads the same from the compacted topic. It decides nothing.

use std::collections::{BTreeMap, BTreeSet};

use arb_schemas::time::Micros;

use crate::account::Account;
use crate::endpoint::Endpoint;
use crate::key::ApiKey;
use crate::ledger::Ledger;
use crate::reply::Reply;
use crate::session::Session;

/// One part of the state, as a record of the compacted topic has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Under `account/` and its id.
    Account(Account),
    /// Under `session/` and its hash.
    Session(Session),
    /// Under `key/` and its kid.
    Key(ApiKey),
    /// Under `reply/` and the request's id.
    Reply(Reply),
    /// Under `invitation/` and its hash.
    Invitation(Invitation),
    /// Under `usage/`, the account's id and the month's first moment.
    Usage(Ledger),
    /// Under `endpoint/` and its id.
    Endpoint(Endpoint),
    /// The machine's time, under `clock`.
    Clock(Micros),
}

impl Part {
    /// Its key in the compacted topic.
    #[must_use]
    pub fn key(&self) -> String {
        match self {
            Self::Account(account) => format!("account/{}", account.id),
            Self::Session(session) => format!("session/{}", session.hash),
            Self::Key(key) => format!("key/{}", key.kid),
            Self::Reply(reply) => format!("reply/{}", reply.id),
            Self::Invitation(invitation) => format!("invitation/{}", invitation.hash),
            Self::Usage(ledger) => format!("usage/{}/{}", ledger.account, ledger.period),
            Self::Endpoint(endpoint) => format!("endpoint/{}", endpoint.id),
            Self::Clock(_) => "clock".to_owned(),
        }
    }
}

/// An invitation that an account was created with. It is kept for good.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invitation {
    /// HMAC-SHA-256 of the invitation, hexadecimal.
    pub hash: String,
    /// The account.
    pub account: String,
    /// When.
    pub at: Micros,
}

/// The state.
///
/// ```
/// use arb_accounts::directory::{Directory, Part};
///
/// let mut directory = Directory::default();
/// directory.put(Part::Clock(1_767_225_600_000_000));
/// assert_eq!(directory.clock(), 1_767_225_600_000_000);
/// assert!(directory.account_of("me@example.com").is_none());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Directory {
    accounts: BTreeMap<String, Account>,
    /// Account ids by e-mail.
    emails: BTreeMap<String, String>,
    sessions: BTreeMap<String, Session>,
    keys: BTreeMap<String, ApiKey>,
    replies: BTreeMap<String, Reply>,
    /// By hash.
    invitations: BTreeMap<String, Invitation>,
    /// By account and month.
    ledgers: BTreeMap<String, BTreeMap<Micros, Ledger>>,
    endpoints: BTreeMap<String, Endpoint>,
    clock: Micros,
    /// The hashes of the sessions, and the kids of the keys, by account.
    sessions_by_account: Held,
    keys_by_account: Held,
    endpoints_by_account: Held,
}

/// What accounts hold, by the account's id; one that holds nothing is not there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Held(BTreeMap<String, BTreeSet<String>>);

impl Held {
    fn insert(&mut self, account: &str, id: &str) {
        self.0.entry(account.to_owned()).or_default().insert(id.to_owned());
    }

    fn remove(&mut self, account: &str, id: &str) {
        if let Some(ids) = self.0.get_mut(account) {
            ids.remove(id);
            if ids.is_empty() {
                self.0.remove(account);
            }
        }
    }

    fn of(&self, account: &str) -> impl Iterator<Item = &String> {
        self.0.get(account).into_iter().flatten()
    }
}

impl Directory {
    /// Puts a part in place of that with the same key.
    pub fn put(&mut self, part: Part) {
        match part {
            Part::Account(account) => {
                self.remove_account(&account.id);
                self.emails.insert(account.email.clone(), account.id.clone());
                self.accounts.insert(account.id.clone(), account);
            }
            Part::Session(session) => {
                self.remove_session(&session.hash);
                self.sessions_by_account.insert(&session.account, &session.hash);
                self.sessions.insert(session.hash.clone(), session);
            }
            Part::Key(key) => {
                self.remove_key(&key.kid);
                self.keys_by_account.insert(&key.account, &key.kid);
                self.keys.insert(key.kid.clone(), key);
            }
            Part::Reply(reply) => drop(self.replies.insert(reply.id.clone(), reply)),
            Part::Invitation(invitation) => {
                self.invitations.insert(invitation.hash.clone(), invitation);
            }
            Part::Usage(ledger) => {
                self.ledgers.entry(ledger.account.clone()).or_default().insert(ledger.period, ledger);
            }
            Part::Endpoint(endpoint) => {
                self.endpoints_by_account.insert(&endpoint.account, &endpoint.id);
                self.endpoints.insert(endpoint.id.clone(), endpoint);
            }
            Part::Clock(clock) => self.clock = clock,
        }
    }

    /// Removes the part with a key of the compacted topic; one that is not there is no error.
    pub fn remove(&mut self, key: &str) {
        match key.split_once('/') {
            Some(("account", id)) => self.remove_account(id),
            Some(("session", hash)) => self.remove_session(hash),
            Some(("key", kid)) => self.remove_key(kid),
            Some(("reply", id)) => drop(self.replies.remove(id)),
            Some(("invitation", hash)) => drop(self.invitations.remove(hash)),
            Some(("usage", id)) => self.remove_ledger(id),
            Some(("endpoint", id)) => {
                if let Some(endpoint) = self.endpoints.remove(id) {
                    self.endpoints_by_account.remove(&endpoint.account, id);
                }
            }
            _ if key == "clock" => self.clock = 0,
            _ => {}
        }
    }

    fn remove_account(&mut self, id: &str) {
        let gone = self.accounts.remove(id);
        // Its e-mail may be that of a later account.
        let is_of_it = |account: &Account| self.emails.get(&account.email).is_some_and(|of| of == id);
        if let Some(account) = gone.filter(is_of_it) {
            self.emails.remove(&account.email);
        }
    }

    fn remove_ledger(&mut self, id: &str) {
        if let Some((account, period)) = ledger_id(id)
            && let Some(periods) = self.ledgers.get_mut(account)
        {
            periods.remove(&period);
            if periods.is_empty() {
                self.ledgers.remove(account);
            }
        }
    }

    fn remove_session(&mut self, hash: &str) {
        if let Some(session) = self.sessions.remove(hash) {
            self.sessions_by_account.remove(&session.account, hash);
        }
    }

    fn remove_key(&mut self, kid: &str) {
        if let Some(key) = self.keys.remove(kid) {
            self.keys_by_account.remove(&key.account, kid);
        }
    }

    /// The part with a key of the compacted topic.
    #[must_use]
    pub fn part(&self, key: &str) -> Option<Part> {
        match key.split_once('/') {
            Some(("account", id)) => self.accounts.get(id).cloned().map(Part::Account),
            Some(("session", hash)) => self.sessions.get(hash).cloned().map(Part::Session),
            Some(("key", kid)) => self.keys.get(kid).cloned().map(Part::Key),
            Some(("reply", id)) => self.replies.get(id).cloned().map(Part::Reply),
            Some(("invitation", hash)) => self.invitations.get(hash).cloned().map(Part::Invitation),
            Some(("usage", id)) => {
                let (account, period) = ledger_id(id)?;
                self.ledger(account, period).cloned().map(Part::Usage)
            }
            Some(("endpoint", id)) => self.endpoints.get(id).cloned().map(Part::Endpoint),
            _ => (key == "clock" && self.clock != 0).then_some(Part::Clock(self.clock)),
        }
    }

    /// All accounts, by their ids.
    #[must_use]
    pub fn accounts(&self) -> impl ExactSizeIterator<Item = &Account> {
        self.accounts.values()
    }

    /// All sessions.
    #[must_use]
    pub fn sessions(&self) -> impl ExactSizeIterator<Item = &Session> {
        self.sessions.values()
    }

    /// All keys.
    #[must_use]
    pub fn keys(&self) -> impl ExactSizeIterator<Item = &ApiKey> {
        self.keys.values()
    }

    /// All replies.
    #[must_use]
    pub fn replies(&self) -> impl ExactSizeIterator<Item = &Reply> {
        self.replies.values()
    }

    /// An account by its id.
    #[must_use]
    pub fn account(&self, id: &str) -> Option<&Account> {
        self.accounts.get(id)
    }

    /// An account by its e-mail, in lower case.
    #[must_use]
    pub fn account_of(&self, email: &str) -> Option<&Account> {
        self.accounts.get(self.emails.get(email)?)
    }

    /// A session by its hash, expired or not.
    #[must_use]
    pub fn session(&self, hash: &str) -> Option<&Session> {
        self.sessions.get(hash)
    }

    /// A key by its kid, expired or not.
    #[must_use]
    pub fn key(&self, kid: &str) -> Option<&ApiKey> {
        self.keys.get(kid)
    }

    /// The keys of an account.
    pub fn keys_of<'a>(&'a self, account: &'a str) -> impl Iterator<Item = &'a ApiKey> {
        self.keys_by_account.of(account).filter_map(|kid| self.keys.get(kid))
    }

    /// The sessions of an account.
    pub fn sessions_of<'a>(&'a self, account: &'a str) -> impl Iterator<Item = &'a Session> {
        self.sessions_by_account.of(account).filter_map(|hash| self.sessions.get(hash))
    }

    /// A webhook endpoint by its id.
    #[must_use]
    pub fn endpoint(&self, id: &str) -> Option<&Endpoint> {
        self.endpoints.get(id)
    }

    /// All webhook endpoints.
    #[must_use]
    pub fn endpoints(&self) -> impl ExactSizeIterator<Item = &Endpoint> {
        self.endpoints.values()
    }

    /// The webhook endpoints of an account.
    pub fn endpoints_of<'a>(&'a self, account: &'a str) -> impl Iterator<Item = &'a Endpoint> {
        self.endpoints_by_account.of(account).filter_map(|id| self.endpoints.get(id))
    }

    /// The use of an invitation, by its hash.
    #[must_use]
    pub fn invitation(&self, hash: &str) -> Option<&Invitation> {
        self.invitations.get(hash)
    }

    /// All invitations that were used.
    #[must_use]
    pub fn invitations(&self) -> impl ExactSizeIterator<Item = &Invitation> {
        self.invitations.values()
    }

    /// The reply to a request, for a day.
    #[must_use]
    pub fn reply(&self, id: &str) -> Option<&Reply> {
        self.replies.get(id)
    }

    /// What an account has spent in the month that begins at a moment; `None` when it has asked for nothing.
    #[must_use]
    pub fn ledger(&self, account: &str, period: Micros) -> Option<&Ledger> {
        self.ledgers.get(account)?.get(&period)
    }

    /// The ledgers of an account, by their months.
    pub fn ledgers_of<'a>(&'a self, account: &str) -> impl Iterator<Item = &'a Ledger> + use<'a> {
        self.ledgers.get(account).into_iter().flat_map(BTreeMap::values)
    }

    /// All ledgers.
    pub fn ledgers(&self) -> impl Iterator<Item = &Ledger> {
        self.ledgers.values().flat_map(BTreeMap::values)
    }

    /// The machine's time, from the newest timer record.
    #[must_use]
    pub fn clock(&self) -> Micros {
        self.clock
    }
}

/// An account and a month, of the key of a ledger without `usage/`.
fn ledger_id(id: &str) -> Option<(&str, Micros)> {
    let (account, period) = id.rsplit_once('/')?;
    Some((account, period.parse().ok()?))
}
