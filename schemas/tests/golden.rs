//! Golden files: what version 1 wrote stays readable, byte for byte, and schemas stay compatible.
//!
//! `golden/NAME.vN.avsc` is the schema as version N had it, `golden/NAME.vN.bin` a record that it wrote. They are
//! never changed, only added to. A new record's files are made by `ARB_WRITE_GOLDEN=1 cargo test -p arb-schemas`,
//! which refuses to touch those that exist.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "golden/older.rs"]
mod older;
#[path = "golden/picks.rs"]
mod picks;
#[path = "golden/records.rs"]
mod records;
#[path = "golden/webhooks.rs"]
mod webhooks;

use std::path::PathBuf;
use std::sync::{Mutex, Once, PoisonError};

use apache_avro::Schema;
use apache_avro::reader::datum::GenericDatumReader;
use apache_avro::schema_compatibility::SchemaCompatibility;
use arb_model::fixtures::{
    alert, close, entry, filter_values, movement, pick, signal, signal_change, window, window_grading,
};
use arb_model::{FilterValues, Name, Time};
use arb_schemas::limits;
use arb_schemas::records::{
    AccountClock, AccountInvitation, AccountTimer, ArbWindow, BoardEntry, BoardProgress, Coverage, Frame,
    Heartbeat, Leg, Pick, PickChange, PickTimer, PollEnd, ScanBegin, SignalChange, StateBook, StateClock,
    StateMargins, StateOpenedWindow, StatePartition, StatePick, StatePicks, StatePush, StateScanRepeats,
    StateSource, StateStaleBooks, StateSurvival, StateSuspension, StateWebhookFeed, StateWebhookNotice,
    StateWebhooks, Suspension, WebhookTimer, WindowGrading,
};
use arb_schemas::view::{self, FrameView};
use arb_schemas::wire::{self, Record, RecordType};

use records::{
    account, account_audit, account_command, account_key, account_lease_quota, account_reply,
    account_session, account_settle_quota, account_usage, frame, scan_end, scan_request, scan_result,
    state_head, state_line, state_scan,
};

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

fn stays<T: Record + PartialEq + std::fmt::Debug>(record: &T) {
    publish_if_asked(T::TYPE);
    let bytes = wire::encode(record).unwrap();
    let name = format!("{:?}.v{}.bin", T::TYPE, versions(T::TYPE).len());
    assert_eq!(golden_bytes(&name, &bytes), bytes, "{name}");
    assert_eq!(&wire::decode::<T>(&bytes).unwrap(), record, "{name}");
}

/// Compares the newest golden files with what is written now; those that are missing are written, when that is asked for.
fn all_stay() {
    static ONCE: Once = Once::new();
    ONCE.call_once(compare_all);
}

#[test]
fn bytes_of_the_newest_version_never_change() {
    all_stay();
}

fn compare_all() {
    stays(&frame());
    let league = Some("soccer_test_league".into());
    stays(&PollEnd { source: "s".into(), received_at: 7, league, coverage: Coverage::ALL, frames: 12 });
    stays(&Heartbeat { source: "s".into(), at: -1 });
    stays(&Suspension { name: "alpha".into(), is_book: true, is_suspended: true, at: 1 });
    stays(&StateSuspension { name: "alpha".into(), is_book: true });
    stays(&entry());
    stays(&BoardProgress { source: "s".into(), received_at: 9 });
    stays(&window());
    stays(&close());
    stays(&movement());
    stays(&alert());
    stays(&state_head());
    stays(&state_line());
    stays(&signal());
    stays(&signal_change());
    stays(&StateSource { source: "s".into(), latest: None, heard_at: Some(8), frames: Some(3), whole: true });
    stays(&state_partition());
    stays(&StateClock { now: 9, watermark: 4, leap: Some(99) });
    let (book, counts) = ("alpha".into(), vec![0, 3, 1]);
    stays(&StateBook { book, counts, sampled_at: 7, interval: Some(1_189_209) });
    stays(&survival());
    stays(&StateMargins { pre_match: vec![0, 3, 1], in_play: vec![] });
    stays(&StatePush { source: "push/s".into(), sequence: 300, digest: -2, bets: vec![1, i64::MIN] });
    stays(&StateStaleBooks { event_id: "852a3abe".into(), books: vec!["alpha".into()] });
    compare_accounts();
    compare_webhooks();
    compare_scans();
    compare_picks();
}

