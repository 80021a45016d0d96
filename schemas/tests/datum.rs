//! The records' own encoding beside apache-avro's: for every type of record both write the same bytes, read the same
//! record, and refuse the same bytes.
//!
//! Data are made from the schemas, so that a field of another order, name or type than its schema's is found here.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::cell::Cell;
use std::fmt::Debug;

use apache_avro::Schema;
use apache_avro::reader::datum::GenericDatumReader;
use apache_avro::schema::Name;
use apache_avro::writer::datum::GenericDatumWriter;
use arb_schemas::records::{
    Account, AccountAudit, AccountClock, AccountCommand, AccountEndpoint, AccountInvitation, AccountKey,
    AccountLeaseQuota, AccountReply, AccountSession, AccountSettleQuota, AccountTimer, AccountUsage,
    ArbWindow, BoardEntry, BoardProgress, CloseSignal, EdgeSignal, Frame, Heartbeat, LineMovement, LiveScore,
    OpenedWindow, Pick, PickCandidate, PickChange, PickClosing, PickOffer, PickTimer, PollEnd, ResultReport,
    ScanBegin, ScanEnd, ScanRequest, ScanResult, SignalChange, StaleAlert, StateBook, StateClock, StateHead,
    StateLine, StateMargins, StateMoves, StateOpenedWindow, StatePartition, StatePick, StatePicks, StatePush,
    StateResult, StateScan, StateScanRepeats, StateSource, StateStaleBooks, StateSurvival, StateSuspension,
    StateWebhookBody, StateWebhookDelivery, StateWebhookFailing, StateWebhookFeed, StateWebhookNotice,
    StateWebhooks, Suspension, WebhookAttempt, WebhookAttempts, WebhookCircuit, WebhookDelivery,
    WebhookEvent, WebhookRedelivery, WebhookTimer, WindowGrading,
};
use arb_schemas::wire::{self, Record, RecordType};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, TestRunner};

/// Data of each type.
const CASES: u32 = 200;
/// Bytes before the datum.
const HEADER: usize = 5;

/// apache-avro, for one type.
struct Judge {
    schema: &'static Schema,
    all: Vec<&'static Schema>,
}

impl Judge {
    fn of(record: RecordType) -> Self {
        let references = record.references().iter().map(|reference| reference.schema_text());
        let (schema, references) = Schema::parse_str_with_list(record.schema_text(), references).unwrap();
        let schema: &'static Schema = Box::leak(Box::new(schema));
        let mut all: Vec<_> = references.into_iter().map(|other| &*Box::leak(Box::new(other))).collect();
        all.push(schema);
        Self { schema, all }
    }

    fn write<T: Record>(&self, record: &T) -> Vec<u8> {
        let builder = GenericDatumWriter::builder(self.schema).schemata(self.all.clone()).unwrap();
        let writer = builder.human_readable(false).build().unwrap();
        writer.write_ser_to_vec(record).unwrap()
    }

    /// `None` when it is no such record, or not all of it.
    fn read<T: Record>(&self, mut datum: &[u8]) -> Option<T> {
        let builder = GenericDatumReader::builder(self.schema).writer_schemata(self.all.clone()).unwrap();
        let reader = builder.human_readable(false).build().unwrap();
        let record = reader.read_deser(&mut datum).ok()?;
        datum.is_empty().then_some(record)
    }
}

fn zigzag(number: i64) -> Vec<u8> {
    let mut rest = ((number << 1) ^ (number >> 63)).cast_unsigned();
    let mut bytes = vec![];
    while rest > 0x7f {
        bytes.push(u8::try_from(rest & 0x7f).unwrap() | 0x80);
        rest >>= 7;
    }
    bytes.push(u8::try_from(rest).unwrap());
    bytes
}

fn counted(bytes: &[u8]) -> Vec<u8> {
    [&zigzag(i64::try_from(bytes.len()).unwrap())[..], bytes].concat()
}

/// Mostly what a price may be too; else no record with prices would be read.
fn long() -> BoxedStrategy<Vec<u8>> {
    prop_oneof![40 => 1_000_001_i64..1_001_000_000, 1 => any::<i64>()].prop_map(zigzag).boxed()
}

/// One block, or one block an item with its length, which a writer may do as well.
fn list(items: BoxedStrategy<Vec<u8>>) -> BoxedStrategy<Vec<u8>> {
    let all = (vec(items, 0..4), any::<bool>());
    let blocks = all.prop_map(|(items, is_split)| match items.len() {
        0 => vec![],
        _ if is_split => items.iter().flat_map(|item| [zigzag(-1), counted(item)].concat()).collect(),
        many => [zigzag(i64::try_from(many).unwrap()), items.concat()].concat(),
    });
    blocks.prop_map(|blocks| [blocks, vec![0]].concat()).boxed()
}

/// What a name means, which a schema may state where it first uses it.
fn named<'a>(schema: &'a Schema, name: &Name) -> Option<&'a Schema> {
    match schema {
        found if found.name() == Some(name) => Some(found),
        Schema::Record(record) => record.fields.iter().find_map(|field| named(&field.schema, name)),
        Schema::Array(array) => named(&array.items, name),
        Schema::Union(union) => union.variants().iter().find_map(|schema| named(schema, name)),
        _ => None,
    }
}

