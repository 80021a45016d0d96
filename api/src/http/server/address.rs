//! The client address under which a connection is counted, and the proxies that are trusted to report it.
//!
//! `X-Forwarded-For` is used only from a proxy that the operator has named: any client can write that header.

use std::net::{IpAddr, Ipv6Addr};
use std::str::FromStr;

use warp::http::HeaderMap;

const FORWARDED_FOR: &str = "x-forwarded-for";
/// An IPv6 network of this many bits is one customer's: its addresses count as one.
const IPV6_BITS: u8 = 64;
/// Bits of the network of an address of IPv4 and of IPv6, as one holder is usually given.
const NETWORK_BITS: (u8, u8) = (24, 48);

/// A network such as `10.0.0.0/8`, or one address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    bits: u8,
}

impl FromStr for Network {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (address, bits) =
            text.split_once('/').map_or((text, None), |(address, bits)| (address, Some(bits)));
        let wrong = || format!("{text}: give an address or a network, such as 10.0.0.0/8");
        let address: IpAddr = address.parse().map_err(|_| wrong())?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let bits = bits.map_or(Ok(most), str::parse).ok().filter(|bits| *bits <= most).ok_or_else(wrong)?;
        Ok(Self { address: first(address, bits), bits })
    }
}

impl Network {
    fn includes(&self, address: IpAddr) -> bool {
        address.is_ipv4() == self.address.is_ipv4() && first(address, self.bits) == self.address
    }
}

/// The first address of the network of so many bits that this one is in.
fn first(address: IpAddr, bits: u8) -> IpAddr {
    match address {
        IpAddr::V4(v4) => {
            let mask = u32::MAX.checked_shl(32 - u32::from(bits.min(32))).unwrap_or(0);
            IpAddr::V4((u32::from(v4) & mask).into())
        }
        IpAddr::V6(v6) => {
            let mask = u128::MAX.checked_shl(128 - u32::from(bits.min(128))).unwrap_or(0);
            IpAddr::V6(Ipv6Addr::from(u128::from(v6) & mask))
        }
    }
}

/// What an address is counted under.
pub(super) fn block(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        v4 @ IpAddr::V4(_) => v4,
        v6 @ IpAddr::V6(_) => first(v6, IPV6_BITS),
    }
}

/// The network that an address is in: of IPv4 a /24, of IPv6 a /48.
pub(super) fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        v4 @ IpAddr::V4(_) => first(v4, NETWORK_BITS.0),
        v6 @ IpAddr::V6(_) => first(v6, NETWORK_BITS.1),
    }
}

/// Proxies whose `X-Forwarded-For` is trusted.
#[derive(Debug, Clone, Default)]
pub struct Proxies(pub Vec<Network>);

impl Proxies {
    /// Whether an address is one of theirs.
    fn include(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.includes(address))
    }

    /// What a connection is counted under before it has asked for anything; nothing for that of a proxy, which is many clients'.
    pub(super) fn of_connection(&self, peer: IpAddr) -> Option<IpAddr> {
        let peer = peer.to_canonical();
        (!self.include(peer)).then(|| block(peer))
    }

    /// The address under which a request through a proxy is counted: the last one in the header that is not a
    /// trusted proxy. `None` where the header has none.
    pub(super) fn of_request(&self, headers: &HeaderMap) -> Option<IpAddr> {
        self.forwarded(headers).map(block)
    }

    /// The address of whoever sent a request over a connection from a peer.
    pub(super) fn client(&self, peer: IpAddr, headers: &HeaderMap) -> Option<IpAddr> {
        let peer = peer.to_canonical();
        if self.include(peer) { self.forwarded(headers) } else { Some(peer) }
    }

    /// The last address of the header that is none of our proxies'.
    fn forwarded(&self, headers: &HeaderMap) -> Option<IpAddr> {
        let lines: Vec<_> = headers.get_all(FORWARDED_FOR).iter().collect();
        let hops = lines.iter().rev().flat_map(|line| line.to_str().unwrap_or_default().rsplit(','));
        let addresses =
            hops.map_while(|hop| hop.trim().parse::<IpAddr>().ok().map(|address| address.to_canonical()));
        addresses.into_iter().find(|address| !self.include(*address))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proxies(networks: &[&str]) -> Proxies {
        Proxies(networks.iter().map(|text| text.parse().unwrap()).collect())
    }

    #[test]
    fn a_network_is_an_address_and_bits() {
        let all = proxies(&["10.0.0.0/8", "192.168.1.7", "fd00::/8", "::1"]);
        for (address, expected) in [
            ("10.255.0.1", true),
            ("11.0.0.1", false),
            ("192.168.1.7", true),
            ("192.168.1.8", false),
            ("fd12::1", true),
            ("fe80::1", false),
            ("::1", true),
        ] {
            assert_eq!(all.include(address.parse().unwrap()), expected, "{address}");
        }
        assert!(proxies(&["0.0.0.0/0"]).include("1.2.3.4".parse().unwrap()));
        for text in ["", "10.0.0.0/33", "::/129", "10.0.0/8", "a/8", "10.0.0.0/-1", "10.0.0.0/"] {
            assert!(text.parse::<Network>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_connection_is_counted_under_its_peer_unless_that_is_a_proxy() {
        let all = proxies(&["10.0.0.0/8"]);
        let of = |text: &str| all.of_connection(text.parse().unwrap()).map(|address| address.to_string());
        assert_eq!(of("1.2.3.4").as_deref(), Some("1.2.3.4"));
        assert_eq!(of("::ffff:1.2.3.4").as_deref(), Some("1.2.3.4"));
        assert_eq!(of("2001:db8:1:2:3:4:5:6").as_deref(), Some("2001:db8:1:2::"));
        assert_eq!((of("10.1.1.1"), of("::ffff:10.1.1.1")), (None, None));
    }

    #[test]
    fn a_network_is_24_bits_of_ipv4_and_48_of_ipv6() {
        let of = |text: &str| network(text.parse().unwrap()).to_string();
        assert_eq!(of("192.0.2.200"), "192.0.2.0");
        assert_eq!(of("::ffff:192.0.2.200"), "192.0.2.0");
        assert_eq!(of("2001:db8:1:2:3:4:5:6"), "2001:db8:1::");
    }

    #[test]
    fn the_last_address_that_is_no_proxys_counts() {
        let all = proxies(&["10.0.0.0/8"]);
        for (lines, expected) in [
            (&["1.2.3.4"][..], Some("1.2.3.4")),
            (&["6.6.6.6, 1.2.3.4"], Some("1.2.3.4")),
            (&["6.6.6.6", "1.2.3.4, 10.0.0.2"], Some("1.2.3.4")),
            (&["1.2.3.4, 10.0.0.2,10.0.0.3"], Some("1.2.3.4")),
            (&["6.6.6.6, nonsense, 10.0.0.2"], None),
            (&["10.0.0.2"], None),
            (&[], None),
        ] {
            let mut headers = HeaderMap::new();
            for line in lines {
                headers.append(FORWARDED_FOR, line.parse().unwrap());
            }
            let found = all.of_request(&headers).map(|address| address.to_string());
            assert_eq!(found.as_deref(), expected, "{lines:?}");
        }
    }
}
