//! A machine under test: commands in, replies and audit out.

use arb_accounts::command::{Actor, Command, NewKey, Request};
use arb_accounts::counts::AccountCounts;
use arb_accounts::directory::Directory;
use arb_accounts::key::{Mode, Permissions};
use arb_accounts::machine::{AccountsConfig, AccountsMachine};
use arb_accounts::plan::Plan;
use arb_accounts::reply::Refusal;
use arb_accounts::scope::Scope;
use arb_accounts::{codec, password};
use arb_runtime::machine::{InputPlace, Machine, Outbox};
use arb_schemas::records::{AccountAudit, AccountBankroll};
use arb_schemas::time::{Micros, SECOND};
use arb_schemas::wire;

pub(crate) const DAY: Micros = 86_400 * SECOND;
/// The time of the first timer.
pub(crate) const BEGIN: Micros = 1_782_000_000 * SECOND;

/// A hash that verifies nothing, in the right format.
pub(crate) const HASH: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

pub(crate) struct Bench {
    pub(crate) machine: AccountsMachine,
    pub(crate) out: Outbox,
    pub(crate) tally: AccountCounts,
    commands: u64,
    offset: i64,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self::with(AccountsConfig::default())
    }

    pub(crate) fn with(config: AccountsConfig) -> Self {
        assert!(password::is_hash(HASH));
        let machine = AccountsMachine::new(&config);
        let mut bench =
            Self { machine, out: Outbox::default(), tally: AccountCounts::default(), commands: 0, offset: 0 };
        bench.timer(BEGIN);
        bench
    }

    pub(crate) fn directory(&self) -> &Directory {
        self.machine.directory()
    }

    pub(crate) fn message(&mut self, message: &[u8]) {
        let input = AccountsMachine::decode(message).unwrap();
        let at = InputPlace { partition: 0, offset: self.offset, epoch: 1 };
        self.offset += 1;
        self.machine.step(at, &input, &mut self.out, &mut self.tally).unwrap();
    }

    pub(crate) fn timer(&mut self, at: Micros) {
        self.message(&codec::encode_timer(at).unwrap());
    }

    pub(crate) fn send(&mut self, request: &Request) -> Result<(), Refusal> {
        self.message(&codec::encode_request(request).unwrap());
        self.directory().reply(&request.id).unwrap().result.clone()
    }

    /// A command of its own id.
    pub(crate) fn ask(&mut self, actor: Actor, command: Command) -> Result<(), Refusal> {
        self.commands += 1;
        self.send(&request(&format!("r{}", self.commands), actor, command))
    }

    pub(crate) fn operator(&mut self, command: Command) -> Result<(), Refusal> {
        self.ask(Actor::Operator, command)
    }

    /// An account with a session and a key that manages keys: `(account, session, kid)`.
    pub(crate) fn tenant(&mut self, number: u8, plan: Plan) -> (String, String, String) {
        let id = account(number);
        self.operator(create(number, plan)).unwrap();
        self.ask(Actor::Anonymous, open(&id, &hash(number), 0)).unwrap();
        let kid = kid(u32::from(number) * 1_000);
        let scopes = [&Scope::DEFAULT[..], &[Scope::KeysManage]].concat();
        let key = NewKey { permissions: permissions(&scopes), ..new_key(&id, &kid) };
        self.operator(Command::CreateKey(key)).unwrap();
        (id, hash(number), kid)
    }

    /// What the audit has: action, actor, subject.
    pub(crate) fn audit(&self) -> Vec<AccountAudit> {
        self.out
            .outputs()
            .iter()
            .map(|output| wire::decode(output.value.as_ref().unwrap()).unwrap())
            .collect()
    }
}

pub(crate) fn request(id: &str, actor: Actor, command: Command) -> Request {
    Request { id: id.to_owned(), sent_at: BEGIN + 7, address: "192.0.2.1".to_owned(), actor, command }
}

pub(crate) fn account(number: u8) -> String {
    format!("acc_{number:016}")
}

pub(crate) fn hash(number: u8) -> String {
    format!("{number:064x}")
}

pub(crate) fn bankroll(total: i64, currency: Option<&str>, rounding: i64) -> AccountBankroll {
    AccountBankroll { total, currency: currency.map(str::to_owned), rounding }
}

pub(crate) fn kid(number: u32) -> String {
    format!("{number:08}")
}

pub(crate) fn create(number: u8, plan: Plan) -> Command {
    Command::CreateAccount {
        account: account(number),
        email: format!("user{number}@example.com"),
        password: Some(HASH.to_owned()),
        plan,
        invitation: None,
    }
}

pub(crate) fn open(account: &str, session: &str, revision: u64) -> Command {
    Command::OpenSession {
        account: account.to_owned(),
        session: session.to_owned(),
        revision,
        seconds: 3_600,
        replaces: None,
    }
}

pub(crate) fn permissions(scopes: &[Scope]) -> Permissions {
    Permissions { scopes: scopes.to_vec(), expires_at: None, cidrs: Vec::new(), monthly_cap: None }
}

pub(crate) fn new_key(account: &str, kid: &str) -> NewKey {
    NewKey {
        account: account.to_owned(),
        kid: kid.to_owned(),
        hmac: "ab".repeat(32),
        name: "laptop".to_owned(),
        mode: Mode::Live,
        permissions: permissions(&Scope::DEFAULT),
    }
}

pub(crate) fn rotate(account: &str, kid: &str, new_kid: &str, grace_seconds: u32) -> Command {
    Command::RotateKey {
        account: account.to_owned(),
        kid: kid.to_owned(),
        new_kid: new_kid.to_owned(),
        hmac: "cd".repeat(32),
        grace_seconds,
    }
}

pub(crate) fn spend(account: &str, ticket: &str) -> Command {
    Command::SpendTicket { account: account.to_owned(), ticket: ticket.to_owned() }
}

pub(crate) fn revoke(account: &str, kid: &str) -> Command {
    Command::RevokeKey { account: account.to_owned(), kid: kid.to_owned() }
}

pub(crate) fn invalid(field: &str) -> impl Fn(Result<(), Refusal>) -> bool {
    move |result| matches!(result, Err(Refusal::Invalid(found, _)) if found == field)
}
