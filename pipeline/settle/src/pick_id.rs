//! The id of a pick: its slot, which is a bot, a version, a feed, an event and a market, and when it was published.
//!
//! A slot never depends on the bet or its price, so that a bot has one pick a market. An id never names two picks: a slot that was
//! forgotten and is taken again has another time.

use arb_model::Time;
use arb_schemas::records::PickCandidate;
use arb_schemas::time::SECOND;
use sha2::{Digest, Sha256};

/// The id of a pick of a slot: the slot, `_` and the second at which it was published.
#[must_use]
pub fn of(slot: &str, published_at: Time) -> String {
    format!("{slot}_{}", published_at.0.div_euclid(SECOND))
}

/// The slot of the pick with an id.
#[must_use]
pub fn slot_of(id: &str) -> &str {
    id.rsplit_once('_').map_or(id, |(slot, _)| slot)
}

/// The slot of a candidate: `pick_` and 32 hexadecimal digits.
#[must_use]
pub fn slot(candidate: &PickCandidate) -> String {
    let PickCandidate { bot, version, feed, event, market, period, .. } = candidate;
    let parts =
        [bot, version.to_string().as_str(), feed.as_str(), &event.id, market.as_str(), period.as_str()]
            .map(|part| format!("{}:{part}", part.len()));
    let digest = Sha256::digest(parts.concat());
    let first = digest.iter().take(16).fold(0, |number, byte| number << 8 | u128::from(*byte));
    format!("pick_{first:032x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_market_of_a_bot_is_one_pick_whatever_the_bet() {
        let one =
            PickCandidate { bot: "a".into(), version: 1, market: "h2h".into(), ..PickCandidate::default() };
        assert_eq!(
            slot(&one),
            slot(&PickCandidate { outcome: "away".into(), probability: 0.4, ..one.clone() })
        );
        for other in [
            PickCandidate { bot: "a1".into(), ..one.clone() },
            PickCandidate { version: 2, ..one.clone() },
            PickCandidate { feed: "live".into(), ..one.clone() },
            PickCandidate { market: "totals".into(), ..one.clone() },
            PickCandidate { period: "h1".into(), ..one.clone() },
        ] {
            assert_ne!(slot(&one), slot(&other));
        }
    }

    #[test]
    fn an_id_has_its_slot_and_its_second() {
        let slot = slot(&PickCandidate::default());
        let id = of(&slot, Time(90 * SECOND + 1));
        assert_eq!((slot_of(&id), id.strip_prefix(&slot)), (slot.as_str(), Some("_90")));
    }
}
