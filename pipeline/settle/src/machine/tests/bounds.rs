//! Every input at its limits: what the machine keeps and publishes fits its records, and a restart finds it.

use arb_runtime::dead_letters::Reason;
use arb_schemas::limits;
use arb_schemas::wire::Record;
use arb_simulated_log::Bounded;
use serde_json::Value;

use super::*;

/// A text at a limit, just beyond it, or far from it; now and then of characters that are three bytes.
fn text(rng: &mut Rng) -> String {
    let length = [0, 1, 399, 400, 401, 60_000, 300_000, 1_900_000][rng.usize(0..8)];
    if rng.u8(0..3) == 0 { "\u{fffd}".repeat(length / 3) } else { "a".repeat(length) }
}

/// Changes one leaf or list of a record to something at or beyond its limits.
fn stretch(value: &mut Value, rng: &mut Rng) {
    match value {
        Value::Object(fields) => {
            let names: Vec<_> = fields.keys().cloned().collect();
            if let Some(name) = rng.choice(names) {
                stretch(&mut fields[&name], rng);
            }
        }
        Value::Array(items) if !items.is_empty() && rng.bool() => {
            let index = rng.usize(0..items.len());
            stretch(&mut items[index], rng);
        }
        Value::Array(items) => {
            let item = items.first().cloned().unwrap_or_else(|| text(rng).into());
            let most = 4_000_000 / item.to_string().len();
            *items = vec![item; most.min([0, 1, 20, 21, 5_000][rng.usize(0..5)])];
        }
        Value::String(known) => *value = format!("{known}{}", text(rng)).into(),
        Value::Number(known) if known.is_f64() => *value = rng.f64().into(),
        Value::Number(_) => {
            let extremes = [i64::MIN, -1, 0, START, i64::from(i32::MAX), i64::MAX];
            *value = extremes[rng.usize(0..extremes.len())].into();
        }
        Value::Null => *value = if rng.bool() { text(rng).into() } else { i64::MAX.into() },
        Value::Bool(is) => *is = !*is,
    }
}

/// A record, as it is or with up to three changes; `None` where it is none any more.
fn stretched<R: Record>(record: &R, rng: &mut Rng) -> Option<Vec<u8>> {
    let mut value = serde_json::to_value(record).ok()?;
    for _ in 0..rng.usize(0..4) {
        stretch(&mut value, rng);
    }
    wire::encode(&serde_json::from_value::<R>(value).ok()?).ok()
}

fn message(rng: &mut Rng) -> Option<Vec<u8>> {
    match rng.u8(0..12) {
        0 | 1 => stretched(&candidate(), rng),
        2 => stretched(&recorded(), rng),
        3 | 4 => stretched(&windows::window("a", &event().id, START), rng),
        5 => {
            let Task::Closing(closing) = closing(rng.i64(0..900) * SECOND, 0.4) else { unreachable!() };
            stretched(&closing, rng)
        }
        6 => {
            let at = [START - HOUR, START + 90 * 24 * HOUR, i64::MIN, i64::MAX][rng.usize(0..4)];
            wire::encode(&PickTimer { at }).ok()
        }
        _ => {
            let score = (rng.i32(0..9_999), rng.i32(0..9_999));
            stretched(&report("final", Some(score), START + rng.i64(0..9) * HOUR), rng)
        }
    }
}

#[test]
fn every_task_at_its_limits_fits_its_records() {
    let (mut steps, mut dead, mut longest) = (0, 0, 0);
    for seed in 0..20 {
        let mut rng = Rng::with_seed(seed);
        let mut bounded = Bounded::<SettleMachine>::new(&Clauses::default());
        for _ in 0..250 {
            let Some(message) = message(&mut rng) else { continue };
            let reasons = bounded.step(&message).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
            assert!(reasons.iter().all(|reason| matches!(reason, Reason::Refused | Reason::Unreadable)));
            (steps, dead) = (steps + 1, dead + usize::from(!reasons.is_empty()));
            longest = longest.max(bounded.longest());
        }
        bounded.restore(&Clauses::default()).unwrap();
    }
    assert!(steps > 1_500 && dead > 100 && dead < steps, "{steps} {dead}");
    assert!(longest < limits::VALUE / 2, "{longest}");
}
