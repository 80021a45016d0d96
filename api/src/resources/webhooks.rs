//! `/v1/webhooks` and `/api/v1/webhooks`: endpoints of the caller's account, their secrets, and what is sent to them again.
//!
//! A secret is shown in the answer that creates or rotates it, and is derived, never stored. Nothing is sent to an endpoint from here.

use std::sync::Arc;

use arb_accounts::command::{Command, Request as CommandRequest};
use arb_accounts::directory::Directory;
use arb_accounts::endpoint::{Endpoint, EndpointSettings};
use arb_feed::webhook::signature::text_of;
use arb_feed::webhook::{self, TEST_EVENT};
use arb_model::Time;
use arb_schemas::records::{WebhookEvent, WebhookRedelivery, WebhookTarget};
use arb_schemas::wire::{self, WireError};
use arb_store::history::History;
use serde::Serialize;
use serde_json::json;
use warp::http::header::CACHE_CONTROL;
use warp::http::{HeaderValue, StatusCode};
use warp::reply::Response;

use super::account::{AccountHolder, Accounts};
use super::deliveries::{Deliveries, circuit_view};
use crate::http::json_body::JsonBody;
use crate::http::problem::Problem;
use crate::http::query::ParameterList;
use crate::http::reply;
use crate::http::request::Request;
use crate::http::route::{Answer, Started};
use crate::lists::known_names::KnownNames;
use crate::resources::parameters::SINCE;
use crate::view::bodies::{OverlapRequest, SinceRequest};
use crate::view::{EventSent, SinceView, WebhookList, WebhookView};
use crate::webhooks::{Webhooks, settings};

/// Most bytes of a body.
pub(crate) const MAX_BODY: usize = 16_384;
/// Seconds for which a replaced secret signs too, unless the request sets another number.
const OVERLAP: u32 = 86_400;
const NOT_WRITTEN: &str = "The request was not written in time and may have been; send it again.";
const NOT_OPEN: &str = "Nothing is sent to an endpoint that is unverified, disabled or paused.";
const OTHER_BODY: &str = "The Idempotency-Key was used for another endpoint, or its endpoint was deleted.";

/// The endpoints.
#[derive(Debug, Clone)]
pub(crate) struct WebhooksResource {
    pub(crate) accounts: Accounts,
    pub(crate) webhooks: Webhooks,
    pub(crate) names: Arc<KnownNames>,
    /// What became of all deliveries, where there is a ClickHouse.
    pub(crate) history: Option<History>,
}

impl WebhooksResource {
    /// What a page of the delivery log is asked for by.
    pub(crate) const OF_LOG: ParameterList = Deliveries::PARAMETERS;
    /// What statistics are asked for by.
    pub(crate) const OF_STATISTICS: ParameterList = Deliveries::OF_STATISTICS;

    /// Lists the endpoints of an account.
    #[expect(clippy::unnecessary_wraps, reason = "as handlers answer")]
    pub(crate) fn list(&self, holder: &AccountHolder) -> Answer {
        let mut endpoints = self
            .accounts
            .authority
            .replica()
            .with(|directory| directory.endpoints_of(&holder.account).cloned().collect::<Vec<_>>());
        endpoints.sort_by(|one, other| (one.created_at, &one.id).cmp(&(other.created_at, &other.id)));
        let webhooks = endpoints.iter().map(|endpoint| self.view(endpoint)).collect();
        Ok(reply::view(&WebhookList { webhooks }))
    }

    /// One endpoint.
    pub(crate) fn show(&self, holder: &AccountHolder, request: &Request<'_>) -> Answer {
        Ok(reply::view(&self.view(&self.endpoint(holder, request)?)))
    }

    /// Creates an endpoint; its secret is in the answer.
    pub(crate) fn create(&self, holder: AccountHolder, request: &Request<'_>) -> Started {
        let chosen = settings::parse(JsonBody::of(request)?, None, (self.webhooks.rules, &*self.names))?;
        let id = self.accounts.id(request, &holder.account, "")?;
        let endpoint = self.id(&id);
        let command = Command::CreateEndpoint {
            account: holder.account.clone(),
            endpoint: endpoint.clone(),
            settings: chosen.clone(),
        };
        let command = self.accounts.request((id, address(request)), holder.actor, command);
        let this = self.clone();
        Ok(Box::pin(async move {
            this.accounts.write(command).await?;
            let stored = this.find(&holder.account, &endpoint, 1).await?;
            if stored.settings != chosen {
                return Err(Problem::conflict(OTHER_BODY));
            }
            Ok(this.with_secret(&stored, StatusCode::CREATED))
        }))
    }

