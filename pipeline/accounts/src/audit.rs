//! The audit: who signed in or changed something, and from where. It never names a secret or the hash of one.

use arb_schemas::time::Micros;

use crate::command::Actor;

/// What was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// An account was created.
    AccountCreated,
    /// A password was changed by who knew it.
    PasswordChanged,
    /// A password was set by an operator.
    PasswordReset,
    /// The bankroll was set.
    BankrollSet,
    /// Somebody signed in.
    SessionOpened,
    /// Somebody signed out.
    SessionClosed,
    /// A plan was set.
    PlanSet,
    /// What needs a grant was granted or withdrawn.
    Granted,
    /// An account was disabled.
    Disabled,
    /// An account was enabled.
    Enabled,
    /// An account was erased.
    Erased,
    /// A key was created.
    KeyCreated,
    /// A key was replaced by another one.
    KeyRotated,
    /// A key was ended.
    KeyRevoked,
    /// A stream was opened with a ticket.
    TicketSpent,
    /// A webhook endpoint was created.
    EndpointCreated,
    /// A webhook endpoint was changed.
    EndpointUpdated,
    /// A webhook endpoint was removed.
    EndpointDeleted,
    /// The secret of a webhook endpoint was replaced.
    EndpointRotated,
    /// The receiver of a webhook endpoint echoed the challenge.
    EndpointVerified,
    /// A webhook endpoint was disabled.
    EndpointDisabled,
    /// Its receiver has not echoed the challenge, for a new reason.
    EndpointNotVerified,
}

impl Action {
    /// As the record spells it.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::AccountCreated => "account_created",
            Self::PasswordChanged => "password_changed",
            Self::PasswordReset => "password_reset",
            Self::BankrollSet => "bankroll_set",
            Self::SessionOpened => "session_opened",
            Self::SessionClosed => "session_closed",
            Self::PlanSet => "plan_set",
            Self::Granted => "granted",
            Self::Disabled => "disabled",
            Self::Enabled => "enabled",
            Self::Erased => "erased",
            Self::KeyCreated => "key_created",
            Self::KeyRotated => "key_rotated",
            Self::KeyRevoked => "key_revoked",
            Self::TicketSpent => "ticket_spent",
            Self::EndpointCreated => "endpoint_created",
            Self::EndpointUpdated => "endpoint_updated",
            Self::EndpointDeleted => "endpoint_deleted",
            Self::EndpointRotated => "endpoint_rotated",
            Self::EndpointVerified => "endpoint_verified",
            Self::EndpointDisabled => "endpoint_disabled",
            Self::EndpointNotVerified => "endpoint_not_verified",
        }
    }
}

/// An entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEntry {
    /// The command's id.
    pub id: String,
    /// The account that was changed.
    pub account: String,
    /// What was done.
    pub action: Action,
    /// By whom.
    pub actor: Actor,
    /// From where.
    pub address: String,
    /// The key's kid or the plan.
    pub subject: Option<String>,
    /// By the machine's time.
    pub at: Micros,
    /// By the sender's clock.
    pub sent_at: Micros,
}
