//! Edge signals of a market: bets that are worth a look though they are no arb, opened, updated and closed.
//!
//! | kind | says | opens | closes, beside what ends all |
//! |---|---|---|---|
//! | `value` | a price pays more than the chance that the other operators see, by the most cautious of five methods | expected return 0.02, 4 operators | below 0.01 |
//! | `low_hold` | the best prices of a line give nearly everything back | `S` at most 1.005 | above 1.01 |
//! | `middle` | bets on two lines that can both win, and cost little where only one does | `S` at most 1.02 | above 1.03 |
//! | `steam` | 3 or more operators shorten an outcome by 0.01 or more within 60 s, none lengthens it so much | at a hop of 10 s | 10 min after the last move |
//! | `stale_price` | a book still offers what it offered before a steam, at an expected return of 0.01 by those who moved | with the steam | its price moves; 30 min after the last move |
//! | `odds_drop` | the median of 3 or more operators' prices has fallen by 8 % within 30 min | at a hop of 5 min | 30 min after the last fall |
//!
//! Those that are read from the table as it stands (`value`, `low_hold`, `middle`) hold while it says so; those that are
//! found when time passes (`steam`, `stale_price`, `odds_drop`) hold for their time. They end with their bets: withdrawn, stale or
//! from before the start; `steam` and `odds_drop`, whose bet is the best price when they were told, when nobody offers the outcome any more. It never opens a window, and says nothing under the raw policy.
//!
//! Sources: the kinds are those of the product's definition; value betting against a consensus as in Kaunitz, Zhong and
//! Kreiner 2017, "Beating the bookies with their own numbers"; hopping windows as in `movement`. Thresholds are the
//! product's own; `arb evaluate --signals` tells what became of each kind.

mod consensus;
mod entry;
mod found;
mod low_hold;
mod line;
mod steam;
mod value;

use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::Micros;
use crate::best::Arb;
use crate::caps::{Cap, LeftOut, MARKET_SIGNALS};
use crate::catalogue::{Line, Outcome, Policy};
use crate::movement::Hops;
use crate::names::Names;
use crate::quotes::{Quote, QuoteStatus};
use crate::state::MarketState;
use crate::window::{MarketContext, Effects, first_16};

pub(crate) use consensus::{ConsensusSample, due as sample_due};
pub use entry::{Edge, Evidence, Role, SignalId};
use found::Found;
pub(crate) use low_hold::CLOSES as HOLD;

/// What a signal says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SignalKind {
    /// A price pays more than the fair chance.
    Value,
    /// The best prices of a line give nearly everything back.
    LowHold,
    /// Two bets that can both win.
    Middle,
    /// Books shorten one outcome together.
    Steam,
    /// A book lags a steam.
    StalePrice,
    /// What books agree on has fallen.
    OddsDrop,
}

impl SignalKind {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Value, Self::LowHold, Self::Middle, Self::Steam, Self::StalePrice, Self::OddsDrop];

    /// Its name in messages.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Value => "value",
            Self::LowHold => "low_hold",
            Self::Middle => "middle",
            Self::Steam => "steam",
            Self::StalePrice => "stale_price",
            Self::OddsDrop => "odds_drop",
        }
    }

    /// From its name.
    #[must_use]
    pub fn parse(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.key() == key)
    }

    /// Whether the table as it stands says it, and nothing else.
    fn is_standing(self) -> bool {
        matches!(self, Self::Value | Self::LowHold | Self::Middle)
    }
}

/// What became of a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignalChange {
    /// It is new.
    Opened,
    /// A bet's book or price, or who says so.
    Updated,
    /// Only times: to the compacted topic alone.
    Refreshed,
    /// It is over.
    Closed(SignalCloseReason),
}

/// Why a signal closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignalCloseReason {
    /// Its time is over, or a bet's price went stale or is from before the start.
    Expired,
    /// What it says holds no longer.
    Faded,
    /// The price that lagged has gone where the others went.
    Followed,
    /// A bet is no longer taken.
    Withdrawn,
    /// The event is over.
    EventEnded,
}

impl SignalChange {
    /// Its name in messages; of a closed one the reason.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Opened => "opened",
            Self::Updated => "updated",
            Self::Refreshed => "refreshed",
            Self::Closed(SignalCloseReason::Expired) => "expired",
            Self::Closed(SignalCloseReason::Faded) => "faded",
            Self::Closed(SignalCloseReason::Followed) => "followed",
            Self::Closed(SignalCloseReason::Withdrawn) => "withdrawn",
            Self::Closed(SignalCloseReason::EventEnded) => "event_ended",
        }
    }
}

/// What a signal is about: of one subject there is one signal at a time. In the order in which they are told.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Subject {
    pub(crate) kind: SignalKind,
    line: Option<Line>,
    /// Of a middle, the second bet's line.
    second: Option<Line>,
    outcome: Option<Outcome>,
    /// Of a stale price, whose.
    book: Option<Arc<str>>,
}

