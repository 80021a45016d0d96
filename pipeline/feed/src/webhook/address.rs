//! Which addresses may be connected to, and which URLs are accepted. Pure: what it is asked about is the address of the connection
//! itself, so that a name that resolves to another address later gains nothing.
//!
//! Source: the IANA registries of special-purpose IPv4 and IPv6 addresses.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use http::Uri;

/// Ports that may be connected to.
const PORTS: [u16; 2] = [443, 8443];
/// Networks of IPv4 that are not of the public Internet.
const DENIED: [(Ipv4Addr, u32); 15] = [
    (Ipv4Addr::UNSPECIFIED, 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    (Ipv4Addr::new(240, 0, 0, 0), 4),
];

/// What may be sent to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Rules {
    /// Plain HTTP, every port and loopback are allowed: for development alone.
    pub is_development: bool,
}

impl Rules {
    /// Whether a connection to an address may be made.
    #[must_use]
    pub fn allows(self, address: IpAddr) -> bool {
        (self.is_development && address.to_canonical().is_loopback()) || is_public(address)
    }

    /// A URL that may be sent to, as far as its text shows.
    ///
    /// # Errors
    /// What is wrong with it, as a part of a sentence.
    pub fn check(self, url: &str) -> Result<Uri, &'static str> {
        let uri: Uri = url.parse().map_err(|_| "is no URL")?;
        let scheme = uri.scheme_str().unwrap_or_default();
        if scheme != "https" && !(scheme == "http" && self.is_development) {
            return Err("must begin with https://");
        }
        let authority = uri.authority().ok_or("has no host")?;
        if authority.as_str().contains('@') {
            return Err("must not contain a user name");
        }
        // A port that is no number of 16 bits is left out by `Authority`, not refused.
        let after_host = authority.as_str().strip_prefix(authority.host()).unwrap_or(":");
        let port = match after_host.strip_prefix(':') {
            Some(port) => {
                port.parse::<u16>().ok().filter(|port| *port > 0).ok_or("has a port that is none")?
            }
            None => 443,
        };
        if !self.is_development && !PORTS.contains(&port) {
            return Err("has a port that is not allowed: 443 and 8443 are");
        }
        match literal(authority.host())? {
            Some(address) if !self.allows(address) => Err("has an address that is not public"),
            _ => Ok(uri),
        }
    }
}

/// The address that a host is, where it is none that is looked up. Numbers that are no dotted address are refused: resolvers read them as
/// addresses.
fn literal(host: &str) -> Result<Option<IpAddr>, &'static str> {
    if let Some(inner) = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
        return inner
            .parse::<Ipv6Addr>()
            .map(|it| Some(it.into()))
            .map_err(|_| "has an address that is none");
    }
    if let Ok(address) = host.parse::<Ipv4Addr>() {
        return Ok(Some(address.into()));
    }
    let last = host.trim_end_matches('.').rsplit('.').next().unwrap_or_default();
    let is_number =
        last.bytes().all(|byte| byte.is_ascii_digit()) || last.to_ascii_lowercase().starts_with("0x");
    if host.is_empty() || is_number { Err("has a host that is no name") } else { Ok(None) }
}

/// Whether an address is of the public Internet.
#[must_use]
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let is_in =
        |(network, bits): &(Ipv4Addr, u32)| (address.to_bits() ^ network.to_bits()).leading_zeros() >= *bits;
    !DENIED.iter().any(is_in)
}

/// Of `2000::/3` alone; addresses in which an IPv4 address is embedded are as good as that one at best, and refused.
fn is_public_v6(address: Ipv6Addr) -> bool {
    let [first, second, ..] = address.segments();
    let is_global = first & 0xe000 == 0x2000;
    // 2002::/16 is 6to4, 2001::/23 has Teredo and other protocols, 2001:db8::/32 and 3fff::/20 are documentation.
    let is_special = first == 0x2002
        || (first == 0x2001 && (second < 0x200 || second == 0xdb8))
        || (first == 0x3fff && second < 0x1000);
    is_global && !is_special
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRODUCTION: Rules = Rules { is_development: false };
    const DEVELOPMENT: Rules = Rules { is_development: true };

    #[test]
    fn addresses_that_are_not_public_are_refused() {
        for address in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.9.9.9",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "198.18.0.1",
            "198.19.255.255",
            "224.0.0.1",
            "239.1.1.1",
            "240.0.0.1",
            "255.255.255.255",
            "192.0.0.8",
            "192.0.2.1",
            "203.0.113.1",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:8.8.8.8",
            "::7f00:1",
            "64:ff9b::a9fe:a9fe",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:0:53aa:64c::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "fc00::1",
            "fd12::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "3fff::1",
            "4000::1",
        ] {
            assert!(!PRODUCTION.allows(address.parse().unwrap()), "{address}");
        }
        for address in
            ["8.8.8.8", "100.63.255.255", "100.128.0.1", "172.32.0.1", "198.20.0.1", "2606:4700::1"]
        {
            assert!(PRODUCTION.allows(address.parse().unwrap()), "{address}");
        }
    }

    #[test]
    fn development_adds_loopback_and_nothing_else() {
        for (address, expected) in [
            ("127.0.0.1", true),
            ("::1", true),
            ("::ffff:127.0.0.1", true),
            ("10.0.0.1", false),
            ("169.254.169.254", false),
        ] {
            assert_eq!(DEVELOPMENT.allows(address.parse().unwrap()), expected, "{address}");
        }
    }

    #[test]
    fn urls_are_checked_by_scheme_user_port_and_host() {
        for (url, expected) in [
            ("https://receiver.example/hook?x=1", true),
            ("https://receiver.example:8443/", true),
            ("https://8.8.8.8/", true),
            ("http://receiver.example/", false),
            ("ftp://receiver.example/", false),
            ("https://receiver.example:22/", false),
            ("https://user@receiver.example/", false),
            ("https://user:password@receiver.example/", false),
            ("https://127.0.0.1/", false),
            ("https://2130706433/", false),
            ("https://0x7f000001/", false),
            ("https://0177.0.0.1/", false),
            ("https://127.1/", false),
            ("https://[::1]/", false),
            ("https://[::ffff:127.0.0.1]/", false),
            ("https://169.254.169.254/latest/meta-data", false),
            ("/relative", false),
            ("https:///path", false),
            ("https://receiver.example:65536/", false),
            ("https://receiver.example:0/", false),
            ("https://receiver.example:/", false),
            ("https://receiver.example:443/", true),
            ("https://[2606:4700::1]:8443/", true),
        ] {
            assert_eq!(PRODUCTION.check(url).is_ok(), expected, "{url}");
        }
        assert!(DEVELOPMENT.check("http://127.0.0.1:9000/hook").is_ok());
        assert!(DEVELOPMENT.check("http://10.0.0.1/").is_err());
        assert!(DEVELOPMENT.check("http://127.0.0.1:65536/").is_err());
    }
}
