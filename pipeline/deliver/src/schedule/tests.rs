//! Fairness, caps, and what a lane is sent from.

use arb_accounts::endpoint::Policy;
use arb_feed::webhook::TEST_EVENT;

use arb_schemas::time::SECOND;
use std::collections::{BTreeMap, BTreeSet};

use super::queue::Queue;
use super::state::{REPORTED_WITHIN, UNANSWERED};
use super::*;
use crate::circuit::Failing;

const NOW: Micros = 1_000 * SECOND;

fn delivery(endpoint: &str, number: i64) -> Arc<Delivery> {
    Arc::new(Delivery {
        id: format!("msg_{endpoint}_{number}"),
        endpoint: endpoint.to_owned(),
        place: (1, number),
        kind: "arb_window".to_owned(),
        subject: "w".to_owned(),
        policy: Policy::Live,
        is_ordered: false,
        body: "{}".into(),
        body_of: None,
        created_at: 0,
        attempts: 0,
        round: 0,
        next_at: number,
        has_failed: false,
    })
}

fn put(lane: &Lane, delivery: Arc<Delivery>) {
    let part = Part::Delivery(delivery);
    lane.update(std::iter::once((part.key().as_str(), Some(part.clone()))));
}

fn open(lane: &Lane) {
    lane.timer(Some(NOW));
}

fn endpoints(jobs: &[Job]) -> Vec<&str> {
    jobs.iter().map(|job| job.delivery.endpoint.as_str()).collect()
}

#[test]
fn each_endpoint_is_asked_in_turn_and_has_no_more_than_its_share() {
    let schedule = Schedule::new(|| NOW);
    let lane = Schedule::lane(&schedule);
    open(&lane);
    (0..100).for_each(|number| put(&lane, delivery("a", number)));
    put(&lane, delivery("b", 500));
    schedule.finished("a", true, NOW);
    schedule.finished("b", true, NOW);
    let jobs = schedule.take(NOW, 3, |_| Readiness::Open(None));
    assert_eq!(endpoints(&jobs), ["a", "b", "a"]);
    let jobs = schedule.take(NOW, 100, |_| Readiness::Open(None));
    assert_eq!(endpoints(&jobs), ["a", "a"], "four are under way");
    schedule.finished("a", true, NOW);
    assert_eq!(schedule.take(NOW, 100, |_| Readiness::Open(None)).len(), 1);
}

#[test]
fn an_endpoint_has_one_request_until_it_answers_and_those_that_never_do_leave_room() {
    let schedule = Schedule::new(|| NOW);
    let lane = Schedule::lane(&schedule);
    open(&lane);
    schedule.finished("living", true, NOW);
    put(&lane, delivery("living", 1));
    for dead in 0..1_000 {
        (0..3).for_each(|number| put(&lane, delivery(&format!("dead{dead}"), number)));
    }
    let jobs = schedule.take(NOW, 1_024, |_| Readiness::Open(None));
    let asked: BTreeSet<_> = endpoints(&jobs).into_iter().collect();
    assert_eq!((jobs.len(), asked.len()), (UNANSWERED + 1, UNANSWERED + 1), "one each");
    assert!(asked.contains("living"));
    // One that answers makes room for another, and has its share from then on.
    schedule.finished(&jobs[0].delivery.endpoint.clone(), true, NOW);
    assert_eq!(schedule.take(NOW, 1_024, |_| Readiness::Open(None)).len(), 3);
}

#[test]
fn nothing_is_sent_before_the_lane_has_read_what_its_owner_before_did() {
    let schedule = Schedule::new(|| NOW);
    let lane = Schedule::lane(&schedule);
    put(&lane, delivery("a", 1));
    assert!(schedule.take(NOW, 9, |_| Readiness::Open(None)).is_empty());
    open(&lane);
    assert_eq!(schedule.take(NOW, 9, |_| Readiness::Open(None)).len(), 1);
}

