//! The decisions of a worker, checked by its next action.

use arb_schemas::time::SECOND;

use super::*;

const MINUTE: Micros = 60 * SECOND;
const HOUR: Micros = 60 * MINUTE;
const EPL: &str = "soccer_epl";
const NBA: &str = "basketball_nba";

fn rules() -> Rules {
    Rules {
        sports: Sports::Named([EPL, NBA].map(str::to_owned).into()),
        intervals: Intervals::default(),
        look_every: 10 * MINUTE,
        backoff: Backoff::default(),
        allowance: Allowance { floor: 10, cost: 1, dearest: 1, at_once: 1, reset_day: None },
        scans: ScanCaps::default(),
        scores: None,
        partitions: 4,
    }
}

fn quota(remaining: u64) -> Quota {
    Quota { remaining: Some(remaining), used: None, last: None }
}

fn poll(sport: &str) -> Action {
    Action::Poll(sport.to_owned())
}

fn events(sport: &str) -> Action {
    Action::Events(sport.to_owned())
}

/// A plan that holds every lease and knows the sports in season.
fn listed() -> Plan {
    let mut plan = Plan::new(rules(), 1);
    assert_eq!(plan.next(0), None, "without a lease it asks nothing");
    (0..4).for_each(|partition| plan.granted(partition, ""));
    assert_eq!(plan.next(0), Some(Action::List));
    plan.answered(&Action::List, 0, quota(1_000), true);
    plan.listed(0, &[EPL, NBA, "golf_open"].map(str::to_owned).into());
    plan
}

/// A plan that also knows when their events start.
fn knowing(epl: Micros, nba: Micros) -> Plan {
    let mut plan = listed();
    assert_eq!(plan.next(0), Some(events(NBA)));
    plan.starts(NBA, 0, vec![nba]);
    assert_eq!(plan.next(0), Some(events(EPL)));
    plan.starts(EPL, 0, vec![epl]);
    plan
}

/// Polls a sport and has it answered.
fn polls(plan: &mut Plan, sport: &str, now: Micros) {
    assert_eq!(plan.next(now), Some(poll(sport)));
    plan.asked(sport, now);
    plan.answered(&poll(sport), now, quota(1_000), true);
    plan.polled(sport, now);
}

#[test]
fn sports_are_polled_when_they_are_due() {
    let mut plan = knowing(-HOUR, 5 * HOUR);
    polls(&mut plan, EPL, 0);
    polls(&mut plan, NBA, 0);
    assert_eq!(plan.next(MINUTE - 1), None, "nothing due is no call");
    polls(&mut plan, EPL, MINUTE);
    for minute in 2..10 {
        polls(&mut plan, EPL, minute * MINUTE);
        assert_eq!(plan.next(minute * MINUTE), None);
    }
    assert_eq!(plan.next(10 * MINUTE), Some(Action::List), "listings are looked at again");
}

#[test]
fn the_one_that_is_overdue_by_most_of_its_interval_comes_first() {
    let mut plan = knowing(-HOUR, 5 * HOUR);
    polls(&mut plan, EPL, 0);
    polls(&mut plan, NBA, 0);
    plan.listing.came(24 * MINUTE);
    plan.sports.values_mut().for_each(|sport| sport.events.came(24 * MINUTE));
    assert_eq!(plan.next(25 * MINUTE), Some(poll(EPL)));
    plan.asked(EPL, 24 * MINUTE);
    plan.answered(&poll(EPL), 24 * MINUTE, quota(1_000), true);
    assert_eq!(plan.next(25 * MINUTE), Some(poll(NBA)));
}

#[test]
fn without_events_or_season_nothing_is_polled() {
    let mut plan = listed();
    plan.starts(NBA, 0, vec![]);
    plan.starts(EPL, 0, vec![]);
    assert_eq!(plan.next(9 * MINUTE), None);
    plan.starts(EPL, 0, vec![0]);
    plan.listed(0, &[NBA.to_owned()].into());
    assert_eq!(plan.next(9 * MINUTE), None, "it is out of season");
}

#[test]
fn a_sport_out_of_season_has_heartbeats_for_a_day() {
    let mut plan = knowing(0, 0);
    plan.asked(NBA, MINUTE);
    let held = |plan: &Plan| plan.held().cloned().collect::<Vec<_>>();
    plan.listed(23 * HOUR, &[EPL.to_owned()].into());
    assert_eq!(held(&plan), [NBA, EPL]);
    plan.listed(25 * HOUR, &[EPL.to_owned()].into());
    assert_eq!(held(&plan), [EPL]);
    assert!(!plan.note(EPL, 0).1.contains(NBA), "and is not handed over any more");
}

