//! What the API needs of webhooks: the key of secrets, what may be chosen of an endpoint, tasks for the deliverer, and the newest entries
//! of the delivery log. It never connects to an endpoint.

pub mod log;
pub(crate) mod notices;
pub(crate) mod settings;

use std::sync::Arc;

use arb_accounts::endpoint::WebhookKey;
use arb_feed::webhook::address::Rules;

use self::log::DeliveryLog;
use crate::tasks::TaskQueue;

/// The key of secrets, the rules of URLs, and the way to the deliverer.
#[derive(Debug, Clone)]
pub struct Webhooks {
    /// Under which secrets are derived.
    pub key: WebhookKey,
    /// Which URLs may be sent to.
    pub rules: Rules,
    /// Tasks for the deliverer.
    pub tasks: TaskQueue,
    /// What became of the newest deliveries.
    pub log: Arc<DeliveryLog>,
}
