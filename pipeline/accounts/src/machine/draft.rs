//! The directory with the drafts of a transaction: what each part was before it is kept until the transaction ends.
//!
//! It knows when parts end, and decides nothing else.

use std::collections::{BTreeMap, BTreeSet};

use arb_schemas::time::{Micros, SECOND};

use crate::directory::{Directory, Part};

const DAY: Micros = 86_400 * SECOND;
/// For how long a reply is kept, and with it the id of its command.
pub const REPLY_KEPT: Micros = DAY;
/// For how long a key that has expired is kept, so that its holder sees what has become of it.
pub const EXPIRED_KEY_KEPT: Micros = 30 * DAY;

/// The directory and its drafts.
#[derive(Debug, Default)]
pub(super) struct Draft {
    directory: Directory,
    /// The parts that the drafts change, as they were before.
    before: BTreeMap<String, Option<Part>>,
    /// When parts end, drafts included.
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

impl Draft {
    pub(super) fn directory(&self) -> &Directory {
        &self.directory
    }

    /// Puts a part in place of that with its key.
    pub(super) fn put(&mut self, part: Part) {
        self.set(&part.key(), Some(part));
    }

    /// Removes a part.
    pub(super) fn remove(&mut self, key: &str) {
        self.set(key, None);
    }

    fn set(&mut self, key: &str, part: Option<Part>) {
        let before = self.replace(key, part);
        self.before.entry(key.to_owned()).or_insert(before);
    }

    /// The part that was there.
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

    /// The part that ends first of those that have ended by a time.
    pub(super) fn ended(&self, now: Micros) -> Option<Part> {
        let (_, key) = self.ends.first().filter(|(end, _)| *end <= now)?;
        self.directory.part(key)
    }

    /// The parts that the drafts change, as they are now: replies last.
    pub(super) fn changes(&self) -> impl Iterator<Item = (&str, Option<Part>)> {
        let keys = || self.before.keys().map(String::as_str);
        let ordered = keys().filter(|key| !is_reply(key)).chain(keys().filter(|key| is_reply(key)));
        ordered.map(|key| (key, self.directory.part(key)))
    }

    /// Makes the drafts the state.
    pub(super) fn apply(&mut self) {
        self.before.clear();
    }

    /// Drops the drafts.
    pub(super) fn abort(&mut self) {
        for (key, part) in std::mem::take(&mut self.before) {
            self.replace(&key, part);
        }
    }

    /// Puts back a part that was committed before.
    pub(super) fn restore(&mut self, part: Part) {
        let key = part.key();
        self.replace(&key, Some(part));
    }
}
