//! How often passwords may be tried and accounts be created, and by whom.
//!
//! What one caller does refuses nobody else: a hard limit is of one account from one address, or of one device that is known by its
//! cookie. A limit that several callers share (a network, an account, the site) refuses nobody either: beyond it each try needs a
//! proof of work. What was answered 503, or succeeded, is taken back. It never asks a clock, and never learns whether there is an
//! account.
//!
//! Source: OWASP, "Slow Down Online Guessing Attacks with Device Cookies".

use std::time::{Duration, Instant};

use super::attempts::Attempts;

/// Who tries a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trier<'a> {
    /// A browser that has the account's device cookie, or a session of the account.
    Device {
        /// What tells it from the account's other devices.
        device: &'a str,
        /// The account.
        account: &'a str,
    },
    /// Anybody else.
    Stranger {
        /// The e-mail.
        email: &'a str,
        /// The address.
        address: &'a str,
        /// The network of the address.
        network: &'a str,
    },
}

/// What is limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Limit {
    /// An e-mail from an address.
    Pair,
    /// A device that is known.
    Device,
    /// All known devices of an account.
    Devices,
    /// An e-mail, by strangers.
    Account,
    /// A network, whatever the e-mail.
    Network,
    /// A network that signs up.
    SignUps,
    /// All that sign up.
    AllSignUps,
    /// A challenge whose proof was spent.
    Proof,
}

const QUARTER: Duration = Duration::from_mins(15);
const HOUR: Duration = Duration::from_hours(1);
/// How often within what time, in the order of [`Limit`].
const LIMITS: [(usize, Duration); 8] = [
    (10, QUARTER),
    (10, QUARTER),
    (50, QUARTER),
    (100, QUARTER),
    (100, QUARTER),
    (10, HOUR),
    (1_000, HOUR),
    (1, HOUR),
];

/// Why something may not be tried now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Throttled {
    /// For so long.
    For(Duration),
    /// For so long without a proof of work.
    WithoutProof(Duration),
}

/// A try that is counted, unless it is taken back.
#[derive(Debug)]
#[must_use]
pub(crate) struct Try {
    at: Instant,
    counted: Vec<(Limit, String)>,
}

/// The limits.
#[derive(Debug)]
pub(crate) struct Throttle([Attempts; LIMITS.len()]);

impl Default for Throttle {
    fn default() -> Self {
        Self(LIMITS.map(|(most, within)| Attempts::new(most, within)))
    }
}

impl Throttle {
    /// Counts a try of a password. `proof` is a challenge that the request has solved.
    ///
    /// # Errors
    /// [`Throttled`]; nothing is counted then.
    pub(crate) fn try_password(
        &self,
        trier: Trier<'_>,
        proof: Option<String>,
        now: Instant,
    ) -> Result<Try, Throttled> {
        match trier {
            Trier::Device { device, account } => {
                let hard = [(Limit::Device, device.to_owned()), (Limit::Devices, account.to_owned())];
                self.count(&hard, &[], proof, now)
            }
            Trier::Stranger { email, address, network } => {
                let hard = [(Limit::Pair, format!("{address} {email}"))];
                let soft = [(Limit::Account, email.to_owned()), (Limit::Network, network.to_owned())];
                self.count(&hard, &soft, proof, now)
            }
        }
    }

    /// Counts a sign-up from a network. `proof` is a challenge that the request has solved.
    ///
    /// # Errors
    /// [`Throttled`]; nothing is counted then.
    pub(crate) fn sign_up(
        &self,
        network: &str,
        proof: Option<String>,
        now: Instant,
    ) -> Result<Try, Throttled> {
        let soft = [(Limit::SignUps, network.to_owned()), (Limit::AllSignUps, String::new())];
        self.count(&[], &soft, proof, now)
    }

    /// Takes a try back: it succeeded, or was not answered.
    pub(crate) fn take_back(&self, attempt: Try) {
        let Try { at, counted } = attempt;
        for (limit, name) in &counted {
            self.of(*limit).take_back(name, at);
        }
    }

    fn of(&self, limit: Limit) -> &Attempts {
        &self.0[limit as usize]
    }

