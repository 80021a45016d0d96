//! The life of an arb window: opened, updated, refreshed, closed.
//!
//! One pair of (what was, what is) after each frame, every pair written out. It never compares prices: what is
//! an arb is computed by `best`, which one counts by `eligible`.
//!
//! An update is a transition when a leg, its price or a flag changes. Stakes change with each limit, so a
//! changed limit is a refresh, as a confirmed time and another cover that was passed over are: it is written to the board and not to the feed. A
//! change after which no stakes are profitable, or are so again, changes a flag (`stakeable`), and is a
//! transition when it changes `verified`.

use arb_model::{Money, Points, Seconds, Time};

use crate::context::{MarketContext, StepContext};
use crate::effect::{
    AlertScope, BookState, CloseReason, CloseSignal, Effect, Effects, FilterValues, Flag, StaleAlert,
    Transition, WindowChange, WindowHistory,
};
use crate::learning::Proven;
use crate::market::{Policy, QuoteKey};
use crate::quotes::{Quote, QuoteStatus, find};

use super::best::Arb;
use super::entry::entry_of;
use super::judged::{Judged, KnownStakes, is_on_basis};
use super::lifetime::{self, Followed};
use super::standing::Standing;
use super::window::Window;
use super::window_id::window_id;

/// The window of a line after a frame: `was` before it, `arb` in it, `quotes` of the line after it.
pub(crate) fn advance(
    was: Option<&Window>,
    arb: Option<&Arb<'_>>,
    quotes: &[Quote],
    context: &MarketContext<'_>,
    effects: &mut Effects<'_>,
) -> Option<Window> {
    match (was, arb) {
        (None, None) => None,
        (None, Some(arb)) => Some(open(arb, quotes, context, effects)),
        (Some(window), None) => {
            close_for(window, quotes, context, effects);
            None
        }
        (Some(window), Some(arb)) if lost_by_time(window, quotes).is_some() => {
            close_for(window, quotes, context, effects);
            Some(open(arb, quotes, context, effects))
        }
        (Some(window), Some(arb)) if is_another(window, arb, context.step.pricing.policy) => {
            close_after_look(window, quotes, CloseReason::Superseded, context, effects);
            Some(open(arb, quotes, context, effects))
        }
        (Some(window), Some(arb)) => Some(update(window, arb, quotes, context, effects)),
    }
}

/// A window of a line on which all prices are what they were when it was judged; `None` where it must be judged again: a leg was
/// confirmed, or something beside the prices that decides its flags is another.
///
/// What judging it again would find is then known: that it is as it was, at another time.
pub(crate) fn keep(
    was: &Window,
    quotes: &[Quote],
    context: &MarketContext<'_>,
    effects: &mut Effects<'_>,
) -> Option<Window> {
    let (basis, at) = (was.basis.as_ref()?, context.step.now);
    let is_fresh = |at| at <= was.fresh_until;
    let is_as_it_was = !context.is_shown_otherwise()
        && was.in_play == context.in_play()
        && is_fresh(basis.at) == is_fresh(at)
        && was.legs.iter().all(|leg| find(quotes, leg.key) == Some(leg))
        && is_on_basis(basis, &was.legs, context);
    if !is_as_it_was {
        return None;
    }
    let mut now = was.clone();
    look(&mut now.standing, quotes, context);
    now.life = lifetime::continue_life(was, was, false, context, effects);
    if let Some(basis) = &mut now.basis {
        basis.at = at;
    }
    Some(now)
}

/// A window's key is the set of its legs' bets; the raw policy's is the line alone.
fn is_another(window: &Window, arb: &Arb<'_>, policy: Policy) -> bool {
    policy == Policy::Board && (window.legs.len(), window.pair) != (arb.legs.len(), arb.pair)
}

