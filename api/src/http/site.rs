//! The site as browsers see it: its host names, its origin and its cookies.
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
/// How long a browser is known as one that an account has logged in on, in seconds.
const DEVICE_SECONDS: u32 = 180 * 24 * 60 * 60;
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// How a URL begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UrlScheme {
    /// Without encryption.
    Http,
    /// By TLS.
    Https,
}

impl UrlScheme {
    const fn text(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }

    /// The port that a URL does not name.
    const fn port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }
}

/// A scheme, a host and a port where that is not the scheme's.
#[derive(Debug, Clone, PartialEq, Eq)]
struct SiteOrigin {
    scheme: UrlScheme,
    host: String,
}

impl SiteOrigin {
    /// Whether the header `Origin` has it.
    fn is(&self, origin: &HeaderValue) -> bool {
        let rest = origin.as_bytes().strip_prefix(self.scheme.text().as_bytes());
        rest.and_then(|rest| rest.strip_prefix(b"://")) == Some(self.host.as_bytes())
    }

    fn text(&self) -> String {
        format!("{}://{}", self.scheme.text(), self.host)
    }
}

/// A cookie of the site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SiteCookie {
    /// Of a session.
    Session,
    /// Of a device that an account has logged in on.
    Device,
}

impl SiteCookie {
    /// The middle of its name.
    const fn text(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Device => "device",
        }
    }

    /// How long a browser keeps it, in seconds.
    const fn seconds(self) -> u32 {
        match self {
            Self::Session => SESSION_SECONDS,
            Self::Device => DEVICE_SECONDS,
        }
    }
}

/// The site.
#[derive(Debug, Clone)]
pub struct Site {
    /// Under which it is reached, public ones first.
    origins: Vec<SiteOrigin>,
    /// Whether it is reached by TLS alone.
    is_tls: bool,
    /// What the names of cookies begin and end with, and their attributes.
    cookies: (&'static str, String, &'static str),
}

impl Site {
    /// Of an instance that listens at an address, by this scheme; with public URLs it is reached there too. Where it listens by TLS
    /// or one of them begins with https, cookies are sent by TLS alone.
    ///
    /// # Errors
    /// Why a URL is none of a site.
    pub fn new(listen: SocketAddr, scheme: UrlScheme, public_urls: &[String]) -> Result<Self, String> {
        let mut origins = public_urls.iter().map(|url| parts(url)).collect::<Result<Vec<_>, _>>()?;
        let port = listen.port();
        let local = ["localhost".to_owned(), "127.0.0.1".to_owned(), "[::1]".to_owned()];
        let mut hosts: Vec<_> = local.iter().map(|host| format!("{host}:{port}")).collect();
        hosts.push(listen.to_string());
        if port == scheme.port() {
            hosts.extend(local);
            let address = listen.ip();
            hosts.push(if address.is_ipv6() { format!("[{address}]") } else { address.to_string() });
        }
        origins.extend(hosts.into_iter().map(|host| SiteOrigin { scheme, host }));
        let is_secure = origins.iter().any(|origin| origin.scheme == UrlScheme::Https);
        let cookies = if is_secure {
            ("__Host-", String::new(), "; Path=/; Secure; HttpOnly; SameSite=Strict")
        } else {
            ("", format!("_{port}"), "; Path=/session; HttpOnly; SameSite=Strict")
        };
        Ok(Self { origins, is_tls: scheme == UrlScheme::Https, cookies })
    }

    /// The origin that a request names by its host.
    fn find(&self, headers: &HeaderMap) -> Option<&SiteOrigin> {
        let host = headers.get(HOST)?.to_str().ok()?;
        self.origins.iter().find(|origin| origin.host.eq_ignore_ascii_case(host))
    }

    /// The URL of the site as the caller of a request knows it, without a path: that of its host, else the first.
    pub(crate) fn url(&self, headers: &HeaderMap) -> String {
        let origin = self.find(headers).or(self.origins.first());
        origin.map(SiteOrigin::text).unwrap_or_default()
    }

