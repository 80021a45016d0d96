//! One market of one event, updated: its quotes merged, or grown older, then its lines evaluated.
//!
//! It never looks at another market, and never at a line before the whole frame is merged.

use std::collections::BTreeSet;
use std::mem;
use std::sync::Arc;

use crate::arbs::{self, Arb, LineCovers, Window};
use crate::caps::{Cap, MARKET_LINKS};
use crate::context::MarketContext;
use crate::effect::Effects;
use crate::market::{Family, Line, Market, Outcome, OutcomeSet, Policy, REGULATION, Side, Symbol};
use crate::movement::{self, Hops};
use crate::odds;
use crate::quotes::{
    self, MergeContext, Merged, Moment, Moves, Observation, Quote, QuoteSummary, SourceUpdate,
};
use crate::signals::{self, ConsensusSample, LOW_HOLD_CLOSES, PassedMarket, Signal, TableView};
use crate::state::MarketState;
use crate::venues::{self, Draws, SourceLink};

use super::admission;
use super::probe::{Probe, StepStage};
use super::touched_lines::{TouchedLine, TouchedLines};

/// A market that was or is seen: as it was, and what is seen of it.
pub(crate) type MarketPair<'a> = (Market, Option<Arc<MarketState>>, &'a [Observation]);

/// The markets that were or are seen, each once, in order, in which both are given.
pub(crate) fn markets_of(
    was: Vec<Arc<MarketState>>,
    seen: &[Observation],
) -> impl Iterator<Item = MarketPair<'_>> {
    let mut was = was.into_iter().peekable();
    let mut seen = seen.chunk_by(|a, b| a.market == b.market).peekable();
    std::iter::from_fn(move || {
        let next = [was.peek().map(|was| was.market), seen.peek().map(|seen| seen[0].market)];
        let market = next.into_iter().flatten().min()?;
        let was = was.next_if(|was| was.market == market);
        Some((market, was, seen.next_if(|seen| seen[0].market == market).unwrap_or_default()))
    })
}

/// A market after an update; `None` when nothing of it is left.
pub(crate) fn update_market(
    old: Option<Arc<MarketState>>,
    seen: &[Observation],
    update: &SourceUpdate,
    context: &MarketContext<'_>,
    effects: &mut Effects<'_>,
    probe: &mut impl Probe,
) -> Option<Arc<MarketState>> {
    let market = context.market;
    let table = old.as_ref().map_or(&[][..], |old| &old.quotes);
    if seen.is_empty() && !context.step.event_changed && !quotes::any_withdrawn(market, table, update) {
        return old;
    }
    probe.enter(StepStage::Merge);
    let mut old = old.unwrap_or_else(|| Arc::new(MarketState::empty(market, None)));
    let mut kept = Kept::of(&mut old);
    movement::forget_passed(&mut kept.moves, context.step.moment.watermark);
    let mut new_moves = Vec::new();
    let merging = MergeContext { market, update, moment: context.step.moment, pricing: context.step.pricing };
    let table = (kept.quotes, old.summary);
    let merged = quotes::merge(table, seen, &merging, &mut effects.samples, &mut new_moves);
    let Merged { table: mut quotes, mut summary, lines: changed } = merged;
    let names = context.step.pricing.names;
    admission::limit_moves(&kept.moves, &mut new_moves, names.count(), &mut effects.left_out);
    // By name, as all that is written down: the order of the keys is that of symbols.
    new_moves.sort_by_key(|moved| (moved.key.line(), moved.key.outcome(), names.place(moved.key.book())));
    kept.moves.extend(new_moves);
    if context.step.event_changed {
        // It may begin at another time: that is for the quotes which the frame does not name too.
        for quote in &mut quotes {
            quote.status = context.step.moment.status(quote);
        }
        summary = QuoteSummary::of(&quotes, summary.made_at);
    }
    probe.enter(StepStage::Evaluate);
    let links = links_after(&old.links, market, &quotes, update, effects);
    let has_new_links = *links != *old.links;
    let drawn = drawn_after(&old.drawn, &quotes, &merging);
    let context = &MarketContext { links: &links, has_new_links, drawn: &drawn, ..*context };
    // Of another event anything may be another: its sport, its league, what time makes of its prices. With the first draw the outcomes are.
    let is_another = context.step.event_changed || drawn != old.drawn;
    let evaluated = Some(&*old).filter(|_| !is_another);
    let is_seen = |key| seen.binary_search_by(|seen| seen.key.cmp(&key)).is_ok();
    let touched = TouchedLines::of(evaluated, &quotes, &changed, is_seen);
    let Evaluated { windows, signals, is_settled } =
        evaluate(&old, &quotes, touched, context, effects, probe);
    if quotes.is_empty() && windows.is_empty() {
        // Nothing is left of it but that a draw was listed.
        return (!drawn.is_empty())
            .then(|| put(old, MarketState { drawn, ..MarketState::empty(market, None) }));
    }
    let (main_line, moves, consensus) = (old.main_line, kept.moves, kept.consensus);
    let state = MarketState {
        market,
        quotes,
        windows,
        moves,
        main_line,
        signals,
        consensus,
        summary,
        links,
        drawn,
        is_settled,
    };
    Some(put(old, state))
}

