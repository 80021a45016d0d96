//! An account and its key, as the accounts machine writes them: what is measured needs a caller.
//!
//! It never runs the machine.

use anyhow::Context;
use arb_accounts::account::Account;
use arb_accounts::directory::Part;
use arb_accounts::key::{ApiKey, Mode, Permissions};
use arb_accounts::plan::Plan;
use arb_accounts::scope::Scope;
use arb_accounts::secrets::{self, KEY_RANDOM, Pepper};
use arb_schemas::time::Micros;

const ACCOUNT: &str = "acc_benchmarkbenchmk";

/// A key of an account, and both as they are stored.
pub(crate) fn parts(pepper: &Pepper, now: Micros) -> anyhow::Result<(String, Vec<Part>)> {
    let key = secrets::new_key(Mode::Live, &[7; KEY_RANDOM]);
    let account = Account {
        id: ACCOUNT.to_owned(),
        email: "bench@localhost".to_owned(),
        password: None,
        revision: 0,
        plan: Plan::Enterprise,
        is_disabled: false,
        granted: Vec::new(),
        books: Vec::new(),
        source: None,
        created_at: now,
    };
    let scopes = Scope::DEFAULT.to_vec();
    let stored = ApiKey {
        kid: secrets::parse_key(&key).context("the key is none")?.kid.to_owned(),
        account: ACCOUNT.to_owned(),
        hmac: pepper.hmac(&key),
        name: "bench".to_owned(),
        mode: Mode::Live,
        permissions: Permissions { scopes, expires_at: None, cidrs: Vec::new(), monthly_cap: None },
        created_at: now,
        replaced_by: None,
    };
    Ok((key, vec![Part::Account(account), Part::Key(stored)]))
}
