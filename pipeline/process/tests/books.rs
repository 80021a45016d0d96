//! The table of books has every book that the simulated market and the recordings name; its page, and its rows that are to be checked.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![expect(clippy::disallowed_methods, reason = "how old rows are today, and a switch of a test alone")]

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use arb_engine::odds::Price;
use arb_engine::venues::{Books, DatedFee, Evidence, Fee};
use arb_ingest::simulator::{Settings, Simulator};
use arb_ingest::source::Source;
use arb_model::Faults;
use arb_model::time::{Micros, parse_rfc3339, to_date};
use arb_process::books::CHECKED_WITHIN;

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

/// What `.ci/run` shows: it never fails, for a row that is old may still be true.
#[test]
fn rows_that_nobody_checked_of_late_are_printed() {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_micros();
    let since = Micros::try_from(now).unwrap() - CHECKED_WITHIN;
    for row in arb_process::books::shipped().unwrap().unchecked_since(since) {
        println!("NOTICE: pipeline/books.toml, {row}: not compared with its source within 90 days");
    }
}

/// A rate in percent.
fn percent(ppm: u32) -> String {
    format!("{} %", f64::from(ppm) / 1e4)
}

fn fee_text(fee: &DatedFee) -> String {
    let what = match fee.fee {
        Fee::None => "none".to_owned(),
        Fee::Commission { ppm } => format!("{} of winnings", percent(ppm)),
        Fee::Kalshi { multiplier_ppm: rate } => {
            format!("{} · p(1 − p), rounded up to $0.0001 an order", percent(rate))
        }
        Fee::Polymarket { rate_ppm } => {
            format!("{} · p(1 − p), to the nearest $0.00001 an order", percent(rate_ppm))
        }
    };
    let league = fee.league.as_ref().map(|league| format!(" in `{league}`"));
    format!("{what}{}, from {}", league.unwrap_or_default(), to_date(fee.evidence.from))
}

/// A row of the page: what is stated, when it was checked, and where.
fn row(what: &str, evidence: &Evidence) -> String {
    let checked = evidence.checked_at.map_or("never".to_owned(), to_date);
    format!("| {what} | {checked} | {} |\n", evidence.source.replace('|', "\\|"))
}

/// The page of books: fees and rules as the table has them.
fn page(books: &Books) -> String {
    let (mut fees, mut rules) = (Vec::<(&DatedFee, Vec<String>)>::new(), BTreeMap::new());
    for key in books.keys() {
        let book = books.get(key);
        if let Some(of) = &book.rules {
            let books = &mut rules.entry(of.group.to_string()).or_insert((of, Vec::new())).1;
            books.push(format!("`{key}`"));
        }
        for fee in &book.fees {
            // Books of one row share its text.
            let is_row =
                |row: &&mut (&DatedFee, _)| Arc::ptr_eq(&row.0.evidence.source, &fee.evidence.source);
            match fees.iter_mut().find(is_row) {
                Some((_, books)) => books.push(format!("`{key}`")),
                None => fees.push((fee, vec![format!("`{key}`")])),
            }
        }
    }
    let of = |(fee, books): &(&DatedFee, Vec<String>)| {
        row(&format!("{} | {}", books.join(", "), fee_text(fee)), &fee.evidence)
    };
    let fees: String = fees.iter().map(of).collect();
    let mut page = format!("{HEAD}{FEES}{fees}{RULES}");
    for (name, (rules, books)) in rules {
        page += &row(&format!("{name} | {} | {}", books.join(", "), rules.says), &rules.evidence);
    }
    page
}

const HEAD: &str = "\
# Fees and rules of the books

Generated from `pipeline/books.toml` (`ARB_WRITE_BOOKS=1 cargo test -p arb-process --test books`). `GET /v1/books` shows the same of each book, and of the table that the server was given. A rule that is
not known agrees with none; a fee that is not known is the highest of its kind: an exchange that is in no table is taken to keep 10 % of winnings, a prediction market 7 % · p(1 − p), a bookmaker nothing beyond its price.
*Checked* is the day on which somebody last compared the row with its source.
";
const FEES: &str = "
## Fees

A book that is not listed keeps nothing beyond its price.

| book | fee of a taker | checked | source |
|---|---|---|---|
";
const RULES: &str = "
## Settlement rules

Books of one group settle alike; a book that is in none agrees with no other, so no window with a leg at it has `same_rules`.

| group | books | rules | checked | source |
|---|---|---|---|---|
";

#[test]
fn the_page_of_fees_and_rules_is_that_of_the_table() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/books.md");
    let page = page(&arb_process::books::shipped().unwrap());
    if std::env::var_os("ARB_WRITE_BOOKS").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let stored = std::fs::read_to_string(path).unwrap_or_default();
    assert!(stored == page, "ARB_WRITE_BOOKS=1 cargo test -p arb-process --test books");
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
