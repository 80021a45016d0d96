//! What webhooks are tested on: a broker, everything that sends webhooks, and an account that manages them.

use std::path::Path;
use std::time::Duration;

use arb_schemas::topics::{FEED_EVENTS, Topic, WEBHOOK_TASKS};
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::topic_partition_list::TopicPartitionList;
use serde_json::{Value, json};

use crate::kafka::{Placed, read_all, read_places, try_committed, wait_until_settled};
use crate::kill::published;
use crate::support::environment::Environment;
use crate::support::http::request;
use crate::support::ports::port;
use crate::support::program::{Role, arb, run};
use crate::support::receiver::Receiver;
use crate::support::stack::Broker;
use crate::support::{recordings, wait_for};

/// The group of deliverers, and that in which they read the feed.
const DELIVERERS: &str = "arb-deliver";
const FEED_READERS: &str = "arb-deliver-feed";

/// A broker with everything that sends webhooks.
pub(super) struct Hooks {
    pub(super) deliver: Vec<Option<Role>>,
    roles: Vec<Supervised>,
    pub(super) url: String,
    pub(super) key: String,
    pub(super) broker: Broker,
}

/// A role with what it is started by.
struct Supervised {
    name: &'static str,
    arguments: Vec<String>,
    role: Role,
}

impl Supervised {
    fn start(broker: &Broker, name: &'static str, own: &[&str]) -> Self {
        let arguments = [&[broker.kafka.at(), broker.kafka.named()], own].concat();
        let role = Role::start(name, &arguments, &broker.path(&format!("{name}.log")));
        Self { name, arguments: own.iter().map(ToString::to_string).collect(), role }
    }

    fn start_again(&mut self, broker: &Broker) {
        let own: Vec<_> = self.arguments.iter().map(String::as_str).collect();
        *self = Self::start(broker, self.name, &own);
    }
}

impl Hooks {
    pub(super) fn start(deliverers: usize) -> Self {
        Self::start_with(deliverers, &[])
    }

    /// The same with more arguments for the API.
    pub(super) fn start_with(deliverers: usize, serve: &[&str]) -> Self {
        Self::on(Broker::start(), deliverers, serve)
    }

    /// The same on a broker.
    pub(super) fn on(broker: Broker, deliverers: usize, serve: &[&str]) -> Self {
        let pepper = broker.path("pepper").display().to_string();
        let hook_key = broker.path("webhook-key").display().to_string();
        let role = |name, own: &[&str]| Supervised::start(&broker, name, own);
        let mut owner = role("accounts", &[]);
        let listen = format!("127.0.0.1:{}", port());
        let own =
            ["--listen", &listen, "--pepper", &pepper, "--webhook-key", &hook_key, "--webhook-development"];
        let serve = role("serve", &[&own[..], serve].concat());
        let process = role("process", &["--policy", "board"]);
        let url = format!("http://{listen}");
        wait_for("the board is ready", || {
            request("GET", &format!("{url}/readyz"), &[]).filter(|answer| answer.status == 200)
        });
        // Who is asked to create an account gives the owner 10 s.
        wait_for("the accounts have their owner", || {
            // It ends where it was silent for too long, as on a machine that stands still.
            if owner.role.died() {
                owner.start_again(&broker);
            }
            owner.role.has_logged("partitions taken").then_some(())
        });
        let key = create_account(&broker, &url, "me@example.com");
        let mut hooks = Self { deliver: Vec::new(), roles: vec![owner, serve, process], url, key, broker };
        for index in 0..deliverers {
            let deliverer = start_deliverer(&hooks.broker, index);
            hooks.deliver.push(Some(deliverer));
        }
        // A group that is new begins at the end of the feed: what is written before that is sent to nobody.
        wait_for("the feed is read", || {
            let begun = positions(&hooks.broker.kafka, FEED_READERS, &FEED_EVENTS)?;
            (deliverers == 0 || begun.iter().all(Option::is_some)).then_some(())
        });
        hooks
    }

    pub(super) fn ask(&self, method: &str, path: &str, body: Option<&Value>) -> (u16, Value) {
        self.ask_as(&self.key, method, path, body)
    }

