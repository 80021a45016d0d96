//! The compose file: valid, its images pinned, and its own processes started as it says, from the image, beside the Kafka and the ClickHouse of the tests.
//!
//! Docker is not here. Replaced are the addresses of other containers, and the creation of ClickHouse's users: the packaged ClickHouse has them in its
//! configuration. They need what the tests of the image need, and `compose-check`, which is compose-go's own command.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;

use crate::documents::read;
use crate::support::clickhouse::ClickHouse;
use crate::support::http::request;
use crate::support::image::{Image, done};
use crate::support::ports::port;
use crate::support::program::{Role, run};
use crate::support::promtool::promtool;
use crate::support::scratch::Scratch;
use crate::support::stack::Broker;
use crate::support::{root, wait_for};

const FILE: &str = "deploy/compose/compose.yaml";
const ROLES: [&str; 8] = ["ingest", "process", "serve", "sink", "accounts", "deliver", "settle", "bots"];
/// The port of the admin listener in every container.
const ADMIN: &str = "9100";

/// Variables of env.sh, with other values: `set` gives what it wrote.
fn variables() -> BTreeMap<String, String> {
    let folder = Scratch::new();
    let script = folder.path().join("env.sh");
    std::fs::copy(root().join("deploy/compose/env.sh"), &script).unwrap();
    done(&mut Command::new(&script));
    // A second time it would replace passwords.
    assert!(!run(&mut Command::new(&script)).success);
    let text = std::fs::read_to_string(folder.path().join(".env")).unwrap();
    let variables: BTreeMap<String, String> =
        text.lines().map(|line| line.split_once('=').unwrap()).map(|(a, b)| (a.into(), b.into())).collect();
    let passwords: BTreeSet<_> = variables.iter().filter(|(name, _)| name.ends_with("_PASSWORD")).collect();
    assert_eq!(passwords.iter().map(|(_, value)| value).collect::<BTreeSet<_>>().len(), 6, "{variables:?}");
    variables
}

/// The services, as compose-go reads the file with the specification's schema.
fn services() -> serde_json::Map<String, Value> {
    let mut check = Command::new("compose-check");
    check.current_dir(root()).envs(variables()).arg(FILE);
    let model: Value = serde_json::from_str(&done(&mut check)).unwrap();
    model["services"].as_object().unwrap().clone()
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn words(value: &Value) -> Vec<String> {
    value.as_array().map(Vec::as_slice).unwrap_or_default().iter().map(text).collect()
}

fn is_ours(service: &Value) -> bool {
    text(&service["image"]).starts_with("arb:")
}

#[test]
#[ignore = "needs compose-check: .ci/run runs it"]
fn it_is_valid_and_pins_what_is_not_ours() {
    let services = services();
    for (name, service) in &services {
        let image = text(&service["image"]);
        if is_ours(service) {
            assert_eq!(image, format!("arb:{}", env!("CARGO_PKG_VERSION")), "{name}");
            assert_eq!(
                (&service["read_only"], words(&service["cap_drop"])),
                (&Value::Bool(true), vec!["ALL".into()]),
                "{name}"
            );
            continue;
        }
        let (tag, digest) = image.split_once("@sha256:").unwrap_or_else(|| panic!("{name}: {image}"));
        assert!(tag.contains(':') && !tag.ends_with(":latest"), "{image}");
        assert!(digest.len() == 64 && digest.bytes().all(|byte| byte.is_ascii_hexdigit()), "{image}");
    }
    for role in ROLES {
        assert_eq!(words(&services[role]["command"])[0], role);
    }
    let published = &services["serve"]["ports"][0];
    assert_eq!(
        (text(&published["target"]), text(&published["host_ip"])),
        ("8080".into(), "127.0.0.1".into())
    );
}

/// One text, with what lies between two marks left out.
fn without(text: &str, from: &str, to: char) -> String {
    let mut parts = text.split(from);
    let first = parts.next().unwrap().to_owned();
    parts.fold(first, |all, part| all + part.split_once(to).map_or("", |(_, rest)| rest))
}

#[test]
#[ignore = "beside the tests of the image: .ci/run runs it"]
fn its_settings_of_prometheus_and_grafana_differ_in_addresses_alone() {
    promtool(&["check", "config", "--syntax-only", "deploy/compose/prometheus.yml"], "");
    let lines = |name: &str, is_kept: fn(&&str) -> bool| -> Vec<String> {
        read(name).lines().filter(is_kept).map(str::to_owned).collect()
    };
    let jobs: fn(&&str) -> bool = |line| !line.starts_with('#') && !line.contains("_configs: [");
    assert_eq!(lines("deploy/compose/prometheus.yml", jobs), lines("deploy/prometheus/prometheus.yml", jobs));
    for role in ROLES {
        let expected = format!(
            "- job_name: arb-{role}\n    dns_sd_configs: [{{names: [{role}], type: A, port: {ADMIN}}}]"
        );
        assert!(read("deploy/compose/prometheus.yml").contains(&expected), "{role}");
    }
    let sources = |name: &str| {
        let text = lines(name, |line| !line.starts_with('#')).join("\n");
        without(&without(&without(&text, "host: ", '\n'), "port: ", '\n'), "http://", '\n')
    };
    assert_eq!(
        sources("deploy/compose/grafana-datasources.yml"),
        sources("deploy/grafana/provisioning/datasources/arb.yml")
    );
}

/// The services that run, on this machine.
struct Running<'a> {
    services: serde_json::Map<String, Value>,
    broker: &'a Broker,
    clickhouse: &'a ClickHouse,
    folder: Scratch,
    listen: String,
    admin: BTreeMap<String, u16>,
    roles: BTreeMap<String, Role>,
    done: BTreeSet<String>,
}

