//! The bots at one line of an event: the bet that each of them proposes, with its reasons in words.
//!
//! Rules and thresholds are those of `arb_picks::bots`; here they meet books with names. A bet passes a gate: it is eligible (its book is in
//! the table with known rules, its price is plausible against the other operators), confirmed within the interval of its book, and
//! at odds that are not above the bot's bound. It never proposes a bet at a price that nobody
//! can take, such as the highest of the market without its book, and never knows a result.

use std::collections::BTreeSet;

use arb_engine::ListedQuote;
use arb_engine::odds::FairCache;
use arb_engine::odds::devig::Method;
use arb_engine::odds::value::{self, QUARTER};
use arb_model::{EdgeSignal, Family, Line, Market, Outcome, Period, Price, Role, SignalKind};
use arb_picks::bots::{self, Bot};
use arb_picks::model::forecast_from;

use crate::line::{BookRow, LineView, is_without_fee};

/// `consensus` asks for so many other operators with prices on every outcome.
const CONSENSUS_OPERATORS: usize = 4;
/// What the leagues begin with whose matches `model` knows.
const MODEL_LEAGUES: &str = "soccer_";
/// The outcomes that `model` knows, in its order.
const THREE_WAYS: [Outcome; 3] = [Outcome::Home, Outcome::Draw, Outcome::Away];
/// `steam` and `stale` ask for so many operators that moved and have prices on every outcome.
const MOVED_OPERATORS: usize = 2;
/// The markets that bots bet on at prices, in their order.
pub const BET_AT_PRICES: [Market; 2] = [
    Market { family: Family::H2h, period: Period::FullTime },
    Market { family: Family::H2h3Way, period: Period::FullTime },
];
/// The largest stake, as a fraction of the bank.
const MAX_STAKE: f64 = 0.05;

/// A bet that a bot proposes.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposal {
    /// The bot.
    pub bot: Bot,
    /// The market.
    pub market: Market,
    /// Its line.
    pub line: Option<Line>,
    /// What is backed.
    pub outcome: Outcome,
    /// Whether a draw refunds the stake.
    pub draw_refunds: bool,
    /// A book that has the price on offer.
    pub book: String,
    /// Its price.
    pub price: Price,
    /// The probability that the bot takes for fair.
    pub probability: f64,
    /// How it came to it.
    pub method: String,
    /// A quarter of Kelly's fraction of the bank, at most 5 %.
    pub stake: f64,
    /// Why, in words.
    pub reasons: Vec<String>,
}

/// Whether the bots of prices bet on a market: winners of the whole event alone, as they were evaluated.
#[must_use]
pub fn is_bet_at_prices(market: Market) -> bool {
    BET_AT_PRICES.contains(&market)
}

/// What the rules are given beside a line.
#[derive(Debug, Clone, Copy)]
pub struct Given<'a> {
    /// The league of the event.
    pub league: &'a str,
    /// The books whose prices `sharp` takes for fair, the first one that has all outcomes.
    pub sharp_books: &'a [String],
    /// Probabilities that were computed before.
    pub chances: &'a FairCache,
}

/// What the bots of prices propose at a line of an event; those that may not bet are not asked.
#[must_use]
pub fn at_prices(view: &LineView<'_>, given: Given<'_>, may_bet: impl Fn(Bot) -> bool) -> Vec<Proposal> {
    if !is_bet_at_prices(view.market) {
        return Vec::new();
    }
    let mut bots = vec![Bot::Consensus, Bot::Sharp, Bot::Model];
    bots.retain(|bot| may_bet(*bot));
    if bots.is_empty() {
        return Vec::new();
    }
    let asked = |bot| match bot {
        Bot::Consensus => consensus(view, &Highest::plausible(view, bot)?),
        Bot::Sharp => sharp(view, given),
        Bot::Model => model(view, &Highest::plausible(view, bot)?, given),
        Bot::Steam | Bot::Stale => None,
    };
    bots.into_iter().filter_map(asked).collect()
}

/// Whether a bot may bet at a price.
fn may_bet_at(bot: Bot, quote: &ListedQuote) -> bool {
    quote.is_eligible && quote.is_fresh && quote.price.decimal() <= bot.most_odds()
}

/// The highest prices of a line that a bot may bet at, beside what the other operators ask for, one an outcome.
struct Highest<'a> {
    others: Vec<f64>,
    /// The least number of other operators.
    operators: usize,
    quotes: Vec<&'a ListedQuote>,
    odds: Vec<f64>,
}

impl<'a> Highest<'a> {
    /// `None` where an outcome has no price, or they are likely an error.
    fn plausible(view: &LineView<'a>, bot: Bot) -> Option<Self> {
        let quotes = view.best(|quote| may_bet_at(bot, quote))?;
        let of_others = |(at, quote): (usize, &&ListedQuote)| view.price_of_others(at, quote);
        let (others, operators): (Vec<_>, Vec<_>) =
            quotes.iter().enumerate().map(of_others).collect::<Option<Vec<_>>>()?.into_iter().unzip();
        let odds: Vec<_> = quotes.iter().map(|quote| quote.price.decimal()).collect();
        let operators = operators.into_iter().min().unwrap_or_default();
        bots::is_plausible(&others, &odds).then_some(Self { others, operators, quotes, odds })
    }
}

fn consensus(view: &LineView<'_>, highest: &Highest<'_>) -> Option<Proposal> {
    let count = highest.operators;
    if count < CONSENSUS_OPERATORS {
        return None;
    }
    let pick = bots::consensus(&highest.others, &highest.odds)?;
    let (quote, median) = (highest.quotes[pick.outcome], highest.others[pick.outcome]);
    let reasons = vec![
        format!(
            "{} offers {:.3}; the median of {count} other operators or more is {median:.3}.",
            quote.book, pick.odds
        ),
        format!(
            "1 / {median:.3} - 0.05 = {:.4}, and times {:.3} that is {:.4}, above 1.",
            pick.probability,
            pick.odds,
            pick.probability * pick.odds
        ),
    ];
    proposal(Bot::Consensus, view, quote, pick.probability, ("median price of others less 0.05", reasons))
}

