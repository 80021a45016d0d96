//! A pick and the newest report on its event as a grading. It never looks at a closing price, nor at what the bot expected.

use arb_model::pick::{NO_RESULT, OPEN};
use arb_model::{Bet, EventStatus, Market, Period, Pick, PickGrade, Side, Time};
use arb_picks::settlement::{DrawRule, EventResult, Score, settle};
use arb_schemas::records::ResultReport;
use arb_schemas::time::Micros;

/// The grading that a report adds to a pick; `None` where it changes nothing.
#[must_use]
pub fn grade(pick: &Pick, report: &ResultReport) -> Option<PickGrade> {
    let next = of_report(pick, report)?;
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

fn of_report(pick: &Pick, report: &ResultReport) -> Option<PickGrade> {
    let market = Market { family: pick.market.known()?, period: pick.period.known()? };
    let bet = Bet::new(market, pick.outcome.known()?, Side::Back, pick.line.map(|line| line.0))?;
    let draw = if pick.draw_refunds { DrawRule::Refund } else { DrawRule::Outcome };
    let result = result_of(report)?;
    let settlement = settle(&bet, draw, &result);
    let score = result.score(market.period).filter(|_| settlement.is_some());
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

/// A report in the terms of settlement.
pub(crate) fn result_of(report: &ResultReport) -> Option<EventResult> {
    let scores = report.scores.iter().filter_map(|score| {
        let (home, away) = (u32::try_from(score.home).ok()?, u32::try_from(score.away).ok()?);
        Some((Period::parse(&score.period)?, Score { home, away }))
    });
    Some(EventResult { status: EventStatus::parse(&report.status)?, scores: scores.collect() })
}

/// Points as records have them.
pub(crate) fn points(points: u32) -> Option<i32> {
    i32::try_from(points).ok()
}

fn next_version(pick: &Pick) -> i64 {
    pick.grade().map_or(1, |last| last.version + 1)
}
