//! Reports of results: what they may state, and how long an event lasts at least before one can say that it is over.
//!
//! The settlement machine refuses a report by these rules, and the API refuses it before that. It never settles a bet.
//!
//! Least lengths are lower bounds from the clock of play and the breaks of each sport's rules.

use arb_model::{Ending, Event, EventStatus, Period};
use arb_schemas::records::{REGULATION, ResultReport};
use arb_schemas::time::{EVENT_TIMES, Micros, NO_EVENT_TIME, NO_RECORD_TIME, RECORD_TIMES, SECOND};

/// Longest name or key of a report, a pick or a window, in bytes.
pub const MAX_TEXT: usize = 400;
/// Most scores of a report.
const MAX_SCORES: usize = 20;
/// Highest number of points.
const MAX_POINTS: i32 = 9_999;
/// How far a new start may be from the report of it.
const MAX_POSTPONED: Micros = 2 * 366 * 86_400 * SECOND;
const MINUTE: Micros = 60 * SECOND;
/// Of a sport that is not listed.
const LEAST_OF_OTHERS: Micros = 60 * MINUTE;
/// What a match of a sport lasts at least, in minutes, from its start to its end.
const LEAST_MINUTES: [(&str, i64); 15] = [
    ("americanfootball", 120),
    ("aussierules", 100),
    ("baseball", 75),
    ("basketball", 70),
    ("boxing", 0),
    ("cricket", 60),
    ("golf", 60),
    ("handball", 65),
    ("icehockey", 100),
    ("lacrosse", 75),
    ("mma", 0),
    ("rugbyleague", 85),
    ("rugbyunion", 85),
    ("soccer", 95),
    ("tennis", 0),
];
/// What the league of a simulated market contains.
const SIMULATED: &str = "_simulated";

/// What is wrong with a report of a result, as a sentence for the one who sent it.
///
/// # Errors
/// The sentence.
pub fn check_report(report: &ResultReport) -> Result<(), String> {
    let Some(status) = EventStatus::parse(&report.status) else {
        return Err(format!("status: {:?} is none of {}", report.status, EventStatus::KEYS.join(", ")));
    };
    if report.event.is_empty() || report.event.len() > MAX_TEXT || report.source.len() > MAX_TEXT {
        return Err(format!("event and source have up to {MAX_TEXT} bytes, and an event is not empty"));
    }
    if report.scores.len() > MAX_SCORES {
        return Err(format!("scores: more than {MAX_SCORES}"));
    }
    check_scores(report)?;
    let said = report.ended.as_deref();
    if said.is_some_and(|ended| Ending::parse(ended).is_none()) {
        return Err(format!("ended: {:?} is none of {}", report.ended, Ending::KEYS.join(", ")));
    }
    if status == EventStatus::Finished && report.scores.is_empty() {
        return Err(
            "scores: a finished event has at least one; one that was never played is cancelled".to_owned()
        );
    }
    if !RECORD_TIMES.contains(&report.at) {
        return Err(format!("at: {NO_RECORD_TIME}"));
    }
    match report.starts_at {
        Some(start) if !EVENT_TIMES.contains(&start) => Err(format!("starts_at: {NO_EVENT_TIME}")),
        Some(start) if start.abs_diff(report.at) > MAX_POSTPONED.unsigned_abs() => {
            Err("starts_at: more than two years from the report".to_owned())
        }
        _ => Ok(()),
    }
}

fn check_scores(report: &ResultReport) -> Result<(), String> {
    for (index, score) in report.scores.iter().enumerate() {
        if Period::parse(&score.period).is_none() && score.period != REGULATION {
            let known = Period::KEYS.join(", ");
            return Err(format!("period: {:?} is none of {known}, {REGULATION}", score.period));
        }
        if report.scores.iter().take(index).any(|other| other.period == score.period) {
            return Err(format!("scores: {} is there twice", score.period));
        }
        if [score.home, score.away].iter().any(|points| !(0..=MAX_POINTS).contains(points)) {
            return Err(format!("scores: points are from 0 to {MAX_POINTS}"));
        }
    }
    let names = [&report.home, &report.away];
    if names.iter().any(|name| name.len() > MAX_TEXT) {
        return Err(format!("home and away have up to {MAX_TEXT} bytes"));
    }
    if !report.scores.is_empty() && (report.home == report.away || names.iter().any(|name| name.is_empty())) {
        return Err("home and away: scores need the names of both sides".to_owned());
    }
    Ok(())
}

/// Periods, and one that they are parts of.
const PARTS: [(&[&str], &str); 7] = [
    (&["h1", "h2"], "full_time"),
    (&["q1", "q2", "q3", "q4"], "full_time"),
    (&["p1", "p2", "p3"], "full_time"),
    (&[REGULATION], "full_time"),
    (&["h1"], REGULATION),
    (&["p1", "p2", "p3"], REGULATION),
    (&["q1", "q2"], "h1"),
];

