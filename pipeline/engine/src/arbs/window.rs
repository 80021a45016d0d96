//! An open window as the state keeps it.
//!
//! It decides nothing.

use crate::Micros;
use crate::effect::{Flag, Verification, WindowHistory, WindowId};
use crate::learning::survival::Life;
use crate::market::{Line, Outcome};
use crate::quotes::Quote;

/// An open window as the state keeps it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Window {
    pub(crate) line: Option<Line>,
    pub(crate) id: WindowId,
    pub(crate) opened_at: Micros,
    pub(crate) sequence: i64,
    pub(crate) legs: Vec<Quote>,
    /// Of which of three outcomes its legs are a back and a lay.
    pub(crate) pair: Option<Outcome>,
    pub(crate) verification: Verification,
    /// Until when every leg is fresh, should none be confirmed again.
    pub(crate) fresh_until: Micros,
    /// What was ever proven of it.
    pub(crate) history: WindowHistory,
    pub(crate) in_play: bool,
    pub(crate) margin_open: f64,
    pub(crate) margin_peak: f64,
    pub(crate) margin: f64,
    /// How long it has lived.
    pub(crate) life: Life,
}

impl Window {
    /// After which watermark it is fresh no longer; `None` when it was not when it was last looked at.
    pub(crate) fn ages_after(&self) -> Option<Micros> {
        self.verification.holds(Flag::Fresh).then_some(self.fresh_until)
    }
}
