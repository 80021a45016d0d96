//! When scores are asked for, by the next action of a worker that holds every lease.

use arb_schemas::time::SECOND;
use fastrand::Rng;

use super::*;
use crate::live::answer::Quota;
use crate::live::backoff::Backoff;
use crate::live::budget::{Allowance, Verdict};
use crate::live::plan::Rules;
use crate::live::scan_budget::ScanCaps;
use crate::live::schedule::Intervals;

const MINUTE: Micros = 60 * SECOND;
const HOUR: Micros = 60 * MINUTE;
const EPL: &str = "soccer_epl";

fn rules(allowance: Allowance) -> Rules {
    Rules {
        sports: Sports::Named([EPL.to_owned()].into()),
        intervals: Intervals::default(),
        look_every: 1_000 * HOUR,
        backoff: Backoff::default(),
        allowance,
        scans: ScanCaps::default(),
        scores: Some(ScoreRules { after: 90 * MINUTE, every: 15 * MINUTE }),
        partitions: 4,
    }
}

fn quota(remaining: u64) -> Quota {
    Quota { remaining: Some(remaining), used: None, last: None }
}

/// A plan whose sport has no events any more, so that no poll is due.
fn plan(floor: u64, credits: u64) -> Plan {
    let allowance = Allowance { floor, cost: 1, dearest: DEAREST, at_once: 1, reset_day: None };
    let mut plan = Plan::new(rules(allowance), 1);
    (0..4).for_each(|partition| plan.granted(partition, ""));
    plan.answered(&Action::List, 0, quota(credits), true);
    plan.listed(0, &[EPL.to_owned()].into());
    plan.starts(EPL, 0, vec![]);
    plan
}

fn awaited(events: &[(&str, Micros)]) -> Awaited {
    let events = events.iter().map(|(event, start)| ((*event).to_owned(), *start)).collect();
    Awaited::from([(EPL.to_owned(), events)])
}

fn scores(days: Option<u8>) -> Action {
    Action::Scores { sport: EPL.to_owned(), days }
}

fn set(events: &[&str]) -> BTreeSet<String> {
    events.iter().map(ToString::to_string).collect()
}

/// Asks for what is due and has it answered with events that are over and such that are not.
fn asks(plan: &mut Plan, now: Micros, days: Option<u8>, finished: &[&str], running: &[&str]) {
    assert_eq!(plan.next(now), Some(scores(days)), "at minute {}", now / MINUTE);
    plan.asked_scores(EPL, now);
    plan.answered(&scores(days), now, quota(1_000), true);
    plan.scored(EPL, now, days.is_some(), &ScoresSeen { finished: set(finished), running: set(running) });
}

/// The first minute from one on at which a call is due.
fn due(plan: &Plan, from: Micros) -> Micros {
    let mut minutes = from / MINUTE..from / MINUTE + 100_000;
    minutes.find(|minute| plan.next(minute * MINUTE).is_some()).unwrap()
}

#[test]
fn an_event_is_asked_for_while_it_is_in_play_and_its_days_once_it_is_not() {
    let mut plan = plan(10, 1_000);
    assert_eq!(plan.next(90 * MINUTE), None, "no pick waits");
    plan.awaits(&awaited(&[("a", 0), ("tomorrow", 24 * HOUR)]));
    assert_eq!(due(&plan, 0), 90);
    asks(&mut plan, 90 * MINUTE, None, &[], &["a"]);
    assert_eq!(due(&plan, 90 * MINUTE), 105);
    asks(&mut plan, 105 * MINUTE, None, &[], &["tomorrow"]);
    asks(&mut plan, 105 * MINUTE, Some(1), &["a", "another"], &["tomorrow"]);
    assert_eq!(due(&plan, 106 * MINUTE), 24 * 60 + 90, "what is over is not asked for, graded or not");
    plan.awaits(&awaited(&[("tomorrow", 24 * HOUR)]));
    assert_eq!(due(&plan, 106 * MINUTE), 24 * 60 + 90);
}

