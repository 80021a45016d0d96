//! Requests to an HTTP server on this machine: whether it is ready, and the content of a page.
//!
//! A request and its answer are one connection with short time-outs. It never talks to another machine's server and never
//! sends a secret.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// How long a connection may take.
const CONNECT: Duration = Duration::from_millis(50);
/// How long an answer may take.
const ANSWER: Duration = Duration::from_secs(1);
/// The longest page that is read.
const LONGEST: u64 = 4 * 1024 * 1024;

/// Whether an API answers that it is ready.
#[must_use]
pub fn is_ready(listen: SocketAddr) -> bool {
    is_ok(listen, "/readyz")
}

/// Whether an HTTP server answers a path with 200.
pub(crate) fn is_ok(listen: SocketAddr, path: &str) -> bool {
    let mut status = [0; 12];
    let answer = ask(listen, path).and_then(|mut stream| stream.read_exact(&mut status));
    answer.is_ok() && &status == b"HTTP/1.1 200"
}

/// The body of a page that is answered with 200 and in one piece.
pub(crate) fn get(listen: SocketAddr, path: &str) -> Option<String> {
    let mut text = String::new();
    ask(listen, path).ok()?.take(LONGEST).read_to_string(&mut text).ok()?;
    let (head, body) = text.split_once("\r\n\r\n")?;
    head.starts_with("HTTP/1.1 200").then(|| body.to_owned())
}

fn ask(listen: SocketAddr, path: &str) -> io::Result<TcpStream> {
    let mut stream = TcpStream::connect_timeout(&listen, CONNECT)?;
    stream.set_read_timeout(Some(ANSWER))?;
    // In one piece: a server may answer a part.
    stream.write_all(
        format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").as_bytes(),
    )?;
    Ok(stream)
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::thread;

    use super::*;

    /// A server that answers one request with these bytes.
    fn server(answer: &'static str) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = [0; 512];
            let read = stream.read(&mut request).unwrap();
            assert!(request[..read].starts_with(b"GET /metrics HTTP/1.1\r\n"));
            stream.write_all(answer.as_bytes()).unwrap();
        });
        address
    }

    #[test]
    fn the_body_of_a_page_is_read() {
        let ok = "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\na 1\n";
        assert_eq!(get(server(ok), "/metrics").as_deref(), Some("a 1\n"));
        assert!(is_ok(server(ok), "/metrics"));
        let away = "HTTP/1.1 503 Service Unavailable\r\n\r\na 1\n";
        assert_eq!(get(server(away), "/metrics"), None);
        assert!(!is_ok(server(away), "/metrics"));
    }
}
