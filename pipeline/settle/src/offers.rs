//! What the book of a pick offered on its bet after the pick was published: which observation counts, and as what.
//!
//! Of two observations the earlier one counts, in whichever order they come. It never takes one of a simulated market, whose books lag by
//! construction, and changes nothing of a pick that is graded.

use std::ops::Range;

use arb_model::{FeedKind, LaterOffer, Pick};
use arb_schemas::records::PickOffer;
use arb_schemas::time::{Micros, SECOND};

/// How long after publishing an offer was confirmed that counts as the one after a minute.
pub const AFTER_MINUTE: Range<Micros> = 60 * SECOND..120 * SECOND;

/// Whether offers of a feed are observed after publishing.
#[must_use]
pub fn is_observed(feed: Option<FeedKind>) -> bool {
    matches!(feed, Some(FeedKind::Recorded | FeedKind::Live))
}

/// Takes an observation into a pick. Returns whether it says something new.
pub(crate) fn take(pick: &mut Pick, offer: &PickOffer) -> bool {
    let (published_at, seen_at) = (pick.published_at.0, offer.last_seen_at.0);
    let is_between = published_at < seen_at && seen_at < pick.starts_at.0;
    if !is_between || !is_observed(pick.feed.known()) || !pick.is_open() {
        return false;
    }
    let is_new_poll = offer.is_next_poll && keep_earlier(&mut pick.offer_after_poll, offer);
    let is_minute = AFTER_MINUTE.contains(&seen_at.saturating_sub(published_at));
    let is_new_minute = is_minute && keep_earlier(&mut pick.offer_after_minute, offer);
    is_new_poll || is_new_minute
}

fn keep_earlier(known: &mut Option<LaterOffer>, offer: &PickOffer) -> bool {
    let is_earlier = known.as_ref().is_none_or(|known| offer.last_seen_at < known.last_seen_at);
    if is_earlier {
        *known = Some(LaterOffer::from(offer.clone()));
    }
    is_earlier
}
