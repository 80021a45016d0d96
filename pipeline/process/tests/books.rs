//! The table of books has every book that the simulated market and the recordings name; its page, and its rows that are to be checked.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![expect(clippy::disallowed_methods, reason = "how old rows are today, and a switch of a test alone")]

use std::collections::BTreeSet;
use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use arb_engine::odds::Price;
use arb_engine::venues::{
    Book, Books, Clause, DatedFee, Evidence, Fee, Least, Native, NativeForm, SizeStep, Sizes,
};
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

/// The page of books: fees and clauses as the table has them.
fn page(books: &Books) -> String {
    let mut fees = Vec::<(&DatedFee, Vec<String>)>::new();
    for key in books.keys() {
        for fee in &books.get(key).fees {
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
    let (forms, sizes, clauses, none) = (forms(books), sizes(books), clauses(books), without(books));
    format!("{HEAD}{FEES}{fees}{FORMS}{forms}{SIZES}{sizes}{CLAUSES}{clauses}{NONE}{none}")
}

/// What books have one clause, in which sports, by sentence and source.
type Sentence<'a> = (&'a Clause, Vec<&'a str>, Vec<&'a str>);

/// The clauses, those of one sentence and topic in one row.
fn clauses(books: &Books) -> String {
    let mut rows = Vec::<Sentence<'_>>::new();
    for key in books.keys() {
        for clause in &books.get(key).clauses.0 {
            let is_row = |(of, ..): &Sentence<'_>| {
                Arc::ptr_eq(&of.evidence.source, &clause.evidence.source) && of.topic == clause.topic
            };
            let at = rows.iter().position(is_row).unwrap_or_else(|| {
                rows.push((clause, Vec::new(), Vec::new()));
                rows.len() - 1
            });
            let row = &mut rows[at];
            let sport = clause.league.as_deref().unwrap_or("all sports");
            row.1.extend((!row.1.contains(&key)).then_some(key));
            row.2.extend((!row.2.contains(&sport)).then_some(sport));
        }
    }
    rows.sort_by(|a, b| (a.0.topic, &a.2, &a.1).cmp(&(b.0.topic, &b.2, &b.1)));
    rows.iter().map(|(clause, books, sports)| clause_row(clause, books, sports)).collect()
}

fn clause_row(clause: &Clause, books: &[&str], sports: &[&str]) -> String {
    let more = if books.len() > 20 { format!(" and {} more", books.len() - 20) } else { String::new() };
    let named: Vec<_> = books.iter().take(20).map(|key| format!("`{key}`")).collect();
    let markets: Vec<_> = clause.families.iter().map(|family| family.key()).collect();
    let markets = if markets.is_empty() { "all".to_owned() } else { markets.join(", ") };
    let dated =
        if clause.evidence.from == Micros::MIN { "none".to_owned() } else { to_date(clause.evidence.from) };
    let says = clause.says.replace('|', "\\|");
    let what = format!(
        "{} | {}{more} | {} | {markets} | {} | “{says}” | {dated}",
        clause.topic.key(),
        named.join(", "),
        sports.join(", "),
        clause.value
    );
    row(&what, &clause.evidence)
}

/// The books of which no clause is known.
fn without(books: &Books) -> String {
    let keys = books.keys();
    let none: Vec<_> = keys.iter().filter(|key| books.get(key).clauses.0.is_empty()).collect();
    let named: Vec<_> = none.iter().map(|key| format!("`{key}`")).collect();
    format!("{} of {} books: {}.\n", none.len(), keys.len(), named.join(", "))
}

/// What some books have, and which they are.
fn shared<'a, T: PartialEq>(
    books: &'a Books,
    of: impl Fn(&'a Book) -> Option<&'a T>,
) -> Vec<(&'a T, Vec<String>)> {
    let mut found = Vec::<(&T, Vec<String>)>::new();
    for key in books.keys() {
        let Some(fact) = of(books.get(key)) else { continue };
        match found.iter_mut().find(|(known, _)| *known == fact) {
            Some((_, books)) => books.push(format!("`{key}`")),
            None => found.push((fact, vec![format!("`{key}`")])),
        }
    }
    found
}

