//! An encrypted file: only the key opens it, and no part of it can be changed, dropped, exchanged or appended unseen.
//!
//! ChaCha20-Poly1305 over chunks, by the construction STREAM: the nonce of a chunk is its number and whether it is the last. Each file
//! has a key of its own, derived from the operator's and a random salt, so that no nonce comes twice under one key. It never
//! returns a part of a file that does not open as a whole.
//!
//! Source: RFC 8439; RFC 5869; Hoang, Reyhanitabar, Rogaway and Vizár, "Online Authenticated-Encryption and its Nonce-Reuse
//! Misuse-Resistance", 2015 (STREAM), as the payload of age has it.

use anyhow::{anyhow, bail};
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::hkdf::{HKDF_SHA256, Salt};

/// Bytes of a key.
pub(super) const KEY: usize = 32;
/// Bytes of a salt.
pub(super) const SALT: usize = 32;
/// How each file begins: what it is, and the version of its form.
const MAGIC: &[u8] = b"arb backup 1\n";
/// Bytes of a chunk before it is encrypted.
const CHUNK: usize = 64 * 1024;
/// What encryption adds to a chunk.
const TAG: usize = 16;

/// Encrypts.
///
/// # Errors
/// None for what fits into memory.
pub(super) fn seal(key: &[u8; KEY], salt: &[u8; SALT], plain: &[u8]) -> anyhow::Result<Vec<u8>> {
    let key = of_file(key, salt)?;
    let mut sealed = [MAGIC, salt].concat();
    // Also of nothing there is a last chunk.
    let count = plain.len().div_ceil(CHUNK).max(1);
    for number in 0..count {
        let from = number * CHUNK;
        let mut chunk = plain[from..plain.len().min(from + CHUNK)].to_vec();
        let nonce = nonce(number, number + 1 == count)?;
        key.seal_in_place_append_tag(nonce, Aad::empty(), &mut chunk)
            .map_err(|_| anyhow!("a chunk is too long"))?;
        sealed.append(&mut chunk);
    }
    Ok(sealed)
}

/// Decrypts.
///
/// # Errors
/// When it is no such file, another key has sealed it, or it is not as it was.
pub(super) fn open(key: &[u8; KEY], sealed: &[u8]) -> anyhow::Result<Vec<u8>> {
    let rest =
        sealed.strip_prefix(MAGIC).ok_or_else(|| anyhow!("it is no backup that this program knows"))?;
    let Some((salt, rest)) = rest.split_first_chunk::<SALT>() else { bail!("it is cut") };
    let key = of_file(key, salt)?;
    let count = rest.len().div_ceil(CHUNK + TAG);
    let mut plain = Vec::with_capacity(rest.len());
    for (number, chunk) in rest.chunks(CHUNK + TAG).enumerate() {
        let mut chunk = chunk.to_vec();
        let opened = key.open_in_place(nonce(number, number + 1 == count)?, Aad::empty(), &mut chunk);
        let opened = opened.map_err(|_| anyhow!("another key has encrypted it, or it is cut or changed"))?;
        plain.extend_from_slice(opened);
    }
    if count == 0 {
        bail!("it is cut");
    }
    Ok(plain)
}

/// The key of one file.
fn of_file(key: &[u8; KEY], salt: &[u8; SALT]) -> anyhow::Result<LessSafeKey> {
    let derived = Salt::new(HKDF_SHA256, salt).extract(key);
    let derived =
        derived.expand(&[MAGIC], &CHACHA20_POLY1305).map_err(|_| anyhow!("no key can be derived"))?;
    Ok(LessSafeKey::new(UnboundKey::from(derived)))
}

/// The nonce of a chunk.
fn nonce(number: usize, is_last: bool) -> anyhow::Result<Nonce> {
    let mut nonce = [0; NONCE_LEN];
    nonce[NONCE_LEN - 5..NONCE_LEN - 1].copy_from_slice(&u32::try_from(number)?.to_be_bytes());
    nonce[NONCE_LEN - 1] = u8::from(is_last);
    Ok(Nonce::assume_unique_for_key(nonce))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPERATORS: [u8; KEY] = [7; KEY];

    fn sealed(length: usize) -> (Vec<u8>, Vec<u8>) {
        let plain: Vec<_> = (0..length).map(|index| index.to_le_bytes()[0]).collect();
        let file = seal(&OPERATORS, &[3; SALT], &plain).unwrap();
        (plain, file)
    }

    #[test]
    fn what_was_sealed_opens_by_its_key_alone() {
        for length in [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK] {
            let (plain, file) = sealed(length);
            assert_eq!(open(&OPERATORS, &file).unwrap(), plain, "{length}");
            assert!(open(&[8; KEY], &file).is_err(), "{length}");
        }
        assert!(!sealed(40).1.windows(8).any(|part| sealed(40).0.starts_with(part)), "it is encrypted");
    }

    #[test]
    fn a_file_that_is_cut_longer_or_changed_anywhere_does_not_open() {
        let (_, file) = sealed(2 * CHUNK + 5);
        let whole = MAGIC.len() + SALT;
        let chunk = CHUNK + TAG;
        // Between chunks too: the last of those that are left says that it is not the last.
        for length in [0, MAGIC.len(), whole, whole + 1, whole + chunk, whole + 2 * chunk, file.len() - 1] {
            assert!(open(&OPERATORS, &file[..length]).is_err(), "{length}");
        }
        assert!(open(&OPERATORS, &[&file[..], &[0]].concat()).is_err());
        for place in [0, MAGIC.len(), whole, whole + chunk + 1, file.len() - 1] {
            let mut changed = file.clone();
            changed[place] ^= 1;
            assert!(open(&OPERATORS, &changed).is_err(), "{place}");
        }
        let exchanged = [
            &file[..whole],
            &file[whole + chunk..whole + 2 * chunk],
            &file[whole..whole + chunk],
            &file[whole + 2 * chunk..],
        ];
        assert!(open(&OPERATORS, &exchanged.concat()).is_err());
    }

    #[test]
    fn files_of_one_key_have_keys_of_their_own() {
        let one = seal(&OPERATORS, &[1; SALT], b"the same").unwrap();
        let other = seal(&OPERATORS, &[2; SALT], b"the same").unwrap();
        assert_ne!(one[MAGIC.len() + SALT..], other[MAGIC.len() + SALT..]);
    }
}
