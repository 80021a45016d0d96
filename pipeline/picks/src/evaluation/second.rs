//! The second versions of `consensus`, `sharp` and `model` over the judging seasons: at the best price of a named book that passes the gate,
//! judged by medians of the other books.
//!
//! They are no trials: they were written after these seasons had been read. Each named book is an operator of its own, and all of a row counts as
//! confirmed. It never takes a price that the live bots would not.

use arb_engine::arbs::{CONSENSUS, OUTLIER};
use arb_engine::odds::{MiddleRank, median_of_operators};

use super::{Judged, Run, SHARP_BOOK};
use crate::bots::{self, Bot, is_plausible};
use crate::history::{Match, Three};
use crate::record::{GradedBet, Summary};

/// `consensus` asks for so many other books.
const CONSENSUS_BOOKS: usize = 4;

/// All of them.
pub(super) fn runs(judging: &[Judged<'_>]) -> Vec<Run> {
    let run = |bot: Bot, bet: fn(&Judged<'_>) -> Option<GradedBet>| {
        let bets: Vec<_> = judging.iter().filter_map(bet).collect();
        Run { name: format!("{} 2, best named book", bot.key()), summary: Summary::of(&bets) }
    };
    vec![run(Bot::Consensus, consensus), run(Bot::Sharp, sharp), run(Bot::Model, model)]
}

fn consensus(judged: &Judged<'_>) -> Option<GradedBet> {
    let highest = Highest::plausible(judged.found, Bot::Consensus)?;
    let pick =
        bots::consensus(&highest.others, &highest.odds).filter(|_| highest.books >= CONSENSUS_BOOKS)?;
    judged.graded(&pick)
}

fn sharp(judged: &Judged<'_>) -> Option<GradedBet> {
    let found = judged.found;
    let own = found.books.iter().position(|(name, _)| *name == SHARP_BOOK)?;
    if !(0..3).all(|outcome| is_eligible(found, own, outcome)) {
        return None;
    }
    let best = |outcome| best_of(found, Bot::Sharp, outcome, Some(own)).map(|(_, odds)| odds);
    judged.graded(&bots::sharp(&judged.fair, &[best(0)?, best(1)?, best(2)?])?)
}

fn model(judged: &Judged<'_>) -> Option<GradedBet> {
    let found = judged.found;
    let highest = Highest::plausible(found, Bot::Model)?;
    let is_opinion = |at: &usize| (0..3).all(|outcome| is_eligible(found, *at, outcome));
    let books: Vec<_> = (0..found.books.len()).filter(is_opinion).map(|at| found.books[at].1).collect();
    judged.graded(&bots::model(&crate::model::forecast(&books)?.probabilities, &highest.odds)?)
}

/// The highest prices that a bot may bet at, beside the medians of the other books.
struct Highest {
    others: Three,
    odds: Three,
    /// The least number of other books.
    books: usize,
}

impl Highest {
    fn plausible(found: &Match, bot: Bot) -> Option<Self> {
        let of = |outcome| {
            let (own, odds) = best_of(found, bot, outcome, None)?;
            let (median, books) = others(found, own, outcome, |odds| odds)?;
            Some((median, odds, books))
        };
        let all = [of(0)?, of(1)?, of(2)?];
        let (others, odds) = (all.map(|(median, ..)| median), all.map(|(_, odds, _)| odds));
        let books = all.iter().map(|(.., books)| *books).min()?;
        is_plausible(&others, &odds).then_some(Self { others, odds, books })
    }
}

/// The highest price of an outcome that a bot may bet at, with its book; of equal ones the first.
fn best_of(found: &Match, bot: Bot, outcome: usize, except: Option<usize>) -> Option<(usize, f64)> {
    let odds = |at: usize| found.books[at].1[outcome].decimal();
    let may_bet =
        |at: &usize| Some(*at) != except && odds(*at) <= bot.most_odds() && is_eligible(found, *at, outcome);
    let places = (0..found.books.len()).filter(may_bet);
    places.map(|at| (at, odds(at))).reduce(|best, next| if next.1 > best.1 { next } else { best })
}

/// Whether a price is plausible against the other books, as a leg of a window.
fn is_eligible(found: &Match, own: usize, outcome: usize) -> bool {
    let chance = 1.0 / found.books[own].1[outcome].decimal();
    let others = others(found, own, outcome, |odds| 1.0 / odds);
    others.is_some_and(|(median, books)| books >= CONSENSUS && median - chance < OUTLIER)
}

/// The upper median of what the other books' prices of an outcome are worth, and how many they are.
fn others(found: &Match, own: usize, outcome: usize, worth: impl Fn(f64) -> f64) -> Option<(f64, usize)> {
    let of =
        |(at, (_, prices)): (usize, &(&str, Three<arb_model::Price>))| (at, worth(prices[outcome].decimal()));
    let mut opinions: Vec<_> = found.books.iter().enumerate().filter(|(at, _)| *at != own).map(of).collect();
    median_of_operators(&mut opinions, MiddleRank::Upper)
}
