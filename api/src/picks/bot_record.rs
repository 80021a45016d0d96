//! The record of a bot: what came of all its picks, and how far that can be luck. The statistics are those of `arb_picks::record`.
//!
//! A record belongs to a bot, a version and a feed; two of them are never put together. It never leaves out a pick.

use std::collections::BTreeMap;
use std::sync::Arc;

use arb_model::pick::NO_RESULT;
use arb_model::{LaterOffer, Pick, PickGrade};
use arb_picks::dispute::Dispute;
use arb_picks::record::{EquityPoint, GradedBet, Mean, Summary, equity};
use arb_schemas::time::to_date;

use crate::view::{LeagueRecord, MonthRecord, OnOfferView, ShortRecord, WholeRecord};

/// Points of the sum of profits.
const POINTS: usize = 200;

/// What came of the picks of one bot, version and feed.
#[derive(Debug)]
pub(crate) struct BotRecord {
    pub(crate) bot: String,
    pub(crate) version: i64,
    pub(crate) feed: String,
    /// All that were published.
    pub(crate) picks: usize,
    /// Those that wait for a result.
    open: usize,
    /// Those for which none came.
    without_result: usize,
    summary: Summary,
    /// What bets returned that nothing refutes.
    undisputed: Mean,
    equity: Vec<EquityPoint>,
    /// Of the bets for which it was observed, the part that was still on offer: at the first poll after publishing, after a minute.
    on_offer: [Mean; 2],
    leagues: BTreeMap<String, Mean>,
    months: BTreeMap<String, Mean>,
}

impl BotRecord {
    /// Of all picks, by bot, version and feed.
    pub(crate) fn all(picks: &[Arc<Pick>]) -> Vec<Self> {
        let mut of = BTreeMap::<_, Vec<&Pick>>::new();
        for pick in picks {
            of.entry((&pick.bot, pick.version, pick.feed.as_str())).or_default().push(pick);
        }
        of.into_values().filter_map(|picks| Self::of(&picks)).collect()
    }

    fn of(picks: &[&Pick]) -> Option<Self> {
        let first = picks.first()?;
        let is_without = |pick: &&&Pick| pick.grade().is_some_and(|grade| grade.settlement == NO_RESULT);
        let graded = |pick: &&Pick| pick.grade().filter(|grade| is_settled(grade)).cloned();
        let mut settled: Vec<_> = picks.iter().filter_map(|pick| Some((graded(pick)?, *pick))).collect();
        settled.sort_by(|(a, one), (b, other)| (a.at, &one.id).cmp(&(b.at, &other.id)));
        let bets: Vec<_> = settled.iter().map(|(grade, pick)| bet(pick, grade)).collect();
        let by = |name: &dyn Fn(&Pick) -> String| {
            let mut profits = BTreeMap::<_, Vec<f64>>::new();
            for (grade, pick) in &settled {
                profits.entry(name(pick)).or_default().push(grade.profit);
            }
            profits.into_iter().map(|(name, profits)| (name, Mean::of(&profits))).collect()
        };
        Some(Self {
            bot: first.bot.clone(),
            version: first.version,
            feed: first.feed.as_str().to_owned(),
            picks: picks.len(),
            open: picks.iter().filter(|pick| pick.is_open()).count(),
            without_result: picks.iter().filter(is_without).count(),
            summary: Summary::of(&bets),
            undisputed: undisputed(&settled),
            equity: equity(&bets, POINTS),
            on_offer: on_offer(&settled),
            leagues: by(&|pick| pick.event.league.to_string()),
            months: by(&|pick| day(pick).chars().take(7).collect()),
        })
    }