impl Running<'_> {
    /// What a value of the file is on this machine.
    fn here(&self, service: &str, value: &str) -> String {
        let at = |port: u16| format!("127.0.0.1:{port}");
        let admin = self.admin.get(service).map_or_else(|| "off".to_owned(), |port| at(*port));
        let brokers = variables_of(&self.services, service).get("KAFKA_BOOTSTRAP_SERVERS").cloned();
        let value = match brokers {
            Some(brokers) if brokers == value => self.broker.kafka.brokers.clone(),
            _ => value.to_owned(),
        };
        let value = value.replace("http://clickhouse:8123", &self.clickhouse.url);
        value
            .replace(&format!("0.0.0.0:{ADMIN}"), &admin)
            .replace(&format!("127.0.0.1:{ADMIN}"), &admin)
            .replace("0.0.0.0:8080", &self.listen)
    }

    /// A command of a service in the image, with its environment.
    fn command(&self, service: &str, words: &[String]) -> Command {
        let (image, passwords) = (Image::shared(), ["migrator", "writer", "reader", "analyst"]);
        let words: Vec<_> = words.iter().map(|word| self.here(service, word)).collect();
        let mut command = image.arb(self.folder.path(), &words);
        for (name, value) in image.environment().into_iter().filter(|(name, _)| name != "PATH") {
            command.env(name, self.here(service, &value));
        }
        for (name, value) in variables_of(&self.services, service) {
            let of =
                passwords.iter().find(|role| name == format!("CLICKHOUSE_{}_PASSWORD", role.to_uppercase()));
            let value = of.map_or_else(|| self.here(service, &value), |role| self.clickhouse.password(role));
            command.env(name, value);
        }
        // It shares the Kafka of all tests.
        command.env("KAFKA_TOPIC_PREFIX", self.broker.kafka.prefix());
        command
    }

    /// Whether what it waits for is there.
    fn may_start(&self, service: &Value) -> bool {
        let waited = service["depends_on"].as_object().into_iter().flatten();
        waited.into_iter().all(|(name, how)| match how["condition"].as_str().unwrap() {
            "service_completed_successfully" => self.done.contains(name),
            // Of others: those of the tests run.
            "service_healthy" => !is_ours(&self.services[name]),
            condition => panic!("{name}: {condition}"),
        })
    }

    /// Whether another service waits for its end.
    fn is_one_shot(&self, service: &str) -> bool {
        self.services
            .values()
            .any(|other| other["depends_on"][service]["condition"] == "service_completed_successfully")
    }

    fn start(&mut self, name: &str) {
        let mut words = words(&self.services[name]["command"]);
        if self.is_one_shot(name) {
            words.retain(|word| !["--create-roles", "--clickhouse-user", "admin"].contains(&word.as_str()));
            done(&mut self.command(name, &words));
            self.done.insert(name.to_owned());
            return;
        }
        self.admin.insert(name.to_owned(), port());
        words.push("--child".to_owned());
        let mut command = self.command(name, &words);
        self.roles
            .insert(name.to_owned(), Role::spawn(&mut command, &self.broker.path(&format!("{name}.log"))));
    }

    /// Starts all services of ours that are not asked for by a profile, in the order that they name.
    fn start_all(&mut self) {
        let ours =
            self.services.iter().filter(|(_, service)| is_ours(service) && service["profiles"].is_null());
        let mut waiting: Vec<_> = ours.map(|(name, _)| name.clone()).collect();
        while !waiting.is_empty() {
            let next = waiting.iter().position(|name| self.may_start(&self.services[name]));
            let name = waiting.remove(next.unwrap_or_else(|| panic!("wait for each other: {waiting:?}")));
            self.start(&name);
        }
    }

    /// The health check of a service, run in the image.
    fn is_healthy(&self, name: &str) -> Result<(), String> {
        let check = words(&self.services[name]["healthcheck"]["test"]);
        assert_eq!(check[..2], ["CMD", "/usr/local/bin/arb"], "{name}");
        let output = run(&mut self.command(name, &check[2..]));
        if output.success { Ok(()) } else { Err(output.err) }
    }
}

