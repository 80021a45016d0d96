//! The OAUTHBEARER token of a client, set without a poll.
//!
//! rdkafka requests a token from its context only while a client is polled, which an admin client never is.
//! It must never fetch a token.

use std::ffi::{CStr, CString, c_char};

use rdkafka::ClientContext;
use rdkafka::bindings as c;
use rdkafka::client::{Client, OAuthToken};
use rdkafka::types::RDKafkaRespErr;

/// Gives a client the token that its connections authenticate with.
///
/// # Errors
/// What librdkafka has against the token.
pub fn set_token<C: ClientContext>(client: &Client<C>, token: &OAuthToken) -> Result<(), String> {
    let text = |text: &str| CString::new(text).map_err(|_| "a token contains a null character".to_owned());
    let (value, principal) = (text(&token.token)?, text(&token.principal_name)?);
    let mut error: [c_char; 512] = [0; 512];
    // SAFETY: the client is alive while it is borrowed, the texts end with a null and are copied, there are no
    // extensions, and the text of an error fits into the array, whose size is given.
    let code = unsafe {
        c::rd_kafka_oauthbearer_set_token(
            client.native_ptr(),
            value.as_ptr(),
            token.lifetime_ms,
            principal.as_ptr(),
            std::ptr::null_mut(),
            0,
            error.as_mut_ptr(),
            error.len(),
        )
    };
    if code == RDKafkaRespErr::RD_KAFKA_RESP_ERR_NO_ERROR {
        return Ok(());
    }
    // SAFETY: librdkafka ends the text with a null, and the array began as nulls.
    Err(unsafe { CStr::from_ptr(error.as_ptr()) }.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use rdkafka::config::ClientConfig;
    use rdkafka::producer::{BaseProducer, Producer};

    use super::*;

    fn producer(mechanism: &str) -> BaseProducer {
        let mut config = ClientConfig::new();
        config.set("bootstrap.servers", "127.0.0.1:1").set("security.protocol", "sasl_plaintext");
        config.set("sasl.mechanism", mechanism).set("sasl.username", "u").set("sasl.password", "p");
        config.create().unwrap()
    }

    fn token(lifetime_ms: i64) -> OAuthToken {
        OAuthToken { token: "a.b.c".to_owned(), principal_name: "arb".to_owned(), lifetime_ms }
    }

    #[test]
    fn only_a_client_that_uses_tokens_takes_a_valid_one() {
        let year_2100 = 4_102_444_800_000;
        assert_eq!(set_token(producer("OAUTHBEARER").client(), &token(year_2100)), Ok(()));
        let late = set_token(producer("OAUTHBEARER").client(), &token(1)).unwrap_err();
        assert!(late.contains("unexpired"), "{late}");
        assert!(set_token(producer("PLAIN").client(), &token(year_2100)).is_err());
    }
}
