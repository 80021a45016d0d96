//! Certificates of the test's own, and a listener that has them.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::Path;

use rcgen::{CertificateParams, DnType, KeyPair};
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{
    ClientConfig, ClientConnection, RootCertStore, StreamOwned, SupportedProtocolVersion, version,
};

use super::*;
use crate::fixtures::TestApp;
use crate::http::server::{Caps, Limits, listen, serve_routes};

/// A certificate that signed itself, with its key, both PEM.
fn signed(name: &str) -> (String, String) {
    let mut params = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    params.distinguished_name.push(DnType::CommonName, name);
    let key = KeyPair::generate().unwrap();
    (params.self_signed(&key).unwrap().pem(), key.serialize_pem())
}

/// Files of one.
fn files(folder: &Path, (certificate, key): &(String, String)) -> (PathBuf, PathBuf) {
    let write = |name: &str, text: &str| {
        let file = folder.join(name);
        crate::files::write(&file, text.as_bytes()).unwrap();
        file
    };
    (write("certificate.pem", certificate), write("key.pem", key))
}

fn sentence(certificate: &Path, key: &Path) -> String {
    Tls::open(certificate.to_owned(), key.to_owned()).unwrap_err()
}

#[test]
fn what_is_wrong_with_a_file_is_a_sentence_that_names_it() {
    let folder = tempfile::tempdir().unwrap();
    let ((certificate, key), other) = (files(folder.path(), &signed("a")), folder.path().join("other.pem"));
    assert!(Tls::open(certificate.clone(), key.clone()).is_ok());
    std::fs::write(&other, signed("b").1).unwrap();
    let (at, of_key) = (certificate.display(), key.display());
    let expected = format!("--tls-key {}: it is not the key of the certificate in {at}", other.display());
    assert_eq!(sentence(&certificate, &other), expected);
    let expected = format!("--tls-certificate {of_key}: it contains no certificate in PEM");
    assert_eq!(sentence(&key, &key), expected);
    let expected = format!("--tls-key {at}: it contains no private key in PEM, or an encrypted one");
    assert_eq!(sentence(&certificate, &certificate), expected);
    let nowhere = folder.path().join("nowhere.pem");
    let missing = sentence(&certificate, &nowhere);
    assert!(missing.starts_with(&format!("--tls-key {}: No such file", nowhere.display())), "{missing}");
}

/// A listener with the routes of the API.
struct Listener {
    address: SocketAddr,
    stop: Stop,
    tls: Tls,
    server: Option<std::thread::JoinHandle<()>>,
    _test: TestApp,
    folder: tempfile::TempDir,
}

impl Listener {
    /// One with a certificate, and little time for a handshake.
    fn start(given: &(String, String), head: Duration) -> Self {
        Self::with_connections(given, head, 2)
    }

    /// That takes so many connections.
    fn with_connections(given: &(String, String), head: Duration, connections: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (certificate, key) = files(folder.path(), given);
        let (tls, stop) = (Tls::open(certificate, key).unwrap(), Stop::default());
        let test = TestApp::new(1, 10, Duration::from_secs(1));
        let limits = Limits {
            head,
            tls: Some(tls.clone()),
            ..Limits::new(Caps::equal(connections), Duration::from_secs(10))
        };
        let (routes, stopped) = (test.app.routes(), stop.clone());
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.unwrap();
        let listener = runtime.block_on(async { listen((Ipv4Addr::LOCALHOST, 0).into()) }).unwrap();
        let address = listener.local_addr().unwrap();
        let server = std::thread::spawn(move || {
            runtime.block_on(serve_routes(listener, routes, limits, &stopped));
        });
        Self { address, stop, tls, server: Some(server), _test: test, folder }
    }

    /// Connects as a client that trusts this certificate and offers these protocols.
    fn connect(
        &self,
        trusted: &str,
        protocols: &[&[u8]],
        versions: &[&'static SupportedProtocolVersion],
    ) -> std::io::Result<StreamOwned<ClientConnection, TcpStream>> {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(trusted.as_bytes()).unwrap()).unwrap();
        let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
        let builder = builder.with_protocol_versions(versions).unwrap();
        let mut config = builder.with_root_certificates(roots).with_no_client_auth();
        config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
        let name = ServerName::try_from("localhost").unwrap();
        let client = ClientConnection::new(Arc::new(config), name).unwrap();
        let mut stream = StreamOwned::new(client, TcpStream::connect(self.address)?);
        stream.conn.complete_io(&mut stream.sock)?;
        Ok(stream)
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.stop.stop();
        self.server.take().unwrap().join().unwrap();
    }
}

