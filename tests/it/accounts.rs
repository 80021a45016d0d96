//! Accounts with a real Kafka: the commands of an operator, and owners that are killed while commands come in.
//!
//! What is acknowledged is in the topic, and what the topic has is what the machine makes of the same commands, undisturbed.

use std::collections::BTreeMap;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use arb_accounts::codec;
use arb_accounts::command::{Actor, Command, NewKey, Request};
use arb_accounts::counts::AccountCounts;
use arb_accounts::directory::Part;
use arb_accounts::key::{Mode, Permissions};
use arb_accounts::machine::{AccountsConfig, AccountsMachine};
use arb_accounts::plan::Plan;
use arb_accounts::scope::Scope;
use arb_accounts::secrets;
use arb_runtime::fail_point::Point;
use arb_runtime::machine::{InputPlace, Machine, Outbox};
use arb_runtime::timer_clock::TimerClock;
use arb_schemas::records::StatePartition;
use arb_schemas::topics::{ACCOUNT_AUDIT, ACCOUNT_COMMANDS, ACCOUNTS, ODDS_TICKS};
use arb_schemas::wire::{WireError, decode};
use fastrand::Rng;
use rdkafka::producer::{BaseProducer, BaseRecord};

use crate::kafka::{Placed, read_all, read_places, wait_until_settled};
use crate::support::program::{Role, RunOutput, SHIPPED_SESSION, arb, run};
use crate::support::stack::Broker;
use crate::support::wait_for;

/// Owners that are killed, each at another point of a transaction.
const KILLS: [Point; 5] = [Point::Produce, Point::Offsets, Point::Commit, Point::Committed, Point::Process];
/// Commands of one life of an owner.
const BURST: u32 = 60;

fn account(broker: &Broker, arguments: &[&str]) -> RunOutput {
    run(arb().arg("account").args(arguments).args([broker.kafka.at(), broker.kafka.named()]))
}

fn ok(broker: &Broker, arguments: &[&str]) -> String {
    let said = account(broker, arguments);
    assert!(said.success, "{arguments:?}: {}", said.err);
    said.out
}

fn start(broker: &Broker, name: &str, arguments: &[&str]) -> Role {
    let arguments = [&[broker.kafka.at(), broker.kafka.named()], arguments].concat();
    Role::start("accounts", &arguments, &broker.path(name))
}

#[test]
fn an_operator_creates_changes_and_reads() {
    let broker = Broker::start();
    let folder = broker.scratch.path();
    let (pepper, password) = (folder.join("pepper"), folder.join("password"));
    let (pepper, password) = (pepper.to_str().unwrap(), password.to_str().unwrap());
    std::fs::write(password, "correct horse\n").unwrap();
    let none = account(&broker, &["disable", "nobody@example.com"]);
    assert!(none.err.contains("there is no such account"), "{}", none.err);
    let create = ["create", "--email", "Ann@Example.com", "--password-file", password, "--plan", "pro"];
    let early = ["create", "--email", "early@example.com", "--password-file", password, "--pepper", pepper];
    let alone = account(&broker, &early);
    assert!(!alone.success && alone.err.contains("no instance of arb accounts runs"), "{}", alone.err);
    let mut role = start(&broker, "accounts.log", &[]);
    role.wait_for_partitions();

    let created = ok(&broker, &[&create[..], &["--key", "laptop", "--pepper", pepper]].concat());
    let (id, key) = created.trim().split_once('\n').unwrap();
    let id = id.strip_prefix("account ").unwrap();
    assert!(secrets::parse_key(key.strip_prefix("key ").unwrap()).is_some(), "{created}");
    let again = account(&broker, &[&create[..], &["--pepper", pepper]].concat());
    assert!(again.err.contains("there is an account of this e-mail"), "{}", again.err);
    ok(&broker, &["set-plan", id, "enterprise"]);
    let grant = ["grant", "ann@example.com", "--scope", "ticks:write"];
    let of_table =
        account(&broker, &[&grant[..], &["--book", "pinnacle", "--source", "acme", "--public"]].concat());
    assert!(of_table.err.contains("pinnacle is a book of the table"), "{}", of_table.err);
    let withdrawn = || {
        let records = read_all(&broker.kafka, ODDS_TICKS.name).into_iter();
        records.map(|record| String::from_utf8(record.key).unwrap()).collect::<Vec<_>>()
    };
    ok(&broker, &[&grant[..], &["--book", "pinnacle", "--source", "acme"]].concat());
    ok(&broker, &[&grant[..], &["--book", "pinnacle", "--book", "alpha", "--source", "acme"]].concat());
    assert!(withdrawn().is_empty(), "nothing was taken away");
    ok(&broker, &[&grant[..], &["--book", "alpha", "--source", "acme", "--public"]].concat());
    assert_eq!(withdrawn(), ["push/acme"; 4], "in each partition, what others would not have seen");
    ok(&broker, &[&grant[..], &["--book", "alpha"]].concat());
    assert_eq!(withdrawn().iter().filter(|source| *source == "feed/acme").count(), 4);
    ok(&broker, &["reset-password", id, "--password-file", password]);
    ok(&broker, &["disable", id]);

    let list = ok(&broker, &["list"]);
    let line = list.lines().find(|line| line.starts_with(id)).unwrap();
    let expected = format!("{id}\tann@example.com\tenterprise\tdisabled\t1\tticks:write\t");
    assert!(line.starts_with(&expected), "{line}");
    assert_eq!(list.lines().count(), 3, "a line of names, Ann, and the account of the command that waited");
    // A command has its reply before every partition has the markers of its transaction.
    wait_until_settled(&broker.kafka, &ACCOUNT_AUDIT);
    let audit = ok(&broker, &["audit", "--account", id]);
    let actions: Vec<_> = audit.lines().skip(1).map(|line| line.split('\t').nth(2).unwrap()).collect();
    let (created, granted) = (["account_created", "key_created", "plan_set"], ["granted"; 4]);
    assert_eq!(actions, [&created[..], &granted, &["password_reset", "disabled"]].concat());
    role.stop();
}

