//! Reports of results: refused before the start, held while an event cannot be over, never frozen by a storm, and read by names.

use arb_model::OpenedWindow;
use arb_picks::results::least_length;

use super::*;
use crate::clauses::with_overtime;

/// A pick on the winner, whose market has a draw.
fn winner(outcome: &str) -> Bench {
    let mut bench = Bench::new(3);
    bench.pick(|candidate| {
        (candidate.market, candidate.outcome, candidate.line) = ("h2h".into(), outcome.into(), None);
    });
    bench
}

fn settled(bench: &Bench) -> Option<String> {
    bench.grades().pop().map(|(_, settlement, _)| settlement)
}

/// When an event that began at the start can be over.
fn over() -> Micros {
    START + least_length(&event())
}

/// Any report on an event; one in four names the sides the other way round.
pub(super) fn random_report(rng: &mut Rng, event: &Event, now: Micros) -> ResultReport {
    let statuses = ["in_progress", "postponed", "finished", "finished", "abandoned", "cancelled"];
    let scores = ["full_time", "h1"].iter().take(rng.usize(1..3));
    let scores = scores.map(|period| PeriodScore {
        period: (*period).into(),
        home: rng.i32(0..2) + if *period == "h1" { 0 } else { 2 },
        away: rng.i32(0..2) + if *period == "h1" { 0 } else { 2 },
    });
    let scores = scores.collect();
    let sides = [event.home.to_string(), event.away.to_string()];
    let turned = usize::from(rng.u8(0..4) == 0);
    ResultReport {
        event: event.id.to_string(),
        status: statuses[rng.usize(0..statuses.len())].into(),
        scores,
        starts_at: rng.bool().then(|| now + rng.i64(0..30) * HOUR),
        source: ["operator", "file"][rng.usize(0..2)].into(),
        at: now - rng.i64(0..2) * HOUR,
        home: sides[turned].clone(),
        away: sides[1 - turned].clone(),
        ended: [None, Some("regulation".into()), Some("overtime".into())][rng.usize(0..3)].clone(),
    }
}

#[test]
fn nothing_is_graded_by_a_result_of_before_the_start() {
    for status in ["finished", "abandoned"] {
        let mut bench = winner("home");
        bench.result(status, Some((2, 0)), START - 1);
        assert_eq!(
            bench.out.letters(),
            [(Reason::Refused, "the event has not begun".to_owned())],
            "{status}"
        );
        assert_eq!((bench.tally.gradings, bench.machine.size().results), (0, 0));
    }
    for (status, settlement) in [("cancelled", "void"), ("walkover", "void")] {
        let mut bench = winner("home");
        bench.result(status, None, START - HOUR);
        assert_eq!(settled(&bench).as_deref(), Some(settlement), "{status} at any time");
    }
}

#[test]
fn a_result_is_held_until_the_event_can_be_over() {
    let mut bench = winner("home");
    bench.result("finished", Some((2, 0)), START);
    assert_eq!((bench.tally.results, bench.tally.gradings), (1, 0));
    bench.result("finished", Some((2, 0)), START + 60 * SECOND);
    bench.step(&Task::Timer(over() - 1));
    assert_eq!(bench.tally.gradings, 0, "its source says it again");
    bench.step(&Task::Timer(over()));
    assert_eq!((settled(&bench).as_deref(), bench.tally.gradings), (Some("won"), 1));
    bench.step(&Task::Timer(over() + HOUR));
    assert_eq!(bench.tally.gradings, 1);
}

#[test]
fn the_last_word_before_that_time_counts() {
    let mut bench = winner("home");
    bench.result("finished", Some((2, 0)), START + 1);
    bench.result("finished", Some((0, 2)), START + 2);
    bench.step(&Task::Timer(over()));
    assert_eq!((settled(&bench).as_deref(), bench.tally.gradings), (Some("lost"), 1));
}

#[test]
fn a_second_source_that_says_the_same_ends_the_wait() {
    let mut bench = winner("home");
    let first = report("finished", Some((2, 0)), START + 60 * SECOND);
    bench.step(&Task::Result(first.clone()));
    let turned = ResultReport {
        source: "file".into(),
        at: START + 50 * SECOND,
        home: first.away.clone(),
        away: first.home.clone(),
        scores: first.scores.iter().map(PeriodScore::turned).collect(),
        ..first.clone()
    };
    let other = ResultReport { scores: first.scores.clone(), ..turned.clone() };
    bench.step(&Task::Result(other));
    assert_eq!(bench.tally.gradings, 0, "it says something else");
    bench.step(&Task::Result(turned));
    assert_eq!((settled(&bench).as_deref(), bench.tally.gradings), (Some("won"), 1));
    let again = ResultReport { at: START + 70 * SECOND, ..first };
    bench.step(&Task::Result(again));
    bench.step(&Task::Timer(over()));
    assert_eq!(bench.tally.gradings, 1, "said again, it says nothing new");
}

