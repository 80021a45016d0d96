//! Every role connects as production does: to a Kafka with TLS, client certificates, SASL PLAIN, SCRAM and OAUTHBEARER,
//! and to ClickHouse by https; and the sentence that each wrong setting gives.
//!
//! One broker with a listener of each kind serves all cases.

mod acls;
mod api;
mod broker;
mod certificates;
mod issuer;
mod terminator;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use arb_schemas::topics::ODDS_TICKS;

use self::broker::{Files, PASSWORD, SecureBroker, USER};
use self::certificates::{Authority, Signed};
use self::issuer::{CLIENT, SECRET, TokenIssuer};
use crate::support::clickhouse::ClickHouse;
use crate::support::http::request;
use crate::support::ports::port;
use crate::support::program::{Role, RunOutput, arb, run};
use crate::support::scratch::Scratch;
use crate::support::wait_for;

/// A wrong setting is reported, not waited for: within this time on any machine, also where it is waited for some seconds first.
const REPORTED: Duration = Duration::from_mins(3);

/// The broker, the files of its clients, and the issuer of tokens.
struct Scene {
    broker: SecureBroker,
    ca: PathBuf,
    other_ca: PathBuf,
    client: Signed,
    /// A certificate of the right CA that has expired.
    expired: Signed,
    password: PathBuf,
    wrong_password: PathBuf,
    secret: PathBuf,
    issuer: TokenIssuer,
    authority: Authority,
    folder: Scratch,
}

impl Scene {
    fn start() -> Self {
        let folder = Scratch::new();
        let authority = Authority::new(folder.path(), "ca");
        let other_ca = Authority::new(folder.path(), "other-ca").file;
        let (server, client) = (authority.sign("server"), authority.sign("client"));
        let expired = authority.sign_expired("expired");
        let files = Files { ca: &authority.file, server: &server, expired: &expired };
        let broker = SecureBroker::start(folder.path(), &files);
        let write = |name: &str, text: &str| {
            let file = folder.path().join(name);
            std::fs::write(&file, format!("{text}\n")).unwrap();
            file
        };
        Self {
            broker,
            ca: authority.file.clone(),
            other_ca,
            client,
            expired,
            password: write("password", PASSWORD),
            wrong_password: write("wrong-password", "swordfish"),
            secret: write("secret", SECRET),
            issuer: TokenIssuer::start(),
            authority,
            folder,
        }
    }

    fn tls(&self, ca: &Path) -> Vec<String> {
        options(&self.broker.tls, &[("security-protocol", "ssl"), ("ca", text(ca))])
    }

    fn mutual(&self, client: &Signed) -> Vec<String> {
        let files = [("certificate", text(&client.certificate)), ("key", text(&client.key))];
        let tls = [("security-protocol", "ssl"), ("ca", text(&self.ca))];
        options(&self.broker.mutual, &[tls, files].concat())
    }

    fn sasl(&self, mechanism: &str, password: &Path) -> Vec<String> {
        let given = [
            ("security-protocol", "sasl_ssl"),
            ("ca", text(&self.ca)),
            ("sasl-mechanism", mechanism),
            ("username", USER),
            ("password-file", text(password)),
        ];
        options(&self.broker.sasl, &given)
    }

