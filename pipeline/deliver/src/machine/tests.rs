//! The machine by itself: what becomes of events, attempts and time.

use arb_feed::webhook::NOTICE;
use arb_schemas::wire::{Record, RecordType};

use crate::schedule::Job;
use arb_schemas::records::{
    WebhookAttempt, WebhookCircuit, WebhookDelivery, WebhookEvent, WebhookRedelivery, WebhookTarget,
};
use arb_schemas::time::{Micros, SECOND};

use super::*;
use crate::schedule::Readiness;

const START: Micros = 1_800_000_000 * SECOND;

struct Bench {
    machine: DeliverMachine,
    schedule: Arc<Schedule>,
    out: Outbox,
    sequence: i64,
    now: Micros,
}

impl Bench {
    fn new() -> Self {
        let schedule = Schedule::new(|| START);
        let machine = DeliverMachine::new(&schedule);
        let mut bench = Self { machine, schedule, out: Outbox::default(), sequence: 0, now: START };
        bench.step(&Task::timer(START));
        // It is known to answer.
        bench.schedule.finished("whk_a", true, START);
        bench
    }

    /// Steps and commits.
    fn step(&mut self, task: &Task) {
        let at = InputPlace { partition: 2, offset: 0, epoch: 0 };
        self.machine.step(at, task, &mut self.out, &mut DeliverCounts::default()).unwrap();
        self.machine.apply();
    }

    fn event(&mut self, kind: &str, subject: &str, policy: &str) {
        self.sequence += 1;
        let task = event(self.sequence, self.now, (kind, subject, policy));
        self.step(&task);
    }

    /// What is due, taken.
    fn due(&self) -> Vec<Job> {
        self.schedule.take(self.now, 100, |_| Readiness::Open(None))
    }

    /// Attempts what is due, with an outcome.
    fn attempt(&mut self, outcome: &str) -> Vec<String> {
        let jobs = self.due();
        for job in &jobs {
            self.schedule.finished(&job.delivery.endpoint, outcome != "failed", self.now);
            self.step(&Task::Attempt(attempt(&job.delivery, outcome, self.now)));
        }
        jobs.iter().map(|job| job.delivery.id.clone()).collect()
    }

    fn pass(&mut self, seconds: i64) {
        self.now += seconds * SECOND;
        self.step(&Task::timer(self.now));
    }

    /// What the log of deliveries holds.
    fn outcomes(&self) -> Vec<String> {
        self.written::<WebhookDelivery>().into_iter().map(|entry| entry.outcome).collect()
    }

    /// The records of a type that it holds.
    fn written<R: Record>(&self) -> Vec<R> {
        let values = self.out.outputs().iter().map(|output| output.value.as_ref().unwrap());
        let of_type = values.filter(|value| RecordType::of(value).unwrap() == R::TYPE);
        of_type.map(|value| wire::decode(value).unwrap()).collect()
    }
}

fn event(sequence: i64, at: Micros, (kind, subject, policy): (&str, &str, &str)) -> Task {
    let target = WebhookTarget {
        endpoint: "whk_a".into(),
        policy: policy.into(),
        is_ordered: policy == "durable",
        has_left: false,
    };
    Task::Event(WebhookEvent {
        epoch: 7,
        sequence,
        nonce: String::new(),
        kind: kind.into(),
        subject: subject.into(),
        at,
        body: format!("{{\"n\":{sequence}}}"),
        left_body: None,
        targets: vec![target],
        partition: WebhookEvent::NO_PARTITION,
    })
}

fn attempt(delivery: &Delivery, outcome: &str, at: Micros) -> WebhookAttempt {
    WebhookAttempt {
        delivery: delivery.id.clone(),
        number: i64::from(delivery.attempts) + 1,
        outcome: outcome.into(),
        status: Some(500),
        latency: 1,
        answer: String::new(),
        retry_at: None,
        at,
    }
}

#[test]
fn an_event_is_due_at_once_and_over_when_it_is_delivered() {
    let mut bench = Bench::new();
    bench.event("arb_window", "w", "live");
    assert_eq!(bench.due()[0].partition, 2);
    assert!(bench.due().is_empty(), "it is under way");
    let mut bench = Bench::new();
    bench.event("arb_window", "w", "live");
    assert_eq!(bench.attempt("delivered").len(), 1);
    assert_eq!(bench.machine.size().pending, 0);
    assert_eq!(bench.outcomes(), ["delivered"]);
}