/// Commands of one seed: accounts with keys, e-mails that are taken, and commands that are sent again.
struct Commands {
    rng: Rng,
    sent: Vec<Request>,
}

impl Commands {
    fn next(&mut self) -> Request {
        if !self.sent.is_empty() && self.rng.u8(0..5) == 0 {
            return self.sent[self.rng.usize(0..self.sent.len())].clone();
        }
        let number = self.sent.len();
        let account = |number: usize| format!("acc_{:016}", number / 2);
        let command = if number.is_multiple_of(2) {
            let email = format!("user{}@example.com", number - 2 * usize::from(number % 10 == 8));
            Command::CreateAccount {
                account: account(number),
                email,
                password: None,
                plan: Plan::Free,
                invitation: None,
            }
        } else {
            let permissions = Permissions {
                scopes: Scope::DEFAULT.to_vec(),
                expires_at: None,
                cidrs: Vec::new(),
                monthly_cap: None,
            };
            Command::CreateKey(NewKey {
                account: account(number),
                kid: format!("{number:08}"),
                hmac: "ab".repeat(32),
                name: "key".to_owned(),
                mode: Mode::Live,
                permissions,
            })
        };
        let id = format!("request-{number}");
        let request = Request { id, sent_at: now(), address: String::new(), actor: Actor::Operator, command };
        self.sent.push(request.clone());
        request
    }
}

/// The machine's time begins with the first command or timer, whichever comes first.
fn now() -> i64 {
    i64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_micros()).unwrap()
}

/// A producer that delivers each command once, however long the broker takes: that of the roles gives one up early.
fn producer(broker: &Broker) -> BaseProducer {
    broker.kafka.client().set("enable.idempotence", "true").create().unwrap()
}

fn send(broker: &Broker, producer: &BaseProducer, request: &Request) {
    let topic = broker.kafka.name(ACCOUNT_COMMANDS.name);
    let value = codec::encode_request(request).unwrap();
    let record = BaseRecord::to(&topic).partition(0).key(&*request.id).payload(&value);
    producer.send(record).map_err(|(error, _)| error).unwrap();
    producer.poll(Duration::from_millis(2));
}

/// What a reader of committed records has: each part as it was written last, and the offset up to which it reaches.
fn state(broker: &Broker) -> (BTreeMap<Vec<u8>, Part>, i64) {
    let (mut parts, mut next) = (BTreeMap::new(), 0);
    for record in read_all(&broker.kafka, ACCOUNTS.name) {
        if record.value.is_empty() {
            parts.remove(&record.key);
        } else if let Some(part) = codec::decode_part(&record.key, &record.value).unwrap() {
            parts.insert(record.key, part);
        } else {
            next = decode::<StatePartition>(&record.value).unwrap().next_offset;
        }
    }
    (parts, next)
}

fn replies(broker: &Broker) -> BTreeMap<Vec<u8>, Part> {
    let (mut parts, _) = state(broker);
    parts.retain(|key, _| key.starts_with(b"reply/"));
    parts
}

/// What the machine makes of the commands up to an offset when nothing happens to it: its state, and its audit.
fn undisturbed(broker: &Broker, next: i64) -> (BTreeMap<Vec<u8>, Part>, Vec<Vec<u8>>) {
    let mut machine = AccountsMachine::new(&AccountsConfig::default());
    let (mut out, mut tally, mut clock) =
        (Outbox::default(), AccountCounts::default(), TimerClock::default());
    let commands = read_places(&broker.kafka, ACCOUNT_COMMANDS.name).into_iter();
    for Placed { record, offset, appended_at } in commands.filter(|placed| placed.offset < next) {
        let mut input = AccountsMachine::decode(&record.value).unwrap();
        // The broker's time has no microseconds: a timer that it took at once counts as a little earlier than its own time.
        if let Some(time) = AccountsMachine::timer(&mut input) {
            *time = clock.tick(*time, appended_at).now;
        }
        machine.step(InputPlace { partition: 0, offset, epoch: 1 }, &input, &mut out, &mut tally).unwrap();
    }
    let mut parts = BTreeMap::new();
    let put = |change: arb_runtime::machine::Change| {
        let key = change.key.into_bytes();
        if let Some(value) = change.value {
            parts.insert(key.clone(), codec::decode_part(&key, &value)?.unwrap());
        }
        Ok::<_, WireError>(())
    };
    machine.changes(put).unwrap();
    let audit = out.outputs().iter().map(|output| output.value.clone().unwrap()).collect();
    (parts, audit)
}