    /// Whether browsers may be asked to reach the host of a request by TLS alone: it is reached so. Never for localhost, where they
    /// would do so at every other port too.
    pub(crate) fn is_secure(&self, headers: &HeaderMap) -> bool {
        let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
        let is_https = || self.find(headers).is_some_and(|origin| origin.scheme == UrlScheme::Https);
        !name.eq_ignore_ascii_case("localhost") && (self.is_tls || is_https())
    }

    /// Refuses a request that names another host.
    ///
    /// # Errors
    /// 403.
    pub(crate) fn check_host(&self, headers: &HeaderMap) -> Result<(), Problem> {
        self.find(headers).map(drop).ok_or_else(|| {
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
            (Some(origin), _) => self.origins.iter().any(|known| known.is(origin)),
            (None, Some(site)) => ["same-origin", "none"].iter().any(|known| site == known),
            (None, None) => true,
        };
        is_own.then_some(()).ok_or_else(|| Problem::forbidden("The request comes from another origin."))
    }

    /// The value of a cookie; `None` where there is none, or more than one.
    pub(crate) fn cookie<'a>(&self, cookie: SiteCookie, headers: &'a HeaderMap) -> Option<&'a str> {
        let expected = self.name(cookie);
        let lines = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
        let pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
        let mut values = pairs.filter(|(name, _)| *name == expected).map(|(_, value)| value);
        let value = values.next()?;
        values.next().is_none().then_some(value)
    }

    /// The header that sets a cookie.
    pub(crate) fn set_cookie(&self, cookie: SiteCookie, value: &str) -> Option<HeaderValue> {
        let (name, seconds, attributes) = (self.name(cookie), cookie.seconds(), self.cookies.2);
        HeaderValue::from_str(&format!("{name}={value}; Max-Age={seconds}{attributes}")).ok()
    }

    /// The header that removes the session cookie.
    pub(crate) fn clear_cookie(&self) -> Option<HeaderValue> {
        let (name, attributes) = (self.name(SiteCookie::Session), self.cookies.2);
        HeaderValue::from_str(&format!("{name}=; Max-Age=0{attributes}")).ok()
    }

    fn name(&self, cookie: SiteCookie) -> String {
        let (start, end, _) = &self.cookies;
        format!("{start}arb_{}{end}", cookie.text())
    }
}

/// A URL as browsers write an origin.
///
/// # Errors
/// Why it is none.
pub(super) fn origin(url: &str) -> Result<String, String> {
    parts(url).map(|origin| origin.text())
}

