//! The accounts machine: one partition, so that one owner decides in one order what becomes of each command.
//!
//! Each command is carried out or refused, and its reply is a part of the state for a day: the same id has the same reply and changes
//! nothing again. What expires does so by timer records alone; the machine never asks a clock, and never sees a secret.

mod authority;
mod carry_out;
mod done;
mod endpoints;
mod keys;
mod quota;
mod sessions;
mod time;
mod timed_directory;
mod valid;

use arb_runtime::dead_letters::Reason;
use arb_runtime::log::Output;
use arb_runtime::machine::{Change, Counts, Fingerprint, InputPlace, Machine, MachineTopics, Outbox};
use arb_runtime::telemetry::Role;
use arb_schemas::time::Micros;
use arb_schemas::topics::{ACCOUNT_AUDIT, ACCOUNT_COMMANDS, ACCOUNTS, DEAD_ACCOUNT_COMMANDS};
use arb_schemas::wire::WireError;
use thiserror::Error;

use crate::audit::AuditEntry;
use crate::codec::{self, Input};
use crate::command::Request;
use crate::counts::{AccountCounts, Size};
use crate::directory::{Directory, Part};
use crate::reply::Reply;
use crate::telemetry;

use timed_directory::Draft;
pub use timed_directory::{EXPIRED_KEY_KEPT, REPLY_KEPT};

/// Accounts that there may be unless the operator sets another number.
pub const MAX_ACCOUNTS: usize = 100_000;
/// The rules by which commands are carried out, recorded in the changelog.
const RULES: &str = "accounts-1";

/// What an operator chooses of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AccountsConfig {
    /// Accounts that there may be.
    pub max_accounts: usize,
}

impl Default for AccountsConfig {
    fn default() -> Self {
        Self { max_accounts: MAX_ACCOUNTS }
    }
}

/// Why a record of the changelog is not restored.
#[derive(Debug, Error)]
pub enum RestoreError {
    /// It is none.
    #[error(transparent)]
    Wire(#[from] WireError),
    /// The runtime's record of the partition, which it writes and reads under its own key.
    #[error("the partition's record is under another key")]
    Partition,
}

/// The machine.
#[derive(Debug)]
pub struct AccountsMachine {
    config: AccountsConfig,
    draft: Draft,
}

impl AccountsMachine {
    /// The state, drafts included.
    #[must_use]
    pub fn directory(&self) -> &Directory {
        self.draft.directory()
    }

    /// A command: its first reply again, or what it does now.
    fn request(
        &mut self,
        partition: i32,
        request: &Request,
        out: &mut Outbox,
        tally: &mut AccountCounts,
    ) -> Result<(), WireError> {
        if let Err(problem) = valid::request(request) {
            out.dead_letter(Reason::Refused, problem);
            return Ok(());
        }
        if self.directory().reply(&request.id).is_some() {
            tally.repeated += 1;
            return Ok(());
        }
        time::begin(&mut self.draft, request.sent_at);
        let at = self.directory().clock();
        let result = carry_out::carry_out(&mut self.draft, self.config, request);
        tally.decided(result.is_ok());
        let result = match result {
            Ok(done) => {
                let entry = AuditEntry {
                    id: request.id.clone(),
                    account: done.account,
                    action: done.action,
                    actor: request.actor.clone(),
                    address: request.address.clone(),
                    subject: done.subject,
                    at,
                    sent_at: request.sent_at,
                };
                let value = codec::encode_audit(&entry)?;
                out.send(Output::new(ACCOUNT_AUDIT.name, partition, entry.account, Some(value)));
                Ok(())
            }
            Err(refusal) => Err(refusal),
        };
        self.draft.put(Part::Reply(Reply { id: request.id.clone(), at, result }));
        Ok(())
    }
}

impl Machine for AccountsMachine {
    type Config = AccountsConfig;
    type Input<'a> = Input;
    type Tally = AccountCounts;
    type Size = Size;
    type RestoreError = RestoreError;

    const TOPICS: MachineTopics = MachineTopics {
        input: &ACCOUNT_COMMANDS,
        changelog: &ACCOUNTS,
        dead_letters: &DEAD_ACCOUNT_COMMANDS,
        outputs: &[&ACCOUNT_AUDIT],
    };
    const ROLE: Option<Role> = Some(Role::Accounts);

    fn new(config: &AccountsConfig) -> Self {
        Self { config: *config, draft: Draft::default() }
    }

    fn fingerprint(config: &AccountsConfig) -> Fingerprint {
        // The number of accounts may change from run to run.
        let tables = config.max_accounts as u64;
        Fingerprint { rules: RULES.to_owned(), setting: "the version of arb", tables }
    }

    fn decode(message: &[u8]) -> Result<Input, WireError> {
        codec::decode_input(message)
    }

    fn timer(input: &mut Input) -> Option<&mut Micros> {
        if let Input::Timer(at) = input { Some(at) } else { None }
    }

    fn step(
        &mut self,
        at: InputPlace,
        input: &Input,
        out: &mut Outbox,
        tally: &mut AccountCounts,
    ) -> Result<(), WireError> {
        match input {
            Input::Timer(now) => {
                tally.timers += 1;
                let ended = time::advance(&mut self.draft, *now);
                tally.expired += ended.removed;
                tally.forfeited += ended.forfeited;
                Ok(())
            }
            Input::Lease(ask) => {
                match quota::problem(&ask.instance) {
                    Some(problem) => out.dead_letter(Reason::Refused, problem),
                    None => quota::lease(&mut self.draft, ask, tally),
                }
                Ok(())
            }
            Input::Settle(report) => {
                let noted = match quota::problem(&report.instance) {
                    Some(problem) => Err(problem),
                    None => quota::settle(&mut self.draft, report, tally).map_err(str::to_owned),
                };
                noted.unwrap_or_else(|problem| out.dead_letter(Reason::Refused, problem));
                Ok(())
            }
            Input::Request(request) => self.request(at.partition, request, out, tally),
        }
    }

    /// Replies come last: whoever reads the topic in its order has what a command did when it reads the reply.
    fn changes<E: From<WireError>>(&self, mut put: impl FnMut(Change) -> Result<(), E>) -> Result<(), E> {
        for (key, part) in timed_directory::changes(&self.draft) {
            let value = part.map(|part| codec::encode_part(&part)).transpose()?;
            put(Change { key: key.to_owned(), value })?;
        }
        Ok(())
    }

    fn apply(&mut self) {
        self.draft.apply();
    }

    fn abort(&mut self) {
        self.draft.abort();
    }

    fn restore(&mut self, key: &[u8], value: &[u8]) -> Result<(), RestoreError> {
        let part = codec::decode_part(key, value)?.ok_or(RestoreError::Partition)?;
        self.draft.restore(part);
        Ok(())
    }

    fn size(&self) -> Size {
        Size::of(self.directory())
    }

    fn report(counts: &Counts<AccountCounts>) {
        telemetry::committed(counts);
    }

    fn report_state(_worker: usize, machines: &[&Self]) {
        telemetry::sizes(machines.iter().map(|machine| machine.size()));
    }
}
