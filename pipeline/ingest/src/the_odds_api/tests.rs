//! Bad input, one fault at a time: what it costs, and what it is called.

use super::*;

const AT: &str = "2026-06-21T23:00:43Z";

/// An answer with one event, one book and one market; `change` breaks something in its text.
fn poll(change: impl Fn(String) -> String) -> (Option<Poll>, Faults) {
    poll_in(OddsFormat::American, change)
}

fn poll_in(format: OddsFormat, change: impl Fn(String) -> String) -> (Option<Poll>, Faults) {
    let line = r#"{"polled_at":"2026-06-21T23:00:43Z","events":[{"id":"e1","sport_key":"soccer_test",
        "commence_time":"2026-06-21T22:00:00Z","home_team":"Uru\u0067uay","away_team":"Cape Verde","bookmakers":[
        {"key":"alpha","title":"Alpha","last_update":"2026-06-21T23:00:29Z","markets":[
        {"key":"h2h","last_update":"2026-06-21T23:00:28Z","outcomes":[
        {"name":"Cape Verde","price":2800},{"name":"Uruguay","price":-910},{"name":"Draw","price":650}]},
        {"key":"spreads","last_update":"2026-06-21T23:00:28Z","outcomes":[
        {"name":"Uruguay","price":-110,"point":-1.5},{"name":"Cape Verde","price":100,"point":1.5}]}]}]}]}"#;
    let mut faults = Faults::default();
    let poll = Decoder::new(format).recorded(&change(line.to_owned()), &mut faults);
    (poll, faults)
}

fn ticks(poll: Option<Poll>) -> Vec<(Outcome, Option<i32>, i64)> {
    let offers = poll.into_iter().flat_map(|poll| poll.events).flat_map(|(_, offers)| offers);
    offers.flat_map(|offer| offer.ticks).map(|tick| (tick.outcome, tick.line, tick.price)).collect()
}

/// The fault that a replacement makes, and how many of the five ticks are left.
fn broken(from: &str, to: &str) -> (String, usize) {
    let (poll, faults) = poll(|line| {
        assert!(line.contains(from), "{from}");
        line.replace(from, to)
    });
    (faults.to_string(), ticks(poll).len())
}

fn fault(faults: &str, left: usize) -> (String, usize) {
    (faults.to_owned(), left)
}

#[test]
fn a_poll_is_read_whole() {
    let (poll, faults) = poll(|line| line);
    assert!(faults.is_empty(), "{faults}");
    let poll = poll.expect("a poll");
    assert_eq!(Some(poll.received_at), parse_rfc3339(AT));
    let (event, offers) = &poll.events[0];
    assert_eq!((&*event.id, &*event.sport, &*event.league), ("e1", "soccer", "soccer_test"));
    assert_eq!((&*event.home, &*event.away), ("Uruguay", "Cape Verde"));
    assert_eq!(Some(offers[0].last_seen_at), parse_rfc3339("2026-06-21T23:00:28Z"));
    assert_eq!((poll.ticks(), &poll.coverage), (5, &Coverage::ALL));
    let expected = [
        (Outcome::Away, None, 29_000_000),
        (Outcome::Home, None, 1_109_890),
        (Outcome::Draw, None, 7_500_000),
        (Outcome::Home, Some(-1_500), 1_909_090),
        (Outcome::Away, Some(-1_500), 2_000_000),
    ];
    assert_eq!(ticks(Some(poll)), expected);
}

#[test]
fn decimal_is_a_setting() {
    let (poll, faults) =
        poll_in(OddsFormat::Decimal, |line| line.replace("2800", "2.3").replace("650", "3.4999999"));
    assert_eq!(ticks(poll)[..2], [(Outcome::Away, None, 2_300_000), (Outcome::Draw, None, 3_499_999)]);
    let reason = "-910, -110 and the 100 beside it are no decimal odds";
    assert_eq!(faults.of("price", "is American odds in a feed of decimal odds"), 3, "{reason}: {faults}");
}

#[test]
fn broken_json_is_no_poll() {
    assert_eq!(broken("\"events\"", "\"events"), fault("line is no JSON: 1", 0));
    assert_eq!(broken("2800", "NaN"), fault("event has a NaN: 1", 0));
    assert_eq!(broken("{\"polled_at\"", "[{\"polled_at\""), fault("line is no JSON: 1", 0));
    assert_eq!(broken("2026-06-21T23:00:43Z", "noon"), fault("polled_at is no time: 1", 0));
    let (poll, faults) = poll(|_| format!("{{\"polled_at\":\"{AT}\",\"events\":{{\"message\":\"quota\"}}}}"));
    assert_eq!((poll, faults.to_string()), (None, "events is no array: 1".to_owned()));
}

