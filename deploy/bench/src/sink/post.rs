//! A bare HTTP client: one connection, one request after the other, bodies as they are.
//!
//! It understands as much of an answer as is needed to see whether it was a good one.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use anyhow::bail;

const TIMEOUT: Duration = Duration::from_mins(1);

/// A connection.
pub(super) struct Post(TcpStream);

impl Post {
    pub(super) fn connect(address: SocketAddr) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(TIMEOUT))?;
        Ok(Self(stream))
    }

    /// Posts a body; the answer must be a good one, and have none.
    pub(super) fn send(&mut self, path: &str, user: &str, password: &str, body: &[u8]) -> anyhow::Result<()> {
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: localhost\r\nx-clickhouse-user: {user}\r\nx-clickhouse-key: {password}\r\n\
             content-length: {}\r\n\r\n",
            body.len()
        );
        self.0.write_all(head.as_bytes())?;
        self.0.write_all(body)?;
        let mut answer = Vec::new();
        let mut piece = [0; 4096];
        // An insert's answer is a head and, in chunks, nothing.
        while !answer.ends_with(b"0\r\n\r\n") && !is_empty(&answer) {
            let read = self.0.read(&mut piece)?;
            if read == 0 {
                break;
            }
            answer.extend_from_slice(&piece[..read]);
        }
        if !answer.starts_with(b"HTTP/1.1 200") {
            bail!("ClickHouse: {}", String::from_utf8_lossy(&answer));
        }
        Ok(())
    }
}

/// Sends a query on a separate connection; returns the answer.
pub(super) fn ask(address: SocketAddr, path: &str, user: &str, password: &str) -> anyhow::Result<Vec<u8>> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    // An older version's answer is a head, the body as it is, and the end.
    write!(
        stream,
        "POST {path} HTTP/1.0\r\nx-clickhouse-user: {user}\r\nx-clickhouse-key: {password}\r\ncontent-length: 0\r\n\r\n"
    )?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    let end = answer.windows(4).position(|window| window == b"\r\n\r\n").map_or(answer.len(), |at| at + 4);
    let body = answer.split_off(end);
    if !String::from_utf8_lossy(&answer).contains(" 200 ") {
        bail!("ClickHouse: {}", String::from_utf8_lossy(&body));
    }
    Ok(body)
}

/// A statement as part of a path.
pub(super) fn escaped(sql: &str) -> String {
    let byte = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'.' | b'-' => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    sql.bytes().fold(String::new(), |text, next| text + &byte(next))
}

/// Whether a response has no body.
fn is_empty(answer: &[u8]) -> bool {
    let text = String::from_utf8_lossy(answer).to_ascii_lowercase();
    text.ends_with("\r\n\r\n") && text.contains("content-length: 0\r\n")
}
