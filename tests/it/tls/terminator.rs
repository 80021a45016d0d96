//! TLS in front of a server that has none: the packaged ClickHouse cannot listen by https, so that its connections end
//! here.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection};

use super::certificates::Signed;

/// Listens by TLS with this certificate and passes everything to the server; its address. It ends with the test.
pub(super) fn start(signed: &Signed, server: &str) -> String {
    let certificates = CertificateDer::pem_file_iter(&signed.certificate).unwrap().map(Result::unwrap);
    let key = PrivateKeyDer::from_pem_file(&signed.key).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder =
        ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = builder.with_no_client_auth().with_single_cert(certificates.collect(), key).unwrap();
    let (config, server) = (Arc::new(config), server.to_owned());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let (config, server) = (config.clone(), server.clone());
            std::thread::spawn(move || serve(stream, config, &server));
        }
    });
    format!("https://{address}")
}

/// One connection: a thread for each direction. The TLS state is locked only between reads of the sockets.
fn serve(client: TcpStream, config: Arc<ServerConfig>, server: &str) -> Option<()> {
    let mut tls = ServerConnection::new(config).ok()?;
    let mut stream = client.try_clone().ok()?;
    while tls.is_handshaking() {
        tls.complete_io(&mut stream).ok()?;
    }
    let upstream = TcpStream::connect(server).ok()?;
    let tls = Arc::new(Mutex::new(tls));
    let (back, to) = (tls.clone(), client.try_clone().ok()?);
    let from = upstream.try_clone().ok()?;
    std::thread::spawn(move || encrypt(from, to, &back));
    decrypt(client, upstream, &tls)
}

fn decrypt(mut client: TcpStream, mut upstream: TcpStream, tls: &Mutex<ServerConnection>) -> Option<()> {
    let mut bytes = vec![0; 65_536];
    // What came with the end of the handshake.
    forward(&mut tls.lock().unwrap(), &mut upstream)?;
    loop {
        let read = client.read(&mut bytes).unwrap_or(0);
        if read == 0 {
            return upstream.shutdown(Shutdown::Write).ok();
        }
        let (mut rest, mut tls) = (&bytes[..read], tls.lock().unwrap());
        while !rest.is_empty() {
            tls.read_tls(&mut rest).ok()?;
            forward(&mut tls, &mut upstream)?;
        }
    }
}

fn forward(tls: &mut ServerConnection, upstream: &mut TcpStream) -> Option<()> {
    let state = tls.process_new_packets().ok()?;
    let mut plain = vec![0; state.plaintext_bytes_to_read()];
    tls.reader().read_exact(&mut plain).ok()?;
    upstream.write_all(&plain).ok()
}

fn encrypt(mut upstream: TcpStream, mut client: TcpStream, tls: &Mutex<ServerConnection>) -> Option<()> {
    let mut bytes = vec![0; 16_384];
    loop {
        let read = upstream.read(&mut bytes).unwrap_or(0);
        let mut tls = tls.lock().unwrap();
        if read == 0 {
            tls.send_close_notify();
        } else {
            tls.writer().write_all(&bytes[..read]).ok()?;
        }
        while tls.wants_write() {
            tls.write_tls(&mut client).ok()?;
        }
        if read == 0 {
            return client.shutdown(Shutdown::Both).ok();
        }
    }
}