#[test]
fn prices_out_of_range_or_no_prices_drop_their_tick() {
    assert_eq!(broken("2800", "-1000000000"), fault("price out of range: 1", 4));
    assert_eq!(broken("2800", "100001"), fault("price out of range: 1", 4));
    assert_eq!(broken("2800", "\"NaN\""), fault("price is no odds: 1", 4));
    assert_eq!(broken("2800", "50"), fault("price is no odds: 1", 4));
    assert_eq!(broken("2800", "2800.5"), fault("price is no odds: 1", 4));
    assert_eq!(broken("2800", "2800.0"), fault("", 5));
    assert_eq!(broken("2800", "null"), fault("price missing: 1", 4));
    for price in ["1", "1.0", "0.5", "1001.5"] {
        let (poll, faults) = poll_in(OddsFormat::Decimal, |line| {
            let others = [("-910", "2"), ("650", "2"), ("-110", "2"), ("100", "2"), ("2800", price)];
            others.into_iter().fold(line, |line, (from, to)| line.replace(from, to))
        });
        assert_eq!((faults.of("price", "out of range"), ticks(poll).len()), (1, 4), "{price}");
    }
}

#[test]
fn names_and_markets_that_nobody_knows_drop_themselves() {
    assert_eq!(broken("\"Draw\"", "\"Tie\""), fault("outcome.name unknown: 1", 4));
    assert_eq!(broken("\"Draw\"", "\"Over\""), fault("outcome.name not of this market: 1", 4));
    assert_eq!(broken("\"Draw\"", "7"), fault("outcome.name is no text: 1", 4));
    assert_eq!(broken("\"key\":\"h2h\"", "\"key\":\"player_points\""), fault("market.key unknown: 1", 2));
    assert_eq!(broken("\"key\":\"alpha\",", ""), fault("bookmaker.key missing: 1", 0));
    assert_eq!(broken("\"home_team\"", "\"home\""), fault("home_team missing: 1", 0));
    assert_eq!(broken("{\"name\":\"Draw\",\"price\":650}", "650"), fault("outcome is no object: 1", 4));
    assert_eq!(broken("\"point\":-1.5", "\"point\":\"x\""), fault("point is no number: 1", 4));
    assert_eq!(broken(",\"point\":-1.5", ""), fault("point missing: 1", 4));
}

#[test]
fn a_limit_is_an_amount_of_the_currency_rounded_down() {
    let limits = |limit: &str| {
        let stated = format!("\"price\":650,\"bet_limit\":{limit}");
        let (poll, faults) = poll(|line| line.replace("\"price\":650", &stated));
        let offers = poll.into_iter().flat_map(|poll| poll.events).flat_map(|(_, offers)| offers);
        let limits: Vec<_> = offers.flat_map(|offer| offer.ticks).map(|tick| tick.limit).collect();
        assert_eq!([limits[0], limits[1], limits[3], limits[4]], [None; 4], "those that state none");
        (limits.len(), limits[2], faults.to_string())
    };
    let read = |limit: &str| limits(limit).1;
    assert_eq!(limits("500"), (5, Some(50_000), String::new()));
    assert_eq!(
        [read("21.509"), read("0.009"), read("0"), read("1e3")].map(Option::unwrap),
        [2_150, 0, 0, 100_000]
    );
    assert_eq!(limits("null"), (5, None, String::new()));
    for nonsense in ["-1", "-0.001", "\"500\"", "\"max\"", "true", "[500]", "{}", "1e30"] {
        assert_eq!(limits(nonsense), (5, None, "bet_limit is no amount: 1".to_owned()), "{nonsense}");
    }
}

