//! What each key of an account has spent in a month. An account may make, use and revoke any number of keys: the ledger, which is one
//! record, has a line for each of the newest, and one for all others. It never loses a request.

/// Keys that have a line of their own.
pub const MAX_KEYS: usize = 1_000;
/// The line of all others. It is no kid.
pub const OTHER_KEYS: &str = "other";

/// What a key has spent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct KeySpent {
    /// Reported.
    pub requests: u64,
    /// What its leases forfeited.
    pub forfeited: u64,
}

/// What keys have spent, by kid: the one that spent first is the first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SpentKeys(Vec<(String, KeySpent)>);

impl SpentKeys {
    /// What a key has spent; `None` where it has spent nothing, or has no line of its own any more.
    #[must_use]
    pub fn get(&self, kid: &str) -> Option<KeySpent> {
        self.0.iter().rev().find(|(known, _)| known == kid).map(|(_, spent)| *spent)
    }

    /// All lines.
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &KeySpent)> {
        self.0.iter().map(|(kid, spent)| (kid.as_str(), spent))
    }

    /// The line of a key: a new one is the newest.
    pub(crate) fn of(&mut self, kid: &str) -> &mut KeySpent {
        let known = self.0.iter().rposition(|(known, _)| known == kid);
        let at = known.unwrap_or_else(|| {
            self.0.push((kid.to_owned(), KeySpent::default()));
            self.0.len() - 1
        });
        &mut self.0[at].1
    }

    /// Adds the oldest lines to that of all others while there are too many. A live key keeps its line, since its monthly cap is
    /// compared with it; an account has fewer of them than there may be lines.
    pub(crate) fn fold(&mut self, is_live: impl Fn(&str) -> bool) {
        let others = |(kid, _): &&(String, KeySpent)| kid == OTHER_KEYS;
        let mut surplus = self.0.len() - self.0.iter().filter(others).count();
        surplus = surplus.saturating_sub(MAX_KEYS);
        if surplus == 0 {
            return;
        }
        let mut folded = KeySpent::default();
        self.0.retain(|(kid, spent)| {
            let is_others = kid == OTHER_KEYS;
            let is_folded = is_others || surplus > 0 && !is_live(kid);
            if is_folded {
                surplus -= usize::from(!is_others);
                folded.requests += spent.requests;
                folded.forfeited += spent.forfeited;
            }
            !is_folded
        });
        self.0.insert(0, (OTHER_KEYS.to_owned(), folded));
    }
}

impl FromIterator<(String, KeySpent)> for SpentKeys {
    fn from_iter<T: IntoIterator<Item = (String, KeySpent)>>(lines: T) -> Self {
        Self(lines.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_beyond_the_newest_thousand_fold_into_one_and_no_request_is_lost() {
        let mut keys = SpentKeys::default();
        for number in 0..3_000_u64 {
            let line = keys.of(&number.to_string());
            (line.requests, line.forfeited) = (number, 1);
            keys.fold(|kid| kid == "7");
            assert!(keys.iter().len() <= MAX_KEYS + 1);
        }
        let sum = keys.iter().fold((0, 0), |sum, (_, key)| (sum.0 + key.requests, sum.1 + key.forfeited));
        assert_eq!(sum, (2_999 * 3_000 / 2, 3_000));
        let kids: Vec<_> = keys.iter().map(|(kid, _)| kid).collect();
        assert_eq!((kids[..3].to_vec(), kids[MAX_KEYS]), (vec![OTHER_KEYS, "7", "2001"], "2999"));
        assert_eq!((keys.get("7").unwrap().requests, keys.get("8")), (7, None), "it is live, and was first");
    }
}
