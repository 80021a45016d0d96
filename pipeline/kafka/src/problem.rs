//! Why a connection to a broker cannot be used, as a sentence that names the setting to look at.
//!
//! It reads librdkafka's code and text of an error, and keeps the text as the detail. What it does not know it must not
//! guess: then there is no sentence, and the error stays librdkafka's.
//!
//! Source: librdkafka 2.12, `rdkafka_ssl.c`, `rdkafka_broker.c` and `rdkafka_sasl.c`; TLS alerts: RFC 8446, 6.2.

use rdkafka::error::RDKafkaErrorCode as Code;

use super::cluster::{Cluster, SaslMechanism};

/// What is wrong.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) sentence: String,
    /// The broker's certificate was not accepted.
    pub(super) is_certificate: bool,
}

/// What an error says about the connection; `None` for errors of another kind.
pub(super) fn of(code: Code, reason: &str, cluster: &Cluster) -> Option<Found> {
    let (sentence, is_certificate) = match code {
        Code::Authentication => (authentication(reason, cluster.mechanism()), false),
        Code::SSL if is_unverified(reason) => (certificate(cluster), true),
        Code::SSL => (tls(reason), false),
        Code::BrokerTransportFailure => (listener(reason, cluster.is_tls())?, false),
        _ => return None,
    };
    Some(Found { sentence: format!("{sentence} ({})", detail(reason)), is_certificate })
}

fn authentication(reason: &str, mechanism: Option<SaslMechanism>) -> String {
    let name = mechanism.map_or("", SaslMechanism::key);
    let is_unknown = ["Unsupported", "UNSUPPORTED", "not supported"].iter().any(|word| reason.contains(word));
    match mechanism {
        _ if is_unknown => format!("its listener does not accept SASL {name}: check --kafka-sasl-mechanism"),
        Some(SaslMechanism::OAuthBearer) => {
            "it refuses the token of SASL OAUTHBEARER: check --kafka-oauth-client-id and --kafka-oauth-scope"
                .to_owned()
        }
        Some(_) => format!(
            "it refuses the user name or the password (SASL {name}): check --kafka-username, and the password in \
             --kafka-password-file or KAFKA_PASSWORD"
        ),
        None => "it requires authentication: set --kafka-security-protocol".to_owned(),
    }
}

fn is_unverified(reason: &str) -> bool {
    ["certificate verify failed", "0A000086", "Failed to verify broker certificate"]
        .iter()
        .any(|word| reason.contains(word))
}

fn certificate(cluster: &Cluster) -> String {
    let by = cluster.ca().map_or_else(
        || "the CAs of this system; --kafka-ca names a file with another".to_owned(),
        |ca| format!("--kafka-ca {}", ca.display()),
    );
    format!("the certificate of the broker cannot be verified by {by}")
}

fn tls(reason: &str) -> String {
    let has = |word: &str| reason.to_ascii_lowercase().contains(word);
    if has("wrong version number") || has("packet length too long") || has("unexpected eof") {
        return PLAINTEXT.to_owned();
    }
    if has("certificate required") || has("alert handshake failure") || has("bad certificate") {
        return "it requires a client certificate: check --kafka-certificate and --kafka-key".to_owned();
    }
    if has("alert certificate expired") {
        return "it refuses the client certificate, which has expired: renew --kafka-certificate".to_owned();
    }
    if has("alert") && (has("certificate unknown") || has("unknown ca") || has("certificate revoked")) {
        return "it refuses the client certificate: check that its brokers trust the CA of --kafka-certificate, and \
                that the certificate has not expired"
            .to_owned();
    }
    "the TLS handshake failed".to_owned()
}

const PLAINTEXT: &str = "the port does not use TLS: it is that of a plaintext listener; check the port and --kafka-security-protocol";

/// Of a connection that the broker closed.
fn listener(reason: &str, is_tls: bool) -> Option<String> {
    if reason.contains("connecting to a PLAINTEXT broker listener") {
        return Some(PLAINTEXT.to_owned());
    }
    let hints = ["security.protocol", "might require SASL", "Receive failed: Invalid"];
    let is_closed = hints.iter().any(|hint| reason.contains(hint));
    let sentence = "the port closes connections without TLS: check --kafka-security-protocol".to_owned();
    (is_closed && !is_tls).then_some(sentence)
}

/// librdkafka's text without the address before and the state after it.
fn detail(reason: &str) -> &str {
    let rest = match reason.split_once("://").and_then(|(_, rest)| rest.split_once(": ")) {
        Some((_, rest)) => rest,
        None => reason,
    };
    rest.split(" (after ").next().unwrap_or(rest).trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentence(code: Code, reason: &str) -> String {
        of(code, reason, &Cluster::plaintext("b")).map(|found| found.sentence).unwrap_or_default()
    }

    #[test]
    fn the_detail_is_what_happened() {
        let reason = "sasl_ssl://127.0.0.1:9093/bootstrap: SSL handshake failed: wrong version number (after 3ms in state CONNECT)";
        assert_eq!(detail(reason), "SSL handshake failed: wrong version number");
        assert_eq!(detail("1/1 brokers are down"), "1/1 brokers are down");
    }

    #[test]
    fn each_kind_of_error_names_the_setting() {
        let unverified = "ssl://h:1/bootstrap: SSL handshake failed: error:0A000086:SSL routines::certificate verify failed";
        let plaintext = "ssl://h:1/bootstrap: SSL handshake failed: Disconnected: connecting to a PLAINTEXT broker listener?";
        let closed = "h:1/bootstrap: Disconnected: verify that security.protocol is correctly configured, broker might \
                      require SASL authentication (after 2ms in state APIVERSION_QUERY)";
        for (code, reason, expected) in [
            (Code::SSL, unverified, "cannot be verified by the CAs of this system"),
            (Code::SSL, "error:0A00010B:SSL routines::wrong version number", "plaintext listener"),
            (Code::SSL, "tlsv13 alert certificate required", "requires a client certificate"),
            (Code::SSL, "sslv3 alert certificate expired", "has expired"),
            (Code::SSL, "sslv3 alert certificate unknown", "refuses the client certificate"),
            (Code::SSL, "no shared cipher", "the TLS handshake failed (no shared cipher)"),
            (Code::BrokerTransportFailure, plaintext, "plaintext listener"),
            (Code::BrokerTransportFailure, closed, "closes connections without TLS"),
            (Code::Authentication, "Unsupported SASL mechanism", "does not accept SASL"),
        ] {
            let said = sentence(code, reason);
            assert!(said.contains(expected), "{reason}: {said}");
        }
    }

    #[test]
    fn an_error_of_another_kind_is_none() {
        assert_eq!(sentence(Code::AllBrokersDown, "1/1 brokers are down"), "");
        assert_eq!(
            sentence(Code::BrokerTransportFailure, "h:1/1: Connect to ipv4#h:1 failed: Connection refused"),
            ""
        );
    }

    #[test]
    fn a_password_is_refused_by_mechanism() {
        for (mechanism, expected) in
            [(SaslMechanism::Plain, "SASL PLAIN"), (SaslMechanism::OAuthBearer, "the token")]
        {
            let said = authentication("Authentication failed", Some(mechanism));
            assert!(said.contains(expected), "{said}");
        }
    }
}