#[test]
fn an_event_that_is_read_twice_is_delivered_once() {
    let mut bench = Bench::new();
    let task = event(1, START, ("arb_window", "w", "live"));
    bench.step(&task);
    bench.attempt("delivered");
    bench.step(&task);
    assert!(bench.due().is_empty());
    bench.step(&event(2, START, ("arb_window", "w", "live")));
    assert_eq!(bench.due().len(), 1);
}

#[test]
fn failures_follow_the_schedule_with_the_same_id_and_bytes_until_it_is_given_up() {
    let mut bench = Bench::new();
    bench.event("close_signal", "w", "live");
    let first = bench.attempt("failed");
    let mut attempts = 1;
    for _ in 0..400 {
        bench.pass(1);
        let again = bench.attempt("failed");
        attempts += again.len();
        assert!(again.iter().all(|id| *id == first[0]));
    }
    assert_eq!(attempts, 5);
    assert_eq!(bench.outcomes(), ["failed", "failed", "failed", "failed", "given_up"]);
    let size = bench.machine.size();
    assert_eq!((size.pending, size.failed), (0, 1));
}

/// Each attempt that fails, each event that waits meanwhile, and the success that ends it, report how the endpoint stands.
#[test]
fn how_an_endpoint_stands_is_reported_while_it_fails() {
    let mut bench = Bench::new();
    let shown = |bench: &Bench| {
        let all = bench.written::<WebhookCircuit>();
        all.iter().map(|it| (it.failures, it.failed_at - START, it.closed_at, it.waiting)).collect::<Vec<_>>()
    };
    bench.event("close_signal", "v", "durable");
    bench.attempt("delivered");
    assert_eq!(shown(&bench), [], "nothing fails");
    for n in 1..=5 {
        bench.event("close_signal", &n.to_string(), "durable");
        bench.attempt("failed");
    }
    assert_eq!(shown(&bench), [1, 2, 3, 4, 5].map(|n| (n, 0, None, n)));
    let next = bench.written::<WebhookDelivery>().pop().and_then(|entry| entry.next_at);
    assert!(next >= Some(START + 5 * SECOND), "not while the circuit is open: {next:?}");
    bench.event("close_signal", "6", "durable");
    assert_eq!(shown(&bench).last(), Some(&(5, 0, None, 6)), "an event that is not tried waits too");
    bench.pass(5);
    let tried = bench.attempt("delivered");
    assert_eq!(tried.len(), 1, "one is tried");
    let closed_at = Some(START + 5 * SECOND);
    assert_eq!(shown(&bench).last(), Some(&(0, 0, closed_at, 5)));
}

#[test]
fn a_newer_state_takes_the_place_of_an_older_one_and_a_close_ends_both() {
    let mut bench = Bench::new();
    bench.event("arb_window", "w", "live");
    bench.event("arb_window", "other", "live");
    bench.event("arb_window", "w", "live");
    assert_eq!((bench.outcomes(), bench.machine.size().pending), (vec!["superseded".to_owned()], 2));
    bench.event("close_signal", "w", "live");
    assert_eq!(bench.outcomes(), ["superseded", "expired"]);
    let due = bench.due();
    let kinds: Vec<_> = due.iter().map(|job| job.delivery.kind.as_str()).collect();
    assert_eq!(kinds, ["arb_window", "close_signal"], "of the other window, and the close");
}

#[test]
fn nothing_of_durable_is_superseded_and_ordered_events_wait_for_the_one_before() {
    let mut bench = Bench::new();
    for kind in ["arb_window", "arb_window", "close_signal"] {
        bench.event(kind, "w", "durable");
    }
    bench.event("arb_window", "other", "durable");
    let due: Vec<_> = bench.due().iter().map(|job| job.delivery.place.1).collect();
    assert_eq!(due, [1, 4], "the first of each window");
    assert_eq!(bench.machine.size().pending, 4);
}

#[test]
fn an_event_of_live_expires_by_its_age() {
    let mut bench = Bench::new();
    bench.event("arb_window", "w", "live");
    bench.event("close_signal", "v", "live");
    bench.pass(300);
    assert_eq!((bench.outcomes(), bench.machine.size().pending), (vec!["expired".to_owned()], 1));
}

