//! The machine by itself: what becomes of candidates, windows, results, closing prices and time. Then random logs, undisturbed and with every
//! fault of a simulated log.

mod bounds;
mod clocks;
mod offers;
mod refusals;
mod results;
mod windows;

use std::collections::{BTreeMap, BTreeSet};

use arb_model::fixtures::{event, price};
use arb_model::pick::{NO_RESULT, OPEN};
use arb_model::{Event, OpenedWindow, Points};
use arb_schemas::records::{PeriodScore, PickTimer};
use arb_simulated_log::{Kind, World, run_disturbed};
use fastrand::Rng;

use self::offers::recorded;
use super::*;
use crate::book::KEPT;

/// The start that the fixture's event announces.
const START: Micros = 1_782_000_000 * SECOND;
const HOUR: Micros = 3_600 * SECOND;

struct Bench {
    machine: SettleMachine,
    out: Outbox,
    tally: SettleCounts,
}

impl Bench {
    /// At a time, some hours before the start.
    fn new(hours: i64) -> Self {
        let mut bench = Self {
            machine: SettleMachine::new(&Clauses::default()),
            out: Outbox::default(),
            tally: SettleCounts::default(),
        };
        bench.step(&Task::Timer(START - hours * HOUR));
        bench
    }

    /// Steps and commits.
    fn step(&mut self, task: &Task) {
        let at = InputPlace { partition: 2, offset: 0, epoch: 0 };
        self.machine.step(at, task, &mut self.out, &mut self.tally).unwrap();
        self.machine.apply();
    }

    fn pick(&mut self, change: impl FnOnce(&mut PickCandidate)) {
        let mut candidate = candidate();
        change(&mut candidate);
        self.step(&Task::Candidate(Box::new(candidate)));
    }

    fn result(&mut self, status: &str, score: Option<(i32, i32)>, at: Micros) {
        self.step(&Task::Result(report(status, score, at)));
    }

    /// Every record of a pick that was published.
    fn published(&self) -> Vec<Pick> {
        self.of(PICKS.name)
    }

    /// What the feed received.
    fn told(&self) -> Vec<PickChange> {
        self.of(FEED_EVENTS.name)
    }

    fn of<T: wire::Record>(&self, topic: &str) -> Vec<T> {
        let outputs = self.out.outputs().iter().filter(|output| output.topic == topic);
        let values = outputs.map(|output| output.value.as_ref().unwrap());
        let of_type = values.filter(|value| wire::RecordType::of(value).unwrap() == T::TYPE);
        of_type.map(|value| wire::decode(value).unwrap()).collect()
    }

    /// The gradings of the last record.
    fn grades(&self) -> Vec<(i64, String, f64)> {
        let last = self.published().pop().unwrap();
        last.grades.into_iter().map(|grade| (grade.version, grade.settlement, grade.profit)).collect()
    }
}

/// Over 2.25 at 2.1, which the fixture's bot saw long before the start.
fn candidate() -> PickCandidate {
    PickCandidate {
        bot: "consensus".into(),
        version: 1,
        feed: "simulated".into(),
        event: event(),
        market: "totals".into(),
        period: "full_time".into(),
        line: Some(Points(2_250)),
        outcome: "over".into(),
        draw_refunds: false,
        book: "alpha".into(),
        price: price(2_100_000),
        probability: 0.51,
        method: "mean".into(),
        stake: 0.01,
        reasons: vec!["because".into()],
        at: Time(START - 5 * HOUR),
    }
}

fn report(status: &str, score: Option<(i32, i32)>, at: Micros) -> ResultReport {
    let full_time = |(home, away)| PeriodScore { period: "full_time".into(), home, away };
    ResultReport {
        event: event().id.to_string(),
        status: status.into(),
        scores: score.map(full_time).into_iter().collect(),
        starts_at: None,
        source: "operator".into(),
        at,
        home: event().home.to_string(),
        away: event().away.to_string(),
        ended: Some("regulation".into()),
    }
}

fn closing(before: Micros, probability: f64) -> Task {
    let last_seen_at = Time(START - before);
    let pick = pick_id::of(&pick_id::slot(&candidate()), Time(START - 3 * HOUR));
    Task::Closing(PickClosing { pick, price: None, probability, last_seen_at })
}

