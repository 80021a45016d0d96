//! `arb check`: whether a URL answers with 200, for health checks where there is no shell and no curl.
//!
//! It sends one request without a body, by no proxy, and follows no redirect. It never sends a secret, and prints nothing when all is well.

use std::time::Duration;

use anyhow::{Context, bail};
use ureq::Agent;
use ureq::tls::{RootCerts, TlsConfig};

use crate::cli::Check;

pub(crate) fn run(config: &Check) -> anyhow::Result<()> {
    page(&config.url, config.timeout).map(drop)
}

/// The text of a page that is answered with 200.
pub(super) fn page(url: &str, timeout: Duration) -> anyhow::Result<String> {
    let config = Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .proxy(None)
        .timeout_global(Some(timeout))
        // The system's, so that an operator's own authority counts.
        .tls_config(TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build())
        .build();
    let mut answer = Agent::from(config).get(url).call().with_context(|| url.to_owned())?;
    let status = answer.status();
    let text = answer.body_mut().read_to_string();
    if status != 200 {
        let text = text.unwrap_or_default();
        let line: String = text.lines().next().unwrap_or_default().chars().take(200).collect();
        bail!("{url}: {status} {line}");
    }
    text.with_context(|| url.to_owned())
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;
    use std::thread;

    use super::*;

    /// Far more than an answer on loopback takes.
    const PATIENCE: Duration = Duration::from_mins(1);

    /// The URL of a server that answers one request with these bytes.
    fn server(answer: &'static str) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/readyz", listener.local_addr().unwrap());
        thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let read = stream.read(&mut [0; 1024]).unwrap();
            assert_ne!(read, 0);
            stream.write_all(answer.as_bytes()).unwrap();
        });
        url
    }

    #[test]
    fn only_200_is_well() {
        page(&server("HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nready\n"), PATIENCE).unwrap();
        for (answer, expected) in [
            (
                "HTTP/1.1 503 Service Unavailable\r\ncontent-length: 10\r\n\r\nnot ready\n",
                "503 Service Unavailable not ready",
            ),
            ("HTTP/1.1 302 Found\r\nlocation: /\r\ncontent-length: 0\r\n\r\n", "302 Found "),
        ] {
            let error = page(&server(answer), PATIENCE).unwrap_err().to_string();
            assert!(error.ends_with(expected), "{error}");
        }
    }

    #[test]
    fn an_address_without_a_server_is_named() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/readyz", listener.local_addr().unwrap());
        drop(listener);
        assert_eq!(page(&url, PATIENCE).unwrap_err().to_string(), url);
    }
}
