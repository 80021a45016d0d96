//! Records of accounts: what is asked, what the accounts machine remembers and replies, and the audit.
//!
//! Closed sets are texts here; `arb_accounts` knows which there are. None of them carries a password, a key or a cookie.

use serde::{Deserialize, Serialize};

use crate::time::Micros;

/// A command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct AccountCommand {
    pub id: String,
    pub sent_at: Micros,
    pub address: String,
    pub actor: String,
    pub actor_id: Option<String>,
    pub command: String,
    pub body: String,
}

/// How late it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct AccountTimer {
    pub at: Micros,
}

/// An account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Account {
    pub id: String,
    pub email: String,
    pub password: Option<String>,
    pub revision: i64,
    pub plan: String,
    pub is_disabled: bool,
    pub granted: Vec<String>,
    pub books: Vec<String>,
    pub source: Option<String>,
    /// What it pushes is for everybody; else it is for this account alone.
    pub is_public: bool,
    pub bankroll: Option<AccountBankroll>,
    pub created_at: Micros,
}

/// What somebody stakes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccountBankroll {
    /// All stakes of an arb together, in minor units.
    pub total: i64,
    /// Three capital letters; `None`: whatever an entry's stakes are in.
    pub currency: Option<String>,
    /// Stakes are multiples of so many minor units.
    pub rounding: i64,
}

/// A session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct AccountSession {
    pub hash: String,
    pub account: String,
    pub opened_at: Micros,
    pub expires_at: Micros,
    pub address: String,
}

/// An API key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct AccountKey {
    pub kid: String,
    pub account: String,
    pub hmac: String,
    pub name: String,
    pub mode: String,
    pub scopes: Vec<String>,
    pub expires_at: Option<Micros>,
    pub cidrs: Vec<String>,
    pub monthly_cap: Option<i64>,
    pub created_at: Micros,
    pub replaced_by: Option<String>,
}

/// The reply to a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct AccountReply {
    pub id: String,
    pub at: Micros,
    pub refusal: Option<String>,
    pub field: Option<String>,
    pub reason: Option<String>,
    pub most: Option<i64>,
}

/// An invitation that was used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct AccountInvitation {
    pub hash: String,
    pub account: String,
    pub at: Micros,
}

/// The machine's time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct AccountClock {
    pub at: Micros,
}

/// What was changed, by whom and from where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct AccountAudit {
    pub id: String,
    pub account: String,
    pub action: String,
    pub actor: String,
    pub actor_kid: Option<String>,
    pub address: String,
    pub subject: Option<String>,
    pub at: Micros,
    pub sent_at: Micros,
}
