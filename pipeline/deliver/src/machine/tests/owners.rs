//! Several deliverers: all that is due at an endpoint is in one partition, so that its caps and its circuit are one process's, and whoever
//! takes the partition over goes on from them.

use std::collections::{BTreeMap, BTreeSet};

use arb_feed::webhook::{self, TEST_EVENT, by_partition};
use arb_kafka::partition_of;
use arb_schemas::records::WebhookAttempts;
use arb_schemas::topics::WEBHOOK_DELIVERIES;
use arb_simulated_log::{Kind, World, run_disturbed};

use super::*;
use crate::circuit::Failing;

const PARTITIONS: i32 = 4;

/// The changelog of a partition.
type Changelog = BTreeMap<String, Vec<u8>>;

/// A deliverer with the partitions that it owns.
struct Process {
    schedule: Arc<Schedule>,
    machines: BTreeMap<i32, DeliverMachine>,
}

impl Process {
    fn new() -> Self {
        Self { schedule: Schedule::new(|| START), machines: BTreeMap::new() }
    }

    /// One that takes over after the first timer.
    fn later() -> Self {
        Self { schedule: Schedule::new(|| START + 1), ..Self::new() }
    }

    /// Takes over a partition whose changelog holds this.
    fn take_over(&mut self, partition: i32, changelog: &Changelog) {
        let mut machine = DeliverMachine::new(&self.schedule);
        for (key, value) in changelog {
            machine.restore(key.as_bytes(), value).unwrap();
        }
        self.machines.insert(partition, machine);
    }

    fn step(&mut self, partition: i32, changelog: &mut Changelog, task: &Task) {
        let machine = self.machines.get_mut(&partition).unwrap();
        let at = InputPlace { partition, offset: 0, epoch: 0 };
        machine.step(at, task, &mut Outbox::default(), &mut DeliverCounts::default()).unwrap();
        let put = |change: Change| {
            match change.value {
                Some(value) => changelog.insert(change.key, value),
                None => changelog.remove(&change.key),
            };
            Ok::<(), WireError>(())
        };
        machine.changes(put).unwrap();
        machine.apply();
    }

    fn take(&self, now: Micros) -> Vec<Job> {
        self.schedule.take(now, 1_000, |_| Readiness::Open(None))
    }
}

/// An event of a partition of the feed, written to the partitions of its endpoints as the reader of the feed does.
fn of_feed(feed: i32, sequence: i64, endpoints: &[&str]) -> Vec<(i32, Task)> {
    let Task::Event(whole) = event(sequence, START, ("line_movement", "", "live")) else { unreachable!() };
    let target = |endpoint: &&str| WebhookTarget {
        endpoint: (*endpoint).to_owned(),
        policy: "live".into(),
        is_ordered: false,
        has_left: false,
    };
    let due =
        by_partition(endpoints.iter().map(target).collect(), |endpoint| partition_of(endpoint, PARTITIONS));
    let task = |targets| Task::Event(WebhookEvent { targets, partition: feed, ..whole.clone() });
    due.into_iter().map(|(partition, targets)| (partition, task(targets))).collect()
}

/// Which of two processes owns a partition.
fn owner(partition: i32) -> usize {
    usize::from(partition % 2 == 1)
}

fn failed(delivery: &Delivery, at: Micros) -> Task {
    Task::Attempt(attempt(delivery, "failed", at))
}

#[test]
fn the_requests_under_way_to_an_endpoint_are_capped_over_all_deliverers() {
    let (names, mut logs) = (["whk_a", "whk_b", "whk_c", "whk_d"], BTreeMap::<i32, Changelog>::new());
    let mut processes = [Process::new(), Process::new()];
    for partition in 0..PARTITIONS {
        let process = &mut processes[owner(partition)];
        process.take_over(partition, &Changelog::new());
        process.step(partition, logs.entry(partition).or_default(), &Task::timer(START));
        for name in &names {
            process.schedule.finished(name, true, START);
        }
    }
    let records: Vec<_> = (0..PARTITIONS)
        .flat_map(|feed| (1..9).flat_map(move |sequence| of_feed(feed, sequence, &names)))
        .collect();
    for (partition, task) in &records {
        let process = &mut processes[owner(*partition)];
        process.step(*partition, logs.entry(*partition).or_default(), task);
        process.step(*partition, logs.entry(*partition).or_default(), task);
    }
    let mut under_way = BTreeMap::<String, Vec<i32>>::new();
    for job in processes.iter().flat_map(|process| process.take(START)) {
        under_way.entry(job.delivery.endpoint.clone()).or_default().push(job.partition);
    }
    assert_eq!(under_way.len(), names.len());
    for (name, partitions) in under_way {
        assert_eq!(partitions.len(), 4, "{name}: {partitions:?}");
        assert_eq!(partitions.iter().collect::<BTreeSet<_>>().len(), 1, "{name}: one partition");
    }
    let pending: usize =
        processes.iter().flat_map(|it| it.machines.values()).map(|it| it.size().pending).sum();
    assert_eq!(pending, 4 * 8 * names.len(), "each event of each partition of the feed, once");
}