#[test]
fn what_brings_no_result_is_asked_for_ever_less_often_and_not_after_three_days() {
    let mut plan = plan(10, 1_000);
    plan.awaits(&awaited(&[("a", 0)]));
    let mut minutes = Vec::new();
    for minute in 0..80 * 60 {
        let Some(Action::Scores { days, .. }) = plan.next(minute * MINUTE) else { continue };
        minutes.push((minute, days));
        asks(&mut plan, minute * MINUTE, days, &[], &[]);
    }
    let expected = [(90, None), (91, Some(1)), (121, None), (122, Some(1)), (182, None), (183, Some(1))];
    assert_eq!(minutes[..6], expected, "{minutes:?}");
    assert!(minutes.len() < 20 && minutes.last().unwrap().0 < 72 * 60, "{minutes:?}");
    assert!(minutes.iter().any(|(minute, days)| *minute > 48 * 60 && *days == Some(3)), "{minutes:?}");
    let calls: u64 = minutes.iter().map(|(_, days)| if days.is_some() { 2 } else { 1 }).sum();
    assert!(calls <= 40, "{calls} credits for an event that never has a result");
    plan.awaits(&awaited(&[("a", 0), ("b", 80 * HOUR)]));
    assert_eq!(due(&plan, 80 * HOUR), 80 * 60 + 90, "another event is asked for as the first one was");
}

#[test]
fn a_result_that_is_withdrawn_is_waited_for_again() {
    let mut plan = plan(10, 1_000);
    plan.awaits(&awaited(&[("a", 0), ("b", 30 * MINUTE)]));
    asks(&mut plan, 90 * MINUTE, None, &["a"], &["b"]);
    asks(&mut plan, 120 * MINUTE, None, &[], &["a", "b"]);
    plan.awaits(&awaited(&[("a", 0)]));
    assert_eq!(due(&plan, 121 * MINUTE), 135);
}

#[test]
fn a_failure_is_tried_again_and_a_sport_without_scores_is_left_alone() {
    let mut plan = plan(10, 1_000);
    plan.awaits(&awaited(&[("a", 0)]));
    let (call, now) = (scores(None), 90 * MINUTE);
    plan.asked_scores(EPL, now);
    plan.answered(&call, now, quota(900), false);
    plan.failed(&call, now, &Problem::Down(500), None);
    assert_eq!(plan.next(now), None);
    assert_eq!(plan.next(now + 2 * SECOND), Some(call.clone()), "not after the whole interval");
    plan.asked_scores(EPL, now);
    plan.answered(&call, now, quota(900), false);
    plan.failed(&call, now, &Problem::Gone { status: 422, code: "NO_SCORES".to_owned() }, None);
    assert_eq!(due(&plan, now), 90 + 360);
}

#[test]
fn only_selected_sports_whose_lease_is_held_are_asked_for() {
    let mut plan = plan(10, 1_000);
    let others =
        ["basketball_nba", "../odds"].map(|sport| (sport.to_owned(), awaited(&[("a", 0)])[EPL].clone()));
    plan.awaits(&Awaited::from(others.clone()));
    assert_eq!(plan.next(2 * HOUR), None);
    plan.rules.sports = Sports::All;
    let expected = Action::Scores { sport: "basketball_nba".to_owned(), days: None };
    assert_eq!(plan.next(2 * HOUR), Some(expected), "though it is out of season");
    plan.gone(&[plan.home("basketball_nba")]);
    assert_eq!(plan.next(2 * HOUR), None);
}