/// Any datum of a schema.
fn datum(schema: &Schema, judge: &Judge) -> BoxedStrategy<Vec<u8>> {
    match schema {
        Schema::Null => Just(vec![]).boxed(),
        Schema::Boolean => any::<bool>().prop_map(|value| vec![u8::from(value)]).boxed(),
        Schema::Int => any::<i32>().prop_map(|value| zigzag(value.into())).boxed(),
        Schema::Long | Schema::TimestampMicros => long(),
        Schema::Double => proptest::num::f64::NORMAL.prop_map(|value| value.to_le_bytes().to_vec()).boxed(),
        Schema::String => ".{0,12}".prop_map(|text| counted(text.as_bytes())).boxed(),
        Schema::Bytes => vec(any::<u8>(), 0..12).prop_map(|bytes| counted(&bytes)).boxed(),
        Schema::Array(array) => list(datum(&array.items, judge)),
        Schema::Enum(symbols) => {
            (0..symbols.symbols.len()).prop_map(|symbol| zigzag(i64::try_from(symbol).unwrap())).boxed()
        }
        Schema::Union(union) => {
            let branches = (0..).zip(union.variants()).map(|(branch, schema)| {
                datum(schema, judge).prop_map(move |value| [zigzag(branch), value].concat()).boxed()
            });
            proptest::strategy::Union::new(branches).boxed()
        }
        Schema::Record(record) => {
            let fields: Vec<_> = record.fields.iter().map(|field| datum(&field.schema, judge)).collect();
            fields.prop_map(|fields| fields.concat()).boxed()
        }
        Schema::Ref { name } => {
            let named = judge.all.iter().find_map(|schema| named(schema, name));
            datum(named.unwrap(), judge)
        }
        other => panic!("no datum of {other:?} is made"),
    }
}

/// Both read the same, and write what they read alike. What was read is compared as it is written: a number that is none (NaN) equals itself then.
fn agree<T: Record + Debug>(judge: &Judge, datum: &[u8]) -> Result<bool, TestCaseError> {
    let message = [&[0][..], &(T::TYPE as u32).to_be_bytes(), datum].concat();
    let (ours, theirs) = (wire::decode::<T>(&message).ok(), judge.read::<T>(datum));
    let written = |record: &Option<T>| record.as_ref().map(|record| judge.write(record));
    prop_assert_eq!(
        written(&ours),
        written(&theirs),
        "{:?} {:?}: {:?} and {:?}",
        T::TYPE,
        datum,
        ours,
        theirs
    );
    if let Some(record) = &ours {
        prop_assert_eq!(&wire::encode(record).unwrap()[HEADER..], &judge.write(record)[..]);
    }
    Ok(ours.is_some())
}

fn judged<T: Record + Debug>() -> RecordType {
    let judge = Judge::of(T::TYPE);
    let spoilt = (any::<Index>(), any::<u8>(), any::<Index>());
    let read = Cell::new(0);
    let run = TestRunner::new(Config { cases: CASES, failure_persistence: None, ..Config::default() }).run(
        &(datum(judge.schema, &judge), spoilt),
        |(mut datum, (place, byte, end))| {
            read.set(read.get() + u32::from(agree::<T>(&judge, &datum)?));
            if !datum.is_empty() {
                let place = place.index(datum.len());
                datum[place] = byte;
                agree::<T>(&judge, &datum)?;
                agree::<T>(&judge, &datum[..end.index(datum.len())])?;
            }
            Ok(())
        },
    );
    run.unwrap();
    assert!(read.get() > CASES / 10, "{:?}: only {} of {CASES} were records", T::TYPE, read.get());
    T::TYPE
}

macro_rules! each {
    ($($record:ident),+ $(,)?) => { [$(judged::<$record>()),+] };
}

/// Those of accounts, and the parts of states.
fn judged_states() -> Vec<RecordType> {
    each![
        Account,
        AccountAudit,
        AccountClock,
        AccountCommand,
        AccountEndpoint,
        AccountInvitation,
        AccountKey,
        AccountLeaseQuota,
        AccountReply,
        AccountSession,
        AccountSettleQuota,
        AccountTimer,
        AccountUsage,
        StateBook,
        StateClock,
        StateHead,
        StateLine,
        StateMargins,
        StateMoves,
        StateOpenedWindow,
        StatePartition,
        StatePick,
        StatePicks,
        StatePush,
        StateResult,
        StateScan,
        StateScanRepeats,
        StateSource,
        StateSuspension,
        StateStaleBooks,
        StateSurvival,
        StateWebhookBody,
        StateWebhookDelivery,
        StateWebhookFailing,
        StateWebhookFeed,
        StateWebhookNotice,
        StateWebhooks,
    ]
    .to_vec()
}

/// All others.
fn judged_messages() -> Vec<RecordType> {
    each![
        ArbWindow,
        BoardEntry,
        BoardProgress,
        CloseSignal,
        EdgeSignal,
        Frame,
        Heartbeat,
        LineMovement,
        LiveScore,
        OpenedWindow,
        Pick,
        PickCandidate,
        PickChange,
        PickClosing,
        PickOffer,
        PickTimer,
        PollEnd,
        ResultReport,
        ScanBegin,
        ScanEnd,
        ScanRequest,
        ScanResult,
        SignalChange,
        StaleAlert,
        Suspension,
        WebhookAttempt,
        WebhookAttempts,
        WebhookCircuit,
        WebhookDelivery,
        WebhookEvent,
        WebhookRedelivery,
        WebhookTimer,
        WindowGrading,
    ]
    .to_vec()
}

#[test]
fn every_record_is_written_and_read_as_apache_avro_does() {
    let judged = [judged_states(), judged_messages()].concat();
    let missing: Vec<_> = RecordType::ALL.into_iter().filter(|record| !judged.contains(record)).collect();
    assert!(missing.is_empty(), "{missing:?} are not compared");
}