#[test]
fn a_pick_is_published_once_and_graded_by_its_result() {
    let mut bench = Bench::new(3);
    bench.pick(|_| {});
    bench.pick(|candidate| candidate.outcome = "under".into());
    assert_eq!((bench.tally.picks, bench.tally.repeated), (1, 1), "one a bot, event and market");
    let pick = bench.published().remove(0);
    assert_eq!((pick.published_at, pick.starts_at), (Time(START - 3 * HOUR), Time(START)), "by the timers");
    assert!(pick.is_open() && pick.id.starts_with("pick_"));
    bench.result("in_progress", None, START + HOUR);
    assert_eq!(bench.published().len(), 1, "nothing new of the pick");
    bench.result("finished", Some((2, 0)), START + 2 * HOUR);
    // 2 goals: over 2 is a push and over 2.5 is lost.
    assert_eq!(bench.grades(), [(1, "half_lost".to_owned(), -0.5)]);
    let graded = bench.published().pop().unwrap();
    assert_eq!(Pick { grades: Vec::new(), ..graded.clone() }, pick, "what was published stays");
    let told = bench.told().into_iter().map(|told| (told.change, told.pick)).collect::<Vec<_>>();
    assert_eq!(told, [(PUBLISHED.to_owned(), pick), (GRADED.to_owned(), graded)]);
}

#[test]
fn settlements_by_score_have_these_profits() {
    for (score, settlement, profit) in
        [((2, 1), "won", 1.1), ((1, 1), "half_lost", -0.5), ((0, 1), "lost", -1.0)]
    {
        let mut bench = Bench::new(3);
        bench.pick(|_| {});
        bench.result("finished", Some(score), START + 2 * HOUR);
        let (_, found, paid) = bench.grades().remove(0);
        assert!(found == settlement && (paid - profit).abs() < 1e-12, "{score:?}: {found} {paid}");
    }
    for (market, outcome, refunds, expected) in
        [("h2h", "home", true, "push"), ("h2h", "home", false, "lost"), ("h2h", "draw", false, "won")]
    {
        let mut bench = Bench::new(3);
        bench.pick(|candidate| {
            (candidate.market, candidate.outcome) = (market.into(), outcome.into());
            (candidate.line, candidate.draw_refunds) = (None, refunds);
        });
        bench.result("finished", Some((1, 1)), START + 2 * HOUR);
        assert_eq!(bench.grades().remove(0).1, expected);
    }
}

#[test]
fn a_correction_is_another_grading_and_the_first_one_stays() {
    let mut bench = Bench::new(3);
    bench.pick(|_| {});
    bench.result("finished", Some((2, 1)), START + 2 * HOUR);
    bench.result("finished", Some((2, 1)), START + 3 * HOUR);
    assert_eq!(bench.tally.gradings, 1, "it says the same");
    bench.result("finished", Some((1, 1)), START + 4 * HOUR);
    bench.result("finished", Some((2, 1)), START + 2 * HOUR);
    let grades = bench.grades();
    let settlements: Vec<_> = grades.iter().map(|(version, key, _)| (*version, key.as_str())).collect();
    assert_eq!(settlements, [(1, "won"), (2, "half_lost")], "an older report changes nothing");
    assert_eq!((bench.tally.gradings, bench.tally.corrections, bench.tally.repeated), (2, 1, 1));
    bench.result("in_progress", None, START + 5 * HOUR);
    assert_eq!(bench.grades().pop(), Some((3, OPEN.to_owned(), 0.0)), "the result was withdrawn");
    assert_eq!(bench.machine.size(), Held { open: 1, graded: 0, windows: 0, results: 1 });
}

#[test]
fn cancelled_is_void_and_so_is_a_period_that_was_not_played() {
    let mut bench = Bench::new(3);
    bench.pick(|_| {});
    bench.pick(|candidate| candidate.period = "h1".into());
    bench.result("abandoned", None, START + 2 * HOUR);
    let settlements: BTreeSet<_> =
        bench.published().into_iter().filter_map(|pick| Some(pick.grade()?.settlement.clone())).collect();
    assert_eq!(settlements, BTreeSet::from(["void".to_owned()]));
    let mut bench = Bench::new(3);
    bench.pick(|_| {});
    bench.result("cancelled", None, START - HOUR);
    assert_eq!(bench.grades(), [(1, "void".to_owned(), 0.0)]);
}

