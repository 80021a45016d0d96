//! Settings of `arb account`: what an operator does about accounts, and the file of the pepper.
//!
//! They decide nothing.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{Brokers, tools::PlanName};

/// Where the pepper is.
#[derive(Debug, Clone, Args)]
pub(crate) struct PepperFile {
    /// File of the pepper, 32 random bytes under which keys and sessions are hashed: the same for all instances
    #[arg(long, env = "ARB_PEPPER", value_name = "FILE", default_value = ".arb/pepper")]
    pub(crate) pepper: PathBuf,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct Account {
    #[command(subcommand)]
    pub(crate) action: AccountAction,
}

#[derive(Debug, Clone, Subcommand)]
pub(crate) enum AccountAction {
    /// Create an account
    Create(Box<CreateAccount>),
    /// Set another password, which ends all sessions of the account
    ResetPassword {
        /// Id or e-mail
        account: String,
        #[command(flatten)]
        password: PasswordFile,
        #[command(flatten)]
        brokers: Box<Brokers>,
    },
    /// Print all accounts
    List {
        #[command(flatten)]
        brokers: Box<Brokers>,
    },
    /// Set the plan of an account
    SetPlan {
        /// Id or e-mail
        account: String,
        /// The plan
        plan: PlanName,
        #[command(flatten)]
        brokers: Box<Brokers>,
    },
    /// Set what needs an operator's grant; what is not named is withdrawn, also from the account's keys
    Grant {
        /// Id or e-mail
        account: String,
        /// Scope that the account's keys may have: ticks:write, events:write, results:write or results:any
        #[arg(long = "scope", value_name = "SCOPE")]
        scopes: Vec<String>,
        /// Book whose odds the account may push
        #[arg(long = "book", value_name = "BOOK")]
        books: Vec<String>,
        /// Source under which it pushes them
        #[arg(long)]
        source: Option<String>,
        /// Publish what it pushes to everybody; without it the account alone sees it
        #[arg(long, requires = "source")]
        public: bool,
        #[command(flatten)]
        brokers: Box<Brokers>,
    },
    /// End the sessions of an account and make its keys invalid
    Disable {
        /// Id or e-mail
        account: String,
        #[command(flatten)]
        brokers: Box<Brokers>,
    },
    /// Enable an account again, and its keys with it
    Enable {
        /// Id or e-mail
        account: String,
        #[command(flatten)]
        brokers: Box<Brokers>,
    },
    /// Erase an account with its e-mail, password, sessions, keys, endpoints and usage; only the audit keeps that there was one
    Erase {
        /// Id or e-mail
        account: String,
        #[command(flatten)]
        brokers: Box<Brokers>,
    },
    /// Print who signed in and what was changed, the oldest first
    Audit {
        /// Only of this account, by its id or e-mail
        #[arg(long)]
        account: Option<String>,
        #[command(flatten)]
        brokers: Box<Brokers>,
    },
}

#[derive(Debug, Clone, Args)]
pub(crate) struct CreateAccount {
    /// Login name, which nobody verifies
    #[arg(long)]
    pub(crate) email: String,
    #[command(flatten)]
    pub(crate) password: PasswordFile,
    /// The plan
    #[arg(long, default_value = "free")]
    pub(crate) plan: PlanName,
    /// Create an API key of this name too, and print it: the only time that it is shown
    #[arg(long = "key", value_name = "NAME")]
    pub(crate) key_name: Option<String>,
    #[command(flatten)]
    pub(crate) pepper: PepperFile,
    #[command(flatten)]
    pub(crate) brokers: Brokers,
}

/// Where the password is.
#[derive(Debug, Clone, Args)]
pub(crate) struct PasswordFile {
    /// File of the password; without one it is asked for on the terminal, or is the first line of standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) password_file: Option<PathBuf>,
}