#[test]
fn a_receiver_can_ask_for_a_later_attempt_and_not_for_an_earlier_one() {
    for (asked, expected) in [(3_600, 3_600), (-50, 0), (1_000_000, 86_400)] {
        let mut bench = Bench::new();
        bench.event("arb_window", "w", "durable");
        let job = bench.due().remove(0);
        let retry_at = Some(bench.now + asked * SECOND);
        bench.step(&Task::Attempt(WebhookAttempt { retry_at, ..attempt(&job.delivery, "failed", START) }));
        let next_at = bench.machine.book.delivery(&job.delivery.id).unwrap().next_at;
        let expected = START + expected * SECOND;
        assert!(next_at >= expected && next_at <= expected + 6 * SECOND, "{asked}");
    }
}

#[test]
fn what_failed_is_delivered_again_on_request_with_the_same_id() {
    let mut bench = Bench::new();
    bench.event("close_signal", "w", "live");
    let id = bench.attempt("gone").remove(0);
    assert_eq!((bench.machine.size().pending, bench.machine.size().failed), (0, 1));
    let ask = |since| {
        Task::Redelivery(WebhookRedelivery { endpoint: "whk_a".into(), delivery: None, since, at: START })
    };
    bench.step(&ask(Some(START + 1)));
    assert!(bench.due().is_empty(), "it is older");
    bench.step(&ask(Some(START)));
    assert_eq!(bench.attempt("delivered"), [id]);
    bench.pass(0);
    assert_eq!(bench.machine.size().failed, 0);
}

#[test]
fn a_notice_is_taken_in_once_for_as_long_as_it_may_come_again() {
    let mut bench = Bench::new();
    let Task::Event(event) = event(1, START, ("quota.warning", "", "durable")) else { unreachable!() };
    let notice = Task::Event(WebhookEvent { nonce: format!("{NOTICE}quota.warning/acc/1/80"), ..event });
    bench.step(&notice);
    let first = bench.attempt("delivered");
    bench.step(&notice);
    assert_eq!((first.len(), bench.due().len()), (1, 0), "another instance has noticed it too");
    bench.step(&Task::timer(START + 41 * 86_400 * SECOND));
    bench.step(&notice);
    assert_eq!(bench.due().len(), 1);
}

#[test]
fn an_endpoint_keeps_so_many_and_loses_the_oldest() {
    let mut bench = Bench::new();
    for _ in 0..MAX_PENDING + 3 {
        bench.event("line_movement", "", "live");
    }
    assert_eq!(bench.machine.size().pending, MAX_PENDING);
    assert_eq!(bench.outcomes(), ["overflowed"; 3]);
}

#[test]
fn a_result_that_is_reported_twice_counts_once_and_one_after_the_end_changes_nothing() {
    let mut bench = Bench::new();
    bench.event("arb_window", "w", "durable");
    let delivery = bench.due().remove(0).delivery;
    let failed = Task::Attempt(attempt(&delivery, "failed", START));
    bench.step(&failed);
    bench.step(&failed);
    assert_eq!(bench.machine.book.delivery(&delivery.id).unwrap().attempts, 1);
    bench.step(&Task::Attempt(attempt(
        &Delivery { attempts: 1, ..delivery.as_ref().clone() },
        "delivered",
        START,
    )));
    bench.step(&failed);
    assert_eq!(bench.outcomes(), ["failed", "delivered"]);
}

#[test]
fn drafts_that_are_aborted_leave_nothing_and_are_not_sent() {
    let mut bench = Bench::new();
    let at = InputPlace { partition: 2, offset: 0, epoch: 0 };
    let task = event(1, START, ("arb_window", "w", "live"));
    let mut tally = DeliverCounts::default();
    bench.machine.step(at, &task, &mut bench.out, &mut tally).unwrap();
    assert!(bench.due().is_empty(), "it is not committed");
    bench.machine.abort();
    assert_eq!((bench.machine.size().pending, bench.due().len()), (0, 0));
    bench.step(&task);
    assert_eq!(bench.due().len(), 1);
}

mod bodies;
mod bounds;
mod clocks;
mod owners;