fn open(arb: &Arb<'_>, quotes: &[Quote], context: &MarketContext<'_>, effects: &mut Effects<'_>) -> Window {
    let judged = Judged::of(arb, quotes, &KnownStakes::default(), context);
    let margin = judged.margin;
    let history = WindowHistory::default().and(judged.verification);
    let legs: Vec<_> = arb.legs.iter().copied().copied().collect();
    let at = context.step.now;
    let standing = [Some(Standing::new(at, &legs)), history.verified.then(|| Standing::new(at, &legs))];
    let followed = Followed { legs: &legs, in_play: context.in_play(), margin };
    let window = Window {
        line: arb.legs.first().and_then(|leg| leg.key.line()),
        id: window_id(arb, context),
        opened_at: at,
        sequence: effects.next(),
        pair: arb.pair,
        passed_over: arb.passed_bets(),
        verification: judged.verification,
        fresh_until: judged.fresh_until,
        history,
        standing,
        in_play: followed.in_play,
        margin_open: margin,
        margin_peak: margin,
        margin,
        stake_shown: judged.staked.total_max,
        life: followed.begin(context),
        basis: Some(judged.basis.clone()),
        stakes: judged.stakes(),
        legs,
    };
    learn(WindowHistory::default(), &window, context, effects);
    let (entry, ttl) = entry_of(&window, &judged, context);
    effects.push(Effect::Transition(WindowChange::Opened, entry, Transition::new(ttl, None)));
    window
}

fn update(
    was: &Window,
    arb: &Arb<'_>,
    quotes: &[Quote],
    context: &MarketContext<'_>,
    effects: &mut Effects<'_>,
) -> Window {
    let judged = Judged::of(arb, quotes, &was.stakes, context);
    let legs: Vec<_> = arb.legs.iter().copied().copied().collect();
    let history = was.history.and(judged.verification);
    let mut standing = was.standing.clone();
    look(&mut standing, quotes, context);
    if history.verified && standing[1].is_none() {
        standing[1] = Some(Standing::new(context.step.now, &legs));
    }
    let now = Window {
        line: was.line,
        id: was.id,
        opened_at: was.opened_at,
        sequence: was.sequence,
        legs,
        pair: arb.pair,
        passed_over: arb.passed_bets(),
        verification: judged.verification,
        fresh_until: judged.fresh_until,
        history,
        standing,
        in_play: context.in_play(),
        margin_open: was.margin_open,
        margin_peak: was.margin_peak.max(judged.margin),
        margin: judged.margin,
        stake_shown: most_stake(was.stake_shown, judged.staked.total_max),
        life: was.life,
        basis: Some(judged.basis.clone()),
        stakes: judged.stakes(),
    };
    learn(was.history, &now, context, effects);
    let is_transition = is_transition(was, &now);
    let now = Window { life: lifetime::continue_life(was, &now, is_transition, context, effects), ..now };
    if is_transition {
        let window = Window { sequence: effects.next(), stake_shown: judged.staked.total_max, ..now };
        let (entry, ttl) = entry_of(&window, &judged, context);
        let beside = Transition::new(ttl, Some(filter_values(was, context.step)));
        effects.push(Effect::Transition(WindowChange::Updated, entry, beside));
        return window;
    }
    let shown = |leg: &Quote| {
        let worth = (leg.effective, leg.odds_format);
        (leg.span_start, leg.span_end, leg.price_moved_at, leg.limit, worth)
    };
    let same_shown =
        was.legs.iter().map(shown).eq(now.legs.iter().map(shown)) && was.passed_over == now.passed_over;
    if !same_shown || was.verification != now.verification || context.is_shown_otherwise() {
        effects.push(Effect::Refreshed(entry_of(&now, &judged, context).0));
    }
    now
}

/// The larger of two totals; `None` is one without a limit.
fn most_stake(a: Option<i64>, b: Option<i64>) -> Option<i64> {
    Some(a?.max(b?))
}

/// What filters of a stream compare of a window, as it was shown.
fn filter_values(window: &Window, step: &StepContext<'_>) -> FilterValues {
    let book = |leg: &Quote| (&step.pricing.venues.venue(leg.key.book()).key).into();
    FilterValues {
        margin: window.margin,
        verified: window.verification.is_verified(),
        in_play: window.in_play,
        total_stake_max: window.stake_shown.map(Money),
        books: window.legs.iter().map(book).collect(),
    }
}

/// Whether a window has changed in what its takers act on.
fn is_transition(was: &Window, now: &Window) -> bool {
    let bet = |leg: &Quote| (leg.key, leg.price);
    let proof = |window: &Window| {
        (window.verification.holds(Flag::Simultaneous), window.verification.is_verified(), window.in_play)
    };
    !was.legs.iter().map(bet).eq(now.legs.iter().map(bet)) || proof(was) != proof(now)
}