#[test]
fn the_next_holder_waits_as_the_last_one_would_have() {
    let mut plan = plan(10, 1_000);
    plan.awaits(&awaited(&[("a", 0)]));
    let (home, note) = plan.note_scores(EPL, 95 * MINUTE);
    let mut next = self::plan(10, 1_000);
    next.gone(&[home]);
    next.granted(home, &note);
    next.answered(&Action::List, 0, quota(1_000), true);
    next.starts(EPL, 0, vec![]);
    next.awaits(&awaited(&[("a", 0)]));
    assert_eq!(due(&next, 0), 110);
}

#[test]
fn without_credits_nothing_is_asked() {
    let mut plan = plan(10, 11);
    plan.awaits(&awaited(&[("a", 0)]));
    assert_eq!(
        (plan.verdict(2 * HOUR), plan.next(2 * HOUR)),
        (Verdict::Low(11), None),
        "two credits would go below"
    );
    plan.answered(&Action::List, 0, quota(12), true);
    assert_eq!(plan.next(2 * HOUR), Some(scores(None)));
    plan.asked_scores(EPL, 2 * HOUR);
    assert_ne!(plan.next(2 * HOUR), Some(scores(None)), "a report pays for one call");
    plan.rules.scores = None;
    plan.answered(&scores(None), 2 * HOUR, quota(900), true);
    assert_eq!(plan.next(9 * HOUR), None, "scores are turned off");
}

/// Polls and scores together, whatever is lost on its way.
#[test]
fn whatever_is_asked_the_floor_stays() {
    for seed in 0..200 {
        let (mut rng, mut now) = (Rng::with_seed(seed), 0);
        let mut credits = rng.u64(20..120);
        let mut plan = plan(10, credits);
        plan.starts(EPL, 0, vec![0]);
        let mut asked = [0, 0];
        for step in 0..600 {
            now += rng.i64(1..=30) * MINUTE / 10;
            if step % 20 == 0 {
                plan.awaits(&awaited(&[("a", now - rng.i64(0..90) * HOUR), ("b", now - 2 * HOUR)]));
            }
            match plan.next(now) {
                Some(Action::Poll(sport)) => {
                    (credits, asked[0]) = (credits - 1, asked[0] + 1);
                    plan.asked(&sport, now);
                    if rng.u8(0..10) > 0 {
                        let paid = Quota { last: Some(1), ..quota(credits) };
                        plan.answered(&Action::Poll(sport.clone()), now, paid, true);
                        plan.polled(&sport, now);
                    }
                }
                Some(Action::Scores { sport, days }) => {
                    let cost = if days.is_some() { 2 } else { 1 };
                    (credits, asked[1]) = (credits - cost, asked[1] + 1);
                    plan.asked_scores(&sport, now);
                    if rng.u8(0..10) > 0 {
                        let paid = Quota { last: Some(cost), ..quota(credits) };
                        plan.answered(&Action::Scores { sport: sport.clone(), days }, now, paid, true);
                        plan.scored(&sport, now, days.is_some(), &ScoresSeen::default());
                    }
                }
                Some(action) => {
                    plan.answered(&action, now, quota(credits), true);
                    plan.listed(now, &[EPL.to_owned()].into());
                }
                None => {}
            }
            assert!(credits >= 10, "seed {seed}: {credits} left");
        }
        assert!(asked[0] > 0 && asked[1] > 0, "seed {seed}: {asked:?}");
    }
}

/// Of each sport an event is asked for as long as the engine keeps it, and three days at least.
#[test]
fn a_match_of_days_is_asked_for_to_its_end() {
    for (sport, hours) in
        [("cricket_test_match", 168), ("golf_masters", 144), ("soccer_epl", 72), ("baseball_mlb", 72)]
    {
        let mut plan = plan(10, 1_000);
        plan.rules.sports = Sports::All;
        plan.awaits(&Awaited::from([(sport.to_owned(), [("e".to_owned(), 0)].into())]));
        let waits = |at| plan.scores.waiting(sport, at).count() == 1;
        assert!(waits(hours * HOUR - 1) && !waits(hours * HOUR), "{sport}");
    }
}