/// What is answered to a request that ends its connection.
fn ask(stream: &mut (impl Read + Write), path: &str) -> String {
    write!(stream, "GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

const BOTH: [&SupportedProtocolVersion; 2] = [&version::TLS13, &version::TLS12];
const LONG: Duration = Duration::from_secs(10);

#[test]
fn both_versions_are_spoken_and_http_1_1_alone() {
    let given = signed("a");
    let listener = Listener::start(&given, LONG);
    for version in BOTH {
        let mut stream = listener.connect(&given.0, &[b"h2", HTTP_1_1], &[version]).unwrap();
        assert_eq!(stream.conn.alpn_protocol(), Some(HTTP_1_1));
        assert_eq!(stream.conn.protocol_version(), Some(version.version));
        let answer = ask(&mut stream, "/livez");
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.ends_with("\r\n\r\nlive\n"), "{answer}");
    }
    let mut stream = listener.connect(&given.0, &[], &BOTH).unwrap();
    assert!(ask(&mut stream, "/nothing").starts_with("HTTP/1.1 404"), "without ALPN too");
    assert!(listener.connect(&given.0, &[b"h2"], &BOTH).is_err(), "there is no HTTP/2");
    let stranger = listener.connect(&signed("b").0, &[], &BOTH).unwrap_err();
    assert!(stranger.to_string().contains("certificate"), "{stranger}");
}

#[test]
fn a_client_without_tls_is_told_so() {
    let listener = Listener::start(&signed("a"), LONG);
    let answer = ask(&mut TcpStream::connect(listener.address).unwrap(), "/livez");
    assert!(answer.starts_with("HTTP/1.1 400 Bad Request\r\n"), "{answer}");
    assert!(answer.contains("This port takes TLS alone: the URL begins with https."), "{answer}");
    assert!(answer.contains("x-content-type-options: nosniff"), "{answer}");
}

/// Of two connections that there may be, both are taken by clients that never finish a handshake: the older one is closed for whoever comes.
#[test]
fn unfinished_handshakes_are_counted_and_closed_for_others() {
    let given = signed("a");
    let listener = Listener::start(&given, LONG);
    let mut idle: Vec<_> = (0..2).map(|_| TcpStream::connect(listener.address).unwrap()).collect();
    for stream in &mut idle {
        stream.write_all(&[22, 3, 1]).unwrap();
    }
    let mut stream = listener.connect(&given.0, &[], &BOTH).unwrap();
    assert!(ask(&mut stream, "/livez").starts_with("HTTP/1.1 200"));
    assert!(matches!(idle[0].read(&mut [0; 16]), Ok(0) | Err(_)), "the oldest was closed");
}

#[test]
fn a_handshake_has_a_time_limit() {
    let listener = Listener::start(&signed("a"), Duration::from_millis(100));
    for begun in [&[][..], &[22, 3, 1]] {
        let mut stream = TcpStream::connect(listener.address).unwrap();
        stream.write_all(begun).unwrap();
        let mut rest = Vec::new();
        stream.set_read_timeout(Some(LONG)).unwrap();
        let read = stream.read_to_end(&mut rest);
        let is_closed =
            read.is_ok() || read.is_err_and(|error| error.kind() == std::io::ErrorKind::ConnectionReset);
        assert!(is_closed && rest.is_empty(), "{rest:?}");
    }
}

#[test]
fn a_certificate_that_is_replaced_is_shown_to_whoever_comes_next() {
    let (first, second) = (signed("a"), signed("b"));
    // A connection that has just been closed counts for a moment: none that is open is to make room for it.
    let listener = Listener::with_connections(&first, LONG, 10);
    let mut open = listener.connect(&first.0, &[], &BOTH).unwrap();
    // A certificate without its key changes nothing.
    crate::files::write(&listener.folder.path().join("certificate.pem"), second.0.as_bytes()).unwrap();
    assert!(!listener.tls.0.reload_if_changed());
    drop(listener.connect(&first.0, &[], &BOTH).unwrap());
    files(listener.folder.path(), &second);
    assert!(listener.tls.0.reload_if_changed());
    let mut stream = listener.connect(&second.0, &[], &BOTH).unwrap();
    assert!(ask(&mut stream, "/livez").starts_with("HTTP/1.1 200"));
    assert!(listener.connect(&first.0, &[], &BOTH).is_err());
    assert!(ask(&mut open, "/livez").starts_with("HTTP/1.1 200"), "what is open goes on");
}
