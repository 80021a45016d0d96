//! What a key or a session allows, by the replica of the accounts topic.
//!
//! It never stores or logs a key or a cookie, and never reveals why a key is not valid, except for its address: whoever has the key
//! may know.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use arb_accounts::directory::Directory;
use arb_accounts::key::{ApiKey, Mode};
use arb_accounts::plan::Plan;
use arb_accounts::scope::Scope;
use arb_accounts::secrets::{self, Pepper};
use arb_schemas::records::AccountBankroll;
use arb_schemas::time::Micros;

use super::burst::{Bursts, KeyedRate};
use super::replica::Replica;

/// Reads of an account's browsers: one more after so long, and so many at once. A reader with some tabs, and no program.
const PAGE_PERIOD: Duration = Duration::from_millis(1_500);
const PAGE_AT_ONCE: NonZeroU32 = NonZeroU32::new(120).unwrap();
/// What comes before the hash of a session that holds a stream.
pub(crate) const SESSION: &str = "session/";

/// Decides about keys and sessions.
#[derive(Debug)]
pub struct Authority {
    replica: Arc<Replica>,
    pepper: Pepper,
    clock: fn() -> Micros,
    /// When each key was last used at this instance, by its clock.
    used: Mutex<BTreeMap<String, Micros>>,
    /// How often each key asks.
    pub(crate) bursts: Bursts,
    /// What the browsers of an account read.
    pub(crate) page_reads: KeyedRate,
}

/// Who asks: what a valid key proves of its holder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Caller {
    /// The public part of the key.
    pub(crate) kid: String,
    /// The session of a browser, which has no key.
    pub(crate) session: Option<String>,
    /// What the key sees: the live market, which is charged, or that of tests, which is not.
    pub(crate) mode: Mode,
    pub(crate) account: String,
    /// The source whose prices this account sees besides those of all.
    pub(crate) private_source: Option<String>,
    pub(crate) plan: Plan,
    /// What the key may do.
    pub(crate) scopes: Vec<Scope>,
    /// What the key may spend of the account's quota.
    pub(crate) monthly_cap: Option<u64>,
}

/// A browser that has signed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SignedIn {
    /// The session's hash.
    pub(crate) session: String,
    pub(crate) account: String,
    /// The source whose prices this account sees besides those of all.
    pub(crate) private_source: Option<String>,
    pub(crate) email: String,
    pub(crate) plan: Plan,
    pub(crate) bankroll: Option<AccountBankroll>,
    pub(crate) expires_at: Micros,
}

/// Why a key does not open a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyRefusal {
    /// There is no such key, or it has ended, or its account is disabled.
    Unknown,
    /// It may not be used from this address.
    Address,
    /// It is not known whether the key is still valid.
    NotCurrent,
}

impl Authority {
    /// Of a replica, with the pepper under which keys and cookies are hashed.
    #[must_use]
    pub fn new(replica: Arc<Replica>, pepper: Pepper, clock: fn() -> Micros) -> Self {
        Self {
            replica,
            pepper,
            clock,
            used: Mutex::default(),
            bursts: Bursts::default(),
            page_reads: KeyedRate::new(PAGE_PERIOD, PAGE_AT_ONCE),
        }
    }

    /// The replica.
    #[must_use]
    pub fn replica(&self) -> &Arc<Replica> {
        &self.replica
    }

    /// The pepper.
    pub(crate) fn pepper(&self) -> &Pepper {
        &self.pepper
    }

    /// The time of this instance, for what it receives.
    pub(crate) fn received_at(&self) -> Micros {
        (self.clock)()
    }

    /// The machine's time, or this instance's where that is later: a clock that is behind prolongs nothing.
    pub(crate) fn now(&self) -> Micros {
        self.replica.with(Directory::clock).max((self.clock)())
    }

    /// Who holds a key that is used from an address.
    pub(crate) fn caller(&self, key: &str, address: Option<IpAddr>) -> Result<Caller, KeyRefusal> {
        let kid = secrets::parse_key(key).ok_or(KeyRefusal::Unknown)?.kid;
        self.holder(kid, address, |found| self.pepper.is_of(key, &found.hmac))
    }

