//! The id of a response: 16 digits that no other response of this process has, and hardly one of another.
//!
//! A count from a random start, mixed, so that it costs no system call. It is no secret, and never proves anything.

use std::io::Write as _;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use warp::http::HeaderValue;

/// How many have been given.
static GIVEN: AtomicU64 = AtomicU64::new(0);
/// Where this process began.
static START: OnceLock<u64> = OnceLock::new();

/// The next one.
pub(crate) fn next() -> HeaderValue {
    let start = START.get_or_init(|| {
        let mut bytes = [0; 8];
        // Without random numbers processes share their ids, but each still gives another to every response.
        let _ = getrandom::fill(&mut bytes);
        u64::from_be_bytes(bytes)
    });
    let id = mix(start.wrapping_add(GIVEN.fetch_add(1, Ordering::Relaxed)));
    let mut digits = [0; 16];
    // There is room for all of them.
    let _ = write!(&mut digits[..], "{id:016x}");
    HeaderValue::from_bytes(&digits).unwrap_or_else(|_| unreachable!("digits"))
}

/// Another number for each number, that looks like none beside it.
///
/// Source: the finaliser of `SplitMix64` (Steele, Lea and Flood 2014), each step of which can be undone.
fn mix(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn no_two_are_the_same() {
        let ids: HashSet<_> = (0..10_000).map(|_| next()).collect();
        assert_eq!(ids.len(), 10_000);
        assert!(ids.iter().all(|id| id.len() == 16 && id.as_bytes().iter().all(u8::is_ascii_hexdigit)));
    }

    #[test]
    fn neighbours_look_like_strangers() {
        let differing: u32 = (0..1_000).map(|number| (mix(number) ^ mix(number + 1)).count_ones()).sum();
        assert!((28_000..36_000).contains(&differing), "{differing}");
    }
}