    fn token(&self, client: &str) -> Vec<String> {
        let given = [
            ("security-protocol", "sasl_ssl"),
            ("ca", text(&self.ca)),
            ("sasl-mechanism", "OAUTHBEARER"),
            ("oauth-token-url", &self.issuer.url),
            ("oauth-client-id", client),
            ("oauth-client-secret-file", text(&self.secret)),
        ];
        options(&self.broker.token, &given)
    }
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn options(brokers: &str, given: &[(&str, &str)]) -> Vec<String> {
    let given = given.iter().map(|(name, value)| format!("--kafka-{name}={value}"));
    [format!("--brokers={brokers}")].into_iter().chain(given).collect()
}

#[test]
fn every_role_connects_as_production_does_and_a_wrong_setting_is_a_sentence() {
    let scene = Scene::start();
    commands_connect(&scene);
    wrong_settings_are_named(&scene);
    roles_connect(&scene);
}

/// `topics create` and `dlq list` by every way.
fn commands_connect(scene: &Scene) {
    let ways = [
        scene.tls(&scene.ca),
        scene.mutual(&scene.client),
        scene.sasl("PLAIN", &scene.password),
        scene.sasl("SCRAM-SHA-256", &scene.password),
        scene.sasl("SCRAM-SHA-512", &scene.password),
        scene.token(CLIENT),
    ];
    for way in ways {
        for command in [["topics", "create"], ["dlq", "list"]] {
            let output = run(arb().args(command).args(&way));
            assert!(output.success, "{way:?}: {}", output.err);
        }
    }
    // The password from the environment, and further properties from a file.
    let file = scene.folder.path().join("kafka.properties");
    std::fs::write(&file, "# of this cluster\nsocket.timeout.ms=30000\nclient.id=arb-test\n").unwrap();
    let mut way = scene.sasl("SCRAM-SHA-512", &scene.password);
    way.retain(|option| !option.starts_with("--kafka-password-file"));
    way.push(format!("--kafka-config={}", file.display()));
    let output = run(arb().env("KAFKA_PASSWORD", PASSWORD).args(["topics", "create"]).args(&way));
    assert!(output.success, "{}", output.err);
}

/// Each wrong setting, and a part of the sentence that it gives.
fn wrong_settings_are_named(scene: &Scene) {
    let broker = &scene.broker;
    let ssl = |brokers: &str| options(brokers, &[("security-protocol", "ssl"), ("ca", text(&scene.ca))]);
    let cases = [
        (scene.tls(&scene.other_ca), "is not signed by the CA in --kafka-ca"),
        (ssl(&broker.expired), "the certificate of the broker has expired"),
        (ssl(&broker.plaintext), "does not use TLS: it is that of a plaintext listener"),
        (options(&broker.tls, &[]), "does not accept connections without TLS"),
        (ssl(&broker.sasl), "it may require SASL"),
        (ssl(&broker.mutual), "requires a client certificate"),
        (scene.mutual(&scene.expired), "refuses the client certificate"),
        (
            scene.sasl("SCRAM-SHA-256", &scene.wrong_password),
            "refuses the user name or the password (SASL SCRAM-SHA-256)",
        ),
        (scene.sasl("PLAIN", &scene.wrong_password), "refuses the user name or the password (SASL PLAIN)"),
        (scene.token("stranger"), "refuses the client with status 401: invalid_client"),
    ];
    std::thread::scope(|scope| {
        for (at, (way, expected)) in cases.iter().enumerate() {
            let role = ["process", "ingest", "topics"][at % 3];
            scope.spawn(move || {
                let begun = Instant::now();
                let action = (role == "topics").then_some("create");
                let output = run(arb().arg(role).args(action).args(way));
                let last = output.err.lines().last().unwrap_or_default();
                println!("{role}, {:.1} s: {last}", begun.elapsed().as_secs_f64());
                assert!(
                    !output.success && last.starts_with("arb: Kafka at 127.0.0.1:"),
                    "{role}: {}",
                    output.err
                );
                assert!(last.contains(expected), "{role}: {expected}: {}", output.err);
                assert!(!output.err.contains("swordfish") && !output.err.contains(SECRET), "{}", output.err);
                assert!(begun.elapsed() < REPORTED, "{role}: {:?}", begun.elapsed());
            });
        }
    });
}

/// All roles at one time, each by another way; a tick comes from `ingest` into ClickHouse and onto the board.
fn roles_connect(scene: &Scene) {
    let clickhouse = ClickHouse::own();
    let https = terminator::start(
        &scene.authority.sign("clickhouse"),
        clickhouse.url.strip_prefix("http://").unwrap(),
    );
    clickhouse_is_migrated_by_https(scene, &clickhouse, &https);
    let path = |name: &str| scene.folder.path().join(name);
    let start = |role: &str, way: Vec<String>, more: &[&str]| {
        let arguments: Vec<_> = way.iter().map(String::as_str).chain(more.iter().copied()).collect();
        Role::start(role, &arguments, &path(&format!("{role}.log")))
    };
    let (pepper, listen) = (path("pepper"), format!("127.0.0.1:{}", port()));
    let mut process = start("process", scene.token(CLIENT), &[]);
    let mut serve =
        start("serve", scene.mutual(&scene.client), &["--listen", &listen, "--pepper", text(&pepper)]);
    let writer = clickhouse.password_file("writer");
    let to = [
        "--clickhouse-url",
        &https,
        "--clickhouse-ca",
        text(&scene.ca),
        "--writer-password-file",
        text(&writer),
    ];
    let mut sink = start("sink", scene.sasl("SCRAM-SHA-512", &scene.password), &to);
    let mut ingest = start("ingest", scene.sasl("SCRAM-SHA-256", &scene.password), &["--every", "1"]);
    let issued = scene.issuer.issued();
    wait_for("the board is ready, rows are in ClickHouse, and tokens are renewed", || {
        [&mut process, &mut serve, &mut sink, &mut ingest].into_iter().for_each(Role::assert_runs);
        request("GET", &format!("http://{listen}/readyz"), &[]).filter(|answer| answer.status == 200)?;
        let windows = clickhouse.query_as("analyst", "SELECT count() AS rows FROM arb.ticks");
        let has_rows = windows[0]["rows"] != 0 && windows[0]["rows"] != "0";
        (has_rows && scene.issuer.issued() >= issued + 2).then_some(())
    });
    for role in ["process", "serve", "sink", "ingest"] {
        let log = std::fs::read_to_string(path(&format!("{role}.log"))).unwrap();
        assert!(!log.contains(PASSWORD) && !log.contains(SECRET), "{role}: {log}");
        assert!(!log.contains("Kafka at"), "{role} has a problem: {log}");
    }
    assert!(
        path("log")
            .read_dir()
            .unwrap()
            .flatten()
            .any(|entry| { entry.file_name().to_str().unwrap().starts_with(ODDS_TICKS.name) })
    );
    [&mut ingest, &mut process, &mut sink, &mut serve].into_iter().for_each(Role::stop);

    // ClickHouse answers in plain text, or ends the connection: by the random bytes of the first message. Last, because
    // 26.7 itself ends by one such message of some thousand.
    let https = clickhouse.url.replace("http://", "https://");
    migration_fails(&clickhouse, &https, &scene.ca, "check the port and https:// in --clickhouse-url");
}

fn migrate(clickhouse: &ClickHouse, url: &str, ca: &Path) -> RunOutput {
    let (url, ca) = (["--clickhouse-url", url], ["--clickhouse-ca", text(ca)]);
    let password = clickhouse.password_file("migrator");
    run(arb().arg("migrate").args(url).args(ca).args(["--password-file", text(&password)]))
}

fn migration_fails(clickhouse: &ClickHouse, url: &str, ca: &Path, expected: &str) {
    let output = migrate(clickhouse, url, ca);
    let names_the_server = output.err.contains(&format!("ClickHouse at {url}, as migrator: "));
    assert!(!output.success && names_the_server && output.err.contains(expected), "{}", output.err);
}

/// `arb migrate` by https, and the sentence that a wrong CA and an expired certificate give.
fn clickhouse_is_migrated_by_https(scene: &Scene, clickhouse: &ClickHouse, https: &str) {
    let expired = terminator::start(&scene.expired, clickhouse.url.strip_prefix("http://").unwrap());
    let output = migrate(clickhouse, https, &scene.ca);
    assert!(output.success && output.out.contains("applied "), "{}", output.err);
    let other = "its certificate is not signed by the CA in --clickhouse-ca";
    migration_fails(clickhouse, https, &scene.other_ca, other);
    migration_fails(clickhouse, &expired, &scene.ca, "its certificate has expired");
    let writer = clickhouse.password_file("writer");
    let mut sink = arb();
    sink.arg("sink").args(scene.tls(&scene.ca)).args([
        "--clickhouse-url",
        https,
        "--clickhouse-ca",
        text(&scene.other_ca),
    ]);
    let output = run(sink.args(["--writer-password-file", text(&writer)]));
    assert!(
        !output.success && output.err.contains("its certificate is not signed by the CA"),
        "{}",
        output.err
    );
}
