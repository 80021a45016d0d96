//! A hedge: some bets of an arb are placed, each at its own price and stake, and the others are to be staked at present prices so that the
//! worst that can happen is best, pushes aside.
//!
//! Profit in each way in which the bets can end is linear in the stakes, so the best worst case is at a vertex of what the limits allow:
//! with at most three open stakes all of them are tried, for every choice of the legs that are bet on at all, since a venue takes no bet
//! below its least. Stakes are then rounded to the sizes that venues take, both ways each. No leg is staked with more than the placed bets
//! can return. It never changes a placed bet, and never looks for other books.

use arb_model::{BoardEntry, Leg as BoardLeg};

use crate::market::{Bet, Market, Side};
use crate::odds::Price;
use crate::venues::{Books, Level};

use super::settlement::{Payouts, Settlement};
use super::stakes::{Leg, Stake, choices};

/// Open stakes at most.
const MOST_OPEN: usize = 3;
/// Two amounts that differ by less, in minor units, are equal.
const NOISE: f64 = 1e-6;

/// A bet that is placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlacedBet {
    /// Which leg of the entry, from 0.
    pub leg: usize,
    /// In minor units: of a lay the backer's stake.
    pub stake: i64,
    /// At which price, before fees.
    pub price: Price,
}

/// What to do about the other legs.
#[derive(Debug, Clone, PartialEq)]
pub struct Hedge {
    /// One a leg, the placed ones as they are; 0 is no bet.
    pub stakes: Vec<Stake>,
    /// Each way in which the legs can end, the worst first.
    pub ways: Vec<HedgedWay>,
}

/// One way in which the legs can end.
#[derive(Debug, Clone, PartialEq)]
pub struct HedgedWay {
    /// One a leg.
    pub settlements: Vec<Settlement>,
    /// In minor units, of all stakes together.
    pub profit: f64,
}

/// The best stakes for the other legs of an entry of the board, none where all are placed; fees of a placed bet are those of its book. `None` when a leg
/// is of a kind that this version does not know, nothing is placed, a leg that is placed is none of the entry's or is there twice, the entry has one leg, or
/// more than three are open.
#[must_use]
pub fn hedge(entry: &BoardEntry, books: &Books, placed: &[PlacedBet]) -> Option<Hedge> {
    let mut of_leg = vec![None; entry.legs.len()];
    for bet in placed {
        if of_leg.get_mut(bet.leg)?.replace(bet).is_some() {
            return None;
        }
    }
    let open = of_leg.iter().filter(|bet| bet.is_none()).count();
    if placed.is_empty() || entry.legs.len() < 2 || open > MOST_OPEN {
        return None;
    }
    let market = Market { family: entry.market.known()?, period: entry.period.known()? };
    let line = entry.line.map(|line| line.0);
    let mut legs = Vec::with_capacity(entry.legs.len());
    for (leg, placed) in entry.legs.iter().zip(&of_leg) {
        let side = leg.side.known()?;
        let (effective, price) = match placed {
            Some(placed) => (effective(placed, leg, side, entry, books)?, placed.price),
            None => (leg.effective_price, leg.price),
        };
        let bet = Bet::new(market, leg.outcome.known()?, side, line)?;
        let sizes = &books.get(&leg.book).sizes;
        let limit = leg.limit.map(|limit| limit.0);
        legs.push((
            (bet, effective),
            Leg { share: 0.0, side, price, limit, step: sizes.step, least: sizes.least() },
        ));
    }
    let bets: Vec<_> = legs.iter().map(|(bet, _)| *bet).collect();
    let legs: Vec<_> = legs.into_iter().map(|(_, leg)| leg).collect();
    let payouts = Payouts::at_books(&bets, &levels(entry, market, books));
    // Where all stakes come back, whatever they are, nothing is decided.
    let deciding = payouts.clone().without_refund();
    let placed = legs.iter().zip(&of_leg).map(|(leg, placed)| Some(leg.stake_of((*placed)?.stake)));
    let stakes = stakes(&legs, &deciding, &placed.collect::<Vec<_>>());
    let profits = profits(&payouts, &stakes);
    let settle = |row: &[i64]| {
        row.iter().zip(&bets).map(|(pays, (_, price))| Settlement::that_pays(*pays, *price)).collect()
    };
    let mut ways: Vec<_> = payouts
        .rows()
        .zip(profits)
        .map(|(row, profit)| HedgedWay { settlements: settle(row), profit })
        .collect();
    ways.sort_by(|a, b| a.profit.total_cmp(&b.profit));
    Some(Hedge { stakes, ways })
}

