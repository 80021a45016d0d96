//! Hashes of all that the odds machine publishes and remembers: by both policies, a market as polls and tick by tick, transactions cut
//! after 1, 7 and 300 records.
//!
//! A change of the program that moves none of them changes nothing that is published or restored. Published records are the same wherever transactions are cut, which
//! the rows of one market show; what the changelog is written depends on the cuts. It never decides what is right.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use arb_engine::market::Policy;
use arb_engine::venues::Books;
use arb_ingest::publish;
use arb_ingest::recording;
use arb_ingest::simulator::{Settings, Simulator};
use arb_ingest::source::{Poll, Source, SourceError};
use arb_ingest::the_odds_api::OddsFormat;
use arb_model::Faults;
use arb_process::codec::TickMessage;
use arb_process::counts::OddsCounts;
use arb_process::machine::{OddsConfig, OddsMachine};
use arb_runtime::machine::{InputPlace, Machine, Outbox};
use arb_schemas::TickRecord;
use arb_schemas::records::{Coverage, Event, Frame, Offer};
use arb_schemas::wire::WireError;
use sha2::{Digest, Sha256};
use thiserror::Error;

use super::next_poll;

/// After how many records a transaction is cut.
const CUTS: [i64; 3] = [1, 7, 300];
const POLICIES: [Policy; 2] = [Policy::Board, Policy::Raw];
/// Polls that are sent tick by tick: each tick is a record, and those of a whole recording would take hours.
const TICKED: usize = 24;
/// Polls of a simulated market.
const SIMULATED: usize = 150;
/// Hexadecimal digits of a hash that are printed.
const DIGITS: usize = 16;

/// How the ticks of a market come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// A frame an event, and the end of the poll.
    Polls,
    /// A frame a tick, which covers nothing: of the first [`TICKED`] polls.
    Ticks,
}

/// The hashes of one market, a row for each form, policy and cut.
#[derive(Debug)]
pub struct Hashes {
    name: String,
    rows: Vec<HashRow>,
    /// Why it could not be read to its end.
    pub cut: Vec<SourceError>,
}

/// A machine, and what it has published and written to its changelog until now.
#[derive(Debug)]
struct HashRow {
    form: Form,
    policy: Policy,
    each: i64,
    published: Sha256,
    changelog: Sha256,
}

/// Why nothing was hashed.
#[derive(Debug, Error)]
pub enum HashError {
    /// A recording cannot be opened.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// A record does not fit its schema.
    #[error(transparent)]
    Wire(#[from] WireError),
}

/// The hashes of recordings, then those of two simulated markets: one without an exchange, one with it.
///
/// # Errors
/// [`HashError`]; a recording that ends early is hashed as far as it goes.
pub fn hashed<'a>(
    recordings: impl IntoIterator<Item = &'a Path>,
    format: OddsFormat,
    books: &Arc<Books>,
) -> Result<Vec<Hashes>, HashError> {
    let mut found = Vec::new();
    for path in recordings {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        found.push(Hashes::of(name, recording::open(path, format)?.as_mut(), usize::MAX, books)?);
    }
    let backs = Settings { events: 16, ..Settings::default() };
    let lays = Settings { seed: 2, exchange: true, short: 4, ..backs };
    for (name, settings) in [("simulated", backs), ("simulated, with lays", lays)] {
        found.push(Hashes::of(name.to_owned(), &mut Simulator::new(settings), SIMULATED, books)?);
    }
    Ok(found)
}

impl Hashes {
    fn of(
        name: String,
        source: &mut dyn Source,
        polls: usize,
        books: &Arc<Books>,
    ) -> Result<Self, WireError> {
        let mut machines = Vec::new();
        for (form, policy) in
            [Form::Polls, Form::Ticks].into_iter().flat_map(|form| POLICIES.map(|policy| (form, policy)))
        {
            machines.extend(CUTS.map(|each| HashedMachine::new(HashRow::new(form, policy, each), books)));
        }
        let (mut faults, mut cut) = (Faults::default(), Vec::new());
        for count in 0..polls {
            let Some(poll) = next_poll(source, &mut faults, &mut cut) else { break };
            for form in [Form::Polls, Form::Ticks] {
                if form == Form::Ticks && count >= TICKED {
                    continue;
                }
                let records = form.records(source.name(), &poll);
                let of_form = machines.iter_mut().filter(|machine| machine.row.form == form);
                for machine in of_form {
                    records.iter().try_for_each(|record| machine.step(record))?;
                }
            }
        }
        let rows = machines.into_iter().map(HashedMachine::finish).collect::<Result<_, _>>()?;
        Ok(Self { name, rows, cut })
    }
}

impl Form {
    fn key(self) -> &'static str {
        match self {
            Self::Polls => "polls",
            Self::Ticks => "ticks",
        }
    }

    /// A poll as records of one partition, as the processor reads them.
    fn records(self, source: &str, poll: &Poll) -> Vec<TickMessage<'static>> {
        let records: Vec<_> = match self {
            Self::Polls => publish::records(source, poll.clone(), 1)
                .into_iter()
                .map(|addressed| addressed.record)
                .collect(),
            Self::Ticks => {
                let offers = poll
                    .events
                    .iter()
                    .flat_map(|(event, offers)| offers.iter().map(move |offer| (event, offer)));
                offers.flat_map(|(event, offer)| ticks(source, poll, event, offer)).collect()
            }
        };
        records.into_iter().map(TickMessage::Record).collect()
    }
}

