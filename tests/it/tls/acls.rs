//! Each role as a user of its own, on a Kafka that allows what `arb topics rights` prints and nothing else.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::broker::{Process, common};
use crate::support::clickhouse::ClickHouse;
use crate::support::http::{request, send};
use crate::support::metrics::Admin;
use crate::support::ports::{port, port_pair};
use crate::support::program::{Role, arb, run};
use crate::support::receiver::{Manner, Receiver};
use crate::support::scratch::Scratch;
use crate::support::{python, wait_for};
use crate::webhooks::create_account_at;

const ROLES: [&str; 8] = ["accounts", "process", "settle", "bots", "deliver", "sink", "serve", "ingest"];

/// Grants the rights of its input, by role, and what every role has besides, over a listener whose clients may do everything.
const GRANT: &str = r"
import json, sys
from confluent_kafka.admin import AdminClient, AclBinding, AclOperation, AclPermissionType, ResourcePatternType, ResourceType
rights = json.load(sys.stdin)
topics = sorted({topic for of in rights for topic in of['reads'] + of['writes']})
bindings = set()
def allow(role, kind, name, operations, prefix=False):
    pattern = ResourcePatternType.PREFIXED if prefix else ResourcePatternType.LITERAL
    for operation in operations:
        bindings.add((kind, name, pattern, 'User:' + role, '*', AclOperation[operation.upper()], AclPermissionType.ALLOW))
for of in rights:
    role = of['role']
    for topic in topics:
        allow(role, ResourceType.TOPIC, topic, ['describe'])
    allow(role, ResourceType.GROUP, 'arb-reader', ['describe'])
    for topic in of['reads']:
        allow(role, ResourceType.TOPIC, topic, ['read'])
    for topic in of['writes']:
        allow(role, ResourceType.TOPIC, topic, ['write'])
    for group in of['groups']:
        allow(role, ResourceType.GROUP, group['name'], group['operations'], group['prefix'])
    if of['transactions']:
        allow(role, ResourceType.TRANSACTIONAL_ID, of['transactions'], ['write', 'describe'], True)
    if of['creates']:
        allow(role, ResourceType.BROKER, 'kafka-cluster', ['create'])
client = AdminClient({'bootstrap.servers': sys.argv[1]})
done = client.create_acls([AclBinding(*binding) for binding in bindings])
for future in done.values():
    future.result()
";

/// A broker whose users are the roles, each with its name as password.
struct AclBroker {
    folder: Scratch,
    clients: String,
    _process: Process,
}

impl AclBroker {
    fn start() -> Self {
        let folder = Scratch::new();
        let [inner, clients, controller] = std::array::from_fn(|_| port_pair());
        let listeners = [
            ("PLAINTEXT", "PLAINTEXT", inner),
            ("CLIENTS", "SASL_PLAINTEXT", clients),
            ("CONTROLLER", "PLAINTEXT", controller),
        ];
        let users = ROLES.iter().chain(&["admin", "nobody"]).map(|role| format!(" user_{role}=\"{role}\""));
        let settings = common(folder.path(), &listeners)
            + "authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer\n\
               super.users=User:ANONYMOUS\nlistener.name.clients.sasl.enabled.mechanisms=PLAIN\n\
               listener.name.clients.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required"
            + &users.collect::<Vec<_>>().concat()
            + ";\n";
        let process = Process::start(folder.path(), &settings, &[], &[inner, clients]);
        let rights = run(arb().args(["topics", "rights", "--json"]));
        assert!(rights.success, "{}", rights.err);
        let mut grant = python::command(&python::avro_client(), GRANT);
        grant.arg(format!("127.0.0.1:{inner}"));
        python::output(grant, &rights.out);
        Self { folder, clients: format!("127.0.0.1:{clients}"), _process: process }
    }

    /// How a user connects.
    fn way(&self, user: &str) -> Vec<String> {
        let file = self.folder.path().join(format!("{user}.password"));
        std::fs::write(&file, user).unwrap();
        vec![
            format!("--brokers={}", self.clients),
            "--kafka-security-protocol=sasl_plaintext".to_owned(),
            "--kafka-sasl-mechanism=PLAIN".to_owned(),
            format!("--kafka-username={user}"),
            format!("--kafka-password-file={}", file.display()),
        ]
    }

    /// A command of an administrator.
    fn command(&self, arguments: &[&str]) {
        let output = run(arb().args(arguments).args(self.way("admin")));
        assert!(output.success, "{arguments:?}: {}", output.err);
    }

