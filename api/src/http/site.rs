//! The site as browsers see it: its host names, its origin and its session cookie.
//!
//! A request of a browser that names another host (DNS rebinding) or comes from another origin (cross-site request forgery) is refused.
//! It never looks up a session.
//!
//! Source: OWASP Cross-Site Request Forgery Prevention Cheat Sheet; RFC 6265bis, cookie name prefixes.

use std::net::SocketAddr;

use warp::http::header::{COOKIE, HOST, HeaderName, ORIGIN};
use warp::http::{HeaderMap, HeaderValue};

use super::problem::Problem;

/// How long a session lives, in seconds.
pub(crate) const SESSION_SECONDS: u32 = 7 * 24 * 60 * 60;
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// The site.
#[derive(Debug, Clone)]
pub struct Site {
    /// What `Host` may be.
    hosts: Vec<String>,
    /// What `Origin` may be.
    origins: Vec<String>,
    /// The cookie's name, and its attributes.
    cookie: (String, &'static str),
}

impl Site {
    /// Of an instance that listens at an address; with a public URL it is reached there too, by TLS where that begins with https.
    ///
    /// # Errors
    /// Why the URL is none of a site.
    pub fn new(listen: SocketAddr, public_url: Option<&str>) -> Result<Self, String> {
        let port = listen.port();
        let local = ["localhost".to_owned(), "127.0.0.1".to_owned(), "[::1]".to_owned()];
        let mut hosts: Vec<_> = local.iter().map(|host| format!("{host}:{port}")).collect();
        hosts.push(listen.to_string());
        if port == 80 {
            hosts.extend(local);
        }
        let mut origins: Vec<_> = hosts.iter().map(|host| format!("http://{host}")).collect();
        let mut cookie = (format!("arb_session_{port}"), "; Path=/session; HttpOnly; SameSite=Strict");
        if let Some(url) = public_url {
            let (scheme, host) = parts(url)?;
            origins.push(format!("{scheme}://{host}"));
            if scheme == "https" {
                cookie = ("__Host-arb_session".to_owned(), "; Path=/; Secure; HttpOnly; SameSite=Strict");
            }
            hosts.push(host);
        }
        Ok(Self { hosts, origins, cookie })
    }

    /// Refuses a request that names another host.
    ///
    /// # Errors
    /// 403.
    pub(crate) fn check_host(&self, headers: &HeaderMap) -> Result<(), Problem> {
        let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        let is_known = self.hosts.iter().any(|known| known.eq_ignore_ascii_case(host));
        is_known.then_some(()).ok_or_else(|| {
            Problem::forbidden(
                "The Host header names a host that this server does not have; see --public-url.",
            )
        })
    }

    /// Refuses a request that comes from a page of another origin. A client that is no browser sends no origin.
    ///
    /// # Errors
    /// 403.
    pub(crate) fn check_origin(&self, headers: &HeaderMap) -> Result<(), Problem> {
        let is_own = match (headers.get(ORIGIN), headers.get(FETCH_SITE)) {
            (Some(origin), _) => self.origins.iter().any(|known| known.as_bytes() == origin.as_bytes()),
            (None, Some(site)) => ["same-origin", "none"].iter().any(|known| site == known),
            (None, None) => true,
        };
        is_own.then_some(()).ok_or_else(|| Problem::forbidden("The request comes from another origin."))
    }

    /// The value of the session cookie; `None` where there is none, or more than one.
    pub(crate) fn token<'a>(&self, headers: &'a HeaderMap) -> Option<&'a str> {
        let lines = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
        let pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
        let mut values = pairs.filter(|(name, _)| *name == self.cookie.0).map(|(_, value)| value);
        let value = values.next()?;
        values.next().is_none().then_some(value)
    }

    /// The header that sets the session cookie.
    pub(crate) fn set_cookie(&self, token: &str) -> Option<HeaderValue> {
        let (name, attributes) = &self.cookie;
        HeaderValue::from_str(&format!("{name}={token}; Max-Age={SESSION_SECONDS}{attributes}")).ok()
    }

    /// The header that removes the session cookie.
    pub(crate) fn clear_cookie(&self) -> Option<HeaderValue> {
        let (name, attributes) = &self.cookie;
        HeaderValue::from_str(&format!("{name}=; Max-Age=0{attributes}")).ok()
    }
}

/// A URL as browsers write an origin.
///
/// # Errors
/// Why it is none.
pub(super) fn origin(url: &str) -> Result<String, String> {
    parts(url).map(|(scheme, host)| format!("{scheme}://{host}"))
}