/// The ticks of an offer, each a frame that covers nothing.
fn ticks<'a>(
    source: &'a str,
    poll: &'a Poll,
    event: &'a Event,
    offer: &'a Offer,
) -> impl Iterator<Item = TickRecord> + 'a {
    offer.ticks.iter().map(move |tick| {
        let coverage = Coverage { books: Some(Vec::new()), markets: Some(Vec::new()) };
        let offers = vec![Offer { ticks: vec![*tick], ..offer.clone() }];
        let (source, event, received_at) = (source.to_owned(), event.clone(), poll.received_at);
        TickRecord::Frame(Frame {
            source,
            received_at,
            poll_index: None,
            event,
            coverage,
            offers,
            push: None,
        })
    })
}

/// A machine whose outputs are hashed.
struct HashedMachine {
    row: HashRow,
    machine: OddsMachine,
    out: Outbox,
    offset: i64,
}

impl HashedMachine {
    fn new(row: HashRow, books: &Arc<Books>) -> Self {
        let machine = OddsMachine::new(&OddsConfig { policy: row.policy, books: Arc::clone(books) });
        Self { row, machine, out: Outbox::default(), offset: 0 }
    }

    fn step(&mut self, record: &TickMessage<'_>) -> Result<(), WireError> {
        self.out.clear();
        let at = InputPlace { partition: 0, offset: self.offset, epoch: 1 };
        self.machine.step(at, record, &mut self.out, &mut OddsCounts::default())?;
        self.offset += 1;
        for output in self.out.outputs() {
            let headers = output
                .headers
                .iter()
                .flat_map(|(name, value)| [Some(name.as_bytes()), Some(value.as_bytes())]);
            let parts = [Some(output.topic.as_bytes()), output.key.as_deref(), output.value.as_deref()];
            add(&mut self.row.published, parts.into_iter().chain(headers));
        }
        for (reason, error) in self.out.letters() {
            add(&mut self.row.published, [Some(format!("{reason:?}").as_bytes()), Some(error.as_bytes())]);
        }
        if self.offset % self.row.each == 0 { self.commit() } else { Ok(()) }
    }

    fn commit(&mut self) -> Result<(), WireError> {
        let changelog = &mut self.row.changelog;
        self.machine.changes(|change| {
            add(changelog, [Some(change.key.as_bytes()), change.value.as_deref()]);
            Ok::<_, WireError>(())
        })?;
        self.machine.apply();
        Ok(())
    }

    fn finish(mut self) -> Result<HashRow, WireError> {
        self.commit()?;
        Ok(self.row)
    }
}

/// Hashes a record; what is absent is not what is empty.
fn add<'a>(hash: &mut Sha256, parts: impl IntoIterator<Item = Option<&'a [u8]>>) {
    for part in parts {
        let length = part.map_or(u64::MAX, |part| part.len() as u64);
        hash.update(length.to_le_bytes());
        hash.update(part.unwrap_or_default());
    }
}

impl HashRow {
    fn new(form: Form, policy: Policy, each: i64) -> Self {
        Self { form, policy, each, published: Sha256::new(), changelog: Sha256::new() }
    }
}

fn digits(hash: &Sha256) -> String {
    let bytes: [u8; 32] = hash.clone().finalize().into();
    bytes[..DIGITS / 2].iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

/// A row a line: name, form, policy, records a transaction, published, changelog.
impl fmt::Display for Hashes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in &self.rows {
            let (form, policy, each) = (row.form.key(), row.policy.key(), row.each);
            let (published, changelog) = (digits(&row.published), digits(&row.changelog));
            writeln!(f, "{:<42} {form} {policy:<5} {each:>3} {published} {changelog}", self.name)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_published_depends_on_no_cut_and_what_is_another_market_is_another_hash() {
        let hashes = |seed| {
            let mut market =
                Simulator::new(Settings { seed, events: 4, books: 6, exchange: true, ..Settings::default() });
            Hashes::of("m".to_owned(), &mut market, 30, &Arc::new(arb_process::books::shipped().unwrap()))
                .unwrap()
        };
        let published =
            |hashes: &Hashes| hashes.rows.iter().map(|row| digits(&row.published)).collect::<Vec<_>>();
        let (one, other) = (hashes(1), hashes(2));
        let rows = published(&one);
        assert_eq!(rows.len(), 2 * POLICIES.len() * CUTS.len());
        assert!(rows.chunks(CUTS.len()).all(|cuts| cuts.iter().all(|cut| *cut == cuts[0])), "{one}");
        let mut distinct = [rows, published(&other)].concat();
        distinct.sort();
        distinct.dedup();
        assert_eq!(distinct.len(), 2 * 2 * POLICIES.len(), "{one}{other}");
        assert_eq!(one.to_string(), hashes(1).to_string());
    }

    #[test]
    fn what_is_absent_is_not_what_is_empty() {
        let of = |parts: &[Option<&[u8]>]| {
            let mut hash = Sha256::new();
            add(&mut hash, parts.iter().copied());
            digits(&hash)
        };
        assert_ne!(of(&[Some(b"")]), of(&[None]));
        assert_ne!(of(&[Some(b"ab"), Some(b"c")]), of(&[Some(b"a"), Some(b"bc")]));
    }
}