fn sharp(view: &LineView<'_>, given: Given<'_>) -> Option<Proposal> {
    let is_sharp = |row: &BookRow<'_>, book: &str| row.book == book && row.is_eligible();
    let fair = |book: &str| view.fair(1, given.chances, |row| is_sharp(row, book));
    let (book, fair) = given.sharp_books.iter().find_map(|book| Some((book, fair(book)?)))?;
    let own = view.operator_of(book)?;
    let best = view.best(|quote| *quote.operator != *own && may_bet_at(Bot::Sharp, quote))?;
    let prices: Vec<_> = best.iter().map(|quote| quote.price.decimal()).collect();
    let pick = bots::sharp(&fair, &prices)?;
    let quote = best[pick.outcome];
    let reasons = vec![
        format!("{} offers {:.3}.", quote.book, pick.odds),
        format!(
            "The prices of {book} without its margin make the probability {:.4}, and times {:.3} that is {:.4}, at least 1.02.",
            pick.probability,
            pick.odds,
            pick.probability * pick.odds
        ),
    ];
    proposal(Bot::Sharp, view, quote, pick.probability, (&format!("Shin's method on {book}"), reasons))
}

/// Silent unless home, draw and away of a match that it knows can be bet on, and four books offer all of them.
fn model(view: &LineView<'_>, highest: &Highest<'_>, given: Given<'_>) -> Option<Proposal> {
    if view.outcomes != THREE_WAYS || !given.league.starts_with(MODEL_LEAGUES) {
        return None;
    }
    let mut operators = BTreeSet::new();
    let is_opinion =
        |row: &BookRow<'_>| row.is_eligible() && operators.insert(row.quotes[0].operator.clone());
    let books: Vec<_> = view.rows().filter(is_opinion).filter_map(|row| row.three()).collect();
    let devigged = |prices: &[Price; 3]| given.chances.chances(prices, Method::Shin);
    let forecast = forecast_from(&books, devigged)?;
    let pick = bots::model(&forecast.probabilities, &highest.odds)?;
    let quote = highest.quotes[pick.outcome];
    let reasons = vec![
        format!(
            "{} offers {:.3}; the prices of {} books without their margins make the probability {:.4}.",
            quote.book, pick.odds, forecast.books, forecast.consensus[pick.outcome]
        ),
        format!(
            "By how they differ and by past matches the model makes it {:.4}, and times {:.3} that is {:.4}, at least 1.02.",
            pick.probability,
            pick.odds,
            pick.probability * pick.odds
        ),
    ];
    let method = format!("trained model on {} books", forecast.books);
    proposal(Bot::Model, view, quote, pick.probability, (&method, reasons))
}

/// The bot that follows a signal.
#[must_use]
pub fn follower(signal: &EdgeSignal) -> Option<Bot> {
    match signal.kind.known()? {
        SignalKind::Steam => Some(Bot::Steam),
        SignalKind::StalePrice => Some(Bot::Stale),
        _ => None,
    }
}

/// What `steam` or `stale` proposes on a signal: winners and totals alone.
#[must_use]
pub fn at_signal(view: &LineView<'_>, signal: &EdgeSignal, chances: &FairCache) -> Option<Proposal> {
    let bot = follower(signal)?;
    if matches!(view.market.family, Family::Spreads) {
        return None;
    }
    let outcome = signal.outcome.as_ref()?.known()?;
    let place = view.outcomes.iter().position(|other| *other == outcome)?;
    let quote = view.offer(&signal.bets.first()?.book, outcome).filter(|quote| is_without_fee(quote))?;
    if !may_bet_at(bot, quote) {
        return None;
    }
    let is_mover = |role: Option<Role>| matches!(role, Some(Role::Leader | Role::Follower));
    let movers = signal.evidence.iter().filter(|quote| is_mover(quote.role.known()));
    let movers: BTreeSet<&str> = movers.map(|quote| &*quote.book).collect();
    let fair = view.fair(MOVED_OPERATORS, chances, |row| movers.contains(row.book))?[place];
    let odds = quote.price.decimal();
    let is_taken = match bot {
        Bot::Steam => bots::steam(signal.strength, signal.confidence, fair, odds),
        _ => bots::stale(signal.confidence, fair, odds),
    };
    if !is_taken {
        return None;
    }
    let moved = format!(
        "{} books, which are {:.0} % of the operators, shortened this outcome together.",
        movers.len(),
        100.0 * signal.confidence
    );
    let pays = format!(
        "{} still offers {odds:.3}, and by the fair probability {fair:.4} of the books that moved that returns {:.4}.",
        quote.book,
        fair * odds
    );
    let method = "Shin's method on the books that moved";
    proposal(bot, view, quote, fair, (method, vec![moved, pays]))
}

fn proposal(
    bot: Bot,
    view: &LineView<'_>,
    quote: &ListedQuote,
    probability: f64,
    (method, reasons): (&str, Vec<String>),
) -> Option<Proposal> {
    let stake = value::kelly(probability, quote.price, QUARTER).min(MAX_STAKE);
    (stake > 0.0).then(|| Proposal {
        bot,
        market: view.market,
        line: view.line,
        outcome: quote.outcome,
        draw_refunds: view.draw_refunds(quote),
        book: quote.book.to_string(),
        price: quote.price,
        probability,
        method: method.to_owned(),
        stake,
        reasons,
    })
}

#[cfg(test)]
mod tests;
