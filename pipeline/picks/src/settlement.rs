//! Settlement: what a bet is worth, from the result of its event.
//!
//! Rules: a bet on a total or a handicap wins, loses, or is a push when the score meets the line. A quarter line (x.25, x.75) is two bets of half the
//! stake on the lines beside it. A draw loses a three-way winner bet, and is a push for a two-way one and for "draw no bet". A cancelled or
//! abandoned event is void, except for periods that were completed. A bet whose period has no score is not settled: a postponed event
//! waits for its new start, and a result that does not say what a bet needs decides nothing. A bet on the whole event is settled by the score of
//! its book's clause ([`Basis`]): that after regulation, or the final one with overtime.
//!
//! It never reads a price to decide who won, and never settles a bet from a score of another period.

use arb_model::{Bet, Ending, EventStatus, Family, Line, Outcome, Period, Side};

/// A quarter of a point, in thousandths.
const QUARTER: Line = 250;

/// The points of both sides in one period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Score {
    /// Of the home side.
    pub home: u32,
    /// Of the away side.
    pub away: u32,
}

/// Which score of the whole event a bet is settled by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Basis {
    /// That after regulation; overtime does not count.
    Regulation,
    /// The final one, with overtime and a shootout where they were played.
    Final,
}

/// The result of an event as one source reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventResult {
    /// How far it is.
    pub status: EventStatus,
    /// Final scores of periods, each period at most once; that of the whole event has everything that was played.
    pub scores: Vec<(Period, Score)>,
    /// The score after regulation, where the source says it.
    pub regulation: Option<Score>,
    /// How the event ended, where the source says it.
    pub ended: Option<Ending>,
}

impl EventResult {
    /// Of an event that was over after regulation.
    #[must_use]
    pub fn regular(scores: Vec<(Period, Score)>) -> Self {
        Self { status: EventStatus::Finished, scores, regulation: None, ended: Some(Ending::Regulation) }
    }

    /// The score that settles a bet on a period; `None` where none is known, and of an event that one side gave up.
    #[must_use]
    pub fn score(&self, period: Period, basis: Basis) -> Option<Score> {
        let of = |period| self.scores.iter().find(|(of, _)| *of == period).map(|(_, score)| *score);
        match (period, basis, self.ended) {
            // Whether overtime belongs to the second half differs from book to book.
            (Period::FullTime, _, Some(Ending::Retired))
            | (Period::H2, _, Some(Ending::Overtime | Ending::Shootout) | None) => None,
            (Period::FullTime, Basis::Regulation, Some(Ending::Regulation)) => {
                self.regulation.or_else(|| of(Period::FullTime))
            }
            (Period::FullTime, Basis::Regulation, _) => self.regulation,
            (period, _, _) => of(period),
        }
    }
}

/// What a draw is to a bet on the winner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DrawRule {
    /// The draw is an outcome of the market: other bets lose.
    Outcome,
    /// The market has two outcomes: stakes are refunded.
    Refund,
}

/// What became of a bet, for the one who backs the outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settlement {
    /// The stake wins.
    Won,
    /// Half of the stake wins, half is refunded.
    HalfWon,
    /// The score is the line: the stake is refunded.
    Push,
    /// Half of the stake is lost, half is refunded.
    HalfLost,
    /// The stake is lost.
    Lost,
    /// The bet does not count: the stake is refunded.
    Void,
}

impl Settlement {
    /// Its name in files and answers.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Won => "won",
            Self::HalfWon => "half_won",
            Self::Push => "push",
            Self::HalfLost => "half_lost",
            Self::Lost => "lost",
            Self::Void => "void",
        }
    }

    /// The profit of a bettor at decimal odds, per unit of the backer's stake. A bettor who lays pays what the backer wins, and keeps what the backer loses.
    #[must_use]
    pub fn profit(self, side: Side, odds: f64) -> f64 {
        let gain = odds - 1.0;
        let backer = match self {
            Self::Won => gain,
            Self::HalfWon => gain / 2.0,
            Self::Push | Self::Void => 0.0,
            Self::HalfLost => -0.5,
            Self::Lost => -1.0,
        };
        match side {
            Side::Back => backer,
            Side::Lay => -backer,
        }
    }
}