fn compare_picks() {
    stays(&picks::candidate());
    stays(&picks::report());
    stays(&picks::closing());
    stays(&picks::offer());
    stays(&PickTimer { at: 7 });
    stays(&pick());
    stays(&StatePick { pick: pick(), taken_at: 8 });
    stays(&picks::state_result());
    stays(&StatePicks { clock: 10 });
    stays(&PickChange { change: "graded".into(), pick: pick() });
    let WindowGrading { window, grade } = window_grading();
    stays(&window);
    stays(&window_grading());
    let (starts_at, taken_at) = (Time(11), 12);
    stays(&StateOpenedWindow { window, grade: Some(grade), starts_at, taken_at });
}

fn compare_scans() {
    stays(&scan_request());
    stays(&ScanBegin { source: "s".into(), request: scan_request() });
    stays(&scan_end());
    let (source, events) = ("s".into(), vec!["852a3abe".into(), "f".into()]);
    stays(&StateScanRepeats { source, received_at: 7, events, is_all: false });
    stays(&scan_result());
    stays(&state_scan());
}

fn compare_accounts() {
    stays(&account_command());
    stays(&AccountTimer { at: 7 });
    stays(&account());
    stays(&account_session());
    stays(&account_key());
    stays(&account_reply());
    stays(&AccountClock { at: 8 });
    stays(&account_audit());
    stays(&AccountInvitation { hash: "ab".repeat(32), account: "acc_0000000000000001".into(), at: 9 });
    stays(&account_usage());
    stays(&account_lease_quota());
    stays(&account_settle_quota());
}

fn compare_webhooks() {
    stays(&webhooks::endpoint());
    stays(&webhooks::event());
    stays(&webhooks::attempt());
    stays(&webhooks::attempts());
    stays(&WebhookTimer { at: 7 });
    stays(&webhooks::redelivery());
    stays(&webhooks::body());
    stays(&webhooks::delivery());
    stays(&StateWebhooks { epoch: 1, sequence: 2, clock: 3 });
    stays(&StateWebhookFeed { partition: 3, epoch: 1_782_000_000_000, sequence: 9 });
    stays(&webhooks::failing());
    stays(&StateWebhookNotice { nonce: "notice/key.expiring/abcdefgh/4".into(), at: 4 });
    stays(&webhooks::log());
    stays(&webhooks::circuit());
}

fn state_partition() -> StatePartition {
    StatePartition {
        next_offset: 17,
        policy: "board".into(),
        sequence: 4,
        epoch: 1_782_000_000_000,
        now: Some(1_782_000_000_000_000),
        step_from: Some(1_782_086_400_000_000),
        step_at: Some(1_782_086_401_000_000),
    }
}

fn survival() -> StateSurvival {
    StateSurvival {
        sport: "soccer".into(),
        stage: "in_play".into(),
        kind: "winner".into(),
        margin: 2,
        age: 1,
        deaths: vec![0, 1_000_000],
        lived: vec![15_000_000, 250_000],
    }
}

#[test]
fn a_window_is_its_change_and_its_entry() {
    for change in ["", "opened", &"x".repeat(64), &"x".repeat(9_999)] {
        let unlimited =
            FilterValues { total_stake_max: None, margin: -0.5, books: vec![], ..filter_values() };
        for replaced in [None, Some(filter_values()), Some(unlimited)] {
            let parts = wire::encode_window(change, &wire::encode(&entry()).unwrap(), replaced.as_ref());
            let whole = ArbWindow { change: change.into(), entry: entry(), replaced };
            assert_eq!(parts.unwrap(), wire::encode(&whole).unwrap(), "{change}");
        }
    }
    assert!(wire::encode_window("opened", &wire::encode(&frame()).unwrap(), None).is_err());
    let whole = wire::encode(&SignalChange { change: "faded".into(), signal: signal() }).unwrap();
    assert_eq!(wire::encode_signal_change("faded", &wire::encode(&signal()).unwrap()).unwrap(), whole);
    assert!(wire::encode_signal_change("faded", &wire::encode(&entry()).unwrap()).is_err());
}

/// A published version of a record's schema, its references as they were then; `None` when there is none.
fn published(record: RecordType, version: u32) -> Option<Schema> {
    let text = |record: RecordType, version: u32| {
        std::fs::read_to_string(golden(&format!("{record:?}.v{version}.avsc")))
    };
    let (schema, of_reference) = (text(record, version).ok()?, record.reference_version(version));
    let references = record.references().iter();
    let names: Vec<_> = references.map(|reference| text(*reference, of_reference).unwrap()).collect();
    Some(Schema::parse_str_with_list(&schema, names).unwrap().0)
}

