//! The bots over the matches of football-data: regression numbers of published rules, and the trials that were written down beforehand in
//! `docs/bots/hypothesis.md` and `docs/bots/model-hypothesis.md`.
//!
//! It never counts a rule as a trial that is not in those files, and never leaves out a trial that is.

mod backtest;
mod controls;
mod forecasts;
mod report;
mod second;

use std::collections::BTreeMap;

use arb_engine::odds::devig::{Method, fair};
use arb_engine::odds::implied_probability;
use arb_model::{Bet, Market, Outcome, Period, Price, Side};

pub use self::backtest::{Backtest, backtest};
pub use self::forecasts::ForecastScores;
use crate::bots::{self, Pick, are_near, is_plausible, keeps_margin};
use crate::history::{History, Match, Three};
use crate::model::{Forecast, forecast};
use crate::record::{GradedBet, Summary};
use crate::settlement::{Basis, DrawRule, EventResult, Score, Settlement, settle};
use crate::significance::holm;

/// The seasons that judge.
const JUDGING: [u16; 2] = [2017, 2018];
/// The last season of the published study of `consensus`.
const STUDY_UNTIL: u16 = 2015;
/// A league with fewer bets is no trial of its own.
const LEAGUE_BETS: usize = 100;
/// The leagues of Franck, Verbeek and Nüesch, at their highest level.
const TOP_LEAGUES: [&str; 5] = ["England", "France", "Germany", "Italy", "Spain"];
/// The book whose prices are the reference.
const SHARP_BOOK: &str = "pinnacle";
const OUTCOMES: Three<Outcome> = [Outcome::Home, Outcome::Draw, Outcome::Away];

/// Which rows a run of `consensus` takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Selection {
    /// Rows of leagues whose columns before the close hold closing prices, too.
    pub extra_leagues: bool,
    /// Rows alone where each highest price is from 0.99 to 1.6 times its average.
    pub plausible: bool,
}

/// A named run with its statistics.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// What was run.
    pub name: String,
    /// What came of it.
    pub summary: Summary,
}

/// A run that counts as a trial.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial {
    /// The run; the first one is the primary hypothesis.
    pub run: Run,
    /// One-sided p-value of its profit.
    pub p_value: f64,
    /// The same, corrected for all trials by Holm's method.
    pub corrected: f64,
}

/// What [`evaluate`] found.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    /// Matches with goals; rows without.
    pub rows: (usize, usize),
    /// `consensus` at the highest price, seasons up to 2015.
    pub study: Vec<Run>,
    /// Arbs between named books in the five top leagues, by season.
    pub arbs: BTreeMap<u16, usize>,
    /// Trials in the judging seasons.
    pub trials: Vec<Trial>,
    /// How well the model's probabilities fit the judging seasons.
    pub forecasts: ForecastScores,
    /// The second versions in the judging seasons, which are no trials.
    pub second: Vec<Run>,
    /// Negative controls in the judging seasons.
    pub controls: Vec<Run>,
}

/// Runs everything.
#[must_use]
pub fn evaluate(history: &History) -> Evaluation {
    let judging: Vec<_> = history
        .matches
        .iter()
        .filter(|found| JUDGING.contains(&found.season))
        .filter_map(Judged::of)
        .collect();
    Evaluation {
        rows: (history.matches.len(), history.without_goals),
        study: studies(&history.matches),
        arbs: arbs(&history.matches),
        trials: trials(&judging),
        forecasts: ForecastScores::of(history.matches.iter().filter(|found| JUDGING.contains(&found.season))),
        second: second::runs(&judging),
        controls: controls::runs(&judging),
    }
}

/// `consensus` with and without extra leagues, with and without rows whose highest prices are not plausible.
fn studies(matches: &[Match]) -> Vec<Run> {
    let selections = [(true, false), (true, true), (false, false), (false, true)];
    let run = |(extra_leagues, plausible): (bool, bool)| {
        let leagues = if extra_leagues { "all leagues" } else { "without extra leagues" };
        let rows = if plausible { "plausible rows" } else { "all rows" };
        let summary = Summary::of(&study(matches, Selection { extra_leagues, plausible }));
        Run { name: format!("{leagues}, {rows}"), summary }
    };
    selections.into_iter().map(run).collect()
}

/// The bets of `consensus` at the highest price of any book, as the published study made them; seasons up to 2015.
#[must_use]
pub fn study(matches: &[Match], selection: Selection) -> Vec<GradedBet> {
    let bet = |found: &Match| {
        let prices = found.betbrain.or(found.market)?;
        let is_taken = (selection.extra_leagues || found.has_opening_prices)
            && keeps_margin(&prices.average)
            && (!selection.plausible || is_plausible(&prices.average, &prices.highest));
        let pick = is_taken.then(|| bots::consensus(&prices.average, &prices.highest)).flatten()?;
        graded(found, &pick, None)
    };
    matches.iter().filter(|found| found.season <= STUDY_UNTIL).filter_map(bet).collect()
}

/// Matches whose best prices at named books sum to less than 1, by season.
fn arbs(matches: &[Match]) -> BTreeMap<u16, usize> {
    let is_arb = |found: &&Match| {
        let is_top = found.division == "1" && TOP_LEAGUES.contains(&found.league.as_str());
        is_top && found.best_named.is_some_and(|best| implied_probability(&best) < 1.0)
    };
    let mut seasons = BTreeMap::new();
    for found in matches.iter().filter(is_arb) {
        *seasons.entry(found.season).or_default() += 1;
    }
    seasons
}

