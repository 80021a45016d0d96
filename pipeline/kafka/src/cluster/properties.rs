//! The file of further properties of librdkafka (`--kafka-config`): `name=value` lines, `#` comments.
//!
//! A property that an option sets, or that the correctness of the pipeline depends on, must be refused and never be
//! overridden in silence. A value must never be part of an error: it may be a secret.
//!
//! Source: librdkafka 2.12 `CONFIGURATION.md`.

use std::path::Path;

use rdkafka::config::ClientConfig;
use rdkafka::error::KafkaError;

use super::SettingsError;

const OPTION: &str = "--kafka-config";

/// Properties that are set by an option.
const OPTIONS: &[(&str, &str)] = &[
    ("bootstrap.servers", "--brokers"),
    ("metadata.broker.list", "--brokers"),
    ("security.protocol", "--kafka-security-protocol"),
    ("sasl.mechanism", "--kafka-sasl-mechanism"),
    ("sasl.mechanisms", "--kafka-sasl-mechanism"),
    ("sasl.username", "--kafka-username"),
    ("sasl.password", "--kafka-password-file"),
    ("ssl.ca.location", "--kafka-ca"),
    ("ssl.certificate.location", "--kafka-certificate"),
    ("ssl.key.location", "--kafka-key"),
    ("sasl.oauthbearer.method", "--kafka-oauth-token-url"),
    ("sasl.oauthbearer.token.endpoint.url", "--kafka-oauth-token-url"),
    ("sasl.oauthbearer.client.id", "--kafka-oauth-client-id"),
    ("sasl.oauthbearer.client.secret", "--kafka-oauth-client-secret-file"),
    ("sasl.oauthbearer.scope", "--kafka-oauth-scope"),
];

/// Properties that the pipeline's guarantees, limits and measurements depend on, with librdkafka's other names of them.
const FIXED: &[&str] = &[
    // What a reader sees, and which position it has.
    "isolation.level",
    "enable.auto.commit",
    "auto.commit.enable",
    "auto.commit.interval.ms",
    "enable.auto.offset.store",
    "auto.offset.reset",
    "check.crcs",
    "enable.partition.eof",
    // The owner of a partition.
    "group.id",
    "group.instance.id",
    "group.protocol",
    "group.remote.assignor",
    "partition.assignment.strategy",
    "session.timeout.ms",
    "heartbeat.interval.ms",
    "max.poll.interval.ms",
    // What a transaction guarantees, and when it ends.
    "enable.idempotence",
    "enable.gapless.guarantee",
    "acks",
    "request.required.acks",
    "transactional.id",
    "transaction.timeout.ms",
    "message.timeout.ms",
    "delivery.timeout.ms",
    "max.in.flight",
    "max.in.flight.requests.per.connection",
    "message.send.max.retries",
    "retries",
    // Which partition a key has.
    "partitioner",
    // The sizes of records and of memory.
    "message.max.bytes",
    "fetch.message.max.bytes",
    "max.partition.fetch.bytes",
    "queued.max.messages.kbytes",
    "queue.buffering.max.messages",
    "queue.buffering.max.kbytes",
    // Latency, and what is reported.
    "compression.codec",
    "compression.type",
    "linger.ms",
    "queue.buffering.max.ms",
    "retry.backoff.ms",
    "delivery.report.only.error",
    "fetch.wait.max.ms",
    "fetch.queue.backoff.ms",
    "statistics.interval.ms",
    "allow.auto.create.topics",
    "log.queue",
    "log_level",
    // Unsigned tokens.
    "enable.sasl.oauthbearer.unsecure.jwt",
];

/// The properties of a file.
///
/// # Errors
/// [`SettingsError::File`] for a file that cannot be read, and for a line that cannot be used.
pub(super) fn read(file: &Path) -> Result<Vec<(String, String)>, SettingsError> {
    let error = |problem: String| SettingsError::File { option: OPTION, file: file.to_owned(), problem };
    let text = std::fs::read_to_string(file).map_err(|source| error(source.to_string()))?;
    parse(&text).map_err(error)
}

