//! Records of picks with a value in every field, as golden files have them. What is published of them never changes.

use arb_model::Time;
use arb_model::fixtures::{pick, price};
use arb_schemas::records::{
    LiveScore, PeriodScore, PickCandidate, PickClosing, PickOffer, ResultReport, StateResult,
};

pub(crate) fn candidate() -> PickCandidate {
    let pick = pick();
    PickCandidate {
        bot: pick.bot,
        version: pick.version,
        feed: pick.feed,
        event: pick.event,
        market: pick.market,
        period: pick.period,
        line: pick.line,
        outcome: pick.outcome,
        draw_refunds: pick.draw_refunds,
        book: pick.book,
        price: pick.price,
        probability: pick.probability,
        method: pick.method,
        stake: pick.stake,
        reasons: pick.reasons,
        at: pick.published_at,
    }
}

pub(crate) fn report() -> ResultReport {
    ResultReport {
        event: "852a3abe".into(),
        status: "finished".into(),
        scores: vec![
            PeriodScore { period: "full_time".into(), home: 2, away: 1 },
            PeriodScore { period: "h1".into(), home: 0, away: 1 },
        ],
        starts_at: Some(1_782_000_600_000_000),
        source: "operator".into(),
        at: 1_782_007_200_000_000,
        home: pick().event.home.to_string(),
        away: pick().event.away.to_string(),
        ended: Some("regulation".into()),
    }
}

pub(crate) fn state_result() -> StateResult {
    StateResult { report: report(), taken_at: 9, due_at: Some(10), graded_at: Some(8), changes: 2 }
}

pub(crate) fn closing() -> PickClosing {
    PickClosing {
        pick: pick().id,
        price: Some(price(2_050_000)),
        probability: 0.5,
        last_seen_at: Time(1_782_000_590_000_000),
    }
}

pub(crate) fn offer() -> PickOffer {
    PickOffer {
        pick: pick().id,
        is_next_poll: true,
        price: Some(price(2_100_000)),
        last_seen_at: Time(1_781_990_030_000_000),
    }
}

pub(crate) fn live_score() -> LiveScore {
    let event = pick().event;
    LiveScore {
        event: event.id.to_string(),
        sport: event.sport.to_string(),
        league: event.league.to_string(),
        home: event.home.to_string(),
        away: event.away.to_string(),
        home_points: 1,
        away_points: 0,
        period: Some("h2".into()),
        source: "simulated".into(),
        reported_at: 1_782_003_600_000_000,
    }
}