fn variables_of(services: &serde_json::Map<String, Value>, service: &str) -> BTreeMap<String, String> {
    let all = services[service]["environment"].as_object().into_iter().flatten();
    all.map(|(name, value)| (name.clone(), text(value))).collect()
}

#[test]
#[ignore = "needs root, buildah, umoci and compose-check: .ci/run runs it"]
fn its_processes_answer_from_the_image() {
    let (broker, clickhouse) = (Broker::bare(), ClickHouse::own());
    let mut running = Running {
        services: services(),
        broker: &broker,
        clickhouse: &clickhouse,
        folder: Scratch::new(),
        listen: format!("127.0.0.1:{}", port()),
        admin: BTreeMap::new(),
        roles: BTreeMap::new(),
        done: BTreeSet::new(),
    };
    running.start_all();
    assert_eq!(running.roles.keys().map(String::as_str).collect::<BTreeSet<_>>(), ROLES.into());
    for role in ROLES {
        wait_for(&format!("{role} is healthy"), || {
            running.roles.get_mut(role).unwrap().assert_runs();
            running.is_healthy(role)
        });
    }
    let password = running.folder.path().join("password");
    std::fs::write(&password, "correct horse battery staple").unwrap();
    let create =
        "account create --email a@example.com --plan pro --key first --password-file /var/lib/arb/password";
    let create: Vec<_> = create.split(' ').map(str::to_owned).collect();
    let created = done(&mut running.command("admin", &create));
    let key = created.split_whitespace().find(|word| word.starts_with("arb_live_"));
    let key = key.unwrap_or_else(|| panic!("{created}"));
    let (url, bearer) = (format!("http://{}/v1/arbs", running.listen), format!("Bearer {key}"));
    wait_for("the board has an entry", || {
        let answer = request("GET", &url, &[("authorization", &bearer)])?;
        (answer.status == 200 && !answer.json()["arbs"].as_array()?.is_empty()).then_some(())
    });
    wait_for("ClickHouse has ticks", || {
        let rows = clickhouse.query_as("analyst", "SELECT count() AS n FROM arb.ticks");
        (text(&rows[0]["n"]) != "0").then_some(())
    });
}
