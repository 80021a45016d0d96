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
    let mut next = Some(error);
    while let Some(error) = next {
        // The source of an error of the system's kind is that of what it holds.
        let held = error.downcast_ref::<io::Error>().and_then(|error| error.get_ref());
        let held = held.map(|held| held as &(dyn StdError + 'static));
        if let Some(found) = held.unwrap_or(error).downcast_ref::<Error>() {
            return sentence(found);
        }
        next = held.or_else(|| error.source());
    }
    None
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

    #[test]
    fn an_error_that_passes_is_none() {
        assert_eq!(problem(&io::Error::from(io::ErrorKind::ConnectionRefused)), None);
        assert_eq!(problem(&io::Error::other(Error::HandshakeNotComplete)), None);
    }
}
