//! The life of a market's signals: opened, updated, closed.
//!
//! Every pair of (was open, is found) is written out. It never opens a window.

use std::sync::Arc;

use crate::Micros;
use crate::caps::{Cap, LeftOut, MARKET_SIGNALS};
use crate::context::MarketContext;
use crate::effect::{Effects, SignalChange, SignalCloseReason, SignalKind};
use crate::market::Policy;
use crate::movement::Hops;
use crate::quotes::{Quote, QuoteStatus, find, of_bet, on_line};

use super::consensus;
use super::consensus_sample::ConsensusSample;
use super::found::Found;
use super::low_hold;
use super::publish::publish;
use super::signal::Signal;
use super::signal_id::signal_id;
use super::steam;
use super::value;
use super::view::{PassedMarket, TableView};

/// The signals of a market after its table has changed; `open` were open before. Sorted by subject, as `open` is.
pub(crate) fn update_signals(
    open: Arc<[Signal]>,
    view: &TableView<'_>,
    context: &MarketContext<'_>,
    effects: &mut Effects<'_>,
) -> Arc<[Signal]> {
    if context.step.pricing.policy == Policy::Raw {
        return Arc::default();
    }
    let mut found = Vec::new();
    value::find(view, &open, context, &mut found);
    low_hold::find(view, &open, context, &mut found, &mut effects.left_out);
    found.sort_by(|a: &Found, b| a.subject.cmp(&b.subject));
    let keeps = |signal: &Signal| {
        let lost = if signal.subject.kind.is_of_table() {
            faded(signal, view)
        } else {
            lost(signal, view.quotes, context)
        };
        lost.map_or_else(|| Ok(expires_at(signal, context)), Err)
    };
    if found.is_empty() && open.iter().all(|signal| keeps(signal) == Ok(signal.expires_at)) {
        return open;
    }
    merge(&open, found, keeps, context, effects).into()
}

/// The signals of a market after time has passed, where they are not what they were, and the samples of its consensus.
pub(crate) fn pass_time(
    market: PassedMarket<'_>,
    open: &[Signal],
    hops: Hops,
    context: &MarketContext<'_>,
    effects: &mut Effects<'_>,
) -> (Option<Arc<[Signal]>>, Option<Vec<ConsensusSample>>) {
    if context.step.pricing.policy == Policy::Raw {
        return (None, None);
    }
    let mut found = Vec::new();
    steam::find(market, hops, context, &mut found);
    let samples = consensus::pass_time(market, hops, context, &mut found);
    let now = context.step.moment.watermark;
    if found.is_empty() && due(open) > now {
        return (None, samples);
    }
    found.sort_by(|a: &Found, b| a.subject.cmp(&b.subject));
    let keeps = |signal: &Signal| {
        let is_over = signal.expires_at < now && !signal.subject.kind.is_of_table();
        if is_over { Err(SignalCloseReason::Expired) } else { Ok(signal.expires_at) }
    };
    let signals = merge(open, found, keeps, context, effects);
    let is_other = signals != *open;
    (is_other.then(|| signals.into()), samples)
}

/// Closes all signals of an event that is over.
pub(crate) fn end(open: &[Signal], context: &MarketContext<'_>, effects: &mut Effects<'_>) {
    for signal in open {
        close(signal, SignalCloseReason::EventEnded, context, effects);
    }
}

/// After which watermark time ends one of them; those that the table holds end with its quotes.
pub(crate) fn due(open: &[Signal]) -> Micros {
    let timed = open.iter().filter(|signal| !signal.subject.kind.is_of_table());
    timed.map(|signal| signal.expires_at.saturating_add(1)).min().unwrap_or(Micros::MAX)
}

/// Leaves out what is new for which there is no room; what is open stays. Both are sorted by subject.
fn admit(open: &[Signal], found: &mut Vec<Found>, left_out: &mut LeftOut) {
    let mut room = MARKET_SIGNALS.saturating_sub(open.len());
    if found.len() <= room {
        return;
    }
    let before = found.len();
    found.retain(|found| {
        let is_open = open.binary_search_by(|signal| signal.subject.cmp(&found.subject)).is_ok();
        let has_room = is_open || room > 0;
        room -= usize::from(has_room && !is_open);
        has_room
    });
    left_out.add(Cap::MarketSignals, before - found.len());
}

