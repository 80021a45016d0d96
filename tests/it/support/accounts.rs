//! Accounts and keys of tests that are about something else, written into the topic as the accounts machine writes them, and their
//! quota leased by the machine on a thread of the test. Tests of accounts run `arb accounts` instead.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use arb_accounts::account::Account;
use arb_accounts::codec;
use arb_accounts::counts::AccountCounts;
use arb_accounts::directory::Part;
use arb_accounts::key::{ApiKey, Mode, Permissions};
use arb_accounts::machine::{AccountsConfig, AccountsMachine};
use arb_accounts::plan::Plan;
use arb_accounts::reply::{Refusal, Reply};
use arb_accounts::scope::Scope;
use arb_accounts::secrets::{self, KEY_RANDOM, PEPPER, Pepper};
use arb_kafka::{CommandProducer, Table, TableEvent};
use arb_runtime::machine::{Change, InputPlace, Machine, Outbox};
use arb_runtime::stop::Stop;
use arb_schemas::topics::{ACCOUNT_COMMANDS, ACCOUNTS};
use rdkafka::producer::{BaseProducer, BaseRecord, Producer};

use super::PATIENCE;
use super::environment::Environment;
use super::stack::Broker;
use super::wait::pace;

/// Between two questions to a broker that does not answer.
const AGAIN: Duration = Duration::from_millis(100);
/// When all of them were created.
const CREATED: i64 = 1_700_000_000_000_000;

/// A key, and the pepper under which the topic has it.
#[derive(Clone)]
pub(crate) struct Key {
    pub(crate) pepper: PathBuf,
    pub(crate) text: String,
    kafka: Environment,
    /// Ends with the last clone.
    lessor: Option<Arc<Lessor>>,
}

/// The thread that leases the quota of an account.
struct Lessor(Stop);

impl Drop for Lessor {
    fn drop(&mut self) {
        self.0.stop();
    }
}

impl Key {
    /// Of an account of its own of a plan.
    pub(crate) fn new(broker: &Broker, plan: &str) -> Self {
        Self::granted(broker, plan, &[], None)
    }

    /// The same with scopes and a public source that an operator granted; the source has one book of its name.
    pub(crate) fn granted(broker: &Broker, plan: &str, granted: &[Scope], source: Option<&str>) -> Self {
        Self::with_books(broker, plan, granted, (source, source.as_slice()))
    }

    /// The same of a source that may push prices of these books.
    pub(crate) fn with_books(
        broker: &Broker,
        plan: &str,
        granted: &[Scope],
        (source, books): (Option<&str>, &[&str]),
    ) -> Self {
        Self::with_source(broker, plan, granted, (source, books, true))
    }

    /// The same of a source whose prices its account alone sees.
    pub(crate) fn private(
        broker: &Broker,
        plan: &str,
        granted: &[Scope],
        (source, books): (&str, &[&str]),
    ) -> Self {
        Self::with_source(broker, plan, granted, (Some(source), books, false))
    }

    fn with_source(
        broker: &Broker,
        plan: &str,
        granted: &[Scope],
        (source, books, is_public): (Option<&str>, &[&str], bool),
    ) -> Self {
        let (mut key, kafka) = (Self::foreign(broker), broker.kafka.clone());
        let plan = [Plan::Free, Plan::Pro, Plan::Enterprise].into_iter().find(|known| known.key() == plan);
        let kid = secrets::parse_key(&key.text).unwrap().kid.to_owned();
        let account = Account {
            plan: plan.unwrap(),
            granted: granted.to_vec(),
            books: books.iter().copied().map(str::to_owned).collect(),
            source: source.map(str::to_owned),
            is_public,
            ..Account::new(format!("acc_{kid}{kid}"), format!("{}@localhost", kid.to_lowercase()), CREATED)
        };
        let may_have = |scope: &Scope| !scope.is_granted() || granted.contains(scope);
        let scopes = Scope::ALL.iter().copied().filter(may_have).collect();
        let stored = ApiKey {
            kid,
            account: account.id.clone(),
            hmac: pepper().hmac(&key.text),
            name: "test".into(),
            mode: Mode::Live,
            permissions: Permissions { scopes, expires_at: None, cidrs: vec![], monthly_cap: None },
            created_at: CREATED,
            replaced_by: None,
        };
        let parts = [Part::Account(account), Part::Key(stored)];
        for part in &parts {
            write(&kafka, &part.key(), Some(&codec::encode_part(part).unwrap()));
        }
        key.lessor = Some(lease(&kafka, &parts));
        key
    }

