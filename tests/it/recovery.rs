//! Drills: what is lost is there again by the steps of `docs/operations/recovery.md`. Kafka, by a backup into a fresh one, also of more partitions;
//! the topic of accounts alone; ClickHouse, from the topics.

use std::path::{Path, PathBuf};

use arb_schemas::records::{PeriodScore, ResultReport};
use arb_schemas::time::{Micros, SECOND};
use arb_schemas::topics::{ACCOUNTS, PICK_STATE, PICK_TASKS};
use arb_schemas::wire::encode;
use serde_json::{Value, json};

use crate::kafka::{wait_until_settled, write_to};
use crate::scores::candidate;
use crate::sink::{SMALL, fill};
use crate::support::clickhouse::ClickHouse;
use crate::support::http::{Answer, once_it_knows, request, send};
use crate::support::odds_api::now;
use crate::support::ports::port;
use crate::support::program::{Role, RunOutput, arb, run};
use crate::support::recordings;
use crate::support::sinks::Ground;
use crate::support::stack::Broker;
use crate::support::topics::{recreate, remove_group};
use crate::support::wait::wait_for;
use crate::webhooks::create_account;

const HOUR: Micros = 3_600 * SECOND;
/// The event of the pick that is open when the backup is made.
const EVENT: &str = "restored";

/// What people know: an account, its key, its endpoint, a pick.
struct Site {
    roles: Vec<Role>,
    url: String,
    /// How often it was started.
    lives: usize,
    broker: Broker,
}

impl Site {
    /// Everything but prices on a broker, whose folder has the pepper and the key of webhook secrets.
    fn on(broker: Broker) -> Self {
        let url = format!("http://127.0.0.1:{}", port());
        let mut site = Self { roles: Vec::new(), url, lives: 0, broker };
        site.start();
        site
    }

    fn start(&mut self) {
        let file = |name: &str| self.broker.path(name).display().to_string();
        let listen = self.url.strip_prefix("http://").unwrap();
        let (pepper, hooks) = (file("pepper"), file("webhook-key"));
        let serve =
            ["--listen", listen, "--pepper", &pepper, "--webhook-key", &hooks, "--webhook-development"];
        let roles = [("accounts", &[][..]), ("settle", &[]), ("serve", &serve)];
        self.lives += 1;
        let log = |name: &str| self.broker.path(&format!("{name}-{}.log", self.lives));
        let role = |(name, own): (&str, &[&str])| {
            let arguments = [&[self.broker.kafka.at(), self.broker.kafka.named()], own].concat();
            Role::start(name, &arguments, &log(name))
        };
        self.roles = roles.map(role).into();
        wait_for("the API is ready", || {
            self.roles.iter_mut().for_each(Role::assert_runs);
            // Who is asked to create an account gives the owner 10 s.
            let is_owned = self.roles[0].has_logged("partitions taken");
            let answer = request("GET", &format!("{}/readyz", self.url), &[]);
            answer.filter(|answer| is_owned && answer.status == 200)
        });
    }

    fn stop(&mut self) {
        self.roles.iter_mut().for_each(Role::stop);
        self.roles.clear();
    }

    fn run(&self, arguments: &[&str]) -> RunOutput {
        run(arb().args(arguments).args([self.broker.kafka.at(), self.broker.kafka.named()]))
    }

    /// Creates an account; the text of its key.
    fn account(&self, email: &str) -> String {
        create_account(&self.broker, &self.url, email)
    }

    fn log_in(&self, email: &str) -> Answer {
        let body = json!({"email": email, "password": "correct horse battery"}).to_string();
        let fields = [("content-type", "application/json")];
        let post = || send("POST", &format!("{}/session", self.url), &fields, body.clone().into_bytes());
        once_it_knows(post).unwrap()
    }

    fn get(&self, key: &str, path: &str) -> Answer {
        let bearer = format!("Bearer {key}");
        once_it_knows(|| request("GET", &format!("{}{path}", self.url), &[("authorization", &bearer)]))
            .unwrap()
    }