/// Fails so many attempts of one delivery at a process, each when its circuit and its schedule allow it; when the last one was.
fn fail(process: &mut Process, partition: i32, log: &mut Changelog, times: usize) -> Micros {
    let (mut now, mut done) = (START, 0);
    while done < times {
        for job in process.take(now) {
            process.schedule.finished(&job.delivery.endpoint, false, now);
            process.step(partition, log, &failed(&job.delivery, now));
            done += 1;
        }
        now += SECOND;
    }
    now - SECOND
}

#[test]
fn a_dead_endpoint_is_left_alone_as_long_by_whoever_takes_it_over() {
    let (mut first, mut log) = (Process::new(), Changelog::new());
    let (partition, _) = of_feed(0, 1, &["whk_dead"]).remove(0);
    first.take_over(partition, &log);
    first.step(partition, &mut log, &Task::timer(START));
    for sequence in 1..30 {
        first.step(partition, &mut log, &of_feed(0, sequence, &["whk_dead"]).remove(0).1);
    }
    let last = fail(&mut first, partition, &mut log, 7);
    assert_eq!(first.schedule.open_circuits(), 1);
    first.machines.clear();
    assert_eq!((first.schedule.open_circuits(), first.take(last + 600 * SECOND).len()), (0, 0));

    let mut second = Process::later();
    second.take_over(partition, &log);
    assert!(second.take(last + 600 * SECOND).is_empty(), "what the owner before did last is not known yet");
    second.step(partition, &mut log, &Task::timer(last));
    assert_eq!(second.schedule.open_circuits(), 1);
    // Seven failures: 5 s doubled twice.
    assert!(second.take(last + 20 * SECOND - 1).is_empty());
    let probe = second.take(last + 20 * SECOND);
    assert_eq!((probe.len(), second.take(last + 20 * SECOND).len()), (1, 0), "one request is tried");
    second.schedule.finished("whk_dead", true, last + 20 * SECOND);
    assert_eq!(second.take(last + 21 * SECOND).len(), 4, "it answers");
}

#[test]
fn what_the_owner_before_saw_at_the_end_counts() {
    let (mut first, mut log) = (Process::new(), Changelog::new());
    let (partition, _) = of_feed(0, 1, &["whk_back"]).remove(0);
    first.take_over(partition, &log);
    first.step(partition, &mut log, &Task::timer(START));
    for sequence in 1..30 {
        first.step(partition, &mut log, &of_feed(0, sequence, &["whk_back"]).remove(0).1);
    }
    let last = fail(&mut first, partition, &mut log, 6);
    let job = first.take(last + 60 * SECOND).remove(0);
    let mut second = Process::later();
    second.take_over(partition, &log);
    assert_eq!(second.schedule.open_circuits(), 1);
    let delivered = attempt(&job.delivery, "delivered", last + 60 * SECOND);
    second.step(partition, &mut log, &Task::Attempt(delivered));
    second.step(partition, &mut log, &Task::timer(last + 61 * SECOND));
    assert_eq!(second.schedule.open_circuits(), 0);
    assert_eq!(second.take(last + 61 * SECOND).len(), 1, "this process has not seen it answer yet");
}

