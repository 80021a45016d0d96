//! The body of an event for several endpoints: written once, equal on every attempt whatever is restored in between, and removed with the
//! last delivery that names it.

use std::collections::{BTreeMap, BTreeSet};

use arb_schemas::records::StateWebhookDelivery;
use proptest::prelude::*;

use super::*;

/// The changelog of a partition.
type Changelog = BTreeMap<String, Vec<u8>>;

/// A machine and its changelog.
struct Ledger {
    machine: DeliverMachine,
    schedule: Arc<Schedule>,
    log: Changelog,
}

impl Ledger {
    fn restored(log: Changelog) -> Self {
        let schedule = Schedule::new(|| START);
        let mut machine = DeliverMachine::new(&schedule);
        for (key, value) in &log {
            machine.restore(key.as_bytes(), value).unwrap();
        }
        Self { machine, schedule, log }
    }

    fn draft(&mut self, task: &Task) {
        let at = InputPlace { partition: 2, offset: 0, epoch: 0 };
        self.machine.step(at, task, &mut Outbox::default(), &mut DeliverCounts::default()).unwrap();
    }

    /// Commits the drafts: the keys that are written.
    fn commit(&mut self) -> Vec<String> {
        let mut written = Vec::new();
        let put = |Change { key, value }| {
            let is_removed = value.is_none();
            let before = match value {
                Some(value) => self.log.insert(key.clone(), value),
                None => self.log.remove(&key),
            };
            assert!(before.is_some() || !is_removed, "{key} was never there");
            written.push(key);
            Ok::<(), WireError>(())
        };
        self.machine.changes(put).unwrap();
        self.machine.apply();
        written
    }

    fn step(&mut self, task: &Task) -> Vec<String> {
        self.draft(task);
        self.commit()
    }

    /// Deliveries by id as a machine has them.
    fn deliveries(&self) -> BTreeMap<String, Delivery> {
        self.machine.book.deliveries().map(|one| (one.id.clone(), one.as_ref().clone())).collect()
    }

    /// Deliveries as the changelog has them.
    fn written(&self) -> Vec<StateWebhookDelivery> {
        let of = self.log.iter().filter(|(key, _)| key.starts_with("delivery/"));
        of.map(|(_, value)| wire::decode(value).unwrap()).collect()
    }

    fn bodies(&self) -> BTreeSet<String> {
        self.log.keys().filter_map(|key| key.strip_prefix("body/").map(str::to_owned)).collect()
    }

    /// Whatever was committed can be restored as it is, and each body is there as long as a delivery names it.
    fn check(&self) {
        let named = self.written().into_iter().map(|one| one.body_of).filter(|name| !name.is_empty());
        assert_eq!(self.bodies(), named.collect());
        assert_eq!(Self::restored(self.log.clone()).deliveries(), self.deliveries());
    }
}

/// An event for endpoints; those whose name begins with `left` are sent that its window has left their filters.
fn to(sequence: i64, endpoints: &[&str], policy: &str) -> Task {
    let Task::Event(event) = event(sequence, START, ("arb_window", "w", policy)) else { unreachable!() };
    let target = |endpoint: &&str| WebhookTarget {
        endpoint: (*endpoint).to_owned(),
        is_ordered: false,
        has_left: endpoint.starts_with("left"),
        ..event.targets[0].clone()
    };
    let targets: Vec<_> = endpoints.iter().map(target).collect();
    let left_body = targets.iter().any(|it| it.has_left).then(|| format!("{{\"left\":{sequence}}}"));
    Task::Event(WebhookEvent { targets, left_body, ..event.clone() })
}

fn of(ledger: &Ledger, endpoint: &str) -> Delivery {
    ledger.deliveries().into_values().find(|one| one.endpoint == endpoint).unwrap()
}

