//! The state of an engine as records of the changelog, and back.
//!
//! It never reads Kafka.

mod line;
#[cfg(test)]
mod longest;
mod moves;
mod quote;
mod signal;
mod survival;

use std::sync::Arc;

use arb_engine::learning::{Margins, Refresh};
use arb_engine::market::{Line, Market};
use arb_engine::state::{Misfit, Saved};
use arb_engine::time::{Clock, PushedUpdate, SourceClock};
use arb_model::source::{granted_name, pushed_source};
use arb_runtime::machine::Change;
use arb_schemas::records as wire;
use arb_schemas::time::Micros;
use arb_schemas::wire::{RecordType, WireError, decode, encode};
use thiserror::Error;

use self::line::{saved_head, saved_line, state_head, state_line};
use self::moves::{MOVES, moves_key, moves_place, saved_moves, state_moves};
use self::survival::{saved_survival, state_survival};

/// Key of [`wire::StateMargins`].
const MARGINS: &str = "margins";
/// With what the keys of prices begin that belong to a private source.
const PRIVATE: &str = "private/";
/// Key of [`wire::StateClock`].
const CLOCK: &str = "clock";

/// A record of the changelog.
#[derive(Debug, Clone, PartialEq)]
pub enum StateRecord {
    /// A part of the engine's state.
    Saved(Saved),
    /// A scan.
    Scan(Box<wire::StateScan>),
    /// Prices that a poll repeated.
    ScanRepeats(wire::StateScanRepeats),
    /// How far the partition had come.
    Partition(wire::StatePartition),
}

