//! Golden files: what version 1 wrote stays readable, byte for byte, and schemas stay compatible.
//!
//! `golden/NAME.vN.avsc` is the schema as version N had it, `golden/NAME.vN.bin` a record that it wrote. They are
//! never changed, only added to. A new record's files are made by `ARB_WRITE_GOLDEN=1 cargo test -p arb-schemas`,
//! which refuses to touch those that exist.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::PathBuf;

use apache_avro::Schema;
use apache_avro::reader::datum::GenericDatumReader;
use apache_avro::schema_compatibility::SchemaCompatibility;
use arb_schemas::records::{
    ArbWindow, BoardEntry, BoardProgress, CloseSignal, Coverage, Event, Frame, Heartbeat, Leg, LineMovement,
    Offer, Outcome, PollEnd, Side, StaleAlert, Standing, StateBook, StateClock, StateMarket, StateMove,
    StatePartition, StateQuote, StateSource, StateStaleBooks, StateWindow, Status, Tick,
};
use arb_schemas::wire::{self, Record, RecordType};

fn golden(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("golden").join(name)
}

/// The file's bytes; written first when asked to and absent.
#[expect(clippy::disallowed_methods, reason = "a switch of this test alone")]
fn golden_bytes(name: &str, now: &[u8]) -> Vec<u8> {
    let path = golden(name);
    if !path.exists() && std::env::var_os("ARB_WRITE_GOLDEN").is_some() {
        std::fs::write(&path, now).unwrap();
    }
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn stays<T: Record + PartialEq + std::fmt::Debug>(record: &T, version: u32) {
    let bytes = wire::encode(record).unwrap();
    let name = format!("{:?}.v{version}.bin", T::TYPE);
    assert_eq!(golden_bytes(&name, &bytes), bytes, "{name}");
    assert_eq!(&wire::decode::<T>(&bytes).unwrap(), record, "{name}");
}

fn event() -> Event {
    Event {
        id: "852a3abe".into(),
        sport: "soccer".into(),
        league: "soccer_test_league".into(),
        home: "Nørdby".into(),
        away: "Sør".into(),
        commence_time: 1_782_000_000_000_000,
    }
}

fn frame() -> Frame {
    let tick = |outcome, price| Tick {
        outcome,
        side: Side::Back,
        line: Some(-1_500),
        price,
        status: Status::Active,
    };
    Frame {
        source: "the-odds-api/soccer_test_league".into(),
        received_at: 1_781_990_000_000_001,
        poll_index: Some(3),
        event: event(),
        coverage: Coverage { books: None, markets: Some(vec!["h2h".into(), "spreads".into()]) },
        offers: vec![Offer {
            book: "alpha".into(),
            market: "spreads".into(),
            last_seen_at: 1_781_989_999_000_000,
            price_moved_at: None,
            ticks: vec![tick(Outcome::Home, 2_100_000), tick(Outcome::Away, 1_909_090)],
        }],
    }
}

fn entry() -> BoardEntry {
    let leg = |outcome: &str, book: &str, price| Leg {
        outcome: outcome.into(),
        side: "back".into(),
        book: book.into(),
        price,
        implied_probability: 0.5,
        stake_share: 0.5,
        price_moved_at: 1,
        last_seen_at: 2,
    };
    BoardEntry {
        id: "00112233445566778899aabbccddeeff".into(),
        event: event(),
        in_play: true,
        kind: "surebet".into(),
        market: "totals".into(),
        period: "full_time".into(),
        line: Some(2_250),
        implied_probability: 0.95,
        margin: 0.0526,
        margin_worst: 0.0263,
        legs: vec![leg("over", "alpha", 2_100_000), leg("under", "beta", 2_110_000)],
        simultaneous: true,
        warnings: vec!["push_possible".into()],
        score: 0.0263,
        opened_at: 3,
        updated_at: 4,
        sequence: 5,
    }
}

fn state_market() -> StateMarket {
    let quote = |outcome, book, price| StateQuote {
        line: Some(2_500),
        outcome,
        side: Side::Back,
        book,
        source: 0,
        price,
        standing: Standing::Stale,
        span_start: 1,
        span_end: 2,
        price_moved_at: 1,
        received_at: 3,
    };
    StateMarket {
        event: event(),
        market: "totals_h1".into(),
        names: ["the-odds-api/x", "alpha", "beta"].map(str::to_owned).into(),
        quotes: vec![quote(Outcome::Over, 1, 2_100_000), quote(Outcome::Under, 2, 2_110_000)],
        windows: vec![StateWindow {
            id: "00112233445566778899aabbccddeeff".into(),
            line: Some(2_500),
            opened_at: 3,
            sequence: 5,
            legs: vec![0, 1],
            simultaneous: true,
            in_play: false,
            margin_open: 0.01,
            margin_peak: 0.02,
            margin: 0.015,
        }],
        moves: vec![StateMove {
            line: Some(2_500),
            outcome: Outcome::Over,
            book: 1,
            at: 3,
            from: 2_000_000,
            to: 2_100_000,
        }],
        main_line: Some(2_500),
    }
}

#[test]
fn what_the_newest_version_writes_is_for_ever() {
    stays(&frame(), 1);
    let league = Some("soccer_test_league".into());
    stays(&PollEnd { source: "s".into(), received_at: 7, league, coverage: Coverage::ALL, frames: 12 }, 1);
    stays(&Heartbeat { source: "s".into(), at: -1 }, 1);
    stays(&entry(), 1);
    stays(&BoardProgress { source: "s".into(), received_at: 9 }, 1);
    stays(&ArbWindow { change: "opened".into(), entry: entry() }, 1);
    stays(&close_signal(), 2);
    stays(&line_movement(), 1);
    stays(&stale_alert(), 1);
    stays(&state_market(), 1);
    stays(&StateSource { source: "s".into(), latest: 7, heard_at: 8, frames: Some(3), whole: true }, 1);
    stays(&StatePartition { next_offset: 17, policy: "board".into(), sequence: 4 }, 1);
    stays(&StateClock { now: 9, watermark: 4, leap: Some(99) }, 1);
    let (book, counts) = ("alpha".into(), vec![0, 3, 1]);
    stays(&StateBook { book, counts, sampled_at: 7, interval: Some(1_189_209) }, 1);
    stays(&StateStaleBooks { event_id: "852a3abe".into(), books: vec!["alpha".into()] }, 1);
}

fn close_signal() -> CloseSignal {
    CloseSignal {
        id: "0011".into(),
        event_id: "852a3abe".into(),
        reason: "withdrawn".into(),
        opened_at: 1,
        closed_at: 2,
        margin_open: 0.01,
        margin_peak: 0.02,
        margin_close: 0.015,
        sequence: 6,
        sport: "soccer".into(),
        league: "soccer_test_league".into(),
        market: "totals".into(),
        period: "full_time".into(),
        line: Some(2_250),
    }
}

fn line_movement() -> LineMovement {
    LineMovement {
        kind: "price".into(),
        event: event(),
        market: "h2h".into(),
        period: "full_time".into(),
        line: None,
        line_from: None,
        outcome: Some("home".into()),
        book: Some("alpha".into()),
        price_from: Some(2_100_000),
        price_to: Some(1_900_000),
        probability_change: Some(0.05),
        window_start: 0,
        window_end: 60_000_000,
        sequence: 7,
    }
}

fn stale_alert() -> StaleAlert {
    StaleAlert {
        scope: "book".into(),
        state: "stale".into(),
        event: event(),
        book: "alpha".into(),
        arb_id: None,
        last_seen_at: Some(1),
        expected_interval: 40_000_000,
        at: 90_000_000,
        sequence: 8,
    }
}

#[test]
fn a_window_is_its_change_and_its_entry() {
    for change in ["", "opened", &"x".repeat(64), &"x".repeat(9_999)] {
        let whole = wire::encode(&ArbWindow { change: change.into(), entry: entry() }).unwrap();
        assert_eq!(wire::encode_window(change, &wire::encode(&entry()).unwrap()).unwrap(), whole, "{change}");
    }
    assert!(wire::encode_window("opened", &wire::encode(&frame()).unwrap()).is_err());
}

/// A published version of a record's schema, its references as they were then; `None` when there is none.
fn published(record: RecordType, version: u32) -> Option<Schema> {
    let text = |record: RecordType| std::fs::read_to_string(golden(&format!("{record:?}.v{version}.avsc")));
    let schema = text(record).ok()?;
    let names: Vec<_> = record.references().iter().map(|reference| text(*reference).unwrap()).collect();
    Some(Schema::parse_str_with_list(&schema, names).unwrap().0)
}

/// All versions that were published, oldest first.
fn versions(record: RecordType) -> Vec<Schema> {
    (1..).map_while(|version| published(record, version)).collect()
}

fn parsed(record: RecordType, text: &str) -> Schema {
    let names: Vec<_> = record.references().iter().map(|reference| reference.schema_text()).collect();
    Schema::parse_str_with_list(text, names).unwrap().0
}

/// Whether each version can read what any other wrote.
fn full_transitive(schemas: &[Schema]) -> bool {
    let all_pairs = schemas.iter().flat_map(|a| schemas.iter().map(move |b| (a, b)));
    all_pairs.into_iter().all(|(a, b)| SchemaCompatibility::mutual_read(a, b).is_ok())
}

/// A schema that differs from its newest version is written down as the next one, when that is asked for.
fn publish_if_asked(record: RecordType) {
    let published = versions(record).len();
    let newest = std::fs::read_to_string(golden(&format!("{record:?}.v{published}.avsc"))).ok();
    if newest.as_deref() != Some(record.schema_text()) {
        golden_bytes(&format!("{record:?}.v{}.avsc", published + 1), record.schema_text().as_bytes());
    }
}

#[test]
fn schemas_are_full_transitive() {
    for record in RecordType::ALL {
        publish_if_asked(record);
        let mut schemas = versions(record);
        assert!(!schemas.is_empty(), "{record:?} was never published");
        let newest = std::fs::read_to_string(golden(&format!("{record:?}.v{}.avsc", schemas.len()))).unwrap();
        assert_eq!(newest, record.schema_text(), "{record:?} has changed: publish it as a version");
        schemas.push(parsed(record, record.schema_text()));
        assert!(full_transitive(&schemas), "{record:?}");
    }
}

#[test]
fn every_published_record_is_readable_by_todays_schema() {
    // A record that others refer to is read with them; the rest stand alone.
    for record in RecordType::ALL.into_iter().filter(|record| record.references().is_empty()) {
        let today = parsed(record, record.schema_text());
        for (version, writer) in (1..).zip(versions(record)) {
            let bytes = std::fs::read(golden(&format!("{record:?}.v{version}.bin"))).unwrap();
            let reader = GenericDatumReader::builder(&writer).reader_schema(&today).build().unwrap();
            let mut datum = &bytes[5..];
            assert!(reader.read_value(&mut datum).is_ok() && datum.is_empty(), "{record:?} v{version}");
        }
    }
}

#[test]
fn an_old_close_signal_is_read_as_one_of_today() {
    let bytes = std::fs::read(golden("CloseSignal.v1.bin")).unwrap();
    let read: CloseSignal = wire::decode(&bytes).unwrap();
    let unknown = CloseSignal {
        sport: String::new(),
        league: String::new(),
        market: String::new(),
        period: String::new(),
        line: None,
        ..close_signal()
    };
    assert_eq!(read, unknown);
}

#[test]
fn a_schema_that_breaks_old_readers_is_found() {
    let record = RecordType::Heartbeat;
    let schemas = |change: fn(String) -> String| {
        [record.schema_text().to_owned(), change(record.schema_text().to_owned())]
            .map(|text| parsed(record, &text))
    };
    assert!(full_transitive(&schemas(|text| text)));
    let field = r#"{"name": "source", "type": "string"},"#;
    let removed = schemas(|text| text.replace(r#"{"name": "source", "type": "string"},"#, ""));
    assert!(record.schema_text().contains(field) && !full_transitive(&removed));
    let retyped = schemas(|text| text.replace(r#""type": "string""#, r#""type": "boolean""#));
    assert!(!full_transitive(&retyped));
    let added = schemas(|text| {
        text.replace(
            r#""fields": ["#,
            r#""fields": [{"name": "latency", "type": ["null", "long"], "default": null},"#,
        )
    });
    assert!(full_transitive(&added));
}

#[test]
fn bytes_that_are_no_record_are_named() {
    let good = wire::encode(&frame()).unwrap();
    let error = |bytes: &[u8]| wire::decode::<Frame>(bytes).unwrap_err().to_string();
    assert_eq!(error(b""), "not in the Confluent wire format");
    assert_eq!(error(b"{\"source\":1}"), "not in the Confluent wire format");
    assert_eq!(error(&[0, 0, 0, 0, 99, 1]), "schema id 99 is unknown");
    assert_eq!(error(&[&good[..], b"x"].concat()), "1 bytes follow the record");
    assert!(error(&good[..good.len() - 1]).starts_with("Avro: "));
    assert!(error(&vec![0; wire::MAX_MESSAGE + 1]).starts_with("1048577 bytes long"));
    assert_eq!(
        wire::decode::<Heartbeat>(&good).unwrap_err().to_string(),
        "a Frame where a Heartbeat was expected"
    );
}