/// The scheme and the host of a URL.
fn parts(url: &str) -> Result<(&str, String), String> {
    let wrong = || format!("{url}: give a URL without a path, such as https://arbs.example");
    let (scheme, host) = url.split_once("://").ok_or_else(wrong)?;
    let host = host.strip_suffix('/').unwrap_or(host);
    let is_host = |c: char| c.is_ascii_alphanumeric() || ".-:[]".contains(c);
    let is_site = ["http", "https"].contains(&scheme) && !host.is_empty() && host.chars().all(is_host);
    is_site.then(|| (scheme, host.to_ascii_lowercase())).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn site(url: Option<&str>) -> Site {
        Site::new("127.0.0.1:8080".parse().unwrap(), url).unwrap()
    }

    fn headers(fields: &[(&'static str, &str)]) -> HeaderMap {
        fields.iter().fold(HeaderMap::new(), |mut headers, (name, value)| {
            headers.append(*name, value.parse().unwrap());
            headers
        })
    }

    #[test]
    fn only_hosts_of_the_site_are_answered() {
        let (local, public) = (site(None), site(Some("https://Arbs.example/")));
        for host in ["localhost:8080", "LOCALHOST:8080", "127.0.0.1:8080", "[::1]:8080"] {
            assert!(local.check_host(&headers(&[("host", host)])).is_ok(), "{host}");
        }
        for host in
            ["evil.example", "localhost", "localhost:80", "127.0.0.1:8080.evil.example", "arbs.example"]
        {
            assert!(local.check_host(&headers(&[("host", host)])).is_err(), "{host}");
        }
        assert!(local.check_host(&HeaderMap::new()).is_err());
        assert!(public.check_host(&headers(&[("host", "arbs.example")])).is_ok());
        for url in ["arbs.example", "ftp://a", "https://", "https://a/b", "https://a b"] {
            assert!(Site::new("127.0.0.1:1".parse().unwrap(), Some(url)).is_err(), "{url}");
        }
    }

    #[test]
    fn requests_of_other_origins_are_refused() {
        let site = site(Some("https://arbs.example"));
        for (fields, expected) in [
            (&[][..], true),
            (&[("origin", "https://arbs.example")], true),
            (&[("origin", "http://localhost:8080")], true),
            (&[("origin", "http://arbs.example")], false),
            (&[("origin", "https://evil.example")], false),
            (&[("origin", "null")], false),
            (&[("origin", "https://evil.example"), ("sec-fetch-site", "same-origin")], false),
            (&[("sec-fetch-site", "same-origin")], true),
            (&[("sec-fetch-site", "none")], true),
            (&[("sec-fetch-site", "same-site")], false),
            (&[("sec-fetch-site", "cross-site")], false),
        ] {
            assert_eq!(site.check_origin(&headers(fields)).is_ok(), expected, "{fields:?}");
        }
    }

    #[test]
    fn the_cookie_has_the_prefix_under_tls_and_the_port_without() {
        let set = |site: &Site| site.set_cookie("t").unwrap().to_str().unwrap().to_owned();
        let expected = "arb_session_8080=t; Max-Age=604800; Path=/session; HttpOnly; SameSite=Strict";
        assert_eq!(set(&site(None)), expected);
        let expected = "__Host-arb_session=t; Max-Age=604800; Path=/; Secure; HttpOnly; SameSite=Strict";
        assert_eq!(set(&site(Some("https://arbs.example"))), expected);
        assert!(site(None).clear_cookie().unwrap().to_str().unwrap().contains("=; Max-Age=0;"));
    }

    #[test]
    fn the_token_is_that_of_one_cookie() {
        let site = site(None);
        let of = |lines: &[&str]| {
            let lines: Vec<_> = lines.iter().map(|line| ("cookie", *line)).collect();
            site.token(&headers(&lines)).map(str::to_owned)
        };
        assert_eq!(of(&["a=b; arb_session_8080=t; c=d"]), Some("t".to_owned()));
        assert_eq!(of(&["a=b", "arb_session_8080=t"]), Some("t".to_owned()));
        assert_eq!(of(&["arb_session_80800=t"]), None);
        assert_eq!(of(&["arb_session_8080=t; arb_session_8080=u"]), None);
    }

    proptest! {
        #[test]
        fn any_cookie_is_read_without_harm(line in prop::collection::vec(any::<u8>(), 0..200)) {
            let mut headers = HeaderMap::new();
            if let Ok(value) = HeaderValue::from_bytes(&line) {
                headers.append(COOKIE, value);
            }
            let token = site(None).token(&headers).map(str::to_owned);
            prop_assert!(token.is_none_or(|token| !token.contains(';')));
        }
    }
}