#[test]
fn below_the_floor_it_stops_until_the_credits_are_reset() {
    let mut plan = knowing(0, 0);
    plan.asked(EPL, 0);
    plan.answered(&poll(EPL), 0, quota(10), true);
    assert_eq!(plan.next(9 * MINUTE), None);
    assert_eq!(plan.verdict(0), Verdict::Low(10));
    assert_eq!(
        plan.next(10 * MINUTE),
        Some(Action::List),
        "the free listing shows whether the credits were reset"
    );
    plan.answered(&Action::List, 10 * MINUTE, quota(500), true);
    plan.listed(10 * MINUTE, &[EPL, NBA].map(str::to_owned).into());
    plan.starts(EPL, 10 * MINUTE, vec![0]);
    plan.starts(NBA, 10 * MINUTE, vec![0]);
    assert!(matches!(plan.next(10 * MINUTE), Some(Action::Poll(_))));
}

#[test]
fn exhausted_credits_are_looked_at_calmly() {
    let mut plan = knowing(0, 0);
    plan.asked(EPL, 0);
    plan.answered(&poll(EPL), 0, Quota::default(), false);
    plan.failed(&poll(EPL), 0, &Problem::Exhausted, None);
    assert_eq!((plan.verdict(0), plan.next(9 * MINUTE)), (Verdict::Low(0), None));
    assert_eq!(plan.next(10 * MINUTE), Some(Action::List));
    plan.failed(&Action::List, 10 * MINUTE, &Problem::Exhausted, None);
    let events_only = |now| !matches!(plan.next(now), Some(Action::List | Action::Poll(_)));
    assert!((10..20).all(|minute| events_only(minute * MINUTE)));
}

#[test]
fn a_failure_is_tried_again_after_its_back_off_and_disturbs_no_other_sport() {
    let mut plan = knowing(0, 0);
    plan.asked(NBA, 0);
    plan.failed(&poll(NBA), 0, &Problem::Unreachable("it timed out".to_owned()), None);
    assert_eq!(plan.next(0), Some(Action::List), "what remains is asked for again");
    plan.answered(&Action::List, 0, quota(1_000), true);
    plan.listed(0, &[EPL, NBA].map(str::to_owned).into());
    polls(&mut plan, EPL, 0);
    assert_eq!(plan.next(SECOND - 1), None);
    polls(&mut plan, NBA, 2 * SECOND);
    assert_eq!(plan.next(3 * SECOND), None, "its interval holds again");
}

/// Gateways know nothing of credits: their silence is not the API's.
#[test]
fn an_error_that_names_no_credits_has_them_asked_for_at_once() {
    let mut plan = knowing(0, 0);
    plan.asked(NBA, 0);
    plan.answered(&poll(NBA), 0, Quota::default(), false);
    plan.failed(&poll(NBA), 0, &Problem::Down(502), None);
    assert_eq!((plan.verdict(0), plan.next(0)), (Verdict::Ask, Some(Action::List)));
    plan.answered(&Action::List, 0, Quota::default(), true);
    assert_eq!(plan.verdict(0), Verdict::Silent, "a good answer's is");
}

/// The worker that holds the leases now spends from what was reported to this one.
#[test]
fn the_reported_credits_are_discarded_with_the_last_lease() {
    let mut plan = knowing(0, 0);
    plan.gone(&[0, 1, 2]);
    assert_eq!(plan.verdict(0), Verdict::Pay);
    plan.gone(&[3]);
    plan.granted(3, "");
    assert_eq!(plan.verdict(0), Verdict::Ask);
}

#[test]
fn a_busy_api_is_left_alone_by_all() {
    let mut plan = knowing(0, 0);
    plan.asked(NBA, 0);
    plan.answered(&poll(NBA), 0, quota(900), false);
    plan.failed(&poll(NBA), 0, &Problem::TooMany, Some(30 * SECOND));
    assert_eq!(plan.next(30 * SECOND - 1), None);
    assert!(matches!(plan.next(30 * SECOND), Some(Action::Poll(_))));
}

#[test]
fn a_sport_that_is_gone_is_skipped() {
    let mut plan = knowing(0, 0);
    plan.asked(NBA, 0);
    plan.answered(&poll(NBA), 0, quota(900), true);
    plan.failed(&poll(NBA), 0, &Problem::Gone { status: 404, code: "UNKNOWN_SPORT".to_owned() }, None);
    polls(&mut plan, EPL, 0);
    assert_eq!(plan.next(SECOND), None);
    let others: Vec<_> = (1..300).filter_map(|minute| plan.next(minute * MINUTE)).collect();
    assert!(!others.contains(&poll(NBA)) && others.contains(&poll(EPL)));
    plan.listing.came(6 * HOUR);
    plan.sports.values_mut().for_each(|sport| sport.events.came(6 * HOUR));
    plan.asked(EPL, 6 * HOUR);
    plan.answered(&poll(EPL), 6 * HOUR, quota(900), true);
    assert_eq!(plan.next(6 * HOUR), Some(poll(NBA)));
}

