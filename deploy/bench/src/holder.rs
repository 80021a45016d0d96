//! An account and its key, as the accounts machine writes them, and the machine that leases its quota: what is measured needs a caller.
//!
//! It never asks Kafka.

use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Context;
use arb_accounts::account::Account;
use arb_accounts::codec;
use arb_accounts::counts::AccountCounts;
use arb_accounts::directory::Part;
use arb_accounts::key::{ApiKey, Mode, Permissions};
use arb_accounts::machine::{AccountsConfig, AccountsMachine};
use arb_accounts::plan::Plan;
use arb_accounts::scope::Scope;
use arb_accounts::secrets::{self, KEY_RANDOM, Pepper};
use arb_api::access::replica::Replica;
use arb_api::access::usage::LocalMachine;
use arb_runtime::machine::{Change, InputPlace, Machine, Outbox};
use arb_schemas::time::Micros;
use arb_schemas::wire::WireError;

const ACCOUNT: &str = "acc_benchmarkbenchmk";

/// The source of the account, and its book.
pub(crate) const SOURCE: &str = "bench";
/// What an operator grants to those who push.
const PUSHES: [Scope; 2] = [Scope::TicksWrite, Scope::EventsWrite];

/// A key of an account, and both as they are stored.
pub(crate) fn parts(pepper: &Pepper, now: Micros) -> anyhow::Result<(String, Vec<Part>)> {
    let key = secrets::new_key(Mode::Live, &[7; KEY_RANDOM]);
    let account = Account {
        plan: Plan::Enterprise,
        granted: PUSHES.to_vec(),
        books: vec![SOURCE.to_owned()],
        source: Some(SOURCE.to_owned()),
        is_public: true,
        ..Account::new(ACCOUNT.to_owned(), "bench@localhost".to_owned(), now)
    };
    let scopes = [&Scope::DEFAULT[..], &PUSHES].concat();
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

/// The accounts machine beside an API, in the same process: it carries out what the API asks of quotas, at once.
pub(crate) fn machine(
    parts: &[Part],
    replica: Arc<Replica>,
    clock: fn() -> Micros,
) -> anyhow::Result<LocalMachine> {
    let mut machine = AccountsMachine::new(&AccountsConfig::default());
    for part in parts {
        machine.restore(part.key().as_bytes(), &codec::encode_part(part)?)?;
    }
    let machine = Mutex::new(machine);
    Ok(Box::new(move |message| {
        let mut machine = machine.lock().unwrap_or_else(PoisonError::into_inner);
        // Without its lease a request is 503, which fails the measurement.
        let timer = codec::encode_timer(clock());
        drop(timer.and_then(|timer| carry_out(&mut machine, &timer, &replica)));
        drop(carry_out(&mut machine, message, &replica));
    }))
}

fn carry_out(machine: &mut AccountsMachine, message: &[u8], replica: &Replica) -> Result<(), WireError> {
    let at = InputPlace { partition: 0, offset: 0, epoch: 0 };
    let (mut out, mut counts) = (Outbox::default(), AccountCounts::default());
    machine.step(at, &codec::decode_input(message)?, &mut out, &mut counts)?;
    machine.changes(|change: Change| {
        match change.value {
            Some(value) => codec::decode_part(change.key.as_bytes(), &value)?.map(|part| replica.put(part)),
            None => Some(replica.remove(&change.key)),
        };
        Ok::<_, WireError>(())
    })?;
    machine.apply();
    Ok(())
}