    /// Who holds the key with this kid, of which a ticket was issued.
    pub(crate) fn caller_of(&self, kid: &str, address: Option<IpAddr>) -> Result<Caller, KeyRefusal> {
        self.holder(kid, address, |_| true)
    }

    fn holder(
        &self,
        kid: &str,
        address: Option<IpAddr>,
        is_it: impl FnOnce(&ApiKey) -> bool,
    ) -> Result<Caller, KeyRefusal> {
        if !self.replica.is_current() {
            return Err(KeyRefusal::NotCurrent);
        }
        let used_at = (self.clock)();
        let caller = self.replica.with(|directory| {
            let now = used_at.max(directory.clock());
            let found = directory.key(kid).filter(|found| is_it(found));
            let found = found.filter(|found| !found.is_expired(now)).ok_or(KeyRefusal::Unknown)?;
            let account = directory.account(&found.account).filter(|account| !account.is_disabled);
            let account = account.ok_or(KeyRefusal::Unknown)?;
            let cidrs = &found.permissions.cidrs;
            let is_inside = |address| cidrs.iter().any(|cidr| cidr.contains(address));
            if !cidrs.is_empty() && !address.is_some_and(is_inside) {
                return Err(KeyRefusal::Address);
            }
            let scopes = found.permissions.scopes.iter().copied();
            Ok(Caller {
                kid: found.kid.clone(),
                session: None,
                mode: found.mode,
                account: account.id.clone(),
                private_source: account.private_source(),
                plan: account.plan,
                scopes: scopes.filter(|scope| account.may_have(*scope)).collect(),
                monthly_cap: found.permissions.monthly_cap,
            })
        })?;
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        match used.get_mut(kid) {
            Some(at) => *at = used_at,
            None => drop(used.insert(kid.to_owned(), used_at)),
        }
        Ok(caller)
    }

    /// When a key was last used at this instance.
    pub(crate) fn last_used(&self, kid: &str) -> Option<Micros> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner).get(kid).copied()
    }

    /// Whether a key, by its kid, or a session, by `session/` and its hash, may still hold a stream.
    pub(crate) fn is_valid(&self, holder: &str) -> bool {
        self.has_source(holder, None).is_some()
    }

    /// Whether the account of such a holder has this private source, or none; `None` where it may hold no stream.
    pub(crate) fn has_source(&self, holder: &str, private: Option<&str>) -> Option<bool> {
        let now = self.now();
        self.replica.with(|directory| {
            let account = if let Some(hash) = holder.strip_prefix(SESSION) {
                &directory.session(hash).filter(|session| session.expires_at > now)?.account
            } else {
                let key = directory.key(holder).filter(|key| !key.is_expired(now))?;
                &Some(key).filter(|key| key.permissions.scopes.contains(&Scope::StreamRead))?.account
            };
            let account = directory.account(account).filter(|account| !account.is_disabled)?;
            Some(account.private_source().as_deref() == private)
        })
    }

    /// Whether a key has ended since this was asked before.
    pub(crate) fn has_key_ended(&self) -> bool {
        self.replica.has_key_ended(self.now())
    }

    /// Who has a session with this token; `None` when nobody has.
    ///
    /// # Errors
    /// [`KeyRefusal::NotCurrent`].
    pub(crate) fn session(&self, token: &str) -> Result<Option<SignedIn>, KeyRefusal> {
        if !self.replica.is_current() {
            return Err(KeyRefusal::NotCurrent);
        }
        let (hash, now) = (self.pepper.hmac(token), self.now());
        Ok(self.replica.with(|directory| {
            let session = directory.session(&hash).filter(|session| session.expires_at > now)?;
            let account = directory.account(&session.account).filter(|account| !account.is_disabled)?;
            Some(SignedIn {
                private_source: account.private_source(),
                session: hash,
                account: account.id.clone(),
                email: account.email.clone(),
                plan: account.plan,
                bankroll: account.bankroll.clone(),
                expires_at: session.expires_at,
            })
        }))
    }
}
