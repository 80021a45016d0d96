//! Ids of what is published: 16 bytes, the same in every replay.
//!
//! It never draws a random number.

use sha2::{Digest, Sha256};

/// The id of a window: 16 bytes, unique to its key and the record that opened it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WindowId(pub [u8; 16]);

impl std::fmt::Display for WindowId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// The id of a signal: 16 bytes, unique to its subject and the record that opened it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SignalId(pub [u8; 16]);

impl std::fmt::Display for SignalId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:032x}", u128::from_be_bytes(self.0))
    }
}

/// The bytes of an id, by what it is unique to.
pub(crate) fn first_16(hash: Sha256) -> [u8; 16] {
    let mut id = [0; 16];
    id.copy_from_slice(&hash.finalize()[..16]);
    id
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_32_digits_of_the_first_half_of_a_hash() {
        // SHA-256 of "abc" (FIPS 180-2, appendix B.1).
        let id = first_16(Sha256::new_with_prefix("abc"));
        assert_eq!(WindowId(id).to_string(), "ba7816bf8f01cfea414140de5dae2223");
        assert_eq!(SignalId(id).to_string(), WindowId(id).to_string());
        assert_eq!(SignalId([0; 16]).to_string(), "0".repeat(32));
    }
}
