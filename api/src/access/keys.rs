//! API keys: `arb_live_<kid 8><secret 32><crc32 6>` in base62.
//!
//! The checksum distinguishes a mistyped key from an unknown one before any lookup. A file holds an
//! HMAC-SHA-256 of each key under a pepper that is stored beside it, never a key. Keys are compared in
//! constant time, and never logged.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use hmac::{Hmac, Mac};
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use subtle::ConstantTimeEq;
use thiserror::Error;

use crate::access::plan::Plan;
use crate::files::reload::FromFile;
use crate::files::{self, FileError};

const PREFIX: &str = "arb_live_";
const KID: usize = 8;
const SECRET: usize = 32;
const CHECKSUM: usize = 6;
const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const HEX: &[u8; 16] = b"0123456789abcdef";
const PEPPER: usize = 32;

/// Why there are no keys.
#[derive(Debug, Error)]
pub enum KeysError {
    /// A file.
    #[error(transparent)]
    File(#[from] FileError),
    /// The system has no random numbers.
    #[error("no random numbers: {0}")]
    Random(getrandom::Error),
}

/// A key as the file has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    name: String,
    /// HMAC-SHA-256 of the whole key, in hexadecimal.
    hmac: String,
    /// What it may spend; keys from before there were plans are `free`.
    #[serde(default)]
    plan: Plan,
}

/// The holder of a valid key and its plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Caller {
    /// The public part of the key.
    pub(crate) kid: String,
    /// What it may spend.
    pub(crate) plan: Plan,
}

/// The keys that are valid, by their kid.
pub struct Keys {
    /// Keyed with the pepper already: that is half of its work.
    hmac: Hmac<Sha256>,
    stored: BTreeMap<String, Stored>,
}

impl std::fmt::Debug for Keys {
    /// Without anything that is secret.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Keys").field("keys", &self.stored.len()).finish_non_exhaustive()
    }
}

impl FromFile for Keys {
    type Error = KeysError;

    /// Reads a file of keys and the pepper beside it.
    ///
    /// # Errors
    /// [`KeysError`], also when there is no such file.
    fn read(path: &Path) -> Result<Self, KeysError> {
        let stored = files::read_json(path)?;
        let hmac = <Hmac<Sha256> as Mac>::new_from_slice(&files::read(&pepper_path(path))?);
        Ok(Self { hmac: hmac.unwrap_or_else(|_| unreachable!("any length is fine")), stored })
    }
}

impl Keys {
    /// Makes a key, adds it to a file (made where there is none), and returns it: the only time it is shown.
    ///
    /// ```
    /// use arb_api::access::{keys::Keys, plan::Plan};
    ///
    /// let folder = std::env::temp_dir().join(format!("keys-{}", std::process::id()));
    /// let file = folder.join("keys.json");
    /// let key = Keys::create(&file, "alice", Plan::Pro)?;
    /// assert!(!std::fs::read_to_string(&file)?.contains(&key), "the file has an HMAC, never the key");
    /// let replaced = Keys::replace(&file, "alice", Plan::Pro)?;
    /// assert_ne!(key, replaced, "the earlier key is revoked");
    /// std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`KeysError`].
    pub fn create(path: &Path, name: &str, plan: Plan) -> Result<String, KeysError> {
        Self::add(path, name, plan, false)
    }

    /// The same; earlier keys of this name are revoked.
    ///
    /// # Errors
    /// [`KeysError`].
    pub fn replace(path: &Path, name: &str, plan: Plan) -> Result<String, KeysError> {
        Self::add(path, name, plan, true)
    }

