//! Every input at its limits: what the machine keeps and publishes fits its records, and a restart finds it.

use arb_runtime::dead_letters::Reason;
use arb_schemas::limits;
use arb_schemas::records::{WebhookAttempts, WebhookTimer};
use arb_simulated_log::Bounded;
use fastrand::Rng;

use super::*;
use crate::codec::{MAX_ANSWER, MAX_BODY, MAX_NAME};

/// A length at a limit, just beyond it, or far from it.
fn length(rng: &mut Rng, limit: usize) -> usize {
    [0, 1, limit - 1, limit, limit + 1, limits::VALUE - 60_000][rng.usize(0..6)]
}

fn text(rng: &mut Rng, limit: usize) -> String {
    if rng.u8(0..4) > 0 { "a".to_owned() } else { "x".repeat(length(rng, limit)) }
}

fn time(rng: &mut Rng) -> Micros {
    [START, START + SECOND, i64::MIN, -1, i64::MAX][rng.usize(0..5)]
}

fn any_event(rng: &mut Rng, sequence: i64) -> WebhookEvent {
    let Task::Event(event) = event(sequence, START, ("arb_window", "w", "live")) else { unreachable!() };
    let target = |number: usize, name: &str| WebhookTarget {
        endpoint: format!("{name}{}", number % 3),
        policy: ["live", "durable"][number % 2].to_owned(),
        is_ordered: number.is_multiple_of(4),
        has_left: number.is_multiple_of(5),
    };
    let (name, targets) = (text(rng, MAX_NAME - 1), [1, 2, 1_000][rng.usize(0..3)]);
    let targets = if name.len() > 1_000 { 1 } else { targets };
    WebhookEvent {
        kind: if rng.bool() { event.kind.clone() } else { text(rng, MAX_NAME) },
        subject: text(rng, MAX_NAME),
        nonce: if rng.bool() {
            String::new()
        } else {
            format!("{NOTICE}{}", text(rng, MAX_NAME - NOTICE.len()))
        },
        at: time(rng),
        body: "b".repeat(length(rng, MAX_BODY)),
        left_body: rng.bool().then(|| "l".to_owned()),
        targets: (0..targets).map(|number| target(number, &name)).collect(),
        ..event
    }
}

#[test]
fn every_task_at_its_limits_fits_its_records() {
    let (mut steps, mut refused) = (0, 0);
    for seed in 0..30 {
        let mut rng = Rng::with_seed(seed);
        let schedule = Schedule::new(|| START);
        let mut bounded = Bounded::<DeliverMachine>::new(&schedule);
        for sequence in 1..40 {
            let known: Vec<_> = bounded.machine.book.deliveries().cloned().collect();
            let one = rng.choice(&known).cloned();
            let message = match (rng.u8(0..8), one) {
                (0..3, _) | (_, None) => wire::encode(&any_event(&mut rng, sequence)),
                (3, _) => wire::encode(&WebhookTimer { at: time(&mut rng) }),
                (4, Some(one)) => wire::encode(&WebhookRedelivery {
                    endpoint: one.endpoint.clone(),
                    delivery: None,
                    since: None,
                    at: time(&mut rng),
                }),
                (kind, Some(one)) => {
                    let outcome = ["failed", "failed", "delivered", "gone"][rng.usize(0..4)];
                    let attempt = WebhookAttempt {
                        answer: "a".repeat(length(&mut rng, MAX_ANSWER)),
                        retry_at: rng.bool().then(|| time(&mut rng)),
                        latency: i64::MAX,
                        ..attempt(&one, outcome, time(&mut rng))
                    };
                    if kind == 5 {
                        wire::encode(&attempt)
                    } else {
                        wire::encode(&WebhookAttempts { attempts: vec![attempt; 1] })
                    }
                }
            };
            let Ok(message) = message else { continue };
            let reasons = bounded.step(&message).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
            assert!(reasons.iter().all(|reason| *reason == Reason::Refused), "seed {seed}: {reasons:?}");
            (steps, refused) = (steps + 1, refused + reasons.len());
        }
        bounded.restore(&schedule).unwrap();
        let _ = bounded.machine.size();
    }
    assert!(steps > 800 && refused > 100 && refused < steps / 2, "{steps} {refused}");
}