    /// In short, as a list shows it.
    pub(crate) fn short(&self) -> ShortRecord<'_> {
        ShortRecord {
            version: self.version,
            feed: &self.feed,
            picks: self.picks,
            open: self.open,
            without_result: self.without_result,
            profit: (&self.summary.profit).into(),
            sentence: self.summary.sentence(),
        }
    }

    /// All of it.
    pub(crate) fn whole(&self) -> WholeRecord<'_> {
        let summary = &self.summary;
        let [after_poll, after_minute] = self.on_offer.each_ref().map(Into::into);
        let deciles = summary.deciles.iter().filter(|decile| decile.count > 0);
        let leagues = self.leagues.iter().map(|(league, profit)| (league, profit.into()));
        let months = self.months.iter().map(|(month, profit)| (month, profit.into()));
        WholeRecord {
            short: self.short(),
            undisputed: (&self.undisputed).into(),
            interval: summary.interval.map(Into::into),
            closing_line_value: (&summary.closing_value).into(),
            on_offer: OnOfferView { after_poll, after_minute },
            scores: (&summary.scores).into(),
            closing_scores: (&summary.closing_scores).into(),
            calibration: deciles.map(Into::into).collect(),
            drawdown: summary.drawdown,
            leagues: leagues.map(|(league, profit)| LeagueRecord { league, profit }).collect(),
            months: months.map(|(month, profit)| MonthRecord { month, profit }).collect(),
            equity: self.equity.iter().map(Into::into).collect(),
        }
    }
}

/// What those bets returned that no later check refutes.
fn undisputed(settled: &[(PickGrade, &Pick)]) -> Mean {
    let kept = settled.iter().filter(|(_, pick)| Dispute::of(pick).is_none());
    Mean::of(&kept.map(|(grade, _)| grade.profit).collect::<Vec<_>>())
}

/// How many of the bets for which it was observed were still on offer, as the mean of 1 and 0.
fn on_offer(settled: &[(PickGrade, &Pick)]) -> [Mean; 2] {
    let part = |later: &dyn Fn(&Pick) -> Option<&LaterOffer>| {
        let stood = |pick: &Pick| Some(f64::from(u8::from(pick.is_still_on_offer(later(pick)?))));
        Mean::of(&settled.iter().filter_map(|(_, pick)| stood(pick)).collect::<Vec<_>>())
    };
    [part(&|pick| pick.offer_after_poll.as_ref()), part(&|pick| pick.offer_after_minute.as_ref())]
}

fn is_settled(grade: &PickGrade) -> bool {
    grade.settlement != NO_RESULT && grade.settlement != arb_model::pick::OPEN
}

fn bet(pick: &Pick, grade: &PickGrade) -> GradedBet {
    GradedBet {
        day: day(pick),
        profit: grade.profit,
        odds: pick.price.decimal(),
        probability: pick.probability,
        closing: pick.closing.as_ref().map(|closing| closing.probability),
        won: match grade.settlement.as_str() {
            "won" => Some(true),
            "lost" => Some(false),
            _ => None,
        },
    }
}

/// The UTC date of the start.
fn day(pick: &Pick) -> String {
    to_date(pick.starts_at.0)
}

#[cfg(test)]
mod tests {
    use arb_model::{Price, fixtures};

    use serde_json::{Value, json};

    use super::*;

    fn pick(id: &str, settlement: &str, profit: f64) -> Arc<Pick> {
        let grade =
            PickGrade { version: 1, settlement: settlement.to_owned(), profit, ..PickGrade::default() };
        let price = Price::from_decimal("2.1").unwrap();
        Arc::new(Pick { id: id.to_owned(), price, grades: vec![grade], ..fixtures::pick() })
    }

