//! Proofs of work: how a caller goes on where a limit that many share is reached.
//!
//! A challenge is bound to a purpose, an address, an e-mail and a minute, and is secret until it is asked for. An answer is any text of
//! which the SHA-256 behind the challenge begins with [`BITS`] zero bits: 2^18 hashes on average. It never asks a clock, and never
//! remembers what was spent: [`throttle`](super::throttle) does.

use arb_accounts::secrets::Pepper;
use arb_schemas::time::{Micros, SECOND};
use sha2::{Digest, Sha256};

/// Zero bits that the hash of an answer begins with.
pub(crate) const BITS: u32 = 18;
/// Bytes of an answer at most.
pub(crate) const MAX_ANSWER: usize = 64;
/// Minutes before the present one whose challenge may still be answered.
const MINUTES_BACK: i64 = 2;
const MINUTE: Micros = 60 * SECOND;

/// What a challenge is bound to beside the minute.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bound<'a> {
    /// The path that is asked.
    pub(crate) path: &'a str,
    /// The address of the caller.
    pub(crate) address: &'a str,
    /// The e-mail of the request.
    pub(crate) email: &'a str,
}

/// The challenge of the minute of a moment, 64 hexadecimal digits.
pub(crate) fn challenge(pepper: &Pepper, bound: Bound<'_>, now: Micros) -> String {
    of_minute(pepper, bound, now.div_euclid(MINUTE))
}

fn of_minute(pepper: &Pepper, Bound { path, address, email }: Bound<'_>, minute: i64) -> String {
    pepper.hmac(&format!("/proof/{path}\n{address}\n{email}\n{minute}"))
}

/// The challenge that an answer solves: that of this minute or of one of the two before.
pub(crate) fn solved(pepper: &Pepper, bound: Bound<'_>, answer: &str, now: Micros) -> Option<String> {
    let minute = now.div_euclid(MINUTE);
    let challenges = (0..=MINUTES_BACK).map(|back| of_minute(pepper, bound, minute - back));
    challenges.into_iter().find(|challenge| answer.len() <= MAX_ANSWER && is_answer(challenge, answer, BITS))
}

/// Whether the hash of a challenge, a colon and an answer begins with so many zero bits.
fn is_answer(challenge: &str, answer: &str, bits: u32) -> bool {
    let hash = Sha256::digest(format!("{challenge}:{answer}").as_bytes());
    let zeros = hash.iter().position(|byte| *byte != 0).unwrap_or(hash.len());
    let rest = hash.get(zeros).map_or(0, |byte| byte.leading_zeros());
    u32::try_from(8 * zeros).is_ok_and(|whole| whole + rest >= bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Micros = 1_000_000 * MINUTE + 59 * SECOND;
    const BOUND: Bound<'_> =
        Bound { path: "/session/signup", address: "192.0.2.1", email: "one@example.com" };

    fn solve(challenge: &str) -> String {
        (0..u64::MAX)
            .map(|number| number.to_string())
            .find(|answer| is_answer(challenge, answer, BITS))
            .unwrap()
    }

    /// `printf challenge:889208 | sha256sum` prints 00003233960e...: 16 zero bits of the first two bytes, and two of 0x32.
    #[test]
    fn zero_bits_are_counted_from_the_first() {
        assert!(is_answer("challenge", "889208", 18));
        assert!(!is_answer("challenge", "889208", 19) && !is_answer("challenge", "889207", 18));
        assert!(is_answer("x", "", 0) && !is_answer("x", "", 257));
    }

    #[test]
    fn an_answer_is_good_for_its_address_email_path_and_three_minutes() {
        let pepper = Pepper::new(&[7; 32]);
        let asked = challenge(&pepper, BOUND, NOW);
        let answer = solve(&asked);
        for (later, expected) in [(0, true), (1, true), (120, true), (121, false), (-60, false)] {
            let found = solved(&pepper, BOUND, &answer, NOW + later * SECOND);
            assert_eq!(found.is_some(), expected, "{later} s later");
            assert!(found.is_none_or(|challenge| challenge == asked), "it is spent under one name");
        }
        for other in [
            Bound { address: "192.0.2.2", ..BOUND },
            Bound { email: "two@example.com", ..BOUND },
            Bound { path: "/session", ..BOUND },
        ] {
            assert_eq!(solved(&pepper, other, &answer, NOW), None, "{other:?}");
        }
        assert_eq!(solved(&Pepper::new(&[8; 32]), BOUND, &answer, NOW), None);
        assert_eq!(solved(&pepper, BOUND, &"0".repeat(MAX_ANSWER + 1), NOW), None);
    }
}
