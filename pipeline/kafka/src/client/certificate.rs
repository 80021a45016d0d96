//! Why the certificate of a broker is not accepted, found out by a TLS handshake.
//!
//! OpenSSL reports an expired certificate and one of another CA as the same failure. This handshake, with the
//! same CA, distinguishes them for the error message. It sends nothing, and its result must never decide
//! whether a connection is used.
//!
//! Source: RFC 5280; the errors of rustls.

use std::net::{TcpStream, ToSocketAddrs};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{CertificateError, ClientConfig, ClientConnection, Error, RootCertStore};

/// How long a broker may take.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Why the certificate of the first of these brokers that has one is not accepted; `None` where that is not known.
pub(crate) fn problem(brokers: &str, ca: &Path) -> Option<String> {
    let config = Arc::new(config(ca)?);
    brokers.split(',').find_map(|broker| Some(sentence(&handshake(broker.trim(), &config)?, ca)))
}

fn config(ca: &Path) -> Option<ClientConfig> {
    let mut roots = RootCertStore::empty();
    let certificates = CertificateDer::pem_file_iter(ca).ok()?.filter_map(Result::ok);
    if roots.add_parsable_certificates(certificates).0 == 0 {
        return None;
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().ok()?;
    Some(builder.with_root_certificates(roots).with_no_client_auth())
}

/// The error of a certificate that is not accepted.
fn handshake(broker: &str, config: &Arc<ClientConfig>) -> Option<CertificateError> {
    // A listener may be part of the address: SASL_SSL://host:9093.
    let address = broker.rsplit("://").next()?;
    let (host, _) = address.rsplit_once(':')?;
    let name = ServerName::try_from(host.trim_matches(['[', ']']).to_owned()).ok()?;
    let mut connection = ClientConnection::new(config.clone(), name).ok()?;
    let mut stream = TcpStream::connect_timeout(&address.to_socket_addrs().ok()?.next()?, TIMEOUT).ok()?;
    stream.set_read_timeout(Some(TIMEOUT)).ok()?;
    stream.set_write_timeout(Some(TIMEOUT)).ok()?;
    while connection.is_handshaking() {
        if let Err(error) = connection.complete_io(&mut stream) {
            return match error.get_ref()?.downcast_ref::<Error>()? {
                Error::InvalidCertificate(error) => Some(error.clone()),
                _ => None,
            };
        }
    }
    None
}

fn sentence(error: &CertificateError, ca: &Path) -> String {
    let ca = ca.display();
    match error {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            "the certificate of the broker has expired".to_owned()
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "the certificate of the broker is not valid yet: check the clock of this machine".to_owned()
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "the certificate of the broker is not valid for its host name in --brokers".to_owned()
        }
        CertificateError::UnknownIssuer | CertificateError::BadSignature => {
            format!("the certificate of the broker is not signed by the CA in --kafka-ca {ca}")
        }
        other => format!("the certificate of the broker is not accepted with --kafka-ca {ca}: {other}"),
    }
}
