//! What an arb window came to: what each of its legs paid by the result of its event, and what all stakes together returned.
//!
//! It never guesses: where a result does not say what became of a leg, the window is not settled.

use arb_engine::venues::Draws;
use arb_model::{
    Bet, Event, Family, GradeState, LegReturn, Market, OpenedLeg, OpenedWindow, Outcome, Side, Time,
    WindowGrade,
};
use arb_picks::settlement::{Basis, DrawRule, EventResult, Settlement, settle};
use arb_schemas::records::{ResultReport, StateOpenedWindow};

use crate::clauses::Clauses;
use crate::grading::{agreed, points, result_of};

/// The grading that a report adds to a window; `None` where it changes nothing.
#[must_use]
pub fn grade(clauses: &Clauses, saved: &StateOpenedWindow, report: &ResultReport) -> Option<WindowGrade> {
    let last = saved.grade.as_ref();
    let next = of_report(clauses, saved, last.map_or(1, |last| last.version + 1), report)?;
    let is_same = |last: &WindowGrade| {
        (&last.state, &last.legs, last.home, last.away) == (&next.state, &next.legs, next.home, next.away)
    };
    // A window that was never graded is open without saying so.
    let is_known = last.map_or(!next.is_settled(), is_same);
    (!is_known).then_some(next)
}

fn of_report(
    clauses: &Clauses,
    saved: &StateOpenedWindow,
    version: i64,
    report: &ResultReport,
) -> Option<WindowGrade> {
    let window = &saved.window;
    let result = result_of(&window.event, saved.starts_at, report)?;
    let open = WindowGrade {
        version,
        state: GradeState::Withdrawn.into(),
        source: report.source.clone(),
        at: Time(report.at),
        ..WindowGrade::default()
    };
    let placed = placed(window)?;
    let draws = draw_rules(&placed, &window.event);
    let readings = |(bet, leg): &Placed<'_>| clauses.readings(&window.event, bet, draws, &leg.book);
    let paid = |leg: &Placed<'_>| leg_return(leg, &readings(leg), &result);
    let Some(legs) = placed.iter().map(paid).collect::<Option<Vec<_>>>() else { return Some(open) };
    let basis = placed.first().and_then(|leg| Some(readings(leg).first()?.1));
    let score = basis.and_then(|basis| result.score(window.period.known()?, basis));
    Some(WindowGrade {
        state: GradeState::Settled.into(),
        returned: Some(legs.iter().map(|leg| leg.returned).sum()),
        legs,
        home: score.and_then(|score| points(score.home)),
        away: score.and_then(|score| points(score.away)),
        ..open
    })
}

/// A leg and the bet that it is.
type Placed<'a> = (Bet, &'a OpenedLeg);

/// The legs of a window; `None` where it has none, or one is no bet.
pub(crate) fn placed(window: &OpenedWindow) -> Option<Vec<Placed<'_>>> {
    let market = Market { family: window.market.known()?, period: window.period.known()? };
    let line = window.line.map(|line| line.0);
    let bet = |leg: &OpenedLeg| Bet::new(market, leg.outcome.known()?, leg.side.known()?, line);
    let legs: Vec<_> = window.legs.iter().map(|leg| Some((bet(leg)?, leg))).collect::<Option<_>>()?;
    (!legs.is_empty()).then_some(legs)
}

/// What a leg paid; `None` while the event is not over, and where it is not known by which clause the leg is settled.
fn leg_return(
    (bet, leg): &Placed<'_>,
    readings: &[(DrawRule, Basis)],
    result: &EventResult,
) -> Option<LegReturn> {
    let backed = agreed(readings, |reading| settle(bet, reading, result))?;
    let settlement = if bet.side() == Side::Lay { laid(backed) } else { backed };
    // A lay pays as a back of the opposite.
    let profit = settlement.profit(Side::Back, 1.0 / leg.implied_probability);
    Some(LegReturn { settlement: settlement.key().to_owned(), returned: leg.stake_share * (1.0 + profit) })
}

/// What a draw may do to bets on the winner. A leg on the draw makes it an outcome; home and away cover a market only if it refunds. Legs
/// on one outcome alone, backed and laid, do not say, but where play goes on until there is a winner: there the draw is of another market.
fn draw_rules(legs: &[Placed<'_>], event: &Event) -> &'static [DrawRule] {
    let has = |outcome| legs.iter().any(|(bet, _)| bet.outcome() == outcome);
    let goes_on = |(bet, _): &Placed<'_>| {
        let Market { family, period } = bet.market();
        family == Family::H2h && Draws::of(&event.league, period) == Draws::Never
    };
    if has(Outcome::Draw) {
        &[DrawRule::Outcome]
    } else if (has(Outcome::Home) && has(Outcome::Away)) || legs.iter().all(goes_on) {
        &[DrawRule::Refund]
    } else {
        &[DrawRule::Outcome, DrawRule::Refund]
    }
}

/// The settlement of a lay, by that of the bet that was laid.
fn laid(backed: Settlement) -> Settlement {
    match backed {
        Settlement::Won => Settlement::Lost,
        Settlement::HalfWon => Settlement::HalfLost,
        Settlement::HalfLost => Settlement::HalfWon,
        Settlement::Lost => Settlement::Won,
        Settlement::Push | Settlement::Void => backed,
    }
}

#[cfg(test)]
mod tests;
