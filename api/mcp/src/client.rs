//! Requests to the API, with the key.
//!
//! It never follows a redirect, which could lead the key elsewhere, and never shows the key.

use std::time::Duration;

use ureq::http::{HeaderValue, Uri};
use ureq::tls::{RootCerts, TlsConfig};
use ureq::{Agent, Proxy};

/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(15);
/// How long an answer may take: a scan waits 30 s at most.
const ANSWER: Duration = Duration::from_mins(1);

/// Why there is no client.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// It is no address.
    #[error("{0} is no address of the API: give one such as https://arbs.example or http://127.0.0.1:8080")]
    Url(String),
    /// The text cannot be a key; it is not shown.
    #[error("the key is empty, or has characters that no key has")]
    Key,
}

/// The API, and the key to it.
#[derive(Debug)]
pub struct ApiClient {
    agent: Agent,
    url: String,
    key: HeaderValue,
}

/// What the API answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ApiAnswer {
    pub(crate) status: u16,
    /// Seconds.
    pub(crate) retry_after: Option<u64>,
    pub(crate) body: String,
}

impl ApiClient {
    /// Of an API at an address, with a key; white space around the key is not part of it.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn new(url: &str, key: &str) -> Result<Self, ClientError> {
        let parsed: Option<Uri> = url.parse().ok();
        let is_address = |uri: &Uri| {
            let has_scheme = uri.scheme_str().is_some_and(|scheme| ["http", "https"].contains(&scheme));
            has_scheme && uri.host().is_some_and(|host| !host.is_empty()) && uri.query().is_none()
        };
        if !parsed.is_some_and(|uri| is_address(&uri)) {
            return Err(ClientError::Url(url.to_owned()));
        }
        let key = Some(key.trim()).filter(|key| !key.is_empty());
        let key = key.and_then(|key| HeaderValue::from_str(key).ok()).filter(|key| key.to_str().is_ok());
        let mut key = key.ok_or(ClientError::Key)?;
        key.set_sensitive(true);
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .proxy(Proxy::try_from_env())
            .timeout_connect(Some(CONNECT))
            .timeout_global(Some(ANSWER))
            .user_agent(concat!("arb-mcp/", env!("CARGO_PKG_VERSION")))
            // The system's, so that an operator's own authority counts.
            .tls_config(TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build())
            .build();
        Ok(Self { agent: config.into(), url: url.trim_end_matches('/').to_owned(), key })
    }

    /// Its address.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Asks for a path with its query; it waits for the answer.
    ///
    /// # Errors
    /// Why there is no answer.
    pub(crate) fn get(&self, target: &str) -> Result<ApiAnswer, String> {
        let request = self.agent.get(format!("{}{target}", self.url)).header("x-api-key", &self.key);
        let mut answer = request.call().map_err(|error| error.to_string())?;
        let retry_after = answer.headers().get("retry-after");
        Ok(ApiAnswer {
            status: answer.status().as_u16(),
            retry_after: retry_after.and_then(|value| value.to_str().ok()?.parse().ok()),
            body: answer.body_mut().read_to_string().map_err(|error| error.to_string())?,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn an_address_has_a_scheme_and_a_host_and_no_query() {
        for url in
            ["http://127.0.0.1:8080", "https://arbs.example/", "http://[::1]:8080", "https://a.example/board"]
        {
            assert!(ApiClient::new(url, "k").is_ok(), "{url}");
        }
        for url in ["", "127.0.0.1:8080", "ftp://a", "http://", "http://a?b=c", "a b"] {
            assert!(matches!(ApiClient::new(url, "k"), Err(ClientError::Url(_))), "{url}");
        }
    }

    #[test]
    fn a_key_is_text_and_is_never_shown() {
        for key in ["", " \n", "a\nb", "ü"] {
            let error = ApiClient::new("http://a", key).unwrap_err();
            assert!(matches!(error, ClientError::Key) && !format!("{error}").contains('ü'), "{key:?}");
        }
        let client = ApiClient::new("http://a", " arb_live_secret\n").unwrap();
        assert_eq!(client.key, "arb_live_secret");
        assert!(!format!("{client:?}").contains("secret"));
    }

    /// A server that answers one request, and what it was asked.
    fn served(answer: &'static str) -> (String, std::thread::JoinHandle<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = [0; 1024];
            let read = stream.read(&mut request).unwrap();
            stream.write_all(answer.as_bytes()).unwrap();
            String::from_utf8_lossy(&request[..read]).into_owned()
        });
        (url, server)
    }

    #[test]
    fn a_request_has_the_key_and_its_answer_may_be_any() {
        let (url, server) = served("HTTP/1.1 429 x\r\nretry-after: 7\r\ncontent-length: 2\r\n\r\n{}");
        let answer = ApiClient::new(&url, "the-key").unwrap().get("/api/v1/usage?a=b").unwrap();
        assert_eq!(answer, ApiAnswer { status: 429, retry_after: Some(7), body: "{}".to_owned() });
        let asked = server.join().unwrap().to_lowercase();
        assert!(asked.starts_with("get /api/v1/usage?a=b http/1.1\r\n"), "{asked}");
        assert!(
            asked.contains("x-api-key: the-key\r\n") && asked.contains("user-agent: arb-mcp/"),
            "{asked}"
        );
    }

    #[test]
    fn a_redirect_is_an_answer() {
        let (url, server) =
            served("HTTP/1.1 302 x\r\nlocation: http://elsewhere.example/\r\ncontent-length: 0\r\n\r\n");
        assert_eq!(ApiClient::new(&url, "k").unwrap().get("/").unwrap().status, 302);
        server.join().unwrap();
    }
}
