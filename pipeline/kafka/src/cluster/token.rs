//! Tokens of SASL OAUTHBEARER, fetched from an authorization server by the client credentials grant.
//!
//! One token serves all clients of the process; a new one is fetched when half its lifetime is over, and the old one is
//! used until its end while the server does not answer. Neither a token nor the client's secret may be shown or logged.
//!
//! Source: RFC 6749, section 4.4; KIP-255.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use form_urlencoded::byte_serialize;
use rdkafka::client::OAuthToken;
use ureq::Agent;
use ureq::tls::{PemItem, RootCerts, TlsConfig};

use super::secret::Secret;
use super::settings_error::{SettingsError, check_pem, refuse};

/// The time limit of the token server: the requesting thread is one that polls a client.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Lifetime of a token whose response does not contain it.
const USUAL_LIFETIME: Duration = Duration::from_mins(5);
/// Longest response that is read.
const LONGEST: u64 = 256 * 1024;

/// How tokens are asked for.
#[derive(Debug, Clone, Default)]
#[allow(missing_docs)]
pub struct OAuthOptions {
    pub token_url: Option<String>,
    pub client_id: Option<String>,
    pub client_secret: Option<Secret>,
    pub scope: Option<String>,
    pub ca: Option<PathBuf>,
}

/// Where tokens come from.
pub(super) struct TokenSource {
    agent: Agent,
    url: String,
    client_id: String,
    secret: Secret,
    scope: Option<String>,
    last: Mutex<Option<Issued>>,
}

/// A token that was issued.
#[derive(Clone)]
struct Issued {
    value: String,
    at: Instant,
    lifetime: Duration,
    /// The end of its life, in milliseconds since the epoch.
    ends_millis: i64,
}

impl fmt::Debug for TokenSource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { url, client_id, scope, .. } = self;
        let mut shown = formatter.debug_struct("TokenSource");
        shown.field("url", url).field("client_id", client_id).field("scope", scope).finish_non_exhaustive()
    }
}

impl TokenSource {
    /// Checks the options; nothing is fetched yet.
    pub(super) fn new(options: OAuthOptions) -> Result<Self, SettingsError> {
        let (Some(url), Some(client_id), Some(secret)) =
            (options.token_url, options.client_id, options.client_secret)
        else {
            return refuse(
                "SASL OAUTHBEARER needs --kafka-oauth-token-url, --kafka-oauth-client-id and a secret: \
                 --kafka-oauth-client-secret-file, or KAFKA_OAUTH_CLIENT_SECRET in the environment"
                    .to_owned(),
            );
        };
        let is_url = url.starts_with("https://") || url.starts_with("http://");
        if !is_url || url.contains('@') {
            return refuse(
                "--kafka-oauth-token-url must be http://HOST/PATH or https://HOST/PATH".to_owned(),
            );
        }
        let roots = options.ca.as_deref().map_or(Ok(RootCerts::PlatformVerifier), roots)?;
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_global(Some(TIMEOUT))
            .tls_config(TlsConfig::builder().root_certs(roots).build());
        let agent = config.build().new_agent();
        Ok(Self { agent, url, client_id, secret, scope: options.scope, last: Mutex::default() })
    }

    /// A token that is valid now.
    ///
    /// # Errors
    /// Why none can be had, as a sentence.
    pub(super) fn token(&self) -> Result<OAuthToken, String> {
        // Held while a token is fetched: clients that need one at the same time wait for it.
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let age = |issued: &Issued| issued.at.elapsed();
        if let Some(issued) = last.as_ref().filter(|issued| age(issued) < issued.lifetime / 2) {
            return Ok(self.client_token(issued));
        }
        match self.fetch() {
            Ok(issued) => Ok(self.client_token(last.insert(issued))),
            Err(problem) => match last.as_ref().filter(|issued| age(issued) < issued.lifetime) {
                Some(issued) => {
                    tracing::warn!("{problem}; the last token is used until its end");
                    Ok(self.client_token(issued))
                }
                None => Err(problem),
            },
        }
    }