/// What of a market an update changes in its place, or leaves as it is.
struct Kept {
    quotes: Vec<Quote>,
    moves: Moves,
    consensus: Vec<ConsensusSample>,
}

impl Kept {
    /// Taken out of a market that nobody else has, which an update in the same transaction has made; else copied.
    fn of(market: &mut Arc<MarketState>) -> Self {
        if let Some(own) = Arc::get_mut(market) {
            let (quotes, moves) = (mem::take(&mut own.quotes), mem::take(&mut own.moves));
            return Self { quotes, moves, consensus: mem::take(&mut own.consensus) };
        }
        let MarketState { quotes, moves, consensus, .. } = &**market;
        Self { quotes: quotes.clone(), moves: moves.clone(), consensus: consensus.clone() }
    }
}

/// A market in the place of what it was, where nobody else has that.
fn put(mut place: Arc<MarketState>, state: MarketState) -> Arc<MarketState> {
    let Some(own) = Arc::get_mut(&mut place) else { return Arc::new(state) };
    *own = state;
    place
}

/// The links of a market whose quotes are these after an update.
fn links_after(
    were: &Arc<[SourceLink]>,
    market: Market,
    quotes: &[Quote],
    update: &SourceUpdate,
    effects: &mut Effects<'_>,
) -> Arc<[SourceLink]> {
    if were.is_empty() && update.links.is_empty() {
        return Arc::clone(were);
    }
    let has_quote = |book| quotes.iter().any(|quote| quote.key.book() == book);
    let (links, left_out) = venues::restated(were, &update.links_of(market), has_quote);
    effects.left_out.add(Cap::MarketLinks, left_out);
    if *links == **were { Arc::clone(were) } else { links.into() }
}

/// The books that have listed a draw in a market whose quotes are these after an update, of so many at most those of the table first, then
/// by name. The raw policy remembers none, and where the draw is sold everywhere it makes no difference.
pub(super) fn drawn_after(
    were: &Arc<[Symbol]>,
    quotes: &[Quote],
    merging: &MergeContext<'_>,
) -> Arc<[Symbol]> {
    let MergeContext { market, pricing, update, .. } = *merging;
    let is_sold = pricing.draws.in_period(market.period) == Draws::Sold;
    if pricing.policy == Policy::Raw || is_sold {
        return Arc::clone(were);
    }
    // Such a market has one line.
    let listed = Side::ALL.into_iter().flat_map(|side| quotes::of_bet(quotes, Outcome::Draw, side));
    let listed = listed.map(|quote| quote.key.book()).filter(|_| market.family == Family::H2h);
    let of_regulation = update.drawn.iter().copied().filter(|_| market == REGULATION);
    let new: BTreeSet<_> = listed.chain(of_regulation).filter(|book| !were.contains(book)).collect();
    if new.is_empty() {
        return Arc::clone(were);
    }
    let mut drawn: Vec<_> = were.iter().copied().chain(new).collect();
    if drawn.len() > MARKET_LINKS {
        drawn.sort_by_key(|book| (!pricing.venues.is_known(*book), pricing.names.place(*book)));
        drawn.truncate(MARKET_LINKS);
    }
    drawn.sort_unstable();
    drawn.into()
}

