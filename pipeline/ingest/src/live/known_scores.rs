//! What scores say that was not reported before, as reports of results. Pure.
//!
//! A score that has changed is another report; one that has not is none. It never makes up a result: an event without points of both
//! sides has none.

use std::collections::BTreeMap;

use arb_schemas::records::{PeriodScore, ResultReport};
use arb_schemas::time::{Micros, SECOND};

use crate::the_odds_api::scores::EventScore;

/// A score that no answer has named for so long cannot come again: answers go back three days.
const KEPT: Micros = 5 * 86_400 * SECOND;
/// The period of all points.
const WHOLE: &str = "full_time";

/// What was reported last, by sport and event.
#[derive(Debug, Default)]
pub struct KnownScores(BTreeMap<String, BTreeMap<String, Reported>>);

#[derive(Debug)]
struct Reported {
    report: ResultReport,
    /// When an answer named the event last.
    named_at: Micros,
}

impl KnownScores {
    /// What an answer about a sport says that is new. `expected` is the start of an event as it was known so far.
    pub fn news(
        &mut self,
        sport: &str,
        scores: &[EventScore],
        expected: impl Fn(&str) -> Option<Micros>,
        now: Micros,
    ) -> Vec<ResultReport> {
        let known = self.0.entry(sport.to_owned()).or_default();
        let mut news = Vec::new();
        for score in scores {
            let last = known.get_mut(&score.event);
            let status = status(score, last.as_deref(), expected(&score.event), now);
            let Some(status) = status else {
                if let Some(last) = last {
                    last.named_at = now;
                }
                continue;
            };
            let mut report = report(score, status, expected(&score.event), now);
            report.source = format!("the-odds-api/{sport}");
            if let Some(last) = last {
                last.named_at = now;
                // The start that was reported stays known where it is the one that is expected by now.
                let starts_at = report.starts_at.or(last.report.starts_at);
                if said(&last.report) == said(&report) && last.report.starts_at == starts_at {
                    continue;
                }
                // Of two reports the later one counts: this one is the later.
                report.at = report.at.max(last.report.at);
            }
            known.insert(score.event.clone(), Reported { report: report.clone(), named_at: now });
            news.push(report);
        }
        known.retain(|_, last| now.saturating_sub(last.named_at) < KEPT);
        news
    }

    /// Forgets sports: another worker reports what is new of them.
    pub fn forget(&mut self, is_gone: impl Fn(&str) -> bool) {
        self.0.retain(|sport, _| !is_gone(sport));
    }
}

/// What there is to report of an event, whether it is new or not.
fn status(
    score: &EventScore,
    last: Option<&Reported>,
    expected: Option<Micros>,
    now: Micros,
) -> Option<&'static str> {
    let was = last.map(|last| last.report.status.as_str());
    if score.is_completed {
        return score.points.map(|_| "finished");
    }
    if score.starts_at > now && (expected.is_some_and(|start| start <= now) || was == Some("postponed")) {
        return Some("postponed");
    }
    // What was over is not: the result is withdrawn.
    matches!(was, Some("finished" | "in_progress")).then_some("in_progress")
}

/// What a report says, but for the start.
fn said(report: &ResultReport) -> (&str, &[PeriodScore], &str, &str) {
    (&report.status, &report.scores, &report.home, &report.away)
}