#[test]
fn owners_killed_under_load_lose_nothing_and_do_nothing_twice() {
    kill_owners(KILLS.len(), 19);
}

/// The long run: `ARB_ACCOUNT_SEED` is its seed, 1 unless set.
#[test]
#[ignore = "minutes: run by name"]
fn twenty_owners_killed_under_load_lose_nothing_and_do_nothing_twice() {
    let seed = std::env::var("ARB_ACCOUNT_SEED").ok().map_or(1, |seed| seed.parse().unwrap());
    kill_owners(20, seed);
}

/// Kills so many owners, at each point in turn.
fn kill_owners(kills: usize, seed: u64) {
    let broker = Broker::start();
    let producer = producer(&broker);
    let mut commands = Commands { rng: Rng::with_seed(seed), sent: Vec::new() };
    let armed = |index: usize| {
        let point = KILLS[index % KILLS.len()].key();
        (index < kills).then(|| format!("--kill-at={point}:{}", 20 + index % KILLS.len()))
    };
    let launch = |index: usize| {
        let kill = armed(index);
        let arguments: Vec<_> = kill.as_deref().into_iter().collect();
        start(&broker, &format!("accounts-{index}.log"), &arguments)
    };
    let mut owner = launch(0);
    owner.wait_for_partitions();
    let mut acknowledged = BTreeMap::new();
    for index in 0..kills {
        let mut standby = launch(index + 1);
        wait_for("the owner is killed", || {
            (0..BURST / 20).for_each(|_| send(&broker, &producer, &commands.next()));
            owner.died().then_some(())
        });
        let killed = Instant::now();
        acknowledged.extend(replies(&broker));
        // What is sent while nobody owns the partition is carried out by the next owner.
        (0..BURST).for_each(|_| send(&broker, &producer, &commands.next()));
        standby.wait_for_partitions();
        println!("owner {index} killed; the next one had the partition after {:?}", killed.elapsed());
        owner = standby;
    }
    let last = format!("reply/{}", commands.sent.last().unwrap().id).into_bytes();
    wait_for("the last command has its reply", || {
        owner.assert_runs();
        replies(&broker).contains_key(&last).then_some(())
    });
    owner.stop();
    for topic in [ACCOUNTS, ACCOUNT_AUDIT] {
        wait_until_settled(&broker.kafka, &topic);
    }

    let (found, next) = state(&broker);
    let (expected, audit) = undisturbed(&broker, next);
    println!(
        "{kills} owners killed, {} commands, {} acknowledged before the last",
        commands.sent.len(),
        acknowledged.len()
    );
    assert!(acknowledged.len() > 20, "{}", acknowledged.len());
    assert!(acknowledged.iter().all(|(key, reply)| found.get(key) == Some(reply)), "acknowledged and lost");
    assert_eq!(commands.sent.len(), found.keys().filter(|key| key.starts_with(b"reply/")).count());
    assert_eq!(found, expected);
    let written: Vec<_> =
        read_all(&broker.kafka, ACCOUNT_AUDIT.name).into_iter().map(|record| record.value).collect();
    assert_eq!(written, audit, "each is done once, in the order of the commands");
}

#[test]
fn a_session_ends_by_a_timer_and_a_standby_is_ready() {
    let broker = Broker::start();
    let producer = producer(&broker);
    let mut owner = start(&broker, "owner.log", &[SHIPPED_SESSION]);
    owner.wait_for_partitions();
    let mut standby = start(&broker, "standby.log", &[SHIPPED_SESSION]);
    let mut commands = Commands { rng: Rng::with_seed(1), sent: Vec::new() };
    let create = commands.next();
    send(&broker, &producer, &create);
    let (account, session) = ("acc_0000000000000000".to_owned(), "cd".repeat(32));
    let command =
        Command::OpenSession { account, session: session.clone(), revision: 0, seconds: 3, replaces: None };
    send(&broker, &producer, &Request { id: "open".to_owned(), actor: Actor::Anonymous, command, ..create });
    let key = format!("session/{session}").into_bytes();
    // Opened, and then removed: a reader may be too slow to see it open.
    wait_for("the session was opened and has ended", || {
        let records = read_all(&broker.kafka, ACCOUNTS.name).into_iter();
        let values: Vec<_> =
            records.filter(|record| record.key == key).map(|record| record.value.is_empty()).collect();
        (values == [false, true]).then_some(())
    });
    wait_for("the standby is ready", || standby.has_logged("ready").then_some(()));
    standby.assert_runs();
    assert!(!standby.has_logged("partitions taken"));
    owner.kill();
    standby.wait_for_partitions();
    standby.stop();
}
