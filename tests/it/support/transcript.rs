//! The inputs of an engine under the policy `board`, and its outputs, record by record, as JSON lines.
//!
//! A line is a record of the ticks (`frame`, `poll_end`, `heartbeat`) as its schema has it, with what it made of the board:
//! the entries written (`entry`) and the windows closed (`gone`), in order. It never looks into either.

use std::collections::HashMap;
use std::io::{BufRead, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex};

use apache_avro::Schema;
use apache_avro::reader::datum::GenericDatumReader;
use arb_engine::Engine;
use arb_engine::effect::Effect;
use arb_engine::input::Coordinate;
use arb_engine::market::Policy;
use arb_engine::venues::Books;
use arb_ingest::replay::{RECORDED_HEARTBEAT, heartbeats};
use arb_ingest::the_odds_api::OddsFormat;
use arb_ingest::{publish, recording};
use arb_model::Faults;
use arb_process::codec::{as_input, outputs};
use arb_schemas::TickRecord;
use arb_schemas::records::Heartbeat;
use arb_schemas::topics::{ARBS_BOARD, ODDS_TICKS};
use arb_schemas::wire::RecordType;
use serde_json::{Value, json};

/// An engine of one partition, and where its transcript goes.
pub(crate) struct Transcript<W> {
    engine: Engine,
    offset: i64,
    out: W,
}

impl<W: Write> Transcript<W> {
    pub(crate) fn new(books: Books, out: W) -> Self {
        Self { engine: Engine::with_books(Policy::Board, Arc::new(books)), offset: 0, out }
    }

    /// Steps through the records of a file, one a line.
    pub(crate) fn step_all(&mut self, records: impl BufRead) {
        records.lines().for_each(|line| self.step(&parsed(&line.unwrap())));
    }

    /// Plays some polls of a recording as it is replayed: with heartbeats between them.
    pub(crate) fn play(&mut self, path: &Path, polls: Range<usize>) {
        let mut recording = recording::open(path, OddsFormat::American).unwrap();
        let (mut faults, mut last) = (Faults::default(), None);
        for index in 0..polls.end {
            let Some(poll) = recording.next_poll(&mut faults).unwrap() else { return };
            if index < polls.start {
                continue;
            }
            let (source, next) = (recording.name().to_owned(), poll.received_at);
            for at in heartbeats(last, next, RECORDED_HEARTBEAT) {
                self.step(&TickRecord::Heartbeat(Heartbeat { source: source.clone(), at }));
            }
            for addressed in publish::records(&source, poll, 1) {
                self.step(&addressed.record);
            }
            last = Some(next);
        }
    }

    fn step(&mut self, record: &TickRecord) {
        let mut effects = Vec::new();
        let coordinate = Coordinate { topic: ODDS_TICKS.name, partition: 0, offset: self.offset };
        self.engine.step(coordinate, &as_input(record, &mut Faults::default()), &mut effects);
        self.engine.commit();
        self.offset += 1;
        let output: Vec<_> = effects.iter().flat_map(on_board).collect();
        writeln!(self.out, "{}", json!({"input": as_json(record), "output": output})).unwrap();
    }
}

fn parsed(line: &str) -> TickRecord {
    let mut record: Value = serde_json::from_str(line).unwrap();
    let (kind, value) = record.as_object_mut().unwrap().iter_mut().next().unwrap();
    let value = value.take();
    match &**kind {
        "frame" => TickRecord::Frame(serde_json::from_value(value).unwrap()),
        "poll_end" => TickRecord::PollEnd(serde_json::from_value(value).unwrap()),
        "heartbeat" => TickRecord::Heartbeat(serde_json::from_value(value).unwrap()),
        "suspension" => TickRecord::Suspension(serde_json::from_value(value).unwrap()),
        other => panic!("{other} is no record"),
    }
}

fn as_json(record: &TickRecord) -> Value {
    let kind = match record {
        TickRecord::Frame(_) => "frame",
        TickRecord::PollEnd(_) => "poll_end",
        TickRecord::Heartbeat(_) => "heartbeat",
        TickRecord::Suspension(_) => "suspension",
    };
    json!({kind: fields(&record.encode().unwrap())})
}

/// A message as its schema has it: names and values of Avro.
fn fields(message: &[u8]) -> Value {
    static SCHEMAS: LazyLock<Mutex<HashMap<u32, Schema>>> = LazyLock::new(Mutex::default);
    let record = RecordType::of(message).unwrap();
    let mut schemas = SCHEMAS.lock().unwrap();
    let parsed = || Schema::parse_str(record.schema_text()).unwrap();
    let schema = schemas.entry(record as u32).or_insert_with(parsed);
    let reader = GenericDatumReader::builder(schema).build().unwrap();
    reader.read_value(&mut &message[5..]).unwrap().try_into().unwrap()
}

/// What an effect writes to the board, windows only.
fn on_board(effect: &Effect) -> Vec<Value> {
    let of_windows = !matches!(effect, Effect::Contains { .. });
    let written = outputs(effect, 0, 0).unwrap().into_iter();
    let on_board = written.filter(|output| of_windows && output.topic == ARBS_BOARD.name);
    on_board
        .map(|output| match output.value {
            Some(value) => json!({"entry": fields(&value)}),
            None => json!({"gone": String::from_utf8(output.key.unwrap()).unwrap()}),
        })
        .collect()
}
