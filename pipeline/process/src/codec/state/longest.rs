//! The longest records that an engine at all of its caps can write: each must be one that its topic takes. Of a record that is
//! published, the fields whose length varies are stated; the others are a fixture's.
//!
//! It never measures what is usual.

use arb_engine::caps::{
    EVENT_BOOKS, EVIDENCE, LINE_BOOKS, MARKET_LINES, MARKET_LINKS, MARKET_SIGNALS, NAME_BYTES, PIECE_MOVES,
};
use arb_model::link::LINK_BYTES;
use arb_model::{Money, OddsFormat, Points, Price, Seconds, Time, fixtures};
use arb_schemas::limits;
use arb_schemas::records::{
    BoardEntry, EdgeSignal, Event, FailedCheck, Leg, Outcome, Side, SignalQuote, Standing, StateBasis,
    StateBet, StateBook, StateConsensus, StateHead, StateLife, StateLine, StateLink, StateMove, StateMoves,
    StateQuote, StateSignal, StateStaleBooks, StateStanding, StateWindow,
};
use arb_schemas::wire::{Record, encode};

/// A name of the greatest length.
fn name(index: usize) -> String {
    format!("{index:x<NAME_BYTES$}")
}

/// The highest price.
fn highest() -> Price {
    fixtures::price(1_001_000_000)
}

fn event() -> Event {
    let [id, sport, league, home, away] = [0, 1, 2, 3, 4].map(|index| name(index).into());
    Event { id, sport, league, home, away, commence_time: Time(i64::MAX) }
}

fn quote(name: i32) -> StateQuote {
    StateQuote {
        outcome: Outcome::Under,
        side: Side::Lay,
        book: name,
        source: name,
        price: i64::from(u32::MAX),
        standing: Standing::Started,
        span_start: i64::MIN,
        span_end: i64::MIN,
        price_moved_at: i64::MIN,
        received_at: i64::MIN,
        limit: Some(i64::MAX),
        odds_format: OddsFormat::American,
    }
}

fn signal(bets: usize) -> StateSignal {
    let bet = StateBet { line: Some(i32::MIN), quote: quote(i32::from(i16::MAX)) };
    StateSignal {
        id: "f".repeat(32),
        kind: "stale_price".into(),
        opened_at: i64::MIN,
        expires_at: i64::MIN,
        sequence: i64::MAX,
        strength: 1.0,
        confidence: 1.0,
        bets: vec![bet; bets],
    }
}

fn window() -> StateWindow {
    let life = StateLife {
        stage: "in_play".into(),
        kind: "handicap".into(),
        margin: 255,
        age: 255,
        pace: i64::MAX,
        since: i64::MIN,
        confirmed_at: i64::MIN,
        taught_to: i64::MIN,
    };
    StateWindow {
        id: "f".repeat(32),
        opened_at: i64::MIN,
        sequence: i64::MAX,
        legs: vec![i32::from(i16::MAX); 3],
        in_play: true,
        margin_open: 1.0,
        margin_peak: 1.0,
        margin: 1.0,
        is_pair: true,
        flags: i32::from(u16::MAX),
        fresh_until: i64::MIN,
        simultaneous_ever: true,
        verified_ever: true,
        stake_shown: Some(i64::MIN),
        life,
        basis: Some(StateBasis { at: i64::MIN, margin_limit: 1.0, expected: vec![i64::MIN; 3] }),
        passed_over: vec![i32::from(i16::MAX); 3],
        standing: Some(standing()),
        verified_standing: Some(standing()),
    }
}

fn standing() -> StateStanding {
    let (waiting, prices) = (vec![i32::from(i16::MAX); 3], vec![i64::from(u32::MAX); 3]);
    StateStanding { at: i64::MIN, waiting, prices, after: i64::MIN, stands: true }
}

/// A market with as many links as one has, each of the greatest length.
fn head() -> StateHead {
    let link = |book| StateLink { book: name(book), link: "x".repeat(LINK_BYTES) };
    let links = (0..MARKET_LINKS).map(link).collect();
    StateHead {
        event: event(),
        market: "draw_no_bet_h1".into(),
        main_line: Some(i32::MIN),
        links,
        drawn: (0..MARKET_LINKS).map(name).collect(),
        private: Some(name(0)),
    }
}