/// A receiver fails for seven minutes while an event comes each second, and is mended: by the schedule of `durable` alone what failed
/// twice would come minutes later, what failed three times half an hour later. A deliverer that takes over right after that goes on.
#[test]
fn a_receiver_that_failed_for_seven_minutes_gets_its_first_event_within_5_s_of_a_test_event_and_all() {
    for is_taken_over in [false, true] {
        let (mut process, mut log) = (Process::new(), Changelog::new());
        let (partition, _) = of_feed(0, 1, &["whk_a"]).remove(0);
        process.take_over(partition, &log);
        process.step(partition, &mut log, &Task::timer(START));
        let (mut now, mut asked, mut came) = (START, BTreeSet::new(), Vec::new());
        let mended_at = START + 420 * SECOND;
        for second in 1..=420 {
            now = START + second * SECOND;
            let subject = format!("window-{}", second % 20);
            process.step(partition, &mut log, &event(second, now, ("arb_window", &subject, "durable")));
            for job in process.take(now) {
                process.schedule.finished("whk_a", false, now);
                process.step(partition, &mut log, &failed(&job.delivery, now));
                asked.insert(job.delivery.place.1);
            }
        }
        assert!(asked.len() < 20, "it is left alone: {asked:?}");
        let Task::Event(test) = event(0, now, (TEST_EVENT, "", "live")) else { unreachable!() };
        process.step(partition, &mut log, &Task::Event(WebhookEvent { nonce: "n".into(), ..test }));
        while came.len() < 421 && now < mended_at + 300 * SECOND {
            for job in process.take(now) {
                process.schedule.finished("whk_a", true, now);
                process.step(partition, &mut log, &Task::Attempt(attempt(&job.delivery, "delivered", now)));
                came.push((now - mended_at, job.delivery.kind.clone(), job.delivery.place.1));
            }
            if is_taken_over && came.len() == 1 {
                process = Process::later();
                process.take_over(partition, &log);
                process.step(partition, &mut log, &Task::timer(now));
            }
            now += SECOND / 10;
        }
        assert_eq!((came[0].0, came[0].1.as_str()), (0, TEST_EVENT), "{is_taken_over}");
        assert!(came[1].0 <= 5 * SECOND, "{is_taken_over}: {:?}", came[1]);
        let numbers: Vec<_> = came[1..].iter().map(|(.., number)| *number).collect();
        assert_eq!(numbers, (1..=420).collect::<Vec<_>>(), "{is_taken_over}: all, the oldest first");
    }
}

/// Records of failures from before the success that closed a circuit come after it.
#[test]
fn a_late_record_of_failures_opens_nothing_that_a_success_closed() {
    let (mut process, mut log) = (Process::new(), Changelog::new());
    let (partition, _) = of_feed(0, 1, &["whk_a"]).remove(0);
    process.take_over(partition, &log);
    process.step(partition, &mut log, &Task::timer(START));
    for second in 1..=9 {
        process.step(partition, &mut log, &event(second, START, ("line_movement", "", "durable")));
    }
    let deliveries: Vec<_> = process.machines[&partition].book.deliveries().cloned().collect();
    let at = START + 10 * SECOND;
    for delivery in &deliveries[..5] {
        process.step(partition, &mut log, &failed(delivery, at - SECOND));
    }
    process.schedule.finished("whk_a", true, at);
    process.step(partition, &mut log, &Task::Attempt(attempt(&deliveries[5], "delivered", at)));
    for delivery in &deliveries[6..] {
        process.step(partition, &mut log, &failed(delivery, at - 1));
    }
    let again = |delivery: &Arc<Delivery>| Delivery { attempts: 1, ..delivery.as_ref().clone() };
    for delivery in &deliveries[..5] {
        process.step(partition, &mut log, &failed(&again(delivery), at));
    }
    let mut successor = Process::later();
    successor.take_over(partition, &log);
    assert_eq!((process.schedule.open_circuits(), successor.schedule.open_circuits()), (0, 0));
    let is_known = |process: &Process| process.machines[&partition].book.failing("whk_a").is_some();
    assert!(is_known(&process));
    process.step(partition, &mut log, &Task::timer(at + 60 * SECOND));
    assert!(!is_known(&process), "no record is as late as that");
}

#[test]
fn each_partition_of_the_feed_has_its_own_sequence() {
    let mut bench = Bench::new();
    let mut of = |feed, sequence| {
        let before = bench.machine.size().pending;
        let Task::Event(event) = event(sequence, START, ("line_movement", "", "live")) else {
            unreachable!()
        };
        bench.step(&Task::Event(WebhookEvent { partition: feed, ..event }));
        bench.machine.size().pending - before
    };
    assert_eq!([of(3, 5), of(3, 5), of(3, 4), of(3, 9)], [1, 0, 0, 1]);
    assert_eq!([of(2, 5), of(2, 6), of(2, 6)], [1, 1, 0]);
}