/// Open and found, side by side: every pair of (was open, is found) written out. Both are sorted by subject. `keeps` says when a signal
/// that is not found expires.
fn merge(
    open: &[Signal],
    mut found: Vec<Found>,
    keeps: impl Fn(&Signal) -> Result<Micros, SignalCloseReason>,
    context: &MarketContext<'_>,
    effects: &mut Effects<'_>,
) -> Vec<Signal> {
    admit(open, &mut found, &mut effects.left_out);
    let mut signals = Vec::with_capacity(found.len());
    let mut open = open.iter().peekable();
    let keep = |signal: &Signal, signals: &mut Vec<Signal>, effects: &mut Effects<'_>| match keeps(signal) {
        Ok(expires_at) => signals.push(Signal { expires_at, ..signal.clone() }),
        Err(reason) => close(signal, reason, context, effects),
    };
    for found in found {
        while let Some(other) = open.next_if(|signal| signal.subject < found.subject) {
            keep(other, &mut signals, effects);
        }
        match open.next_if(|signal| signal.subject == found.subject) {
            None => signals.push(begin(found, context, effects)),
            Some(was) => signals.push(go_on(was, found, context, effects)),
        }
    }
    for other in open {
        keep(other, &mut signals, effects);
    }
    signals
}

fn begin(found: Found, context: &MarketContext<'_>, effects: &mut Effects<'_>) -> Signal {
    let id = signal_id(&found.subject, context);
    let (signal, detail) = found.signal(id, context.step.now, effects.next());
    publish(SignalChange::Opened, &signal, Some(detail), context, effects);
    signal
}

fn go_on(was: &Signal, found: Found, context: &MarketContext<'_>, effects: &mut Effects<'_>) -> Signal {
    let change = change(was, &found, context);
    let sequence = if change == Some(SignalChange::Updated) { effects.next() } else { was.sequence };
    let (signal, detail) = found.signal(was.id, was.opened_at, sequence);
    if let Some(change) = change {
        publish(change, &signal, Some(detail), context, effects);
    }
    signal
}

/// How a signal that is found again has changed; `None` where nothing is to be published.
fn change(was: &Signal, found: &Found, context: &MarketContext<'_>) -> Option<SignalChange> {
    let bet = |bet: &Quote| (bet.key, bet.price);
    let times = |bet: &Quote| (bet.span_end, bet.price_moved_at);
    let same_bets = was.bets.iter().map(bet).eq(found.bets.iter().map(bet));
    // The evidence of a signal that follows from the table changes with every price of the line: it is
    // published with the bets' next change.
    let same_sayers = was.subject.kind.is_of_table() || was.expires_at == found.expires_at;
    let same_times = was.bets.iter().map(times).eq(found.bets.iter().map(times));
    match (same_bets && same_sayers, same_times && !context.step.event_changed) {
        (false, _) => Some(SignalChange::Updated),
        (true, false) => Some(SignalChange::Refreshed),
        (true, true) => None,
    }
}

fn close(signal: &Signal, reason: SignalCloseReason, context: &MarketContext<'_>, effects: &mut Effects<'_>) {
    let signal = Signal { sequence: effects.next(), ..signal.clone() };
    publish(SignalChange::Closed(reason), &signal, None, context, effects);
}

/// Why a signal that follows from the table is not found; `None` of one that was not looked for, because its line is as it was.
fn faded(signal: &Signal, view: &TableView<'_>) -> Option<SignalCloseReason> {
    let is_of = |line: &&[Quote]| line[0].key.line() == signal.subject.line();
    let was_looked_for = match signal.subject.kind {
        // Of pairs of lines all are looked at.
        SignalKind::Middle => !view.lines.is_empty(),
        _ => view.lines.iter().any(is_of),
    };
    if was_looked_for {
        return Some(why_faded(signal, view.quotes));
    }
    // The bets of a line that is as it was are what they were.
    if view.is_known_beside_lines { None } else { gone(signal, view.quotes) }
}

