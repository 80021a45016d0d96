//! Bots and their records. It never computes a statistic.

use arb_model::{FeedKind, view};
use arb_picks::record::{Decile, EquityPoint, Mean, Scores};

view! {
    /// All bots.
    pub(crate) struct BotList<'a> {
        bots: Vec<ListedBot<'a>>,
    }
}

view! {
    /// A bot, its records in short.
    pub(crate) struct ListedBot<'a> {
        bot: &'static str,
        version: u32,
        rule: &'static str,
        records: Vec<ShortRecord<'a>>,
    }
}

view! {
    /// A bot.
    pub(crate) struct BotView<'a> => "Bot" {
        bot: &'static str,
        version: u32,
        rule: &'static str,
        records: Vec<WholeRecord<'a>>,
    }
}

view! {
    /// What came of the picks of one bot, version and feed.
    pub(crate) struct ShortRecord<'a> => "BotRecordShort" {
        version: i64,
        feed: &'a str [Keys(FeedKind::KEYS)],
        picks: usize,
        open: usize,
        without_result: usize,
        #[serde(flatten)]
        profit: ReturnView,
        /// What the evidence allows.
        sentence: String,
    }
}

view! {
    /// The same with all statistics.
    pub(crate) struct WholeRecord<'a> => "BotRecord" {
        #[serde(flatten)]
        short: ShortRecord<'a>,
        /// The return of the bets that nothing has refuted since.
        undisputed: ReturnView,
        /// 95 % of the mean profit by match day; null below ten match days.
        interval: Option<[f64; 2]>,
        closing_line_value: MeanView,
        /// Whether bets were still on offer after publishing, at their price or a better one.
        on_offer: OnOfferView,
        scores: ScoringView,
        /// Of the closing prices over the same bets.
        closing_scores: ScoringView,
        calibration: Vec<DecileView>,
        drawdown: f64,
        leagues: Vec<LeagueRecord<'a>>,
        months: Vec<MonthRecord<'a>>,
        equity: Vec<EquityView>,
    }
}

view! {
    /// What bets returned.
    pub(crate) struct ReturnView {
        bets: usize,
        /// Mean profit per unit staked.
        #[serde(rename = "return")]
        profit: Option<f64>,
        standard_error: Option<f64>,
    }
}

view! {
    /// A mean of bets.
    pub(crate) struct MeanView {
        bets: usize,
        mean: Option<f64>,
        standard_error: Option<f64>,
    }
}

view! {
    /// At the first poll after publishing, and after a minute.
    pub(crate) struct OnOfferView {
        after_poll: ShareView,
        after_minute: ShareView,
    }
}

view! {
    /// A part of bets.
    pub(crate) struct ShareView {
        /// For which it was observed.
        bets: usize,
        /// The part of them that was still on offer.
        share: Option<f64>,
        standard_error: Option<f64>,
    }
}

view! {
    /// How good probabilities were.
    pub(crate) struct ScoringView {
        bets: usize,
        brier: Option<f64>,
        log: Option<f64>,
    }
}

view! {
    /// A tenth of the probabilities that has bets: the mean that was stated, and the part that won.
    pub(crate) struct DecileView {
        stated: f64,
        won: f64,
        bets: usize,
    }
}

view! {
    /// Of one league.
    pub(crate) struct LeagueRecord<'a> {
        league: &'a str,
        #[serde(flatten)]
        profit: ReturnView,
    }
}

view! {
    /// Of one month.
    pub(crate) struct MonthRecord<'a> {
        month: &'a str,
        #[serde(flatten)]
        profit: ReturnView,
    }
}

view! {
    /// After so many bets.
    pub(crate) struct EquityView {
        bets: usize,
        /// The sum of profits, in units.
        profit: f64,
        /// The sum less and plus 1.96 standard errors; null below ten match days.
        interval: Option<[f64; 2]>,
    }
}

/// The number of bets, the mean and its standard error; what is not available is null.
fn known(of: &Mean) -> (usize, Option<f64>, Option<f64>) {
    (of.count, (of.count > 0).then_some(of.mean), of.standard_error.is_finite().then_some(of.standard_error))
}

impl From<&Mean> for ReturnView {
    fn from(of: &Mean) -> Self {
        let (bets, profit, standard_error) = known(of);
        Self { bets, profit, standard_error }
    }
}

impl From<&Mean> for MeanView {
    fn from(of: &Mean) -> Self {
        let (bets, mean, standard_error) = known(of);
        Self { bets, mean, standard_error }
    }
}

impl From<&Mean> for ShareView {
    fn from(of: &Mean) -> Self {
        let (bets, share, standard_error) = known(of);
        Self { bets, share, standard_error }
    }
}

impl From<&Scores> for ScoringView {
    fn from(scores: &Scores) -> Self {
        let known = |score: f64| (scores.count > 0).then_some(score);
        Self { bets: scores.count, brier: known(scores.brier), log: known(scores.log) }
    }
}

impl From<&Decile> for DecileView {
    fn from(decile: &Decile) -> Self {
        Self { stated: decile.stated, won: decile.won, bets: decile.count }
    }
}

impl From<&EquityPoint> for EquityView {
    fn from(point: &EquityPoint) -> Self {
        let EquityPoint { bets, profit, interval } = *point;
        Self { bets, profit, interval: interval.map(<[f64; 2]>::from) }
    }
}
