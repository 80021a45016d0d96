//! A Kafka with a listener of every kind: plaintext, TLS, TLS with client certificates, SASL over TLS; and how such brokers start.
//!
//! They are started by their Java classes, because `arb kafka` has a plaintext listener only.

use std::fs::File;
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command};

use crate::support::ports::port_pair;
use crate::support::stack::kafka_libraries;
use crate::support::wait_for;

use super::certificates::Signed;

/// The user of SASL PLAIN and SCRAM.
pub(super) const USER: &str = "arb";
/// Its password.
pub(super) const PASSWORD: &str = "correct horse";
/// The format of a cluster's id for `StorageTool`.
const CLUSTER_ID: &str = "YXJiLXRscy1rYWZrYS0wMQ";
const MODULES: &str = "org.apache.kafka.common.security";

/// A broker that runs.
pub(super) struct SecureBroker {
    _process: Process,
    pub(super) plaintext: String,
    pub(super) tls: String,
    /// TLS, and the client needs a certificate of the CA.
    pub(super) mutual: String,
    /// TLS with a certificate that has expired.
    pub(super) expired: String,
    /// PLAIN and SCRAM over TLS.
    pub(super) sasl: String,
    /// OAUTHBEARER over TLS.
    pub(super) token: String,
}

/// The files that its listeners use.
pub(super) struct Files<'a> {
    pub(super) ca: &'a Path,
    pub(super) server: &'a Signed,
    pub(super) expired: &'a Signed,
}

impl SecureBroker {
    /// Starts it.
    pub(super) fn start(folder: &Path, files: &Files<'_>) -> Self {
        let ports: [u16; 7] = std::array::from_fn(|_| port_pair());
        let scram = ["SCRAM-SHA-256", "SCRAM-SHA-512"].map(|mechanism| {
            ["--add-scram".to_owned(), format!("{mechanism}=[name={USER},password={PASSWORD}]")]
        });
        let process =
            Process::start(folder, &settings(folder, ports, files), scram.as_flattened(), &ports[..6]);
        let [plaintext, tls, mutual, expired, sasl, token, _] = ports.map(|port| format!("127.0.0.1:{port}"));
        Self { _process: process, plaintext, tls, mutual, expired, sasl, token }
    }
}

/// The process of a broker, which ends with the test.
pub(super) struct Process(Child);

impl Process {
    /// Formats a folder, with further arguments, and starts a broker on it that listens at these ports.
    pub(super) fn start(folder: &Path, settings: &str, format: &[String], ports: &[u16]) -> Self {
        let properties = folder.join("server.properties");
        std::fs::write(&properties, settings).unwrap();
        let log = File::create(folder.join("kafka.out")).unwrap();
        let mut tool = java(&log);
        tool.args(["kafka.tools.StorageTool", "format", "--standalone", "-t", CLUSTER_ID, "-c"]);
        tool.arg(&properties).args(format);
        assert!(tool.status().unwrap().success(), "{}", log_text(folder));
        let mut process = Self(java(&log).arg("kafka.Kafka").arg(&properties).spawn().unwrap());
        for port in ports {
            wait_for("Kafka listens", || {
                assert!(process.0.try_wait().unwrap().is_none(), "{}", log_text(folder));
                TcpStream::connect(("127.0.0.1", *port)).ok()
            });
        }
        process
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn log_text(folder: &Path) -> String {
    std::fs::read_to_string(folder.join("kafka.out")).unwrap_or_default()
}

fn java(log: &File) -> Command {
    let mut java = Command::new("java");
    java.args(["-Xmx512m", "-XX:+UseSerialGC", "-cp"]).arg(kafka_libraries().join("*"));
    java.stdout(log.try_clone().unwrap()).stderr(log.try_clone().unwrap());
    java
}

/// What every broker of these tests has, and its listeners: name, protocol and port, the last one the controller's.
pub(super) fn common(folder: &Path, listeners: &[(&str, &str, u16)]) -> String {
    let joined = |of: &dyn Fn(&(&str, &str, u16)) -> String| listeners.iter().map(of).collect::<Vec<_>>();
    let addresses = joined(&|(name, _, port)| format!("{name}://127.0.0.1:{port}"));
    let protocols = joined(&|(name, protocol, _)| format!("{name}:{protocol}"));
    let [advertised @ .., _] = &addresses[..] else { panic!("a broker has listeners") };
    let (_, _, controller) = listeners[advertised.len()];
    format!(
        "process.roles=broker,controller\nnode.id=1\nlisteners={}\nadvertised.listeners={}\n\
         listener.security.protocol.map={}\ncontroller.listener.names=CONTROLLER\n\
         inter.broker.listener.name=PLAINTEXT\ncontroller.quorum.bootstrap.servers=127.0.0.1:{controller}\nlog.dirs={}\n\
         auto.create.topics.enable=false\nnum.partitions=4\ndefault.replication.factor=1\n\
         offsets.topic.replication.factor=1\noffsets.topic.num.partitions=4\n\
         transaction.state.log.replication.factor=1\ntransaction.state.log.min.isr=1\n\
         transaction.state.log.num.partitions=4\nshare.coordinator.state.topic.replication.factor=1\n\
         share.coordinator.state.topic.min.isr=1\ngroup.initial.rebalance.delay.ms=0\n\
         group.min.session.timeout.ms=1500\n",
        addresses.join(","),
        advertised.join(","),
        protocols.join(","),
        folder.join("log").display(),
    )
}

fn settings(folder: &Path, ports: [u16; 7], files: &Files<'_>) -> String {
    let names = ["PLAINTEXT", "TLS", "MUTUAL", "EXPIRED", "SASL", "TOKEN", "CONTROLLER"];
    let protocols = ["PLAINTEXT", "SSL", "SSL", "SSL", "SASL_SSL", "SASL_SSL", "PLAINTEXT"];
    let listeners: [_; 7] = std::array::from_fn(|at| (names[at], protocols[at], ports[at]));
    let stores = [
        ("tls", files.server),
        ("mutual", files.server),
        ("expired", files.expired),
        ("sasl", files.server),
        ("token", files.server),
    ];
    let stores = stores.map(|(name, signed)| {
        format!(
            "listener.name.{name}.ssl.keystore.type=PEM\nlistener.name.{name}.ssl.keystore.location={}\n\
             listener.name.{name}.ssl.truststore.type=PEM\nlistener.name.{name}.ssl.truststore.location={}\n",
            signed.store.display(),
            files.ca.display(),
        )
    });
    common(folder, &listeners) + &stores.concat() + &sasl()
}

fn sasl() -> String {
    format!(
        "listener.name.mutual.ssl.client.auth=required\n\
         listener.name.sasl.sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512\n\
         listener.name.sasl.plain.sasl.jaas.config={MODULES}.plain.PlainLoginModule required \
         user_{USER}=\"{PASSWORD}\";\n\
         listener.name.sasl.scram-sha-256.sasl.jaas.config={MODULES}.scram.ScramLoginModule required;\n\
         listener.name.sasl.scram-sha-512.sasl.jaas.config={MODULES}.scram.ScramLoginModule required;\n\
         listener.name.token.sasl.enabled.mechanisms=OAUTHBEARER\n\
         listener.name.token.oauthbearer.sasl.jaas.config={MODULES}.oauthbearer.OAuthBearerLoginModule required \
         unsecuredLoginStringClaim_sub=\"broker\" unsecuredValidatorAllowableClockSkewMs=\"60000\";\n"
    )
}