/// A line at all caps: each of its quotes and bets has a source of its own, and all signals of its market are about it.
fn line() -> StateLine {
    // A back and a lay of three outcomes.
    let quotes = LINE_BOOKS * 6;
    let middles = MARKET_LINES;
    let bets = middles * 2 + (MARKET_SIGNALS - middles);
    let names = LINE_BOOKS + quotes + bets * 2;
    let (outcome, book, at) = (Outcome::Under, i32::from(i16::MAX), i64::MIN);
    let sample = StateConsensus { outcome, at, probability: 1_000_000 };
    let others = std::iter::repeat_n(signal(1), MARKET_SIGNALS - middles);
    StateLine {
        event_id: name(0),
        market: "draw_no_bet_h1".into(),
        line: Some(i32::MIN),
        names: (0..names).map(name).collect(),
        begin: i64::MIN,
        quotes: vec![quote(book); quotes],
        window: Some(window()),
        signals: std::iter::repeat_n(signal(2), middles).chain(others).collect(),
        consensus: vec![sample; 100],
        private: Some(name(0)),
    }
}

/// A piece whose moves are of a book and a line each.
fn moves() -> StateMoves {
    let moved = |book| StateMove {
        line: book,
        outcome: Outcome::Under,
        book,
        after: i64::MIN,
        to: -i64::from(u32::MAX),
        from: i64::from(u32::MAX),
    };
    StateMoves {
        names: (0..PIECE_MOVES).map(name).collect(),
        lines: vec![Some(i32::MIN); PIECE_MOVES],
        begin: i64::MIN,
        added: i32::MAX,
        moves: (0..).map(moved).take(PIECE_MOVES).collect(),
        told: (0..).take(PIECE_MOVES).collect(),
    }
}

fn edge() -> EdgeSignal {
    let quote = SignalQuote {
        role: "follower".into(),
        outcome: "under".into(),
        line: Some(Points(i32::MIN)),
        book: name(0).into(),
        operator: name(1).into(),
        price: highest(),
        price_from: Some(highest()),
        effective_price: highest(),
        price_moved_at: Time(i64::MIN),
        last_seen_at: Time(i64::MIN),
        ..fixtures::signal().bets.remove(0)
    };
    EdgeSignal {
        event: event(),
        market: "draw_no_bet".into(),
        line: Some(Points(i32::MIN)),
        outcome: Some("under".into()),
        bets: vec![quote.clone(); 3],
        evidence: vec![quote; EVIDENCE],
        fair: vec![fixtures::chance("multiplicative", 1.0); 5],
        opened_at: Time(i64::MIN),
        updated_at: Time(i64::MIN),
        expires_at: Time(i64::MIN),
        sequence: i64::MAX,
        ..fixtures::signal()
    }
}

fn entry() -> BoardEntry {
    let leg = Leg {
        outcome: "under".into(),
        book: name(0).into(),
        price: highest(),
        price_moved_at: Time(i64::MIN),
        last_seen_at: Time(i64::MIN),
        operator: name(1).into(),
        effective_price: highest(),
        stake: Some(Money(i64::MAX)),
        liability: Some(Money(i64::MAX)),
        limit: Some(Money(i64::MAX)),
        expected_interval: Seconds(i64::MAX),
        link: Some("x".repeat(LINK_BYTES).as_str().into()),
        ..fixtures::entry().legs.remove(0)
    };
    let reason = (0..16).map(name).collect::<String>();
    BoardEntry {
        event: event(),
        market: "draw_no_bet".into(),
        line: Some(Points(i32::MIN)),
        legs: vec![leg; 3],
        warnings: vec!["limit_unknown".into(); 4],
        opened_at: Time(i64::MIN),
        updated_at: Time(i64::MIN),
        sequence: i64::MAX,
        total_stake_max: Some(Money(i64::MAX)),
        currency: Some(name(2).into()),
        failed_checks: vec![FailedCheck { flag: "independent_operators".into(), reason }; 9],
        ..fixtures::entry()
    }
}

fn length<T: Record>(record: &T) -> usize {
    encode(record).unwrap().len()
}

#[test]
fn at_all_caps_every_record_is_one_that_its_topic_takes() {
    let longest = length(&line());
    assert!((limits::VALUE / 2..limits::VALUE).contains(&longest), "a line has {longest} bytes");
    // Half of it and more are links.
    assert!(length(&head()) < limits::VALUE / 3 * 2, "a head has {} bytes", length(&head()));
    let books = (0..EVENT_BOOKS).map(name).collect();
    let counts = vec![i32::MAX; 1_000];
    for length in [
        length(&StateStaleBooks { event_id: name(0), books }),
        length(&StateBook { book: name(0), counts, sampled_at: i64::MIN, interval: Some(i64::MAX) }),
        length(&moves()),
        length(&edge()),
        length(&entry()),
    ] {
        assert!(length < limits::VALUE / 4, "{length}");
    }
}
