//! A user's rule over the matches of football-data, in the form of the report on the bots.
//!
//! All seasons count, so a rule that was written after looking at them is judged by what it was made from; the report states that. It leaves out matches whose
//! columns before the close hold closing prices, and never shows a result to a rule.

use std::collections::BTreeMap;

use arb_model::Price;
use fastrand::Rng;

use super::{LEAGUE_BETS, Run, SHARP_BOOK, Trial, devigged, graded, trials_of};
use crate::bots::Pick;
use crate::history::{History, Match, Three};
use crate::record::{GradedBet, Summary};
use crate::rule_file::{BEST, MatchPrices, RuleFile};

/// Seed of the control.
const SEED: u64 = 24;

/// What became of a rule.
#[derive(Debug, Clone, PartialEq)]
pub struct Backtest {
    /// Bot and version.
    pub name: String,
    /// Matches that the rule could look at; rows without goals.
    pub rows: (usize, usize),
    /// The rule over all of them, then in each league with enough bets.
    pub trials: Vec<Trial>,
    /// The rule by season.
    pub seasons: Vec<Run>,
    /// Any outcome of the matches that the rule bet on, at the same prices' book.
    pub control: Run,
    /// Sum of stakes and sum of profits, in banks.
    pub at_its_stakes: (f64, f64),
}

/// Runs the rule over all matches.
#[must_use]
pub fn backtest(rule: &RuleFile, history: &History) -> Backtest {
    let matches: Vec<_> = history.matches.iter().filter(|found| found.has_opening_prices).collect();
    let (mut all, mut control, mut at_its_stakes) = (Vec::new(), Vec::new(), (0.0, 0.0));
    let mut leagues: BTreeMap<&str, Vec<GradedBet>> = BTreeMap::new();
    let mut seasons: BTreeMap<u16, Vec<GradedBet>> = BTreeMap::new();
    let mut rng = Rng::with_seed(SEED);
    for found in &matches {
        let prices = MatchPrices { league: &found.league, books: &found.books };
        let Some((bet, stake, random)) = rule.pick(&prices).and_then(|taken| {
            let closing = reference(rule, found, &taken.pick);
            let drawn = random_pick(rule, found, &mut rng)?;
            Some((graded(found, &taken.pick, closing)?, taken.stake, graded(found, &drawn, closing)?))
        }) else {
            continue;
        };
        at_its_stakes = (at_its_stakes.0 + stake, at_its_stakes.1 + stake * bet.profit);
        leagues.entry(&found.league).or_default().push(bet.clone());
        seasons.entry(found.season).or_default().push(bet.clone());
        all.push(bet);
        control.push(random);
    }
    let name = format!("{} {}", rule.bot, rule.version);
    let run = |name: String, bets: &[GradedBet]| Run { name, summary: Summary::of(bets) };
    let large = leagues.iter().filter(|(_, bets)| bets.len() >= LEAGUE_BETS);
    let mut runs = vec![run(name.clone(), &all)];
    runs.extend(large.map(|(league, bets)| run(format!("{name}, {league}"), bets)));
    Backtest {
        rows: (matches.len(), history.without_goals),
        trials: trials_of(runs),
        seasons: seasons.iter().map(|(season, bets)| run(format!("{name}, {season}"), bets)).collect(),
        control: run("random".to_owned(), &control),
        name,
        at_its_stakes,
    }
}

/// Fair probabilities at Pinnacle's close; `None` where the bet may be at Pinnacle itself.
fn reference(rule: &RuleFile, found: &Match, pick: &Pick) -> Option<Three> {
    let is_highest = |prices: Three<Price>| prices[pick.outcome].decimal() >= pick.odds;
    let is_own = rule.price == SHARP_BOOK || (rule.price == BEST && found.pinnacle.is_some_and(is_highest));
    if is_own { None } else { devigged(found.pinnacle_closing?) }
}

/// Any outcome at the price of the rule's book.
fn random_pick(rule: &RuleFile, found: &Match, rng: &mut Rng) -> Option<Pick> {
    let (outcome, prices) = (rng.usize(..3), MatchPrices { league: &found.league, books: &found.books });
    let odds = rule.prices(&prices)?[outcome];
    Some(Pick { outcome, odds, probability: rule.probabilities(&prices)?[outcome] })
}