    /// Changes the fields that are given.
    pub(crate) fn update(&self, holder: AccountHolder, request: &Request<'_>) -> Started {
        let before = self.endpoint(&holder, request)?;
        let known = (self.webhooks.rules, &*self.names);
        let chosen = settings::parse(JsonBody::of(request)?, Some(before.settings.clone()), known)?;
        let (account, id) = (holder.account.clone(), before.id.clone());
        let command =
            Command::UpdateEndpoint { account: account.clone(), endpoint: id.clone(), settings: chosen };
        let command = self.command(request, holder, command)?;
        let this = self.clone();
        Ok(Box::pin(async move {
            this.accounts.write(command).await?;
            let stored = this.find(&account, &id, before.revision + 1).await?;
            Ok(reply::view(&this.view(&stored)))
        }))
    }

    /// Removes an endpoint; what is pending for it is dropped.
    pub(crate) fn delete(&self, holder: AccountHolder, request: &Request<'_>) -> Started {
        let endpoint = self.endpoint(&holder, request)?.id;
        let command = Command::DeleteEndpoint { account: holder.account.clone(), endpoint };
        let command = self.command(request, holder, command)?;
        let accounts = self.accounts.clone();
        Ok(Box::pin(async move {
            accounts.write(command).await?;
            let mut response = Response::default();
            *response.status_mut() = StatusCode::NO_CONTENT;
            Ok(response)
        }))
    }

    /// Replaces the secret; both sign for a while.
    pub(crate) fn rotate(&self, holder: AccountHolder, request: &Request<'_>) -> Started {
        let OverlapRequest { overlap_seconds: overlap } = OverlapRequest::take(JsonBody::of(request)?)?;
        let before = self.endpoint(&holder, request)?;
        let (account, endpoint) = (holder.account.clone(), before.id.clone());
        let command = Command::RotateEndpoint {
            account: account.clone(),
            endpoint: endpoint.clone(),
            overlap_seconds: overlap.unwrap_or(OVERLAP),
        };
        let command = self.command(request, holder, command)?;
        let this = self.clone();
        Ok(Box::pin(async move {
            this.accounts.write(command).await?;
            let stored = this.find(&account, &endpoint, before.revision).await?;
            Ok(this.with_secret(&stored, StatusCode::OK))
        }))
    }

    /// Has a test event sent; the same request has the same event. A conflict where nothing would be sent.
    pub(crate) fn test(&self, holder: &AccountHolder, request: &Request<'_>) -> Started {
        let endpoint = self.endpoint(holder, request)?;
        if !endpoint.is_open() {
            return Err(Problem::conflict(NOT_OPEN));
        }
        let (nonce, now) = (self.accounts.id(request, &holder.account, "")?, self.accounts.authority.now());
        let data = json!({"endpoint": endpoint.id, "description": endpoint.settings.description});
        let source = format!("nonce/{nonce}");
        let task = WebhookEvent {
            epoch: 0,
            sequence: 0,
            kind: TEST_EVENT.to_owned(),
            subject: String::new(),
            at: now,
            body: webhook::body(TEST_EVENT, now, &data.to_string()),
            left_body: None,
            targets: vec![WebhookTarget {
                endpoint: endpoint.id.clone(),
                policy: endpoint.settings.policy.key().to_owned(),
                is_ordered: false,
                has_left: false,
            }],
            nonce,
            partition: WebhookEvent::NO_PARTITION,
        };
        let id = webhook::id(&source, &endpoint.id);
        self.task(wire::encode(&task), Some(endpoint.id), EventSent { webhook_id: id })
    }

    /// Has all that failed since a time delivered again.
    pub(crate) fn recover(&self, holder: &AccountHolder, request: &Request<'_>) -> Started {
        let SinceRequest { since } = SinceRequest::take(JsonBody::of(request)?)?;
        let since = SINCE.parse(since.as_deref().unwrap_or_default())?;
        let endpoint = self.endpoint(holder, request)?.id;
        let shown = SinceView { since: Time(since) };
        let at = self.accounts.authority.now();
        let task = WebhookRedelivery { endpoint, delivery: None, since: Some(since), at };
        self.task(wire::encode(&task), None, shown)
    }

    /// Has one delivery that failed delivered again.
    pub(crate) fn redeliver(&self, holder: &AccountHolder, request: &Request<'_>) -> Started {
        let endpoint = self.endpoint(holder, request)?.id;
        let delivery = request.parameter("delivery").into_owned();
        let shown = EventSent { webhook_id: delivery.clone() };
        let at = self.accounts.authority.now();
        let task = WebhookRedelivery { endpoint, delivery: Some(delivery), since: None, at };
        self.task(wire::encode(&task), None, shown)
    }