#[test]
fn a_pick_that_comes_after_the_start_or_the_result_is_none() {
    let mut bench = Bench::new(0);
    bench.pick(|_| {});
    assert_eq!(bench.out.letters(), [(Reason::Refused, "the event has started".to_owned())]);
    let mut bench = Bench::new(3);
    bench.result("finished", Some((1, 0)), START - HOUR);
    assert_eq!(bench.tally.results, 1, "nothing says when its event begins");
    bench.pick(|_| {});
    assert_eq!(bench.out.letters(), [(Reason::Refused, "the result of the event is known".to_owned())]);
    assert_eq!((bench.tally.picks, bench.published().len()), (0, 0));
    let mut bench = Bench::new(-1_000);
    bench.pick(|candidate| candidate.feed = "recorded".into());
    assert_eq!(
        bench.published().remove(0).published_at,
        Time(START - 5 * HOUR),
        "a recording has its own time"
    );
}

#[test]
fn of_a_postponed_event_the_new_start_counts() {
    let mut bench = Bench::new(3);
    bench.pick(|_| {});
    bench.step(&closing(60 * SECOND, 0.5));
    let postponed = ResultReport { starts_at: Some(START + 10 * HOUR), ..report("postponed", None, START) };
    bench.step(&Task::Result(postponed));
    let pick = bench.published().pop().unwrap();
    assert_eq!((pick.starts_at, &pick.closing), (Time(START + 10 * HOUR), &None), "it was no closing price");
    assert_eq!(pick.event.commence_time, Time(START), "what was announced stays");
    bench.step(&Task::Timer(START + 6 * HOUR));
    bench.pick(|candidate| (candidate.market, candidate.outcome) = ("spreads".into(), "home".into()));
    assert_eq!(bench.published().pop().unwrap().published_at, Time(START + 6 * HOUR));
    bench.result("finished", Some((3, 0)), START + 12 * HOUR);
    assert!(bench.published().iter().rev().take(2).all(|pick| !pick.is_open() && pick.starts_at.0 > START));
}

#[test]
fn the_last_price_before_the_start_is_the_closing_price() {
    let mut bench = Bench::new(3);
    bench.pick(|_| {});
    bench.step(&closing(CLOSING_WITHIN + 1, 0.4));
    bench.step(&closing(0, 0.4));
    assert_eq!(bench.tally.closings, 0, "too early, and at the start");
    bench.step(&closing(60 * SECOND, 0.5));
    bench.step(&closing(90 * SECOND, 0.6));
    bench.step(&closing(30 * SECOND, 0.55));
    let pick = bench.published().pop().unwrap();
    assert!((pick.closing_line_value().unwrap() - (2.1 * 0.55 - 1.0)).abs() < 1e-12);
    assert_eq!((bench.tally.closings, bench.published().len()), (2, 3));
}

#[test]
fn a_pick_without_a_result_says_so_after_thirty_days_and_is_forgotten() {
    let mut bench = Bench::new(3);
    bench.pick(|_| {});
    bench.step(&Task::Timer(START + KEPT - 1));
    assert_eq!(bench.machine.size().open, 1);
    bench.step(&Task::Timer(START + KEPT));
    assert_eq!(bench.grades(), [(1, NO_RESULT.to_owned(), 0.0)]);
    assert_eq!(bench.machine.size(), Held::default());
    bench.result("finished", Some((1, 0)), START + KEPT + 1);
    assert_eq!(bench.published().len(), 2, "it is too late");
}

#[test]
fn what_is_aborted_leaves_nothing() {
    let mut bench = Bench::new(3);
    let at = InputPlace { partition: 2, offset: 0, epoch: 0 };
    let task = Task::Candidate(Box::new(candidate()));
    bench.machine.step(at, &task, &mut bench.out, &mut bench.tally).unwrap();
    bench.machine.abort();
    assert_eq!(bench.machine.size(), Held::default());
    bench.step(&task);
    assert_eq!(bench.machine.size().open, 1);
}

