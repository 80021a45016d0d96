//! Records for tests and benchmarks: one of each type with a value in every field.
//!
//! The golden files (`schemas/golden`) hold these records, so that a value here never changes; a new field gets a value here.
//! A test that needs another record changes fields of these: `BoardEntry { margin, ..fixtures::entry() }`. The product never
//! uses them: they are behind the Cargo feature `fixtures`, and a test of `tests/it/tidy.rs` reads its tree of features.

use crate::{
    ArbWindow, BoardEntry, CloseSignal, ClosingPrice, EdgeSignal, Event, FailedCheck, FairChance,
    FilterValues, Flag, GradeState, LaterOffer, Leg, LegReturn, LineMovement, Money, OpenedWindow, PassedLeg,
    PassedOver, Pick, PickGrade, Points, Price, Seconds, SignalChange, SignalQuote, StaleAlert, Time, Ttl,
    Verification, WindowGrade, WindowGrading,
};

/// A price in millionths.
///
/// # Panics
/// When there is no such price.
#[must_use]
#[expect(clippy::unwrap_used, reason = "tests state their prices")]
pub fn price(millionths: i64) -> Price {
    Price::from_millionths(millionths).unwrap()
}

/// An event.
#[must_use]
pub fn event() -> Event {
    Event {
        id: "852a3abe".into(),
        sport: "soccer".into(),
        league: "soccer_test_league".into(),
        home: "Nørdby".into(),
        away: "Sør".into(),
        commence_time: Time(1_782_000_000_000_000),
    }
}

/// An event of a league, whose sport is the first word of it.
#[must_use]
pub fn event_of(league: &str) -> Event {
    Event { sport: league.split('_').next().unwrap_or_default().into(), league: league.into(), ..event() }
}

/// A back bet on an outcome at a book, which is its own operator, at a price in millionths.
#[must_use]
pub fn leg(outcome: &str, book: &str, millionths: i64) -> Leg {
    Leg {
        outcome: outcome.into(),
        side: "back".into(),
        book: book.into(),
        price: price(millionths),
        implied_probability: 0.5,
        stake_share: 0.5,
        price_moved_at: Time(1),
        last_seen_at: Time(2),
        operator: book.into(),
        effective_price: price(millionths),
        stake: Some(Money(5_012)),
        liability: None,
        limit: Some(Money(100_000)),
        expected_interval: Seconds(40_000_000),
        link: Some(format!("https://{book}.example/{outcome}").as_str().into()),
        rounded: outcome == "under",
    }
}

/// An open window of two bets.
#[must_use]
pub fn entry() -> BoardEntry {
    BoardEntry {
        id: "00112233445566778899aabbccddeeff".into(),
        event: event(),
        in_play: true,
        kind: "surebet".into(),
        market: "totals".into(),
        period: "full_time".into(),
        line: Some(Points(2_250)),
        implied_probability: 0.95,
        margin: 0.0526,
        margin_worst: 0.0263,
        legs: vec![leg("over", "alpha", 2_100_000), leg("under", "beta", 2_110_000)],
        simultaneous: true,
        warnings: vec!["push_possible".into()],
        score: 0.0263,
        opened_at: Time(3),
        updated_at: Time(4),
        sequence: 5,
        margin_rounded: Some(0.0525),
        total_stake_max: Some(Money(199_000)),
        currency: Some("EUR".into()),
        verified: false,
        verification: Verification::of(Flag::ALL.into_iter().filter(|flag| *flag != Flag::Fresh)),
        failed_checks: vec![FailedCheck {
            flag: "fresh".into(),
            reason: "alpha was last confirmed 90 s ago".into(),
        }],
        ttl: Ttl { p10: 30.0, median: 240.5, p90: 1_800.0 },
        execution_probability: 0.875,
        passed_over: Some(passed_over()),
        void_clause: Some("postponed".into()),
        void_loss_max: Some(0.5),
    }
}

/// A cover that was passed over.
#[must_use]
pub fn passed_over() -> PassedOver {
    let leg = |outcome: &str, book: &str, millionths| PassedLeg {
        outcome: outcome.into(),
        side: "back".into(),
        book: book.into(),
        price: price(millionths),
    };
    let reason = "gamma is 42.2 points of probability off the median of the others".to_owned();
    PassedOver {
        margin: 0.875,
        legs: vec![leg("over", "gamma", 17_000_000), leg("under", "beta", 2_110_000)],
        failed_check: FailedCheck { flag: "plausible_price".into(), reason },
    }
}

/// A window that opened.
#[must_use]
pub fn window() -> ArbWindow {
    ArbWindow { change: "opened".into(), entry: entry(), replaced: Some(filter_values()) }
}

/// What was shown of a window before.
#[must_use]
pub fn filter_values() -> FilterValues {
    FilterValues {
        margin: 0.0325,
        verified: true,
        in_play: true,
        total_stake_max: Some(Money(150_000)),
        books: vec!["alpha".into(), "beta".into()],
    }
}

/// A quote for over at a book, which is its own operator, at a price in millionths.
#[must_use]
pub fn quote(role: &str, book: &str, millionths: i64) -> SignalQuote {
    SignalQuote {
        role: role.into(),
        outcome: "over".into(),
        side: "back".into(),
        line: Some(Points(2_250)),
        book: book.into(),
        operator: book.into(),
        price: price(millionths),
        price_from: None,
        effective_price: price(millionths - 1),
        price_moved_at: Time(1),
        last_seen_at: Time(2),
    }
}

