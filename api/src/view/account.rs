//! Accounts, their keys and their sessions. A secret is in the one answer that creates it.

use arb_accounts::account::Account;
use arb_accounts::key::{ApiKey, Mode};
use arb_model::{Money, Time, view};
use arb_schemas::records::AccountBankroll;
use arb_schemas::time::Micros;

view! {
    /// The account of the key, and what an administrator granted.
    pub(crate) struct AccountView => "Account" {
        id: String,
        email: String,
        plan: &'static str,
        disabled: bool,
        created_at: Time,
        granted: GrantView,
    }
}

view! {
    /// What an administrator granted.
    pub(crate) struct GrantView {
        scopes: Vec<&'static str>,
        /// Of which odds may be pushed.
        books: Vec<String>,
        /// Under which odds are pushed; null: none.
        source: Option<String>,
        /// What is pushed is for everybody; else for this account alone.
        is_public: bool,
    }
}

view! {
    /// The keys of an account.
    pub(crate) struct KeyList<'a> {
        keys: Vec<KeyView<'a>>,
    }
}

view! {
    /// A key as its holder sees it, without anything that is secret.
    pub(crate) struct KeyView<'a> => "Key" {
        kid: &'a str,
        /// With what the key begins.
        prefix: String,
        name: &'a str,
        mode: &'static str [Keys(&["live", "test"])],
        scopes: Vec<&'static str>,
        expires_at: Option<Time>,
        /// Addresses and networks from which it may be used; none is all.
        cidrs: Vec<String>,
        /// Requests of a month, at most.
        monthly_cap: Option<u64>,
        created_at: Time,
        /// The kid of the key in place of it.
        replaced_by: Option<&'a str>,
        last_used_at: Option<Time>,
    }
}

view! {
    /// A key that was created.
    pub(crate) struct NewKeyView<'a> => "NewKey" {
        #[serde(flatten)]
        stored: KeyView<'a>,
        /// Shown in this answer and never again.
        key: &'a str,
    }
}

view! {
    /// An account that was created.
    pub(crate) struct NewAccount<'a> {
        email: &'a str,
        plan: &'static str,
    }
}

view! {
    /// Who is signed in.
    pub(crate) struct SessionView<'a> => "Session" {
        email: &'a str,
        plan: &'static str,
        /// For the header X-CSRF-Token of whatever changes something.
        csrf_token: String,
        expires_at: Time,
        /// Null where none was set.
        bankroll: Option<BankrollView<'a>>,
    }
}

view! {
    /// What the holder of an account stakes.
    pub(crate) struct BankrollView<'a> => "Bankroll" {
        /// What all stakes of an arb may be together.
        total: Money [Least(0.01), Most(1e7)],
        /// Null: each entry's own.
        currency: Option<&'a str> [Pattern("^[A-Z]{3}$")],
        /// Stakes are multiples of it.
        rounding: Money [Least(0.01), Most(1e3)],
    }
}

view! {
    /// A ticket, by which a page opens a stream.
    pub(crate) struct TicketView<'a> => "Ticket" {
        /// The value of the parameter ticket of the stream. It is spent by its first connection.
        ticket: &'a str,
        /// The filters as a query, to which the ticket is bound.
        query: &'a str,
        /// 60 s from now: until then the first connection must come.
        expires_at: Time,
    }
}

impl AccountView {
    /// Of an account.
    pub(crate) fn new(account: &Account) -> Self {
        Self {
            id: account.id.clone(),
            email: account.email.clone(),
            plan: account.plan.key(),
            disabled: account.is_disabled,
            created_at: Time(account.created_at),
            granted: GrantView {
                scopes: account.granted.iter().map(|scope| scope.key()).collect(),
                books: account.books.clone(),
                source: account.source.clone(),
                is_public: account.is_public,
            },
        }
    }
}

impl<'a> KeyView<'a> {
    /// Of a key, with when it was last used.
    pub(crate) fn new(key: &'a ApiKey, last_used: Option<Micros>) -> Self {
        let prefix = match key.mode {
            Mode::Live => "arb_live_",
            Mode::Test => "arb_test_",
        };
        let permissions = &key.permissions;
        Self {
            kid: &key.kid,
            prefix: format!("{prefix}{}", key.kid),
            name: &key.name,
            mode: key.mode.key(),
            scopes: permissions.scopes.iter().map(|scope| scope.key()).collect(),
            expires_at: permissions.expires_at.map(Time),
            cidrs: permissions.cidrs.iter().map(|cidr| String::from(*cidr)).collect(),
            monthly_cap: permissions.monthly_cap,
            created_at: Time(key.created_at),
            replaced_by: key.replaced_by.as_deref(),
            last_used_at: last_used.map(Time),
        }
    }
}

impl<'a> BankrollView<'a> {
    /// In units of the currency.
    pub(crate) fn new(AccountBankroll { total, currency, rounding }: &'a AccountBankroll) -> Self {
        Self { total: Money(*total), currency: currency.as_deref(), rounding: Money(*rounding) }
    }
}