/// What the result makes of the bet by a clause; `None` while it is not decided, and where the result does not say what the clause needs.
///
/// ```
/// use arb_model::{Bet, Market, Outcome, Period, Side};
/// use arb_picks::settlement::{settle, Basis, DrawRule, EventResult, Score, Settlement};
///
/// let spreads = Market::parse("spreads").unwrap();
/// let bet = Bet::new(spreads, Outcome::Home, Side::Back, Some(-750)).unwrap();
/// let scores = vec![(Period::FullTime, Score { home: 2, away: 1 })];
/// let result = EventResult::regular(scores);
/// assert_eq!(settle(&bet, (DrawRule::Outcome, Basis::Regulation), &result), Some(Settlement::HalfWon), "-0.5 wins, -1 is a push");
/// ```
#[must_use]
pub fn settle(bet: &Bet, (draw, basis): (DrawRule, Basis), result: &EventResult) -> Option<Settlement> {
    let score = result.score(bet.market().period, basis);
    match (result.status, score) {
        (EventStatus::Cancelled | EventStatus::Walkover, _) | (EventStatus::Abandoned, None) => {
            Some(Settlement::Void)
        }
        (EventStatus::InProgress | EventStatus::Postponed, _) | (EventStatus::Finished, None) => None,
        (EventStatus::Finished, Some(score)) => Some(by_score(bet, draw, score)),
        // The whole event has no final score when it was broken off, whatever a source sends.
        (EventStatus::Abandoned, Some(score)) => Some(match bet.market().period {
            Period::FullTime => Settlement::Void,
            _ => by_score(bet, draw, score),
        }),
    }
}

fn by_score(bet: &Bet, draw: DrawRule, score: Score) -> Settlement {
    let (home, away) = (i64::from(score.home), i64::from(score.away));
    let lead = home - away;
    match (bet.market().family, bet.line()) {
        (Family::Totals, Some(line)) => on_line(bet.outcome(), home + away, -i64::from(line)),
        (Family::Spreads, Some(line)) => on_line(bet.outcome(), lead, i64::from(line)),
        (Family::H2h, _) => winner(bet.outcome(), draw, lead),
        (Family::H2h3Way, _) => winner(bet.outcome(), DrawRule::Outcome, lead),
        // `Bet` has a line where one is needed, so that the last two are never taken.
        (Family::DrawNoBet | Family::Totals | Family::Spreads, _) => {
            winner(bet.outcome(), DrawRule::Refund, lead)
        }
    }
}

fn winner(outcome: Outcome, draw: DrawRule, lead: i64) -> Settlement {
    let won = match outcome {
        Outcome::Home | Outcome::Over => lead > 0,
        Outcome::Draw => lead == 0,
        Outcome::Away | Outcome::Under => lead < 0,
    };
    match (won, lead == 0, draw) {
        (true, _, _) => Settlement::Won,
        (false, true, DrawRule::Refund) => Settlement::Push,
        (false, _, _) => Settlement::Lost,
    }
}

/// The halves of a stake on points plus a line, which is in thousandths.
fn on_line(outcome: Outcome, points: i64, line: i64) -> Settlement {
    let quarter = i64::from(QUARTER);
    // A line that lies midway between two of half points is two bets.
    let halves =
        if line.rem_euclid(2 * quarter) == quarter { [line - quarter, line + quarter] } else { [line, line] };
    let sign = match outcome {
        Outcome::Home | Outcome::Over | Outcome::Draw => 1,
        Outcome::Away | Outcome::Under => -1,
    };
    let sum: i64 = halves.iter().map(|line| (sign * (points * 1_000 + line)).signum()).sum();
    match sum {
        2 => Settlement::Won,
        1 => Settlement::HalfWon,
        0 => Settlement::Push,
        -1 => Settlement::HalfLost,
        _ => Settlement::Lost,
    }
}

#[cfg(test)]
mod tests;