/// A chance by a method of devig.
#[must_use]
pub fn chance(method: &str, probability: f64) -> FairChance {
    FairChance { method: method.into(), probability }
}

/// An open signal: a book lags a steam.
#[must_use]
pub fn signal() -> EdgeSignal {
    let leader = SignalQuote { price_from: Some(price(2_050_000)), ..quote("leader", "beta", 1_950_000) };
    EdgeSignal {
        id: "ffeeddccbbaa99887766554433221100".into(),
        kind: "stale_price".into(),
        event: event(),
        in_play: true,
        market: "totals".into(),
        period: "full_time".into(),
        line: Some(Points(2_250)),
        outcome: Some("over".into()),
        strength: 0.031,
        confidence: 0.75,
        bets: vec![quote("bet", "alpha", 2_100_000)],
        evidence: vec![leader],
        fair: vec![chance("power", 0.5), chance("shin", 0.501)],
        kelly: Some(0.0125),
        opened_at: Time(3),
        updated_at: Time(4),
        expires_at: Time(60),
        sequence: 6,
    }
}

/// A signal that closed because its book followed.
#[must_use]
pub fn signal_change() -> SignalChange {
    SignalChange { change: "followed".into(), signal: signal() }
}

/// A window that closed.
#[must_use]
pub fn close() -> CloseSignal {
    CloseSignal {
        id: "0011".into(),
        event_id: "852a3abe".into(),
        reason: "withdrawn".into(),
        opened_at: Time(1),
        closed_at: Time(2),
        margin_open: 0.01,
        margin_peak: 0.02,
        margin_close: 0.015,
        sequence: 6,
        sport: "soccer".into(),
        league: "soccer_test_league".into(),
        market: "totals".into(),
        period: "full_time".into(),
        line: Some(Points(2_250)),
        simultaneous_ever: true,
        verified_ever: false,
        replaced: filter_values(),
        stood: Some(true),
        stood_after: Some(Seconds(40_000_000)),
        verified_stood: Some(false),
        verified_stood_after: None,
    }
}

/// A price that moved.
#[must_use]
pub fn movement() -> LineMovement {
    LineMovement {
        kind: "price".into(),
        event: event(),
        market: "h2h".into(),
        period: "full_time".into(),
        line: None,
        line_from: None,
        outcome: Some("home".into()),
        book: Some("alpha".into()),
        price_from: Some(price(2_100_000)),
        price_to: Some(price(1_900_000)),
        probability_change: Some(0.05),
        window_start: Time(0),
        window_end: Time(60_000_000),
        sequence: 7,
    }
}

/// A book that stopped confirming its prices.
#[must_use]
pub fn alert() -> StaleAlert {
    StaleAlert {
        scope: "book".into(),
        state: "stale".into(),
        event: event(),
        book: "alpha".into(),
        arb_id: None,
        last_seen_at: Some(Time(1)),
        expected_interval: Seconds(40_000_000),
        at: Time(90_000_000),
        sequence: 8,
    }
}

/// A pick that was graded twice, because its result was corrected.
#[must_use]
pub fn pick() -> Pick {
    let grade = |version, settlement: &str, profit, home| PickGrade {
        version,
        settlement: settlement.into(),
        profit,
        home: Some(home),
        away: Some(1),
        source: "operator".into(),
        at: Time(1_782_007_200_000_000 + version),
    };
    Pick {
        id: "pick_00112233445566778899aabbccddeeff".into(),
        bot: "consensus".into(),
        version: 1,
        feed: "simulated".into(),
        event: event(),
        market: "totals".into(),
        period: "full_time".into(),
        line: Some(Points(2_250)),
        outcome: "over".into(),
        draw_refunds: true,
        book: "alpha".into(),
        price: price(2_100_000),
        probability: 0.515,
        method: "mean of 8 books, power".into(),
        stake: 0.0125,
        reasons: vec!["alpha pays 8 % more than 8 books on average".into()],
        published_at: Time(1_781_990_000_000_000),
        starts_at: Time(1_782_000_600_000_000),
        closing: Some(ClosingPrice {
            price: Some(price(2_050_000)),
            probability: 0.5,
            last_seen_at: Time(1_782_000_590_000_000),
        }),
        offer_after_poll: Some(LaterOffer {
            price: Some(price(2_100_000)),
            last_seen_at: Time(1_781_990_030_000_000),
        }),
        offer_after_minute: Some(LaterOffer { price: None, last_seen_at: Time(1_781_990_075_000_000) }),
        grades: vec![grade(1, "won", 1.1, 2), grade(2, "half_lost", -0.5, 1)],
    }
}

/// The window of [`entry`], graded a second time: 2 goals are a push of its line less a quarter, and none of the line more a quarter.
#[must_use]
pub fn window_grading() -> WindowGrading {
    let leg = |settlement: &str, returned| LegReturn { settlement: settlement.into(), returned };
    let grade = WindowGrade {
        version: 2,
        state: GradeState::Settled.into(),
        returned: Some(1.0),
        legs: vec![leg("half_lost", 0.25), leg("half_won", 0.75)],
        home: Some(1),
        away: Some(1),
        source: "operator".into(),
        at: Time(1_782_007_200_000_002),
    };
    WindowGrading { window: OpenedWindow::of(&entry()), grade }
}