impl Subject {
    /// The line that it is about; of a middle that of the first bet.
    pub(crate) fn line(&self) -> Option<Line> {
        self.line
    }

    /// What these bets are about.
    pub(crate) fn of(kind: SignalKind, bets: &[Quote], names: &Names) -> Option<Self> {
        let first = bets.first()?;
        let one = matches!(kind, SignalKind::Value | SignalKind::Steam | SignalKind::StalePrice | SignalKind::OddsDrop);
        let second = bets.get(1).filter(|_| kind == SignalKind::Middle);
        Some(Self {
            kind,
            line: first.key.line,
            second: second.and_then(|second| second.key.line),
            outcome: one.then_some(first.key.outcome),
            book: (kind == SignalKind::StalePrice).then(|| Arc::clone(names.name(first.key.book))),
        })
    }
}

/// An open signal as the state keeps it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Signal {
    pub(crate) subject: Subject,
    pub(crate) id: SignalId,
    pub(crate) opened_at: Micros,
    pub(crate) expires_at: Micros,
    pub(crate) sequence: i64,
    pub(crate) strength: f64,
    pub(crate) confidence: f64,
    /// As they were when it was last told.
    pub(crate) bets: Vec<Quote>,
}

/// The signals of a market after its table has changed; `open` were open before. Sorted by subject, as `open` is.
pub(crate) fn update_signals(
    open: &[Signal],
    look: &Look<'_>,
    context: &MarketContext<'_>,
    effects: &mut Effects<'_>,
) -> Vec<Signal> {
    if context.step.pricing.policy == Policy::Raw {
        return Vec::new();
    }
    let mut found = Vec::new();
    value::find(look, open, context, &mut found);
    low_hold::find(look, open, context, &mut found, &mut effects.left_out);
    found.sort_by(|a: &Found, b| a.subject.cmp(&b.subject));
    let keeps = |signal: &Signal| {
        if signal.subject.kind.is_standing() {
            return Err(why_faded(signal, look.quotes));
        }
        lost(signal, look.quotes, context).map_or(Ok(()), Err)
    };
    merge(open, found, keeps, context, effects)
}

/// The signals of a market after time has passed, where they are not what they were, and the samples of its consensus.
pub(crate) fn pass_time(
    now: &MarketState,
    outcomes: &[Outcome],
    main_line: Option<Line>,
    hops: Hops,
    context: &MarketContext<'_>,
    effects: &mut Effects<'_>,
) -> (Option<Vec<Signal>>, Option<Vec<ConsensusSample>>) {
    if context.step.pricing.policy == Policy::Raw {
        return (None, None);
    }
    let (open, table) = (&now.signals, Table { now, outcomes, main_line });
    let mut found = Vec::new();
    steam::find(table, hops, context, &mut found);
    let samples = consensus::pass_time(table, hops, context, &mut found);
    let now = context.step.moment.watermark;
    if found.is_empty() && due(open) > now {
        return (None, samples);
    }
    found.sort_by(|a: &Found, b| a.subject.cmp(&b.subject));
    let keeps = |signal: &Signal| {
        let is_over = signal.expires_at < now && !signal.subject.kind.is_standing();
        if is_over { Err(SignalCloseReason::Expired) } else { Ok(()) }
    };
    let signals = merge(open, found, keeps, context, effects);
    let is_other = signals != *open;
    (is_other.then_some(signals), samples)
}

/// A market's table as it stands.
#[derive(Debug)]
pub(crate) struct Look<'a> {
    pub(crate) quotes: &'a [Quote],
    pub(crate) outcomes: &'a [Outcome],
    /// Of each line where the best prices are nearly an arb.
    pub(crate) covers: Vec<Arb<'a>>,
}

/// A market when time passes over it.
#[derive(Debug, Clone, Copy)]
struct Table<'a> {
    now: &'a MarketState,
    outcomes: &'a [Outcome],
    main_line: Option<Line>,
}

/// Closes all signals of an event that is over.
pub(crate) fn end(open: &[Signal], context: &MarketContext<'_>, effects: &mut Effects<'_>) {
    for signal in open {
        close(signal, SignalCloseReason::EventEnded, context, effects);
    }
}