/// A match of the judging seasons with the prices that the trials need.
struct Judged<'a> {
    found: &'a Match,
    /// Bet365's prices.
    prices: Three,
    /// Pinnacle's prices, and the fair probabilities in them.
    pinnacle: Three,
    fair: Three,
    /// Fair probabilities of Pinnacle's closing prices.
    closing: Option<Three>,
    /// The model's probabilities, where enough books have prices.
    forecast: Option<Forecast>,
}

impl<'a> Judged<'a> {
    fn of(found: &'a Match) -> Option<Self> {
        let (prices, pinnacle) = (found.bet365?.map(Price::decimal), found.pinnacle?);
        let closing = found.pinnacle_closing.and_then(devigged);
        Some(Self {
            found,
            prices,
            pinnacle: pinnacle.map(Price::decimal),
            fair: devigged(pinnacle)?,
            closing,
            forecast: forecast_of(found),
        })
    }

    fn graded(&self, pick: &Pick) -> Option<GradedBet> {
        graded(self.found, pick, self.closing)
    }

    fn sharp(&self) -> Option<GradedBet> {
        self.graded(&bots::sharp(&self.fair, &self.prices)?)
    }

    fn consensus(&self) -> Option<GradedBet> {
        self.graded(&bots::consensus(&self.found.betbrain?.average, &self.prices)?)
    }

    fn model(&self) -> Option<GradedBet> {
        self.graded(&bots::model(&self.forecast?.probabilities, &self.prices)?)
    }

    /// At the highest price of each outcome among the named books but Pinnacle, where those prices are near the mean.
    fn model_at_best(&self) -> Option<GradedBet> {
        let books = &self.found.books;
        let all = |outcome: usize| books.iter().map(move |(name, prices)| (*name, prices[outcome].decimal()));
        let mean = |outcome| all(outcome).map(|(_, odds)| odds).sum::<f64>() / books.len() as f64;
        let best = |outcome| {
            all(outcome).filter(|(name, _)| *name != SHARP_BOOK).map(|(_, odds)| odds).fold(0.0, f64::max)
        };
        let (average, best) = ([0, 1, 2].map(mean), [0, 1, 2].map(best));
        let is_taken = are_near(&average, &best);
        self.graded(&is_taken.then(|| bots::model(&self.forecast?.probabilities, &best))??)
    }
}

fn forecast_of(found: &Match) -> Option<Forecast> {
    let books: Vec<_> = found.books.iter().map(|(_, prices)| *prices).collect();
    forecast(&books)
}

fn devigged(prices: [Price; 3]) -> Option<Three> {
    fair(&prices, Method::Shin)?.probabilities.try_into().ok()
}

/// The trials of the hypothesis files: `sharp`, `consensus`, `sharp` in each league with enough bets, and `model` twice.
fn trials(judging: &[Judged<'_>]) -> Vec<Trial> {
    let run = |name: &str, bets: &[GradedBet]| Run { name: name.to_owned(), summary: Summary::of(bets) };
    let mut leagues: BTreeMap<&str, Vec<GradedBet>> = BTreeMap::new();
    for (judged, bet) in judging.iter().filter_map(|judged| Some((judged, judged.sharp()?))) {
        leagues.entry(&judged.found.league).or_default().push(bet);
    }
    let sharp: Vec<_> = judging.iter().filter_map(Judged::sharp).collect();
    let consensus: Vec<_> = judging.iter().filter_map(Judged::consensus).collect();
    let mut runs = vec![run("sharp 1 (primary)", &sharp), run("consensus 1", &consensus)];
    let large = leagues.iter().filter(|(_, bets)| bets.len() >= LEAGUE_BETS);
    runs.extend(large.map(|(league, bets)| run(&format!("sharp 1, {league}"), bets)));
    let model: Vec<_> = judging.iter().filter_map(Judged::model).collect();
    let model_at_best: Vec<_> = judging.iter().filter_map(Judged::model_at_best).collect();
    runs.extend([run("model 1", &model), run("model 1, best named book", &model_at_best)]);
    trials_of(runs)
}

/// Runs as trials, all of which count.
fn trials_of(runs: Vec<Run>) -> Vec<Trial> {
    let p_values: Vec<_> = runs.iter().map(|run| run.summary.profit.p_value()).collect();
    let corrected = holm(&p_values);
    let trial = |((run, p_value), corrected)| Trial { run, p_value, corrected };
    runs.into_iter().zip(p_values).zip(corrected).map(trial).collect()
}

/// The bet with its profit by the rules of settlement.
fn graded(found: &Match, pick: &Pick, closing: Option<Three>) -> Option<GradedBet> {
    let bet = Bet::new(Market::parse("h2h")?, OUTCOMES[pick.outcome], Side::Back, None)?;
    let score = Score { home: found.goals.0, away: found.goals.1 };
    let result = EventResult::regular(vec![(Period::FullTime, score)]);
    let settlement = settle(&bet, (DrawRule::Outcome, Basis::Regulation), &result)?;
    Some(GradedBet {
        day: found.date.clone(),
        profit: settlement.profit(Side::Back, pick.odds),
        odds: pick.odds,
        probability: pick.probability,
        closing: closing.map(|closing| closing[pick.outcome]),
        won: Some(settlement == Settlement::Won),
    })
}
