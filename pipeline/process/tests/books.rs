//! The table of books has every book that the simulated market and the recordings name.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeSet;
use std::io::Read;
use std::path::PathBuf;

use arb_engine::odds::Price;
use arb_ingest::simulator::{Settings, Simulator};
use arb_ingest::source::Source;
use arb_model::Faults;
use arb_model::time::parse_rfc3339;

#[test]
fn every_book_of_the_simulated_market_is_in_it() {
    let books = arb_process::books::shipped().unwrap();
    let mut market = Simulator::new(Settings { events: 8, books: 40, ..Settings::default() });
    let poll = market.next_poll(&mut Faults::default()).unwrap().unwrap();
    let named: BTreeSet<_> =
        poll.events.iter().flat_map(|(_, offers)| offers).map(|offer| offer.book.as_str()).collect();
    assert!(named.len() > 30, "{named:?}");
    let missing: Vec<_> = named.iter().filter(|key| !books.get(key).known).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// A back at Polymarket and one at a bookmaker, 2.00 and 2.04: .5 + .03/4 + 1/2.04 is .9977, .5 + .05/4 + 1/2.04 is 1.0027.
#[test]
fn a_bet_at_polymarket_costs_the_rate_of_its_day() {
    let books = arb_process::books::shipped().unwrap();
    let margin = |at: &str| {
        let fee = books.get("polymarket").fee_in("basketball_nba", parse_rfc3339(at).unwrap());
        let left = fee.back(Price::from_decimal("2.00").unwrap()).unwrap();
        let other = Price::from_decimal("2.04").unwrap();
        let margin = 1.0 / (left.implied_probability() + other.implied_probability()) - 1.0;
        format!("{:.2} %", margin * 100.0)
    };
    assert_eq!(margin("2026-07-09T23:59:59Z"), "0.23 %");
    assert_eq!(margin("2026-07-10T00:00:00Z"), "-0.27 %");
}

/// The names of books in the beginning of a recording: that of some polls has all.
fn named_in(path: &std::path::Path) -> BTreeSet<String> {
    let mut decoder = zstd::Decoder::new(std::fs::File::open(path).unwrap()).unwrap();
    decoder.window_log_max(27).unwrap();
    let mut bytes = Vec::new();
    decoder.take(64 << 20).read_to_end(&mut bytes).unwrap();
    let text = String::from_utf8_lossy(&bytes);
    let keys = text.split("\"key\":").skip(1).filter_map(|rest| {
        let (key, rest) = rest.trim_start().strip_prefix('"')?.split_once('"')?;
        // Markets have keys, too, and no title.
        rest.trim_start_matches([',', ' ']).starts_with("\"title\"").then(|| key.to_owned())
    });
    let columns = text.lines().skip(1).filter_map(|line| line.split(',').nth(4)).map(str::to_owned);
    if path.to_string_lossy().contains(".csv") { columns.collect() } else { keys.collect() }
}

#[test]
fn every_book_of_the_recordings_is_in_it() {
    let books = arb_process::books::shipped().unwrap();
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let files = ["the-odds-api", "betfair-exchange"].map(|name| std::fs::read_dir(folder.join(name)));
    let mut missing = BTreeSet::new();
    for path in files.into_iter().flatten().flatten().map(|entry| entry.unwrap().path()) {
        let named = named_in(&path);
        assert!(named.len() >= 9, "{}: {named:?}", path.display());
        missing.extend(named.into_iter().filter(|key| !books.get(key).known));
    }
    if !folder.exists() {
        println!("NOTE: {} is absent: the books of recordings are not looked for", folder.display());
    }
    assert!(missing.is_empty(), "{missing:?}");
}