#[test]
fn a_lane_that_is_given_back_takes_its_deliveries_along() {
    let schedule = Schedule::new(|| NOW);
    let (lane, other) = (Schedule::lane(&schedule), Schedule::lane(&schedule));
    [&lane, &other].into_iter().for_each(open);
    put(&lane, delivery("a", 1));
    put(&other, delivery("b", 1));
    drop(lane);
    assert_eq!(endpoints(&schedule.take(NOW, 9, |_| Readiness::Open(None))), ["b"]);
}

#[test]
fn one_that_waits_or_fails_delays_no_other_and_a_rate_is_kept() {
    let schedule = Schedule::new(|| NOW);
    let lane = Schedule::lane(&schedule);
    open(&lane);
    for endpoint in ["a", "b", "c"] {
        (0..20).for_each(|number| put(&lane, delivery(endpoint, number)));
    }
    for _ in 0..5 {
        schedule.finished("b", false, NOW);
    }
    assert_eq!(schedule.open_circuits(), 1);
    schedule.finished("c", true, NOW);
    let ready = |name: &str| if name == "a" { Readiness::Waiting } else { Readiness::Open(Some(2)) };
    assert_eq!(endpoints(&schedule.take(NOW, 9, ready)), ["c"]);
    assert!(schedule.take(NOW + SECOND / 4, 9, ready).is_empty());
    assert_eq!(endpoints(&schedule.take(NOW + SECOND / 2, 9, ready)), ["c"]);
}

#[test]
fn an_endpoint_has_no_more_requests_than_its_rate_allows_at_any_time() {
    let schedule = Schedule::new(|| NOW);
    let lane = Schedule::lane(&schedule);
    open(&lane);
    (0..200).for_each(|number| put(&lane, delivery("a", number)));
    let taken = |at: Micros| {
        let jobs = schedule.take(at, 9, |_| Readiness::Open(Some(5)));
        for _ in &jobs {
            schedule.finished("a", true, at);
        }
        vec![at; jobs.len()]
    };
    let taken: Vec<_> = (0..1_000).flat_map(|step| taken(NOW + step * SECOND / 100)).collect();
    assert!(taken.windows(2).all(|pair| pair[1] - pair[0] >= SECOND / 5), "{taken:?}");
    assert!(taken.len() > 40, "nearly as many in ten seconds: {}", taken.len());
}

#[test]
fn an_attempt_whose_record_is_lost_is_made_again() {
    let schedule = Schedule::new(|| NOW);
    let lane = Schedule::lane(&schedule);
    open(&lane);
    put(&lane, delivery("a", 1));
    assert_eq!(schedule.take(NOW, 9, |_| Readiness::Open(None)).len(), 1);
    schedule.finished("a", true, NOW);
    assert!(schedule.take(NOW + REPORTED_WITHIN - 1, 9, |_| Readiness::Open(None)).is_empty());
    assert_eq!(schedule.take(NOW + REPORTED_WITHIN, 9, |_| Readiness::Open(None)).len(), 1);
}

#[test]
fn an_endpoint_that_answers_is_sent_the_next_one_in_the_place_of_the_one_before() {
    let schedule = Schedule::new(|| NOW);
    let lane = Schedule::lane(&schedule);
    open(&lane);
    for endpoint in ["a", "b"] {
        (0..9).for_each(|number| put(&lane, delivery(endpoint, number)));
    }
    let all = Readiness::Open(None);
    assert_eq!(endpoints(&schedule.take(NOW, 2, |_| all)), ["a", "b"], "one each, before they have answered");
    let next = schedule.finished_for_next("a", true, NOW, all).unwrap();
    assert_eq!((next.delivery.endpoint.as_str(), next.delivery.place.1), ("a", 1));
    assert_eq!(endpoints(&schedule.take(NOW, 9, |_| all)), ["a"; 3], "four are under way, and one to b");
    assert!(schedule.finished_for_next("b", false, NOW, all).is_none(), "it has failed");
    for not_now in [Readiness::Waiting, Readiness::Gone] {
        assert!(schedule.finished_for_next("a", true, NOW, not_now).is_none());
    }
    // Its rate counts from the next request on.
    assert!(schedule.finished_for_next("a", true, NOW, Readiness::Open(Some(2))).is_some());
    assert!(schedule.finished_for_next("a", true, NOW, Readiness::Open(Some(2))).is_none());
    let later = NOW + SECOND / 2;
    assert!(schedule.finished_for_next("a", true, later, Readiness::Open(Some(2))).is_some());
}

