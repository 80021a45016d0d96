//! An API key: who holds it, what it may do, and until when.

use std::net::IpAddr;

use arb_schemas::time::Micros;
use serde::{Deserialize, Serialize};

use crate::scope::Scope;

/// What a key sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// The running feed (`arb_live_`).
    Live,
    /// A small market that never changes, uncharged (`arb_test_`).
    Test,
}

impl Mode {
    /// As records and JSON spell it.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Test => "test",
        }
    }

    /// The mode that a text names.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Live, Self::Test].into_iter().find(|mode| mode.key() == text)
    }
}

/// A network of addresses: an address and the number of leading bits that count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Cidr {
    address: IpAddr,
    bits: u8,
}

impl Cidr {
    /// Whether an address lies in it. An IPv4 address in IPv6 form counts as IPv4.
    #[must_use]
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.address, address.to_canonical()) {
            (IpAddr::V4(own), IpAddr::V4(other)) => {
                let shift = 32 - u32::from(self.bits);
                own.to_bits().checked_shr(shift) == other.to_bits().checked_shr(shift)
            }
            (IpAddr::V6(own), IpAddr::V6(other)) => {
                let shift = 128 - u32::from(self.bits);
                own.to_bits().checked_shr(shift) == other.to_bits().checked_shr(shift)
            }
            _ => false,
        }
    }

    /// Whether all addresses of another network lie in it.
    #[must_use]
    pub fn covers(&self, other: &Self) -> bool {
        self.bits <= other.bits && self.contains(other.address)
    }
}

impl TryFrom<String> for Cidr {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let error = || format!("{text:?} is not an address or a network such as 192.0.2.0/24");
        let (address, bits) =
            text.split_once('/').map_or((&*text, None), |(address, bits)| (address, Some(bits)));
        let address: IpAddr = address.parse().map_err(|_| error())?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let bits = bits.map_or(Ok(most), |bits| bits.parse::<u8>().map_err(|_| error()))?;
        if bits > most { Err(error()) } else { Ok(Self { address, bits }) }
    }
}

impl From<Cidr> for String {
    fn from(cidr: Cidr) -> Self {
        format!("{}/{}", cidr.address, cidr.bits)
    }
}

/// What a key may do, as whoever creates it chooses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Permissions {
    /// At least one.
    pub scopes: Vec<Scope>,
    /// When it ends; `None` for never.
    pub expires_at: Option<Micros>,
    /// Addresses that may use it; empty for all.
    pub cidrs: Vec<Cidr>,
    /// Requests that it may spend of the account's quota in a month; `None` for all.
    pub monthly_cap: Option<u64>,
}

impl Permissions {
    /// The permission that a key with these must not grant to another one, in words; `None` when it may grant all of them.
    #[must_use]
    pub fn exceeded_by(&self, other: &Self) -> Option<&'static str> {
        let has_scopes = other.scopes.iter().all(|scope| self.scopes.contains(scope));
        let ends = self.expires_at.is_none_or(|own| other.expires_at.is_some_and(|end| end <= own));
        let is_inside = |cidr: &Cidr| self.cidrs.iter().any(|own| own.covers(cidr));
        let addresses =
            self.cidrs.is_empty() || (!other.cidrs.is_empty() && other.cidrs.iter().all(is_inside));
        let cap = self.monthly_cap.is_none_or(|own| other.monthly_cap.is_some_and(|cap| cap <= own));
        match (has_scopes, ends, addresses, cap) {
            (false, ..) => Some("scopes"),
            (_, false, ..) => Some("expires_at"),
            (.., false, _) => Some("cidrs"),
            (.., false) => Some("monthly_cap"),
            _ => None,
        }
    }
}

/// A key as it is stored: never the key itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApiKey {
    /// The public part of the key, 8 base62 characters; its key in the topic.
    pub kid: String,
    /// Its account.
    pub account: String,
    /// HMAC-SHA-256 of the whole key under the pepper, hexadecimal.
    pub hmac: String,
    /// What its holder calls it.
    pub name: String,
    /// What it sees.
    pub mode: Mode,
    /// What it may do.
    pub permissions: Permissions,
    /// When it was created, by the machine's time.
    pub created_at: Micros,
    /// The key that replaces it: this one ends at the end of its grace period, [`Permissions::expires_at`].
    pub replaced_by: Option<String>,
}

impl ApiKey {
    /// Whether its time is over at a moment.
    #[must_use]
    pub fn is_expired(&self, now: Micros) -> bool {
        self.permissions.expires_at.is_some_and(|end| end <= now)
    }

    /// Whether another key is in its place.
    #[must_use]
    pub fn is_replaced(&self) -> bool {
        self.replaced_by.is_some()
    }
}
