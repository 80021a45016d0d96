//! `/v1/keys`, `/api/v1/keys` and `/session/keys`: list, create, rotate and revoke keys of the caller's account.
//!
//! A key is shown in the one answer that creates it, and derived from the request's id: the request that is sent again with the same
//! `Idempotency-Key` is answered the same key. It never stores or logs one.

use arb_accounts::command::{Command, NewKey};
use arb_accounts::directory::Directory;
use arb_accounts::key::{ApiKey, Cidr, Mode, Permissions};
use arb_accounts::scope::Scope;
use arb_accounts::secrets;
use arb_schemas::time::{Micros, parse_rfc3339};
use warp::http::header::CACHE_CONTROL;
use warp::http::{HeaderValue, StatusCode};
use warp::reply::Response;

use super::account::{AccountHolder, Accounts};
use crate::http::json_body::JsonBody;
use crate::http::problem::Problem;
use crate::http::reply;
use crate::http::request::Request;
use crate::http::route::{Answer, Started};
use crate::view::bodies::{BAD_MODE, KeyRequest, Rotation};
use crate::view::{KeyList, KeyView, NewKeyView};

/// Most bytes of a body.
pub(crate) const MAX_BODY: usize = 16_384;
/// Longest name of a key, in characters.
const MAX_NAME: usize = 100;
const NO_KEY: &str = "No key of the account has this kid.";
const OTHER_BODY: &str =
    "The Idempotency-Key was used for another key, or the key that it created was revoked.";

/// The keys.
#[derive(Debug, Clone)]
pub(crate) struct KeysResource {
    pub(crate) accounts: Accounts,
}

impl KeysResource {
    /// Lists the keys of an account, also those that have expired in the last 30 days.
    #[expect(clippy::unnecessary_wraps, reason = "as handlers answer")]
    pub(crate) fn list(&self, holder: &AccountHolder) -> Answer {
        let authority = &self.accounts.authority;
        let keys = authority.replica().with(|directory| {
            let keys = directory.keys_of(&holder.account).filter(|key| holder.may_manage(key));
            let mut keys: Vec<_> = keys.cloned().collect();
            keys.sort_by(|one, other| (one.created_at, &one.kid).cmp(&(other.created_at, &other.kid)));
            keys
        });
        let keys = keys.iter().map(|key| KeyView::new(key, authority.last_used(&key.kid))).collect();
        Ok(reply::view(&KeyList { keys }))
    }

    /// Creates a key.
    pub(crate) fn create(&self, holder: AccountHolder, request: &Request<'_>) -> Started {
        let body = KeyRequest::take(JsonBody::of(request)?)?;
        let (mode, this) = (body.mode()?.unwrap_or(holder.mode), self.clone());
        let (name, permissions) = body.checked()?;
        let id = self.accounts.id(request, &holder.account, "")?;
        let key = self.accounts.authority.pepper().derive_key(mode, &id);
        let kid = kid(&key)?;
        let command = Command::CreateKey(NewKey {
            account: holder.account.clone(),
            kid: kid.clone(),
            hmac: self.accounts.authority.pepper().hmac(&key),
            name: name.clone(),
            mode,
            permissions: permissions.clone(),
        });
        let command = self.accounts.request((id, address(request)), holder.actor, command);
        Ok(Box::pin(async move {
            this.accounts.write(command).await?;
            let stored = this.find(&holder.account, &kid).await;
            let stored = stored.ok_or_else(|| Problem::conflict(OTHER_BODY))?;
            if stored.name != name || stored.permissions != permissions {
                return Err(Problem::conflict(OTHER_BODY));
            }
            Ok(created(&stored, &key))
        }))
    }

    /// Creates a key in place of another one, which ends after a grace period.
    pub(crate) fn rotate(&self, holder: AccountHolder, request: &Request<'_>) -> Started {
        let Rotation { grace_seconds: grace } = Rotation::take(JsonBody::of(request)?)?;
        let replaced = parameter(request)?;
        let id = self.accounts.id(request, &holder.account, "")?;
        // One that is gone was perhaps replaced by this very request: the machine knows.
        let mode = self.mode(&holder, &replaced).unwrap_or(holder.mode);
        let key = self.accounts.authority.pepper().derive_key(mode, &id);
        let new_kid = kid(&key)?;
        let command = Command::RotateKey {
            account: holder.account.clone(),
            kid: replaced,
            new_kid: new_kid.clone(),
            hmac: self.accounts.authority.pepper().hmac(&key),
            grace_seconds: grace.unwrap_or(0),
        };
        let command = self.accounts.request((id, address(request)), holder.actor, command);
        let this = self.clone();
        Ok(Box::pin(async move {
            this.accounts.write(command).await?;
            let stored = this.find(&holder.account, &new_kid).await;
            Ok(created(&stored.ok_or_else(|| Problem::conflict(OTHER_BODY))?, &key))
        }))
    }