/// A market after time has passed; `None` when it is as it was.
pub(crate) fn pass_time(
    old: &MarketState,
    hops: Hops,
    context: &MarketContext<'_>,
    effects: &mut Effects<'_>,
) -> Option<Arc<MarketState>> {
    let main_line = main_line(old, hops, context);
    let aged = is_aged(old, &context.step.moment).then(|| aged(old, context, effects));
    let moves = movement::report(&old.moves, hops, context, effects);
    movement::report_main_line(old.main_line, main_line, hops, context, effects);
    let is_as_it_was = aged.is_none() && moves.is_none() && main_line == old.main_line;
    let now = aged.as_ref().unwrap_or(old);
    let outcomes = outcomes_of(&now.quotes, context).outcomes;
    let passed = PassedMarket {
        quotes: &now.quotes,
        moves: &now.moves,
        consensus: &now.consensus,
        made_at: now.summary.made_at,
        outcomes,
        main_line,
    };
    let (signals, consensus) = signals::pass_time(passed, &now.signals, hops, context, effects);
    if is_as_it_was && signals.is_none() && consensus.is_none() {
        return None;
    }
    let mut state = aged.unwrap_or_else(|| old.clone());
    state.moves = moves.unwrap_or(state.moves);
    state.main_line = main_line;
    state.signals = signals.unwrap_or(state.signals);
    state.consensus = consensus.unwrap_or(state.consensus);
    Some(Arc::new(state))
}

/// A market whose quotes have the status that time gives them.
fn aged(old: &MarketState, context: &MarketContext<'_>, effects: &mut Effects<'_>) -> MarketState {
    let mut state = old.clone();
    for quote in &mut state.quotes {
        quote.status = context.step.moment.status(quote);
    }
    let changed = other_lines(&old.quotes, &state.quotes);
    let touched = TouchedLines::of(Some(old), &state.quotes, &changed, |_| true);
    let evaluated = evaluate(old, &state.quotes, touched, context, effects, &mut ());
    (state.windows, state.signals) = (evaluated.windows, evaluated.signals);
    state.is_settled = evaluated.is_settled;
    state.summary = QuoteSummary::of(&state.quotes, context.step.moment.watermark);
    state
}

/// The lines on which time has made another price of one; both tables have the same quotes.
fn other_lines(was: &[Quote], now: &[Quote]) -> Vec<Option<Line>> {
    let others = was.iter().zip(now).filter(|(was, now)| !now.is_priced_as(was));
    let mut lines: Vec<_> = others.map(|(_, now)| now.key.line()).collect();
    lines.dedup();
    lines
}

/// Whether a quote's status, a window's being in play or its freshness is not what it is by the time.
fn is_aged(state: &MarketState, moment: &Moment<'_>) -> bool {
    let is_older = |quote: &Quote| moment.status(quote) != quote.status;
    let has_aged = |window: &Window| window.ages_after().is_some_and(|until| moment.watermark > until);
    let is_other = |window: &Window| window.in_play != moment.has_begun() || has_aged(window);
    (!moment.leaves(&state.summary) && state.quotes.iter().any(is_older))
        || state.windows.iter().any(is_other)
}

