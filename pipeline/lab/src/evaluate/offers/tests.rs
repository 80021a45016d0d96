//! One event of which a book pays more than the others, which `consensus` waits for.

use arb_schemas::records::Outcome;

use super::super::fixtures::{self, Polls};
use super::*;

const START: Micros = 7_200 * SECOND;

/// A poll so many seconds after the first one, with the price of the book on its home side; none where it has none.
fn poll((second, price): (i64, Option<i64>)) -> Poll {
    let offer =
        |book: &str, home: i64| fixtures::offer(book, &[(Outcome::Home, home), (Outcome::Away, 1_750)]);
    let others = ["a", "b", "c", "d", "e"].map(|book| offer(book, 2_050));
    let offers = others.into_iter().chain(price.map(|price| offer("high", price))).collect();
    fixtures::poll((1_000 + second) * SECOND, "tennis", START, offers)
}

/// The picks of `consensus` over polls.
fn played(polls: &[(i64, Option<i64>)]) -> Offered {
    let mut offered = Offered::default();
    let mut polls = Polls::new(polls.iter().copied().map(poll));
    offered.play(&mut polls, &fixtures::books(), &[]).unwrap();
    offered.picks.retain(|pick| pick.bot == "consensus");
    offered
}

/// Of the only pick: price in thousandths and seconds after publishing, at the next poll and after a minute.
fn later(polls: &[(i64, Option<i64>)]) -> [Option<(Option<i64>, i64)>; 2] {
    let offered = played(polls);
    let [pick] = &offered.picks[..] else { panic!("{} picks", offered.picks.len()) };
    assert_eq!((&*pick.book, pick.feed.as_str()), ("high", "recorded"));
    [&pick.offer_after_poll, &pick.offer_after_minute].map(|offer| {
        let LaterOffer { price, last_seen_at } = offer.as_ref()?;
        let after = (last_seen_at.0 - pick.published_at.0) / SECOND;
        Some((price.map(|price| i64::from(price.millionths()) / 1_000), after))
    })
}

#[test]
fn offers_after_publishing_are_those_of_the_polls() {
    let high = Some(2_600);
    assert_eq!(later(&[(0, high)]), [None, None], "no later poll");
    // A pick of a poll is published at the time up to which all is known, five seconds before it.
    assert_eq!(later(&[(0, high), (30, high), (60, high)]), [Some((high, 35)), Some((high, 65))]);
    let moved = later(&[(0, high), (40, high), (80, Some(2_400)), (90, high)]);
    assert_eq!(moved, [Some((high, 45)), Some((Some(2_400), 85))]);
    assert_eq!(later(&[(0, high), (40, None), (80, None)]), [Some((None, 45)), Some((None, 85))]);
    assert_eq!(later(&[(0, high), (300, high)]), [Some((high, 305)), None], "nothing about a minute later");
    assert_eq!(later(&[(0, high), (75, None)]), [Some((None, 80)); 2], "one poll is both");
}

#[test]
fn a_recording_that_is_cut_has_the_same_picks_and_offers() {
    let polls: Vec<_> = (0..8).map(|number| (30 * number, Some(2_600 - 10 * number))).collect();
    let whole = played(&polls).picks;
    for cut in 4..8 {
        assert_eq!(played(&polls[..cut]).picks, whole, "cut after {cut} polls");
    }
}

#[test]
fn a_report_has_what_was_observed_and_says_what_was_not() {
    let report = played(&[(0, Some(2_600)), (40, Some(2_600))]).to_string();
    let expected = "| consensus 2 | 1 | not available | 100.0 (1) | 45 | not available |";
    assert!(
        report.contains(expected) && report.contains("the returns of picks are not available"),
        "{report}"
    );
}