    pub(super) fn ask_as(&self, key: &str, method: &str, path: &str, body: Option<&Value>) -> (u16, Value) {
        let bearer = format!("Bearer {key}");
        let (status, _, answer) =
            send(method, &format!("{}{path}", self.url), &[("authorization", &bearer)], body);
        (status, answer)
    }

    /// Creates an endpoint and waits until it is verified.
    pub(super) fn endpoint(&self, receiver: &Receiver, more: &Value) -> Value {
        let mut body = json!({"url": receiver.url});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let (status, created) = self.ask("POST", "/v1/webhooks", Some(&body));
        assert_eq!(status, 201, "{created}");
        self.wait_for_state(&created, "active");
        created
    }

    pub(super) fn wait_for_state(&self, endpoint: &Value, state: &str) -> Value {
        let path = format!("/v1/webhooks/{}", endpoint["id"].as_str().unwrap());
        wait_for(&format!("the endpoint is {state}"), || {
            let (_, shown) = self.ask("GET", &path, None);
            (shown["state"] == state).then_some(shown)
        })
    }

    /// Starts every role again that has given up, as a supervisor does.
    pub(super) fn tend(&mut self) {
        for supervised in self.roles.iter_mut().filter_map(|it| it.role.died().then_some(it)) {
            println!("{} had ended", supervised.name);
            supervised.start_again(&self.broker);
        }
        for (index, deliverer) in self.deliver.iter_mut().enumerate() {
            if deliverer.as_mut().is_some_and(Role::died) {
                println!("deliverer {index} had ended");
                *deliverer = Some(start_deliverer(&self.broker, index));
            }
        }
    }

    /// Whether every tick has been processed: after the last one of a partition comes the marker of its transaction.
    pub(super) fn is_processed(&self) -> bool {
        let done = try_committed(&self.broker.kafka, "arb-process", Duration::from_secs(5));
        let last = published(&self.broker).into_iter().map(|end| end.map(|end| end - 1));
        done.is_ok_and(|done| done.into_iter().eq(last))
    }

    /// Waits until every tick is processed and the deliverers have taken in what that gave; the number of events of the feed.
    pub(super) fn wait_until_taken_in(&self) -> usize {
        wait_for("every tick is processed", || self.is_processed().then_some(()));
        self.wait_until_read(FEED_READERS, &FEED_EVENTS);
        self.wait_until_read(DELIVERERS, &WEBHOOK_TASKS);
        feed_events(&self.broker)
    }

    /// Waits until a group has read what is in a topic now.
    fn wait_until_read(&self, group: &str, topic: &Topic) {
        let kafka = &self.broker.kafka;
        wait_until_settled(kafka, topic);
        let mut ends = vec![0; usize::try_from(topic.partitions).unwrap()];
        for Placed { offset, record, .. } in read_places(kafka, topic.name) {
            ends[usize::try_from(record.partition).unwrap()] = offset + 1;
        }
        wait_for(&format!("{group} has read {}", topic.name), || {
            let places = positions(kafka, group, topic)?;
            places.iter().zip(&ends).all(|(at, end)| at.unwrap_or(0) >= *end).then_some(())
        });
    }

    /// Publishes polls of a simulated recording.
    pub(super) fn play(&self, seed: u64, polls: u64) {
        let recording = recordings::simulated(self.broker.scratch.path(), seed, polls);
        self.broker.ingest(&recording, &[]);
    }
}

pub(super) fn start_deliverer(broker: &Broker, index: usize) -> Role {
    let hook_key = broker.path("webhook-key").display().to_string();
    let arguments =
        [broker.kafka.at(), broker.kafka.named(), "--webhook-key", &hook_key, "--webhook-development"];
    Role::start("deliver", &arguments, &broker.path(&format!("deliver-{index}.log")))
}

/// Events of the feed: records by partition and sequence, each once; once every transaction on it has ended.
pub(super) fn feed_events(broker: &Broker) -> usize {
    wait_until_settled(&broker.kafka, &FEED_EVENTS);
    read_all(&broker.kafka, FEED_EVENTS.name).len()
}