    /// The pick, once it is as it shall be.
    fn pick(&self, key: &str, is_it: impl Fn(&Value) -> bool) -> Value {
        wait_for("the pick is as it shall be", || {
            let page = self.get(key, &format!("/v1/picks?event={EVENT}")).json();
            page["picks"].get(0).filter(|pick| is_it(pick)).cloned().ok_or(page)
        })
    }

    /// An endpoint and a pick of an account.
    fn fill(&self, key: &str) {
        let bearer = format!("Bearer {key}");
        let fields = [("authorization", &*bearer), ("content-type", "application/json")];
        let body = json!({"url": format!("http://127.0.0.1:{}/hook", port())}).to_string().into_bytes();
        let created =
            once_it_knows(|| send("POST", &format!("{}/v1/webhooks", self.url), &fields, body.clone()))
                .unwrap();
        assert_eq!(created.status, 201, "{}", created.body);
        let candidate = encode(&candidate(EVENT, now() + 100 * HOUR)).unwrap();
        write_to(&self.broker.kafka, PICK_TASKS.name, &[(EVENT, &candidate)]);
        self.pick(key, |pick| pick["grades"] == json!([]));
    }

    /// Plays a recording of five polls, and waits until the board has all of it.
    fn replay(&self, key: &str, recording: &Path) {
        let at = [self.broker.kafka.at(), self.broker.kafka.named()];
        let _process = Role::start("process", &at, &self.broker.path("process.log"));
        self.broker.ingest(recording, &[]);
        wait_for("the board has all polls", || {
            let board = self.get(key, "/v1/arbs").json();
            if board["as_of"] == "2026-01-01T00:20:00Z" { Ok(()) } else { Err(board["as_of"].clone()) }
        });
    }

    fn backup(&self) -> Backup {
        let backup = Backup { file: self.broker.path("arb.backup"), key: self.broker.path("backup.key") };
        std::fs::write(&backup.key, [9; 32]).unwrap();
        // The pick is shown before its state has the marker of their transaction.
        wait_until_settled(&self.broker.kafka, &PICK_STATE);
        let made = self.run(&backup.arguments("backup"));
        assert!(
            made.success && made.out.contains("1 accounts, 1 keys, 1 endpoints, 1 picks"),
            "{}",
            made.err
        );
        assert!(made.out.contains("the pepper") && made.out.contains("webhook secrets"), "{}", made.out);
        backup
    }

    /// Asserts that all of an account is there and that picks are graded on.
    fn assert_is_restored(&self, key: &str, endpoints: &Value) {
        assert_eq!(self.log_in("ann@example.com").status, 200);
        assert_eq!(self.get(key, "/v1/arbs").status, 200);
        assert_eq!(self.get(key, "/v1/webhooks").json(), *endpoints);
        self.pick(key, |pick| pick["grades"] == json!([]));
        let report = ResultReport {
            event: EVENT.to_owned(),
            status: "cancelled".to_owned(),
            scores: Vec::<PeriodScore>::new(),
            source: "test".to_owned(),
            at: now(),
            ..ResultReport::default()
        };
        write_to(&self.broker.kafka, PICK_TASKS.name, &[(EVENT, &encode(&report).unwrap())]);
        self.pick(key, |pick| pick["grades"].as_array().is_some_and(|grades| grades.len() == 1));
        // The owner goes on.
        self.account("new@example.com");
    }
}

struct Backup {
    file: PathBuf,
    key: PathBuf,
}

impl Backup {
    fn arguments(&self, command: &'static str) -> [&str; 4] {
        [command, self.file.to_str().unwrap(), "--key", self.key.to_str().unwrap()]
    }
}

/// Where the secrets of a site are kept beside its backup.
fn carry_secrets(from: &Broker, to: &Broker) {
    for name in ["pepper", "webhook-key"] {
        std::fs::copy(from.path(name), to.path(name)).unwrap();
    }
}

