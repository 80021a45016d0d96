//! The scans that a partition remembers: which sources have begun and ended to answer them.
//!
//! A begin marker notes the latest poll of its source that the partition had; an end marker names the poll for the scan. A quote
//! counts as asked for when it is from that poll, and that poll is later in the source's own order than all before the begin
//! marker: it never compares clocks. Prices that a poll repeated do not count (`repeats`). The newest scans are remembered, so that the state cannot grow. All of it is in the
//! changelog.

mod answer;
mod repeats;
mod scope;

use std::collections::BTreeMap;

use arb_engine::Engine;
use arb_engine::caps::NAME_BYTES;
use arb_runtime::log::Output;
use arb_runtime::machine::Change;
use arb_schemas::ScanMarker;
use arb_schemas::records::scans::POLLED;
use arb_schemas::records::{ScanBegin, ScanEnd, ScanRequest, StateScan, StateScanRepeats, StateScanSource};
use arb_schemas::time::Micros;
use arb_schemas::topics::SCAN_RESULTS;
use arb_schemas::wire::{WireError, encode};

use self::repeats::Repeats;

/// Scans that are remembered.
const MOST_SCANS: usize = 256;
/// Sources of a scan.
const MOST_SOURCES: usize = 256;
/// Names in each list of a request.
const MOST_NAMES: usize = 100;

/// The scans of a partition; `None` of a draft is removed.
#[derive(Debug, Default)]
pub(crate) struct Scans {
    known: BTreeMap<String, StateScan>,
    draft: BTreeMap<String, Option<StateScan>>,
    repeats: Repeats,
}

/// What a marker brings about.
#[derive(Debug, PartialEq)]
pub(crate) enum MarkerEffect {
    /// It is remembered.
    Noted,
    /// A record is to be published.
    Answered(Output),
    /// It is beyond a limit.
    Refused(&'static str),
}

impl Scans {
    /// Takes in a marker at an offset of a partition.
    pub(crate) fn step(
        &mut self,
        engine: &Engine,
        marker: &ScanMarker,
        (partition, offset): (i32, i64),
    ) -> Result<MarkerEffect, WireError> {
        match marker {
            ScanMarker::Begin(begin) => Ok(self.begin(engine, begin, offset)),
            ScanMarker::End(end) => self.end(engine, end, partition),
        }
    }

    fn begin(&mut self, engine: &Engine, begin: &ScanBegin, offset: i64) -> MarkerEffect {
        if let Some(reason) = refusal(begin) {
            return MarkerEffect::Refused(reason);
        }
        let new = || StateScan { request: begin.request.clone(), number: offset, sources: Vec::new() };
        let mut scan = self.get(&begin.request.id).cloned().unwrap_or_else(new);
        if scan.sources.iter().any(|known| known.source == begin.source && is_polled(known)) {
            // Another worker takes up what a worker that has ended may have left.
            return MarkerEffect::Noted;
        }
        scan.sources.retain(|known| known.source != begin.source);
        if scan.sources.len() >= MOST_SOURCES {
            return MarkerEffect::Refused("more sources than a scan may have");
        }
        scan.sources.push(StateScanSource {
            source: begin.source.clone(),
            before: engine.latest_poll(&begin.source).unwrap_or(i64::MIN),
            outcome: None,
            polled_at: None,
            credits: 0,
        });
        self.draft.insert(scan.request.id.clone(), Some(scan));
        self.forget_oldest();
        MarkerEffect::Noted
    }

    fn end(&mut self, engine: &Engine, end: &ScanEnd, partition: i32) -> Result<MarkerEffect, WireError> {
        let Some(mut scan) = self.get(&end.scan).cloned() else { return Ok(MarkerEffect::Noted) };
        let is_first = !scan.sources.iter().any(|known| known.outcome.is_some());
        let Some(source) = scan.sources.iter_mut().find(|known| known.source == end.source) else {
            return Ok(MarkerEffect::Noted);
        };
        if is_polled(source) && end.outcome != POLLED {
            return Ok(MarkerEffect::Noted);
        }
        source.outcome = Some(end.outcome.chars().take(NAME_BYTES).collect());
        (source.polled_at, source.credits) = (end.polled_at, end.credits);
        let (key, is_awaited) =
            (scan.request.id.clone(), scan.sources.iter().any(|known| known.outcome.is_none()));
        // An answer is computed from all that is scanned: of several sources by the first and by the last.
        let is_answered = is_first || !is_awaited;
        let value =
            is_answered.then(|| answer::encoded(answer::answer(engine, &scan, &self.repeats))).transpose()?;
        self.draft.insert(key.clone(), Some(scan));
        let Some(value) = value else { return Ok(MarkerEffect::Noted) };
        Ok(MarkerEffect::Answered(Output::new(SCAN_RESULTS.name, partition, key, Some(value))))
    }

