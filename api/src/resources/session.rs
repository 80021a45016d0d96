//! `/session`: sign up, log in, log out, who is signed in, another password, and the bankroll.
//!
//! Everything that a browser sends with its cookie passes `enter`, which checks host, origin, cookie and token. It never reveals by
//! time or words whether an e-mail has an account, except to whoever signs up with it.

mod bankroll;
mod tries;

use std::sync::Arc;

use arb_accounts::account::Account;
use arb_accounts::command::{Actor, Command};
use arb_accounts::directory::Directory;
use arb_accounts::password;
use arb_accounts::plan::Plan;
use arb_accounts::secrets::{self, ACCOUNT_RANDOM};
use arb_model::Time;
use warp::http::header::{CACHE_CONTROL, SET_COOKIE};
use warp::http::{HeaderValue, StatusCode};
use warp::reply::Response;

use self::tries::{AdmittedTry, Asked, Tries};
use super::account::{Accounts, random};
use super::usage::UsageResource;
use crate::access::authority::{KeyRefusal, SignedIn};
use crate::access::device;
use crate::access::fair_queue::Lane;
use crate::access::password_worker::PasswordWorker;
use crate::access::sign_up::SignUp;
use crate::http::auth::NOT_CURRENT;
use crate::http::idempotency;
use crate::http::json_body::JsonBody;
use crate::http::problem::Problem;
use crate::http::reply;
use crate::http::request::Request;
use crate::http::route::{Answer, Started};
use crate::http::site::{SESSION_SECONDS, Site, SiteCookie};
use crate::view::bodies::{CredentialsBody, PasswordChange};
use crate::view::{BankrollView, NewAccount, SessionView};

/// Most bytes of a body.
pub(crate) const MAX_BODY: usize = 4_096;
/// Longest e-mail, in bytes.
const MAX_EMAIL: usize = 254;
const CSRF: &str = "x-csrf-token";
const WRONG: &str = "The e-mail or the password is wrong.";
const SIGNED_OUT: &str = "Log in first: POST /session.";
const ENDED: &str = "The Idempotency-Key was used for a session that has ended; send another one.";

/// The sessions.
#[derive(Debug)]
pub(crate) struct SessionResource {
    shared: Arc<Shared>,
    pub(crate) usage: UsageResource,
}

/// What the work of a request keeps.
#[derive(Debug)]
struct Shared {
    accounts: Accounts,
    site: Site,
    sign_up: Arc<SignUp>,
    tries: Tries,
}

/// A session to be opened.
struct NewSession {
    /// Of the request that opens it.
    id: String,
    /// The cookie.
    token: String,
    /// The session that ends.
    replaces: Option<String>,
    address: String,
    /// The name of the device.
    device: String,
}

impl SessionResource {
    /// Of a site.
    pub(crate) fn new(
        accounts: Accounts,
        usage: UsageResource,
        (site, sign_up): (Site, Arc<SignUp>),
        passwords: PasswordWorker,
    ) -> Self {
        let tries = Tries::new(passwords);
        Self { shared: Arc::new(Shared { accounts, site, sign_up, tries }), usage }
    }

    /// Who is signed in, after everything that a browser's request must pass.
    ///
    /// # Errors
    /// 403 for another host or origin, or a missing token where something is changed; 401 without a session.
    pub(crate) fn enter(&self, request: &Request<'_>) -> Result<SignedIn, Problem> {
        let shared = &self.shared;
        shared.check(request)?;
        let Some((token, signed_in)) = shared.signed_in(request)? else {
            return Err(Problem::unauthorized(SIGNED_OUT, "Session"));
        };
        let given = request.headers().get(CSRF).map(HeaderValue::as_bytes).unwrap_or_default();
        let given = std::str::from_utf8(given).unwrap_or_default();
        let is_safe = request.head.method.is_safe();
        if is_safe || shared.accounts.authority.pepper().is_of(&csrf_text(token), given) {
            return Ok(signed_in);
        }
        Err(Problem::forbidden("The x-csrf-token header must be the csrf_token that GET /session shows."))
    }

