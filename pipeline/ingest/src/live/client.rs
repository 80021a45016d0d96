//! The calls of The Odds API over HTTPS. The HTTP client of sources.
//!
//! The key is a query parameter, as the API requires: it is added to the request here and nowhere else, and
//! neither it nor a URL ever leaves this file, not in an error either. No redirect is followed, every call
//! has a time-out, and no more than [`LONGEST`] of a body is read.
//!
//! Source: The Odds API v4 (<https://the-odds-api.com/liveapi/guides/v4/>); its machine-readable description asks clients to
//! accept gzip (<https://the-odds-api.com/api-reference/v4/schema.yml>).

use std::io::{ErrorKind, Read};
use std::time::Duration;

use thiserror::Error;
use ureq::http::{HeaderMap, Uri, header};
use ureq::tls::{RootCerts, TlsConfig};
use ureq::{Agent, Body, Timeout};

use super::answer::{Answer, Problem, Quota};

/// Longest body that is read, unpacked: a hundred times what all events of a sport take.
pub const LONGEST: u64 = 32 * 1024 * 1024;
/// How much of what claims to be shorter is unpacked at first.
const USUAL: usize = 256 * 1024;

/// The key of a subscription; it is never shown.
#[derive(Clone)]
pub struct ApiKey(String);

impl ApiKey {
    /// From the environment's text.
    ///
    /// # Errors
    /// [`SettingsError::Key`] for what cannot be one.
    pub fn new(text: &str) -> Result<Self, SettingsError> {
        let text = text.trim();
        let is_key =
            !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        if is_key { Ok(Self(text.to_owned())) } else { Err(SettingsError::Key) }
    }
}

impl std::fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ApiKey(..)")
    }
}

/// Settings of which no client can be made.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SettingsError {
    /// The key.
    #[error("what is in ODDS_API_KEY is no key: one has letters and digits only")]
    Key,
    /// The address.
    #[error("the address of the API must be http://HOST or https://HOST, without a path")]
    Address,
}

/// The caller of the API.
pub struct Client {
    agent: Agent,
    /// Scheme and host.
    base: String,
    key: ApiKey,
}

impl Client {
    /// For the API at an address, with a time-out for connecting and one for all of a call.
    ///
    /// # Errors
    /// [`SettingsError::Address`].
    pub fn new(
        address: &str,
        key: ApiKey,
        connect: Duration,
        total: Duration,
    ) -> Result<Self, SettingsError> {
        let base = address.trim_end_matches('/');
        let uri: Uri = base.parse().map_err(|_| SettingsError::Address)?;
        let is_http = matches!(uri.scheme_str(), Some("http" | "https"));
        if !is_http || uri.path() != "/" || uri.query().is_some() || base.contains('@') {
            return Err(SettingsError::Address);
        }
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_connect(Some(connect))
            .timeout_global(Some(total))
            // The system's, so that an operator's own authority counts.
            .tls_config(TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build())
            .user_agent(concat!("arbitrage-board/", env!("CARGO_PKG_VERSION")))
            .build();
        Ok(Self { agent: config.into(), base: base.to_owned(), key })
    }

    /// The sports that are in season. Free.
    ///
    /// # Errors
    /// [`Problem::Unreachable`] and [`Problem::Broken`]; every status is an answer.
    pub fn sports(&self) -> Result<Answer, Problem> {
        self.get("/v4/sports", "")
    }

    /// The events of a sport that are to come or in play, without prices. Free.
    ///
    /// # Errors
    /// As above.
    pub fn events(&self, sport: &str) -> Result<Answer, Problem> {
        self.get(&format!("/v4/sports/{sport}/events"), "&dateFormat=iso")
    }

    /// The prices of a sport in a format (`decimal` or `american`): all its events, these regions' books, these markets.
    ///
    /// # Errors
    /// As above.
    pub fn odds(&self, sport: &str, regions: &str, markets: &str, format: &str) -> Result<Answer, Problem> {
        let how = "dateFormat=iso&includeBetLimits=true&includeLinks=true";
        let query = format!("&regions={regions}&markets={markets}&oddsFormat={format}&{how}");
        self.get(&format!("/v4/sports/{sport}/odds"), &query)
    }

    /// The scores of a sport: of events in play and to come, and with days (1 to 3) of those that ended in them.
    ///
    /// # Errors
    /// As above.
    pub fn scores(&self, sport: &str, days: Option<u8>) -> Result<Answer, Problem> {
        let days = days.map(|days| format!("&daysFrom={days}")).unwrap_or_default();
        self.get(&format!("/v4/sports/{sport}/scores"), &format!("{days}&dateFormat=iso"))
    }

