//! What handlers about accounts share: who asks, requests to the accounts machine, and what its refusals are answered.
//!
//! - `GET /v1/account` and `GET /api/v1/account`: the account of a key.
//!
//! It never changes the replica: what is answered was read back from the accounts topic.

use std::sync::Arc;
use std::time::Duration;

use arb_accounts::command::{Actor, Command, Request as CommandRequest};
use arb_accounts::directory::Directory;
use arb_accounts::key::{ApiKey, Mode};
use arb_accounts::reply::Refusal;
use arb_accounts::secrets::{self, TOKEN_RANDOM};

use crate::access::authority::Authority;
use crate::access::commands::Commands;
use crate::http::charge::Charge;
use crate::http::idempotency;
use crate::http::problem::Problem;
use crate::http::reply;
use crate::http::request::Request;
use crate::http::route::Answer;
use crate::view::AccountView;

const NO_REPLY: &str = "The change was not confirmed in time and may have been carried out; send the same request again, with the \
                        same Idempotency-Key.";
/// How often it is looked for what a reply is about, and how long in between: both are in the topic already.
const LOOKS: u32 = 100;
const LOOK: Duration = Duration::from_millis(10);

/// Whoever changes an account.
#[derive(Debug, Clone)]
pub(crate) struct AccountHolder {
    pub(crate) account: String,
    pub(crate) actor: Actor,
    /// A test key manages test keys alone.
    pub(crate) mode: Mode,
}

impl AccountHolder {
    /// The holder of a key, or of a session, which may do what the account may.
    pub(crate) fn of(charge: &Charge<'_>) -> Self {
        let caller = &charge.caller;
        let session = caller.session.clone().map(Actor::Session);
        let actor = session.unwrap_or_else(|| Actor::Key(caller.kid.clone()));
        Self { account: caller.account.clone(), actor, mode: caller.mode }
    }

    /// Whether a key is theirs to see and to change.
    pub(crate) fn may_manage(&self, key: &ApiKey) -> bool {
        key.account == self.account && (self.mode == Mode::Live || key.mode == Mode::Test)
    }
}

/// The way to the accounts, shared by the resources that change them.
#[derive(Debug, Clone)]
pub(crate) struct Accounts {
    pub(crate) authority: Arc<Authority>,
    pub(crate) commands: Arc<Commands>,
}

impl Accounts {
    /// A request by a holder. With an `Idempotency-Key` it has the same id each time that it is sent, within the account and the path;
    /// `content` is of what another request with the same key is another one.
    ///
    /// # Errors
    /// 400 for a header that is none, 503 when the system has no random numbers.
    pub(crate) fn id(&self, request: &Request<'_>, owner: &str, content: &str) -> Result<String, Problem> {
        let unique = match idempotency::key(request.headers())? {
            Some(key) => format!("key\n{key}"),
            None => format!("random\n{}", random()?),
        };
        let text = format!("/request/{owner}\n{}\n{unique}\n{content}", request.path());
        Ok(self.authority.pepper().hmac(&text))
    }

    /// A command with its id.
    pub(crate) fn request(
        &self,
        (id, address): (String, String),
        actor: Actor,
        command: Command,
    ) -> CommandRequest {
        CommandRequest { id, sent_at: self.authority.now(), address, actor, command }
    }

    /// Has a command carried out.
    ///
    /// # Errors
    /// 503 when there is no reply; what the machine's refusal is answered.
    pub(crate) async fn write(&self, request: CommandRequest) -> Result<(), Problem> {
        if !self.authority.replica().is_current() {
            return Err(Problem::accounts_unavailable(
                "Accounts cannot be changed at the moment; try again.",
            ));
        }
        let reply = self.commands.send(request).await;
        let reply = reply.map_err(|_| Problem::accounts_unavailable(NO_REPLY))?;
        reply.result.map_err(|refusal| problem(&refusal))
    }

    /// What a command has changed, which is read with its reply or right after it; `None` when it is not there.
    pub(crate) async fn read_back<A>(&self, find: impl Fn(&Directory) -> Option<A>) -> Option<A> {
        for _ in 0..LOOKS {
            if let Some(found) = self.authority.replica().with(&find) {
                return Some(found);
            }
            tokio::time::sleep(LOOK).await;
        }
        None
    }

    /// Answers `GET /v1/account`.
    pub(crate) fn show(&self, charge: &Charge<'_>) -> Answer {
        let account = |directory: &Directory| directory.account(&charge.caller.account).map(AccountView::new);
        let account = self.authority.replica().with(account).ok_or_else(Problem::not_found)?;
        Ok(reply::view(&account))
    }
}

/// What a refusal is answered.
fn problem(refusal: &Refusal) -> Problem {
    let detail = format!("The change was refused: {refusal}.");
    match refusal {
        Refusal::NoAccount | Refusal::NoSession | Refusal::NoKey | Refusal::NoEndpoint => {
            Problem::not_found()
        }
        Refusal::Exceeds(_) | Refusal::InvitationUsed => Problem::forbidden(&detail),
        Refusal::Invalid(field, reason) => Problem::invalid_param(field, reason.clone()),
        Refusal::TooManyAccounts
        | Refusal::EmailTaken
        | Refusal::PasswordChanged
        | Refusal::TooManyKeys(_)
        | Refusal::TooManyEndpoints(_)
        | Refusal::Replaced => Problem::conflict(&detail),
    }
}

/// A random text of 190 bits.
///
/// # Errors
/// 503.
pub(crate) fn random() -> Result<String, Problem> {
    let mut bytes = [0; TOKEN_RANDOM];
    getrandom::fill(&mut bytes).map_err(|_| Problem::unavailable("The system has no random numbers."))?;
    Ok(secrets::new_token(&bytes))
}
