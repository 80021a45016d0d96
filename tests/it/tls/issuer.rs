//! An authorization server of the test's own: it issues unsigned tokens by the client credentials grant.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};

/// The client that gets tokens.
pub(super) const CLIENT: &str = "arb-client";
/// Its secret.
pub(super) const SECRET: &str = "open sesame";
/// Seconds that a token is valid: so short that a role must renew it. The broker takes one that is a minute older: a machine that stood still
/// renews late.
const LIFETIME: u64 = 20;

/// The server; it answers until the test ends.
pub(super) struct TokenIssuer {
    pub(super) url: String,
    issued: Arc<AtomicUsize>,
}

impl TokenIssuer {
    /// Starts it.
    pub(super) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/token", listener.local_addr().unwrap());
        let issued = Arc::new(AtomicUsize::new(0));
        let counted = issued.clone();
        std::thread::spawn(move || {
            listener.incoming().flatten().for_each(|stream| answer(stream, &counted));
        });
        Self { url, issued }
    }

    /// How many tokens it has issued.
    pub(super) fn issued(&self) -> usize {
        self.issued.load(Ordering::Relaxed)
    }
}

fn answer(stream: TcpStream, issued: &AtomicUsize) {
    let mut stream = BufReader::new(stream);
    let (mut head, mut length, mut line) = (String::new(), 0, String::new());
    while stream.read_line(&mut line).is_ok_and(|read| read > 2) {
        let lower = line.to_ascii_lowercase();
        length = lower.strip_prefix("content-length:").map_or(length, |value| value.trim().parse().unwrap());
        head += &std::mem::take(&mut line);
    }
    let mut form = vec![0; length];
    stream.read_exact(&mut form).unwrap();
    let form = String::from_utf8(form).unwrap();
    let basic = STANDARD.encode(format!("{CLIENT}:{}", SECRET.replace(' ', "+")));
    let is_known = head.contains(&format!("Basic {basic}")) && form.contains("grant_type=client_credentials");
    let (status, body) = if is_known {
        issued.fetch_add(1, Ordering::Relaxed);
        ("200 OK", format!("{{\"access_token\":\"{}\",\"expires_in\":{LIFETIME}}}", token()))
    } else {
        ("401 Unauthorized", "{\"error\":\"invalid_client\"}".to_owned())
    };
    let length = body.len();
    let head = format!("HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n");
    let _ = stream.get_mut().write_all((head + &body).as_bytes());
}

/// An unsigned token, as Kafka's `OAuthBearerUnsecuredValidatorCallbackHandler` accepts it.
fn token() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let claims = format!("{{\"sub\":\"{CLIENT}\",\"iat\":{now},\"exp\":{}}}", now + LIFETIME);
    let [head, claims] = [r#"{"alg":"none"}"#, &claims].map(|text| URL_SAFE_NO_PAD.encode(text));
    format!("{head}.{claims}.")
}
