//! A Kafka with a listener of every kind: plaintext, TLS, TLS with client certificates, SASL over TLS.
//!
//! It is started by its Java classes, because `arb kafka` has a plaintext listener only.

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
    java: Child,
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
        let properties = folder.join("server.properties");
        std::fs::write(&properties, settings(folder, ports, files)).unwrap();
        let log = File::create(folder.join("kafka.out")).unwrap();
        let mut format = java(&log);
        format.args(["kafka.tools.StorageTool", "format", "--standalone", "-t", CLUSTER_ID, "-c"]);
        format.arg(&properties);
        for mechanism in ["SCRAM-SHA-256", "SCRAM-SHA-512"] {
            format.args(["--add-scram", &format!("{mechanism}=[name={USER},password={PASSWORD}]")]);
        }
        assert!(format.status().unwrap().success(), "{}", log_text(folder));
        let java = java(&log).arg("kafka.Kafka").arg(&properties).spawn().unwrap();
        let [plaintext, tls, mutual, expired, sasl, token, _] = ports.map(|port| format!("127.0.0.1:{port}"));
        let mut broker = Self { java, plaintext, tls, mutual, expired, sasl, token };
        for port in &ports[..6] {
            wait_for("Kafka listens", || {
                assert!(broker.java.try_wait().unwrap().is_none(), "{}", log_text(folder));
                TcpStream::connect(("127.0.0.1", *port)).ok()
            });
        }
        broker
    }
}

impl Drop for SecureBroker {
    fn drop(&mut self) {
        let _ = self.java.kill();
        let _ = self.java.wait();
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

fn settings(folder: &Path, ports: [u16; 7], files: &Files<'_>) -> String {
    let names = ["PLAINTEXT", "TLS", "MUTUAL", "EXPIRED", "SASL", "TOKEN", "CONTROLLER"];
    let protocols = ["PLAINTEXT", "SSL", "SSL", "SSL", "SASL_SSL", "SASL_SSL", "PLAINTEXT"];
    let listeners: Vec<_> =
        names.iter().zip(ports).map(|(name, port)| format!("{name}://127.0.0.1:{port}")).collect();
    let map: Vec<_> =
        names.iter().zip(protocols).map(|(name, protocol)| format!("{name}:{protocol}")).collect();
    let text = format!(
        "process.roles=broker,controller\nnode.id=1\nlisteners={}\nadvertised.listeners={}\n\
         listener.security.protocol.map={}\ncontroller.listener.names=CONTROLLER\n\
         inter.broker.listener.name=PLAINTEXT\ncontroller.quorum.bootstrap.servers=127.0.0.1:{}\nlog.dirs={}\n\
         auto.create.topics.enable=false\nnum.partitions=4\ndefault.replication.factor=1\n\
         offsets.topic.replication.factor=1\noffsets.topic.num.partitions=4\n\
         transaction.state.log.replication.factor=1\ntransaction.state.log.min.isr=1\n\
         transaction.state.log.num.partitions=4\nshare.coordinator.state.topic.replication.factor=1\n\
         share.coordinator.state.topic.min.isr=1\ngroup.initial.rebalance.delay.ms=0\n\
         group.min.session.timeout.ms=1500\n",
        listeners.join(","),
        listeners[..6].join(","),
        map.join(","),
        ports[6],
        folder.join("log").display(),
    );
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
    text + &stores.concat() + &sasl()
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
         unsecuredLoginStringClaim_sub=\"broker\";\n"
    )
}
