//! What the engine says as records of the board and the feed.
//!
//! It changes no value and decides nothing.

use arb_engine::effect::{
    Alert, Closed, Edge, Effect, Entry, EntryLeg, Evidence, FailedCheck, Flag, Moved, Movement, Scope,
    SignalChange, Verification, WindowChange,
};
use arb_engine::learning::survival::Ttl;
use arb_engine::odds::devig::Method;
use arb_runtime::feed_mark::{self, FeedMark};
use arb_runtime::log::Output;
use arb_schemas::records as wire;
use arb_schemas::time::{Micros, SECOND};
use arb_schemas::topics::{ARBS_BOARD, FEED_EVENTS, SIGNALS};
use arb_schemas::wire::{WireError, encode, encode_signal_change, encode_window};

use super::wire_event;

/// The records that an effect writes, all to the partition that it was computed from; those of the feed carry their mark,
/// of the partition's epoch.
///
/// # Errors
/// [`WireError::Avro`] when a value does not fit its schema.
pub fn outputs(effect: &Effect, partition: i32, epoch: i64) -> Result<Vec<Output>, WireError> {
    let board = |key: String, value| Output::new(ARBS_BOARD.name, partition, key, value);
    let feed = |key: String, sequence, value| on_feed(partition, key, FeedMark { epoch, sequence }, value);
    Ok(match effect {
        Effect::Transition(change, entry) => {
            let on_board = encode(&board_entry(entry))?;
            let value = encode_window(change_key(*change), &on_board)?;
            let on_feed = feed(entry.event.id.to_string(), entry.sequence, value);
            vec![board(entry.id.to_string(), Some(on_board)), on_feed]
        }
        Effect::Refreshed(entry) => {
            vec![board(entry.id.to_string(), Some(encode(&board_entry(entry))?))]
        }
        Effect::Closed(closed) => {
            let signal = close_signal(closed);
            let key = signal.event_id.clone();
            vec![board(signal.id.clone(), None), feed(key, signal.sequence, encode(&signal)?)]
        }
        Effect::Signal(change, edge) => signal(*change, edge, partition, epoch)?,
        Effect::LineMovement(moved) => {
            vec![feed(moved.event.id.to_string(), moved.sequence, encode(&line_movement(moved))?)]
        }
        Effect::StaleAlert(alert) => {
            vec![feed(alert.event.id.to_string(), alert.sequence, encode(&stale_alert(alert))?)]
        }
        Effect::Contains { source, received_at } => {
            let progress =
                received_at.map(|at| wire::BoardProgress { source: source.to_string(), received_at: at });
            let value = progress.as_ref().map(encode).transpose()?;
            vec![board(format!("progress/{source}"), value)]
        }
    })
}

fn on_feed(partition: i32, key: String, mark: FeedMark, value: Vec<u8>) -> Output {
    let record = Output::new(FEED_EVENTS.name, partition, key, Some(value));
    Output { headers: vec![(feed_mark::SEQUENCE, mark.to_string())], ..record }
}

/// What a signal writes: to the compacted topic as it is, or a tombstone; to the feed unless only its times changed.
fn signal(change: SignalChange, edge: &Edge, partition: i32, epoch: i64) -> Result<Vec<Output>, WireError> {
    let record = encode(&edge_signal(edge))?;
    let told = encode_signal_change(change.key(), &record)?;
    let is_closed = matches!(change, SignalChange::Closed(_));
    let open = Output::new(SIGNALS.name, partition, edge.id.to_string(), (!is_closed).then_some(record));
    let mark = FeedMark { epoch, sequence: edge.sequence };
    let on_feed = on_feed(partition, edge.event.id.to_string(), mark, told);
    let is_told = change != SignalChange::Refreshed;
    Ok([open].into_iter().chain(is_told.then_some(on_feed)).collect())
}

fn edge_signal(edge: &Edge) -> wire::EdgeSignal {
    let chance = |(method, probability): &(Method, f64)| wire::FairChance {
        method: method.key().to_owned(),
        probability: *probability,
    };
    wire::EdgeSignal {
        id: edge.id.to_string(),
        kind: edge.kind.key().to_owned(),
        event: wire_event(&edge.event),
        in_play: edge.in_play,
        market: edge.market.family.key().to_owned(),
        period: edge.market.period.key().to_owned(),
        line: edge.line,
        outcome: edge.outcome.map(|outcome| outcome.key().to_owned()),
        strength: edge.strength,
        confidence: edge.confidence,
        bets: edge.bets.iter().map(signal_quote).collect(),
        evidence: edge.evidence.iter().map(signal_quote).collect(),
        fair: edge.fair.iter().map(chance).collect(),
        kelly: edge.kelly,
        opened_at: edge.opened_at,
        updated_at: edge.updated_at,
        expires_at: edge.expires_at,
        sequence: edge.sequence,
    }
}

fn signal_quote(quote: &Evidence) -> wire::SignalQuote {
    wire::SignalQuote {
        role: quote.role.key().to_owned(),
        outcome: quote.outcome.key().to_owned(),
        side: quote.side.key().to_owned(),
        line: quote.line,
        book: quote.book.to_string(),
        operator: quote.operator.to_string(),
        price: quote.price.millionths().into(),
        price_from: quote.price_from.map(|price| price.millionths().into()),
        effective_price: quote.effective_price.millionths().into(),
        price_moved_at: quote.price_moved_at,
        last_seen_at: quote.last_seen_at,
    }
}

