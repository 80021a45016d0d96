//! What a command is answered. The reply is a part of the state, so that a command that is sent again has the same one.

use arb_schemas::time::Micros;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The reply to a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reply {
    /// The request's id; the reply's key in the topic.
    pub id: String,
    /// When the command was carried out, by the machine's time. The reply is forgotten a day later.
    pub at: Micros,
    /// What came of it.
    pub result: Result<(), Refusal>,
}

/// Why a command was not carried out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// There is an account of this e-mail.
    EmailTaken,
    /// An account was created with this invitation before.
    InvitationUsed,
    /// There are as many accounts as there may be.
    TooManyAccounts,
    /// There is no such account, or it is disabled.
    NoAccount,
    /// There is no such session.
    NoSession,
    /// There is no such key of this account.
    NoKey,
    /// The password was changed after it was checked.
    PasswordChanged,
    /// There is no such webhook endpoint of this account.
    NoEndpoint,
    /// The plan allows no more keys.
    TooManyKeys(usize),
    /// The plan allows no more webhook endpoints.
    TooManyEndpoints(usize),
    /// The account or the key that asks does not have what it grants: the field's name.
    Exceeds(String),
    /// The key was replaced already.
    Replaced,
    /// A value is not allowed: the field's name and why.
    Invalid(String, String),
}

impl Refusal {
    /// Its kind, as records spell it.
    #[must_use]
    pub fn key(&self) -> &'static str {
        match self {
            Self::EmailTaken => "email_taken",
            Self::InvitationUsed => "invitation_used",
            Self::TooManyAccounts => "too_many_accounts",
            Self::NoAccount => "no_account",
            Self::NoSession => "no_session",
            Self::NoKey => "no_key",
            Self::PasswordChanged => "password_changed",
            Self::NoEndpoint => "no_endpoint",
            Self::TooManyKeys(_) => "too_many_keys",
            Self::TooManyEndpoints(_) => "too_many_endpoints",
            Self::Exceeds(_) => "exceeds",
            Self::Replaced => "replaced",
            Self::Invalid(..) => "invalid",
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::EmailTaken => f.write_str("there is an account of this e-mail"),
            Self::InvitationUsed => f.write_str("the invitation was used before"),
            Self::TooManyAccounts => f.write_str("there are as many accounts as this installation allows"),
            Self::NoAccount => f.write_str("there is no such account, or it is disabled"),
            Self::NoSession => f.write_str("there is no such session"),
            Self::NoKey => f.write_str("there is no such key"),
            Self::PasswordChanged => f.write_str("the password was changed meanwhile"),
            Self::NoEndpoint => f.write_str("there is no such webhook endpoint"),
            Self::TooManyKeys(most) => write!(f, "the plan allows {most} keys"),
            Self::TooManyEndpoints(most) => write!(f, "the plan allows {most} webhook endpoints"),
            Self::Exceeds(field) => write!(f, "{field} exceeds what whoever asks may grant"),
            Self::Replaced => f.write_str("the key was replaced already"),
            Self::Invalid(field, reason) => write!(f, "{field}: {reason}"),
        }
    }
}
