//! Inputs of the same kind as those of the public bug reports, under other names: they are played where the reports are absent, and beside them.
//!
//! Each is a recording in decimal odds, a poll a line.

/// A book's prices on a two-way winner, and how many seconds before the poll they were confirmed.
type Prices<'a> = (&'a str, i64, &'a str, &'a str);

const ARB: [Prices<'static>; 3] =
    [("draftkings", 1, "2.1", "1.75"), ("fanduel", 1, "1.8", "2.05"), ("betmgm", 1, "1.95", "1.9")];

/// The lines of a twin; a report without one is an error of the test.
pub(crate) fn lines(name: &str) -> String {
    let polls = |make: &dyn Fn(i64) -> String| (0..6).map(make).collect::<String>();
    let with_arb = |other: &str| poll(0, &[event("ok1", ("Red", "Blue"), 0, &ARB), other.to_owned()]);
    match name {
        "rounded-decimals.jsonl" => polls(&|number| {
            let even = [
                ("draftkings", 1, "1.13", "5.5"),
                ("fanduel", 1, "1.09", "9.0"),
                ("betmgm", 1, "1.11", "6.5"),
            ];
            let close = [
                ("draftkings", 1, "1.93", "1.85"),
                ("fanduel", 1, "1.8", "2.08"),
                ("betmgm", 1, "1.9", "1.95"),
            ];
            poll(
                number,
                &[event("a", ("Red", "Blue"), number, &even), event("b", ("Up", "Down"), number, &close)],
            )
        }),
        "swap-of-sides.jsonl" => polls(&|number| {
            let books = ["draftkings", "fanduel", "betmgm"];
            let (sides, prices) = if number < 3 {
                (("Red", "Blue"), ("1.5", "2.6"))
            } else {
                (("Blue", "Red"), ("2.6", "1.5"))
            };
            poll(number, &[event("a", sides, number, &books.map(|book| (book, 1, prices.0, prices.1)))])
        }),
        "book-twice.jsonl" => polls(&|number| {
            let books = [
                ("draftkings", 2, "1.5", "2.6"),
                ("draftkings", 40, "1.64", "2.3"),
                ("fanduel", 2, "1.5", "2.65"),
                ("betmgm", 2, "1.51", "2.6"),
            ];
            poll(number, &[event("a", ("Red", "Blue"), number, &books)])
        }),
        "clock-behind.jsonl" => {
            let ahead = ARB.map(|(book, _, home, away)| (book, -11, home, away));
            let poll = |number| poll(number, &[event("ok1", ("Red", "Blue"), number, &ahead)]);
            (0..4).map(poll).collect()
        }
        "nan-price.jsonl" => with_arb(&event("bad", ("Up", "Down"), 0, &[("draftkings", 1, "1.9", "NaN")])),
        "number-for-array.jsonl" => {
            let event = event("bad", ("Up", "Down"), 0, &[]);
            with_arb(&event.replace("\"bookmakers\":[]", "\"bookmakers\":1e999"))
        }
        "bom.jsonl" => format!("\u{feff}{}", poll(0, &[event("ok1", ("Red", "Blue"), 0, &ARB)])),
        "hockey-regulation-and-overtime.jsonl" => polls(&|number| poll(number, &[hockey(number)])),
        other => panic!("{other} has no twin"),
    }
}

/// A time that is so many seconds after noon.
fn at(seconds: i64) -> String {
    format!(
        "2026-11-21T{:02}:{:02}:{:02}Z",
        11 + (3_600 + seconds) / 3_600,
        (3_600 + seconds) / 60 % 60,
        (3_600 + seconds) % 60
    )
}

/// A poll, each ten seconds after the last.
fn poll(number: i64, events: &[String]) -> String {
    format!("{{\"polled_at\":\"{}\",\"events\":[{}]}}\n", at(10 * number), events.join(","))
}

/// A match of ice hockey: three outcomes of regulation at one book, two at another, and an exchange that backs and lays the winner after overtime.
fn hockey(poll: i64) -> String {
    let seen = at(10 * poll - 1);
    let market = |key: &str, prices: &[(&str, &str)]| {
        let outcome = |(name, price): &(&str, &str)| format!(r#"{{"name":"{name}","price":{price}}}"#);
        let outcomes = prices.iter().map(outcome).collect::<Vec<_>>().join(",");
        format!(r#"{{"key":"{key}","last_update":"{seen}","outcomes":[{outcomes}]}}"#)
    };
    let book =
        |key: &str, markets: &[String]| format!(r#"{{"key":"{key}","markets":[{}]}}"#, markets.join(","));
    let books = [
        book("unibet_eu", &[market("h2h", &[("Red", "2.7"), ("Draw", "4.2"), ("Blue", "2.45")])]),
        book("pinnacle", &[market("h2h", &[("Red", "2.08"), ("Blue", "1.83")])]),
        book(
            "betfair_ex_eu",
            &[
                market("h2h", &[("Red", "2.06"), ("Blue", "1.86")]),
                market("h2h_lay", &[("Red", "2.12"), ("Blue", "1.9")]),
            ],
        ),
    ];
    format!(
        r#"{{"id":"a","sport_key":"icehockey_nhl","commence_time":"2026-11-21T18:00:00Z","home_team":"Red","away_team":"Blue","bookmakers":[{}]}}"#,
        books.join(",")
    )
}

fn event(id: &str, (home, away): (&str, &str), poll: i64, books: &[Prices<'_>]) -> String {
    let book = |(book, ago, at_home, at_away): &Prices<'_>| {
        let seen = at(10 * poll - ago);
        format!(
            r#"{{"key":"{book}","markets":[{{"key":"h2h","last_update":"{seen}","outcomes":[{{"name":"{home}","price":{at_home}}},{{"name":"{away}","price":{at_away}}}]}}]}}"#
        )
    };
    let books = books.iter().map(book).collect::<Vec<_>>().join(",");
    format!(
        r#"{{"id":"{id}","sport_key":"basketball_nba","commence_time":"2026-11-21T18:00:00Z","home_team":"{home}","away_team":"{away}","bookmakers":[{books}]}}"#
    )
}