#[test]
fn the_next_one_waits_for_an_earlier_one_of_its_subject() {
    let schedule = Schedule::new(|| NOW);
    let lane = Schedule::lane(&schedule);
    open(&lane);
    for number in 0..3 {
        let ordered = Delivery { is_ordered: true, ..delivery("a", number).as_ref().clone() };
        put(&lane, Arc::new(ordered));
    }
    let all = Readiness::Open(None);
    let first = schedule.take(NOW, 9, |_| all).remove(0).delivery;
    assert!(schedule.finished_for_next("a", true, NOW, all).is_none(), "what came of it is not committed");
    lane.update(std::iter::once((format!("delivery/{}", first.id).as_str(), None)));
    assert_eq!(schedule.take(NOW, 9, |_| all)[0].delivery.place.1, 1);
}

/// A receiver that fails holds one window, and its later events; those of other windows go on.
#[test]
fn what_is_held_behind_an_earlier_one_delays_no_other_subject() {
    let schedule = Schedule::new(|| NOW);
    let lane = Schedule::lane(&schedule);
    open(&lane);
    let of = |subject: &str, number: i64, next_at: Micros| {
        let subject = subject.to_owned();
        Arc::new(Delivery { is_ordered: true, subject, next_at, ..delivery("a", number).as_ref().clone() })
    };
    put(&lane, of("failing", 0, NOW + 3_600 * SECOND));
    (1..1_000).for_each(|number| put(&lane, of("failing", number, number)));
    put(&lane, of("other", 1_000, 1_000));
    let all = Readiness::Open(None);
    let jobs = schedule.take(NOW, 9, |_| all);
    assert_eq!(jobs.iter().map(|job| &*job.delivery.subject).collect::<Vec<_>>(), ["other"]);
    schedule.finished("a", true, NOW);
    lane.update(std::iter::once((format!("delivery/{}", jobs[0].delivery.id).as_str(), None)));
    assert!(schedule.take(NOW, 9, |_| all).is_empty(), "what is held is not due");
    let first = schedule.take(NOW + 3_600 * SECOND, 9, |_| all);
    assert_eq!(first.iter().map(|job| job.delivery.place.1).collect::<Vec<_>>(), [0]);
    lane.update(std::iter::once((format!("delivery/{}", first[0].delivery.id).as_str(), None)));
    let next = schedule.take(NOW + 3_600 * SECOND, 9, |_| all);
    assert_eq!(next.iter().map(|job| job.delivery.place.1).collect::<Vec<_>>(), [1], "in their order");
}

/// An endpoint whose attempts have failed six times, the last one now.
fn failing(schedule: &Arc<Schedule>) -> Lane {
    let lane = Schedule::lane(schedule);
    open(&lane);
    (0..6).for_each(|number| {
        put(
            &lane,
            Arc::new(Delivery { next_at: NOW + 3_600 * SECOND, ..delivery("a", number).as_ref().clone() }),
        );
    });
    for _ in 0..6 {
        schedule.finished("a", false, NOW);
    }
    lane
}

/// What the owner of an endpoint asks for.
fn test_event() -> Arc<Delivery> {
    let (kind, subject) = (TEST_EVENT.to_owned(), String::new());
    Arc::new(Delivery { kind, subject, next_at: NOW, ..delivery("a", 90).as_ref().clone() })
}

