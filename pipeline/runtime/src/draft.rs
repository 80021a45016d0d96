//! A state of parts with the drafts of a transaction: what each part was before is kept until the transaction ends.
//!
//! A draft changes the state in place, so that a step reads what steps of its transaction have drafted. It never decides what a part is,
//! and never encodes one.

use std::collections::BTreeMap;
use std::ops::Deref;

/// A state that consists of parts, each under its key of the changelog.
pub trait Parts: Default {
    /// A part.
    type Part;

    /// The key of a part.
    fn key(part: &Self::Part) -> String;

    /// The part with a key.
    fn part(&self, key: &str) -> Option<Self::Part>;

    /// Puts a part in place of that with its key, or removes the part with a key; the part that was there.
    fn replace(&mut self, key: &str, part: Option<Self::Part>) -> Option<Self::Part>;
}

/// A state and its drafts. It is read as the state is, drafts included, and changed by drafts alone.
#[derive(Debug)]
pub struct Draft<S: Parts> {
    state: S,
    /// Each part that the drafts change, as it was before.
    before: BTreeMap<String, Option<S::Part>>,
}

impl<S: Parts> Default for Draft<S> {
    fn default() -> Self {
        Self { state: S::default(), before: BTreeMap::new() }
    }
}

impl<S: Parts> Deref for Draft<S> {
    type Target = S;

    fn deref(&self) -> &S {
        &self.state
    }
}

impl<S: Parts> Draft<S> {
    /// Puts a part in place of that with its key.
    pub fn put(&mut self, part: S::Part) {
        self.set(&S::key(&part), Some(part));
    }

    /// Removes a part.
    pub fn remove(&mut self, key: &str) {
        self.set(key, None);
    }

    fn set(&mut self, key: &str, part: Option<S::Part>) {
        let before = self.state.replace(key, part);
        if !self.before.contains_key(key) {
            self.before.insert(key.to_owned(), before);
        }
    }

    /// The keys of the parts that the drafts change, in their order, each with the part that was there before.
    pub fn changed(&self) -> impl Iterator<Item = (&str, Option<&S::Part>)> {
        self.before.iter().map(|(key, before)| (key.as_str(), before.as_ref()))
    }

    /// Makes the drafts the state.
    pub fn apply(&mut self) {
        self.before.clear();
    }

    /// Drops the drafts.
    pub fn abort(&mut self) {
        for (key, part) in std::mem::take(&mut self.before) {
            self.state.replace(&key, part);
        }
    }

    /// Puts back a part that was committed before: it is no draft.
    pub fn restore(&mut self, part: S::Part) {
        self.state.replace(&S::key(&part), Some(part));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers by name.
    #[derive(Debug, Default, PartialEq)]
    struct Numbers(BTreeMap<String, i32>);

    impl Parts for Numbers {
        type Part = (String, i32);

        fn key((name, _): &(String, i32)) -> String {
            name.clone()
        }

        fn part(&self, key: &str) -> Option<(String, i32)> {
            self.0.get_key_value(key).map(|(name, number)| (name.clone(), *number))
        }

        fn replace(&mut self, key: &str, part: Option<(String, i32)>) -> Option<(String, i32)> {
            let before = self.part(key);
            self.0.remove(key);
            self.0.extend(part);
            before
        }
    }

    fn number(name: &str, number: i32) -> (String, i32) {
        (name.to_owned(), number)
    }

    /// A state of `a` and `b`, and drafts that change the one twice, remove the other, and begin and end a third.
    fn drafted() -> Draft<Numbers> {
        let mut draft = Draft::<Numbers>::default();
        draft.restore(number("a", 1));
        draft.restore(number("b", 2));
        assert_eq!(draft.changed().count(), 0, "what is restored is no draft");
        draft.put(number("a", 10));
        draft.put(number("a", 11));
        draft.remove("b");
        draft.put(number("c", 3));
        draft.remove("c");
        draft
    }

    #[test]
    fn a_step_reads_drafts_and_each_change_knows_what_was_before_all_of_them() {
        let draft = drafted();
        assert_eq!(draft.0, BTreeMap::from([number("a", 11)]));
        let (a, b) = (number("a", 1), number("b", 2));
        let changed: Vec<_> = draft.changed().collect();
        assert_eq!(changed, [("a", Some(&a)), ("b", Some(&b)), ("c", None)]);
    }

    #[test]
    fn drafts_become_the_state_or_leave_it_as_it_was() {
        let mut applied = drafted();
        applied.apply();
        applied.abort();
        assert_eq!(applied.0, BTreeMap::from([number("a", 11)]));
        let mut aborted = drafted();
        aborted.abort();
        assert_eq!(aborted.0, BTreeMap::from([number("a", 1), number("b", 2)]));
        assert_eq!(aborted.changed().count(), 0);
    }
}
