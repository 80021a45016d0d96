//! The window of an arb that is not followed, as on the board of a user's own books.
//!
//! It never opens a window of the state.

use sha2::{Digest, Sha256};

use crate::context::MarketContext;
use crate::effect::{WindowHistory, WindowId, first_16};
use crate::quotes::Quote;

use super::best::Arb;
use super::judged::Judged;
use super::lifetime::Followed;
use super::window::Window;

/// An arb that is looked at and not followed: the open window that it is, else one that is as old as its youngest price.
pub(crate) fn user_window(
    arb: &Arb<'_>,
    judged: &Judged<'_>,
    open: &[Window],
    context: &MarketContext<'_>,
) -> Window {
    let bet = |leg: &Quote| (leg.key, leg.price);
    let legs: Vec<_> = arb.legs.iter().copied().copied().collect();
    let is_this = |window: &&Window| window.legs.iter().map(bet).eq(legs.iter().map(bet));
    let known = open.iter().find(is_this);
    let since = legs.iter().map(|leg| leg.span_start).max().unwrap_or(context.step.now);
    let (in_play, margin) = (context.in_play(), judged.margin);
    let life = || Followed { legs: &legs, in_play, margin }.begin(context);
    Window {
        line: legs.first().and_then(|leg| leg.key.line),
        id: known.map_or_else(|| user_window_id(&legs, context), |window| window.id),
        opened_at: known.map_or(since, |window| window.opened_at),
        sequence: known.map_or(0, |window| window.sequence),
        pair: arb.pair,
        verification: judged.verification,
        fresh_until: judged.fresh_until,
        history: known.map_or(WindowHistory::default(), |window| window.history).and(judged.verification),
        in_play,
        margin_open: known.map_or(margin, |window| window.margin_open),
        margin_peak: known.map_or(margin, |window| window.margin_peak.max(margin)),
        margin,
        life: known.map_or_else(life, |window| window.life),
        legs,
    }
}

/// The id of bets that no window was opened for: as long as they are the same, so is it.
fn user_window_id(legs: &[Quote], context: &MarketContext<'_>) -> WindowId {
    let mut hash = Sha256::new();
    hash.update(format!("standing/{}/{}/", context.step.event.id, context.market.key()));
    for Quote { key, .. } in legs {
        let (side, book) = (key.side.key(), context.step.pricing.names.name(key.book));
        hash.update(format!("{:?}/{}/{side}/{book};", key.line, key.outcome.key()));
    }
    WindowId(first_16(hash))
}
