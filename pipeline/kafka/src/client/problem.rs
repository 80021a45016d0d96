//! Why a connection to a broker cannot be used, as a sentence that names the setting to look at.
//!
//! It reads librdkafka's code and text of an error, and keeps the text as the detail. What it does not know it must not
//! guess: then there is no sentence, and the error stays librdkafka's.
//!
//! Source: librdkafka 2.12, `rdkafka_ssl.c`, `rdkafka_broker.c` and `rdkafka_sasl.c`; TLS alerts: RFC 8446, 6.2.

use rdkafka::error::RDKafkaErrorCode as Code;

use crate::cluster::{Cluster, SaslMechanism};

/// Milliseconds within which the first request fails. A broker that closes so soon after a client has
/// connected probably requires SASL: the message uses "may".
const FIRST: u32 = 500;

/// The error.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) sentence: String,
    /// The broker's certificate was not accepted.
    pub(super) is_certificate: bool,
    /// It is read from a connection that was closed: a broker that restarts closes connections too.
    pub(super) is_guess: bool,
}

/// The problem of the connection in an error; `None` for errors of another kind.
pub(super) fn of(code: Code, reason: &str, cluster: &Cluster) -> Option<Found> {
    match code {
        // The connection was lost before the broker answered: librdkafka calls that a failed authentication too, and connects again.
        Code::Authentication if reason.contains("handshake failed: Local: Broker transport failure") => None,
        Code::Authentication => Some(Found::new(&authentication(reason, cluster.mechanism()), reason)),
        Code::SSL | Code::BrokerTransportFailure => of_failure(reason, cluster),
        _ => None,
    }
}

/// The problem in the text of a failed connection, as it is logged: not all of them are reported as errors.
pub(super) fn of_failure(reason: &str, cluster: &Cluster) -> Option<Found> {
    if is_unverified(reason) {
        return Some(Found { is_certificate: true, ..Found::new(&certificate(cluster), reason) });
    }
    let sentence = if cluster.is_tls() { tls(reason) } else { plaintext(reason) };
    let without_sasl = || unauthenticated(reason).filter(|_| cluster.mechanism().is_none());
    let is_guess = reason.contains("Disconnected");
    Some(Found { is_guess, ..Found::new(sentence.or_else(without_sasl)?, reason) })
}

impl Found {
    /// Has the cluster store it, unless it is a guess at a setting by which the cluster has answered: then its brokers restart.
    pub(super) fn note(self, cluster: &Cluster) {
        if !(self.is_guess && cluster.has_answered()) {
            cluster.note(self.sentence, self.is_certificate);
        }
    }

    fn new(sentence: &str, reason: &str) -> Self {
        Self { sentence: format!("{sentence} ({})", detail(reason)), is_certificate: false, is_guess: false }
    }
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

/// Of a connection with TLS.
fn tls(reason: &str) -> Option<&'static str> {
    let reason = reason.to_ascii_lowercase();
    let has = |word: &str| reason.contains(word);
    if has("connecting to a plaintext broker listener") || has("wrong version number") {
        return Some(
            "the port does not use TLS: it is that of a plaintext listener; check the port and \
             --kafka-security-protocol",
        );
    }
    if has("certificate required") || has("alert bad certificate") || has("alert handshake failure") {
        return Some("it requires a client certificate: check --kafka-certificate and --kafka-key");
    }
    if has("alert certificate expired") {
        return Some("it refuses the client certificate, which has expired: renew --kafka-certificate");
    }
    if has("alert certificate unknown") || has("alert unknown ca") || has("alert certificate revoked") {
        return Some(
            "it refuses the client certificate: check that its brokers trust the CA of --kafka-certificate, and \
             that the certificate has not expired",
        );
    }
    has("ssl routines").then_some("TLS fails")
}

/// Of a connection without TLS.
fn plaintext(reason: &str) -> Option<&'static str> {
    let is_closed = reason.contains("Disconnected") && reason.contains("in state APIVERSION_QUERY");
    let is_answered_by_tls = reason.contains("Invalid response size");
    let needs = "the port does not accept connections without TLS: check --kafka-security-protocol";
    (is_closed || is_answered_by_tls).then_some(needs)
}

/// Of a connection without SASL, which a listener with SASL closes at the first request.
fn unauthenticated(reason: &str) -> Option<&'static str> {
    let (_, state) = reason.split_once("Disconnected")?.1.split_once("(after ")?;
    let (millis, state) = state.split_once("ms in state ")?;
    let is_first = state.starts_with("UP") && millis.parse::<u32>().is_ok_and(|millis| millis < FIRST);
    let closes = "the port closes connections at the first request: it may require SASL; check \
                  --kafka-security-protocol";
    is_first.then_some(closes)
}