/// What of the scores of a report contradicts itself, as a sentence.
///
/// # Errors
/// The sentence.
pub fn check_consistent(report: &ResultReport) -> Result<(), String> {
    let of = |period: &str| {
        let found = report.scores.iter().find(|score| score.period == period);
        found.map(|score| [score.home, score.away])
    };
    for (parts, whole) in PARTS {
        let scores = parts.iter().filter_map(|part| of(part));
        let sum = scores.fold([0, 0], |sum, score| [sum[0] + score[0], sum[1] + score[1]]);
        if of(whole).is_some_and(|whole| sum[0] > whole[0] || sum[1] > whole[1]) {
            return Err(format!("the points of {} are more than those of {whole}", parts.join(", ")));
        }
    }
    let ended = report.ended.as_deref().and_then(Ending::parse);
    let after = of(REGULATION).filter(|_| ended == Some(Ending::Regulation));
    match after.zip(of(Period::FullTime.key())) {
        Some((regulation, whole)) if regulation != whole => {
            Err("the event ended in regulation, and its final score is another".to_owned())
        }
        _ => Ok(()),
    }
}

/// Whether a league is of a simulated market, whose events are as short as it likes and have no overtime.
#[must_use]
pub fn is_simulated(league: &str) -> bool {
    league.contains(SIMULATED)
}

/// What an event lasts at least.
#[must_use]
pub fn least_length(event: &Event) -> Micros {
    if is_simulated(&event.league) {
        return 0;
    }
    let listed = LEAST_MINUTES.iter().find(|(sport, _)| *sport == &*event.sport);
    listed.map_or(LEAST_OF_OTHERS, |(_, minutes)| minutes * MINUTE)
}

#[cfg(test)]
mod tests {
    use arb_schemas::records::PeriodScore;

    use super::*;

    fn score(period: &str, home: i32, away: i32) -> PeriodScore {
        PeriodScore { period: period.to_owned(), home, away }
    }

    /// Of a finished event.
    fn report(scores: Vec<PeriodScore>) -> ResultReport {
        let (home, away) = ("Ajax".to_owned(), "PSV".to_owned());
        let (event, status, source) = ("e".to_owned(), "finished".to_owned(), "test".to_owned());
        ResultReport { event, status, scores, starts_at: None, source, at: SECOND, home, away, ended: None }
    }

    #[test]
    fn reports_that_cannot_be_are_refused() {
        let with = |home, away| report(vec![score("full_time", home, away)]);
        assert_eq!(check_report(&with(1, 0)), Ok(()));
        for wrong in [
            with(-1, 0),
            ResultReport { status: "over".to_owned(), ..report(Vec::new()) },
            report(Vec::new()),
            ResultReport { starts_at: Some(i64::MIN), ..with(1, 0) },
            report(vec![score("full_time", 1, 0), score("full_time", 2, 0)]),
        ] {
            assert!(check_report(&wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn scores_that_contradict_each_other_are_refused() {
        let of = |ended: Option<&str>, scores: Vec<PeriodScore>| {
            let report = report([vec![score("full_time", 3, 2)], scores].concat());
            check_consistent(&ResultReport { ended: ended.map(str::to_owned), ..report })
        };
        assert_eq!(of(None, vec![score("h1", 1, 2), score("h2", 2, 0)]), Ok(()));
        assert_eq!(of(Some("overtime"), vec![score("regulation", 2, 2), score("p1", 2, 0)]), Ok(()));
        for (ended, scores) in [
            (None, vec![score("h1", 4, 0)]),
            (None, vec![score("h1", 2, 0), score("h2", 2, 0)]),
            (None, vec![score("q1", 1, 1), score("q2", 1, 0), score("h1", 1, 1)]),
            (Some("overtime"), vec![score("regulation", 3, 3)]),
            (Some("overtime"), vec![score("regulation", 2, 2), score("p1", 3, 0)]),
            (Some("regulation"), vec![score("regulation", 2, 2)]),
        ] {
            assert!(of(ended, scores.clone()).is_err(), "{scores:?}");
        }
    }

    #[test]
    fn least_lengths_are_those_of_the_sports() {
        let event = |league: &str| {
            let sport = league.split('_').next().unwrap();
            Event { sport: sport.into(), league: league.into(), ..Event::default() }
        };
        for (league, minutes) in
            [("boxing_boxing", 0), ("mma_ufc", 0), ("tennis_atp", 0), ("soccer_epl", 95), ("kabaddi_pro", 60)]
        {
            assert_eq!(least_length(&event(league)), minutes * MINUTE, "{league}");
        }
        assert_eq!(least_length(&event("soccer_simulated_short")), 0);
    }
}