/// When a signal that is kept expires: of one that follows from the table when its bets do, which depends on what is expected of their
/// books by now.
fn expires_at(signal: &Signal, context: &MarketContext<'_>) -> Micros {
    let until = |bet: &Quote| context.step.moment.fresh_until(bet.span_end, bet.key.book());
    let until = signal.bets.iter().filter(|_| signal.subject.kind.is_of_table()).map(until);
    until.min().unwrap_or(signal.expires_at)
}

/// Why a signal that the table holds is not found any more.
fn why_faded(signal: &Signal, quotes: &[Quote]) -> SignalCloseReason {
    gone(signal, quotes).unwrap_or(SignalCloseReason::Faded)
}

/// Why a signal that holds for its time holds no longer; `None` while it does.
fn lost(signal: &Signal, quotes: &[Quote], context: &MarketContext<'_>) -> Option<SignalCloseReason> {
    if signal.subject.kind != SignalKind::StalePrice {
        // Its bet is the best of many books': another takes its place.
        let others = |bet: &Quote| of_bet(on_line(quotes, bet.key.line()), bet.key.outcome(), bet.key.side());
        let is_offered = |quote: &Quote| quote.status == QuoteStatus::OnOffer;
        let is_kept = signal.bets.iter().any(|bet| others(bet).iter().any(is_offered));
        return (!is_kept).then(|| why_faded(signal, quotes));
    }
    let is_over = signal.expires_at < context.step.moment.watermark;
    let bet = signal.bets.first()?;
    let now = find(quotes, bet.key);
    gone(signal, quotes).or(match now.map(|now| now.price.cmp(&bet.price)) {
        Some(std::cmp::Ordering::Less) => Some(SignalCloseReason::Followed),
        Some(std::cmp::Ordering::Greater) => Some(SignalCloseReason::Faded),
        _ => is_over.then_some(SignalCloseReason::Expired),
    })
}