    fn get(&self, path: &str, query: &str) -> Result<Answer, Problem> {
        let url = format!("{}{path}?apiKey={}{query}", self.base, self.key.0);
        let answer = self.agent.get(url).call().map_err(|error| failed(&error))?;
        let (parts, body) = answer.into_parts();
        Ok(Answer {
            status: parts.status.as_u16(),
            quota: Quota::read(|name| text(&parts.headers, name)),
            retry_after: text(&parts.headers, header::RETRY_AFTER.as_str()).map(str::to_owned),
            is_json: text(&parts.headers, header::CONTENT_TYPE.as_str()).is_some_and(is_json),
            body: read(body)?,
        })
    }
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

fn is_json(content_type: &str) -> bool {
    content_type.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json")
}

/// A complete body; one that ends early, or is no text, is an error.
fn read(body: Body) -> Result<String, Problem> {
    let mut text = Vec::with_capacity(USUAL);
    let read = body.into_reader().take(LONGEST + 1).read_to_end(&mut text);
    read.map_err(|error| cut(&ureq::Error::from(error)))?;
    if text.len() as u64 > LONGEST {
        return Err(Problem::Broken("longer than 32 MiB"));
    }
    String::from_utf8(text).map_err(|_| Problem::Broken("no text"))
}

/// An error within a body.
fn cut(error: &ureq::Error) -> Problem {
    match error {
        ureq::Error::Timeout(_) => failed(error),
        ureq::Error::Decompress(..) => {
            Problem::Broken("invalid gzip although the header names it, or cut off")
        }
        _ => Problem::Broken("cut off"),
    }
}

/// In words of our own: those of the client may hold a URL.
fn failed(error: &ureq::Error) -> Problem {
    Problem::Unreachable(match error {
        ureq::Error::Timeout(Timeout::Connect) => "the connection timed out".to_owned(),
        ureq::Error::Timeout(_) => "it timed out".to_owned(),
        ureq::Error::HostNotFound => "the host has no address".to_owned(),
        // The system's error for a name without an address has no separate kind.
        ureq::Error::Io(error) if error.to_string().starts_with("failed to lookup") => {
            "the host has no address".to_owned()
        }
        // The error for a connection without TLS, or with a certificate that is not trusted.
        ureq::Error::Io(error) if error.kind() == ErrorKind::InvalidData => format!("TLS: {error}"),
        ureq::Error::Io(error) => error.kind().to_string(),
        ureq::Error::Rustls(error) => format!("TLS: {error}"),
        ureq::Error::Tls(error) => format!("TLS: {error}"),
        ureq::Error::Protocol(_) | ureq::Error::LargeResponseHeader(..) => "it is no HTTP".to_owned(),
        ureq::Error::ConnectionFailed => "the connection failed".to_owned(),
        ureq::Error::ConnectProxyFailed(_) | ureq::Error::InvalidProxyUrl => "the proxy refuses".to_owned(),
        _ => "the call failed".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_letters_and_digits_and_is_never_shown() {
        for text in ["", " ", "a b", "k&regions=all", "a\nb", "ключ"] {
            assert_eq!(ApiKey::new(text).err(), Some(SettingsError::Key), "{text}");
        }
        let key = ApiKey::new(" 0123456789abcdef\n").unwrap();
        assert_eq!((key.0.as_str(), format!("{key:?}").as_str()), ("0123456789abcdef", "ApiKey(..)"));
    }

    #[test]
    fn an_address_is_a_host() {
        let client = |address: &str| {
            let key = ApiKey::new("k").unwrap();
            Client::new(address, key, Duration::from_secs(1), Duration::from_secs(1))
                .map(|client| client.base)
        };
        assert_eq!(client("https://api.the-odds-api.com/").as_deref(), Ok("https://api.the-odds-api.com"));
        assert!(client("http://127.0.0.1:8080").is_ok());
        for address in ["", "api", "ftp://api", "https://api/v4", "https://api?x=1", "https://u:p@api"] {
            assert_eq!(client(address), Err(SettingsError::Address), "{address}");
        }
    }

    #[test]
    fn an_error_names_the_server_without_the_key() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        drop(listener);
        let key = ApiKey::new("secret0123").unwrap();
        let client = Client::new(&address, key, Duration::from_mins(1), Duration::from_mins(1)).unwrap();
        let problem = client.odds("soccer_epl", "eu", "h2h", "decimal").unwrap_err();
        assert_eq!(problem, Problem::Unreachable("connection refused".to_owned()));
    }

    /// The first bytes are a TLS handshake, and what is not answered in kind is no connection.
    #[test]
    fn https_is_tls_from_the_first_byte() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("https://{}", listener.local_addr().unwrap());
        let server = std::thread::spawn(move || {
            let mut hello = [0; 256];
            let (mut stream, _) = listener.accept().unwrap();
            let read = stream.read(&mut hello).unwrap();
            let _ = std::io::Write::write_all(&mut stream, b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n[]");
            hello[..read].to_vec()
        });
        let key = ApiKey::new("secret0123").unwrap();
        let client = Client::new(&address, key, Duration::from_mins(1), Duration::from_mins(1)).unwrap();
        let problem = client.sports().unwrap_err();
        assert!(matches!(&problem, Problem::Unreachable(why) if why.starts_with("TLS")), "{problem}");
        // A record of type handshake, of TLS 1.
        assert_eq!(server.join().unwrap()[..2], [22, 3]);
    }

    /// The result of reading a response with these compressed bytes.
    fn unpacked(body: &'static [u8]) -> Result<String, Problem> {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let _ = stream.read(&mut [0; 4096]).unwrap();
            let head = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: application/json\r\n\
                        content-encoding: gzip\r\n\r\n";
            std::io::Write::write_all(&mut stream, &[head.as_bytes(), body].concat()).unwrap();
        });
        let key = ApiKey::new("secret0123").unwrap();
        let client = Client::new(&address, key, Duration::from_mins(1), Duration::from_mins(1)).unwrap();
        let answer = client.sports();
        server.join().unwrap();
        answer.map(|answer| answer.body)
    }

    #[test]
    fn a_compressed_body_is_read_completely_or_not_at_all() {
        /// `[]`, by gzip.
        const PACKED: &[u8] = &[31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 139, 142, 5, 0, 41, 187, 76, 13, 2, 0, 0, 0];
        assert_eq!(unpacked(PACKED).as_deref(), Ok("[]"));
        for broken in [&PACKED[..PACKED.len() - 6], &PACKED[..11], b"[]"] {
            assert!(matches!(unpacked(broken), Err(Problem::Broken(_))), "{broken:?}");
        }
    }

    #[test]
    fn json_is_known_by_its_content_type() {
        assert!(is_json("application/json") && is_json("Application/JSON; charset=utf-8"));
        assert!(!is_json("text/html") && !is_json("application/jsonp") && !is_json(""));
    }
}