/// A window is a sample of the plausible margins when it is verified for the first time.
fn learn(was: WindowHistory, now: &Window, context: &MarketContext<'_>, effects: &mut Effects<'_>) {
    if now.history.simultaneous && !was.simultaneous && lifetime::is_taught_by(&now.legs, context) {
        effects.samples.margins.push(Proven::new(now.margin, now.in_play));
    }
}

/// Closes a window for what became of its legs.
fn close_for(window: &Window, quotes: &[Quote], context: &MarketContext<'_>, effects: &mut Effects<'_>) {
    let (reason, leg) = why_closed(window, quotes);
    close_after_look(window, quotes, reason, context, effects);
    if let (CloseReason::Stale, Some(leg)) = (reason, leg) {
        alert_stale(window, leg, context.step, effects);
    }
}

/// Looks for confirmations of what verdicts were about on its line.
fn look(standing: &mut [Option<Standing<QuoteKey>>; 2], quotes: &[Quote], context: &MarketContext<'_>) {
    for standing in standing.iter_mut().flatten() {
        standing.look(quotes, context.step.now);
    }
}

/// Closes a window with what its line still says of its verdicts.
fn close_after_look(
    window: &Window,
    quotes: &[Quote],
    reason: CloseReason,
    context: &MarketContext<'_>,
    effects: &mut Effects<'_>,
) {
    let mut window = window.clone();
    look(&mut window.standing, quotes, context);
    close(&window, reason, context, effects);
}

/// Closes a window whatever its legs are.
pub(crate) fn close(
    window: &Window,
    reason: CloseReason,
    context: &MarketContext<'_>,
    effects: &mut Effects<'_>,
) {
    let event = context.step.event;
    let [stood, verified_stood] = window.standing.each_ref().map(|standing| standing.as_ref()?.answer());
    let closed = CloseSignal {
        id: window.id.to_string(),
        event_id: event.id.clone(),
        reason: reason.into(),
        opened_at: Time(window.opened_at),
        closed_at: Time(context.step.now),
        margin_open: window.margin_open,
        margin_peak: window.margin_peak,
        margin_close: window.margin,
        sequence: effects.next(),
        sport: event.sport.clone(),
        league: event.league.clone(),
        market: context.market.family.into(),
        period: context.market.period.into(),
        line: window.line.map(Points),
        simultaneous_ever: window.history.simultaneous,
        verified_ever: window.history.verified,
        replaced: filter_values(window, context.step),
        stood: stood.map(|(stood, _)| stood),
        stood_after: stood.map(|(_, after)| Seconds(after)),
        verified_stood: verified_stood.map(|(stood, _)| stood),
        verified_stood_after: verified_stood.map(|(_, after)| Seconds(after)),
    };
    effects.push(Effect::Closed(Box::new(closed)));
    lifetime::end(window, reason, context, effects);
}

/// The first that holds: a leg is gone, a leg is suspended, time took a leg, the prices moved; and that leg.
fn why_closed<'a>(window: &Window, quotes: &'a [Quote]) -> (CloseReason, Option<&'a Quote>) {
    let now: Vec<_> = legs_now(window, quotes).collect();
    if now.iter().any(Option::is_none) {
        (CloseReason::Withdrawn, None)
    } else if now.iter().flatten().any(|quote| quote.status == QuoteStatus::Suspended) {
        (CloseReason::Suspended, None)
    } else {
        match lost_by_time(window, quotes) {
            Some(leg) if leg.status == QuoteStatus::Stale => (CloseReason::Stale, Some(leg)),
            Some(leg) => (CloseReason::EventStarted, Some(leg)),
            None => (CloseReason::PriceMoved, None),
        }
    }
}

/// The first leg that is stale, else the first that is from before the start.
fn lost_by_time<'a>(window: &Window, quotes: &'a [Quote]) -> Option<&'a Quote> {
    let find = |status| legs_now(window, quotes).flatten().find(|quote| quote.status == status);
    // While nothing of a line is lost, as nearly always, one look at the line shows it.
    let is_lost = |quote: &Quote| matches!(quote.status, QuoteStatus::Stale | QuoteStatus::Started);
    if !quotes.iter().any(is_lost) {
        return None;
    }
    find(QuoteStatus::Stale).or_else(|| find(QuoteStatus::Started))
}

fn legs_now<'a>(window: &Window, quotes: &'a [Quote]) -> impl Iterator<Item = Option<&'a Quote>> {
    window.legs.iter().map(|leg| quotes.iter().find(|quote| quote.key == leg.key))
}