/// Random records about few events, so that they meet.
fn log(seed: u64, length: usize) -> Vec<Vec<u8>> {
    let mut rng = Rng::with_seed(seed);
    let (mut now, mut asked_at) = (START - 6 * HOUR, 0);
    let mut record = || {
        now += rng.i64(0..4) * [SECOND, 600 * SECOND, HOUR][rng.usize(0..3)];
        let id = ["a", "b", "c", "d"][rng.usize(0..4)];
        let event = Event { id: id.into(), ..event() };
        match rng.u8(0..13) {
            11 | 12 => {
                let opened = windows::window(&rng.u8(0..40).to_string(), id, now);
                wire::encode(&OpenedWindow { line: Some(Points(rng.i32(1..16) * 250)), ..opened })
            }
            10 => wire::encode(&PickOffer {
                pick: pick_id::of(&pick_id::slot(&PickCandidate { event, ..recorded() }), Time(asked_at)),
                is_next_poll: rng.bool(),
                price: rng.bool().then(|| price(2_100_000)),
                last_seen_at: Time(asked_at + rng.i64(-1..200) * SECOND),
            }),
            0 => wire::encode(&PickTimer { at: now }),
            1 => {
                now += rng.i64(0..8) / 7 * KEPT;
                wire::encode(&PickTimer { at: now })
            }
            2..=5 => {
                asked_at = now;
                wire::encode(&PickCandidate {
                    bot: ["consensus", "sharp"][rng.usize(0..2)].into(),
                    feed: ["simulated", "recorded"][rng.usize(0..2)].into(),
                    event: Event { commence_time: Time(now + rng.i64(-1..9) * HOUR), ..event },
                    at: Time(now),
                    period: ["full_time", "h1"][rng.usize(0..2)].into(),
                    outcome: ["over", "under"][rng.usize(0..2)].into(),
                    line: Some(Points(rng.i32(1..16) * 250)),
                    ..candidate()
                })
            }
            6 => wire::encode(&PickClosing {
                pick: pick_id::of(&pick_id::slot(&PickCandidate { event, ..candidate() }), Time(asked_at)),
                price: Some(price(2_000_000)),
                probability: rng.f64().clamp(0.01, 0.99),
                last_seen_at: Time(now + rng.i64(-1..9) * HOUR - 60 * SECOND),
            }),
            _ => wire::encode(&results::random_report(&mut rng, &event, now)),
        }
        .unwrap()
    };
    (0..length).map(|_| record()).collect()
}

#[test]
fn of_random_logs_nothing_published_changes_and_gradings_only_grow() {
    for seed in 0..60 {
        let mut bench = Bench::new(6);
        for message in log(seed, 200) {
            bench.step(&codec::decode_task(&message).unwrap());
        }
        let told = |change: &str| bench.told().iter().filter(|told| told.change == change).count() as u64;
        assert_eq!((told(PUBLISHED), told(GRADED)), (bench.tally.picks, bench.tally.gradings), "seed {seed}");
        windows::gradings_grow(&bench, seed);
        let mut picks: BTreeMap<String, Pick> = BTreeMap::new();
        for pick in bench.published() {
            assert!(pick.published_at < pick.event.commence_time.max(pick.starts_at), "seed {seed}");
            let versions = pick.grades.iter().map(|grade| grade.version);
            assert!(versions.eq(1..=i64::try_from(pick.grades.len()).unwrap()), "seed {seed}");
            let is_decided = |grade: &&PickGrade| ["void", OPEN, NO_RESULT].contains(&&*grade.settlement);
            assert!(pick.grades.iter().filter(is_decided).all(|grade| grade.profit == 0.0), "seed {seed}");
            if let Some(before) = picks.insert(pick.id.clone(), pick.clone()) {
                assert_eq!(pick.grades[..before.grades.len()], before.grades, "seed {seed}");
                let fixed = |pick: Pick| {
                    let (grades, starts_at) = (Vec::new(), Time::default());
                    let (offer_after_poll, offer_after_minute) = (None, None);
                    Pick { grades, closing: None, offer_after_poll, offer_after_minute, starts_at, ..pick }
                };
                assert_eq!(fixed(pick), fixed(before), "seed {seed}");
            }
        }
    }
}

#[test]
fn every_output_is_that_of_an_undisturbed_run() {
    let mut world = World::new(2);
    for partition in 0..2 {
        for message in log(7 + u64::from(partition == 1), 240) {
            world.push(partition, message);
        }
        world.push(partition, b"no task".to_vec());
    }
    let (seen, expected) = run_disturbed::<SettleMachine>(&Clauses::default(), &world, 0..400).unwrap();
    assert_eq!(seen, Kind::ALL.into_iter().collect::<BTreeSet<_>>(), "a kind of fault never happened");
    assert!(expected.committed(PICKS.name) > 20, "{}", expected.committed(PICKS.name));
    assert!(expected.committed(DEAD_PICK_TASKS.name) >= 2);
    let state = expected.state(PICK_STATE.name);
    let kinds: BTreeSet<_> = state
        .keys()
        .map(|(_, key)| String::from_utf8_lossy(key).split('/').next().unwrap().to_owned())
        .collect();
    assert!(
        kinds.is_superset(&["clock", "partition", "pick", "result", "window"].map(str::to_owned).into()),
        "{kinds:?}"
    );
}