    fn add(path: &Path, name: &str, plan: Plan, revokes_name: bool) -> Result<String, KeysError> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(files::at(folder))?;
        }
        // A second file created at the same moment would be overwritten, and its keys lost.
        let _lock = files::lock(path)?;
        if !path.exists() {
            // Where there are keys, a new pepper would be the end of all of them.
            files::write(&pepper_path(path), &random::<PEPPER>()?)?;
            files::write(path, b"{}")?;
        }
        let mut keys = Self::read(path)?;
        if revokes_name {
            keys.stored.retain(|_, stored| stored.name != name);
        }
        let key = new_key()?;
        let stored = Stored {
            name: name.to_owned(),
            hmac: String::from_utf8_lossy(&keys.hmac(&key)).into_owned(),
            plan,
        };
        keys.stored.insert(kid(&key).to_owned(), stored);
        let text = serde_json::to_vec_pretty(&keys.stored).map_err(files::format(path))?;
        files::write(path, &text)?;
        Ok(key)
    }

    /// The holder of a valid key; `None` for any other text.
    pub(crate) fn check(&self, key: &str) -> Option<Caller> {
        if !is_well_formed(key) {
            return None;
        }
        let stored = self.stored.get(kid(key))?;
        let is_equal = bool::from(self.hmac(key).ct_eq(stored.hmac.as_bytes()));
        is_equal.then(|| Caller { kid: kid(key).to_owned(), plan: stored.plan })
    }

    /// Whether the key with this kid is still valid.
    pub(crate) fn has(&self, kid: &str) -> bool {
        self.stored.contains_key(kid)
    }

    /// HMAC-SHA-256 of a key, in hexadecimal.
    fn hmac(&self, key: &str) -> [u8; 64] {
        let mut hmac = self.hmac.clone();
        hmac.update(key.as_bytes());
        let (bytes, mut text) = (hmac.finalize().into_bytes(), [0; 64]);
        for (byte, digits) in bytes.iter().zip(text.chunks_exact_mut(2)) {
            digits.copy_from_slice(&[byte >> 4, byte & 15].map(|nibble| HEX[usize::from(nibble)]));
        }
        text
    }
}

/// Whether a text is a key that was not mistyped.
fn is_well_formed(key: &str) -> bool {
    let Some(body) = key.strip_prefix(PREFIX) else { return false };
    body.len() == KID + SECRET + CHECKSUM
        && body.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && body.ends_with(&checksum(&body[..KID + SECRET]))
}

fn kid(key: &str) -> &str {
    key.get(PREFIX.len()..PREFIX.len() + KID).unwrap_or_default()
}

fn new_key() -> Result<String, KeysError> {
    // A byte modulo 62 favours eight of the digits a little; 32 of them still carry 190 bits.
    let digits =
        random::<{ KID + SECRET }>()?.map(|byte| char::from(BASE62[usize::from(byte) % BASE62.len()]));
    let body: String = digits.iter().collect();
    Ok(format!("{PREFIX}{body}{}", checksum(&body)))
}

/// CRC-32 in base62, most significant digit first.
fn checksum(text: &str) -> String {
    let mut crc = crc32fast::hash(text.as_bytes()) as usize;
    let mut digits = [b'0'; CHECKSUM];
    for digit in digits.iter_mut().rev() {
        *digit = BASE62[crc % BASE62.len()];
        crc /= BASE62.len();
    }
    digits.map(char::from).iter().collect()
}

fn random<const N: usize>() -> Result<[u8; N], KeysError> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(KeysError::Random)?;
    Ok(bytes)
}