    fn start_role(&self, role: &str, more: &[&str]) -> Role {
        let way = self.way(role);
        let arguments: Vec<_> = way.iter().map(String::as_str).chain(more.iter().copied()).collect();
        Role::start(role, &arguments, &self.log(role))
    }

    fn log(&self, role: &str) -> PathBuf {
        self.folder.path().join(format!("{role}.log"))
    }
}

/// A board, an account, a scan, a webhook and rows come about by these rights alone, and no role asks for another one.
#[test]
fn every_role_has_the_rights_that_are_printed_and_needs_no_others() {
    let (broker, clickhouse) = (AclBroker::start(), ClickHouse::start());
    clickhouse.migrate();
    broker.command(&["topics", "create"]);
    let path = |name: &str| broker.folder.path().join(name);
    let (pepper, hook_key) = (path("pepper"), path("webhook-key").display().to_string());
    let (listen, pepper_text) = (format!("127.0.0.1:{}", port()), pepper.display().to_string());
    let hooks = ["--webhook-key", &hook_key, "--webhook-development"];
    let writer = clickhouse.writer(&clickhouse.url);
    let mut roles = ROLES.map(|role| {
        let api = [&["--listen", &listen, "--pepper", &pepper_text][..], &hooks].concat();
        let more: Vec<&str> = match role {
            "process" => vec!["--policy", "board"],
            "bots" => vec!["--feed", "simulated"],
            "deliver" => hooks.to_vec(),
            "sink" => writer.iter().map(String::as_str).collect(),
            "serve" => api,
            "ingest" => vec!["--every", "1"],
            _ => Vec::new(),
        };
        broker.start_role(role, &more)
    });
    for role in ROLES.iter().filter(|role| **role != "serve") {
        let admin = Admin::of(&broker.log(role));
        let is_ready = || (admin.try_get("/readyz")?.status == 200).then_some(());
        wait_for(&format!("{role} is ready"), is_ready);
    }
    let url = format!("http://{listen}");
    wait_for("the API is ready", || {
        request("GET", &format!("{url}/readyz"), &[]).filter(|answer| answer.status == 200)
    });
    let way = broker.way("admin");
    let way: Vec<_> = way.iter().map(String::as_str).collect();
    let key = create_account_at(&way, &pepper, &url, "me@example.com");
    works(&url, &key);
    wait_for("rows are in ClickHouse", || {
        let found = clickhouse.query_as("analyst", "SELECT count() > 0 AS has_rows FROM arb.ticks");
        (found[0]["has_rows"].as_u64() == Some(1)).then_some(())
    });
    broker.command(&["dlq", "list"]);
    for (role, running) in ROLES.iter().zip(&mut roles) {
        running.assert_runs();
        let log = std::fs::read_to_string(broker.log(role)).unwrap();
        assert!(!log.to_lowercase().contains("authorization"), "{role}: {log}");
    }
}

/// What a client sees: a board, a scan that ends, and a webhook whose receiver is verified and gets events.
fn works(url: &str, key: &str) {
    let bearer = format!("Bearer {key}");
    let fields = [("authorization", &*bearer), ("content-type", "application/json")];
    let get =
        |path: &str| request("GET", &format!("{url}{path}"), &fields[..1]).filter(|it| it.status == 200);
    let post = |path: &str, body: &Value| {
        let answer = send("POST", &format!("{url}{path}"), &fields, body.to_string().into_bytes()).unwrap();
        assert!((200..300).contains(&answer.status), "{path}: {}", answer.body);
        answer.json()
    };
    let receiver = Receiver::start(Manner::Status(200, ""));
    post("/v1/webhooks", &json!({"url": receiver.url, "events": ["arb_window", "close_signal"]}));
    let sport = wait_for("the board has an arb", || {
        let board = get("/v1/arbs")?.json();
        board["arbs"][0]["sport"].as_str().map(str::to_owned)
    });
    let scan = post("/v1/scan", &json!({"sport": sport, "markets": ["h2h"]}));
    let scan = format!("/v1/scans/{}", scan["id"].as_str().unwrap());
    wait_for("the scan has ended", || get(&scan).filter(|answer| answer.json()["status"] != "pending"));
    wait_for("the receiver has events", || (!receiver.posted().is_empty()).then_some(()));
}

/// A user without rights is told so, in one sentence.
#[test]
fn a_role_without_rights_ends_with_a_sentence() {
    let broker = AclBroker::start();
    broker.command(&["topics", "create"]);
    let output = run(arb().arg("process").args(broker.way("nobody")));
    let last = output.err.lines().last().unwrap_or_default();
    assert!(!output.success && last.starts_with("arb: ") && last.contains("Describe"), "{}", output.err);
}