/// librdkafka's text without the broker before and the state after it.
fn detail(reason: &str) -> &str {
    let mut rest = reason;
    while let Some((head, tail)) = rest.split_once(": ") {
        let is_name = head.starts_with("[thrd:") || (head.contains('/') && !head.contains(' '));
        if !is_name {
            break;
        }
        rest = tail;
    }
    rest.split(" (after ").next().unwrap_or(rest).trim()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::{ClusterOptions, SecurityProtocol};

    fn cluster(protocol: SecurityProtocol) -> Cluster {
        let options = ClusterOptions { brokers: "b".to_owned(), protocol, ..ClusterOptions::default() };
        Cluster::new(options).unwrap()
    }

    #[test]
    fn the_detail_is_what_happened() {
        let reason = "ssl://127.0.0.1:9093/bootstrap: SSL handshake failed: wrong version number (after 3ms in state CONNECT)";
        assert_eq!(detail(reason), "SSL handshake failed: wrong version number");
        let logged = "[thrd:127.0.0.1:9/bootstrap]: 127.0.0.1:9/1: Receive failed: Invalid response size 352518912 (0..1): x";
        assert_eq!(detail(logged), "Receive failed: Invalid response size 352518912 (0..1): x");
        assert_eq!(detail("1/1 brokers are down"), "1/1 brokers are down");
    }

    /// Texts as librdkafka 2.12 with OpenSSL 3.0 writes them.
    #[test]
    fn each_failure_names_the_setting() {
        let (tls, plain) = (cluster(SecurityProtocol::Ssl), cluster(SecurityProtocol::Plaintext));
        for (cluster, reason, expected) in [
            (
                &tls,
                "SSL handshake failed: error:0A000086:SSL routines::certificate verify failed",
                "the CAs of this system",
            ),
            (
                &tls,
                "SSL handshake failed: Disconnected: connecting to a PLAINTEXT broker listener?",
                "plaintext listener",
            ),
            (
                &tls,
                "SSL handshake failed: error:0A00010B:SSL routines::wrong version number",
                "plaintext listener",
            ),
            (
                &tls,
                "error:0A00045C:SSL routines::tlsv13 alert certificate required",
                "requires a client certificate",
            ),
            (
                &tls,
                "Receive failed: error:0A000412:SSL routines::sslv3 alert bad certificate",
                "requires a client certificate",
            ),
            (
                &tls,
                "Receive failed: error:0A000415:SSL routines::sslv3 alert certificate expired",
                "which has expired",
            ),
            (
                &tls,
                "Receive failed: error:0A000416:SSL routines::sslv3 alert certificate unknown",
                "refuses the client certificate",
            ),
            (&tls, "error:0A0000C1:SSL routines::no shared cipher", "TLS fails (error:0A0000C1"),
            (&plain, "Receive failed: Invalid response size 352518912 (0..100000000)", "without TLS"),
            (
                &plain,
                "Disconnected: connection closed by peer (after 3ms in state APIVERSION_QUERY)",
                "without TLS",
            ),
            (&plain, "Disconnected: connection closed by peer (after 8ms in state UP)", "may require SASL"),
            (
                &tls,
                "Disconnected: SSL connection closed by peer (after 8ms in state UP, 1 identical)",
                "may require SASL",
            ),
        ] {
            let reported = of_failure(reason, cluster).map(|found| found.sentence).unwrap_or_default();
            assert!(reported.contains(expected), "{reason}: {reported}");
        }
    }

    #[test]
    fn an_error_of_another_kind_is_none() {
        let tls = cluster(SecurityProtocol::Ssl);
        assert_eq!(of(Code::AllBrokersDown, "1/1 brokers are down", &tls), None);
        let refused = "h:1/1: Connect to ipv4#h:1 failed: Connection refused";
        assert_eq!(of(Code::BrokerTransportFailure, refused, &tls), None);
        let lost = "SASL OAUTHBEARER mechanism handshake failed: Local: Broker transport failure: broker's supported mechanisms: (n/a)";
        assert_eq!(of(Code::Authentication, lost, &tls), None, "the broker has refused nothing");
        let restarted = "Disconnected: connection closed by peer (after 60012ms in state UP)";
        assert_eq!(of_failure(restarted, &cluster(SecurityProtocol::Plaintext)), None);
    }

    #[test]
    fn what_a_restart_looks_like_is_a_guess_at_a_setting_until_the_cluster_has_answered() {
        let closed = "Disconnected: connection closed by peer (after 3ms in state APIVERSION_QUERY)";
        let answered = "Receive failed: Invalid response size 352518912 (0..100000000)";
        let plain = cluster(SecurityProtocol::Plaintext);
        let tls = cluster(SecurityProtocol::Ssl);
        let handshake = "SSL handshake failed: Disconnected: connecting to a PLAINTEXT broker listener?";
        let is_noted = |cluster: &Cluster, reason: &str| {
            let then = std::time::Instant::now();
            of_failure(reason, cluster).unwrap().note(cluster);
            cluster.problem_since(then).is_some()
        };
        assert!(is_noted(&plain, closed) && is_noted(&tls, handshake), "nothing has answered yet");
        plain.note_answer();
        tls.note_answer();
        assert!(!is_noted(&plain, closed) && !is_noted(&tls, handshake), "it restarts");
        assert!(is_noted(&plain, answered), "what a broker says is no guess");
    }

    #[test]
    fn a_refused_client_is_told_by_mechanism() {
        for (mechanism, reason, expected) in [
            (SaslMechanism::Plain, "Authentication failed", "SASL PLAIN"),
            (SaslMechanism::OAuthBearer, "Authentication failed", "the token"),
            (SaslMechanism::ScramSha256, "Unsupported SASL mechanism", "does not accept SASL SCRAM-SHA-256"),
        ] {
            let reported = authentication(reason, Some(mechanism));
            assert!(reported.contains(expected), "{reported}");
        }
    }
}
