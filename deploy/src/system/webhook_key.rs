//! The key under which the secrets of webhook endpoints are derived: a file, created where there is none, the same for all instances.
//!
//! It never replaces a key: every secret that partners have would be lost.

use std::path::Path;

use arb_accounts::endpoint::WebhookKey;

use crate::system::pepper;
use crate::system::random;

/// The key of a file, which is created where there is none.
///
/// # Errors
/// When it can be neither read nor created.
pub(crate) fn read_or_create(path: &Path) -> anyhow::Result<WebhookKey> {
    pepper::create(path, &random::bytes::<32>()?)?;
    pepper::bytes(path).map(|bytes| WebhookKey::new(&bytes))
}