/// Reports that a window closed because of a stale leg.
fn alert_stale(window: &Window, leg: &Quote, step: &StepContext<'_>, effects: &mut Effects<'_>) {
    let alert = StaleAlert {
        scope: AlertScope::Arb.into(),
        state: BookState::Stale.into(),
        event: (**step.event).clone(),
        book: step.pricing.names.name(leg.key.book()).into(),
        arb_id: Some(window.id.to_string()),
        last_seen_at: Some(Time(leg.span_end)),
        expected_interval: Seconds(step.moment.expected.interval(leg.key.book().index())),
        at: Time(step.now),
        sequence: effects.next(),
    };
    effects.push(Effect::StaleAlert(Box::new(alert)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::caps::LeftOut;
    use crate::fixtures::{START, World, context, price, quote};
    use crate::learning::Samples;
    use crate::market::{Limit, Outcome};
    use crate::venues::Books;

    const SECOND: i64 = 1_000_000;
    /// A day before the start.
    const NOW: i64 = START - 86_400 * SECOND;
    const BOTH: [Outcome; 2] = [Outcome::Home, Outcome::Away];

    /// Two quotes of two books at 2.1, confirmed now.
    fn line(world: &World) -> Vec<Quote> {
        let of = |(name, outcome)| Quote {
            span_start: NOW - SECOND,
            span_end: NOW,
            ..quote(world.book(name), None, outcome, price("2.1"))
        };
        [("a", BOTH[0]), ("b", BOTH[1])].map(of).into()
    }

    /// The window of a line after a step, and what was published, in a word each.
    fn advanced(
        world: &World,
        was: Option<&Window>,
        line: &[Quote],
        change: impl Fn(&mut StepContext<'_>),
    ) -> (Option<Window>, Vec<String>) {
        let mut step = world.step(1, NOW + SECOND);
        change(&mut step);
        let mut out = Vec::new();
        let (samples, left_out) = (Samples::default(), LeftOut::default());
        let mut effects = Effects { sequence: 0, out: &mut out, samples, left_out };
        let context = context(&step, "h2h");
        let legs: Vec<_> = line.iter().filter(|quote| quote.status == QuoteStatus::OnOffer).collect();
        let implied_probability = legs.iter().map(|leg| leg.effective.implied_probability()).sum();
        let arb = Arb { legs, pair: None, implied_probability, passed_over: None };
        let arb = Some(&arb).filter(|arb| arb.legs.len() == 2 && arb.implied_probability < 1.0);
        let window = advance(was, arb, line, &context, &mut effects);
        let name = |effect: &Effect| match effect {
            Effect::Transition(change, ..) => format!("{change:?}").to_lowercase(),
            Effect::Refreshed(_) => "refreshed".to_owned(),
            Effect::Closed(closed) => closed.reason.as_str().to_owned(),
            Effect::StaleAlert(_) => "alert".to_owned(),
            other => format!("{other:?}"),
        };
        let words = out.iter().map(name).collect();
        (window, words)
    }

    fn opened(world: &World) -> Window {
        advanced(world, None, &line(world), |_| ()).0.unwrap()
    }

    /// What is published of an open window when its line has become another.
    fn after(change: impl Fn(&mut Vec<Quote>)) -> Vec<String> {
        let world = World::new(Books::default(), 3);
        let mut now = line(&world);
        change(&mut now);
        advanced(&world, Some(&opened(&world)), &now, |_| ()).1
    }

    #[test]
    fn every_pair_of_was_and_is() {
        let world = World::new(Books::default(), 2);
        let arb = line(&world);
        assert_eq!(advanced(&world, None, &[], |_| ()).1, [""; 0]);
        let (window, words) = advanced(&world, None, &arb, |_| ());
        assert_eq!((words, window.as_ref().unwrap().sequence), (vec!["opened".to_owned()], 1));
        assert_eq!(
            advanced(&world, window.as_ref(), &arb, |_| ()),
            (window.clone(), vec![]),
            "the same again"
        );
        assert_eq!(advanced(&world, window.as_ref(), &[], |_| ()), (None, vec!["withdrawn".to_owned()]));
    }

    #[test]
    fn a_change_of_legs_or_flags_is_an_update_and_the_rest_a_refresh() {
        assert_eq!(after(|line| line[0].price = price("2.2")), ["updated"]);
        assert_eq!(
            after(|line| line[0].key = line[0].key.with_book(line[1].key.book())),
            ["updated"],
            "another book"
        );
        assert_eq!(after(|line| line[0].span_end += SECOND), ["refreshed"]);
        assert_eq!(after(|line| line[0].price_moved_at += SECOND), ["refreshed"]);
        assert_eq!(after(|line| line[0].limit = Limit::from_minor(77)), ["refreshed"]);
        assert_eq!(after(|line| line[0].received_at += SECOND), [""; 0], "when it came is shown nowhere");
    }

    #[test]
    fn the_first_of_these_reasons_closes_it() {
        let set = |at: usize, status| move |line: &mut Vec<Quote>| line[at].status = status;
        assert_eq!(after(|line| line.truncate(1)), ["withdrawn"]);
        assert_eq!(after(set(1, QuoteStatus::Suspended)), ["suspended"]);
        assert_eq!(after(set(1, QuoteStatus::Stale)), ["stale", "alert"]);
        assert_eq!(after(set(0, QuoteStatus::Started)), ["event_started"]);
        assert_eq!(after(|line| line[0].effective = price("1.8")), ["price_moved"]);
        let both =
            |first, second| move |line: &mut Vec<Quote>| (line[0].status, line[1].status) = (first, second);
        assert_eq!(after(both(QuoteStatus::Stale, QuoteStatus::Suspended)), ["suspended"]);
        assert_eq!(after(both(QuoteStatus::Started, QuoteStatus::Stale)), ["stale", "alert"]);
        assert_eq!(
            after(|line| {
                line.remove(0);
                line[0].status = QuoteStatus::Suspended;
            }),
            ["withdrawn"]
        );
    }

    #[test]
    fn a_leg_that_time_takes_ends_the_window_even_where_another_arb_stands() {
        let world = World::new(Books::default(), 3);
        let window = opened(&world);
        let mut now = line(&world);
        let other = Quote { key: now[0].key.with_book(world.book("c")), ..now[0] };
        now[0].status = QuoteStatus::Stale;
        now.insert(1, other);
        let (next, words) = advanced(&world, Some(&window), &now, |step| step.at.offset = 2);
        assert_eq!(words, ["stale", "alert", "opened"]);
        assert_ne!(next.unwrap().id, window.id);
    }

    #[test]
    fn another_set_of_bets_supersedes_it_but_not_under_the_raw_policy() {
        let mut world = World::new(Books::default(), 2);
        let pair = Window { pair: Some(Outcome::Home), ..opened(&world) };
        let arb = line(&world);
        assert_eq!(advanced(&world, Some(&pair), &arb, |_| ()).1, ["superseded", "opened"]);
        world.policy = Policy::Raw;
        let (window, _) = advanced(&world, Some(&pair), &arb, |_| ());
        assert_eq!(window.map(|window| window.id), Some(pair.id), "its key is the line alone");
    }

    #[test]
    fn peaks_and_proofs_are_kept_while_it_is_open() {
        let world = World::new(Books::default(), 2);
        let with = |home: &str| {
            let mut now = line(&world);
            (now[0].price, now[0].effective) = (price(home), price(home));
            now
        };
        let first = opened(&world);
        let (higher, _) = advanced(&world, Some(&first), &with("2.3"), |_| ());
        let (lower, _) = advanced(&world, higher.as_ref(), &with("2.2"), |_| ());
        let (higher, lower) = (higher.unwrap(), lower.unwrap());
        // 1 / (1/2.1 + 1/2.1) - 1 = 0.05, 1 / (1/2.3 + 1/2.1) - 1 = 0.097727, 1 / (1/2.2 + 1/2.1) - 1 = 0.074419.
        let margins = [first.margin, higher.margin, lower.margin];
        assert!(
            margins.iter().zip([0.05, 0.097_727, 0.074_419]).all(|(a, b)| (a - b).abs() < 1e-6),
            "{margins:?}"
        );
        assert!((lower.margin_open, lower.margin_peak) == (first.margin, higher.margin));
        assert!(first.history.simultaneous && lower.history.simultaneous);
        let mut apart = with("2.2");
        apart[0].span_start = NOW + SECOND / 2;
        let (unproven, words) = advanced(&world, Some(&lower), &apart, |_| ());
        let unproven = unproven.unwrap();
        assert!(!unproven.verification.holds(Flag::Simultaneous) && unproven.history.simultaneous);
        assert_eq!(words, ["updated"], "its proof is gone");
    }
}
