//! API keys: `arb_live_<kid 8><secret 32><crc32 6>` in base62.
//!
//! The checksum tells a mistyped key from a wrong one before anything is looked up. A file holds an HMAC-SHA-256
//! of each key under a pepper that lies beside it, never a key. Keys are compared in constant time, and never
//! logged.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use hmac::{Hmac, Mac};
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use subtle::ConstantTimeEq;
use thiserror::Error;

const PREFIX: &str = "arb_live_";
const KID: usize = 8;
const SECRET: usize = 32;
const CHECKSUM: usize = 6;
const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const PEPPER: usize = 32;

/// Why there are no keys.
#[derive(Debug, Error)]
pub enum KeysError {
    /// A file cannot be read or written.
    #[error("{path}: {error}")]
    Io {
        /// Which.
        path: String,
        /// What the system says.
        error: io::Error,
    },
    /// The file is none of ours.
    #[error("{path}: {error}")]
    Format {
        /// Which.
        path: String,
        /// What is wrong.
        error: serde_json::Error,
    },
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
}

/// The keys that are valid, by their kid.
#[derive(Debug)]
pub struct Keys {
    pepper: Vec<u8>,
    stored: BTreeMap<String, Stored>,
}

impl Keys {
    /// Reads a file of keys and the pepper beside it.
    ///
    /// # Errors
    /// [`KeysError`], also when there is no such file.
    pub fn read(path: &Path) -> Result<Self, KeysError> {
        let (text, pepper) = (read(path)?, read(&pepper_path(path))?);
        let format = |error| KeysError::Format { path: path.display().to_string(), error };
        Ok(Self { pepper, stored: serde_json::from_slice(&text).map_err(format)? })
    }

    /// Makes a key, adds it to a file (made where there is none), and returns it: the only time it is shown.
    ///
    /// # Errors
    /// [`KeysError`].
    pub fn create(path: &Path, name: &str) -> Result<String, KeysError> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(io_error(folder))?;
        }
        if !path.exists() {
            // Where there are keys, a new pepper would be the end of all of them.
            write(&pepper_path(path), &random::<PEPPER>()?)?;
            write(path, b"{}")?;
        }
        let mut keys = Self::read(path)?;
        let key = new_key()?;
        let stored = Stored { name: name.to_owned(), hmac: hex(&hmac(&keys.pepper, &key)) };
        keys.stored.insert(kid(&key).to_owned(), stored);
        let text = serde_json::to_vec_pretty(&keys.stored);
        write(path, &text.map_err(|error| KeysError::Format { path: path.display().to_string(), error })?)?;
        Ok(key)
    }

    /// The kid of a key that is valid; `None` for any other text.
    #[must_use]
    pub fn check<'a>(&self, key: &'a str) -> Option<&'a str> {
        if !is_well_formed(key) {
            return None;
        }
        let stored = self.stored.get(kid(key))?;
        let hmac = hex(&hmac(&self.pepper, key));
        bool::from(hmac.as_bytes().ct_eq(stored.hmac.as_bytes())).then(|| kid(key))
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

fn hmac(pepper: &[u8], key: &str) -> [u8; 32] {
    let mut hmac =
        <Hmac<Sha256> as Mac>::new_from_slice(pepper).unwrap_or_else(|_| unreachable!("any length is fine"));
    hmac.update(key.as_bytes());
    hmac.finalize().into_bytes().into()
}

fn hex(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from(b"0123456789abcdef"[usize::from(nibble)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

fn random<const N: usize>() -> Result<[u8; N], KeysError> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(KeysError::Random)?;
    Ok(bytes)
}

fn pepper_path(keys: &Path) -> PathBuf {
    keys.with_extension("pepper")
}

fn io_error(path: &Path) -> impl FnOnce(io::Error) -> KeysError + use<> {
    let path = path.display().to_string();
    move |error| KeysError::Io { path, error }
}

fn read(path: &Path) -> Result<Vec<u8>, KeysError> {
    fs::read(path).map_err(io_error(path))
}

/// Readable by its owner alone, and whole or not at all.
fn write(path: &Path, bytes: &[u8]) -> Result<(), KeysError> {
    use std::os::unix::fs::OpenOptionsExt;
    let new = path.with_extension("new");
    let mut open = fs::OpenOptions::new();
    let file = open.write(true).create(true).truncate(true).mode(0o600).open(&new);
    let written = file.and_then(|mut file| file.write_all(bytes)).and_then(|()| fs::rename(&new, path));
    written.map_err(io_error(path))
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
        let key = Keys::create(&path, "test").unwrap();
        let other = Keys::create(&path, "other").unwrap();
        let keys = Keys::read(&path).unwrap();
        assert_eq!(keys.check(&key), Some(&key[9..17]));
        assert_eq!(keys.check(&other), Some(&other[9..17]));
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
    fn a_well_formed_key_of_somebody_else_is_wrong() {
        let (_folder, path) = keys();
        Keys::create(&path, "test").unwrap();
        let foreign = new_key().unwrap();
        assert!(is_well_formed(&foreign));
        assert_eq!(Keys::read(&path).unwrap().check(&foreign), None);
    }

    #[test]
    fn the_file_holds_no_key_and_is_its_owners_alone() {
        use std::os::unix::fs::PermissionsExt;
        let (_folder, path) = keys();
        let key = Keys::create(&path, "test").unwrap();
        assert!(!fs::read_to_string(&path).unwrap().contains(&key[17..]));
        for path in [&path, &pepper_path(&path)] {
            assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
        }
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
        Keys::create(&path, "test").unwrap();
        fs::remove_file(pepper_path(&path)).unwrap();
        assert!(Keys::create(&path, "test").unwrap_err().to_string().contains("keys.pepper: No such file"));
        fs::write(pepper_path(&path), "pepper").unwrap();
        fs::write(&path, "[]").unwrap();
        assert!(Keys::read(&path).unwrap_err().to_string().contains("keys.json: invalid type"));
    }
}