#[test]
fn the_next_holder_goes_on_where_the_last_one_was() {
    let mut plan = knowing(0, HOUR);
    polls(&mut plan, EPL, 0);
    polls(&mut plan, NBA, 0);
    let (home, note) = plan.note(EPL, 31 * SECOND);
    let mut next = Plan::new(rules(), 2);
    next.granted(home, &note);
    next.answered(&Action::List, 40 * SECOND, quota(1_000), true);
    next.listed(40 * SECOND, &[EPL, NBA].map(str::to_owned).into());
    next.starts(EPL, 40 * SECOND, vec![0]);
    next.starts(NBA, 40 * SECOND, vec![]);
    assert_eq!(next.next(91 * SECOND - 1), None);
    assert_eq!(next.next(91 * SECOND), Some(poll(EPL)));
    assert_eq!(next.stamp(EPL, 0), 31 * SECOND + 1, "its polls are not late, whatever its clock reads");
    assert_eq!(plan.home(NBA) == home, next.held().any(|sport| sport == NBA), "only of that lease");
    next.gone(&[home]);
    assert_eq!((next.next(HOUR), next.held().count()), (None, 0));
}

#[test]
fn credits_that_are_spread_are_shared_by_the_sports_of_all_workers() {
    let mut allowance = rules().allowance;
    (allowance.floor, allowance.reset_day) = (0, Some(2));
    let mut plan = Plan::new(Rules { allowance, ..rules() }, 1);
    plan.granted(partition_of(EPL, 4), "");
    plan.answered(&Action::List, 0, quota(25), true);
    plan.listed(0, &[EPL, NBA].map(str::to_owned).into());
    plan.starts(EPL, 0, vec![0]);
    plan.sports.get_mut(EPL).unwrap().asked_at = Some(0);
    // A day for 24 polls, of which this worker makes one of two, or all if it holds both.
    let share = plan.polled_sports().count();
    let expected = Verdict::Later(if share == 1 { 2 * HOUR } else { HOUR });
    assert_eq!(plan.verdict(0), expected);
}

#[test]
fn whatever_is_scanned_the_floor_stays_and_scans_spend_no_more_than_their_share() {
    for seed in 0..200 {
        let (mut rng, mut plan) = (Rng::with_seed(seed), knowing(-HOUR, 5 * HOUR));
        let (mut credits, mut for_scans, mut now) = (rng.u64(11..200), 0, 0);
        let share = (credits - 10) / 5;
        plan.answered(&Action::List, 0, quota(credits), true);
        for _ in 0..400 {
            now += rng.i64(1..=60) * SECOND;
            let sport = [EPL, NBA][rng.usize(0..2)];
            let account = ["acc_a", "acc_b", "acc_c"][rng.usize(0..3)];
            let allowed = rng.bool() && plan.scan(sport, [account], now) == Ok(Some(account));
            let due = matches!(plan.next(now), Some(Action::Poll(_)));
            let sport = match plan.next(now) {
                _ if allowed => sport.to_owned(),
                Some(Action::Poll(due)) => due,
                Some(action) => {
                    plan.listing.came(now);
                    plan.sports.values_mut().for_each(|sport| sport.events.came(now));
                    plan.answered(&action, now, quota(credits), true);
                    continue;
                }
                None => continue,
            };
            assert!(allowed || due);
            credits -= 1;
            for_scans += u64::from(allowed);
            if allowed {
                assert_eq!(plan.scanned(&sport, account, now).0, 1);
            }
            // Now and then the worker is restarted: what scans have spent is in the note.
            let (home, note) = plan.note(&sport, now);
            if rng.u8(0..20) == 0 {
                plan.gone(&[home]);
                plan.granted(home, &note);
            }
            plan.asked(&sport, now);
            // Some answers are lost on their way; the credits are spent all the same.
            if rng.u8(0..10) > 0 {
                plan.answered(&poll(&sport), now, quota(credits), true);
                plan.polled(&sport, now);
            }
            assert!(credits >= 10, "seed {seed}: {credits} left");
            assert!(for_scans <= share, "seed {seed}: {for_scans} of {share} for scans");
        }
    }
}