    /// A poll of a source repeated its earlier prices of an event. It matters while a scan waits for the source.
    pub(crate) fn note_repeat(&mut self, source: &str, received_at: Micros, event: &str) {
        let is_awaited = |known: &StateScanSource| known.source == source && known.outcome.is_none();
        // An event with a longer id has no prices.
        if event.len() <= NAME_BYTES && self.all().any(|scan| scan.sources.iter().any(is_awaited)) {
            self.repeats.note(source, received_at, event);
        }
    }

    fn get(&self, id: &str) -> Option<&StateScan> {
        self.draft.get(id).map_or_else(|| self.known.get(id), Option::as_ref)
    }

    /// All that are remembered, drafts included.
    fn all(&self) -> impl Iterator<Item = &StateScan> {
        let known = self.known.iter().filter(|(id, _)| !self.draft.contains_key(*id));
        known.map(|(_, scan)| scan).chain(self.draft.values().flatten())
    }

    fn forget_oldest(&mut self) {
        while self.all().count() > MOST_SCANS {
            let oldest = self.all().min_by_key(|scan| (scan.number, scan.request.id.clone()));
            let Some(id) = oldest.map(|scan| scan.request.id.clone()) else { return };
            self.draft.insert(id, None);
        }
    }

    /// The drafts as changes of the changelog.
    pub(crate) fn changes(&self) -> impl Iterator<Item = Result<Change, WireError>> {
        let scans = self.draft.iter().map(|(id, scan)| {
            let value = scan.as_ref().map(encode).transpose()?;
            Ok(Change { key: format!("scan/{id}"), value })
        });
        scans.chain(self.repeats.changes())
    }

    /// Makes the drafts the state.
    pub(crate) fn apply(&mut self) {
        self.repeats.apply();
        for (id, scan) in std::mem::take(&mut self.draft) {
            match scan {
                Some(scan) => drop(self.known.insert(id, scan)),
                None => drop(self.known.remove(&id)),
            }
        }
    }

    /// Drops the drafts.
    pub(crate) fn abort(&mut self) {
        self.draft.clear();
        self.repeats.abort();
    }

    /// Puts a scan back.
    pub(crate) fn restore(&mut self, scan: StateScan) {
        self.known.insert(scan.request.id.clone(), scan);
    }

    /// Puts what a poll repeated back.
    pub(crate) fn restore_repeats(&mut self, repeats: StateScanRepeats) {
        self.repeats.restore(repeats);
    }
}

/// Whether a source has been polled for a scan: nothing that comes later takes that back.
fn is_polled(source: &StateScanSource) -> bool {
    source.outcome.as_deref() == Some(POLLED)
}

/// Why a begin marker is not taken.
fn refusal(ScanBegin { source, request }: &ScanBegin) -> Option<&'static str> {
    let ScanRequest { id, account, sport, league, event_ids, event_group, markets, books, private, .. } =
        request;
    let lists = [event_ids, markets, books];
    if lists.iter().any(|list| list.len() > MOST_NAMES) {
        return Some("more names than a list of a scan may have");
    }
    let known = [Some(source), Some(id), Some(account), private.as_ref()];
    let single = known.into_iter().chain([sport.as_ref(), league.as_ref(), event_group.as_ref()]);
    let names = single.flatten().chain(lists.into_iter().flatten());
    let is_too_long = names.into_iter().any(|name| name.len() > NAME_BYTES);
    is_too_long.then_some("a name of a scan that is too long")
}

#[cfg(test)]
mod tests;