#[test]
fn what_a_partition_holds_is_bounded_and_the_endpoint_with_the_most_pays() {
    let mut bench = Bench::new();
    bench.machine.max_held = 20_000;
    for (number, endpoint) in (1..).zip(["small"].into_iter().chain(["large"; 60])) {
        let Task::Event(event) = event(number, START, ("line_movement", "", "durable")) else {
            unreachable!()
        };
        let target = WebhookTarget { endpoint: endpoint.to_owned(), ..event.targets[0].clone() };
        bench.step(&Task::Event(WebhookEvent { targets: vec![target], ..event }));
        assert!(bench.machine.book.held() <= 20_000);
    }
    let kept: Vec<_> = ["small", "large"].map(|name| bench.machine.book.count(name, false)).into();
    assert_eq!((kept[0], kept[1] > 10), (1, true), "{kept:?}");
    assert_eq!(bench.outcomes().len(), 61 - kept[0] - kept[1]);
    assert!(bench.outcomes().iter().all(|outcome| outcome == "overflowed"));
    // One body is in memory once again after a restart, and as much is counted.
    let mut restored = Bench::new();
    for delivery in bench.machine.book.deliveries() {
        let part = Part::Delivery(Arc::clone(delivery));
        restored.machine.restore(b"", &codec::encode_part(&part).unwrap()).unwrap();
    }
    assert_eq!(restored.machine.book.held(), bench.machine.book.held());
}

#[test]
fn every_output_and_the_state_are_those_of_an_undisturbed_run() {
    let (mut world, mut rng) = (World::new(2), fastrand::Rng::with_seed(3));
    let schedule = Schedule::new(|| START);
    let mut sent = Vec::new();
    for number in 1..120 {
        let (partition, at) = (rng.i32(0..2), START + number * SECOND);
        let Task::Event(event) = event(number, at, ("line_movement", "", "durable")) else { unreachable!() };
        let target = |endpoint| WebhookTarget { endpoint, ..event.targets[0].clone() };
        let targets: Vec<_> = (0..rng.u8(1..4)).map(|endpoint| target(format!("whk_{endpoint}"))).collect();
        let feed = rng.i32(0..4);
        let source = webhook::source(feed, (event.epoch, event.sequence), "");
        let ids = targets.iter().map(|target| webhook::id(&source, &target.endpoint));
        sent.extend(ids.map(|id| (partition, id)));
        let event = WebhookEvent { targets, partition: feed, ..event.clone() };
        world.push(partition, wire::encode(&event).unwrap());
        let (of, delivery) = sent[rng.usize(0..sent.len())].clone();
        let outcome = *rng.choice(&["failed", "failed", "delivered"]).unwrap();
        let attempt = |attempts| WebhookAttempt {
            delivery: delivery.clone(),
            number: attempts,
            outcome: outcome.into(),
            status: None,
            latency: 1,
            answer: String::new(),
            retry_at: None,
            at,
        };
        let attempts = vec![attempt(1), attempt(2)];
        if number % 2 == 0 {
            for attempt in &attempts {
                world.push(of, wire::encode(attempt).unwrap());
            }
        } else {
            world.push(of, wire::encode(&WebhookAttempts { attempts }).unwrap());
        }
        world.push(rng.i32(0..2), wire::encode(&arb_schemas::records::WebhookTimer { at }).unwrap());
    }
    let (seen, expected) = run_disturbed::<DeliverMachine>(&schedule, &world, 0..150).unwrap();
    assert_eq!(seen, Kind::ALL.into_iter().collect::<BTreeSet<_>>(), "a kind of fault never happened");
    assert!(expected.committed(WEBHOOK_DELIVERIES.name) > 50);
    let state = expected.state(WEBHOOK_STATE.name);
    let failing = state.iter().filter(|((_, key), _)| key.starts_with(b"failing/"));
    let failures = failing.map(|(_, value)| match codec::decode_part(value).unwrap() {
        Part::Failing(_, Failing { failures, .. }) => failures,
        part => panic!("{part:?}"),
    });
    assert!(failures.max().unwrap() > 1);
    let of = |kind: &[u8]| state.keys().filter(|(_, key)| key.starts_with(kind)).count();
    assert!(of(b"body/") > 10 && of(b"delivery/") > of(b"body/"), "{} {}", of(b"body/"), of(b"delivery/"));
}