fn pepper_path(keys: &Path) -> PathBuf {
    keys.with_extension("pepper")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep").join("keys.json");
        (folder, path)
    }

    #[test]
    fn a_key_is_valid_until_one_character_changes() {
        let (_folder, path) = keys();
        let key = Keys::create(&path, "test", Plan::Pro).unwrap();
        let other = Keys::create(&path, "other", Plan::Free).unwrap();
        let keys = Keys::read(&path).unwrap();
        let caller = |key: &str, plan| Some(Caller { kid: key[9..17].to_owned(), plan });
        assert_eq!(keys.check(&key), caller(&key, Plan::Pro));
        assert_eq!(keys.check(&other), caller(&other, Plan::Free));
        for index in 0..key.len() {
            let mut changed = key.clone().into_bytes();
            changed[index] = if changed[index] == b'x' { b'y' } else { b'x' };
            assert_eq!(keys.check(&String::from_utf8(changed).unwrap()), None, "{index}");
        }
        for text in ["", "arb_live_", &key[1..], &format!("{key}0"), "arb_live_ääääääää"] {
            assert_eq!(keys.check(text), None, "{text}");
        }
    }

    #[test]
    fn a_replacing_key_revokes_the_other_keys_of_its_name_only() {
        let (_folder, path) = keys();
        let other = Keys::create(&path, "other", Plan::Free).unwrap();
        let first = Keys::replace(&path, "demonstration", Plan::Enterprise).unwrap();
        let second = Keys::replace(&path, "demonstration", Plan::Enterprise).unwrap();
        let keys = Keys::read(&path).unwrap();
        let is_valid = |key: &str| keys.check(key).is_some();
        assert_eq!([is_valid(&other), is_valid(&first), is_valid(&second)], [true, false, true]);
    }

    #[test]
    fn keys_that_are_made_at_one_time_are_all_kept() {
        let (_folder, path) = keys();
        let one = || Keys::create(&path, "test", Plan::Free).unwrap();
        let made: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..16).map(|_| scope.spawn(one)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let keys = Keys::read(&path).unwrap();
        assert!(made.iter().all(|key| keys.check(key).is_some()), "{} of {}", keys.stored.len(), made.len());
    }

    #[test]
    fn a_well_formed_key_of_somebody_else_is_wrong() {
        let (_folder, path) = keys();
        Keys::create(&path, "test", Plan::Pro).unwrap();
        let foreign = new_key().unwrap();
        assert!(is_well_formed(&foreign));
        assert_eq!(Keys::read(&path).unwrap().check(&foreign), None);
    }

    #[test]
    fn the_file_contains_no_key_and_only_its_owner_may_read_it() {
        use std::os::unix::fs::PermissionsExt;
        let (_folder, path) = keys();
        let key = Keys::create(&path, "test", Plan::Pro).unwrap();
        assert!(!fs::read_to_string(&path).unwrap().contains(&key[17..]));
        for path in [&path, &pepper_path(&path)] {
            assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }

    #[test]
    fn a_file_from_before_there_were_plans_is_read() {
        let (_folder, path) = keys();
        let key = Keys::create(&path, "test", Plan::Pro).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        let without = text.replace(",\n    \"plan\": \"pro\"", "");
        assert_ne!(without, text);
        fs::write(&path, without).unwrap();
        assert_eq!(Keys::read(&path).unwrap().check(&key).unwrap().plan, Plan::Free);
    }

    #[test]
    fn the_checksum_is_crc32_in_base62() {
        // CRC-32 of "123456789" is 0xCBF43926 = 3421780262 = 3*62^5 + 45*62^4 + 35*62^3 + 27*62^2 + 22*62 + 14.
        let digits = [3, 45, 35, 27, 22, 14];
        assert_eq!(digits.iter().fold(0_u64, |crc, digit| crc * 62 + digit), 0xCBF4_3926);
        let expected: String =
            digits.iter().map(|digit| char::from(BASE62[usize::try_from(*digit).unwrap()])).collect();
        assert_eq!(checksum("123456789"), expected);
    }

    #[test]
    fn files_that_are_missing_or_wrong_are_named() {
        let (_folder, path) = keys();
        assert!(Keys::read(&path).unwrap_err().to_string().contains("keys.json: No such file"));
        Keys::create(&path, "test", Plan::Pro).unwrap();
        fs::remove_file(pepper_path(&path)).unwrap();
        assert!(
            Keys::create(&path, "test", Plan::Pro)
                .unwrap_err()
                .to_string()
                .contains("keys.pepper: No such file")
        );
        fs::write(pepper_path(&path), "pepper").unwrap();
        fs::write(&path, "[]").unwrap();
        assert!(Keys::read(&path).unwrap_err().to_string().contains("keys.json: invalid type"));
    }
}