#[test]
fn a_test_event_tries_an_endpoint_that_is_left_alone() {
    let schedule = Schedule::new(|| NOW);
    let lane = failing(&schedule);
    let all = Readiness::Open(None);
    assert!(schedule.take(NOW, 9, |_| all).is_empty() && schedule.open_circuits() == 1);
    put(&lane, test_event());
    let probe = schedule.take(NOW, 9, |_| all);
    assert_eq!(probe.iter().map(|job| &*job.delivery.kind).collect::<Vec<_>>(), [TEST_EVENT]);
    let second = Delivery { id: "second".to_owned(), ..probe[0].delivery.as_ref().clone() };
    put(&lane, Arc::new(second));
    assert!(schedule.take(NOW, 9, |_| all).is_empty(), "one trial at a time");
    schedule.finished("a", true, NOW);
    assert_eq!(schedule.take(NOW, 9, |_| all)[0].delivery.id, "second", "its circuit is closed");
}

/// The machine makes what waits due at another time, while an attempt of it is under way.
#[test]
fn what_is_under_way_is_not_sent_again_when_its_time_changes() {
    let schedule = Schedule::new(|| NOW);
    let lane = Schedule::lane(&schedule);
    open(&lane);
    put(&lane, delivery("a", 1));
    let all = Readiness::Open(None);
    let first = schedule.take(NOW, 9, |_| all).remove(0).delivery;
    put(&lane, Arc::new(Delivery { next_at: 0, ..first.as_ref().clone() }));
    schedule.finished("a", true, NOW);
    assert!(schedule.take(NOW, 9, |_| all).is_empty(), "its record has not come back");
    put(&lane, Arc::new(Delivery { next_at: 0, attempts: 1, ..first.as_ref().clone() }));
    assert_eq!(schedule.take(NOW, 9, |_| all).len(), 1, "the next attempt");
}

#[test]
fn a_test_event_that_fails_leaves_the_endpoint_alone() {
    let schedule = Schedule::new(|| NOW);
    let lane = failing(&schedule);
    put(&lane, test_event());
    assert_eq!(schedule.take(NOW, 9, |_| Readiness::Open(None)).len(), 1);
    schedule.finished("a", false, NOW);
    assert!(
        schedule.take(NOW + SECOND, 9, |_| Readiness::Open(None)).is_empty() && schedule.open_circuits() == 1
    );
}

#[test]
fn a_late_record_of_failures_opens_nothing_that_a_success_closed() {
    let schedule = Schedule::new(|| NOW);
    let lane = failing(&schedule);
    schedule.finished("a", true, NOW);
    let opened_by = |failed_at| {
        let part = Part::Failing("a".to_owned(), Failing { since: 0, failures: 6, failed_at });
        lane.update(std::iter::once((part.key().as_str(), Some(part.clone()))));
        schedule.open_circuits()
    };
    assert_eq!(opened_by(NOW), 0, "of before the success");
    assert_eq!(opened_by(NOW + 1), 1, "of after it");
}

proptest::proptest! {
    /// Whatever comes, is taken and is removed: of each subject the earliest alone can be sent, and nothing while it is under way.
    #[test]
    fn of_each_subject_the_earliest_alone_is_due(steps in proptest::collection::vec((0..3_u8, 0..3_i64, 0..12_i64), 0..60)) {
        let mut queue = Queue::default();
        let mut pending = BTreeMap::<(i64, i64), bool>::new();
        let of = |subject: i64, number: i64| Delivery {
            is_ordered: true,
            subject: subject.to_string(),
            ..delivery("a", number * 3 + subject).as_ref().clone()
        };
        for (step, subject, number) in steps {
            let one = of(subject, number);
            match step {
                0 => {
                    queue.put(&one);
                    pending.insert((subject, number), false);
                }
                1 if queue.due.iter().any(|(.., id)| *id == one.id) => {
                    queue.take(&one);
                    pending.insert((subject, number), true);
                }
                2 => {
                    queue.remove(&one);
                    pending.remove(&(subject, number));
                }
                _ => {}
            }
            let first = |subject: i64| pending.range((subject, 0)..(subject + 1, 0)).next();
            let expected: BTreeSet<_> = (0..3).filter_map(first).filter(|(_, taken)| !**taken).map(|((subject, number), _)| of(*subject, *number).id).collect();
            proptest::prop_assert_eq!(queue.due.iter().map(|(.., id)| id.clone()).collect::<BTreeSet<_>>(), expected);
        }
    }
}