    fn client_token(&self, issued: &Issued) -> OAuthToken {
        let (token, principal_name) = (issued.value.clone(), self.client_id.clone());
        OAuthToken { token, principal_name, lifetime_ms: issued.ends_millis }
    }

    fn fetch(&self) -> Result<Issued, String> {
        let at = |problem: String| format!("the token endpoint {} {problem}", self.url);
        let mut form = vec![("grant_type", "client_credentials")];
        form.extend(self.scope.as_deref().map(|scope| ("scope", scope)));
        let request = self.agent.post(&self.url).header("Authorization", self.authorization());
        let mut response =
            request.send_form(form).map_err(|error| at(format!("cannot be reached: {error}")))?;
        let body = response.body_mut().with_config().limit(LONGEST).read_to_string();
        let body = body.map_err(|error| at(format!("did not complete its response: {error}")))?;
        let status = response.status().as_u16();
        parse(status, &body, Instant::now(), now_millis()).map_err(at)
    }

    /// HTTP Basic, as RFC 6749 (2.3.1) has it: both parts in the encoding of forms.
    fn authorization(&self) -> String {
        let encoded = |text: &str| byte_serialize(text.as_bytes()).collect::<String>();
        let pair = format!("{}:{}", encoded(&self.client_id), encoded(self.secret.expose()));
        format!("Basic {}", STANDARD.encode(pair))
    }
}

/// The certificates of a file, as those that the server's must be signed by.
fn roots(file: &Path) -> Result<RootCerts, SettingsError> {
    let text = check_pem("--kafka-oauth-ca", file)?;
    let items = ureq::tls::parse_pem(&text).filter_map(Result::ok);
    let certificates = items.filter_map(|item| match item {
        PemItem::Certificate(certificate) => Some(certificate),
        _ => None,
    });
    Ok(RootCerts::new_with_certs(&certificates.collect::<Vec<_>>()))
}

/// A token from a response, or what is wrong with it; the body is no part of the sentence, except the code that
/// RFC 6749 (5.2) defines.
fn parse(status: u16, body: &str, at: Instant, now_millis: i64) -> Result<Issued, String> {
    let body: serde_json::Value = serde_json::from_str(body).unwrap_or_default();
    if status != 200 {
        let is_code =
            |code: &&str| code.len() < 50 && code.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
        let code = body["error"].as_str().filter(is_code).unwrap_or("without a code of an error");
        return Err(format!("refuses the client with status {status}: {code}"));
    }
    let value = body["access_token"].as_str().filter(|token| !token.is_empty());
    let value = value.ok_or("does not respond with an access_token")?.to_owned();
    let lifetime = body["expires_in"].as_u64().map_or(USUAL_LIFETIME, Duration::from_secs);
    let ends_millis = now_millis.saturating_add(i64::try_from(lifetime.as_millis()).unwrap_or(i64::MAX));
    Ok(Issued { value, at, lifetime, ends_millis })
}

