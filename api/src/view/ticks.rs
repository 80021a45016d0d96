//! What becomes of pushed odds, and the fields of a pushed line. It never decides whether a line is accepted.

use arb_model::described::{Described, Shape};
use arb_model::{Outcome, Side, Time, view};

use crate::http::problem::LineError;
use crate::pushes::PushLetter;

view! {
    /// What became of a push.
    pub(crate) struct TicksView => "Ticks" {
        /// Lines that are in Kafka.
        accepted: usize,
        /// In so many updates.
        updates: usize,
        rejected: usize,
        errors: Vec<LineError>,
    }
}

view! {
    /// What was dead-lettered of the caller's updates.
    pub(crate) struct LetterList<'a> => "PushLetters" {
        /// The caller's, as it was granted.
        source: &'a str,
        dead_letters: Vec<PushLetter> [Most(100.0)],
    }
}

view! {
    /// The lines of a push as one document.
    #[allow(dead_code)] // Its reader takes it apart line by line.
    pub(crate) struct TickLines {
        lines: Vec<TickLine> [Least(1.0), Most(10_000.0)],
    }
}

view! {
    /// docs/api/ticks.md has every field.
    #[allow(dead_code)] // As above, field by field.
    pub(crate) struct TickLine {
        event: EventOrId,
        /// One of the granted books.
        book: String,
        /// As The Odds API writes them: h2h, totals_h1.
        market: String,
        outcome: String [Keys(Outcome::KEYS)],
        /// Of spreads and totals; of spreads the home side's handicap.
        #[serde(skip_serializing_if = "Option::is_none")]
        line: Option<Option<f64>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        side: Option<Option<String>> [Keys(Side::KEYS)],
        /// Decimal odds.
        price: f64 [Above(1.0), Most(1_001.0)],
        #[serde(skip_serializing_if = "Option::is_none")]
        status: Option<Option<String>> [Keys(&["active", "suspended"])],
        /// The largest stake, in the book's currency.
        #[serde(skip_serializing_if = "Option::is_none")]
        limit: Option<Option<f64>>,
        /// The number of the update.
        sequence: i64 [Wide, Least(0.0)],
    }
}

view! {
    /// Names and start of an event of the source's own; with the scope events:write.
    #[allow(dead_code)] // As above.
    pub(crate) struct PushedEvent {
        id: String,
        sport: String,
        league: String,
        home: String,
        away: String,
        commence_time: Time,
    }
}

/// The event of a line.
#[derive(Debug, Clone, serde::Serialize)]
pub(crate) struct EventOrId;

impl Described for EventOrId {
    const SHAPE: Shape = Shape::OneOf(
        &[Shape::Text, PushedEvent::SHAPE],
        "The event's id, as the board has it, or what it is.",
    );
}