fn parse(text: &str) -> Result<Vec<(String, String)>, String> {
    let mut found: Vec<(String, String)> = Vec::new();
    for (number, line) in (1..).zip(text.lines().map(str::trim)) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let in_line = |problem: String| format!("line {number}: {problem}");
        let (name, value) = line.split_once('=').ok_or_else(|| in_line("it is not name=value".to_owned()))?;
        let (name, value) = (name.trim(), value.trim());
        check(name, value).map_err(in_line)?;
        if found.iter().any(|(known, _)| known == name) {
            return Err(in_line(format!("{name} is set twice")));
        }
        found.push((name.to_owned(), value.to_owned()));
    }
    Ok(found)
}

/// Whether a property may be set, and whether librdkafka has it.
fn check(name: &str, value: &str) -> Result<(), String> {
    if let Some((_, option)) = OPTIONS.iter().find(|(known, _)| *known == name) {
        return Err(format!("{name} is set by {option}"));
    }
    if FIXED.contains(&name) {
        return Err(format!("{name} cannot be changed: guarantees or limits of the pipeline depend on it"));
    }
    match ClientConfig::new().set(name, value).create_native_config() {
        Ok(_) => Ok(()),
        // Its sentence may contain the value.
        Err(KafkaError::ClientConfig(..)) => {
            Err(format!("librdkafka has no property {name}, or not with this value"))
        }
        Err(_) => Err(format!("{name} cannot be set")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::settings;
    use crate::cluster::Cluster;

    #[test]
    fn lines_are_properties_and_the_rest_is_skipped() {
        let text =
            "# of the cluster\n\nsocket.timeout.ms = 30000\n  client.id=arb-7\r\nssl.key.password=a=b\n";
        let expected = [("socket.timeout.ms", "30000"), ("client.id", "arb-7"), ("ssl.key.password", "a=b")];
        assert_eq!(parse(text).unwrap(), expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }

    #[test]
    fn an_unusable_property_is_refused_without_its_value() {
        let refused = |text: &str| parse(text).unwrap_err();
        assert_eq!(refused("a\nb"), "line 1: it is not name=value");
        assert_eq!(
            refused("\nacks=1"),
            "line 2: acks cannot be changed: guarantees or limits of the pipeline depend on it"
        );
        assert_eq!(
            refused("sasl.password=swordfish"),
            "line 1: sasl.password is set by --kafka-password-file"
        );
        for text in ["no.such.property=swordfish", "socket.timeout.ms=swordfish"] {
            let reported = refused(text);
            assert!(
                reported.contains("librdkafka has no property") && !reported.contains("swordfish"),
                "{reported}"
            );
        }
        assert_eq!(refused("client.rack=a\nclient.rack=b"), "line 2: client.rack is set twice");
    }

    /// Whatever a client of ours sets is in one of the lists, except what a property may change.
    #[test]
    fn no_property_of_a_client_can_be_overridden() {
        let cluster = Cluster::plaintext("b");
        let configs = [
            settings::read_committed(&cluster),
            settings::member(&cluster, "g"),
            settings::reader(&cluster),
            settings::transactional(&cluster, "id"),
        ];
        for name in configs.iter().flat_map(|config| config.config_map().into_keys()) {
            let is_free = ["client.id", "socket.keepalive.enable"].contains(&name);
            assert_eq!(check(name, "0").is_err(), !is_free, "{name}");
        }
    }

    #[test]
    fn every_name_of_the_lists_is_one_of_librdkafka() {
        let names = FIXED.iter().chain(OPTIONS.iter().map(|(name, _)| name));
        for name in names {
            let error = ClientConfig::new().set(*name, "?").create_native_config().map(drop);
            let reported = error.err().map(|error| error.to_string()).unwrap_or_default();
            assert!(!reported.contains("No such configuration property"), "{name}: {reported}");
        }
    }
}
