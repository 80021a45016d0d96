//! API keys: `arb_live_<kid 8><secret 32><crc32 6>` in base62 (`arb_test_` for the market that never changes), and what is stored of
//! secrets: HMAC-SHA-256 under a pepper.
//!
//! The checksum distinguishes a mistyped key from a wrong one before anything is looked up. It never reads a file, never makes random
//! numbers (callers pass them), and never shows the pepper.

use std::fmt;

use hmac::{Hmac, Mac};
use sha2::Sha256;
use subtle::ConstantTimeEq;

use crate::key::Mode;

/// Random bytes of a key.
pub const KEY_RANDOM: usize = KID + SECRET;
/// Bytes of a pepper.
pub const PEPPER: usize = 32;
/// Characters of a kid.
pub const KID: usize = 8;
/// Characters of a whole key.
pub const KEY: usize = PREFIX + KID + SECRET + CHECKSUM;
/// Characters of an HMAC in hexadecimal.
pub const HMAC: usize = 64;
/// Words of 64 bits that it has.
const WORDS: usize = HMAC / 8;
/// Random bytes of an account's id.
pub const ACCOUNT_RANDOM: usize = 16;
/// Random bytes of a session's token.
pub const TOKEN_RANDOM: usize = 32;
const PREFIX: usize = 9;
const SECRET: usize = 32;
const CHECKSUM: usize = 6;
const HEX: &[u8; 16] = b"0123456789abcdef";
const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// The secret under which everything that is stored is hashed: the same in all instances, and not in Kafka.
#[derive(Clone)]
pub struct Pepper {
    /// Keyed already: that is half of its work.
    hmac: Hmac<Sha256>,
}

impl fmt::Debug for Pepper {
    /// Without anything that is secret.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Pepper").finish_non_exhaustive()
    }
}

impl Pepper {
    /// A pepper of bytes that are random and secret.
    #[must_use]
    pub fn new(bytes: &[u8]) -> Self {
        let hmac = <Hmac<Sha256> as Mac>::new_from_slice(bytes);
        Self { hmac: hmac.unwrap_or_else(|_| unreachable!("any length is fine")) }
    }

    fn digest(&self, parts: &[&str]) -> [u8; 32] {
        let mut hmac = self.hmac.clone();
        for part in parts {
            hmac.update(part.as_bytes());
        }
        hmac.finalize().into_bytes().into()
    }

    /// HMAC-SHA-256 of a key or of a session's token, in hexadecimal.
    #[must_use]
    pub fn hmac(&self, secret: &str) -> String {
        hex(self.digest(&[secret])).map(char::from).iter().collect()
    }

    /// Whether a secret has an HMAC, compared in constant time.
    #[must_use]
    pub fn is_of(&self, secret: &str, hmac: &str) -> bool {
        let Ok(given) = <&[u8; HMAC]>::try_from(hmac.as_bytes()) else { return false };
        words(&hex(self.digest(&[secret]))).ct_eq(&words(given)).into()
    }

    /// The key of a request: the same each time, so that a creation that is tried again returns the key that it created, which
    /// nobody has stored. The request's id must be unique to the account and the intent.
    #[must_use]
    pub fn derive_key(&self, mode: Mode, request: &str) -> String {
        // What is hashed for storing begins with `arb_` or is base62, never with a slash.
        let blocks = [self.digest(&["/key/1/", request]), self.digest(&["/key/2/", request])].concat();
        let mut random = [0; KEY_RANDOM];
        random.iter_mut().zip(blocks).for_each(|(byte, derived)| *byte = derived);
        new_key(mode, &random)
    }

    /// The id of the account of a request: the same each time.
    #[must_use]
    pub fn derive_account_id(&self, request: &str) -> String {
        let mut random = [0; ACCOUNT_RANDOM];
        let derived = self.digest(&["/account/", request]);
        random.iter_mut().zip(derived).for_each(|(byte, derived)| *byte = derived);
        new_account_id(&random)
    }
}

/// What is read of a key that was not mistyped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParsedKey<'a> {
    /// What it sees.
    pub mode: Mode,
    /// Its public part.
    pub kid: &'a str,
}

/// A key of random bytes.
///
/// ```
/// use arb_accounts::key::Mode;
/// use arb_accounts::secrets::{KEY_RANDOM, Pepper, new_key, parse_key};
///
/// let key = new_key(Mode::Live, &[7; KEY_RANDOM]);
/// assert!(key.starts_with("arb_live_77777777"));
/// assert_eq!(parse_key(&key).map(|parsed| parsed.kid), Some("77777777"));
/// // Stored is the HMAC alone.
/// let pepper = Pepper::new(&[42; 32]);
/// assert!(pepper.is_of(&key, &pepper.hmac(&key)));
/// ```
#[must_use]
pub fn new_key(mode: Mode, random: &[u8; KEY_RANDOM]) -> String {
    // A byte modulo 62 favours eight of the digits a little; 32 of them still carry 190 bits.
    let body = base62(random);
    let digits: String = checksum(&body).map(char::from).iter().collect();
    format!("{}{body}{digits}", prefix(mode))
}

/// The id of an account.
#[must_use]
pub fn new_account_id(random: &[u8; ACCOUNT_RANDOM]) -> String {
    format!("acc_{}", base62(random))
}

/// The token of a session, which its cookie has: 32 base62 characters.
#[must_use]
pub fn new_token(random: &[u8; TOKEN_RANDOM]) -> String {
    base62(random)
}