/// Where a group has come to in each partition of a topic; `None` while the broker does not say.
fn positions(kafka: &Environment, group: &str, topic: &Topic) -> Option<Vec<Option<i64>>> {
    let mut config = kafka.client();
    config.set("group.id", kafka.name(group));
    let consumer: BaseConsumer = config.create().unwrap();
    let mut partitions = TopicPartitionList::new();
    partitions.add_partition_range(&kafka.name(topic.name), 0, topic.partitions - 1);
    let answer = consumer.committed_offsets(partitions, Duration::from_secs(30)).ok()?;
    let place = |raw: Option<i64>| raw.filter(|at| *at >= 0);
    Some(answer.elements().iter().map(|element| place(element.offset().to_raw())).collect())
}

/// An account, and a key of it that manages webhooks: created by its holder, who signs in.
pub(crate) fn create_account(broker: &Broker, url: &str, email: &str) -> String {
    let at = [broker.kafka.at(), broker.kafka.named()];
    create_account_at(&at, &broker.path("pepper"), url, email)
}

/// The same of a Kafka by the arguments of its client; the file of a password lies beside the pepper.
pub(crate) fn create_account_at(kafka: &[&str], pepper: &Path, url: &str, email: &str) -> String {
    let password = pepper.with_file_name("password");
    std::fs::write(&password, "correct horse battery\n").unwrap();
    let create = ["account", "create", "--email", email, "--plan", "enterprise"];
    let mut command = arb();
    command.args(create).args(kafka).arg("--pepper").arg(pepper).arg("--password-file").arg(password);
    let created = run(&mut command);
    assert!(created.success, "{}", created.err);
    let body = json!({"email": email, "password": "correct horse battery"});
    // The command has its answer before every instance has read the account.
    let (cookie, answer) = wait_for("the account is known", || {
        let (status, cookie, answer) = send("POST", &format!("{url}/session"), &[], Some(&body));
        (status == 200).then_some((cookie, answer))
    });
    let (cookie, csrf) = (cookie.split(';').next().unwrap(), answer["csrf_token"].as_str().unwrap());
    let fields = [("cookie", cookie), ("x-csrf-token", csrf)];
    let scopes = json!({"name": "hooks", "scopes": ["webhooks:manage", "stream:read", "board:read", "picks:read", "scan:write"]});
    let (status, _, answer) = send("POST", &format!("{url}/session/keys"), &fields, Some(&scopes));
    assert_eq!(status, 201, "{answer}");
    answer["key"].as_str().unwrap().to_owned()
}

/// Sends JSON; the status, the cookie and the answer. It is sent again where the instance could not decide about it, and so did nothing; and
/// with the same key, as the document of that problem says, where it was not confirmed in time.
fn send(method: &str, url: &str, fields: &[(&str, &str)], body: Option<&Value>) -> (u16, String, Value) {
    let key = format!("{:016x}", fastrand::u64(..));
    let fields = [fields, &[("idempotency-key", &*key)]].concat();
    wait_for("the instance can answer", || {
        let answer = send_once(method, url, &fields, body);
        let (type_of, detail) = (&answer.2["type"], answer.2["detail"].as_str().unwrap_or_default());
        let is_undecided = detail.starts_with("It is not known at the moment")
            || detail.ends_with("being read; try again.")
            || ["GET", "POST"].contains(&method) && type_of == "/problems/accounts-unavailable";
        (answer.0 != 503 || !is_undecided).then_some(answer)
    })
}

fn send_once(method: &str, url: &str, fields: &[(&str, &str)], body: Option<&Value>) -> (u16, String, Value) {
    let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
    let body = body.map(ToString::to_string).unwrap_or_default();
    let mut request = ureq::http::Request::builder().method(method).uri(url);
    for (name, value) in [("content-type", "application/json")].iter().chain(fields) {
        request = request.header(*name, *value);
    }
    let mut answer = agent.run(request.body(body).unwrap()).unwrap();
    let cookie = answer.headers().get("set-cookie").map_or("", |it| it.to_str().unwrap()).to_owned();
    let text = answer.body_mut().read_to_string().unwrap();
    (answer.status().as_u16(), cookie, serde_json::from_str(&text).unwrap_or(Value::Null))
}