#[expect(clippy::disallowed_methods, reason = "the life of a token ends at a time of the wall clock")]
fn now_millis() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, Read, Write};
    use std::net::TcpListener;
    use std::thread::JoinHandle;

    use super::*;

    /// Answers one request after another; gives their heads and bodies.
    fn server(answers: &'static [(u16, &'static str)]) -> (String, JoinHandle<Vec<String>>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/token", listener.local_addr().unwrap());
        let serve = move |(status, body): &(u16, &str)| {
            let mut stream = BufReader::new(listener.accept().unwrap().0);
            let (mut head, mut length) = (String::new(), 0);
            while !head.ends_with("\r\n\r\n") {
                let mut line = String::new();
                stream.read_line(&mut line).unwrap();
                let value = line.to_ascii_lowercase();
                let value = value.strip_prefix("content-length:").map(|value| value.trim().parse().unwrap());
                length = value.unwrap_or(length);
                head.push_str(&line);
            }
            let mut form = vec![0; length];
            stream.read_exact(&mut form).unwrap();
            let size = body.len();
            let close = "Connection: close\r\n";
            write!(stream.get_mut(), "HTTP/1.1 {status} OK\r\n{close}Content-Length: {size}\r\n\r\n{body}")
                .unwrap();
            head + &String::from_utf8(form).unwrap()
        };
        (url, std::thread::spawn(move || answers.iter().map(serve).collect()))
    }

    fn source(url: String) -> TokenSource {
        let options = OAuthOptions {
            token_url: Some(url),
            client_id: Some("arb".to_owned()),
            client_secret: Some(Secret::new("sword fish")),
            scope: Some("kafka".to_owned()),
            ca: None,
        };
        TokenSource::new(options).unwrap()
    }

    #[test]
    fn one_token_serves_all_clients_until_half_its_lifetime() {
        let (url, requests) = server(&[(200, r#"{"access_token":"a.b.c","expires_in":3600}"#)]);
        let source = source(url);
        let [first, second] = [source.token().unwrap(), source.token().unwrap()];
        assert_eq!((first.token.as_str(), second.token.as_str()), ("a.b.c", "a.b.c"));
        assert!(first.lifetime_ms > now_millis() + 3_500_000);
        let request = requests.join().unwrap().remove(0);
        assert!(request.starts_with("POST /token "), "{request}");
        assert!(request.ends_with("grant_type=client_credentials&scope=kafka"), "{request}");
        let basic = format!("Basic {}", STANDARD.encode("arb:sword+fish"));
        assert!(request.contains(&basic), "{request}");
        assert!(!format!("{source:?}").contains("sword"));
    }

    #[test]
    fn the_last_token_is_used_while_it_is_valid_and_none_is_to_be_had() {
        let (url, requests) = server(&[(200, r#"{"access_token":"a","expires_in":3600}"#), (503, "")]);
        let source = source(url);
        source.token().unwrap();
        let past = Instant::now().checked_sub(Duration::from_secs(2_000)).unwrap();
        source.last.lock().unwrap().as_mut().unwrap().at = past;
        assert_eq!(source.token().unwrap().token, "a");
        requests.join().unwrap();
        source.last.lock().unwrap().as_mut().unwrap().lifetime = Duration::from_secs(1_000);
        let problem = source.token().err().unwrap();
        assert!(problem.contains("cannot be reached"), "{problem}");
    }

    #[test]
    fn a_response_that_is_no_token_is_a_sentence_without_its_body() {
        let refused = |status, body| parse(status, body, Instant::now(), 0).err().unwrap();
        let reported = refused(401, r#"{"error":"invalid_client","error_description":"swordfish"}"#);
        assert_eq!(reported, "refuses the client with status 401: invalid_client");
        assert_eq!(
            refused(500, "swordfish"),
            "refuses the client with status 500: without a code of an error"
        );
        assert_eq!(refused(200, r#"{"token":"x"}"#), "does not respond with an access_token");
        assert_eq!(parse(200, r#"{"access_token":"x"}"#, Instant::now(), 5).unwrap().ends_millis, 300_005);
    }

    #[test]
    fn an_address_of_another_form_is_refused() {
        let options = |url: &str| OAuthOptions {
            token_url: Some(url.to_owned()),
            client_id: Some("arb".to_owned()),
            client_secret: Some(Secret::new("s")),
            ..OAuthOptions::default()
        };
        for url in ["sso.example.com/token", "https://arb:swordfish@sso.example.com/token"] {
            let reported = TokenSource::new(options(url)).unwrap_err().to_string();
            assert!(
                reported.starts_with("--kafka-oauth-token-url must be") && !reported.contains("sword"),
                "{reported}"
            );
        }
    }
}
