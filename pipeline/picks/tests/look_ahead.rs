//! No look-ahead, as a property: what a rule file and the bots of football-data bet on does not depend on later matches, on results or on
//! closing prices. The table is read in place; where it is absent a generated one stands in.
#![allow(clippy::unwrap_used)]

use std::io::Read;
use std::path::Path;

use arb_picks::history::{BOOKS, Match, read};
use arb_picks::rule_file::{MatchPrices, RuleFile, RulePick};
use fastrand::Rng;

/// Rows that are read.
const ROWS: usize = 4_000;

/// A rule of each source of probabilities.
const RULES: [&str; 3] = ["consensus", "model", "sharp"];

fn rule(probability: &str) -> RuleFile {
    let text = format!(
        "bot = \"test\"\nversion = 1\nprice = \"best\"\nprobability = \"{probability}\"\n\
         [[when]]\nfield = \"value\"\nat_least = 0.01\n\
         [stake]\nrule = \"kelly\"\nfraction = 0.25\nat_most = 0.05\n"
    );
    RuleFile::parse(&text).unwrap()
}

/// Header and rows of the table, as cells.
fn table() -> Vec<csv::StringRecord> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/data/football-data/soccer-2006-2018.csv.zst");
    let bytes: Box<dyn Read> = if let Ok(file) = std::fs::File::open(&path) {
        let mut decoder = zstd::Decoder::new(file).unwrap();
        decoder.window_log_max(27).unwrap();
        Box::new(decoder)
    } else {
        println!("NOTE: {} is absent: a generated table stands in", path.display());
        Box::new(std::io::Cursor::new(generated()))
    };
    // Not the first rows: those of later seasons have more books.
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(bytes);
    let all: Vec<_> = reader.records().map(Result::unwrap).collect();
    let first = all.len().saturating_sub(4 * ROWS).max(1);
    [&all[..1], &all[first..all.len().min(first + ROWS)]].concat()
}

/// A table with the columns that are read.
fn generated() -> String {
    let outcomes = |book: &str, draw: &str| {
        ["home_win", draw, "away_win"].map(|it| format!("odds__{book}__{it}__full_time_goals"))
    };
    let mut columns: Vec<String> = ["date", "year", "league", "division"].map(str::to_owned).into();
    let others = ["pinnacle_closing", "betbrain_maximum", "market_average", "market_maximum"];
    BOOKS.iter().chain(&others).for_each(|book| columns.extend(outcomes(book, "draw")));
    columns.extend(outcomes("betbrain_average", "draw_win"));
    columns.extend(["home", "away"].map(|side| format!("target__{side}_team__full_time_goals")));
    let mut rng = Rng::with_seed(24);
    let mut rows = vec![columns.join(",")];
    for _ in 0..ROWS {
        let fair = [rng.f64() + 0.5, rng.f64() + 0.2, rng.f64() + 0.5];
        let sum: f64 = fair.iter().sum();
        let mut cells =
            vec!["2015-08-01".to_owned(), "2016".to_owned(), "England".to_owned(), "1".to_owned()];
        for _ in 0..=BOOKS.len() + others.len() {
            cells
                .extend(fair.map(|part| format!("{:.2}", (sum / part * (0.9 + 0.15 * rng.f64())).max(1.01))));
        }
        cells.extend([rng.u8(0..4).to_string(), rng.u8(0..4).to_string()]);
        rows.push(cells.join(","));
    }
    rows.join("\n")
}

fn matches(rows: &[csv::StringRecord]) -> Vec<Match> {
    let mut text = csv::Writer::from_writer(Vec::new());
    for row in rows {
        text.write_record(row).unwrap();
    }
    read(&text.into_inner().unwrap()[..]).unwrap().matches
}

fn picks(rule: &RuleFile, matches: &[Match]) -> Vec<Option<RulePick>> {
    let prices = |found: &'_ Match| rule.pick(&MatchPrices { league: &found.league, books: &found.books });
    matches.iter().map(prices).collect()
}

#[test]
fn a_rule_bets_the_same_whatever_comes_later() {
    let table = table();
    let whole = matches(&table);
    for rule in RULES.map(rule) {
        let all = picks(&rule, &whole);
        assert!(all.iter().flatten().count() > 10, "{rule:?} bets on nothing");
        let mut rng = Rng::with_seed(1);
        for _ in 0..10 {
            let part = matches(&table[..=rng.usize(1..table.len())]);
            assert!(picks(&rule, &part) == all[..part.len()], "{rule:?}, {} matches", part.len());
        }
    }
}

#[test]
fn a_rule_bets_the_same_whatever_the_results_and_the_closing_prices_are() {
    let table = table();
    let header = &table[0];
    let is_later =
        |column: usize| header[column].starts_with("target__") || header[column].contains("_closing__");
    assert!((0..header.len()).filter(|column| is_later(*column)).count() >= 5);
    let mut rng = Rng::with_seed(2);
    let mut other = |row: &csv::StringRecord| -> csv::StringRecord {
        let cell = |(column, text): (usize, &str)| match text {
            text if !is_later(column) || text.is_empty() => text.to_owned(),
            _ if header[column].starts_with("target__") => rng.u8(0..9).to_string(),
            _ => format!("{:.2}", 1.2 + 9.0 * rng.f64()),
        };
        row.iter().enumerate().map(cell).collect()
    };
    let changed: Vec<_> = std::iter::once(header.clone()).chain(table[1..].iter().map(&mut other)).collect();
    // Rows without goals have some now: the matches are paired by what does not change.
    let (before, after) = (matches(&table), matches(&changed));
    let is_same = |a: &Match, b: &Match| (&a.date, &a.league, &a.books) == (&b.date, &b.league, &b.books);
    let mut rest = after.iter();
    let after: Vec<_> =
        before.iter().map(|one| rest.find(|two| is_same(one, two)).unwrap().clone()).collect();
    assert!(
        before
            .iter()
            .zip(&after)
            .any(|(a, b)| a.goals != b.goals && a.pinnacle_closing != b.pinnacle_closing)
    );
    for rule in RULES.map(rule) {
        assert!(picks(&rule, &before) == picks(&rule, &after), "{rule:?}");
    }
}
