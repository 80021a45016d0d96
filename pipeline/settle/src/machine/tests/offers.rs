//! Which later offers of a pick are taken in. It never looks at a grading.

use arb_model::{LaterOffer, Price};

use super::*;

fn offer(after: Micros, is_next_poll: bool, millionths: Option<i64>) -> PickOffer {
    let pick = pick_id::of(&pick_id::slot(&recorded()), Time(START - 5 * HOUR));
    let last_seen_at = Time(START - 5 * HOUR + after);
    PickOffer { pick, is_next_poll, price: millionths.map(price), last_seen_at }
}

/// The candidate of a recording, which is published at its own time.
pub(super) fn recorded() -> PickCandidate {
    PickCandidate { feed: "recorded".into(), ..candidate() }
}

/// The price in millionths, where there was one, and seconds after publishing: at the next poll, and after a minute.
type Shown = [Option<(Option<u32>, i64)>; 2];

/// The offers of a recorded pick after observations, and how many of them were taken in.
fn offers_of(observed: &[PickOffer]) -> (Shown, u64) {
    let mut bench = Bench::new(3);
    bench.step(&Task::Candidate(Box::new(recorded())));
    for offer in observed {
        bench.step(&Task::Offer(offer.clone()));
    }
    let pick = bench.published().pop().unwrap();
    let shown = |offer: Option<LaterOffer>| {
        let after = |at: Time| (at.0 - pick.published_at.0) / SECOND;
        offer.map(|offer| (offer.price.map(Price::millionths), after(offer.last_seen_at)))
    };
    assert_eq!(bench.tally.offers + bench.tally.repeated, observed.len() as u64);
    let shown = [pick.offer_after_poll.clone(), pick.offer_after_minute.clone()].map(shown);
    (shown, bench.tally.offers)
}

#[test]
fn the_earliest_offers_after_publishing_count_in_whichever_order_they_come() {
    let observed = [
        offer(40 * SECOND, true, Some(2_000_000)),
        offer(30 * SECOND, true, Some(2_100_000)),
        offer(90 * SECOND, false, None),
        offer(60 * SECOND, false, Some(2_200_000)),
        offer(60 * SECOND, false, Some(2_200_000)),
    ];
    let expected = [Some((Some(2_100_000), 30)), Some((Some(2_200_000), 60))];
    assert_eq!(offers_of(&observed), (expected, 4));
    let reversed: Vec<_> = observed.into_iter().rev().collect();
    assert_eq!(offers_of(&reversed).0, expected);
    assert_eq!(offers_of(&[offer(75 * SECOND, true, None)]).0, [Some((None, 75)); 2], "one can be both");
}

#[test]
fn what_is_no_later_offer_is_not_taken_in() {
    let none = ([None, None], 0);
    assert_eq!(offers_of(&[offer(0, true, None), offer(5 * HOUR, true, None)]), none, "published; started");
    assert_eq!(offers_of(&[offer(59 * SECOND, false, None), offer(120 * SECOND, false, None)]), none);
    let mut bench = Bench::new(5);
    bench.pick(|_| {});
    let id = bench.published().remove(0).id;
    bench.step(&Task::Offer(PickOffer { pick: id, ..offer(60 * SECOND, true, None) }));
    assert_eq!((bench.tally.offers, bench.published().len()), (0, 1), "simulated books lag by construction");
    let mut bench = Bench::new(3);
    bench.step(&Task::Candidate(Box::new(recorded())));
    bench.result("finished", Some((2, 0)), START + 2 * HOUR);
    bench.step(&Task::Offer(offer(60 * SECOND, true, None)));
    assert_eq!(bench.tally.offers, 0, "what the record is computed from does not change after grading");
}
