//! Bodies as batches: lines, faults and caps, and bodies at random.

use arb_schemas::json_parts::without_mark;
use arb_schemas::records::Frame;
use arb_schemas::wire::decode;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

const NOW: Micros = 1_000_000_000_000_000;

fn grant() -> PushGrant {
    PushGrant {
        name: "acme".into(),
        is_public: true,
        books: vec!["acme".into(), "zeta".into()],
        may_name_events: true,
    }
}

fn line(event: &str, outcome: &str, sequence: i64) -> Value {
    json!({"event": event, "book": "acme", "market": "h2h", "outcome": outcome, "price": 2.1, "sequence": sequence})
}

fn text(lines: &[Value]) -> String {
    lines.iter().flat_map(|line| [line.to_string(), "\n".to_owned()]).collect()
}

fn read(text: &str) -> Result<Batch, BatchFault> {
    Batch::read(text, &grant(), NOW)
}

fn frames(batch: &Batch) -> Vec<Frame> {
    batch.updates.iter().map(|update| decode(&update.value).unwrap()).collect()
}

#[test]
fn lines_of_one_sequence_are_one_update() {
    let lines = [line("e", "home", 8), line("f", "home", 7), line("e", "away", 8)];
    let batch = read(&format!("\n{}\r\n", text(&lines))).unwrap();
    assert_eq!((batch.accepted, batch.faults.len()), (3, 0));
    let frames = frames(&batch);
    let of = |frame: &Frame| {
        (frame.event.id.to_string(), frame.push.unwrap().sequence, frame.offers[0].ticks.len())
    };
    assert_eq!(frames.iter().map(of).collect::<Vec<_>>(), [("f".into(), 7, 1), ("e".into(), 8, 2)]);
    for frame in &frames {
        assert_eq!((frame.source.as_str(), frame.received_at, frame.poll_index), ("feed/acme", NOW, None));
        assert_eq!(frame.coverage.books.as_deref(), Some(&[][..]), "it withdraws nothing");
        assert_eq!(frame.offers[0].last_seen_at, NOW);
    }
}

#[test]
fn a_line_that_is_refused_leaves_the_others() {
    let mut bad = line("e", "home", 2);
    bad["book"] = json!("other");
    let other_event = line("f", "away", 1);
    let lines = format!(
        "{}nonsense\n{}",
        text(&[line("e", "home", 1), bad]),
        text(&[other_event, line("e", "away", 1)])
    );
    let batch = read(&lines).unwrap();
    assert_eq!((batch.accepted, batch.updates.len()), (2, 1));
    let faults: Vec<_> =
        batch.faults.iter().map(|(number, fault)| (*number, fault.field.as_deref().unwrap_or("-"))).collect();
    assert_eq!(faults, [(2, "book"), (3, "-"), (4, "sequence")]);
}

#[test]
fn a_batch_beyond_a_cap_is_refused_whole() {
    assert_eq!(read(" \n\n"), Err(BatchFault::Empty));
    let many = |count: usize, event: fn(usize) -> String| {
        let lines: Vec<_> =
            (0..count).map(|at| line(&event(at), "home", i64::try_from(at).unwrap())).collect();
        read(&text(&lines)).map(|batch| batch.accepted)
    };
    assert_eq!(many(PUSH_TICKS, |_| "e".into()), Ok(PUSH_TICKS));
    assert_eq!(many(PUSH_TICKS + 1, |_| "e".into()), Err(BatchFault::TooManyTicks));
    assert_eq!(many(PUSH_EVENTS, |at| format!("e{at}")), Ok(PUSH_EVENTS));
    assert_eq!(many(PUSH_EVENTS + 1, |at| format!("e{at}")), Err(BatchFault::TooManyEvents));
}

#[test]
fn an_update_that_is_longer_than_a_record_is_refused_with_its_lines() {
    let books: Vec<_> = (0..190).map(|at| format!("{at:03}{}", "b".repeat(250))).collect();
    let grant = PushGrant { books: books.clone(), ..grant() };
    let markets: Vec<_> = ["", "_h1", "_h2", "_q1", "_q2", "_q3", "_q4"]
        .iter()
        .flat_map(|period| ["h2h", "draw_no_bet", "h2h_3_way"].map(|family| format!("{family}{period}")))
        .collect();
    let lines: Vec<_> = books
        .iter()
        .flat_map(|book| markets.iter().map(move |market| (book, market)))
        .map(|(book, market)| json!({"event": "e", "book": book, "market": market, "outcome": "home", "price": 2, "sequence": 1}))
        .collect();
    let small = line("e", "home", 2).to_string().replace("\"acme\"", &format!("\"{}\"", books[0]));
    let batch = Batch::read(&format!("{}{small}\n", text(&lines)), &grant, NOW).unwrap();
    assert_eq!((batch.accepted, batch.updates.len(), batch.faults.len()), (1, 1, lines.len()));
}

/// How many bodies are tried; `ARB_FUZZ` sets another number.
#[expect(clippy::disallowed_methods, reason = "a switch of this test alone")]
fn cases() -> u32 {
    std::env::var("ARB_FUZZ").ok().and_then(|count| count.parse().ok()).unwrap_or(2_000)
}

/// A value that a field may have: right, nearly right, or anything.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
        Just(json!("e")),
        Just(json!("acme")),
        Just(json!("h2h")),
        Just(json!("totals")),
        Just(json!("home")),
        Just(json!("over")),
        Just(json!(2.5)),
        Just(json!(1)),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-z_]{0,6}", inner, 0..4)
                .prop_map(|map| map.into_iter().collect::<serde_json::Map<_, _>>().into()),
        ]
    })
}

const FIELDS: [&str; 11] =
    ["event", "book", "market", "outcome", "side", "line", "price", "status", "limit", "sequence", "other"];

/// A line: a right one with fields changed, or bytes.
fn any_line() -> impl Strategy<Value = String> {
    let object = || {
        let changed = prop::collection::vec((prop::sample::select(&FIELDS[..]), value()), 0..4);
        (changed, 0..4_i64).prop_map(|(changes, sequence)| {
            let mut line = line("e", "home", sequence);
            for (field, value) in changes {
                line[field] = value;
            }
            line.to_string()
        })
    };
    let cut = (object(), any::<prop::sample::Index>())
        .prop_map(|(line, at)| line.chars().take(at.index(line.len() + 1)).collect());
    prop_oneof![6 => object(), 1 => cut, 1 => ".{0,40}"]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    /// Of each body every line that is not blank is accepted or refused, once; and what is accepted can be read again.
    #[test]
    fn every_line_of_a_body_is_accepted_or_refused(lines in prop::collection::vec(any_line(), 1..8)) {
        let body = lines.join("\n");
        // A mark at the beginning is none of the first line.
        let count = without_mark(&body).lines().filter(|line| !line.trim().is_empty()).count();
        match read(&body) {
            Err(fault) => prop_assert_eq!((fault, count), (BatchFault::Empty, 0)),
            Ok(batch) => {
                prop_assert_eq!(batch.accepted + batch.faults.len(), count);
                let frames = frames(&batch);
                let ticks = frames.iter().flat_map(|frame| &frame.offers).map(|offer| offer.ticks.len());
                prop_assert_eq!(ticks.sum::<usize>(), batch.accepted);
                let books = frames.iter().flat_map(|frame| &frame.offers).map(|offer| &offer.book);
                prop_assert!(books.into_iter().all(|book| grant().books.contains(book)));
                prop_assert!(frames.iter().all(|frame| frame.source == "feed/acme" && frame.poll_index.is_none()));
            }
        }
    }
}