fn change_key(change: WindowChange) -> &'static str {
    match change {
        WindowChange::Opened => "opened",
        WindowChange::Updated => "updated",
    }
}

fn board_entry(entry: &Entry) -> wire::BoardEntry {
    wire::BoardEntry {
        id: entry.id.to_string(),
        event: wire_event(&entry.event),
        in_play: entry.in_play,
        kind: "surebet".to_owned(),
        market: entry.market.family.key().to_owned(),
        period: entry.market.period.key().to_owned(),
        line: entry.line,
        implied_probability: entry.implied_probability,
        margin: entry.margin,
        margin_worst: entry.margin_worst,
        legs: entry.legs.iter().map(leg).collect(),
        simultaneous: entry.is_simultaneous(),
        warnings: entry.warnings.iter().map(|warning| warning.key().to_owned()).collect(),
        score: entry.score,
        opened_at: entry.opened_at,
        updated_at: entry.updated_at,
        sequence: entry.sequence,
        margin_rounded: entry.margin_rounded,
        total_stake_max: entry.total_stake_max,
        currency: entry.currency.as_deref().map(str::to_owned),
        verified: entry.verification.is_verified(),
        verification: Some(verification(entry.verification)),
        doubts: entry.doubts.iter().map(doubt).collect(),
        ttl: Some(ttl(entry.ttl)),
        placeable: Some(entry.placeable),
    }
}

fn verification(flags: Verification) -> wire::Verification {
    wire::Verification {
        simultaneous: flags.holds(Flag::Simultaneous),
        fresh: flags.holds(Flag::Fresh),
        active: flags.holds(Flag::Active),
        same_line: flags.holds(Flag::SameLine),
        same_rules: flags.holds(Flag::SameRules),
        independent_operators: flags.holds(Flag::IndependentOperators),
        plausible_price: flags.holds(Flag::PlausiblePrice),
        plausible_margin: flags.holds(Flag::PlausibleMargin),
        stakeable: flags.holds(Flag::Stakeable),
    }
}

fn ttl(ttl: Ttl) -> wire::Ttl {
    let seconds = |micros: Micros| micros as f64 / SECOND as f64;
    wire::Ttl { p10: seconds(ttl.p10), median: seconds(ttl.median), p90: seconds(ttl.p90) }
}

fn doubt(doubt: &FailedCheck) -> wire::Doubt {
    wire::Doubt { flag: doubt.flag.key().to_owned(), reason: doubt.reason.clone() }
}

fn leg(leg: &EntryLeg) -> wire::Leg {
    wire::Leg {
        outcome: leg.outcome.key().to_owned(),
        side: leg.side.key().to_owned(),
        book: leg.book.to_string(),
        price: leg.price.millionths().into(),
        implied_probability: leg.implied_probability,
        stake_share: leg.stake_share,
        price_moved_at: leg.price_moved_at,
        last_seen_at: leg.last_seen_at,
        operator: leg.operator.to_string(),
        effective_price: Some(leg.effective_price.millionths().into()),
        stake: leg.stake,
        liability: leg.liability,
        limit: leg.limit,
    }
}

fn close_signal(closed: &Closed) -> wire::CloseSignal {
    wire::CloseSignal {
        id: closed.id.to_string(),
        event_id: closed.event.id.to_string(),
        reason: closed.reason.key().to_owned(),
        opened_at: closed.opened_at,
        closed_at: closed.closed_at,
        margin_open: closed.margin_open,
        margin_peak: closed.margin_peak,
        margin_close: closed.margin_close,
        sequence: closed.sequence,
        sport: closed.event.sport.to_string(),
        league: closed.event.league.to_string(),
        market: closed.market.family.key().to_owned(),
        period: closed.market.period.key().to_owned(),
        line: closed.line,
        simultaneous_ever: Some(closed.history.simultaneous),
        verified_ever: Some(closed.history.verified),
    }
}

fn line_movement(movement: &Movement) -> wire::LineMovement {
    let still = wire::LineMovement {
        kind: String::new(),
        event: wire_event(&movement.event),
        market: movement.market.family.key().to_owned(),
        period: movement.market.period.key().to_owned(),
        line: movement.line,
        line_from: None,
        outcome: None,
        book: None,
        price_from: None,
        price_to: None,
        probability_change: None,
        window_start: movement.window_start,
        window_end: movement.window_end,
        sequence: movement.sequence,
    };
    match &movement.what {
        Moved::Price { outcome, book, from, to } => wire::LineMovement {
            kind: "price".to_owned(),
            outcome: Some(outcome.key().to_owned()),
            book: Some(book.to_string()),
            price_from: Some(from.millionths().into()),
            price_to: Some(to.millionths().into()),
            probability_change: Some(to.implied_probability() - from.implied_probability()),
            ..still
        },
        Moved::MainLine { from } => {
            wire::LineMovement { kind: "main_line".to_owned(), line_from: Some(*from), ..still }
        }
    }
}

fn stale_alert(alert: &Alert) -> wire::StaleAlert {
    let (scope, state, arb_id) = match alert.scope {
        Scope::Arb(id) => ("arb", "stale", Some(id.to_string())),
        Scope::Book(state) => ("book", state.key(), None),
    };
    wire::StaleAlert {
        scope: scope.to_owned(),
        state: state.to_owned(),
        event: wire_event(&alert.event),
        book: alert.book.to_string(),
        arb_id,
        last_seen_at: alert.last_seen_at,
        expected_interval: alert.expected_interval,
        at: alert.at,
        sequence: alert.sequence,
    }
}