fn report(score: &EventScore, status: &str, expected: Option<Micros>, now: Micros) -> ResultReport {
    let is_final = status == "finished";
    let points = score.points.filter(|_| is_final);
    let is_moved = expected.is_some_and(|start| start != score.starts_at) || status == "postponed";
    ResultReport {
        event: score.event.clone(),
        status: status.to_owned(),
        scores: points
            .map(|(home, away)| PeriodScore { period: WHOLE.to_owned(), home, away })
            .into_iter()
            .collect(),
        starts_at: is_moved.then_some(score.starts_at),
        source: String::new(),
        // When the points were confirmed: a report that is made again after a restart is the same. They were not before the start.
        at: score.updated_at.filter(|at| is_final && (score.starts_at..=now).contains(at)).unwrap_or(now),
        home: score.home.clone(),
        away: score.away.clone(),
        ended: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EPL: &str = "soccer_epl";
    const MINUTE: Micros = 60 * SECOND;

    fn over(home: i32, away: i32) -> EventScore {
        EventScore {
            event: "e".to_owned(),
            starts_at: 0,
            is_completed: true,
            points: Some((home, away)),
            home: "H".to_owned(),
            away: "A".to_owned(),
            updated_at: Some(100 * MINUTE),
        }
    }

    /// Status, points, and time in minutes.
    type Reports = Vec<(String, Option<(i32, i32)>, Micros)>;

    /// What is new.
    fn told(known: &mut KnownScores, score: &EventScore, now: Micros) -> Reports {
        let news = known.news(EPL, std::slice::from_ref(score), |_| Some(0), now);
        let points = |report: &ResultReport| report.scores.first().map(|score| (score.home, score.away));
        news.iter().map(|report| (report.status.clone(), points(report), report.at / MINUTE)).collect()
    }

    fn one(status: &str, points: Option<(i32, i32)>, minute: i64) -> Reports {
        vec![(status.to_owned(), points, minute)]
    }

    #[test]
    fn a_result_is_reported_once_and_again_when_it_has_changed() {
        let mut known = KnownScores::default();
        let running = EventScore { is_completed: false, ..over(1, 0) };
        assert_eq!(told(&mut known, &running, 60 * MINUTE), [], "points of an event in play are no result");
        assert_eq!(told(&mut known, &over(2, 0), 110 * MINUTE), one("finished", Some((2, 0)), 100));
        assert_eq!(told(&mut known, &over(2, 0), 120 * MINUTE), []);
        let later = EventScore { updated_at: Some(125 * MINUTE), ..over(2, 0) };
        assert_eq!(told(&mut known, &later, 130 * MINUTE), [], "the same points, confirmed again");
        assert_eq!(told(&mut known, &over(2, 1), 140 * MINUTE), one("finished", Some((2, 1)), 100));
        assert_eq!(
            told(&mut known, &running, 150 * MINUTE),
            one("in_progress", None, 150),
            "it is withdrawn"
        );
        assert_eq!(told(&mut known, &running, 160 * MINUTE), []);
        let last = one("finished", Some((2, 1)), 150);
        assert_eq!(told(&mut known, &over(2, 1), 170 * MINUTE), last, "never older than what it replaces");
        known.forget(|sport| sport == EPL);
        assert_eq!(told(&mut known, &over(2, 1), 180 * MINUTE), one("finished", Some((2, 1)), 100));
    }

    #[test]
    fn an_event_that_is_over_without_points_has_no_result() {
        let mut known = KnownScores::default();
        assert_eq!(told(&mut known, &EventScore { points: None, ..over(0, 0) }, MINUTE), []);
    }

    #[test]
    fn a_new_start_is_reported_until_it_is_expected() {
        let mut known = KnownScores::default();
        let moved = EventScore { starts_at: 500 * MINUTE, is_completed: false, points: None, ..over(0, 0) };
        let mut news = |score: &EventScore, expected, now| {
            known.news(EPL, std::slice::from_ref(score), |_| Some(expected), now)
        };
        let first = news(&moved, 0, 90 * MINUTE);
        assert_eq!((first[0].status.as_str(), first[0].starts_at), ("postponed", Some(500 * MINUTE)));
        assert_eq!(news(&moved, 0, 91 * MINUTE), []);
        assert_eq!(news(&moved, 500 * MINUTE, 92 * MINUTE), [], "the settlement machine has taken it in");
        let again = EventScore { starts_at: 900 * MINUTE, ..moved.clone() };
        assert_eq!(news(&again, 500 * MINUTE, 93 * MINUTE)[0].starts_at, Some(900 * MINUTE));
        let played = EventScore { starts_at: 900 * MINUTE, ..over(1, 1) };
        let last = news(&played, 900 * MINUTE, 1_000 * MINUTE);
        assert_eq!((last[0].status.as_str(), last[0].starts_at), ("finished", None));
        assert_eq!(news(&played, 900 * MINUTE, 1_001 * MINUTE).len(), 0);
    }

    #[test]
    fn a_time_that_is_still_to_come_or_before_the_start_is_not_taken() {
        let mut known = KnownScores::default();
        let early = EventScore { starts_at: 101 * MINUTE, event: "early".to_owned(), ..over(1, 0) };
        assert_eq!(told(&mut known, &early, 110 * MINUTE), one("finished", Some((1, 0)), 110));
        assert_eq!(told(&mut known, &over(2, 0), 90 * MINUTE), one("finished", Some((2, 0)), 90));
    }

    #[test]
    fn what_is_not_named_any_more_is_forgotten() {
        let mut known = KnownScores::default();
        told(&mut known, &over(2, 0), 110 * MINUTE);
        known.news(EPL, &[], |_| None, 110 * MINUTE + KEPT);
        assert!(known.0[EPL].is_empty());
    }
}