#[test]
fn a_link_is_that_of_the_market_else_of_the_book() {
    let links = |of_book: &str, of_market: &str| {
        let (poll, faults) = poll(|line| {
            let line =
                line.replace("\"title\":\"Alpha\"", &format!("\"title\":\"Alpha\",\"link\":{of_book}"));
            line.replace("\"key\":\"spreads\"", &format!("\"key\":\"spreads\",\"link\":{of_market}"))
        });
        let offers = poll.into_iter().flat_map(|poll| poll.events).flat_map(|(_, offers)| offers);
        let links: Vec<_> = offers.map(|offer| offer.link.unwrap_or_default()).collect();
        (links.join(" "), faults.to_string())
    };
    let (book, market) = ("\"https://a.example/e1\"", "\"https://a.example/e1?m=2\"");
    let of = |links: &str, faults: &str| (links.to_owned(), faults.to_owned());
    assert_eq!(links(book, market), of("https://a.example/e1 https://a.example/e1?m=2", ""));
    assert_eq!(links(book, "null"), of("https://a.example/e1 https://a.example/e1", ""));
    assert_eq!(links("null", "null"), of(" ", ""), "none that none states");
    assert_eq!(links("null", "7"), of(" ", "link is no text: 1"), "what is none costs no price");
    let script = "\"javascript:alert(1)\"";
    let fault = "link is no address of http or https: 1";
    assert_eq!(links(book, script), of("https://a.example/e1 https://a.example/e1", fault));
    let state = "\"https://sports.{state}.a.example/e1\"";
    assert_eq!(
        links(state, market),
        of(" https://a.example/e1?m=2", fault),
        "a reader would have to fill it in"
    );
    let long = format!("\"https://a.example/{}\"", "x".repeat(2_048));
    assert_eq!(links(&long, "null"), of(" ", "link too long: 1"));
}

#[test]
fn a_missing_draw_is_just_missing() {
    assert_eq!(broken(",{\"name\":\"Draw\",\"price\":650}", ""), fault("", 4));
}

#[test]
fn of_an_outcome_listed_twice_the_last_holds() {
    let twice =
        |line: String| line.replace("\"name\":\"Draw\",\"price\":650", "\"name\":\"Uruguay\",\"price\":200");
    let (poll, faults) = poll(twice);
    assert_eq!(faults.to_string(), "outcome listed twice: 1");
    assert_eq!(ticks(poll)[..2], [(Outcome::Away, None, 29_000_000), (Outcome::Home, None, 3_000_000)]);
}

#[test]
fn an_event_listed_twice_is_one_event() {
    let (poll, faults) = poll(|line| {
        let (head, event) = line.split_once('[').unwrap();
        let event = event.strip_suffix("]}").unwrap();
        format!("{head}[{event},{event}]}}")
    });
    assert_eq!(faults.to_string(), "event listed twice: 1, market listed twice: 2");
    let poll = poll.expect("a poll");
    assert_eq!(
        (poll.events.len(), poll.ticks()),
        (1, 5),
        "of two ticks for a bet the newest is left, of equal ones the last"
    );
}

#[test]
fn the_books_time_stands_in_for_the_markets() {
    let (poll, _) = poll(|line| line.replace("\"last_update\":\"2026-06-21T23:00:28Z\",", ""));
    let offers = poll.expect("a poll").events.remove(0).1;
    assert_eq!(Some(offers[0].last_seen_at), parse_rfc3339("2026-06-21T23:00:29Z"));
    let (poll, faults) = self::poll(|line| line.replace("\"last_update\"", "\"updated\""));
    assert_eq!((poll.map(|poll| poll.ticks()), faults.of("last_update", "missing")), (Some(0), 2));
}

#[test]
fn a_lay_market_is_the_other_side_of_its_market() {
    let (poll, _) = poll(|line| line.replace("\"key\":\"h2h\"", "\"key\":\"h2h_lay\""));
    let offers = poll.expect("a poll").events.remove(0).1;
    assert_eq!((&*offers[0].market, offers[0].ticks[0].side), ("h2h", Side::Lay));
}

/// A poll of three events, of which the second is changed.
fn of_three(change: impl Fn(&str) -> String) -> (Vec<String>, String) {
    let event = |id: &str| {
        format!(
            r#"{{"id":"{id}","sport_key":"soccer_test","commence_time":"2026-06-21T22:00:00Z","home_team":"H","away_team":"A","bookmakers":[{{"key":"a","last_update":"{AT}","markets":[{{"key":"h2h","outcomes":[{{"name":"H","price":150}}]}}]}}]}}"#
        )
    };
    let events = [event("one"), change(&event("two")), event("three")].join(", ");
    let line = format!("\u{feff}{{\"polled_at\": \"{AT}\", \"events\": [{events}]}}\r\n");
    let mut faults = Faults::default();
    let poll = Decoder::new(OddsFormat::American).recorded(&line, &mut faults).expect("a poll");
    (
        poll.events
            .iter()
            .filter(|(_, offers)| !offers.is_empty())
            .map(|(event, _)| event.id.to_string())
            .collect(),
        faults.to_string(),
    )
}

