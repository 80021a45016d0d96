//! A session: what a browser's cookie stands for.

use arb_schemas::time::Micros;
use serde::{Deserialize, Serialize};

/// A session. The cookie's value is never stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    /// HMAC-SHA-256 of the cookie's value under the pepper, hexadecimal; its key in the topic.
    pub hash: String,
    /// Its account.
    pub account: String,
    /// When it was opened, by the machine's time.
    pub opened_at: Micros,
    /// When it ends, by the machine's time.
    pub expires_at: Micros,
    /// The address from which it was opened.
    pub address: String,
}
