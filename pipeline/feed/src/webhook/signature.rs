//! Signatures of Standard Webhooks 1.0.0: `v1,` and HMAC-SHA-256 of id, timestamp and body. Pure; it never shows a secret.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hmac::{Hmac, Mac};
use sha2::Sha256;

/// A secret as its receiver is given it.
#[must_use]
pub fn text_of(secret: &[u8]) -> String {
    format!("whsec_{}", BASE64_STANDARD.encode(secret))
}

/// One signature.
#[must_use]
pub fn sign(secret: &[u8], id: &str, timestamp: i64, body: &str) -> String {
    let hmac = <Hmac<Sha256> as Mac>::new_from_slice(secret);
    let mut hmac = hmac.unwrap_or_else(|_| unreachable!("any length is fine"));
    for part in [id, ".", &timestamp.to_string(), ".", body] {
        hmac.update(part.as_bytes());
    }
    format!("v1,{}", BASE64_STANDARD.encode(hmac.finalize().into_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the specification's libraries.
    #[test]
    fn the_published_vector_holds() {
        let secret = BASE64_STANDARD.decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        let signature =
            sign(&secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, r#"{"test": 2432232314}"#);
        assert_eq!(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }
}
