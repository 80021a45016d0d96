//! Records of accounts: what is asked, what the accounts machine remembers and replies, and the audit.
//!
//! Closed sets are texts here; `arb_accounts` knows which there are. None of them carries a password, a key or a cookie.

use arb_model::record;

use crate::time::Micros;

record! {
    /// What is asked of the accounts machine.
    #[derive(Eq)]
    pub struct AccountCommand {
        /// Id of the intent: a command that is sent again has the same one, is carried out once and has the same reply.
        pub id: String,
        /// When it was sent, by the sender's clock, for the audit.
        pub sent_at: Micros,
        /// Address of the client; empty for an operator.
        pub address: String,
        /// Who sends it: `anonymous`, `session`, `key` or `operator`.
        pub actor: String,
        /// The session's hash or the key's kid.
        pub actor_id: Option<String>,
        /// Which command, such as `create_account`.
        pub command: String,
        /// Its fields, a JSON object: docs/adr/026-accounts.md.
        pub body: String,
    }
}

record! {
    /// How late it is: what expires does so by these records.
    #[derive(Eq)]
    pub struct AccountTimer {
        /// The time.
        pub at: Micros,
    }
}

record! {
    /// An account.
    #[derive(Eq)]
    pub struct Account {
        /// `acc_` and 16 base62 characters.
        pub id: String,
        /// The address of its owner: lower case, not verified.
        pub email: String,
        /// Hash in the PHC string format; `None`: nobody can sign in.
        pub password: Option<String>,
        /// Grows with each change of the password.
        pub revision: i64,
        /// `free`, `pro` or `enterprise`.
        pub plan: String,
        /// No session and no key of it is valid.
        pub is_disabled: bool,
        /// Scopes that an operator granted, of those that need it.
        pub granted: Vec<String>,
        /// Books whose odds it may push.
        pub books: Vec<String>,
        /// The source under which it pushes odds.
        pub source: Option<String>,
        /// What it pushes is for everybody; else it is for this account alone.
        pub is_public: bool,
        /// What its owner stakes; `None` where none was set.
        pub bankroll: Option<AccountBankroll>,
        /// When it was created, by the machine's time.
        pub created_at: Micros,
    }
}

record! {
    /// What somebody stakes. The page computes with it; no machine does.
    #[derive(Eq)]
    pub struct AccountBankroll {
        /// All stakes of an arb together, in minor units.
        pub total: i64,
        /// Three capital letters; `None`: whatever an entry's stakes are in.
        pub currency: Option<String>,
        /// Stakes are multiples of so many minor units.
        pub rounding: i64,
    }
}

record! {
    /// A session.
    #[derive(Eq)]
    pub struct AccountSession {
        /// HMAC-SHA-256 of the cookie's value under the pepper, hexadecimal.
        pub hash: String,
        /// Whose it is.
        pub account: String,
        /// When it was opened, by the machine's time.
        pub opened_at: Micros,
        /// When it ends, by the machine's time.
        pub expires_at: Micros,
        /// The address from which it was opened.
        pub address: String,
    }
}

record! {
    /// An API key, never the key itself.
    #[derive(Eq)]
    pub struct AccountKey {
        /// The public part of the key.
        pub kid: String,
        /// Whose it is.
        pub account: String,
        /// HMAC-SHA-256 of the whole key under the pepper, hexadecimal.
        pub hmac: String,
        /// What its owner calls it.
        pub name: String,
        /// `live` or `test`.
        pub mode: String,
        /// What it may do; at least one scope.
        pub scopes: Vec<String>,
        /// From when on it is not valid; `None`: never.
        pub expires_at: Option<Micros>,
        /// Networks that may use it; empty: all.
        pub cidrs: Vec<String>,
        /// Requests a month of the account's quota; `None`: all.
        pub monthly_cap: Option<i64>,
        /// When it was created, by the machine's time.
        pub created_at: Micros,
        /// Kid of the key that replaces it.
        pub replaced_by: Option<String>,
    }
}

record! {
    /// The reply to a command, kept for a day.
    #[derive(Eq)]
    pub struct AccountReply {
        /// Id of the command.
        pub id: String,
        /// When it was carried out, by the machine's time.
        pub at: Micros,
        /// Why it was not carried out, such as `email_taken`; `None`: it was.
        pub refusal: Option<String>,
        /// Of an invalid or exceeding value: the field.
        pub field: Option<String>,
        /// Of an invalid value: why.
        pub reason: Option<String>,
        /// Of `too_many_keys`: how many there may be.
        pub most: Option<i64>,
    }
}

record! {
    /// An invitation that was used to create an account: it is good for no other one.
    #[derive(Eq)]
    pub struct AccountInvitation {
        /// HMAC-SHA-256 of the invitation.
        pub hash: String,
        /// The account that was created with it.
        pub account: String,
        /// When it was used, by the machine's time.
        pub at: Micros,
    }
}

record! {
    /// The time of the accounts machine, from the newest timer.
    #[derive(Eq)]
    pub struct AccountClock {
        /// The time of that timer.
        pub at: Micros,
    }
}

record! {
    /// Who signed in or changed something, and from where.
    #[derive(Eq)]
    pub struct AccountAudit {
        /// Id of the command.
        pub id: String,
        /// Whose account it is.
        pub account: String,
        /// What was done, such as `session_opened` or `key_revoked`.
        pub action: String,
        /// Who did it: `anonymous`, `session`, `key` or `operator`.
        pub actor: String,
        /// The kid of an actor that is a key.
        pub actor_kid: Option<String>,
        /// Address of the client; empty for an operator.
        pub address: String,
        /// The key's kid or the plan.
        pub subject: Option<String>,
        /// When it was carried out, by the machine's time.
        pub at: Micros,
        /// When it was sent, by the sender's clock.
        pub sent_at: Micros,
    }
}
