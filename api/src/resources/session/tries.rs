//! Tries of requests that carry a password: who tries, how often, and in whose turn a password is checked.
//!
//! A password that is wrong counts; one that is right, and a request that is answered 503, do not. It never keeps a password.

use std::time::Instant;

use arb_accounts::account::Account;
use arb_accounts::password;
use arb_accounts::secrets::Pepper;
use arb_schemas::time::Micros;
use warp::http::HeaderMap;

use crate::access::authority::SignedIn;
use crate::access::device;
use crate::access::fair_queue::Lane;
use crate::access::password_worker::PasswordWorker;
use crate::access::proof::{self, BITS, Bound};
use crate::access::throttle::{Throttle, Throttled, Trier, Try};
use crate::http::problem::Problem;
use crate::http::request::{ClientOrigin, Request};
use crate::http::site::{Site, SiteCookie};

const BUSY: &str = "Too many passwords are being checked; try again.";

/// The limits, and the thread that hashes.
#[derive(Debug)]
pub(super) struct Tries {
    worker: PasswordWorker,
    throttle: Throttle,
}

/// A request with an e-mail and perhaps a proof of work.
pub(super) struct Asked<'a> {
    path: &'a str,
    origin: ClientOrigin,
    email: &'a str,
    proof: Option<&'a str>,
    now: Micros,
}

impl<'a> Asked<'a> {
    pub(super) fn new(
        request: &Request<'a>,
        (email, proof): (&'a str, Option<&'a str>),
        now: Micros,
    ) -> Self {
        Self { path: request.path(), origin: request.origin(), email, proof, now }
    }

    fn bound(&self) -> Bound<'_> {
        Bound { path: self.path, address: &self.origin.address, email: self.email }
    }

    /// The challenge that it has solved.
    fn solved(&self, pepper: &Pepper) -> Option<String> {
        proof::solved(pepper, self.bound(), self.proof?, self.now)
    }

    fn problem(&self, pepper: &Pepper, held: Throttled) -> Problem {
        match held {
            Throttled::For(left) => Problem::rate_limited(left.as_secs() + 1),
            Throttled::WithoutProof(left) => {
                let challenge = proof::challenge(pepper, self.bound(), self.now);
                Problem::proof_required(left.as_secs() + 1, &challenge, BITS)
            }
        }
    }
}

/// A try that was admitted, and whose turn it is.
pub(super) struct AdmittedTry {
    attempt: Try,
    lane: Lane,
}

/// The name of the device that sent a request, where it has the device cookie of the account.
pub(super) fn device<'a>(
    (site, pepper): (&Site, &Pepper),
    account: Option<&Account>,
    headers: &'a HeaderMap,
) -> Option<&'a str> {
    device::name(pepper, account?, site.cookie(SiteCookie::Device, headers)?)
}

impl Tries {
    pub(super) fn new(worker: PasswordWorker) -> Self {
        Self { worker, throttle: Throttle::default() }
    }

    /// Admits a log-in, by a device of the account (its name, and the account's id) or by a stranger.
    ///
    /// # Errors
    /// 429.
    pub(super) fn log_in(
        &self,
        asked: &Asked<'_>,
        device: Option<(&str, &str)>,
        pepper: &Pepper,
    ) -> Result<AdmittedTry, Problem> {
        let ClientOrigin { address, network } = &asked.origin;
        let (trier, lane) = match device {
            Some((device, account)) => (Trier::Device { device, account }, Lane::Account(account.to_owned())),
            None => {
                (Trier::Stranger { email: asked.email, address, network }, Lane::Network(network.clone()))
            }
        };
        let attempt = self.throttle.try_password(trier, asked.solved(pepper), Instant::now());
        Ok(AdmittedTry { attempt: attempt.map_err(|held| asked.problem(pepper, held))?, lane })
    }

    /// Admits a try of somebody who has signed in.
    ///
    /// # Errors
    /// 429.
    pub(super) fn signed_in(&self, signed_in: &SignedIn) -> Result<AdmittedTry, Problem> {
        let trier = Trier::Device { device: &signed_in.session, account: &signed_in.account };
        let attempt = self.throttle.try_password(trier, None, Instant::now());
        let attempt = attempt.map_err(|(Throttled::For(left) | Throttled::WithoutProof(left))| {
            Problem::rate_limited(left.as_secs() + 1)
        })?;
        Ok(AdmittedTry { attempt, lane: Lane::Account(signed_in.account.clone()) })
    }

    /// Admits a sign-up.
    ///
    /// # Errors
    /// 429.
    pub(super) fn sign_up(&self, asked: &Asked<'_>, pepper: &Pepper) -> Result<AdmittedTry, Problem> {
        let network = asked.origin.network.clone();
        let attempt = self.throttle.sign_up(&network, asked.solved(pepper), Instant::now());
        let attempt = attempt.map_err(|held| asked.problem(pepper, held))?;
        Ok(AdmittedTry { attempt, lane: Lane::Network(network) })
    }

    /// What became of a try that is not about whether a password is right: it counts unless the server is to blame.
    pub(super) fn end<A>(&self, admitted: AdmittedTry, result: Result<A, Problem>) -> Result<A, Problem> {
        if result.as_ref().is_err_and(|problem| !problem.is_refusal()) {
            self.throttle.take_back(admitted.attempt);
        }
        result
    }

    /// Whether a password has a hash. It takes the same time whether there is one.
    ///
    /// # Errors
    /// 503.
    pub(super) async fn is_right(
        &self,
        admitted: AdmittedTry,
        password: String,
        hash: Option<String>,
    ) -> Result<bool, Problem> {
        let work = move || password::verify(&password, hash.as_deref());
        let checked = self.worker.run(admitted.lane, work).await;
        if !matches!(checked, Ok(false)) {
            self.throttle.take_back(admitted.attempt);
        }
        checked.map_err(|_| Problem::unavailable(BUSY))
    }

    /// The hash of a password, in the turn of a lane.
    ///
    /// # Errors
    /// 400 for a password that is none, 503.
    pub(super) async fn hash(&self, lane: Lane, password: String) -> Result<String, Problem> {
        let mut salt = [0; password::SALT];
        getrandom::fill(&mut salt).map_err(|_| Problem::unavailable("The system has no random numbers."))?;
        let hash = self.worker.run(lane, move || password::hash(&password, &salt)).await;
        let hash = hash.map_err(|_| Problem::unavailable(BUSY))?;
        hash.map_err(|error| Problem::invalid_param("password", error.to_string()))
    }
}

impl AdmittedTry {
    /// Whose turn it is.
    pub(super) fn lane(&self) -> Lane {
        self.lane.clone()
    }
}