#[test]
fn a_kafka_that_is_lost_is_restored_into_a_fresh_one_also_of_more_partitions() {
    let mut first = Site::on(Broker::start());
    let key = first.account("ann@example.com");
    first.fill(&key);
    let (endpoints, cookie) = (
        first.get(&key, "/v1/webhooks").json(),
        first.log_in("ann@example.com").header("set-cookie").to_owned(),
    );
    let backup = first.backup();
    let text = std::fs::read(&backup.file).unwrap();
    assert!(!text.windows(15).any(|part| part == b"ann@example.com"), "it is encrypted");

    let again = first.run(&backup.arguments("backup"));
    assert!(!again.success && again.err.contains("is there already"), "{}", again.err);
    let checked = first.run(&[&backup.arguments("restore")[..], &["--check"]].concat());
    assert!(checked.out.contains("1 accounts, 1 keys, 1 endpoints, 1 picks"), "{}", checked.err);
    let other = first.broker.path("other.key");
    std::fs::write(&other, [8; 32]).unwrap();
    let refused = first.run(&["restore", backup.file.to_str().unwrap(), "--key", other.to_str().unwrap()]);
    assert!(refused.err.contains("another key has encrypted it"), "{}", refused.err);
    let refused = first.run(&backup.arguments("restore"));
    assert!(
        !refused.success && refused.err.contains("is not empty, and nothing was written"),
        "{}",
        refused.err
    );
    first.stop();

    let more = Broker::bare();
    let created =
        run(arb().args(["topics", "create", "--partitions", "6", more.kafka.at(), more.kafka.named()]));
    assert!(created.success, "{}", created.err);
    let recording = recordings::simulated(first.broker.scratch.path(), 53, 5);
    for broker in [Broker::own(), more] {
        carry_secrets(&first.broker, &broker);
        let arguments = [&backup.arguments("restore")[..], &[broker.kafka.at(), broker.kafka.named()]];
        let restored = run(arb().args(arguments.concat()));
        assert!(restored.success, "{}", restored.err);
        assert!(restored.out.contains("are written and read back"), "{}", restored.out);
        let second = Site::on(broker);
        let session = cookie.split(';').next().unwrap();
        let old = request("GET", &format!("{}/session", second.url), &[("cookie", session)]).unwrap();
        assert_eq!(old.status, 401, "a session is in no backup: {}", old.body);
        second.assert_is_restored(&key, &endpoints);
        second.replay(&key, &recording);
    }
}

#[test]
fn a_topic_that_was_deleted_is_restored_alone() {
    let mut site = Site::on(Broker::start());
    let key = site.account("ann@example.com");
    site.fill(&key);
    let endpoints = site.get(&key, "/v1/webhooks").json();
    let backup = site.backup();
    site.account("late@example.com");
    site.stop();
    wait_until_settled(&site.broker.kafka, &PICK_STATE);
    recreate(&site.broker.kafka, &ACCOUNTS);

    let all = site.run(&backup.arguments("restore"));
    assert!(!all.success && all.err.contains(PICK_STATE.name), "picks are there: {}", all.err);
    let restored = site.run(&[&backup.arguments("restore")[..], &["--only", "accounts"]].concat());
    assert!(restored.success, "{}", restored.err);
    site.start();
    assert_eq!(site.log_in("late@example.com").status, 401, "what came after the backup is lost");
    site.assert_is_restored(&key, &endpoints);
}

#[test]
fn a_clickhouse_that_is_lost_is_filled_again_from_the_topics() {
    let mut ground = Ground::start();
    let expected = fill(&ground, 30);
    let mut sink = ground.sink("first.log", &SMALL);
    ground.wait_for_rows(&expected, || sink.assert_runs());
    sink.stop();
    ground.clickhouse = ClickHouse::start();
    ground.clickhouse.migrate();
    remove_group(&ground.broker.kafka, "arb-sink");
    let mut sink = ground.sink("again.log", &SMALL);
    ground.wait_for_rows(&expected, || sink.assert_runs());
    sink.stop();
    ground.assert_exact(&expected, "in a new ClickHouse");
}