#[test]
fn a_broken_event_costs_itself_and_says_why() {
    assert_eq!(of_three(str::to_owned), (vec!["one".into(), "two".into(), "three".into()], String::new()));
    for (from, to, fault) in [
        ("150", "NaN", "event has a NaN: 1"),
        ("150", "-Infinity", "event has an infinite number: 1"),
        ("\"id\":\"two\"", "\"id\":\"two\",\"id\":\"2\"", "event names a key twice: 1"),
        ("\"key\":\"a\"", "\"key\":\"a\",\"key\":\"b\"", "event names a key twice: 1"),
        ("[{\"key\":\"a\"", "1e999, \"other\": [{\"key\":\"a\"", "event has a number out of range: 1"),
        ("150", "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]", "event is too deep: 1"),
        ("150", "1;50", "event is no JSON: 1"),
        ("\"H\"", "\"H\u{fffd}\"", "event is no UTF-8: 1"),
    ] {
        let changed = of_three(|event| event.replacen(from, to, 1));
        assert_eq!(changed, (vec!["one".into(), "three".into()], fault.to_owned()), "{to}");
    }
    let priced = of_three(|event| event.replacen("150", "1e999", 1));
    assert_eq!(
        (priced.0.len(), &*priced.1),
        (3, "price is no odds: 1"),
        "a number that is kept as text costs its tick"
    );
}

#[test]
fn a_line_that_names_a_key_twice_is_no_poll() {
    let mut faults = Faults::default();
    let line = format!("{{\"polled_at\": \"{AT}\", \"events\": [], \"events\": []}}");
    assert!(Decoder::new(OddsFormat::American).recorded(&line, &mut faults).is_none());
    assert_eq!(faults.to_string(), "events names a key twice: 1");
}

#[test]
fn of_a_market_that_a_book_has_twice_the_newest_prices_count() {
    let (poll, faults) = poll(|line| {
        let again = r#"{"key":"alpha","last_update":"2026-06-21T22:59:00Z","markets":[{"key":"h2h","outcomes":[{"name":"Uruguay","price":200},{"name":"Cape Verde","price":201}]}]},"#;
        line.replace(r#"{"key":"alpha""#, &format!(r#"{again}{{"key":"alpha""#))
    });
    assert_eq!(faults.to_string(), "market listed twice: 1");
    let prices: Vec<_> =
        ticks(poll).into_iter().filter(|(_, line, _)| line.is_none()).map(|(.., price)| price).collect();
    assert_eq!(prices, [29_000_000, 1_109_890, 7_500_000]);
}

#[test]
fn an_event_listed_again_with_its_sides_swapped_keeps_the_first_ones() {
    let event = |home: &str, away: &str, book: &str| {
        format!(
            r#"{{"id":"e","sport_key":"soccer_test","commence_time":"2026-06-21T22:00:00Z","home_team":"{home}","away_team":"{away}","bookmakers":[{{"key":"{book}","last_update":"{AT}","markets":[{{"key":"spreads","outcomes":[{{"name":"H","price":150,"point":-1.5}},{{"name":"A","price":-170,"point":1.5}}]}}]}}]}}"#
        )
    };
    let mut faults = Faults::default();
    let events = format!("[{}, {}]", event("H", "A", "one"), event("A", "H", "other"));
    let poll = Decoder::new(OddsFormat::American).answer(&events, 0, &mut faults).expect("a poll");
    let [(info, offers)] = &poll.events[..] else { panic!("{:?}", poll.events) };
    assert_eq!((&*info.home, &*info.away), ("H", "A"));
    let of = |offer: &Offer| {
        offer.ticks.iter().map(|tick| (tick.outcome, tick.line, tick.price)).collect::<Vec<_>>()
    };
    assert_eq!(of(&offers[0])[0], (Outcome::Home, Some(-1_500), 2_500_000));
    assert_eq!(of(&offers[0]), of(&offers[1]));
    let swapped = "home_team and away_team are swapped: prices are put by names: 1";
    assert_eq!(faults.to_string(), format!("event listed twice: 1, {swapped}"));
}

#[test]
fn a_time_that_no_table_holds_costs_what_it_is_of() {
    let start = "2026-06-21T22:00:00Z";
    assert_eq!(broken(start, "2299-12-31T23:59:59Z"), fault("", 5));
    assert_eq!(
        broken(start, "2300-01-01T00:00:00Z"),
        fault("commence_time is not in the years 1900 to 2299: 1", 0)
    );
    assert_eq!(
        broken(start, "1899-12-31T23:59:59Z"),
        fault("commence_time is not in the years 1900 to 2299: 1", 0)
    );
    assert_eq!(
        broken("2026-06-21T23:00:28Z", "2300-01-01T00:00:00Z"),
        fault("last_update is not in the years 1900 to 2299: 2", 0)
    );
    assert_eq!(broken(AT, "2100-01-01T00:00:00Z"), fault("polled_at is not in the years 1970 to 2099: 1", 0));
}