/// The placed bet's price after the fees of its book.
fn effective(
    placed: &PlacedBet,
    leg: &BoardLeg,
    side: Side,
    entry: &BoardEntry,
    books: &Books,
) -> Option<Price> {
    let fee = books.get(&leg.book).fee_in(&entry.event.league, entry.updated_at.0);
    match side {
        Side::Back => fee.back(placed.price),
        Side::Lay => fee.lay(placed.price),
    }
}

/// What a level result may do at the books of the legs, in each way one a leg.
fn levels(entry: &BoardEntry, market: Market, books: &Books) -> Vec<Vec<Level>> {
    let legs = &entry.legs;
    let is_pair = legs.len() == 2 && legs[0].outcome == legs[1].outcome;
    if legs.len() >= 3 || is_pair {
        return vec![vec![Level::Outcome; legs.len()]];
    }
    let of = |leg: &BoardLeg| books.levels(books.get(&leg.book), &entry.event.league, market.period);
    Level::combined(legs.iter().map(of))
}

/// Profit in each way, in minor units.
fn profits(payouts: &Payouts, stakes: &[Stake]) -> Vec<f64> {
    let profit = |pays: f64, stake: &Stake| (pays - 1.0) * stake.risked();
    payouts.ways().map(|row| row.zip(stakes).map(|(pays, stake)| profit(pays, stake)).sum()).collect()
}

/// The best stakes that venues take: over every choice of the legs that are bet on at all, among them those that are placed.
fn stakes(legs: &[Leg], payouts: &Payouts, placed: &[Option<Stake>]) -> Vec<Stake> {
    let mut best: Option<(f64, f64, Vec<Stake>)> = None;
    let has_placed =
        |bet_on: &Vec<bool>| bet_on.iter().zip(placed).all(|(bet_on, placed)| *bet_on || placed.is_none());
    for bet_on in subsets_of(legs.len()).filter(has_placed) {
        let risked = exact(legs, payouts, placed, &bet_on);
        let candidates: Vec<_> = legs
            .iter()
            .enumerate()
            .map(|(at, leg)| match placed[at] {
                Some(placed) => [Some(placed), None],
                None if bet_on[at] => leg.near(risked[at]),
                None => [Some(leg.stake_of(0)), None],
            })
            .collect();
        for chosen in choices(&candidates) {
            let worst = profits(payouts, &chosen).into_iter().fold(f64::INFINITY, f64::min);
            let total: f64 = chosen.iter().map(Stake::risked).sum();
            let is_better = best.as_ref().is_none_or(|(least, most, _)| {
                worst > least + NOISE || (worst > least - NOISE && total < *most)
            });
            if is_better {
                best = Some((worst, total, chosen));
            }
        }
    }
    best.map(|(.., chosen)| chosen).unwrap_or_default()
}

/// Every choice of some of so many.
fn subsets_of(many: usize) -> impl Iterator<Item = Vec<bool>> {
    (0..1_usize << many).map(move |chosen| (0..many).map(|at| chosen >> at & 1 == 1).collect())
}

