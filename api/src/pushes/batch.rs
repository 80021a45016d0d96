//! The lines of a body as updates, each the frame of one event with one sequence.
//!
//! A line that is refused leaves the others as they are. It never takes in more than the caps, and never looks into Kafka.

use std::collections::{BTreeMap, BTreeSet};

use arb_model::OddsFormat;
use arb_schemas::json_parts::without_mark;
use arb_schemas::limits::{PUSH_EVENTS, PUSH_NAMES, PUSH_TICKS};
use arb_schemas::records::{Coverage, Frame, Offer, Push};
use arb_schemas::time::Micros;
use arb_schemas::wire::encode;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::grant::PushGrant;
use super::line::{LineFault, PushLine};

/// Why a whole batch is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BatchFault {
    /// No JSON object whose `lines` are a list.
    NotLines,
    Empty,
    TooManyTicks,
    TooManyEvents,
    TooManyNames,
}

/// A record that is to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Update {
    /// The event, which is the key.
    pub(crate) key: String,
    pub(crate) value: Vec<u8>,
}

/// A batch that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Batch {
    /// In the order of their sequences.
    pub(crate) updates: Vec<Update>,
    /// Lines that are in them.
    pub(crate) accepted: usize,
    /// The others, by their number from 1.
    pub(crate) faults: Vec<(usize, LineFault)>,
}

/// The lines as one JSON object.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Body<'a> {
    #[serde(borrow)]
    lines: Vec<&'a RawValue>,
}

/// An update that is being put together, and the lines that are in it.
struct OpenUpdate {
    frame: Frame,
    lines: Vec<usize>,
}

impl Batch {
    /// Reads the lines of a text; those that are blank are nothing.
    ///
    /// # Errors
    /// [`BatchFault`].
    pub(crate) fn read(text: &str, grant: &PushGrant, received_at: Micros) -> Result<Self, BatchFault> {
        let lines = (1..).zip(without_mark(text).lines()).filter(|(_, line)| !line.trim().is_empty());
        Self::of_lines(lines, grant, received_at)
    }

    /// Reads the lines of a JSON object, `{"lines": [...]}`.
    ///
    /// # Errors
    /// [`BatchFault`].
    pub(crate) fn read_json(text: &str, grant: &PushGrant, received_at: Micros) -> Result<Self, BatchFault> {
        let body: Body<'_> = serde_json::from_str(without_mark(text)).map_err(|_| BatchFault::NotLines)?;
        Self::of_lines((1..).zip(body.lines.iter().map(|line| line.get())), grant, received_at)
    }

    /// Of lines by their numbers.
    fn of_lines<'a>(
        lines: impl Iterator<Item = (usize, &'a str)>,
        grant: &PushGrant,
        received_at: Micros,
    ) -> Result<Self, BatchFault> {
        let lines: Vec<(usize, &str)> = lines.take(PUSH_TICKS + 1).collect();
        match lines.len() {
            0 => return Err(BatchFault::Empty),
            count if count > PUSH_TICKS => return Err(BatchFault::TooManyTicks),
            _ => {}
        }
        let (mut open, mut faults) = (BTreeMap::<i64, OpenUpdate>::new(), Vec::new());
        for (number, line) in lines {
            let added = PushLine::parse(line, grant)
                .and_then(|line| add(&mut open, number, line, (grant, received_at)));
            faults.extend(added.err().map(|fault| (number, fault)));
        }
        check_names(&open)?;
        let mut batch = Self { updates: Vec::new(), accepted: 0, faults };
        for open in open.into_values() {
            batch.put(open);
        }
        batch.faults.sort_by_key(|(number, _)| *number);
        Ok(batch)
    }

    /// Adds an update; the lines of one that is longer than a record may be are refused.
    fn put(&mut self, open: OpenUpdate) {
        if let Ok(value) = encode(&open.frame) {
            self.accepted += open.lines.len();
            self.updates.push(Update { key: open.frame.event.id.to_string(), value });
            return;
        }
        let reason = "has an update with too many bytes";
        let fault = LineFault { field: Some("sequence".into()), reason: reason.into() };
        self.faults.extend(open.lines.into_iter().map(|number| (number, fault.clone())));
    }
}

fn check_names(open: &BTreeMap<i64, OpenUpdate>) -> Result<(), BatchFault> {
    let events: BTreeSet<_> = open.values().map(|open| &*open.frame.event.id).collect();
    if events.len() > PUSH_EVENTS {
        return Err(BatchFault::TooManyEvents);
    }
    let offers = || open.values().flat_map(|open| &open.frame.offers);
    let books: BTreeSet<_> = offers().map(|offer| &offer.book).collect();
    let markets: BTreeSet<_> = offers().map(|offer| &offer.market).collect();
    if books.len() + markets.len() > PUSH_NAMES { Err(BatchFault::TooManyNames) } else { Ok(()) }
}

/// Adds a line to the update of its sequence.
fn add(
    open: &mut BTreeMap<i64, OpenUpdate>,
    number: usize,
    line: PushLine,
    (grant, received_at): (&PushGrant, Micros),
) -> Result<(), LineFault> {
    let PushLine { event, names_event, book, market, tick, sequence } = line;
    let push = Some(Push { sequence, names_event });
    let update = open.entry(sequence).or_insert_with(|| OpenUpdate {
        frame: Frame {
            source: grant.source(),
            received_at,
            poll_index: None,
            event: event.clone(),
            coverage: Coverage { books: Some(Vec::new()), markets: Some(Vec::new()) },
            offers: Vec::new(),
            push,
        },
        lines: Vec::new(),
    });
    if (&update.frame.event, update.frame.push) != (&event, push) {
        let reason = "was given to another event in this request";
        return Err(LineFault { field: Some("sequence".into()), reason: reason.into() });
    }
    update.lines.push(number);
    let offers = &mut update.frame.offers;
    match offers.iter_mut().find(|offer| offer.book == book && offer.market == market) {
        Some(offer) => offer.ticks.push(tick),
        None => offers.push(Offer {
            book,
            market,
            last_seen_at: received_at,
            price_moved_at: None,
            link: None,
            odds_format: OddsFormat::Decimal,
            ticks: vec![tick],
        }),
    }
    Ok(())
}

#[cfg(test)]
mod tests;