/// Reads a key; `None` for a text that is none or was mistyped.
#[must_use]
pub fn parse_key(text: &str) -> Option<ParsedKey<'_>> {
    let mode = [Mode::Live, Mode::Test].into_iter().find(|mode| text.starts_with(prefix(*mode)))?;
    let body = text.get(PREFIX..)?;
    let is_key = text.len() == KEY
        && body.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && body.as_bytes().ends_with(&checksum(&body[..KID + SECRET]));
    is_key.then(|| ParsedKey { mode, kid: &body[..KID] })
}

/// Whether a text may be the kid of a key.
#[must_use]
pub fn is_kid(text: &str) -> bool {
    text.len() == KID && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Whether a text may be an HMAC in hexadecimal.
#[must_use]
pub fn is_hmac(text: &str) -> bool {
    text.len() == HMAC && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// What a key begins with.
fn prefix(mode: Mode) -> &'static str {
    match mode {
        Mode::Live => "arb_live_",
        Mode::Test => "arb_test_",
    }
}

fn base62(random: &[u8]) -> String {
    random.iter().map(|byte| char::from(BASE62[usize::from(*byte) % BASE62.len()])).collect()
}

/// CRC-32 in base62, most significant digit first.
fn checksum(text: &str) -> [u8; CHECKSUM] {
    let mut crc = crc32fast::hash(text.as_bytes()) as usize;
    let mut digits = [b'0'; CHECKSUM];
    for digit in digits.iter_mut().rev() {
        *digit = BASE62[crc % BASE62.len()];
        crc /= BASE62.len();
    }
    digits
}

fn hex(digest: [u8; HMAC / 2]) -> [u8; HMAC] {
    let nibble = |at: usize| if at.is_multiple_of(2) { digest[at / 2] >> 4 } else { digest[at / 2] & 15 };
    std::array::from_fn(|at| HEX[usize::from(nibble(at))])
}

/// What is compared as words is compared eight times as fast as by bytes.
fn words(hmac: &[u8; HMAC]) -> [u64; WORDS] {
    let (words, _) = hmac.as_chunks::<8>();
    std::array::from_fn(|at| u64::from_ne_bytes(words[at]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random() -> [u8; KEY_RANDOM] {
        std::array::from_fn(|index| u8::try_from(index * 7 % 256).unwrap())
    }

    #[test]
    fn a_key_is_read_until_one_character_changes() {
        for mode in [Mode::Live, Mode::Test] {
            let key = new_key(mode, &random());
            assert_eq!(key.len(), KEY);
            assert_eq!(parse_key(&key), Some(ParsedKey { mode, kid: &key[9..17] }));
            for index in 0..key.len() {
                let mut changed = key.clone().into_bytes();
                changed[index] = if changed[index] == b'x' { b'y' } else { b'x' };
                assert_eq!(parse_key(&String::from_utf8(changed).unwrap()), None, "{index}");
            }
        }
    }

    #[test]
    fn other_texts_are_no_keys() {
        let key = new_key(Mode::Live, &random());
        for text in ["", "arb_live_", &key[1..], &format!("{key}0"), "arb_live_ääääääää", &"ä".repeat(28)]
        {
            assert_eq!(parse_key(text), None, "{text}");
        }
    }

    #[test]
    fn the_hmac_is_that_of_rfc_4231() {
        let pepper = Pepper::new(b"Jefe");
        let expected = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
        assert_eq!(pepper.hmac("what do ya want for nothing?"), expected);
        assert!(pepper.is_of("what do ya want for nothing?", expected));
        assert!(!pepper.is_of("what do ya want for nothing!", expected));
        for other in [&expected.to_uppercase(), &expected[1..], &format!("{expected}0"), ""] {
            assert!(!pepper.is_of("what do ya want for nothing?", other), "{other}");
        }
        assert!(is_hmac(expected) && !is_hmac(&expected.to_uppercase()) && !is_hmac(&expected[1..]));
    }

    #[test]
    fn a_derived_key_depends_on_pepper_request_and_nothing_else() {
        let (one, two) = (Pepper::new(&[1; PEPPER]), Pepper::new(&[2; PEPPER]));
        let key = one.derive_key(Mode::Live, "request");
        assert_eq!(key, one.derive_key(Mode::Live, "request"));
        assert!(parse_key(&key).is_some_and(|parsed| is_kid(parsed.kid)));
        assert_ne!(key, two.derive_key(Mode::Live, "request"));
        assert_ne!(key, one.derive_key(Mode::Live, "request2"));
        let id = one.derive_account_id("request");
        assert_eq!((id.len(), &id), (20, &one.derive_account_id("request")));
        assert_ne!(id, one.derive_account_id("request2"));
    }

    #[test]
    fn the_pepper_is_not_shown() {
        assert_eq!(format!("{:?}", Pepper::new(b"secret")), "Pepper { .. }");
    }

    #[test]
    fn ids_have_their_lengths() {
        assert_eq!(new_account_id(&[61; ACCOUNT_RANDOM]), "acc_zzzzzzzzzzzzzzzz");
        assert_eq!(new_token(&[0; TOKEN_RANDOM]), "0".repeat(32));
    }

    #[test]
    fn the_checksum_is_crc32_in_base62() {
        // CRC-32 of "123456789" is 0xCBF43926 = 3421780262 = 3*62^5 + 45*62^4 + 35*62^3 + 27*62^2 + 22*62 + 14.
        let digits = [3, 45, 35, 27, 22, 14];
        assert_eq!(digits.iter().fold(0_u64, |crc, digit| crc * 62 + digit), 0xCBF4_3926);
        let expected = digits.map(|digit| BASE62[usize::try_from(digit).unwrap()]);
        assert_eq!(checksum("123456789"), expected);
    }
}