    #[test]
    fn a_record_counts_every_pick() {
        let picks = [
            pick("a", "won", 1.1),
            pick("b", "lost", -1.0),
            pick("c", "push", 0.0),
            pick("d", NO_RESULT, 0.0),
            Arc::new(Pick { id: "e".into(), grades: vec![], ..fixtures::pick() }),
        ];
        let [record] = &BotRecord::all(&picks)[..] else { panic!("one record") };
        let shown = json!(record.whole());
        let of = |name: &str| shown[name].clone();
        assert_eq!(
            (of("picks"), of("open"), of("without_result"), of("bets")),
            (5.into(), 1.into(), 1.into(), 3.into())
        );
        // 1.1 - 1 + 0 over three bets.
        assert!((of("return").as_f64().unwrap() - 0.1 / 3.0).abs() < 1e-12);
        assert_eq!(shown["scores"]["bets"], 2, "a push is not scored");
        assert_eq!(shown["closing_line_value"]["bets"], 3);
        assert_eq!(shown["leagues"][0]["bets"], 3);
        let equity = shown["equity"].as_array().unwrap();
        assert_eq!((equity.len(), &equity[2]["bets"]), (3, &json!(3)));
        assert_eq!((&equity[2]["interval"], of("interval")), (&Value::Null, Value::Null), "of one match day");
        assert_eq!(shown["months"][0]["month"].as_str().map(str::len), Some(7));
        assert!(of("sentence").as_str().unwrap().contains("cannot be told from luck"));
    }

    #[test]
    fn what_is_not_available_is_null() {
        let picks = [Arc::new(Pick { grades: vec![], ..fixtures::pick() })];
        let shown = json!(BotRecord::all(&picks)[0].whole());
        for name in ["return", "standard_error", "interval"] {
            assert_eq!(shown[name], Value::Null, "{name}");
        }
        assert_eq!(shown["scores"]["brier"], Value::Null);
    }

    #[test]
    fn of_bets_that_were_observed_a_part_is_still_on_offer() {
        let later = |millionths: Option<i64>| {
            Some(LaterOffer { price: millionths.map(fixtures::price), ..LaterOffer::default() })
        };
        let with = |id: &str, settlement: &str, poll: Option<LaterOffer>, minute: Option<LaterOffer>| {
            let pick = Arc::unwrap_or_clone(pick(id, settlement, 0.0));
            Arc::new(Pick { offer_after_poll: poll, offer_after_minute: minute, ..pick })
        };
        let picks = [
            with("a", "won", later(Some(2_100_000)), None),
            with("b", "won", later(Some(2_090_000)), None),
            with("c", "lost", later(Some(2_200_000)), None),
            with("d", "lost", later(None), None),
            with("e", "lost", None, None),
            with("f", NO_RESULT, later(Some(2_100_000)), later(Some(2_100_000))),
        ];
        let shown = &json!(BotRecord::all(&picks)[0].whole().on_offer);
        assert_eq!((&shown["after_poll"]["bets"], &shown["after_poll"]["share"]), (&json!(4), &json!(0.5)));
        let unknown = json!({"bets": 0, "share": null, "standard_error": null});
        assert_eq!(shown["after_minute"], unknown, "a pick without a result is no bet, and nothing is not 0");
    }

    #[test]
    fn the_record_is_shown_with_and_without_disputed_picks() {
        let error = LaterOffer { price: Some(fixtures::price(1_200_000)), ..LaterOffer::default() };
        let refuted = Pick { offer_after_poll: Some(error), ..Arc::unwrap_or_clone(pick("b", "won", 1.1)) };
        let picks = [pick("a", "lost", -1.0), Arc::new(refuted), pick("c", "lost", -1.0)];
        let shown = json!(BotRecord::all(&picks)[0].whole());
        assert_eq!((&shown["bets"], &shown["undisputed"]["bets"]), (&json!(3), &json!(2)));
        assert_eq!(shown["undisputed"]["return"], -1.0);
        assert!((shown["return"].as_f64().unwrap() + 0.3).abs() < 1e-12, "nothing is left out of the record");
    }

    #[test]
    fn versions_and_feeds_are_never_put_together() {
        let other = |change: &dyn Fn(&mut Pick)| {
            let mut pick = fixtures::pick();
            change(&mut pick);
            Arc::new(pick)
        };
        let picks = [
            other(&|_| {}),
            other(&|pick| pick.version += 1),
            other(&|pick| pick.feed = "live".into()),
            other(&|pick| pick.bot = "another".into()),
        ];
        let records = BotRecord::all(&picks);
        assert_eq!((records.len(), records.iter().map(|record| record.picks).max()), (4, Some(1)));
    }
}