    fn count(
        &self,
        hard: &[(Limit, String)],
        soft: &[(Limit, String)],
        proof: Option<String>,
        now: Instant,
    ) -> Result<Try, Throttled> {
        let (mut attempt, mut proof) = (Try { at: now, counted: Vec::new() }, proof);
        let mut is_proven = false;
        for (limit, name) in hard.iter().chain(soft) {
            let Err(left) = self.of(*limit).note(name, now) else {
                attempt.counted.push((*limit, name.clone()));
                continue;
            };
            if soft.iter().any(|(shared, _)| shared == limit) {
                // A proof is spent once, and only where it is needed.
                if let Some(challenge) = proof.take()
                    && self.of(Limit::Proof).note(&challenge, now).is_ok()
                {
                    attempt.counted.push((Limit::Proof, challenge));
                    is_proven = true;
                }
                if is_proven {
                    continue;
                }
                self.take_back(attempt);
                return Err(Throttled::WithoutProof(left));
            }
            self.take_back(attempt);
            return Err(Throttled::For(left));
        }
        Ok(attempt)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn stranger<'a>(email: &'a str, address: &'a str) -> Trier<'a> {
        let network = address.rsplit_once('.').map_or(address, |(network, _)| network);
        Trier::Stranger { email, address, network }
    }

    #[test]
    fn ten_wrong_passwords_from_an_address_refuse_that_address_alone() {
        let (throttle, now) = (Throttle::default(), Instant::now());
        let attempt = |trier| throttle.try_password(trier, None, now).map(drop);
        (0..10).for_each(|_| assert_eq!(attempt(stranger("a@x", "10.0.0.1")), Ok(())));
        assert_eq!(attempt(stranger("a@x", "10.0.0.1")), Err(Throttled::For(QUARTER)));
        assert_eq!(attempt(stranger("a@x", "10.0.0.2")), Ok(()), "another address");
        assert_eq!(attempt(stranger("b@x", "10.0.0.1")), Ok(()), "another account");
        assert_eq!(attempt(Trier::Device { device: "d", account: "a" }), Ok(()), "a known device");
        let later = throttle.try_password(stranger("a@x", "10.0.0.1"), None, now + QUARTER);
        assert!(later.is_ok());
    }

    #[test]
    fn known_devices_are_bounded_each_and_for_an_account() {
        let (throttle, now) = (Throttle::default(), Instant::now());
        let attempt =
            |device: &str| throttle.try_password(Trier::Device { device, account: "a" }, None, now).map(drop);
        for device in ["1", "2", "3", "4", "5"] {
            (0..10).for_each(|_| assert_eq!(attempt(device), Ok(())));
        }
        assert_eq!(attempt("1"), Err(Throttled::For(QUARTER)));
        assert_eq!(attempt("6"), Err(Throttled::For(QUARTER)), "50 for the account");
        assert!(throttle.try_password(Trier::Device { device: "7", account: "b" }, None, now).is_ok());
        assert!(throttle.try_password(stranger("a@x", "10.0.0.1"), None, now).is_ok());
    }

    #[test]
    fn what_is_shared_needs_a_proof_that_is_spent_once() {
        let (throttle, now) = (Throttle::default(), Instant::now());
        for number in 0..100 {
            let address = format!("10.0.{number}.1");
            assert!(throttle.try_password(stranger("a@x", &address), None, now).is_ok(), "{number}");
        }
        let attempt = |address: &str, proof: Option<&str>| {
            throttle.try_password(stranger("a@x", address), proof.map(str::to_owned), now).map(drop)
        };
        assert_eq!(attempt("10.1.0.1", None), Err(Throttled::WithoutProof(QUARTER)));
        assert_eq!(attempt("10.1.0.1", Some("c")), Ok(()));
        assert_eq!(attempt("10.1.0.1", Some("c")), Err(Throttled::WithoutProof(QUARTER)), "it is spent");
        assert!(throttle.try_password(stranger("b@x", "10.1.0.1"), None, now).is_ok());
        assert!(throttle.try_password(Trier::Device { device: "d", account: "a" }, None, now).is_ok());
    }

    #[test]
    fn sign_ups_of_a_network_need_a_proof_beyond_ten_and_no_other_network_is_refused() {
        let (throttle, now) = (Throttle::default(), Instant::now());
        let sign_up =
            |network: &str, proof: Option<&str>| throttle.sign_up(network, proof.map(str::to_owned), now);
        (0..10).for_each(|_| drop(sign_up("10.0.0", None).unwrap()));
        assert_eq!(sign_up("10.0.0", None).err(), Some(Throttled::WithoutProof(HOUR)));
        assert!(sign_up("10.0.1", Some("unused")).is_ok());
        let first = sign_up("10.0.0", Some("unused")).unwrap();
        assert_eq!(sign_up("10.0.0", Some("unused")).err(), Some(Throttled::WithoutProof(HOUR)));
        throttle.take_back(first);
        assert!(sign_up("10.0.0", Some("unused")).is_ok(), "it was answered 503");
    }

    proptest! {
           /// However others try, and whatever is answered 503: a known device, and a stranger from a network of its own, may try.
           #[test]
           fn nobody_is_refused_for_others(
               tries in prop::collection::vec((0..3_u8, 0..4_u8, 0..6_u8, any::<bool>()), 0..600)
           ) {
               let (throttle, start) = (Throttle::default(), Instant::now());
               for (second, (email, network, address, is_answered)) in (0_u64..).zip(tries) {
                   let (email, address) = (format!("{email}@x"), format!("10.0.{network}.{address}"));
                   let now = start + Duration::from_secs(second);
                   if let Ok(attempt) = throttle.try_password(stranger(&email, &address), None, now)
                       && !is_answered
                   {
                       throttle.take_back(attempt);
                   }
                   let device = Trier::Device { device: "d", account: "0@x" };
                   let known = throttle.try_password(device, None, now);
                   prop_assert!(known.is_ok());
                   if let Ok(attempt) = known {
    throttle.take_back(attempt);
    }
                   let own = throttle.try_password(stranger("0@x", "192.0.2.1"), None, now).map_err(Some);
                   prop_assert!(!matches!(own, Err(Some(Throttled::For(_)))), "at most a proof is needed");
                   if let Ok(attempt) = own {
    throttle.take_back(attempt);
    }
               }
           }

           /// What is taken back was never counted.
           #[test]
           fn a_try_that_is_taken_back_counts_for_nothing(times in 1..300_usize) {
               let (throttle, now) = (Throttle::default(), Instant::now());
               for _ in 0..times {
                   let attempt = throttle.try_password(stranger("a@x", "10.0.0.1"), None, now);
                   prop_assert!(attempt.is_ok());
                   if let Ok(attempt) = attempt {
    throttle.take_back(attempt);
    }
               }
           }
       }
}
