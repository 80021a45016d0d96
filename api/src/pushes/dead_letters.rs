//! What of pushed updates was dead-lettered, for those who pushed them: the newest of each source, read from the dead-letter topic.
//!
//! It never decides what is wrong with an update, and shows a source's to nobody else: callers ask by the name that was granted to them.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{PoisonError, RwLock};
use std::time::Duration;

use arb_kafka::{self as kafka, Letter, LetterEvent, NewLetters};
use arb_model::source::granted_name;
use arb_model::{Time, view};
use arb_runtime::dead_letters::header;
use arb_runtime::stop::Stop;
use arb_schemas::TickRecord;
use arb_schemas::time::{Micros, SECOND};

/// For how long a letter is shown.
pub const SHOWN: Micros = 24 * 3_600 * SECOND;
/// Letters that are kept of a source.
const KEPT: usize = 100;
/// Sources of which letters are kept: beyond them, that of the oldest news makes room.
const SOURCES: usize = 1_024;
/// How long to wait for a letter before looking whether to stop.
const WAIT: Duration = Duration::from_millis(100);

view! {
    /// An update that was dead-lettered.
    #[derive(PartialEq, Eq)]
    pub(crate) struct PushLetter {
        dead_lettered_at: Time,
        /// docs/api/ticks.md says what each means.
        reason: String,
        /// Why, in words.
        error: String,
        /// The event's id.
        event: String,
        /// The number of the update.
        sequence: i64 [Wide],
        /// How many prices the update has.
        ticks: usize,
    }
}

/// The newest dead letters of each source that clients push to.
#[derive(Debug, Default)]
pub struct PushLetters {
    of: RwLock<BTreeMap<String, VecDeque<PushLetter>>>,
    is_read: AtomicBool,
}

impl PushLetters {
    /// Those of a granted source since a moment of UTC, the newest first; `None` until all have been read.
    pub(crate) fn since(&self, granted: &str, since: Micros) -> Option<Vec<PushLetter>> {
        if !self.is_read.load(Ordering::Acquire) {
            return None;
        }
        let of = self.of.read().unwrap_or_else(PoisonError::into_inner);
        let kept = of.get(granted).into_iter().flatten();
        Some(kept.filter(|letter| letter.dead_lettered_at.0 >= since).cloned().collect())
    }

    /// Reads them until the shutdown signal.
    ///
    /// # Errors
    /// [`kafka::Error`].
    pub(crate) fn follow(&self, mut letters: NewLetters, stop: &Stop) -> Result<(), kafka::Error> {
        while !stop.is_stopped() {
            match letters.next(WAIT)? {
                LetterEvent::Letter(letter) => self.put(&letter),
                LetterEvent::CaughtUp => self.has_read(),
                LetterEvent::Idle => {}
            }
        }
        Ok(())
    }

    /// All that there were have been read.
    pub(crate) fn has_read(&self) {
        self.is_read.store(true, Ordering::Release);
    }

    /// Keeps a letter where a client pushed what it is about.
    pub(crate) fn put(&self, letter: &Letter) {
        let Some((source, letter)) = of_push(letter) else { return };
        let mut of = self.of.write().unwrap_or_else(PoisonError::into_inner);
        if !of.contains_key(&source) && of.len() >= SOURCES {
            let newest =
                |letters: &VecDeque<PushLetter>| letters.front().map(|letter| letter.dead_lettered_at.0);
            let oldest = of.iter().min_by_key(|(_, letters)| newest(letters)).map(|(name, _)| name.clone());
            oldest.map(|name| of.remove(&name));
        }
        let kept = of.entry(source).or_default();
        let after = kept.partition_point(|other| other.dead_lettered_at.0 > letter.dead_lettered_at.0);
        kept.insert(after, letter);
        kept.truncate(KEPT);
    }
}

/// The granted name of the source, and what is shown of a letter; `None` of one that no client pushed, or that cannot be read.
fn of_push(letter: &Letter) -> Option<(String, PushLetter)> {
    let TickRecord::Frame(frame) = TickRecord::decode(letter.value.as_deref()?).ok()? else { return None };
    let source = granted_name(&frame.source)?.to_owned();
    let shown = PushLetter {
        dead_lettered_at: Time(letter.at_millis? * (SECOND / 1_000)),
        reason: letter.header(header::REASON).to_owned(),
        error: letter.header(header::ERROR).to_owned(),
        event: frame.event.id.to_string(),
        sequence: frame.push?.sequence,
        ticks: frame.offers.iter().map(|offer| offer.ticks.len()).sum(),
    };
    Some((source, shown))
}

#[cfg(test)]
mod tests {
    use arb_model::fixtures;
    use arb_runtime::dead_letters::Reason;
    use arb_schemas::records::{Coverage, Event, Frame, Push};
    use arb_schemas::wire::encode;

    use super::*;

    fn letter(source: &str, sequence: i64) -> Letter {
        let event = Event { id: "e".into(), ..fixtures::event() };
        let frame = Frame {
            source: source.to_owned(),
            received_at: 1,
            poll_index: None,
            event,
            coverage: Coverage { books: Some(Vec::new()), markets: None },
            offers: Vec::new(),
            push: Some(Push { sequence, names_event: false }),
        };
        Letter {
            partition: 0,
            offset: sequence,
            at_millis: Some(sequence),
            key: None,
            value: Some(encode(&frame).unwrap()),
            headers: vec![(header::REASON.to_owned(), Reason::PushRefused.key().to_owned())],
        }
    }

    fn sequences(letters: &PushLetters, source: &str, since: Micros) -> Vec<i64> {
        let of = letters.since(source, since).unwrap();
        of.iter().map(|letter| letter.sequence).collect()
    }

    #[test]
    fn a_source_is_shown_its_own_newest_first_and_nothing_before_all_is_read() {
        let letters = PushLetters::default();
        for (source, sequence) in [("push/acme", 1), ("push/other", 2), ("feed/acme", 4), ("push/acme", 3)] {
            letters.put(&letter(source, sequence));
        }
        letters.put(&letter("the-odds-api", 5));
        letters.put(&Letter { value: Some(b"no record".to_vec()), ..letter("push/acme", 6) });
        letters.put(&Letter { value: None, ..letter("push/acme", 7) });
        assert_eq!(letters.since("acme", 0), None);
        letters.has_read();
        assert_eq!(sequences(&letters, "acme", 0), [4, 3, 1]);
        assert_eq!(sequences(&letters, "acme", 3_000), [4, 3], "milliseconds of Kafka, microseconds here");
        assert_eq!(sequences(&letters, "the-odds-api", 0), [0; 0]);
    }

    #[test]
    fn a_source_has_a_room_of_its_own_and_sources_a_number() {
        let letters = PushLetters::default();
        letters.has_read();
        letters.put(&letter("push/quiet", 0));
        for sequence in 1..=150 {
            letters.put(&letter("push/loud", sequence));
        }
        assert_eq!(sequences(&letters, "loud", 0), (51..=150).rev().collect::<Vec<_>>());
        assert_eq!(sequences(&letters, "quiet", 0), [0]);
        for number in 0..SOURCES {
            letters.put(&letter(&format!("push/{number}"), 1_000 + i64::try_from(number).unwrap()));
        }
        assert_eq!(letters.of.read().unwrap().len(), SOURCES);
        assert_eq!(sequences(&letters, "quiet", 0), [0; 0], "the oldest news made room");
        assert_eq!(sequences(&letters, "0", 0), [1_000]);
    }
}