    /// Answers `GET /session`.
    pub(crate) fn show(&self, request: &Request<'_>) -> Answer {
        let signed_in = self.enter(request)?;
        let token = self.shared.site.cookie(SiteCookie::Session, request.headers()).unwrap_or_default();
        Ok(no_store(reply::view(&self.shared.view(&signed_in, token))))
    }

    /// Answers `POST /session/signup`.
    pub(crate) fn sign_up(&self, request: &Request<'_>) -> Started {
        let shared = Arc::clone(&self.shared);
        shared.check(request)?;
        let Credentials { email, password, invitation, proof } = credentials(JsonBody::of(request)?)?;
        let invitation = shared.sign_up.check(invitation.as_deref()).map_err(Problem::forbidden)?;
        let (authority, id) = (&shared.accounts.authority, shared.accounts.id(request, &email, "")?);
        let invitation = invitation.map(|text| authority.pepper().hmac(&format!("/invitation/{text}")));
        let asked = Asked::new(request, (&email, proof.as_deref()), authority.now());
        let admitted = shared.tries.sign_up(&asked, authority.pepper())?;
        let source = (id, address(request));
        Ok(Box::pin(async move {
            let created =
                shared.create_account(source, &email, (password, admitted.lane()), invitation).await;
            shared.tries.end(admitted, created)
        }))
    }

    /// Answers `POST /session`.
    pub(crate) fn log_in(&self, request: &Request<'_>) -> Started {
        let shared = Arc::clone(&self.shared);
        shared.check(request)?;
        let Credentials { email, password, invitation, proof } = credentials(JsonBody::of(request)?)?;
        if invitation.is_some() {
            return Err(Problem::invalid_param("invitation", "is unknown"));
        }
        let account = shared.account(|directory| directory.account_of(&email).cloned())?;
        let (authority, headers) = (&shared.accounts.authority, request.headers());
        let device = tries::device((&shared.site, authority.pepper()), account.as_ref(), headers);
        let replaces = shared.signed_in(request)?.map(|(_, signed_in)| signed_in.session);
        let new = shared.new_session(request, (&email, device), replaces)?;
        let asked = Asked::new(request, (&email, proof.as_deref()), authority.now());
        let device = device.zip(account.as_ref().map(|account| &*account.id));
        let admitted = shared.tries.log_in(&asked, device, authority.pepper())?;
        Ok(Box::pin(async move {
            let account = shared.verify(account, password, admitted).await?;
            shared.open(&account, account.revision, new).await
        }))
    }

    /// Answers `DELETE /session`.
    pub(crate) fn log_out(&self, request: &Request<'_>) -> Started {
        let (shared, signed_in) = (Arc::clone(&self.shared), self.enter(request)?);
        let source = (random()?, address(request));
        Ok(Box::pin(async move {
            let session = signed_in.session;
            let (actor, command) = (Actor::Session(session.clone()), Command::CloseSession { session });
            shared.accounts.write(shared.accounts.request(source, actor, command)).await?;
            let mut response = Response::default();
            *response.status_mut() = StatusCode::NO_CONTENT;
            let cookie = shared.site.clear_cookie();
            response.headers_mut().extend(cookie.map(|cookie| (SET_COOKIE, cookie)));
            Ok(response)
        }))
    }