/// What to risk on each leg, in minor units, as if venues took any amount from their least on: of placed ones and of those that are not bet on 0.
fn exact(legs: &[Leg], payouts: &Payouts, placed: &[Option<Stake>], bet_on: &[bool]) -> Vec<f64> {
    let rows: Vec<Vec<f64>> = payouts.ways().map(Iterator::collect).collect();
    // What the placed bets return in a way, less so many times what they risk.
    let of_placed = |row: &[f64], less: f64| -> f64 {
        let each =
            row.iter().zip(placed).filter_map(|(pays, stake)| Some((pays - less) * (*stake)?.risked()));
        each.sum()
    };
    let most = rows.iter().map(|row| of_placed(row, 0.0)).fold(0.0, f64::max);
    let open: Vec<_> = (0..legs.len()).filter(|leg| placed[*leg].is_none() && bet_on[*leg]).collect();
    // Of the stakes and the worst profit: a sum of coefficients that is at most a number.
    let mut bounds: Vec<(Vec<f64>, f64)> = rows
        .iter()
        .map(|row| {
            let mut coefficients: Vec<_> = open.iter().map(|leg| 1.0 - row[*leg]).collect();
            coefficients.push(1.0);
            (coefficients, of_placed(row, 1.0))
        })
        .collect();
    for (at, leg) in open.iter().enumerate() {
        let alone =
            |value: f64| (0..=open.len()).map(|other| if other == at { value } else { 0.0 }).collect();
        bounds.push((alone(-1.0), -legs[*leg].least_stake().risked()));
        bounds.push((alone(1.0), legs[*leg].limit_risked().map_or(most, |limit| limit.min(most))));
    }
    let best = best_vertex(&bounds, open.len() + 1);
    let of = |leg: usize| open.iter().position(|open| *open == leg).map_or(0.0, |at| best[at].max(0.0));
    (0..legs.len()).map(of).collect()
}

/// The vertex of these bounds whose last coordinate is largest; of equal ones that with the least sum of the others.
fn best_vertex(bounds: &[(Vec<f64>, f64)], size: usize) -> Vec<f64> {
    let mut best = vec![0.0; size];
    best[size - 1] = f64::NEG_INFINITY;
    let others = |point: &[f64]| point[..size - 1].iter().sum::<f64>();
    for chosen in subsets(bounds.len(), size) {
        let tight: Vec<_> = chosen.iter().map(|at| bounds[*at].clone()).collect();
        let Some(point) = solve(tight) else { continue };
        let holds = |(coefficients, most): &(Vec<f64>, f64)| {
            coefficients.iter().zip(&point).map(|(a, x)| a * x).sum::<f64>() <= most + NOISE
        };
        let (value, known) = (point[size - 1], best[size - 1]);
        let is_better =
            value > known + NOISE || (value > known - NOISE && others(&point) < others(&best) - NOISE);
        if is_better && bounds.iter().all(holds) {
            best = point;
        }
    }
    best
}

/// All choices of so many of so many, each in rising order.
fn subsets(of: usize, size: usize) -> Vec<Vec<usize>> {
    let mut chosen = vec![vec![]];
    for _ in 0..size {
        let longer = |one: &Vec<usize>| {
            let one = one.clone();
            (one.last().map_or(0, |last| last + 1)..of).map(move |next| [&one[..], &[next]].concat())
        };
        chosen = chosen.iter().flat_map(longer).collect();
    }
    chosen
}

/// Solves as many equations as there are unknowns, by elimination; `None` when they do not have one solution.
fn solve(mut rows: Vec<(Vec<f64>, f64)>) -> Option<Vec<f64>> {
    let size = rows.len();
    for column in 0..size {
        let largest =
            (column..size).max_by(|a, b| rows[*a].0[column].abs().total_cmp(&rows[*b].0[column].abs()))?;
        rows.swap(column, largest);
        if rows[column].0[column].abs() < 1e-12 {
            return None;
        }
        let (pivot, right) = rows[column].clone();
        for (_, row) in rows.iter_mut().enumerate().filter(|(at, _)| *at != column) {
            let factor = row.0[column] / pivot[column];
            row.0.iter_mut().zip(&pivot).for_each(|(value, of_pivot)| *value -= factor * of_pivot);
            row.1 -= factor * right;
        }
    }
    Some(rows.iter().enumerate().map(|(at, (row, right))| right / row[at]).collect())
}

#[cfg(test)]
mod tests;
