//! The scores of events in play: what reads their topic, and the scores that are young enough to be shown.
//!
//! A score is for display. Nothing here is read by what computes an arb, a grade or a settlement.

pub(crate) mod follow;
pub(crate) mod store;