#[test]
fn a_body_for_several_endpoints_is_written_once_and_removed_with_the_last_of_them() {
    let mut ledger = Ledger::restored(Changelog::new());
    ledger.step(&to(1, &["a", "b", "c"], "durable"));
    assert_eq!(ledger.bodies(), BTreeSet::from(["feed/7/2/1".to_owned()]));
    assert!(ledger.written().iter().all(|one| one.body.is_empty() && one.body_of == "feed/7/2/1"));
    for endpoint in ["a", "b"] {
        let delivered = attempt(&of(&ledger, endpoint), "delivered", START);
        assert_eq!(ledger.step(&Task::Attempt(delivered)).len(), 1, "its own record alone");
    }
    let last = of(&ledger, "c");
    ledger.step(&Task::Attempt(attempt(&last, "failed", START)));
    assert_eq!((ledger.bodies().len(), ledger.written()[0].attempts), (1, 1));
    let written = ledger.step(&Task::Attempt(attempt(&of(&ledger, "c"), "delivered", START)));
    let delivery = format!("delivery/{}", last.id);
    assert_eq!(written, ["body/feed/7/2/1", &delivery, "failing/c"]);
    ledger.check();
}

#[test]
fn a_body_for_one_endpoint_is_in_the_record_of_its_delivery() {
    let mut ledger = Ledger::restored(Changelog::new());
    ledger.step(&to(1, &["a"], "durable"));
    ledger.step(&to(2, &["b", "left_c"], "durable"));
    assert!(ledger.bodies().is_empty());
    assert_eq!(of(&ledger, "left_c").body.as_ref(), r#"{"left":2}"#);
    ledger.step(&to(3, &["left_d", "left_e"], "durable"));
    assert_eq!(ledger.bodies(), BTreeSet::from(["left/feed/7/2/3".to_owned()]));
    ledger.check();
}

#[test]
fn attempts_of_one_record_are_taken_in_as_each_alone() {
    let (mut alone, mut together) = (Ledger::restored(Changelog::new()), Ledger::restored(Changelog::new()));
    for ledger in [&mut alone, &mut together] {
        ledger.step(&to(1, &["a", "b", "c", "d"], "durable"));
    }
    let outcomes = [("a", "delivered"), ("b", "failed"), ("c", "gone"), ("a", "delivered"), ("d", "dropped")];
    let attempts = outcomes.map(|(endpoint, outcome)| attempt(&of(&together, endpoint), outcome, START));
    for attempt in &attempts {
        alone.step(&Task::Attempt(attempt.clone()));
    }
    together.step(&Task::Attempts(attempts.to_vec()));
    assert_eq!(together.deliveries(), alone.deliveries());
    assert_eq!(together.log, alone.log);
    together.check();
}

#[test]
fn what_is_kept_as_failed_keeps_its_body() {
    let mut ledger = Ledger::restored(Changelog::new());
    ledger.step(&to(1, &["a", "b"], "durable"));
    for endpoint in ["a", "b"] {
        ledger.step(&Task::Attempt(attempt(&of(&ledger, endpoint), "gone", START)));
    }
    let mut ledger = Ledger::restored(ledger.log);
    assert_eq!(of(&ledger, "b").body.as_ref(), r#"{"n":1}"#);
    ledger.step(&Task::timer(START + 4 * 86_400 * SECOND));
    assert!(ledger.bodies().is_empty() && ledger.deliveries().is_empty());
}

#[test]
fn what_began_and_ended_between_two_commits_is_not_written() {
    let mut ledger = Ledger::restored(Changelog::new());
    ledger.draft(&to(1, &["a", "b"], "live"));
    ledger.draft(&to(2, &["a", "b"], "live"));
    let written = ledger.commit();
    assert!(written.contains(&"body/feed/7/2/2".to_owned()), "{written:?}");
    assert!(!written.iter().any(|key| key.starts_with("body/feed/7/2/1")), "{written:?}");
    assert_eq!(ledger.written().len(), 2);
    ledger.check();
}

/// An event without a place in the feed, written again by a program that spells its JSON in another way.
#[test]
fn a_body_that_was_sent_stays_when_its_event_comes_again_in_other_words() {
    let mut ledger = Ledger::restored(Changelog::new());
    let Task::Event(event) = to(1, &["a", "b"], "durable") else { unreachable!() };
    let event = WebhookEvent { nonce: "0/5".to_owned(), ..event };
    ledger.step(&Task::Event(event.clone()));
    ledger.step(&Task::Attempt(attempt(&of(&ledger, "a"), "delivered", START)));
    ledger.step(&Task::Event(WebhookEvent { body: "{ }".to_owned(), ..event.clone() }));
    let bodies: BTreeSet<_> = ledger.deliveries().into_values().map(|one| one.body).collect();
    assert_eq!(bodies, BTreeSet::from([event.body.as_str().into()]));
    ledger.check();
}

#[test]
fn a_delivery_whose_body_is_not_there_is_not_restored() {
    let mut ledger = Ledger::restored(Changelog::new());
    ledger.step(&to(1, &["a", "b"], "durable"));
    let (key, value) = ledger.log.iter().find(|(key, _)| key.starts_with("delivery/")).unwrap();
    let error = DeliverMachine::new(&ledger.schedule).restore(key.as_bytes(), value).unwrap_err();
    assert_eq!(error.to_string(), r#"Avro: the body "feed/7/2/1" is not there"#);
}

/// What happens to a partition.
#[derive(Debug, Clone)]
enum Happening {
    Event {
        endpoints: u8,
        policy: bool,
    },
    /// Of the pending delivery with this number.
    Attempt {
        number: usize,
        outcome: usize,
    },
    Redelivery(u8),
    Time(i64),
    Commit,
    Abort,
    TakeOver,
}

const NAMES: [&str; 5] = ["a", "b", "c", "left_d", "left_e"];

fn happening() -> impl Strategy<Value = Happening> {
    prop_oneof![
        4 => (1_u8..32, any::<bool>())
            .prop_map(|(endpoints, policy)| Happening::Event { endpoints, policy }),
        8 => (0_usize..40, 0_usize..5)
            .prop_map(|(number, outcome)| Happening::Attempt { number, outcome }),
        1 => (0_u8..5).prop_map(Happening::Redelivery),
        1 => (1_i64..100_000).prop_map(Happening::Time),
        6 => Just(Happening::Commit),
        1 => Just(Happening::Abort),
        1 => Just(Happening::TakeOver),
    ]
}

/// Runs a history. Each request of a delivery has the bytes of the one before it.
fn run(history: &[Happening]) {
    let mut ledger = Ledger::restored(Changelog::new());
    ledger.machine.max_held = 12_000;
    let (mut sequence, mut now, mut sent) = (0, START, BTreeMap::<String, Arc<str>>::new());
    for happening in history {
        match happening {
            Happening::Event { endpoints, policy } => {
                sequence += 1;
                let names = NAMES.iter().enumerate().filter(|(bit, _)| endpoints >> bit & 1 == 1);
                let names: Vec<_> = names.map(|(_, name)| *name).collect();
                ledger.draft(&to(sequence, &names, if *policy { "durable" } else { "live" }));
            }
            Happening::Attempt { number, outcome } => {
                let pending = ledger.deliveries().into_values().filter(|one| !one.has_failed).nth(*number);
                let Some(delivery) = pending else { continue };
                let body = sent.entry(delivery.id.clone()).or_insert_with(|| Arc::clone(&delivery.body));
                assert_eq!(*body, delivery.body, "{}", delivery.id);
                let outcome = ["failed", "failed", "failed", "delivered", "gone"][*outcome];
                ledger.draft(&Task::Attempt(attempt(&delivery, outcome, now)));
            }
            Happening::Redelivery(of) => {
                let endpoint = NAMES[usize::from(*of)].to_owned();
                let asked = WebhookRedelivery { endpoint, delivery: None, since: None, at: now };
                ledger.draft(&Task::Redelivery(asked));
            }
            Happening::Time(seconds) => {
                now += seconds * SECOND;
                ledger.draft(&Task::timer(now));
            }
            Happening::Commit => {
                ledger.commit();
                ledger.check();
            }
            Happening::Abort => {
                ledger.machine.abort();
                ledger.check();
            }
            Happening::TakeOver => {
                ledger = Ledger::restored(ledger.log);
                ledger.machine.max_held = 12_000;
            }
        }
    }
}

proptest! {
    #[test]
    fn a_body_is_there_for_as_long_as_it_is_named(history in prop::collection::vec(happening(), 1..120)) {
        run(&history);
    }
}
