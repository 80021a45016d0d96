//! A pick and the newest report on its event as a grading. Points belong to the names that the report gives them: a report about other names says
//! nothing of the pick. It never looks at a closing price, nor at what the bot expected.

use arb_model::pick::{NO_RESULT, OPEN};
use arb_model::{Bet, Ending, Event, EventStatus, Market, Period, Pick, PickGrade, Side, Time};
use arb_picks::settlement::{DrawRule, EventResult, Score, Settlement, settle};
use arb_schemas::records::{PeriodScore, REGULATION, ResultReport};
use arb_schemas::time::Micros;

use crate::clauses::{self, Clauses};

/// The grading that a report adds to a pick; `None` where it changes nothing.
#[must_use]
pub fn grade(clauses: &Clauses, pick: &Pick, report: &ResultReport) -> Option<PickGrade> {
    let next = of_report(clauses, pick, report)?;
    let is_same = |last: &PickGrade| {
        (&last.settlement, last.home, last.away) == (&next.settlement, next.home, next.away)
    };
    // A pick that was never graded is open without saying so.
    let is_known = pick.grade().map_or(next.settlement == OPEN, is_same);
    (!is_known).then_some(next)
}

/// The grading of a pick for which no result came in time.
#[must_use]
pub fn without_result(pick: &Pick, at: Micros) -> PickGrade {
    PickGrade {
        version: next_version(pick),
        settlement: NO_RESULT.to_owned(),
        at: Time(at),
        ..PickGrade::default()
    }
}

fn of_report(clauses: &Clauses, pick: &Pick, report: &ResultReport) -> Option<PickGrade> {
    let market = Market { family: pick.market.known()?, period: pick.period.known()? };
    let bet = Bet::new(market, pick.outcome.known()?, Side::Back, pick.line.map(|line| line.0))?;
    let draw = if pick.draw_refunds { DrawRule::Refund } else { DrawRule::Outcome };
    let result = result_of(&pick.event, pick.starts_at, report)?;
    let readings = clauses.readings(&pick.event, &bet, &[draw], &pick.book);
    let settlement = agreed(&readings, |reading| settle(&bet, reading, &result));
    let score = readings.first().and_then(|(_, basis)| result.score(market.period, *basis));
    let score = score.filter(|_| settlement.is_some());
    Some(PickGrade {
        version: next_version(pick),
        settlement: settlement.map_or(OPEN, |settlement| settlement.key()).to_owned(),
        profit: settlement.map_or(0.0, |settlement| settlement.profit(Side::Back, pick.price.decimal())),
        home: score.and_then(|score| points(score.home)),
        away: score.and_then(|score| points(score.away)),
        source: report.source.clone(),
        at: Time(report.at),
    })
}

/// What every reading of a clause makes of a bet; `None` where two differ or one is open.
pub(crate) fn agreed<R: Copy>(
    readings: &[R],
    settle: impl Fn(R) -> Option<Settlement>,
) -> Option<Settlement> {
    let first = settle(*readings.first()?)?;
    readings.iter().all(|reading| settle(*reading) == Some(first)).then_some(first)
}

/// What a report says of an event that starts at a time, in the terms of settlement and with the event's sides.
///
/// An event that was played at another time than the one that was bet on is open: what books do then differs.
pub(crate) fn result_of(event: &Event, starts_at: Time, report: &ResultReport) -> Option<EventResult> {
    let status = EventStatus::parse(&report.status)?;
    let said = report.ended.as_deref().map(|ended| Ending::parse(ended).ok_or(())).transpose().ok()?;
    if status.was_played() && !clauses::stands(event.commence_time.0, starts_at.0) {
        return Some(EventResult { status: EventStatus::InProgress, ..EventResult::regular(Vec::new()) });
    }
    let sided = sided(event, report);
    let score = |score: &PeriodScore| {
        let (home, away) = (u32::try_from(score.home).ok()?, u32::try_from(score.away).ok()?);
        Some(Score { home, away })
    };
    let of_period = |found: &PeriodScore| Some((Period::parse(&found.period)?, score(found)?));
    let may_count = |(period, _): &(Period, Score)| {
        *period != Period::FullTime || !clauses::may_have_retired(event, said)
    };
    Some(EventResult {
        status,
        scores: sided.iter().filter_map(of_period).filter(may_count).collect(),
        regulation: sided.iter().find(|found| found.period == REGULATION).and_then(score),
        ended: clauses::ending(event, said),
    })
}

/// The scores of a report with the sides of the event; none where the report is about other names.
fn sided(event: &Event, report: &ResultReport) -> Vec<PeriodScore> {
    let (home, away) = (&*event.home, &*event.away);
    match (&*report.home, &*report.away) {
        named if named == (home, away) && home != away => report.scores.clone(),
        named if named == (away, home) && home != away => {
            report.scores.iter().map(PeriodScore::turned).collect()
        }
        _ => Vec::new(),
    }
}

/// Points as records have them.
pub(crate) fn points(points: u32) -> Option<i32> {
    i32::try_from(points).ok()
}

fn next_version(pick: &Pick) -> i64 {
    pick.grade().map_or(1, |last| last.version + 1)
}