    /// One that no account has.
    pub(crate) fn foreign(broker: &Broker) -> Self {
        let file = broker.path("pepper");
        std::fs::write(&file, [7; PEPPER]).unwrap();
        let random: [u8; KEY_RANDOM] = std::array::from_fn(|_| fastrand::u8(..));
        Self {
            pepper: file,
            text: secrets::new_key(Mode::Live, &random),
            kafka: broker.kafka.clone(),
            lessor: None,
        }
    }

    /// Revokes it.
    pub(crate) fn take_away(&self) {
        write(&self.kafka, &format!("key/{}", secrets::parse_key(&self.text).unwrap().kid), None);
    }
}

fn pepper() -> Pepper {
    Pepper::new(&[7; PEPPER])
}

/// Writes a record, or a tombstone, and waits until the broker has it: for longer than a command is sent, which is given up early.
fn write(kafka: &Environment, key: &str, value: Option<&[u8]>) {
    let (mut config, topic) = (kafka.client(), kafka.name(ACCOUNTS.name));
    let producer: BaseProducer = config.set("enable.idempotence", "true").create().unwrap();
    let mut record = BaseRecord::<str, [u8]>::to(&topic).partition(0).key(key);
    record.payload = value;
    producer.send(record).map_err(|(error, _)| error).unwrap();
    producer.flush(PATIENCE).unwrap();
}

/// Leases the quota of an account until the last clone of its key is dropped, or Kafka ends.
fn lease(kafka: &Environment, parts: &[Part]) -> Arc<Lessor> {
    let mut machine = AccountsMachine::new(&AccountsConfig::default());
    for part in parts {
        machine.restore(part.key().as_bytes(), &codec::encode_part(part).unwrap()).unwrap();
    }
    let (stop, cluster) = (Stop::default(), kafka.cluster());
    let stopped = stop.clone();
    std::thread::spawn(move || {
        // A broker that is slow to answer is asked again.
        let mut commands = loop {
            match Table::open(&cluster, &ACCOUNT_COMMANDS, 1) {
                Ok(commands) => break commands,
                Err(_) if stopped.is_stopped() => return,
                Err(_) => pace("before the broker is asked again", AGAIN),
            }
        };
        let producer = CommandProducer::new(&cluster, &ACCOUNTS).unwrap();
        let mut last_timer: Option<Instant> = None;
        while !stopped.is_stopped() {
            if last_timer.is_none_or(|at| at.elapsed() >= Duration::from_millis(500)) {
                last_timer = Some(Instant::now());
                carry_out(&mut machine, &codec::encode_timer(now()).unwrap(), &producer);
            }
            match commands.next(Duration::from_millis(10)) {
                Ok(TableEvent::Put { value: Some(command), .. }) => {
                    carry_out(&mut machine, &command, &producer);
                }
                Ok(_) => {}
                // A broker that a test kills is there again, or the test ends.
                Err(_) => pace("before the broker is asked again", AGAIN),
            }
            let _ = producer.serve(Duration::ZERO);
        }
    });
    Arc::new(Lessor(stop))
}

fn now() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    i64::try_from(now.as_micros()).unwrap()
}

/// What a command changes of quotas, and the replies to commands of its account; its time beside that of others is nobody's.
fn carry_out(machine: &mut AccountsMachine, command: &[u8], producer: &CommandProducer) {
    let Ok(input) = codec::decode_input(command) else { return };
    let (mut out, mut counts) = (Outbox::default(), AccountCounts::default());
    let at = InputPlace { partition: 0, offset: 0, epoch: 0 };
    machine.step(at, &input, &mut out, &mut counts).unwrap();
    let put = |change: Change| {
        if change.key.starts_with("usage/") || change.key == "clock" || is_reply(&change) {
            let _ = producer.send_bytes(&change.key, change.value.as_deref());
        }
        Ok::<_, arb_schemas::wire::WireError>(())
    };
    machine.changes(put).unwrap();
    machine.apply();
}

/// Whether it is a reply. To a command of another account the machine of that one replies: this one knows no such key.
fn is_reply(change: &Change) -> bool {
    let part =
        change.value.as_ref().and_then(|value| codec::decode_part(change.key.as_bytes(), value).unwrap());
    let is_foreign = |reply: &Reply| matches!(reply.result, Err(Refusal::NoKey | Refusal::NoAccount));
    matches!(part, Some(Part::Reply(reply)) if !is_foreign(&reply))
}
