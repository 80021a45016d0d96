//! Scans of a partition, without a log.

use std::sync::Arc;

use arb_engine::effect::Effect;
use arb_engine::input::{Coordinate, Coverage, Event, Frame, Input, PollEnd, Tick};
use arb_engine::market::{Bet, Market, Outcome, Policy, Side};
use arb_engine::odds::Price;
use arb_schemas::records::{BoardEntry, ScanResult};
use arb_schemas::wire::decode;

use super::*;

const SECOND: i64 = 1_000_000;

fn engine() -> Engine {
    Engine::with_books(Policy::Board, Arc::default())
}

fn poll(engine: &mut Engine, source: &str, seconds: i64, books: &[&'static str]) {
    let received_at = seconds * SECOND;
    let tick = |book, outcome| Tick {
        book,
        bet: Bet::new(Market::parse("h2h").unwrap(), outcome, Side::Back, None).unwrap(),
        price: Price::from_decimal("2.1").unwrap(),
        odds_format: arb_engine::odds::OddsFormat::Unknown,
        limit: None,
        suspended: false,
        last_seen_at: received_at - SECOND,
        price_moved_at: None,
    };
    let ticks = books.iter().flat_map(|book| [tick(book, Outcome::Home), tick(book, Outcome::Away)]);
    let event = Event {
        id: "e",
        sport: "tennis",
        league: "tennis_atp",
        home: "H",
        away: "A",
        commence_time: 3_600 * SECOND,
    };
    let coverage = Coverage::default();
    let (poll_index, ticks) = (Some(0), ticks.collect());
    let frame = Frame {
        source,
        received_at,
        poll_index,
        event,
        coverage: coverage.clone(),
        ticks,
        links: vec![],
        push: None,
    };
    let end = PollEnd { source, received_at, league: None, coverage, frames: 1 };
    let mut effects: Vec<Effect> = Vec::new();
    let at = Coordinate { topic: "t", partition: 0, offset: seconds };
    engine.step(at, &Input::Frame(frame), &mut effects);
    engine.step(at, &Input::PollEnd(end), &mut effects);
}

fn request(id: &str) -> ScanRequest {
    let (id, sport, requested_at) = (id.to_owned(), Some("tennis".to_owned()), 20 * SECOND);
    ScanRequest { id, sport, requested_at, ..ScanRequest::default() }
}

fn begin(
    scans: &mut Scans,
    engine: &Engine,
    source: &str,
    request: ScanRequest,
    offset: i64,
) -> MarkerEffect {
    let begin = ScanBegin { source: source.to_owned(), request };
    scans.step(engine, &ScanMarker::Begin(Box::new(begin)), (0, offset)).unwrap()
}

fn end(scans: &mut Scans, engine: &Engine, source: &str, polled: Option<i64>) -> Option<ScanResult> {
    let end = ScanEnd {
        scan: "x".to_owned(),
        source: source.to_owned(),
        outcome: "polled".to_owned(),
        polled_at: polled.map(|seconds| seconds * SECOND),
        credits: 0,
    };
    match scans.step(engine, &ScanMarker::End(end), (0, 99)).unwrap() {
        MarkerEffect::Answered(output) => Some(decode(&output.value.unwrap()).unwrap()),
        _ => None,
    }
}

/// Of each source: its outcome, quotes on offer, quotes that were asked for, quotes that the book confirmed after the request.
fn sources(result: &ScanResult) -> Vec<(&str, &str, i32, i32, i32)> {
    let line = |source: &'_ arb_schemas::records::ScanSource| (source.quotes, source.asked, source.confirmed);
    let named = result.sources.iter().map(|source| {
        let (quotes, asked, confirmed) = line(source);
        (&*source.source, &*source.outcome, quotes, asked, confirmed)
    });
    named.collect()
}

#[test]
fn only_quotes_of_the_named_poll_after_the_begin_marker_were_asked_for() {
    let (mut engine, mut scans) = (engine(), Scans::default());
    poll(&mut engine, "s", 10, &["a", "b"]);
    begin(&mut scans, &engine, "s", request("x"), 1);
    let before = end(&mut scans, &engine, "s", Some(10)).unwrap();
    assert_eq!(sources(&before), [("s", "polled", 4, 0, 0)], "the poll is from before the marker");
    poll(&mut engine, "s", 21, &["a", "b"]);
    let other = end(&mut scans, &engine, "s", Some(22)).unwrap();
    assert_eq!(sources(&other), [("s", "polled", 4, 0, 0)], "another poll of the source");
    let asked = end(&mut scans, &engine, "s", Some(21)).unwrap();
    assert_eq!(sources(&asked), [("s", "polled", 4, 4, 4)]);
    assert_eq!((asked.events, asked.arbs.len(), asked.as_of), (1, 1, 21 * SECOND));
    assert_eq!(asked.arbs[0].asked, [true, true]);
    assert_eq!(&*decode::<BoardEntry>(&asked.arbs[0].entry.0).unwrap().event.id, "e");
}

/// An answer is computed from all that is scanned, however many sources answer it.
#[test]
fn of_several_sources_the_first_that_ends_and_the_last_are_answered() {
    let (mut engine, mut scans) = (engine(), Scans::default());
    let names = ["a", "b", "c", "d", "e"];
    for name in names {
        begin(&mut scans, &engine, name, request("x"), 1);
    }
    for (name, book) in names.into_iter().zip(["a", "b", "c", "d", "e"]) {
        poll(&mut engine, name, 21, &[book]);
    }
    let answers: Vec<_> = names.iter().map(|name| end(&mut scans, &engine, name, Some(21))).collect();
    let answered: Vec<_> = answers.iter().map(Option::is_some).collect();
    assert_eq!(answered, [true, false, false, false, true]);
    let (first, last) = (answers[0].as_ref().unwrap(), answers[4].as_ref().unwrap());
    assert_eq!(sources(first)[4], ("e", "pending", 2, 0, 0));
    let all: Vec<_> = names.iter().map(|name| (*name, "polled", 2, 2, 2)).collect();
    assert_eq!(sources(last), all, "the last has what all were asked for");
    assert!(end(&mut scans, &engine, "b", Some(21)).is_some(), "one that ends again");
}

#[test]
fn a_source_that_has_quotes_and_has_not_begun_is_silent() {
    let (mut engine, mut scans) = (engine(), Scans::default());
    poll(&mut engine, "other", 10, &["c"]);
    begin(&mut scans, &engine, "s", request("x"), 1);
    poll(&mut engine, "s", 20, &["a"]);
    let result = end(&mut scans, &engine, "s", Some(20)).unwrap();
    assert_eq!(sources(&result), [("other", "silent", 2, 0, 0), ("s", "polled", 2, 2, 0)]);
    begin(&mut scans, &engine, "other", request("x"), 2);
    assert!(end(&mut scans, &engine, "s", Some(20)).is_none(), "the other one is awaited");
    let result = end(&mut scans, &engine, "other", Some(10)).unwrap();
    assert_eq!(sources(&result)[0], ("other", "polled", 2, 0, 0));
}

#[test]
fn what_is_scanned_is_what_the_request_names() {
    let quotes = |request: ScanRequest| {
        let (mut engine, mut scans) = (engine(), Scans::default());
        begin(&mut scans, &engine, "s", request, 1);
        poll(&mut engine, "s", 20, &["a", "b"]);
        let result = end(&mut scans, &engine, "s", Some(20)).unwrap();
        (result.sources[0].quotes, result.arbs.len())
    };
    let with = |change: fn(&mut ScanRequest)| {
        let mut request = request("x");
        change(&mut request);
        quotes(request)
    };
    assert_eq!(with(|_| {}), (4, 1));
    assert_eq!(with(|scan| scan.sport = Some("tennis_atp".into())), (4, 1));
    assert_eq!(with(|scan| scan.sport = Some("soccer".into())), (0, 0));
    assert_eq!(with(|scan| scan.league = Some("tennis".into())), (0, 0));
    assert_eq!(with(|scan| scan.event_ids = vec!["e".into(), "f".into()]), (4, 1));
    assert_eq!(with(|scan| scan.event_ids = vec!["f".into()]), (0, 0));
    assert_eq!(with(|scan| scan.event_group = Some("tennis_atp/1970-01-01".into())), (4, 1));
    assert_eq!(with(|scan| scan.event_group = Some("tennis_atp/1970-01-02".into())), (0, 0));
    assert_eq!(with(|scan| scan.markets = vec!["totals".into()]), (0, 0));
    assert_eq!(with(|scan| scan.books = vec!["a".into()]), (2, 1));
    assert_eq!(with(|scan| scan.min_margin = 0.06), (4, 0));
    assert_eq!(with(|scan| scan.min_margin = 0.04), (4, 1));
}

#[test]
fn the_oldest_scan_is_forgotten_and_the_state_does_not_grow() {
    let (engine, mut scans) = (engine(), Scans::default());
    for number in 0..300 {
        let id = format!("scan {number:03}");
        assert_eq!(begin(&mut scans, &engine, "s", request(&id), number), MarkerEffect::Noted);
        if number % 7 == 0 {
            scans.apply();
        }
    }
    assert_eq!(
        (scans.all().count(), scans.get("scan 043"), scans.get("scan 044").is_some()),
        (256, None, true)
    );
    let removed = scans.changes().filter(|change| change.as_ref().unwrap().value.is_none()).count();
    assert!(removed > 0, "tombstones are written");
}

#[test]
fn what_is_too_long_is_refused() {
    let (engine, mut scans) = (engine(), Scans::default());
    let long = "x".repeat(NAME_BYTES + 1);
    for request in [
        ScanRequest { id: long.clone(), ..request("x") },
        ScanRequest { league: Some(long.clone()), ..request("x") },
        ScanRequest { books: vec![long.clone()], ..request("x") },
        ScanRequest { event_ids: vec!["e".to_owned(); 101], ..request("x") },
    ] {
        assert!(matches!(begin(&mut scans, &engine, "s", request, 1), MarkerEffect::Refused(_)));
    }
    assert!(matches!(begin(&mut scans, &engine, &long, request("x"), 1), MarkerEffect::Refused(_)));
    assert_eq!(end(&mut scans, &engine, "s", Some(1)), None, "a scan that never began");
}

#[test]
fn an_abort_drops_a_scan_and_a_restore_puts_it_back() {
    let (engine, mut scans) = (engine(), Scans::default());
    begin(&mut scans, &engine, "s", request("x"), 1);
    let value = scans.changes().next().unwrap().unwrap().value.unwrap();
    scans.abort();
    assert_eq!(end(&mut scans, &engine, "s", Some(1)), None);
    scans.restore(decode(&value).unwrap());
    assert!(end(&mut scans, &engine, "s", Some(1)).is_some());
}

/// A poll that names an event and has no prices of it, as one whose frame was too long for its topic.
fn repeat(engine: &mut Engine, scans: &mut Scans, seconds: i64) {
    let (received_at, source) = (seconds * SECOND, "s");
    let event = Event {
        id: "e",
        sport: "tennis",
        league: "tennis_atp",
        home: "H",
        away: "A",
        commence_time: 3_600 * SECOND,
    };
    let nothing = Coverage { books: Some(vec![]), markets: Some(vec![]) };
    let (poll_index, ticks) = (Some(0), Vec::new());
    let frame =
        Frame { source, received_at, poll_index, event, coverage: nothing, ticks, links: vec![], push: None };
    let end = PollEnd { source, received_at, league: None, coverage: Coverage::default(), frames: 1 };
    let mut effects: Vec<Effect> = Vec::new();
    let at = Coordinate { topic: "t", partition: 0, offset: seconds };
    let step = engine.step(at, &Input::Frame(frame), &mut effects);
    assert!(step.is_repeat);
    scans.note_repeat(source, received_at, "e");
    engine.step(at, &Input::PollEnd(end), &mut effects);
}

#[test]
fn prices_that_a_poll_repeated_were_not_asked_for() {
    let (mut engine, mut scans) = (engine(), Scans::default());
    poll(&mut engine, "s", 10, &["a", "b"]);
    begin(&mut scans, &engine, "s", request("x"), 1);
    repeat(&mut engine, &mut scans, 21);
    scans.apply();
    let repeated = end(&mut scans, &engine, "s", Some(21)).unwrap();
    assert_eq!(sources(&repeated), [("s", "polled", 4, 0, 0)], "they stay on offer");
    assert_eq!(repeated.arbs[0].asked, [false, false]);
    poll(&mut engine, "s", 31, &["a", "b"]);
    let asked = end(&mut scans, &engine, "s", Some(31)).unwrap();
    assert_eq!(sources(&asked), [("s", "polled", 4, 4, 4)]);
}

#[test]
fn what_a_poll_repeated_is_in_the_changelog_while_a_scan_waits() {
    let (mut engine, mut scans) = (engine(), Scans::default());
    poll(&mut engine, "s", 10, &["a", "b"]);
    repeat(&mut engine, &mut scans, 15);
    assert_eq!(scans.changes().count(), 0, "nobody waits for it");
    begin(&mut scans, &engine, "s", request("x"), 1);
    repeat(&mut engine, &mut scans, 21);
    let change = scans.changes().map(Result::unwrap).find(|change| change.key == "repeats/s").unwrap();
    let record: StateScanRepeats = decode(&change.value.unwrap()).unwrap();
    assert_eq!((&record.events, record.is_all), (&vec!["e".to_owned()], false));
    scans.apply();
    scans.repeats = Repeats::default();
    assert_eq!(sources(&end(&mut scans, &engine, "s", Some(21)).unwrap())[0].3, 4, "it was forgotten");
    scans.restore_repeats(record);
    assert_eq!(sources(&end(&mut scans, &engine, "s", Some(21)).unwrap())[0].3, 0, "it was put back");
    (0..2_000).for_each(|number| scans.repeats.note("s", 21 * SECOND, &number.to_string()));
    assert!(scans.repeats.changes().map(Result::unwrap).all(|change| change.value.unwrap().len() < 10_000));
    assert_eq!(sources(&end(&mut scans, &engine, "s", Some(21)).unwrap())[0].3, 0, "all of the poll");
}

#[test]
fn another_worker_that_takes_a_scan_up_takes_nothing_back() {
    let (mut engine, mut scans) = (engine(), Scans::default());
    poll(&mut engine, "s", 10, &["a"]);
    begin(&mut scans, &engine, "s", request("x"), 1);
    begin(&mut scans, &engine, "s", request("x"), 2);
    poll(&mut engine, "s", 21, &["a"]);
    assert_eq!(sources(&end(&mut scans, &engine, "s", Some(21)).unwrap()), [("s", "polled", 2, 2, 2)]);
    assert_eq!(begin(&mut scans, &engine, "s", request("x"), 3), MarkerEffect::Noted);
    let (scan, source, outcome) = ("x".to_owned(), "s".to_owned(), "polled_recently".to_owned());
    let again = ScanEnd { scan, source, outcome, polled_at: None, credits: 0 };
    let effect = scans.step(&engine, &ScanMarker::End(again), (0, 99)).unwrap();
    assert_eq!(effect, MarkerEffect::Noted, "the poll for the scan stays");
    assert_eq!(sources(&end(&mut scans, &engine, "s", Some(21)).unwrap()), [("s", "polled", 2, 2, 2)]);
}