    /// Answers `POST /session/password`.
    pub(crate) fn change_password(&self, request: &Request<'_>) -> Started {
        let (shared, signed_in) = (Arc::clone(&self.shared), self.enter(request)?);
        let PasswordChange { current_password: current, new_password: new } =
            PasswordChange::take(JsonBody::of(request)?)?;
        let current = current.ok_or_else(|| Problem::invalid_param("current_password", "is missing"))?;
        let new = checked_password(new, "new_password")?;
        let source = (shared.accounts.id(request, &signed_in.account, "")?, address(request));
        let account = shared.account(|directory| directory.account(&signed_in.account).cloned())?;
        let pepper = shared.accounts.authority.pepper();
        let device = tries::device((&shared.site, pepper), account.as_ref(), request.headers());
        let replaces = Some(signed_in.session.clone());
        let next = shared.new_session(request, (&signed_in.email, device), replaces)?;
        let admitted = shared.tries.signed_in(&signed_in)?;
        Ok(Box::pin(async move {
            let lane = admitted.lane();
            let account = shared.verify(account, current, admitted).await?;
            let command = Command::ChangePassword {
                account: account.id.clone(),
                password: shared.tries.hash(lane, new).await?,
                revision: Some(account.revision),
                keep: Some(signed_in.session.clone()),
            };
            let actor = Actor::Session(signed_in.session);
            shared.accounts.write(shared.accounts.request(source, actor, command)).await?;
            let revision = shared.accounts.read_back(|directory| {
                let revision = directory.account(&account.id)?.revision;
                (revision > account.revision).then_some(revision)
            });
            let revision =
                revision.await.ok_or_else(|| Problem::conflict("The password was changed again."))?;
            shared.open(&account, revision, next).await
        }))
    }
}

impl Shared {
    /// Refuses what comes by another name, or from another origin where something is changed.
    fn check(&self, request: &Request<'_>) -> Result<(), Problem> {
        self.site.check_host(request.headers())?;
        if request.head.method.is_safe() { Ok(()) } else { self.site.check_origin(request.headers()) }
    }

    /// The token of a request, and whose session it is.
    fn signed_in<'a>(&self, request: &Request<'a>) -> Result<Option<(&'a str, SignedIn)>, Problem> {
        let Some(token) = self.site.cookie(SiteCookie::Session, request.headers()) else { return Ok(None) };
        let signed_in = self.accounts.authority.session(token);
        let signed_in = signed_in.map_err(|_: KeyRefusal| Problem::accounts_unavailable(NOT_CURRENT))?;
        Ok(signed_in.map(|signed_in| (token, signed_in)))
    }

    /// An account of those that are known now.
    fn account(&self, find: impl FnOnce(&Directory) -> Option<Account>) -> Result<Option<Account>, Problem> {
        let replica = self.accounts.authority.replica();
        let is_current = replica.is_current();
        is_current.then(|| replica.with(find)).ok_or_else(|| Problem::accounts_unavailable(NOT_CURRENT))
    }

    /// Creates an account and answers with what it is.
    async fn create_account(
        &self,
        source: (String, String),
        email: &str,
        (password, lane): (String, Lane),
        invitation: Option<String>,
    ) -> Answer {
        let hash = self.tries.hash(lane, password).await?;
        let command = Command::CreateAccount {
            account: new_account()?,
            email: email.to_owned(),
            password: Some(hash),
            plan: Plan::Free,
            invitation,
        };
        self.accounts.write(self.accounts.request(source, Actor::Anonymous, command)).await?;
        let mut response = reply::view(&NewAccount { email, plan: Plan::Free.key() });
        *response.status_mut() = StatusCode::CREATED;
        Ok(no_store(response))
    }

    /// An account whose password is right and that is not disabled. It takes the same time whether there is one.
    async fn verify(
        &self,
        account: Option<Account>,
        password: String,
        admitted: AdmittedTry,
    ) -> Result<Account, Problem> {
        let hash = account.as_ref().and_then(|account| account.password.clone());
        let is_right = self.tries.is_right(admitted, password, hash).await?;
        let account = account.filter(|account| is_right && !account.is_disabled);
        account.ok_or_else(|| Problem::unauthorized(WRONG, "Session"))
    }

    /// A session to be opened by a request. Its token comes from what is in no record, random bytes or the `Idempotency-Key`: a
    /// request that is sent again opens the same session.
    fn new_session(
        &self,
        request: &Request<'_>,
        (email, device): (&str, Option<&str>),
        replaces: Option<String>,
    ) -> Result<NewSession, Problem> {
        let unique = match idempotency::key(request.headers())? {
            Some(key) => format!("key\n{email}\n{}\n{key}", request.path()),
            None => format!("random\n{}", random()?),
        };
        let pepper = self.accounts.authority.pepper();
        let (id, token) =
            (pepper.hmac(&format!("/opening/{unique}")), pepper.hmac(&format!("/session/{unique}")));
        let device = device.map_or_else(random, |device| Ok(device.to_owned()))?;
        Ok(NewSession { id, token, replaces, address: address(request), device })
    }

    /// Opens a session and answers with its cookie.
    async fn open(&self, account: &Account, revision: u64, new: NewSession) -> Answer {
        let NewSession { id, token, replaces, address, device } = new;
        let known = device::cookie(self.accounts.authority.pepper(), (&account.id, revision), &device);
        let session = self.accounts.authority.pepper().hmac(&token);
        let (account, seconds) = (account.id.clone(), SESSION_SECONDS);
        let command = Command::OpenSession { account, session: session.clone(), revision, seconds, replaces };
        let command = self.accounts.request((id, address), Actor::Anonymous, command);
        self.accounts.write(command).await?;
        let opened = self.accounts.read_back(|directory| directory.session(&session).map(drop)).await;
        opened.ok_or_else(|| Problem::conflict(ENDED))?;
        let signed_in = self.accounts.authority.session(&token).ok().flatten();
        let signed_in = signed_in.ok_or_else(|| Problem::accounts_unavailable(NOT_CURRENT))?;
        let mut response = reply::view(&self.view(&signed_in, &token));
        for (cookie, value) in [(SiteCookie::Session, &token), (SiteCookie::Device, &known)] {
            let cookie = self.site.set_cookie(cookie, value);
            if let Some(cookie) = cookie {
                response.headers_mut().append(SET_COOKIE, cookie);
            }
        }
        Ok(no_store(response))
    }

    fn view<'a>(&self, signed_in: &'a SignedIn, token: &str) -> SessionView<'a> {
        SessionView {
            email: &signed_in.email,
            plan: signed_in.plan.key(),
            csrf_token: self.accounts.authority.pepper().hmac(&csrf_text(token)),
            expires_at: Time(signed_in.expires_at),
            bankroll: signed_in.bankroll.as_ref().map(BankrollView::new),
        }
    }
}