    /// A page of the delivery log of an endpoint.
    pub(crate) fn deliveries(&self, holder: &AccountHolder, request: &Request<'_>) -> Started {
        let endpoint = self.endpoint(holder, request)?;
        self.log().page(request.query(), &endpoint)
    }

    /// What came of the deliveries of an endpoint.
    pub(crate) fn statistics(&self, holder: &AccountHolder, request: &Request<'_>) -> Started {
        let endpoint = self.endpoint(holder, request)?;
        self.log().statistics(request.query(), &endpoint.id, self.accounts.authority.now())
    }

    fn log(&self) -> Deliveries {
        Deliveries { log: Arc::clone(&self.webhooks.log), history: self.history.clone() }
    }

    /// Writes a task for the deliverer of an endpoint, or of everything that is kept, and answers 202 once the broker has it.
    fn task(
        &self,
        task: Result<Vec<u8>, WireError>,
        endpoint: Option<String>,
        shown: impl Serialize + Send + Sync + 'static,
    ) -> Started {
        let task = task.map_err(|_| Problem::unavailable(NOT_WRITTEN))?;
        let tasks = self.webhooks.tasks.clone();
        Ok(Box::pin(async move {
            let is_written = match endpoint {
                Some(endpoint) => tasks.to_partition_of(&endpoint, task).await,
                None => tasks.to_all(task).await,
            };
            if !is_written {
                return Err(Problem::unavailable(NOT_WRITTEN));
            }
            let mut response = reply::view(&shown);
            *response.status_mut() = StatusCode::ACCEPTED;
            Ok(response)
        }))
    }

    /// A command with the id of its request.
    fn command(
        &self,
        request: &Request<'_>,
        holder: AccountHolder,
        command: Command,
    ) -> Result<CommandRequest, Problem> {
        let id = self.accounts.id(request, &holder.account, "")?;
        Ok(self.accounts.request((id, address(request)), holder.actor, command))
    }

    /// The endpoint of the path, which must be the caller's.
    fn endpoint(&self, holder: &AccountHolder, request: &Request<'_>) -> Result<Endpoint, Problem> {
        let id = request.parameter("id");
        let found = self.accounts.authority.replica().with(|directory| directory.endpoint(&id).cloned());
        let found = found.filter(|endpoint| endpoint.account == holder.account);
        found.ok_or_else(|| Problem::unknown_id("No endpoint of the account has this id."))
    }

    async fn find(&self, account: &str, id: &str, revision: u64) -> Result<Endpoint, Problem> {
        let find = |directory: &Directory| {
            let found = directory.endpoint(id).filter(|endpoint| endpoint.account == account);
            found.filter(|endpoint| endpoint.revision >= revision).cloned()
        };
        self.accounts.read_back(find).await.ok_or_else(|| Problem::conflict(OTHER_BODY))
    }

    /// The id of the endpoint of a request: the same each time that it is sent.
    fn id(&self, request: &str) -> String {
        let account = self.accounts.authority.pepper().derive_account_id(&format!("/endpoint/{request}"));
        format!("whk_{}", account.trim_start_matches("acc_"))
    }

    /// The one answer that shows a secret.
    fn with_secret(&self, stored: &Endpoint, status: StatusCode) -> Response {
        let secret = Some(text_of(&self.webhooks.key.secret(&stored.id, stored.secret_version)));
        let mut response = reply::view(&WebhookView { secret, ..self.view(stored) });
        *response.status_mut() = status;
        response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        response
    }

    /// An endpoint as its holder sees it, without its secret.
    fn view<'a>(&self, endpoint: &'a Endpoint) -> WebhookView<'a> {
        let EndpointSettings { url, description, events, filters, policy, .. } = &endpoint.settings;
        WebhookView {
            id: &endpoint.id,
            url,
            description,
            events,
            filters: settings::shown(filters),
            policy: policy.key(),
            ordered: endpoint.settings.is_ordered,
            rate_limit: endpoint.settings.rate_limit,
            paused: endpoint.settings.is_paused,
            state: endpoint.state.key(),
            reason: endpoint.reason.as_deref(),
            previous_secret_until: endpoint.previous_until.map(Time),
            circuit: circuit_view(self.webhooks.log.circuit(&endpoint.id).as_ref()),
            created_at: Time(endpoint.created_at),
            secret: None,
        }
    }
}

fn address(request: &Request<'_>) -> String {
    request.address().map(|address| address.to_string()).unwrap_or_default()
}