#[test]
fn a_storm_of_corrections_freezes_nothing_and_the_last_word_counts() {
    let mut bench = winner("home");
    let mut window = windows::window("w", &event().id, START - HOUR);
    (window.market, window.line) = ("totals".into(), Some(Points(2_250)));
    bench.step(&Task::Window(Box::new(OpenedWindow { ..window })));
    let begun = over();
    for number in 0..1_000 {
        bench.result("finished", Some((number % 2, 0)), begun + i64::from(number) * SECOND / 10);
    }
    let end = begun + 100 * SECOND;
    bench.result("finished", Some((3, 1)), end);
    bench.step(&Task::Timer(end + PAUSE));
    let pick = bench.published().pop().unwrap();
    let last = pick.grade().unwrap();
    assert_eq!((last.settlement.as_str(), last.home, last.away), ("won", Some(3), Some(1)));
    assert!(bench.tally.gradings < 30, "{} gradings", bench.tally.gradings);
    assert!(pick.grades.len() <= MAX_GRADES);
}

#[test]
fn a_pick_carries_its_first_grading_and_the_newest_ones() {
    let mut bench = winner("home");
    let day = 86_400 * SECOND;
    for number in 0..150 {
        bench.result("finished", Some((number % 2, 0)), over() + i64::from(number) * day / 100);
    }
    let pick = bench.published().pop().unwrap();
    let versions: Vec<_> = pick.grades.iter().map(|grade| grade.version).collect();
    assert_eq!((versions.len(), versions[0], versions[1]), (MAX_GRADES, 1, 52));
    assert_eq!(bench.tally.gradings, 150, "each of them was published");
    assert_eq!(bench.told().last().unwrap().pick.grade().unwrap().version, 150);
}

#[test]
fn points_belong_to_names() {
    let played = report("finished", Some((2, 0)), over());
    let turned = ResultReport { home: played.away.clone(), away: played.home.clone(), ..played.clone() };
    let foreign = ResultReport { away: "Somebody Else".into(), ..played.clone() };
    for (report, settlement) in [(played, Some("won")), (turned, Some("lost")), (foreign, None)] {
        let mut bench = winner("home");
        bench.step(&Task::Result(report));
        assert_eq!(settled(&bench).as_deref(), settlement);
    }
}

/// What became of picks on ice hockey that ended 2-3 in overtime, as a report says it or does not.
fn hockey(outcome: &str, draw_refunds: bool, book: &str, said: Option<(i32, i32)>) -> Option<String> {
    let clauses = with_overtime("draftkings");
    let mut bench = Bench {
        machine: SettleMachine::new(&clauses),
        out: Outbox::default(),
        tally: SettleCounts::default(),
    };
    bench.step(&Task::Timer(START - 3 * HOUR));
    bench.pick(|candidate| {
        (candidate.market, candidate.outcome, candidate.line) = ("h2h".into(), outcome.into(), None);
        (candidate.draw_refunds, candidate.book) = (draw_refunds, book.into());
        (candidate.event.sport, candidate.event.league) = ("icehockey".into(), "icehockey_nhl".into());
    });
    let mut report = ResultReport { ended: None, ..report("finished", Some((2, 3)), START + 3 * HOUR) };
    if let Some((home, away)) = said {
        report.ended = Some("overtime".into());
        report.scores.push(PeriodScore { period: "regulation".into(), home, away });
    }
    bench.step(&Task::Result(report));
    settled(&bench)
}

#[test]
fn a_three_way_bet_is_never_graded_by_the_score_after_overtime() {
    let of = |outcome, said| hockey(outcome, false, "betsson", said);
    assert_eq!(["home", "draw", "away"].map(|outcome| of(outcome, None)), [None, None, None]);
    let said = ["home", "draw", "away"].map(|outcome| of(outcome, Some((2, 2))).unwrap());
    assert_eq!(said, ["lost", "won", "lost"]);
    let two_way = |book, said| hockey("away", true, book, said);
    assert_eq!(two_way("draftkings", None).as_deref(), Some("won"), "overtime counts there");
    assert_eq!(two_way("unheard_of", None), None, "nobody knows whether it counts there");
    assert_eq!(two_way("unheard_of", Some((2, 2))), None, "a push or a win");
}

#[test]
fn a_bet_on_a_game_that_was_moved_by_days_is_not_graded() {
    let moved = START + 48 * HOUR;
    let mut bench = winner("home");
    bench.step(&Task::Result(ResultReport { starts_at: Some(moved), ..report("postponed", None, START) }));
    bench.result("finished", Some((2, 0)), moved + 3 * HOUR);
    assert_eq!(settled(&bench), None, "how long bets stand differs from book to book");
    bench.result("cancelled", None, moved + 4 * HOUR);
    assert_eq!(settled(&bench).as_deref(), Some("void"));
}