    /// Ends a key at once.
    pub(crate) fn revoke(&self, holder: AccountHolder, request: &Request<'_>) -> Started {
        let kid = parameter(request)?;
        self.mode(&holder, &kid)?;
        let id = self.accounts.id(request, &holder.account, "")?;
        let command = Command::RevokeKey { account: holder.account, kid };
        let command = self.accounts.request((id, address(request)), holder.actor, command);
        let accounts = self.accounts.clone();
        Ok(Box::pin(async move {
            accounts.write(command).await?;
            let mut response = Response::default();
            *response.status_mut() = StatusCode::NO_CONTENT;
            Ok(response)
        }))
    }

    /// The mode of a key that somebody may manage.
    ///
    /// # Errors
    /// 404 where there is no such key for them, whoever else has it.
    fn mode(&self, holder: &AccountHolder, kid: &str) -> Result<Mode, Problem> {
        let find = |directory: &Directory| {
            directory.key(kid).filter(|key| holder.may_manage(key)).map(|key| key.mode)
        };
        self.accounts.authority.replica().with(find).ok_or_else(|| Problem::unknown_id(NO_KEY))
    }

    async fn find(&self, account: &str, kid: &str) -> Option<ApiKey> {
        let find = |directory: &Directory| directory.key(kid).filter(|key| key.account == account).cloned();
        self.accounts.read_back(find).await
    }
}

fn address(request: &Request<'_>) -> String {
    request.address().map(|address| address.to_string()).unwrap_or_default()
}

fn kid(key: &str) -> Result<String, Problem> {
    let parsed = secrets::parse_key(key);
    parsed.map(|parsed| parsed.kid.to_owned()).ok_or_else(|| Problem::unavailable("The key was not made."))
}

/// The kid of the path.
fn parameter(request: &Request<'_>) -> Result<String, Problem> {
    let kid = request.parameter("kid");
    secrets::is_kid(&kid).then(|| kid.into_owned()).ok_or_else(|| Problem::unknown_id(NO_KEY))
}

impl KeyRequest {
    /// The mode of the key, where it is given.
    fn mode(&self) -> Result<Option<Mode>, Problem> {
        let parse = |mode: &str| Mode::parse(mode).ok_or_else(|| Problem::invalid_param("mode", BAD_MODE));
        self.mode.as_deref().map(parse).transpose()
    }

    /// The name and the permissions of the key.
    fn checked(self) -> Result<(String, Permissions), Problem> {
        let name = self.name.unwrap_or_else(|| "unnamed".to_owned());
        if !(1..=MAX_NAME).contains(&name.chars().count()) {
            return Err(Problem::invalid_param("name", "must have 1 to 100 characters"));
        }
        let scopes =
            self.scopes.map_or_else(|| Ok(Scope::DEFAULT.to_vec()), |scopes| self::scopes(&scopes))?;
        let permissions = Permissions {
            scopes,
            expires_at: self.expires_at.as_deref().map(time).transpose()?,
            cidrs: self.cidrs.unwrap_or_default().into_iter().map(cidr).collect::<Result<_, _>>()?,
            monthly_cap: self.monthly_cap,
        };
        Ok((name, permissions))
    }
}

fn scopes(names: &[String]) -> Result<Vec<Scope>, Problem> {
    let scopes = names.iter().map(|name| Scope::parse(name)).collect::<Option<Vec<_>>>();
    let scopes = scopes.filter(|scopes| !scopes.is_empty());
    let mut scopes = scopes.ok_or_else(|| Problem::invalid_param("scopes", "must be an array of scopes"))?;
    scopes.sort_unstable();
    scopes.dedup();
    Ok(scopes)
}

fn time(text: &str) -> Result<Micros, Problem> {
    let reason = "must be a time such as 2027-01-01T00:00:00Z";
    parse_rfc3339(text).ok_or_else(|| Problem::invalid_param("expires_at", reason))
}

fn cidr(text: String) -> Result<Cidr, Problem> {
    Cidr::try_from(text).map_err(|reason| Problem::invalid_param("cidrs", reason))
}

/// The one answer that shows a key.
fn created(stored: &ApiKey, key: &str) -> Response {
    let mut response = reply::view(&NewKeyView { stored: KeyView::new(stored, None), key });
    *response.status_mut() = StatusCode::CREATED;
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
