//! Hashes of passwords: argon2id with 19 MiB, two passes and one lane, as strings in the PHC format.
//!
//! One hash takes some 20 ms of a core and 19 MiB: whoever calls this limits how many run at one time. It never makes random
//! numbers. Source: OWASP Password Storage Cheat Sheet; RFC 9106.

use std::ops::RangeInclusive;

use argon2::password_hash::{PasswordHash, PasswordHasher, PasswordVerifier, SaltString};
use argon2::{Algorithm, Argon2, Params, Version};
use thiserror::Error;

/// Random bytes of a salt.
pub const SALT: usize = 16;
/// The longest hash that is stored.
pub const MAX_HASH: usize = 200;
/// Characters of a password: so many at least, and so many at most.
pub const LENGTH: RangeInclusive<usize> = 12..=128;
/// The most bytes that so many characters have.
const MAX_BYTES: usize = 4 * 128;
const MEMORY_KIB: u32 = 19_456;
const PASSES: u32 = 2;
const LANES: u32 = 1;

/// Why a password was not hashed.
#[derive(Debug, Error)]
pub enum PasswordError {
    /// Its length.
    #[error("a password has {} to {} characters", LENGTH.start(), LENGTH.end())]
    Length,
    /// The library refused it.
    #[error("the password was not hashed: {0}")]
    Hash(String),
}

fn argon2() -> Result<Argon2<'static>, PasswordError> {
    let params = Params::new(MEMORY_KIB, PASSES, LANES, None)
        .map_err(|error| PasswordError::Hash(error.to_string()))?;
    Ok(Argon2::new(Algorithm::Argon2id, Version::V0x13, params))
}

/// The hash of a password.
///
/// ```
/// use arb_accounts::password;
///
/// let hash = password::hash("correct horse", &[7; password::SALT])?;
/// assert!(password::verify("correct horse", Some(&hash)));
/// assert!(!password::verify("wrong horse", Some(&hash)));
/// # Ok::<(), password::PasswordError>(())
/// ```
///
/// # Errors
/// [`PasswordError`].
pub fn hash(password: &str, salt: &[u8; SALT]) -> Result<String, PasswordError> {
    if !LENGTH.contains(&password.chars().count()) {
        return Err(PasswordError::Length);
    }
    let failed = |error: argon2::password_hash::Error| PasswordError::Hash(error.to_string());
    let salt = SaltString::encode_b64(salt).map_err(failed)?;
    Ok(argon2()?.hash_password(password.as_bytes(), &salt).map_err(failed)?.to_string())
}

/// Whether a password has a hash. Without a hash it takes as long as with one, and is `false`: an account that does not exist
/// cannot be distinguished by time.
#[must_use]
pub fn verify(password: &str, hash: Option<&str>) -> bool {
    /// Of no password that is known.
    const NONE: &str =
        "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    let password = if password.len() > MAX_BYTES { "" } else { password };
    let parsed = PasswordHash::new(hash.unwrap_or(NONE));
    let (Ok(parsed), Ok(argon2)) = (parsed, argon2()) else { return false };
    argon2.verify_password(password.as_bytes(), &parsed).is_ok() && hash.is_some()
}

/// Whether a text is a hash that [`hash`] could have returned: what else is stored could make a check arbitrarily expensive.
#[must_use]
pub fn is_hash(text: &str) -> bool {
    let start = format!("$argon2id$v=19$m={MEMORY_KIB},t={PASSES},p={LANES}$");
    text.len() <= MAX_HASH && text.starts_with(&start) && PasswordHash::new(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_has_its_parameters_and_verifies_its_password_alone() {
        let hash = hash("correct horse", &[7; SALT]).unwrap();
        assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
        assert!(is_hash(&hash));
        assert!(verify("correct horse", Some(&hash)));
        assert!(!verify("correct horsf", Some(&hash)));
        assert!(!verify("correct horse", None));
    }

    #[test]
    fn the_hash_of_nobody_is_computed_too() {
        let parsed = PasswordHash::new(
            "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        );
        assert!(parsed.is_ok_and(|hash| hash.hash.is_some()));
    }

    #[test]
    fn passwords_that_are_too_short_or_long_are_refused() {
        let is_hashed = |length| hash(&"ä".repeat(length), &[7; SALT]).is_ok();
        assert_eq!([11, 12, 128, 129].map(is_hashed), [false, true, true, false]);
    }

    #[test]
    fn other_hashes_are_none() {
        for text in
            ["", "secret", "$argon2id$v=19$m=999999999,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAA", "$2b$10$x"]
        {
            assert!(!is_hash(text), "{text}");
        }
    }
}
