//! Golden files: what a version wrote stays readable, byte for byte, and schemas stay compatible.
//!
//! `golden/NAME.vN.bin` is a record that version N wrote. `ARB_WRITE_GOLDEN=1 cargo test -p arb-schemas` makes those that are missing, and
//! touches none that is there: until a release is tagged, delete the file of a record that changes in place; from then on none is changed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "golden/picks.rs"]
mod picks;
#[path = "golden/records.rs"]
mod records;
#[path = "golden/webhooks.rs"]
mod webhooks;

use std::path::PathBuf;

use apache_avro::Schema;
use apache_avro::schema_compatibility::SchemaCompatibility;
use arb_model::fixtures::{
    alert, close, entry, filter_values, movement, pick, signal, signal_change, window, window_grading,
};
use arb_model::{FilterValues, Time};
use arb_schemas::limits;
use arb_schemas::records::{
    AccountClock, AccountInvitation, AccountTimer, ArbWindow, BoardProgress, Coverage, Frame, Heartbeat,
    PickChange, PickTimer, PollEnd, ScanBegin, SignalChange, StateBook, StateClock, StateCut, StateMargins,
    StateOpenedWindow, StatePartition, StatePick, StatePicks, StatePush, StateScanRepeats, StateSource,
    StateStaleBooks, StateSurvival, StateSuspension, StateTimers, StateWebhookFeed, StateWebhookNotice,
    StateWebhooks, Suspension, WebhookTimer, WindowGrading,
};
use arb_schemas::registry::{self, PublishedSchema};
use arb_schemas::wire::{self, Record, RecordType};
use serde_json::{Value, json};

use records::{
    account, account_audit, account_command, account_key, account_lease_quota, account_reply,
    account_session, account_settle_quota, account_usage, frame, scan_end, scan_request, scan_result,
    state_head, state_line, state_moves, state_scan,
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
    let bytes = wire::encode(record).unwrap();
    let name = format!("{:?}.v{}.bin", T::TYPE, versions(T::TYPE).count());
    assert_eq!(golden_bytes(&name, &bytes), bytes, "{name}");
    assert_eq!(&wire::decode::<T>(&bytes).unwrap(), record, "{name}");
}

#[test]
fn bytes_of_the_newest_version_never_change() {
    compare_all();
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
    stays(&state_moves());
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
    stays(&picks::live_score());
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
    stays(&StateWebhooks { clock: 3 });
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
        timers: StateTimers {
            now: Some(1_782_000_000_000_000),
            step_from: Some(1_782_086_400_000_000),
            step_at: Some(1_782_086_401_000_000),
        },
        cut: Some(StateCut {
            next_offset: 12,
            sequence: 3,
            timers: StateTimers { now: Some(1_781_999_999_000_000), step_from: None, step_at: None },
            digest: -5,
        }),
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

/// All versions of a record, oldest first.
fn versions(record: RecordType) -> impl Iterator<Item = PublishedSchema> {
    registry::all().filter(move |schema| schema.record == record)
}

fn parsed(text: &str, references: &[&str]) -> Schema {
    Schema::parse_str_with_list(text, references).unwrap().0
}

fn schema(published: &PublishedSchema) -> Schema {
    let references: Vec<_> = published.references().map(|reference| reference.text).collect();
    parsed(published.text, &references)
}

/// Whether each version can read what any other wrote.
fn full_transitive(schemas: &[Schema]) -> bool {
    let all_pairs = schemas.iter().flat_map(|a| schemas.iter().map(move |b| (a, b)));
    all_pairs.into_iter().all(|(a, b)| SchemaCompatibility::mutual_read(a, b).is_ok())
}

#[test]
fn schemas_are_full_transitive() {
    for record in RecordType::ALL {
        let schemas: Vec<_> = versions(record).map(|published| schema(&published)).collect();
        assert!(full_transitive(&schemas), "{record:?}");
    }
}

#[test]
fn a_schema_that_breaks_old_readers_is_found() {
    let record = RecordType::Heartbeat;
    let schemas = |change: fn(&mut Vec<Value>)| {
        let mut changed: Value = serde_json::from_str(record.schema_text()).unwrap();
        change(changed["fields"].as_array_mut().unwrap());
        [record.schema_text().to_owned(), changed.to_string()].map(|text| parsed(&text, &[]))
    };
    assert!(full_transitive(&schemas(|_| {})));
    assert!(!full_transitive(&schemas(|fields| drop(fields.remove(0)))));
    assert!(!full_transitive(&schemas(|fields| fields[0]["type"] = "boolean".into())));
    let added = schemas(|fields| {
        fields.insert(0, json!({"name": "latency", "type": ["null", "long"], "default": null}));
    });
    assert!(full_transitive(&added));
}

#[test]
fn bytes_that_are_no_record_are_named() {
    let good = wire::encode(&frame()).unwrap();
    let error = |bytes: &[u8]| wire::decode::<Frame>(bytes).unwrap_err().to_string();
    assert_eq!(error(b""), "not in the Confluent wire format");
    assert_eq!(error(b"{\"source\":1}"), "not in the Confluent wire format");
    assert_eq!(error(&[0, 0, 0, 39, 15, 1]), "schema id 9999 is unknown");
    assert_eq!(error(&[&good[..], b"x"].concat()), "1 bytes follow the record");
    assert!(error(&good[..good.len() - 1]).starts_with("Avro: "));
    assert_eq!(
        error(&[0, 0, 0, 0, 28, 1]),
        "schema id 28 is of before the first release, which is not read: delete the topics and create them again"
    );
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