/// Why a record of the changelog is none.
#[derive(Debug, Error)]
pub enum StateError {
    /// Its bytes.
    #[error(transparent)]
    Wire(#[from] WireError),
    /// Its meaning.
    #[error("a {0} that cannot be")]
    Impossible(&'static str),
    /// It does not fit what was put back before.
    #[error("a {}", .0.words())]
    Misfit(Misfit),
}

/// A change of the engine as a record of the changelog; `None` for what the runtime writes itself.
///
/// # Errors
/// [`WireError::Avro`] when a value does not fit its schema.
pub fn change(saved: &Saved) -> Result<Option<Change>, WireError> {
    let (key, value) = match saved {
        Saved::Head { private, event, market, main_line, links, drawn } => {
            let head = state_head((event, *market), *main_line, links, drawn, private.as_ref());
            (of_source(private.as_deref(), head_key(&event.id, *market)), Some(encode(&head)?))
        }
        Saved::HeadGone { private, event, market } => {
            (of_source(private.as_deref(), head_key(event, *market)), None)
        }
        Saved::Line(line) => {
            let key = line_key(&line.event, line.market, line.line);
            (of_source(line.private.as_deref(), key), Some(encode(&state_line(line))?))
        }
        Saved::LineGone { private, event, market, line } => {
            (of_source(private.as_deref(), line_key(event, *market, *line)), None)
        }
        Saved::Moves(moves) => {
            let key = moves_key(&moves.event, moves.market, moves.piece);
            (of_source(moves.private.as_deref(), key), Some(encode(&state_moves(moves))?))
        }
        Saved::MovesGone { private, event, market, piece } => {
            (of_source(private.as_deref(), moves_key(event, *market, *piece)), None)
        }
        Saved::Source { source, clock } => {
            (format!("source/{source}"), Some(encode(&state_source(source, *clock))?))
        }
        Saved::SourceGone { source } => (format!("source/{source}"), None),
        Saved::Push { source, sequence, update } => {
            (push_key(source, *sequence), Some(encode(&state_push(source, *sequence, update))?))
        }
        Saved::PushGone { source, sequence } => (push_key(source, *sequence), None),
        Saved::Suspension { name, is_book, is_suspended } => {
            let record = wire::StateSuspension { name: name.to_string(), is_book: *is_book };
            (suspension_key(name, *is_book), is_suspended.then(|| encode(&record)).transpose()?)
        }
        Saved::Book { book, refresh } => (format!("book/{book}"), Some(encode(&state_book(book, refresh))?)),
        Saved::BookGone { book } => (format!("book/{book}"), None),
        Saved::StaleBooks { event, books } => {
            let names = books.iter().map(ToString::to_string).collect();
            let record = wire::StateStaleBooks { event_id: event.to_string(), books: names };
            (format!("stale/{event}"), (!books.is_empty()).then(|| encode(&record)).transpose()?)
        }
        Saved::Margins(margins) => (MARGINS.to_owned(), Some(encode(&state_margins(margins))?)),
        Saved::Survival { sport, profile, cell } => {
            (survival::key(sport, *profile), Some(encode(&state_survival(sport, *profile, cell))?))
        }
        Saved::Clock(Clock { now, watermark, leap }) => {
            let record = wire::StateClock { now: *now, watermark: *watermark, leap: *leap };
            (CLOCK.to_owned(), Some(encode(&record)?))
        }
        Saved::Sequence(_) => return Ok(None),
    };
    Ok(Some(Change { key, value }))
}

/// The record of a key and its value in the changelog.
///
/// # Errors
/// [`StateError`] when it is none, or states what cannot be.
pub fn parse(key: &str, value: &[u8]) -> Result<StateRecord, StateError> {
    match RecordType::of(value)? {
        RecordType::StatePartition => Ok(StateRecord::Partition(decode(value)?)),
        RecordType::StateSource => {
            let wire::StateSource { source, latest, heard_at, frames, whole } = decode(value)?;
            let poll = frames.and_then(|frames| u32::try_from(frames).ok()).map(|frames| (frames, whole));
            let [latest, heard_at] = [latest, heard_at].map(|at| at.unwrap_or(Micros::MIN));
            let clock = SourceClock::at(latest, heard_at, poll);
            Ok(StateRecord::Saved(Saved::Source { source: source.into(), clock }))
        }
        RecordType::StatePush => {
            let wire::StatePush { source, sequence, digest, bets } = decode(value)?;
            let update = Arc::new(PushedUpdate { digest, bets });
            Ok(StateRecord::Saved(Saved::Push { source: source.into(), sequence, update }))
        }
        RecordType::StateSuspension => {
            let wire::StateSuspension { name, is_book } = decode(value)?;
            let saved = Saved::Suspension { name: name.into(), is_book, is_suspended: true };
            Ok(StateRecord::Saved(saved))
        }
        RecordType::StateBook => Ok(StateRecord::Saved(saved_book(&decode(value)?)?)),
        RecordType::StateMargins => Ok(StateRecord::Saved(saved_margins(&decode(value)?)?)),
        RecordType::StateSurvival => Ok(StateRecord::Saved(saved_survival(&decode(value)?)?)),
        RecordType::StateStaleBooks => {
            let wire::StateStaleBooks { event_id, books } = decode(value)?;
            let books = books.into_iter().map(Into::into).collect();
            Ok(StateRecord::Saved(Saved::StaleBooks { event: event_id.into(), books }))
        }
        RecordType::StateClock => {
            let wire::StateClock { now, watermark, leap } = decode(value)?;
            Ok(StateRecord::Saved(Saved::Clock(Clock { now, watermark, leap })))
        }
        RecordType::StateScan => Ok(StateRecord::Scan(Box::new(decode(value)?))),
        RecordType::StateScanRepeats => Ok(StateRecord::ScanRepeats(decode(value)?)),
        RecordType::StateHead => Ok(StateRecord::Saved(saved_head(&decode(value)?)?)),
        RecordType::StateMoves => {
            Ok(StateRecord::Saved(Saved::Moves(Box::new(saved_moves(key, &decode(value)?)?))))
        }
        _ => Ok(StateRecord::Saved(Saved::Line(Box::new(saved_line(&decode(value)?)?)))),
    }
}

/// What a tombstone under a key takes back; `None` for a record that is not the engine's, or that no engine removes.
///
/// # Errors
/// [`StateError::Impossible`] for a key of the engine that names nothing.
pub fn gone(key: &str) -> Result<Option<Saved>, StateError> {
    let impossible = StateError::Impossible("key of a tombstone");
    let (private, key) = whose(key);
    let Some((kind, rest)) = key.split_once('/') else { return Ok(None) };
    let saved = match kind {
        "head" => last(rest).and_then(|(event, market)| {
            Some(Saved::HeadGone { private, event: event.into(), market: Market::parse(market)? })
        }),
        "line" => last(rest).and_then(|(rest, line)| {
            let (event, market) = last(rest)?;
            let line = if line == "none" { None } else { Some(line.parse().ok()?) };
            Some(Saved::LineGone { private, event: event.into(), market: Market::parse(market)?, line })
        }),
        "moves" => {
            moves_place(rest).map(|(event, market, piece)| Saved::MovesGone { private, event, market, piece })
        }
        "source" => Some(Saved::SourceGone { source: rest.into() }),
        "book" => Some(Saved::BookGone { book: rest.into() }),
        "suspended" => rest.split_once('/').map(|(kind, name)| Saved::Suspension {
            name: name.into(),
            is_book: kind == "book",
            is_suspended: false,
        }),
        "stale" => Some(Saved::StaleBooks { event: rest.into(), books: vec![] }),
        "push" => last(rest).and_then(|(source, sequence)| {
            Some(Saved::PushGone { source: source.into(), sequence: sequence.parse().ok()? })
        }),
        _ => return Ok(None),
    };
    saved.map(Some).ok_or(impossible)
}

/// The event and its market whose quotes a record of the changelog changes; `None` of any other record.
#[must_use]
pub fn market_of_key(key: &str) -> Option<(&str, Market)> {
    let (kind, rest) = key.split_once('/')?;
    let (event, market) = match kind {
        "head" => rest,
        "line" => rest.rsplit_once('/')?.0,
        _ => return None,
    }
    .rsplit_once('/')?;
    Some((event, Market::parse(market)?))
}

/// Whether a record of the changelog serves the processor alone: scans, digests of pushed updates, moves of prices.
#[must_use]
pub fn serves_processor_alone(key: &str) -> bool {
    let (_, key) = whose(key);
    [MOVES, "push/", "scan/", "repeats/"].iter().any(|kind| key.starts_with(kind))
}

/// A key and what stands after its last slash. The id of an event may have slashes itself; markets, lines, pieces and sequences have none.
fn last(key: &str) -> Option<(&str, &str)> {
    key.rsplit_once('/')
}

/// A key as one of a private source, which is named without what all of them begin with: `private/acme/head/...`.
fn of_source(private: Option<&str>, key: String) -> String {
    let Some(source) = private else { return key };
    let source = granted_name(source).unwrap_or(source);
    format!("{PRIVATE}{source}/{key}")
}

/// The private source of a key, and the key without it. The name of such a source has no slash.
fn whose(key: &str) -> (Option<Arc<str>>, &str) {
    let private = key.strip_prefix(PRIVATE).and_then(|rest| rest.split_once('/'));
    private.map_or((None, key), |(source, key)| (Some(pushed_source(source, false).into()), key))
}

/// Heads sort before lines and moves: a restore puts them first.
fn head_key(event: &str, market: Market) -> String {
    format!("head/{event}/{}", market.key())
}

fn line_key(event: &str, market: Market, line: Option<Line>) -> String {
    let line = line.map_or_else(|| "none".to_owned(), |line| line.to_string());
    format!("line/{event}/{}/{line}", market.key())
}

fn suspension_key(name: &str, is_book: bool) -> String {
    format!("suspended/{}/{name}", if is_book { "book" } else { "source" })
}

/// The source begins with `push/` itself.
fn push_key(source: &str, sequence: i64) -> String {
    format!("push/{source}/{sequence}")
}

fn state_push(source: &str, sequence: i64, update: &PushedUpdate) -> wire::StatePush {
    let PushedUpdate { digest, bets } = update.clone();
    wire::StatePush { source: source.to_owned(), sequence, digest, bets }
}

/// A time that there is; the engine's least number stands for none, which is no time that readers of Avro can have.
fn time(at: Micros) -> Option<Micros> {
    (at != Micros::MIN).then_some(at)
}

fn state_source(source: &str, clock: SourceClock) -> wire::StateSource {
    let poll = clock.poll();
    wire::StateSource {
        source: source.to_owned(),
        latest: time(clock.latest()),
        heard_at: time(clock.heard_at()),
        frames: poll.and_then(|(frames, _)| i32::try_from(frames).ok()),
        whole: poll.is_none_or(|(_, whole)| whole),
    }
}

fn state_book(book: &str, refresh: &Refresh) -> wire::StateBook {
    wire::StateBook {
        book: book.to_owned(),
        counts: refresh.counts().iter().copied().map(i32::from).collect(),
        sampled_at: refresh.sampled_at(),
        interval: refresh.interval(),
    }
}

fn state_margins(margins: &Margins) -> wire::StateMargins {
    let counts = |in_play| margins.counts(in_play).iter().copied().map(i32::from).collect();
    wire::StateMargins { pre_match: counts(false), in_play: counts(true) }
}

fn saved_margins(state: &wire::StateMargins) -> Result<Saved, StateError> {
    let both = counts(&state.pre_match).zip(counts(&state.in_play));
    let margins = both.and_then(|(pre_match, in_play)| Margins::from_counts(&pre_match, &in_play));
    margins
        .map(|margins| Saved::Margins(Box::new(margins)))
        .ok_or(StateError::Impossible("sketch of margins"))
}

fn counts(counts: &[i32]) -> Option<Vec<u16>> {
    counts.iter().map(|count| u16::try_from(*count).ok()).collect()
}

fn saved_book(state: &wire::StateBook) -> Result<Saved, StateError> {
    let refresh = counts(&state.counts)
        .and_then(|counts| Refresh::from_counts(&counts, state.sampled_at, state.interval));
    let refresh = refresh.ok_or(StateError::Impossible("book"))?;
    Ok(Saved::Book { book: state.book.as_str().into(), refresh })
}

#[cfg(test)]
mod tests {
    use arb_engine::QuoteStatus;
    use arb_engine::arbs::Standing;
    use arb_engine::effect::{Basis, SignalId, SignalKind, Verification, WindowHistory, WindowId};
    use arb_engine::learning::survival::{Cell, EventStage, Life, MarketKind, Profile};
    use arb_engine::market::{EventInfo, Limit, Outcome, Side};
    use arb_engine::odds::{OddsFormat, Price};
    use arb_engine::state::{
        SavedBet, SavedConsensus, SavedLine, SavedMove, SavedMoves, SavedQuote, SavedSignal, SavedWindow,
    };
    use arb_runtime::pump::PumpError;

    use arb_model::{Name, Time};

    use super::*;

    const PROFILE: Profile =
        Profile { stage: EventStage::Days, kind: MarketKind::Handicap, margin: 1, age: 2 };

    fn quote(outcome: Outcome, book: &str) -> SavedQuote {
        SavedQuote {
            outcome,
            side: Side::Back,
            book: book.into(),
            source: "feed".into(),
            price: Price::from_millionths(2_100_000).unwrap(),
            limit: Limit::from_minor(10_050).filter(|_| outcome == Outcome::Home),
            status: QuoteStatus::Started,
            odds_format: OddsFormat::American,
            span_start: 1,
            span_end: 2,
            price_moved_at: 3,
            received_at: 4,
        }
    }

    fn event() -> Arc<EventInfo> {
        let text = |text: &str| text.into();
        Arc::new(EventInfo {
            id: text("a/b"),
            sport: text("soccer"),
            league: text("soccer_test"),
            home: text("H"),
            away: text("A"),
            commence_time: Time(5),
        })
    }

    fn market() -> Market {
        Market::parse("spreads_h1").unwrap()
    }

    fn line() -> SavedLine {
        let price = Price::from_millionths(2_110_000).unwrap();
        let verdict = Standing { at: 3, waiting: vec![(1, price)], after: 4, stands: true };
        let window = SavedWindow {
            id: WindowId([7; 16]),
            opened_at: 6,
            sequence: 7,
            legs: vec![0, 1],
            is_pair: false,
            verification: Verification::from_bits(0b1_1111_1011).unwrap(),
            fresh_until: 77,
            history: WindowHistory { simultaneous: true, verified: false },
            in_play: false,
            margin_open: 0.01,
            margin_peak: 0.02,
            margin: 0.015,
            stake_shown: Some(150_000),
            life: Life { profile: PROFILE, pace: 660, since: 6, confirmed_at: 9, taught_to: 8 },
            basis: Some(Basis { at: 10, margin_limit: 0.1, expected: vec![40, 900] }),
            passed_over: vec![1, 0],
            standing: [Some(verdict), None],
        };
        let signal = SavedSignal {
            id: SignalId([9; 16]),
            kind: SignalKind::StalePrice,
            opened_at: 6,
            expires_at: 90,
            sequence: 8,
            strength: 0.02,
            confidence: 0.5,
            bets: vec![SavedBet { line: Some(-2_500), quote: quote(Outcome::Home, "gone") }],
        };
        let (outcome, at) = (Outcome::Away, 300);
        let consensus = SavedConsensus { outcome, at, probability: 512_345 };
        SavedLine {
            private: None,
            event: "a/b".into(),
            market: market(),
            line: Some(-2_250),
            quotes: vec![quote(Outcome::Home, "alpha"), quote(Outcome::Away, "beta")],
            window: Some(window),
            signals: vec![signal],
            consensus: vec![consensus],
        }
    }

    fn moves() -> SavedMoves {
        let moved = |line, book: &str, at, is_reported| SavedMove {
            line,
            outcome: Outcome::Away,
            book: book.into(),
            at,
            from: Price::from_millionths(2_000_000).unwrap(),
            to: Price::from_millionths(2_100_000).unwrap(),
            is_reported,
        };
        SavedMoves {
            private: None,
            event: "a/b".into(),
            market: market(),
            piece: 12,
            added: 7,
            // In the order in which they came, which may not be that of their times.
            moves: vec![
                moved(Some(-2_250), "beta", 8, true),
                moved(None, "alpha", 7, false),
                moved(None, "beta", Micros::MIN, false),
            ],
        }
    }

    /// The same line with the other value of each flag of its window.
    fn other_line() -> SavedLine {
        let mut line = line();
        let window = line.window.as_mut().unwrap();
        window.is_pair = true;
        window.basis = None;
        window.in_play = true;
        window.history = WindowHistory { simultaneous: false, verified: true };
        line
    }

    fn suspended(name: &str, is_book: bool, is_suspended: bool) -> Saved {
        Saved::Suspension { name: name.into(), is_book, is_suspended }
    }

    /// The same of a private source.
    fn of_owner(saved: Saved) -> Saved {
        let private = Some("push/acme".into());
        match saved {
            Saved::Head { event, market, main_line, links, drawn, .. } => {
                Saved::Head { private, event, market, main_line, links, drawn }
            }
            Saved::HeadGone { event, market, .. } => Saved::HeadGone { private, event, market },
            Saved::Line(line) => Saved::Line(Box::new(SavedLine { private, ..*line })),
            Saved::LineGone { event, market, line, .. } => Saved::LineGone { private, event, market, line },
            Saved::Moves(moves) => Saved::Moves(Box::new(SavedMoves { private, ..*moves })),
            Saved::MovesGone { event, market, piece, .. } => {
                Saved::MovesGone { private, event, market, piece }
            }
            other => other,
        }
    }

    fn head(links: Vec<(Arc<str>, Name)>) -> Saved {
        Saved::Head {
            private: None,
            event: event(),
            market: market(),
            main_line: Some(-250),
            links,
            drawn: vec!["b".into()],
        }
    }

    /// The engine's data and the records are two lists of the same fields: this holds them equal. A field that one of them does
    /// not have, or that is written and not read, is found here, because each is stated with a value of its own.
    /// Readers that make dates of times refuse the number that stands for none.
    #[test]
    fn a_time_that_there_is_not_is_null() {
        let heard = SourceClock::at(Micros::MIN, 5, None);
        let record = state_source("s", heard);
        assert_eq!((record.latest, record.heard_at), (None, Some(5)));
        assert_eq!(state_source("s", SourceClock::at(7, Micros::MIN, None)).heard_at, None);
        let Ok(StateRecord::Saved(Saved::Source { clock, .. })) =
            parse("source/s", &encode(&record).unwrap())
        else {
            panic!("a source")
        };
        assert_eq!(clock, heard);
    }

    #[test]
    fn what_is_written_is_what_is_read() {
        let clock = SourceClock::at(9, 10, Some((3, false)));
        let refresh = Refresh::from_counts(&[0, 4, 1], 7, Some(1_189_209)).unwrap();
        let books = vec!["alpha".into(), "beta".into()];
        let cell = Cell::died(20_000_000, 70_000_000);
        let update = Arc::new(PushedUpdate { digest: -3, bets: vec![5, i64::MIN] });
        let survival = Saved::Survival { sport: "soccer".into(), profile: PROFILE, cell };
        for (saved, key) in [
            (head(vec![]), "head/a/b/spreads_h1"),
            (head(vec![("alpha".into(), "https://a.example/1".into())]), "head/a/b/spreads_h1"),
            (Saved::Line(Box::new(line())), "line/a/b/spreads_h1/-2250"),
            (Saved::Line(Box::new(SavedLine { line: None, ..line() })), "line/a/b/spreads_h1/none"),
            (Saved::Line(Box::new(other_line())), "line/a/b/spreads_h1/-2250"),
            (of_owner(head(vec![])), "private/acme/head/a/b/spreads_h1"),
            (of_owner(Saved::Line(Box::new(line()))), "private/acme/line/a/b/spreads_h1/-2250"),
            (Saved::Moves(Box::new(moves())), "moves/a/b/spreads_h1/12"),
            (of_owner(Saved::Moves(Box::new(moves()))), "private/acme/moves/a/b/spreads_h1/12"),
            (Saved::Source { source: "feed".into(), clock }, "source/feed"),
            (Saved::Source { source: "x".into(), clock: SourceClock::at(9, 9, None) }, "source/x"),
            (Saved::Push { source: "push/acme".into(), sequence: 7, update }, "push/push/acme/7"),
            (Saved::Book { book: "alpha".into(), refresh }, "book/alpha"),
            (Saved::StaleBooks { event: "a/b".into(), books }, "stale/a/b"),
            (survival, "survival/soccer/days/handicap/1/2"),
            (suspended("push/acme", false, true), "suspended/source/push/acme"),
            (suspended("beta", true, true), "suspended/book/beta"),
            (Saved::Clock(Clock { now: 9, watermark: 4, leap: Some(12) }), "clock"),
        ] {
            let change = change(&saved).unwrap().unwrap();
            assert_eq!(change.key, key);
            assert_eq!(parse(key, &change.value.unwrap()).unwrap(), StateRecord::Saved(saved));
        }
        let at = wire::StatePartition {
            next_offset: 17,
            policy: "board".into(),
            sequence: 3,
            epoch: 9,
            ..wire::StatePartition::default()
        };
        let read = parse("partition", &encode(&at).unwrap()).unwrap();
        assert_eq!(read, StateRecord::Partition(at));
    }

    #[test]
    fn what_is_no_more_leaves_a_tombstone() {
        let head = || Saved::HeadGone { private: None, event: "a/b".into(), market: market() };
        let line =
            || Saved::LineGone { private: None, event: "a/b".into(), market: market(), line: Some(500) };
        let moves = || Saved::MovesGone { private: None, event: "a/b".into(), market: market(), piece: 12 };
        for (gone, key) in [
            (head(), "head/a/b/spreads_h1"),
            (moves(), "moves/a/b/spreads_h1/12"),
            (of_owner(moves()), "private/acme/moves/a/b/spreads_h1/12"),
            (line(), "line/a/b/spreads_h1/500"),
            (of_owner(head()), "private/acme/head/a/b/spreads_h1"),
            (of_owner(line()), "private/acme/line/a/b/spreads_h1/500"),
            (Saved::StaleBooks { event: "a/b".into(), books: vec![] }, "stale/a/b"),
            (Saved::SourceGone { source: "feed".into() }, "source/feed"),
            (Saved::PushGone { source: "push/acme".into(), sequence: 7 }, "push/push/acme/7"),
            (Saved::BookGone { book: "alpha".into() }, "book/alpha"),
            (suspended("push/acme", false, false), "suspended/source/push/acme"),
            (suspended("beta", true, false), "suspended/book/beta"),
        ] {
            let change = change(&gone).unwrap().unwrap();
            assert_eq!((change.key.as_str(), change.value), (key, None));
            assert_eq!(super::gone(key).unwrap(), Some(gone));
        }
    }

    #[test]
    fn a_key_says_whose_quotes_it_changes() {
        for saved in [head(vec![]), Saved::Line(Box::new(line()))] {
            let change = change(&saved).unwrap().unwrap();
            assert_eq!(market_of_key(&change.key), Some(("a/b", market())));
        }
        for other in [
            "stale/a/b",
            "source/a/h2h",
            "push/push/acme/7",
            "clock",
            "head/e",
            "line/e/h2h",
            "private/acme/head/e/h2h",
        ] {
            assert_eq!(market_of_key(other), None, "{other}");
        }
    }

    #[test]
    fn a_tombstone_of_another_machine_or_of_nothing_takes_nothing_back() {
        for other in
            ["partition", "clock", "margins", "scan/00ff", "repeats/feed", "survival/soccer/days/x/1/2"]
        {
            assert_eq!(gone(other).unwrap(), None, "{other}");
        }
        for wrong in [
            "head/e",
            "head/e/corners",
            "line/e/h2h",
            "line/e/h2h/x",
            "push/acme/x",
            "private/acme/head/e",
            "moves/e/h2h",
            "moves/e/h2h/x",
        ] {
            assert!(gone(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_cannot_be_is_named() {
        let mut wrong = state_line(&line());
        wrong.quotes[0].book = 9;
        let said = |state: &wire::StateLine| {
            parse("line/a/b/spreads_h1/-2250", &encode(state).unwrap()).unwrap_err().to_string()
        };
        assert_eq!(said(&wrong), "a quote that cannot be");
        let mut wrong = state_line(&line());
        wrong.quotes[0].limit = Some(-1);
        assert_eq!(said(&wrong), "a quote that cannot be");
        let mut wrong = state_line(&line());
        wrong.window.as_mut().unwrap().life.stage = "x".into();
        assert_eq!(said(&wrong), "a window that cannot be");
        let unknown = wire::StateLine { market: "corners".into(), ..state_line(&line()) };
        assert_eq!(said(&unknown), "a market that cannot be");
    }

    #[test]
    fn moves_that_cannot_be_are_named() {
        let said = |key: &str, state: &wire::StateMoves| {
            parse(key, &encode(state).unwrap()).unwrap_err().to_string()
        };
        let (key, good) = ("moves/a/b/spreads_h1/12", state_moves(&moves()));
        assert_eq!(said("moves/a/b/spreads_h1", &good), "a key of moves that cannot be");
        assert_eq!(said("line/a/b/spreads_h1/12", &good), "a key of moves that cannot be");
        assert_eq!(
            said(key, &wire::StateMoves { added: -1, ..good.clone() }),
            "a count of moves that cannot be"
        );
        let wrong = wire::StateMoves { told: vec![-1], ..good.clone() };
        assert_eq!(said(key, &wrong), "a position of a move that cannot be");
        let moved = |change: &dyn Fn(&mut wire::StateMove)| {
            let mut wrong = good.clone();
            change(&mut wrong.moves[0]);
            said(key, &wrong)
        };
        let changes: [&dyn Fn(&mut wire::StateMove); 4] =
            [&|moved| moved.book = 9, &|moved| moved.line = 9, &|moved| moved.to = -moved.to, &|moved| {
                moved.from = i64::MAX;
            }];
        for change in changes {
            assert_eq!(moved(change), "a move that cannot be");
        }
    }

    #[test]
    fn what_serves_the_processor_alone_is_known_by_its_key() {
        for key in
            ["moves/e/h2h/3", "private/acme/moves/e/h2h/3", "push/push/acme/7", "scan/00ff", "repeats/feed"]
        {
            assert!(serves_processor_alone(key), "{key}");
        }
        for key in ["line/e/h2h/none", "private/acme/head/e/h2h", "head/moves/h2h", "clock", "partition"] {
            assert!(!serves_processor_alone(key), "{key}");
        }
    }

    #[test]
    fn what_was_written_before_the_first_release_is_refused_with_what_to_do() {
        let (key, error) =
            ("market/e/h2h".to_owned(), Box::new(parse("market/e/h2h", &[0, 0, 0, 0, 28, 0]).unwrap_err()));
        let error = PumpError::State {
            changelog: arb_schemas::topics::PROCESS_STATE.name,
            partition: 2,
            offset: 7,
            key,
            error,
        };
        let sentence = "process.state.v1 partition 2 offset 7 key market/e/h2h: schema id 28 is of before the first release, which is \
                        not read: delete the topics and create them again";
        assert_eq!(error.to_string(), sentence);
    }
}
