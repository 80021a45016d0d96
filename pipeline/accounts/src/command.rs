//! What is asked of the accounts machine. A command carries hashes, never a password, a key or a cookie.

use arb_schemas::records::AccountBankroll;
use arb_schemas::time::Micros;
use serde::{Deserialize, Serialize};

use crate::endpoint::{EndpointSettings, EndpointState};
use crate::key::{Mode, Permissions};
use crate::plan::Plan;
use crate::scope::Scope;

/// A command with its id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// Unique for each intent: a request that is sent again has the same id, is carried out once and has the same reply. Whoever
    /// sends an `Idempotency-Key` chooses it, within the account and the route.
    pub id: String,
    /// When it was sent, by the sender's clock: for the audit alone.
    pub sent_at: Micros,
    /// The client's address; empty for an operator's command.
    pub address: String,
    /// Who asks.
    pub actor: Actor,
    /// What.
    pub command: Command,
}

/// Who asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Actor {
    /// Nobody who has signed in.
    Anonymous,
    /// The holder of a session, by its hash.
    Session(String),
    /// The holder of a key, by its kid.
    Key(String),
    /// An operator, by the command line.
    Operator,
}

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "snake_case")]
pub enum Command {
    /// Creates an account; refused when the e-mail is taken or there are too many accounts.
    CreateAccount {
        /// Its id.
        account: String,
        /// Any case.
        email: String,
        /// PHC string, or none for an account that nobody signs in to.
        password: Option<String>,
        /// Its plan.
        plan: Plan,
        /// The hash of the invitation, which is good for one account.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        invitation: Option<String>,
    },
    /// Sets another password, and ends all sessions of the account but one.
    ChangePassword {
        /// Whose.
        account: String,
        /// PHC string.
        password: String,
        /// The revision of the password that was checked before; `None` when an operator resets it.
        revision: Option<u64>,
        /// The session that goes on.
        keep: Option<String>,
    },
    /// Sets what the holder of an account stakes.
    SetBankroll {
        /// Whose.
        account: String,
        /// All of it.
        bankroll: AccountBankroll,
    },
    /// Opens a session, in place of another one of the same browser.
    OpenSession {
        /// Whose.
        account: String,
        /// Its hash.
        session: String,
        /// The revision of the password that was checked.
        revision: u64,
        /// How long it lives.
        seconds: u32,
        /// The session that ends.
        replaces: Option<String>,
    },
    /// Ends a session.
    CloseSession {
        /// Its hash.
        session: String,
    },
    /// Sets the plan.
    SetPlan {
        /// Whose.
        account: String,
        /// The plan.
        plan: Plan,
    },
    /// Sets what needs an operator's grant; keys that have a scope which is no longer granted lose it.
    Grant {
        /// To whom.
        account: String,
        /// Of those that need a grant.
        scopes: Vec<Scope>,
        /// Books whose odds may be pushed.
        books: Vec<String>,
        /// The source under which they are pushed.
        source: Option<String>,
        /// What is pushed is for everybody; else for this account alone.
        is_public: bool,
    },
    /// Disables an account, or enables it again.
    SetDisabled {
        /// Whose.
        account: String,
        /// Whether.
        is_disabled: bool,
    },
    /// Erases an account with all that it has: its e-mail and password, sessions, keys, endpoints and usage. That there was one stays in the audit.
    EraseAccount {
        /// Whose.
        account: String,
    },
    /// Creates a key. A key that creates one grants at most its own permissions.
    CreateKey(NewKey),
    /// Creates a key with the permissions of another one, which ends after a grace period.
    RotateKey {
        /// Whose.
        account: String,
        /// The key that is replaced.
        kid: String,
        /// The new key's public part.
        new_kid: String,
        /// The new key's HMAC.
        hmac: String,
        /// Seconds until the replaced key ends, at most 30 days.
        grace_seconds: u32,
    },
    /// Spends a ticket of a stream; refused when it was spent before.
    SpendTicket {
        /// Whose key it was issued by.
        account: String,
        /// Its hash.
        ticket: String,
    },
    /// Ends a key at once.
    RevokeKey {
        /// Whose.
        account: String,
        /// Which.
        kid: String,
    },
    /// Creates a webhook endpoint.
    CreateEndpoint {
        /// Whose.
        account: String,
        /// Its id.
        endpoint: String,
        /// What its holder chose.
        settings: EndpointSettings,
    },
    /// Changes what the holder of a webhook endpoint chose.
    UpdateEndpoint {
        /// Whose.
        account: String,
        /// Which.
        endpoint: String,
        /// All of it.
        settings: EndpointSettings,
    },
    /// Removes a webhook endpoint.
    DeleteEndpoint {
        /// Whose.
        account: String,
        /// Which.
        endpoint: String,
    },
    /// Replaces the secret of a webhook endpoint.
    RotateEndpoint {
        /// Whose.
        account: String,
        /// Which.
        endpoint: String,
        /// Seconds for which the replaced secret signs too.
        overlap_seconds: u32,
    },
    /// The deliverer reports that an endpoint is verified, or is disabled.
    SetEndpointState {
        /// Which.
        endpoint: String,
        /// The revision that was tried.
        revision: u64,
        /// Its state.
        state: EndpointState,
        /// Why it is disabled.
        reason: Option<String>,
    },
}

/// A key to be created.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewKey {
    /// Whose.
    pub account: String,
    /// Its public part.
    pub kid: String,
    /// HMAC-SHA-256 of the whole key, hexadecimal.
    pub hmac: String,
    /// 1 to 100 characters.
    pub name: String,
    /// What it sees.
    pub mode: Mode,
    /// What it may do.
    pub permissions: Permissions,
}
