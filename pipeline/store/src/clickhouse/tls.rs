//! TLS to ClickHouse: connections of https, and why a certificate is not accepted.
//!
//! A certificate must always be verified: there is no setting that turns it off.
//!
//! Source: RFC 5280; the errors of rustls.

use std::error::Error as StdError;
use std::io;
use std::path::Path;
use std::sync::Arc;

use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{CertificateError, ClientConfig, Error, InvalidMessage, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt;

/// Connections of https by those of TCP. The error is a sentence.
pub(super) fn connector(
    mut tcp: HttpConnector,
    ca: Option<&Path>,
) -> Result<HttpsConnector<HttpConnector>, String> {
    tcp.enforce_http(false);
    let config = config(ca)?;
    Ok(HttpsConnectorBuilder::new().with_tls_config(config).https_only().enable_http1().wrap_connector(tcp))
}

fn config(ca: Option<&Path>) -> Result<ClientConfig, String> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let builder = builder.map_err(|error| format!("TLS: {error}"))?;
    let builder = match ca {
        Some(file) => builder.with_root_certificates(roots(file)?),
        None => {
            builder.with_platform_verifier().map_err(|error| format!("the CAs of this system: {error}"))?
        }
    };
    Ok(builder.with_no_client_auth())
}

fn roots(file: &Path) -> Result<RootCertStore, String> {
    let at = |problem: String| format!("--clickhouse-ca {}: {problem}", file.display());
    let text = std::fs::read(file).map_err(|error| at(error.to_string()))?;
    let mut roots = RootCertStore::empty();
    let certificates = CertificateDer::pem_slice_iter(&text).filter_map(Result::ok);
    match roots.add_parsable_certificates(certificates) {
        (0, _) => Err(at("it contains no certificate in PEM".to_owned())),
        _ => Ok(roots),
    }
}

/// Why no TLS connection can be used, if that is what an error is about: what a person must mend.
pub(crate) fn problem(error: &(dyn StdError + 'static)) -> Option<String> {
    causes(error).find_map(|cause| cause.downcast_ref::<Error>()).and_then(sentence)
}

/// Whether a connection ended in its TLS handshake. A server that is stopping ends it as well as a port without TLS:
/// ClickHouse's reads the first message as HTTP, and where its random bytes contain a space it waits for more of them,
/// then ends the connection without an answer.
pub(super) fn ended_in_handshake(error: &(dyn StdError + 'static)) -> bool {
    let is_end = |error: &io::Error| error.kind() == io::ErrorKind::UnexpectedEof;
    causes(error).filter_map(|cause| cause.downcast_ref::<io::Error>()).any(is_end)
}

/// An error and what caused it, one after another.
fn causes<'error>(
    error: &'error (dyn StdError + 'static),
) -> impl Iterator<Item = &'error (dyn StdError + 'static)> {
    std::iter::successors(Some(error), |&error| {
        // The source of an error of the system's kind is that of what it holds.
        let held = error.downcast_ref::<io::Error>().and_then(|error| error.get_ref());
        held.map(|held| held as &(dyn StdError + 'static)).or_else(|| error.source())
    })
}

fn sentence(error: &Error) -> Option<String> {
    let problem = match error {
        Error::InvalidCertificate(problem) => problem,
        Error::InvalidMessage(InvalidMessage::InvalidContentType) => {
            return Some(
                "its port does not use TLS: check the port and https:// in --clickhouse-url".to_owned(),
            );
        }
        _ => return None,
    };
    Some(match problem {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            "its certificate has expired".to_owned()
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "its certificate is not valid yet: check the clock of this machine".to_owned()
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "its certificate is not valid for the host name in --clickhouse-url".to_owned()
        }
        CertificateError::UnknownIssuer | CertificateError::BadSignature => {
            "its certificate is not signed by the CA in --clickhouse-ca, or by one of this system".to_owned()
        }
        other => format!("its certificate is not accepted: {other}"),
    })
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;

    use super::super::Settings;
    use arb_schemas::clickhouse::Databases;

    use super::*;

    #[test]
    fn an_error_of_tls_is_found_in_what_wraps_it() {
        let wrapped = |error: Error| io::Error::other(io::Error::new(io::ErrorKind::InvalidData, error));
        let explain = |error: CertificateError| problem(&wrapped(Error::InvalidCertificate(error))).unwrap();
        assert_eq!(explain(CertificateError::Expired), "its certificate has expired");
        assert!(explain(CertificateError::UnknownIssuer).contains("--clickhouse-ca"));
        assert!(explain(CertificateError::NotValidForName).contains("host name"));
        let plain = Error::InvalidMessage(InvalidMessage::InvalidContentType);
        assert!(problem(&wrapped(plain)).unwrap().contains("does not use TLS"));
    }

    /// What a client of https is told by a port that gives this answer to each connection.
    fn answered(answer: &'static [u8]) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("https://{}", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let mut hello = [0; 4_096];
                let _ = stream.read(&mut hello);
                let _ = stream.write_all(answer);
            }
        });
        let settings = Settings {
            url,
            ca: None,
            user: "writer".into(),
            password: "swordfish".into(),
            databases: Databases::default(),
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let client = settings.client().unwrap();
        runtime.block_on(settings.ask(client.query("SELECT 1").execute())).unwrap_err().to_string()
    }

    #[test]
    fn a_port_without_tls_is_named_whether_it_answers_or_not() {
        let error = answered(b"HTTP/1.1 400 Bad Request\r\n\r\n");
        assert!(
            error.ends_with("its port does not use TLS: check the port and https:// in --clickhouse-url")
        );
        let error = answered(b"");
        assert!(
            error.ends_with("if its port does not use TLS, check the port and https:// in --clickhouse-url")
        );
    }

    #[test]
    fn an_error_that_passes_is_none() {
        assert_eq!(problem(&io::Error::from(io::ErrorKind::ConnectionRefused)), None);
        assert_eq!(problem(&io::Error::other(Error::HandshakeNotComplete)), None);
    }
}