/// After which watermark time ends one of them; those that the table holds end with its quotes.
pub(crate) fn due(open: &[Signal]) -> Micros {
    let timed = open.iter().filter(|signal| !signal.subject.kind.is_standing());
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

/// Open and found, side by side: every pair of (was open, is found) written out. Both are sorted by subject.
fn merge(
    open: &[Signal],
    mut found: Vec<Found>,
    keeps: impl Fn(&Signal) -> Result<(), SignalCloseReason>,
    context: &MarketContext<'_>,
    effects: &mut Effects<'_>,
) -> Vec<Signal> {
    admit(open, &mut found, &mut effects.left_out);
    let mut signals = Vec::with_capacity(found.len());
    let mut open = open.iter().peekable();
    let keep = |signal: &Signal, signals: &mut Vec<Signal>, effects: &mut Effects<'_>| match keeps(signal) {
        Ok(()) => signals.push(signal.clone()),
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
    entry::publish(SignalChange::Opened, &signal, Some(detail), context, effects);
    signal
}

fn go_on(was: &Signal, found: Found, context: &MarketContext<'_>, effects: &mut Effects<'_>) -> Signal {
    let change = change(was, &found, context);
    let sequence = if change == Some(SignalChange::Updated) { effects.next() } else { was.sequence };
    let (signal, detail) = found.signal(was.id, was.opened_at, sequence);
    if let Some(change) = change {
        entry::publish(change, &signal, Some(detail), context, effects);
    }
    signal
}

/// What is to be told of a signal that is found again.
fn change(was: &Signal, found: &Found, context: &MarketContext<'_>) -> Option<SignalChange> {
    let bet = |bet: &Quote| (bet.key, bet.price);
    let times = |bet: &Quote| (bet.span_end, bet.price_moved_at);
    let same_bets = was.bets.iter().map(bet).eq(found.bets.iter().map(bet));
    // What says so of a standing one moves with every price of the line: that is told with the bets' next change.
    let same_sayers = was.subject.kind.is_standing() || was.expires_at == found.expires_at;
    let same_times = was.bets.iter().map(times).eq(found.bets.iter().map(times));
    match (same_bets && same_sayers, same_times && !context.step.event_changed) {
        (false, _) => Some(SignalChange::Updated),
        (true, false) => Some(SignalChange::Refreshed),
        (true, true) => None,
    }
}

fn close(signal: &Signal, reason: SignalCloseReason, context: &MarketContext<'_>, effects: &mut Effects<'_>) {
    let signal = Signal { sequence: effects.next(), ..signal.clone() };
    entry::publish(SignalChange::Closed(reason), &signal, None, context, effects);
}

/// Why a standing signal is not found any more.
fn why_faded(signal: &Signal, quotes: &[Quote]) -> SignalCloseReason {
    gone(signal, quotes).unwrap_or(SignalCloseReason::Faded)
}

/// Why a signal that holds for its time holds no longer; `None` while it does.
fn lost(signal: &Signal, quotes: &[Quote], context: &MarketContext<'_>) -> Option<SignalCloseReason> {
    if signal.subject.kind != SignalKind::StalePrice {
        // Its bet is the best of many books': another takes its place.
        let outcome = |quote: &Quote| (quote.key.line, quote.key.outcome, quote.key.side);
        let is_offered = |quote: &Quote| {
            quote.standing == QuoteStatus::OnOffer
                && signal.bets.iter().any(|bet| outcome(bet) == outcome(quote))
        };
        return (!quotes.iter().any(is_offered)).then(|| why_faded(signal, quotes));
    }
    let is_over = signal.expires_at < context.step.moment.watermark;
    let bet = signal.bets.first()?;
    let now = quotes.iter().find(|quote| quote.key == bet.key);
    gone(signal, quotes).or(match now.map(|now| now.price.cmp(&bet.price)) {
        Some(std::cmp::Ordering::Less) => Some(SignalCloseReason::Followed),
        Some(std::cmp::Ordering::Greater) => Some(SignalCloseReason::Faded),
        _ => is_over.then_some(SignalCloseReason::Expired),
    })
}

/// Whether a bet is gone, and how.
fn gone(signal: &Signal, quotes: &[Quote]) -> Option<SignalCloseReason> {
    let standing = |bet: &Quote| quotes.iter().find(|quote| quote.key == bet.key).map(|quote| quote.standing);
    signal.bets.iter().find_map(|bet| match standing(bet) {
        None | Some(QuoteStatus::Suspended) => Some(SignalCloseReason::Withdrawn),
        Some(QuoteStatus::Stale | QuoteStatus::Started) => Some(SignalCloseReason::Expired),
        Some(QuoteStatus::OnOffer) => None,
    })
}

/// The first 16 bytes of SHA-256 over the subject and the coordinates of the record that opens the signal.
fn signal_id(subject: &Subject, context: &MarketContext<'_>) -> SignalId {
    let at = context.step.at;
    let mut hash = Sha256::new();
    // One record can open a signal by the time that it brings, and another of the same subject by what it says.
    let by = if context.step.by_time { "time" } else { "frame" };
    hash.update(format!("{by}/{}/{}/{}/{}", at.topic, at.partition, at.offset, context.step.event.id));
    let Subject { kind, line, second, outcome, book } = subject;
    let outcome = outcome.map_or("", Outcome::key);
    let book = book.as_deref().unwrap_or_default();
    hash.update(format!("/{}/{}/{line:?}/{second:?}/{outcome}/{book}", context.market.key(), kind.key()));
    SignalId(first_16(hash))
}