/// The rows of the sizes in which books take bets.
fn sizes(books: &Books) -> String {
    let money = |minor: i64| format!("{:.2}", minor as f64 / 100.0);
    let least = |least: &Least| {
        let bounds = [("stake", least.stake), ("liability", least.liability), ("contracts", least.contracts)];
        let bounds = bounds.into_iter().filter(|(_, bound)| *bound > 0);
        bounds.map(|(of, bound)| format!("{of} {}", money(bound))).collect::<Vec<_>>().join(", ")
    };
    let of = |(sizes, books): &(&Sizes, Vec<String>)| {
        let (unit, SizeStep::Money(step) | SizeStep::Contracts(step)) = (sizes.step.unit(), sizes.step);
        let bounds = sizes.least.as_ref().map_or("unknown".to_owned(), least);
        row(&format!("{} | {} {unit} | {bounds}", books.join(", "), money(step)), &sizes.evidence)
    };
    let stated = |book: &&Sizes| !book.evidence.source.is_empty();
    shared(books, |book| Some(&book.sizes).filter(stated)).iter().map(of).collect()
}

/// The rows of the forms in which books make their prices.
fn forms(books: &Books) -> String {
    let forms = shared(books, |book| book.native.as_ref());
    let step = |native: &Native| match native.form {
        NativeForm::Decimal { step_ppm } | NativeForm::Probability { step_ppm } => {
            format!(", in steps of {}", f64::from(step_ppm) / 1e6)
        }
        NativeForm::American | NativeForm::Fractional => String::new(),
    };
    let of = |(native, books): &(&Native, Vec<String>)| {
        row(&format!("{} | {}{}", books.join(", "), native.form.key(), step(native)), &native.evidence)
    };
    forms.iter().map(of).collect()
}

const HEAD: &str = "\
# Fees and clauses of the books

Generated from `pipeline/books.toml` (`ARB_WRITE_BOOKS=1 cargo test -p arb-process --test books`). `GET /v1/books` shows the same of each book, and of the table that the server was given. What no clause
states is unknown, and agrees with nothing; a fee that is not known is the highest of its kind: an exchange that is in no table is taken to keep 10 % of winnings, a prediction market 7 % · p(1 − p), a bookmaker nothing beyond its price.
*Checked* is the day on which somebody last compared the row with its source, *dated* the date that the text itself bears. What was looked for and not found is listed in [clauses](architecture/clauses.md).
";
const FEES: &str = "
## Fees

A book that is not listed keeps nothing beyond its price.

| book | fee of a taker | checked | source |
|---|---|---|---|
";
const FORMS: &str = "
## In which form a book makes its prices

Where a source writes them in another format, the effective price is that of the worst one of this form that is written so ([why](adr/080-native-form-of-prices.md)). Prices of a book that is not listed count as they are given.

| book | form | checked | source |
|---|---|---|---|
";
const SIZES: &str = "
## In what sizes a book takes bets

An order is a multiple of the step, of the book's currency or of contracts, each of which pays one unit of it or nothing. A stake below the least is none ([why](adr/086-sizes.md)). Of a book that is not listed the step is 0.01, and the
least is not known: 1.00 is taken, of a lay as much at risk, and entries warn `least_stake_unknown`.

| book | step | least | checked | source |
|---|---|---|---|---|
";
const CLAUSES: &str = "
## Clauses

How a book settles bets. The topics `periods`, `level`, `push`, `shortened` and `retirement` are of a match that is played: where one of them matters to a bet and two books differ in it, or one does not state it, no window
of theirs has `same_rules`. The others are of a match that is not played as planned: where two books differ in one, or it is not known, the entry warns `void_rules_differ`.

| topic | books | sports | markets | says | sentence | dated | checked | source |
|---|---|---|---|---|---|---|---|---|
";
const NONE: &str = "
## Books without a clause

No window with a leg at one of them is verified. ";

#[test]
fn the_page_of_fees_and_clauses_is_that_of_the_table() {
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