/// The scheme and the host of a URL, without the scheme's own port.
fn parts(url: &str) -> Result<SiteOrigin, String> {
    let wrong = || format!("{url}: give a URL without a path, such as https://arbs.example");
    let (scheme, host) = url.split_once("://").ok_or_else(wrong)?;
    let scheme = [UrlScheme::Http, UrlScheme::Https].into_iter().find(|known| known.text() == scheme);
    let scheme = scheme.ok_or_else(wrong)?;
    let host = host.strip_suffix('/').unwrap_or(host);
    let host = host.strip_suffix(&format!(":{}", scheme.port())).unwrap_or(host);
    let is_host = |c: char| c.is_ascii_alphanumeric() || ".-:[]".contains(c);
    let is_port = |port: &str| port.parse::<u16>().is_ok_and(|port| port > 0);
    // Colons within brackets are of an address.
    let rest = host.rsplit_once(']').map_or(host, |(_, rest)| rest);
    let has_port = rest.split_once(':').is_none_or(|(_, port)| is_port(port));
    let is_site = !host.is_empty() && host.chars().all(is_host) && has_port;
    is_site.then(|| SiteOrigin { scheme, host: host.to_ascii_lowercase() }).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn site(url: Option<&str>) -> Site {
        let urls: Vec<_> = url.map(str::to_owned).into_iter().collect();
        Site::new("127.0.0.1:8080".parse().unwrap(), UrlScheme::Http, &urls).unwrap()
    }

    fn tls(listen: &str, urls: &[&str]) -> Site {
        let urls: Vec<_> = urls.iter().map(|url| (*url).to_owned()).collect();
        Site::new(listen.parse().unwrap(), UrlScheme::Https, &urls).unwrap()
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
        let ports = ["https://a:65536", "https://a:0", "https://a:", "https://a:1:2", "https://[::1]:x"];
        for url in
            ["arbs.example", "ftp://a", "https://", "https://a/b", "https://a b"].into_iter().chain(ports)
        {
            let site = Site::new("127.0.0.1:1".parse().unwrap(), UrlScheme::Http, &[url.to_owned()]);
            assert!(site.is_err(), "{url}");
        }
    }

    #[test]
    fn a_site_has_several_public_hosts_and_knows_by_which_it_is_asked() {
        let urls = ["https://arbs.example".to_owned(), "https://api.arbs.example:443/".to_owned()];
        let site = Site::new("10.0.0.2:8080".parse().unwrap(), UrlScheme::Http, &urls).unwrap();
        for (host, url, is_secure) in [
            ("arbs.example", "https://arbs.example", true),
            ("API.arbs.example", "https://api.arbs.example", true),
            ("10.0.0.2:8080", "http://10.0.0.2:8080", false),
            ("localhost:8080", "http://localhost:8080", false),
            ("evil.example", "https://arbs.example", false),
        ] {
            let headers = headers(&[("host", host)]);
            assert_eq!((&*site.url(&headers), site.is_secure(&headers)), (url, is_secure), "{host}");
            assert_eq!(site.check_host(&headers).is_ok(), host != "evil.example", "{host}");
        }
        for origin in ["https://arbs.example", "https://api.arbs.example"] {
            assert!(site.check_origin(&headers(&[("origin", origin)])).is_ok(), "{origin}");
        }
    }

    #[test]
    fn under_tls_every_origin_is_https_and_the_cookie_secure() {
        let site = tls("127.0.0.1:443", &[]);
        for (origin, expected) in [
            ("https://localhost", true),
            ("https://127.0.0.1", true),
            ("https://localhost:443", true),
            ("http://localhost", false),
            ("http://127.0.0.1:443", false),
        ] {
            assert_eq!(site.check_origin(&headers(&[("origin", origin)])).is_ok(), expected, "{origin}");
        }
        let cookie = site.set_cookie(SiteCookie::Session, "t").unwrap();
        assert!(cookie.to_str().unwrap().starts_with("__Host-arb_session=t; "), "{cookie:?}");
        assert!(cookie.to_str().unwrap().contains("; Path=/; Secure; HttpOnly; SameSite=Strict"));
        let is_secure = |host: &str| site.is_secure(&headers(&[("host", host)]));
        assert!(is_secure("127.0.0.1") && is_secure("any.example:8443"));
        assert!(!is_secure("localhost") && !is_secure("LOCALHOST:443"), "its other ports have no TLS");
        assert!(
            tls("0.0.0.0:8443", &["http://arbs.example"]).set_cookie(SiteCookie::Session, "t")
                == Some(cookie)
        );
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
        let of = |site: &Site, cookie| site.set_cookie(cookie, "t").unwrap().to_str().unwrap().to_owned();
        let set = |site: &Site| of(site, SiteCookie::Session);
        let expected = "arb_device_8080=t; Max-Age=15552000; Path=/session; HttpOnly; SameSite=Strict";
        assert_eq!(of(&site(None), SiteCookie::Device), expected);
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
            site.cookie(SiteCookie::Session, &headers(&lines)).map(str::to_owned)
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
            let token = site(None).cookie(SiteCookie::Session, &headers).map(str::to_owned);
            prop_assert!(token.is_none_or(|token| !token.contains(';')));
        }
    }
}
