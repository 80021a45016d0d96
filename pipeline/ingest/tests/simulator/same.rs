//! What is on offer is a question of the seed and the time alone.

use arb_ingest::simulator::{Settings, Simulator};
use arb_ingest::source::Poll;
use arb_schemas::records::Side;
use arb_schemas::time::{Micros, SECOND};

const START: Micros = 1_800_000_000 * SECOND;

fn settings(seed: u64) -> Settings {
    Settings { seed, start: START, every: 900 * SECOND, events: 16, books: 10, exchange: false, short: 0 }
}

fn lines(settings: Settings, polls: usize) -> Vec<String> {
    let mut market = Simulator::new(settings);
    (0..polls).map(|_| market.next_line()).collect()
}

#[test]
fn a_seed_gives_the_same_bytes_and_another_seed_others() {
    assert_eq!(lines(settings(1), 50), lines(settings(1), 50));
    assert_ne!(lines(settings(1), 50), lines(settings(2), 50));
}

/// On this machine and any other: there is nothing in it that machines do differently.
#[test]
fn the_bytes_are_these() {
    let sum = lines(settings(1), 100)
        .iter()
        .flat_map(|line| line.bytes())
        .fold(0_u64, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    assert_eq!(format!("{sum:016x}"), "832940846a660e5f");
}

#[test]
fn a_market_that_was_cut_goes_on_where_it_was() {
    let whole = lines(settings(3), 120);
    for cut in [1, 37, 100] {
        let resumed = Settings { start: START + cut * 900 * SECOND, ..settings(3) };
        let cut = usize::try_from(cut).unwrap();
        assert_eq!(lines(resumed, 120 - cut), whole[cut..]);
    }
}

#[test]
fn frequent_and_rare_polls_see_the_same_market() {
    let often = lines(Settings { every: 9 * SECOND, ..settings(4) }, 1_001);
    for every in [7, 13, 100] {
        let seldom = Settings { every: every * 9 * SECOND, ..settings(4) };
        let every = usize::try_from(every).unwrap();
        assert!(often.iter().step_by(every).eq(&lines(seldom, 1_000 / every + 1)));
    }
}

/// It has backs and lays with limits, and a lay price is never below the back price.
#[test]
fn an_exchange_leaves_the_books_as_they_are() {
    let poll = |exchange| Simulator::new(Settings { exchange, ..settings(6) }).poll_at(START);
    let (with, without) = (poll(true), poll(false));
    let mut laid = 0;
    for ((_, offers), (_, expected)) in with.events.iter().zip(&without.events) {
        let (exchange, books): (Vec<_>, Vec<_>) =
            offers.iter().cloned().partition(|offer| offer.book == "hollyexchange");
        assert_eq!(&books, expected);
        let ticks =
            |side| exchange.iter().flat_map(move |offer| offer.ticks.iter().filter(move |t| t.side == side));
        assert!(exchange.iter().flat_map(|offer| &offer.ticks).all(|tick| tick.limit >= Some(2_000)));
        for lay in ticks(Side::Lay) {
            let back = ticks(Side::Back).find(|back| back.outcome == lay.outcome).unwrap();
            assert!(lay.price >= back.price, "{lay:?} {back:?}");
            laid += 1;
        }
    }
    assert!(laid > 20, "{laid}");
}

/// The prices of some books do not depend on which others there are.
#[test]
fn more_books_leave_those_that_are_there_as_they_are() {
    let poll = |books: usize| Simulator::new(Settings { books, ..settings(5) }).poll_at(START);
    let (few, many) = (poll(4), poll(40));
    let of = |poll: &Poll| poll.events.iter().map(|(_, offers)| offers.len()).sum::<usize>();
    assert!(of(&many) > 8 * of(&few));
    for ((event, few), (other, many)) in few.events.iter().zip(&many.events) {
        assert_eq!(event, other);
        assert!(few.iter().eq(many.iter().take(few.len())));
    }
}

#[test]
fn matches_come_begin_and_end() {
    let mut market = Simulator::new(settings(6));
    let mut seen = std::collections::BTreeMap::new();
    for poll in 0..200 {
        let at = START + poll * 900 * SECOND;
        let events = market.poll_at(at).events;
        assert!((14..=16).contains(&events.len()), "{}", events.len());
        assert!(events.is_sorted_by_key(|(event, _)| event.commence_time));
        for (event, _) in events {
            let (before, in_play, last) = seen.entry(event.id).or_insert((0, 0, poll));
            *(if event.commence_time.0 <= at { in_play } else { before }) += 1;
            assert!(poll - *last <= 1, "one that has ended does not come back");
            *last = poll;
        }
    }
    let whole = seen.values().filter(|(before, in_play, last)| *before > 65 && *in_play > 5 && *last < 199);
    assert!(whole.count() > 16, "{seen:?}");
}