/// The main line at the end of a window that was passed; what it was when none was since the table was made, or
/// there is none now.
fn main_line(state: &MarketState, hops: Hops, context: &MarketContext<'_>) -> Option<Line> {
    let is_looked_at = state.market.family.has_line() && hops.are_first_after(state.summary.made_at);
    is_looked_at
        .then(|| {
            movement::main_line(&state.quotes, outcomes_of(&state.quotes, context).outcomes, state.main_line)
        })
        .flatten()
        .or(state.main_line)
}

/// What is open on a market's quotes.
struct Evaluated {
    /// Sorted by line.
    windows: Vec<Window>,
    signals: Arc<[Signal]>,
    /// There was room for all.
    is_settled: bool,
}

/// What is open on the quotes of a market: of lines that an update has not touched, what was.
fn evaluate(
    old: &MarketState,
    quotes: &[Quote],
    touched: TouchedLines<'_>,
    context: &MarketContext<'_>,
    effects: &mut Effects<'_>,
    probe: &mut impl Probe,
) -> Evaluated {
    let set = outcomes_of(quotes, context);
    let TouchedLines { lines, with_signals, are_others_known } = touched;
    let (windows, covers) = windows_of(&old.windows, &lines, set, context, effects, probe);
    probe.enter(StepStage::Signals);
    let open = Arc::clone(&old.signals);
    let left_out = effects.left_out.count(Cap::MarketSignals);
    let (lines, is_known_beside_lines) = (with_signals, are_others_known);
    let view = TableView { quotes, outcomes: set.outcomes, lines, is_known_beside_lines, covers };
    let signals = signals::update_signals(open, &view, context, effects);
    let is_settled = effects.left_out.count(Cap::MarketSignals) == left_out;
    Evaluated { windows, signals, is_settled }
}

/// The windows of a market after an update, and the covers that are nearly arbs; `open` were open before it. All are sorted by line.
fn windows_of<'a>(
    open: &[Window],
    lines: &[TouchedLine<'a>],
    set: OutcomeSet<'_>,
    context: &MarketContext<'_>,
    effects: &mut Effects<'_>,
    probe: &mut impl Probe,
) -> (Vec<Window>, Vec<Arb<'a>>) {
    let below = match context.step.pricing.policy {
        Policy::Board => LOW_HOLD_CLOSES,
        Policy::Raw => odds::ARB_BELOW,
    };
    let (mut windows, mut covers) = (Vec::new(), Vec::new());
    let mut open = open.iter().peekable();
    for TouchedLine { quotes, is_priced_as_before, is_signalled } in lines {
        let line = quotes[0].key.line();
        while let Some(gone) = open.next_if(|window| window.line < line) {
            arbs::advance(Some(gone), None, &[], context, effects);
        }
        let was = open.next_if(|window| window.line == line);
        let kept = was.filter(|_| *is_priced_as_before);
        let of_line = || arbs::covers_of_line((quotes, quotes), set, context.step.pricing, below);
        if let Some(kept) = kept.and_then(|was| arbs::keep(was, quotes, context, effects)) {
            // Beside the window of bets that are not eligible there may be a cover that is nearly an arb.
            let has_other = *is_signalled && !arbs::is_of_eligible(&kept);
            covers.extend(has_other.then(of_line).and_then(|of_line| of_line.nearly));
            windows.push(kept);
            continue;
        }
        let LineCovers { arb, nearly } = of_line();
        if was.is_some() || arb.is_some() {
            probe.enter(StepStage::Judge);
            windows.extend(arbs::advance(was, arb.as_ref(), quotes, context, effects));
            probe.enter(StepStage::Evaluate);
        }
        covers.extend(nearly);
    }
    for gone in open {
        arbs::advance(Some(gone), None, &[], context, effects);
    }
    (windows, covers)
}

fn outcomes_of<'a>(quotes: &[Quote], context: &MarketContext<'a>) -> OutcomeSet<'a> {
    quotes::outcomes(context.market, (quotes, context.drawn), context.step.pricing)
}