/// The record that a version wrote.
fn read<T: Record>(name: &str) -> T {
    wire::decode(&std::fs::read(golden(name)).unwrap()).unwrap()
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

/// A schema that differs from its newest version is published as the next one, on request. A schema that
/// refers to another one has the versions of that one too.
fn publish_if_asked(record: RecordType) {
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let published = versions(record).len();
    let newest = std::fs::read_to_string(golden(&format!("{record:?}.v{published}.avsc"))).ok();
    let of_reference = record.reference_version(u32::try_from(published).unwrap()) as usize;
    let is_behind = record.references().iter().any(|reference| versions(*reference).len() > of_reference);
    if is_behind || newest.as_deref() != Some(record.schema_text()) {
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
    // A record that others refer to is read with them; the rest are independent.
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

/// An older program reads nothing that a newer one wrote, so these hold for every version that follows.
#[test]
fn of_an_old_window_nothing_is_verified_or_known_of_its_books() {
    let entry = read::<BoardEntry>("BoardEntry.v1.bin");
    assert_eq!((entry.margin_rounded, entry.currency, entry.verification), (None, None, None));
    assert_eq!((entry.failed_checks, entry.execution_probability), (vec![], None));
    for Leg { operator, effective_price, limit, .. } in entry.legs {
        assert_eq!((operator, effective_price, limit), (Name::default(), None, None));
    }
    let entry = read::<BoardEntry>("BoardEntry.v2.bin");
    assert!(entry.legs.iter().all(|leg| leg.effective_price.is_some() && leg.expected_interval.is_none()));
}

#[test]
fn of_an_old_pick_no_later_offer_is_known() {
    let of_state = read::<StatePick>("StatePick.v1.bin").pick;
    let of_change = read::<PickChange>("PickChange.v1.bin").pick;
    let without = Pick { offer_after_poll: None, offer_after_minute: None, ..pick() };
    assert_eq!([read("Pick.v1.bin"), of_state, of_change], [(); 3].map(|()| without.clone()));
}

#[test]
fn an_old_frame_is_read_in_place_too() {
    for name in ["Frame.v1.bin", "Frame.v2.bin"] {
        let message = std::fs::read(golden(name)).unwrap();
        assert_eq!(view::frame(&message), Some(FrameView::from(&read::<Frame>(name))), "{name}");
    }
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
    assert_eq!(error(&[0, 0, 0, 0, 28, 1]), "schema id 28 is of an older layout, which is not read");
    assert_eq!(
        wire::decode::<Heartbeat>(&good).unwrap_err().to_string(),
        "a Frame where a Heartbeat was expected"
    );
}

#[test]
fn a_record_too_long_for_its_topic_is_neither_written_nor_read() {
    let beat = |bytes: usize| Heartbeat { source: "s".repeat(bytes), at: 1 };
    let longest = wire::encode(&beat(limits::INPUT - 9)).unwrap();
    assert_eq!(longest.len(), limits::INPUT);
    assert_eq!(wire::decode::<Heartbeat>(&longest).unwrap(), beat(limits::INPUT - 9));
    let error = |result: Result<Vec<u8>, wire::WireError>| result.unwrap_err().to_string();
    assert_eq!(error(wire::encode(&beat(limits::INPUT - 8))), "1048577 bytes long, more than 1048576");
    let input = [&longest[..], b"x"].concat();
    assert!(matches!(wire::decode::<Heartbeat>(&input), Err(wire::WireError::TooLong { .. })));
    // What processors write may be longer than the input, and all of it is read.
    let progress = |bytes: usize| BoardProgress { source: "s".repeat(bytes), received_at: 1 };
    let written = wire::encode(&progress(limits::VALUE - 10)).unwrap();
    assert_eq!(written.len(), limits::VALUE);
    assert_eq!(wire::decode::<BoardProgress>(&written).unwrap(), progress(limits::VALUE - 10));
    assert_eq!(error(wire::encode(&progress(limits::VALUE))), "2031626 bytes long, more than 2031616");
    assert!(matches!(RecordType::of(&vec![0; limits::READ + 1]), Err(wire::WireError::TooLong { .. })));
    let window = wire::encode(&entry()).unwrap();
    let change = "x".repeat(limits::VALUE);
    assert!(matches!(wire::encode_window(&change, &window, None), Err(wire::WireError::TooLong { .. })));
}
