//! The directory, and when its parts end.
//!
//! It knows when parts end, and decides nothing else.

use std::collections::BTreeSet;

use arb_runtime::draft::{self, Parts};
use arb_schemas::time::{Micros, SECOND};

use crate::directory::{Directory, Part};

const DAY: Micros = 86_400 * SECOND;
/// For how long a reply is kept, and with it the id of its command.
pub const REPLY_KEPT: Micros = DAY;
/// For how long a key that has expired is kept, so that its holder sees what has become of it.
pub const EXPIRED_KEY_KEPT: Micros = 30 * DAY;

/// The directory with the drafts of a transaction.
pub(super) type Draft = draft::Draft<TimedDirectory>;

/// The directory with the ends of its parts.
#[derive(Debug, Default)]
pub(super) struct TimedDirectory {
    directory: Directory,
    ends: BTreeSet<(Micros, String)>,
}

/// When something of a part ends; `None` for one that stays.
fn end(part: &Part) -> Option<Micros> {
    match part {
        Part::Session(session) => Some(session.expires_at),
        Part::Key(key) => key.permissions.expires_at.map(|end| end.saturating_add(EXPIRED_KEY_KEPT)),
        Part::Reply(reply) => Some(reply.at.saturating_add(REPLY_KEPT)),
        Part::Usage(ledger) => Some(ledger.next_end()),
        Part::Account(_) | Part::Invitation(_) | Part::Endpoint(_) | Part::Clock(_) => None,
    }
}

fn is_reply(key: &str) -> bool {
    key.starts_with("reply/")
}

impl TimedDirectory {
    pub(super) fn directory(&self) -> &Directory {
        &self.directory
    }

    /// The part that ends first of those that have ended by a time.
    pub(super) fn ended(&self, now: Micros) -> Option<Part> {
        let (_, key) = self.ends.first().filter(|(end, _)| *end <= now)?;
        self.directory.part(key)
    }
}

impl Parts for TimedDirectory {
    type Part = Part;

    fn key(part: &Part) -> String {
        part.key()
    }

    fn part(&self, key: &str) -> Option<Part> {
        self.directory.part(key)
    }

    fn replace(&mut self, key: &str, part: Option<Part>) -> Option<Part> {
        let before = self.directory.part(key);
        if let Some(end) = before.as_ref().and_then(end) {
            self.ends.remove(&(end, key.to_owned()));
        }
        match part {
            Some(part) => {
                self.ends.extend(end(&part).map(|end| (end, key.to_owned())));
                self.directory.put(part);
            }
            None => self.directory.remove(key),
        }
        before
    }
}

/// The parts that the drafts change, as they are now: replies last.
pub(super) fn changes(draft: &Draft) -> impl Iterator<Item = (&str, Option<Part>)> {
    let keys = || draft.changed().map(|(key, _)| key);
    let ordered = keys().filter(|key| !is_reply(key)).chain(keys().filter(|key| is_reply(key)));
    ordered.map(|key| (key, draft.part(key)))
}