/// Of what the token against cross-site request forgery is the HMAC.
fn csrf_text(token: &str) -> String {
    format!("/csrf/{token}")
}

fn no_store(mut response: Response) -> Response {
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

fn address(request: &Request<'_>) -> String {
    request.address().map(|address| address.to_string()).unwrap_or_default()
}

fn new_account() -> Result<String, Problem> {
    let mut bytes = [0; ACCOUNT_RANDOM];
    getrandom::fill(&mut bytes).map_err(|_| Problem::unavailable("The system has no random numbers."))?;
    Ok(secrets::new_account_id(&bytes))
}

/// What a body has of somebody who signs up or logs in.
struct Credentials {
    email: String,
    password: String,
    invitation: Option<String>,
    /// The answer to a challenge.
    proof: Option<String>,
}

fn credentials(body: JsonBody) -> Result<Credentials, Problem> {
    let CredentialsBody { email, password, invitation, proof } = CredentialsBody::take(body)?;
    let email = email.unwrap_or_default().trim().to_lowercase();
    let is_email = (3..=MAX_EMAIL).contains(&email.len())
        && email.split('@').count() == 2
        && !email.starts_with('@')
        && !email.ends_with('@')
        && email.chars().all(|c| !c.is_whitespace() && !c.is_control());
    if !is_email {
        return Err(Problem::invalid_param("email", "must be an e-mail address"));
    }
    let password = checked_password(password, "password")?;
    Ok(Credentials { email, password, invitation, proof })
}

fn checked_password(password: Option<String>, field: &str) -> Result<String, Problem> {
    let fits = |text: &String| password::LENGTH.contains(&text.chars().count());
    password.filter(fits).ok_or_else(|| Problem::invalid_param(field, "must have 12 to 128 characters"))
}
