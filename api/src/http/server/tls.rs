//! TLS of a listener: its certificate and its key, and the handshake of a connection.
//!
//! Both files are read again when one of them changes: connections that are open keep what they began with, new ones get the new
//! certificate. Files that cannot be used leave the last certificate in place. It never shows a key, and never serves a request
//! without encryption.
//!
//! Source: RFC 8446 and RFC 5246 (TLS 1.3 and 1.2), RFC 7301 (ALPN), as rustls implements them.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use arb_runtime::stop::Stop;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{Error, ServerConfig};
use tokio_rustls::server::TlsStream;

use crate::files::reload::Reloaded;

/// The only protocol of the listener.
const HTTP_1_1: &[u8] = b"http/1.1";
/// How often it is asked whether the files have changed.
const EVERY: Duration = Duration::from_millis(500);

/// The certificate of a listener with its key; clones share it.
#[derive(Debug, Clone)]
pub struct Tls(Arc<Reloaded<Arc<ServerConfig>>>);

impl Tls {
    /// Of a file with the certificate and those between it and its CA, and one with its key, both PEM.
    ///
    /// # Errors
    /// A sentence that names the file: it cannot be read, has no certificate or key, or the key is that of another certificate.
    pub fn open(certificate: PathBuf, key: PathBuf) -> Result<Self, String> {
        let files = Reloaded::open_together(vec![certificate, key], |files| config(&files[0], &files[1]))?;
        Ok(Self(Arc::new(files)))
    }

    /// Reads the files again when they change, until the shutdown signal. It blocks.
    pub fn follow(&self, stop: &Stop) {
        while !stop.wait(EVERY) {
            self.0.reload_if_changed();
        }
    }

    /// Waits for the handshake of a connection.
    ///
    /// # Errors
    /// That of the connection, or why the client is not accepted.
    pub(super) async fn accept<S>(&self, stream: S) -> std::io::Result<TlsStream<S>>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        TlsAcceptor::from(self.0.with(Arc::clone)).accept(stream).await
    }
}

/// Whether what a client sends first is HTTP without TLS. Waits for its first byte, and leaves that where it is.
pub(super) async fn is_plain_http(stream: &TcpStream) -> bool {
    let mut first = [0; 1];
    stream.peek(&mut first).await.is_ok_and(|read| read > 0) && first[0].is_ascii_alphabetic()
}

fn config(certificate: &Path, key: &Path) -> Result<Arc<ServerConfig>, String> {
    let of_certificate = |problem: String| format!("--tls-certificate {}: {problem}", certificate.display());
    let of_key = |problem: String| format!("--tls-key {}: {problem}", key.display());
    let text = std::fs::read(certificate).map_err(|error| of_certificate(error.to_string()))?;
    let chain: Vec<_> = CertificateDer::pem_slice_iter(&text)
        .collect::<Result<_, _>>()
        .map_err(|error| of_certificate(error.to_string()))?;
    if chain.is_empty() {
        return Err(of_certificate("it contains no certificate in PEM".to_owned()));
    }
    let text = std::fs::read(key).map_err(|error| of_key(error.to_string()))?;
    let private = PrivateKeyDer::from_pem_slice(&text)
        .map_err(|_| of_key("it contains no private key in PEM, or an encrypted one".to_owned()))?;
    let builder = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let builder = builder.with_safe_default_protocol_versions().map_err(|error| format!("TLS: {error}"))?;
    let config = builder.with_no_client_auth().with_single_cert(chain, private);
    let mut config = config.map_err(|error| match error {
        Error::InconsistentKeys(_) => {
            of_key(format!("it is not the key of the certificate in {}", certificate.display()))
        }
        error => of_certificate(error.to_string()),
    })?;
    config.alpn_protocols = vec![HTTP_1_1.to_vec()];
    Ok(Arc::new(config))
}

#[cfg(test)]
mod tests;