/// Whether a bet is gone, and how.
fn gone(signal: &Signal, quotes: &[Quote]) -> Option<SignalCloseReason> {
    let status = |bet: &Quote| find(quotes, bet.key).map(|quote| quote.status);
    signal.bets.iter().find_map(|bet| match status(bet) {
        None | Some(QuoteStatus::Suspended) => Some(SignalCloseReason::Withdrawn),
        Some(QuoteStatus::Stale | QuoteStatus::Started) => Some(SignalCloseReason::Expired),
        Some(QuoteStatus::OnOffer) => None,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::context::StepContext;
    use crate::effect::{Effect, SignalId};
    use crate::fixtures::{World, context, price, quote};
    use crate::learning::Samples;
    use crate::market::Outcome;
    use crate::venues::Books;

    /// What is found of a total: a value of `over` at a line, at a price.
    fn found(world: &World, line: i32, decimal: &str) -> Found {
        let bet = quote(world.book("a"), Some(line), Outcome::Over, price(decimal));
        Found::new(SignalKind::Value, vec![bet], 100, &world.names).unwrap()
    }

    fn open(world: &World, line: i32) -> Signal {
        found(world, line, "2").signal(SignalId([u8::try_from(line / 500).unwrap(); 16]), 3, 7).0
    }

    /// What is open after a merge, and what is published: the change, and the line.
    fn merged(
        world: &World,
        was: &[Signal],
        found: Vec<Found>,
        keeps: impl Fn(&Signal) -> Result<(), SignalCloseReason>,
        change: impl Fn(&mut StepContext<'_>),
    ) -> (Vec<Signal>, Vec<(String, i32, i64)>) {
        let mut step = world.step(1, 50);
        change(&mut step);
        let mut out = Vec::new();
        let (samples, left_out) = (Samples::default(), LeftOut::default());
        let mut effects = Effects { sequence: 10, out: &mut out, samples, left_out };
        let keeps = |signal: &Signal| keeps(signal).map(|()| signal.expires_at);
        let signals = merge(was, found, keeps, &context(&step, "totals"), &mut effects);
        let published = out.iter().map(|effect| match effect {
            Effect::Signal(change, edge) => (change.key().to_owned(), edge.line.unwrap().0, edge.sequence),
            other => unreachable!("{other:?}"),
        });
        let published = published.collect();
        (signals, published)
    }

    const FADED: Result<(), SignalCloseReason> = Err(SignalCloseReason::Faded);

    #[test]
    fn every_pair_of_was_open_and_is_found() {
        let world = World::new(Books::default(), 1);
        let was = [open(&world, 1_000), open(&world, 2_000), open(&world, 3_000), open(&world, 4_000)];
        // 500 is new, 1,000 has another price, 2,000 is the same, 3,000 is found no more, nor is 4,000, which is kept.
        let now = vec![found(&world, 500, "2"), found(&world, 1_000, "2.1"), found(&world, 2_000, "2")];
        let keeps = |signal: &Signal| if signal.subject.line() == Some(4_000) { Ok(()) } else { FADED };
        let (signals, published) = merged(&world, &was, now, keeps, |_| ());
        let changes: Vec<_> =
            published.iter().map(|(what, line, number)| (what.as_str(), *line, *number)).collect();
        assert_eq!(changes, [("opened", 500, 11), ("updated", 1_000, 12), ("faded", 3_000, 13)]);
        let lines: Vec<_> =
            signals.iter().map(|signal| (signal.subject.line().unwrap(), signal.sequence)).collect();
        assert_eq!(lines, [(500, 11), (1_000, 12), (2_000, 7), (4_000, 7)]);
        assert_eq!(signals[1].id, was[0].id, "it is the same signal");
        assert_eq!((signals[0].opened_at, signals[1].opened_at), (50, 3));
    }

    #[test]
    fn a_signal_whose_event_changed_is_written_again_without_a_number() {
        let world = World::new(Books::default(), 1);
        let was = [open(&world, 1_000)];
        let (signals, published) = merged(
            &world,
            &was,
            vec![found(&world, 1_000, "2")],
            |_| FADED,
            |step| step.event_changed = true,
        );
        assert_eq!((signals[0].sequence, published), (7, vec![("refreshed".to_owned(), 1_000, 7)]));
    }

    proptest! {
        /// Whatever was open and is found: what is open afterwards is what was found or kept, sorted, each subject once; and what
        /// closes was open and is neither.
        #[test]
        fn every_open_signal_was_found_or_kept(
            was in prop::collection::btree_set(1..20_i32, 0..12),
            now in prop::collection::btree_set(1..20_i32, 0..12),
            kept in prop::collection::btree_set(1..20_i32, 0..12),
        ) {
            let world = World::new(Books::default(), 1);
            let open: Vec<_> = was.iter().map(|line| open(&world, line * 500)).collect();
            let found: Vec<_> = now.iter().map(|line| found(&world, line * 500, "2")).collect();
            let is_kept = |signal: &Signal| kept.contains(&(signal.subject.line().unwrap() / 500));
            let keeps = |signal: &Signal| if is_kept(signal) { Ok(()) } else { FADED };
            let (signals, published) = merged(&world, &open, found, keeps, |_| ());
            let lines: Vec<_> = signals.iter().map(|signal| signal.subject.line().unwrap() / 500).collect();
            let stays = was.iter().filter(|line| kept.contains(line)).chain(&now);
            let expected: std::collections::BTreeSet<_> = stays.copied().collect();
            prop_assert_eq!(lines, expected.iter().copied().collect::<Vec<_>>());
            for (what, line, _) in &published {
                let line = line / 500;
                let (was_open, is_open) = (was.contains(&line), expected.contains(&line));
                prop_assert_eq!((what.as_str() == "opened", what.as_str() == "faded"), (!was_open, !is_open));
            }
            prop_assert!(published.iter().map(|(_, _, number)| *number).zip(11..).all(|(number, expected)| number == expected));
        }

        /// Beyond the cap what is new is left out and counted, in its order; what is open is never displaced.
        #[test]
        fn an_open_signal_is_never_displaced(room in 0..6_usize, fresh in 0..10_usize, found_again in 0..10_usize) {
            let world = World::new(Books::default(), 1);
            let lines = |count: usize| (0..i32::MAX).map(|at| 1_000 * at).take(count).collect::<Vec<_>>();
            let of = |line: i32| Signal { id: SignalId([0; 16]), ..open(&world, line % 100_000) };
            let open: Vec<_> = lines(MARKET_SIGNALS - room)
                .into_iter()
                .map(|line| Signal { subject: found(&world, line, "2").subject, ..of(1_000) })
                .collect();
            let mut finds: Vec<_> = open[..found_again].iter().map(|signal| found(&world, signal.subject.line().unwrap(), "2")).collect();
            finds.extend((0..fresh).map(|at| found(&world, 500 * (2 * i32::try_from(at).unwrap() + 1), "2")));
            finds.sort_by(|a, b| a.subject.cmp(&b.subject));
            let mut left_out = LeftOut::default();
            admit(&open, &mut finds, &mut left_out);
            prop_assert_eq!(finds.len(), found_again + fresh.min(room));
            let lost = left_out.iter().map(|(_, count)| count as usize).sum::<usize>();
            prop_assert_eq!(lost, fresh.saturating_sub(room));
            let new = finds.iter().map(|found| found.subject.line().unwrap()).filter(|line| line % 1_000 == 500);
            prop_assert!(new.eq((0..fresh.min(room)).map(|at| 500 * (2 * i32::try_from(at).unwrap() + 1))));
        }
    }

    #[test]
    fn the_state_of_the_bet_gives_the_closing_reason() {
        let world = World::new(Books::default(), 1);
        let signal = open(&world, 1_000);
        let reason = |status: Option<QuoteStatus>| {
            let quotes: Vec<_> =
                status.map(|status| Quote { status, ..signal.bets[0] }).into_iter().collect();
            why_faded(&signal, &quotes)
        };
        assert_eq!(reason(None), SignalCloseReason::Withdrawn);
        assert_eq!(reason(Some(QuoteStatus::Suspended)), SignalCloseReason::Withdrawn);
        assert_eq!(reason(Some(QuoteStatus::Stale)), SignalCloseReason::Expired);
        assert_eq!(reason(Some(QuoteStatus::Started)), SignalCloseReason::Expired);
        assert_eq!(
            reason(Some(QuoteStatus::OnOffer)),
            SignalCloseReason::Faded,
            "the bet stands, and no longer pays enough"
        );
    }

    #[test]
    fn a_price_that_lags_ends_by_its_own_move_or_by_its_time() {
        let world = World::new(Books::default(), 2);
        let bet = quote(world.book("a"), None, Outcome::Home, price("2.2"));
        let of = |kind| {
            let found = Found::new(kind, vec![bet], 100, &world.names).unwrap();
            found.signal(SignalId([1; 16]), 3, 7).0
        };
        let lost_at = |signal: &Signal, quote: Quote, now| {
            let step = world.step(0, now);
            lost(signal, &[quote], &context(&step, "h2h"))
        };
        let lags = of(SignalKind::StalePrice);
        let at = |decimal: &str| Quote { price: price(decimal), ..bet };
        assert_eq!(lost_at(&lags, bet, 100), None, "it still stands");
        assert_eq!(lost_at(&lags, bet, 101), Some(SignalCloseReason::Expired));
        assert_eq!(lost_at(&lags, at("2.1"), 50), Some(SignalCloseReason::Followed));
        assert_eq!(lost_at(&lags, at("2.3"), 50), Some(SignalCloseReason::Faded));
        // A steam is about the outcome: while anybody offers it there is one.
        let steam = of(SignalKind::Steam);
        let another = Quote { key: bet.key.with_book(world.book("b")), ..bet };
        assert_eq!((lost_at(&steam, another, 50), lost_at(&steam, at("1.5"), 50)), (None, None));
        let suspended = Quote { status: QuoteStatus::Suspended, ..bet };
        assert_eq!(lost_at(&steam, suspended, 50), Some(SignalCloseReason::Withdrawn));
    }

    #[test]
    fn only_signals_that_hold_for_a_time_are_due() {
        let world = World::new(Books::default(), 1);
        let of = |kind, expires_at| {
            let bet = quote(world.book("a"), None, Outcome::Home, price("2"));
            Found::new(kind, vec![bet], expires_at, &world.names).unwrap().signal(SignalId([1; 16]), 0, 1).0
        };
        assert_eq!(due(&[]), Micros::MAX);
        assert_eq!(due(&[of(SignalKind::Value, 5), of(SignalKind::LowHold, 5)]), Micros::MAX);
        assert_eq!(
            due(&[of(SignalKind::Value, 5), of(SignalKind::Steam, 90), of(SignalKind::OddsDrop, 70)]),
            71
        );
    }
}
