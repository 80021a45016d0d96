//! What an arb window came to: what each of its legs paid by the result of its event, and what all stakes together returned.
//!
//! It never guesses: where a result does not say what became of a leg, the window has no grade.

use arb_model::{Bet, Outcome, Side};
use arb_picks::settlement::{DrawRule, EventResult, Settlement, settle};
use arb_schemas::records::ResultReport;

use crate::grading::result_of;

/// A leg of a window as it opened.
#[derive(Debug, Clone, PartialEq)]
pub struct GradedLeg {
    /// The bet.
    pub bet: Bet,
    /// Decimal odds after fees; of a lay those of backing that it does not happen.
    pub odds: f64,
    /// Its part of the total stake; of a lay the part that its liability is.
    pub share: f64,
}

/// What became of a leg.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LegGrade {
    /// For the one who has placed it: a lay of what has lost is won.
    pub settlement: Settlement,
    /// What it paid, as a part of the total stake.
    pub returned: f64,
}

/// What became of a window whose legs were all placed.
#[derive(Debug, Clone, PartialEq)]
pub struct WindowGrade {
    /// Its legs, in their order.
    pub legs: Vec<LegGrade>,
    /// What they returned together, per unit of the total stake.
    pub returned: f64,
    /// Points of both sides, where the period has a score.
    pub score: Option<(u32, u32)>,
}

/// Grades a window by the newest report on its event; `None` while the event is not over, and where it is not known what a draw does to a leg.
#[must_use]
pub fn grade(legs: &[GradedLeg], report: &ResultReport) -> Option<WindowGrade> {
    let result = result_of(report)?;
    let mut grades = draw_rules(legs).iter().map(|draw| grade_by(legs, *draw, &result));
    let first = grades.next()??;
    grades.all(|other| other.as_ref() == Some(&first)).then_some(first)
}

fn grade_by(legs: &[GradedLeg], draw: DrawRule, result: &EventResult) -> Option<WindowGrade> {
    let period = legs.first()?.bet.market().period;
    let legs: Vec<_> = legs.iter().map(|leg| leg_grade(leg, draw, result)).collect::<Option<_>>()?;
    let returned = legs.iter().map(|leg| leg.returned).sum();
    let score = result.score(period).map(|score| (score.home, score.away));
    Some(WindowGrade { legs, returned, score })
}

fn leg_grade(leg: &GradedLeg, draw: DrawRule, result: &EventResult) -> Option<LegGrade> {
    let backed = settle(&leg.bet, draw, result)?;
    let settlement = if leg.bet.side() == Side::Lay { laid(backed) } else { backed };
    Some(LegGrade { settlement, returned: leg.share * (1.0 + settlement.profit(Side::Back, leg.odds)) })
}

/// What a draw may do to bets on the winner. A leg on the draw makes it an outcome; home and away cover a market only if it refunds. Legs
/// on one outcome alone, backed and laid, do not say.
fn draw_rules(legs: &[GradedLeg]) -> &'static [DrawRule] {
    let has = |outcome| legs.iter().any(|leg| leg.bet.outcome() == outcome);
    if has(Outcome::Draw) {
        &[DrawRule::Outcome]
    } else if has(Outcome::Home) && has(Outcome::Away) {
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
