//! What waits for its turn, fairly: known accounts and networks of strangers take turns, and within each kind every account or network
//! does, however many requests each has.
//!
//! It is bounded: of a full kind, whoever has most waiting gives way to whoever has fewer. It never starts a thread or asks a clock.

use std::collections::{BTreeMap, VecDeque};

/// What waits at most for one account or network.
const PER_LANE: usize = 8;
/// What waits at most of one kind.
const PER_KIND: usize = 128;

/// Whose turn it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Lane {
    /// An account that was proven by a session or a device cookie.
    Account(String),
    /// A network.
    Network(String),
}

/// There is no room for one more.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Full;

/// The queue.
#[derive(Debug)]
pub(crate) struct FairQueue<T> {
    accounts: Lanes<T>,
    networks: Lanes<T>,
    /// Whether the next turn is an account's.
    is_accounts_turn: bool,
}

/// What waits of one kind. No lane is empty, and each has one turn.
#[derive(Debug)]
struct Lanes<T> {
    waiting: BTreeMap<String, VecDeque<T>>,
    turns: VecDeque<String>,
    count: usize,
}

impl<T> Default for FairQueue<T> {
    fn default() -> Self {
        let (accounts, networks) = (Lanes::new(), Lanes::new());
        Self { accounts, networks, is_accounts_turn: true }
    }
}

impl<T> FairQueue<T> {
    /// Puts one behind those of its lane. What gave way to it is dropped.
    ///
    /// # Errors
    /// [`Full`].
    pub(crate) fn push(&mut self, lane: Lane, item: T) -> Result<(), Full> {
        match lane {
            Lane::Account(name) => self.accounts.push(name, item),
            Lane::Network(name) => self.networks.push(name, item),
        }
    }

    /// Takes the next one.
    pub(crate) fn pop(&mut self) -> Option<T> {
        let is_accounts_turn = self.is_accounts_turn;
        self.is_accounts_turn = !is_accounts_turn;
        let (first, second) = (&mut self.accounts, &mut self.networks);
        let (first, second) = if is_accounts_turn { (first, second) } else { (second, first) };
        first.pop().or_else(|| second.pop())
    }

    /// Forgets what nobody waits for any more.
    pub(crate) fn retain(&mut self, is_waited_for: impl Fn(&T) -> bool) {
        self.accounts.retain(&is_waited_for);
        self.networks.retain(&is_waited_for);
    }
}

impl<T> Lanes<T> {
    const fn new() -> Self {
        Self { waiting: BTreeMap::new(), turns: VecDeque::new(), count: 0 }
    }

    fn push(&mut self, name: String, item: T) -> Result<(), Full> {
        let own = self.waiting.get(&name).map_or(0, VecDeque::len);
        if own >= PER_LANE || (self.count >= PER_KIND && !self.make_room(own)) {
            return Err(Full);
        }
        if own == 0 {
            self.turns.push_back(name.clone());
        }
        self.waiting.entry(name).or_default().push_back(item);
        self.count += 1;
        Ok(())
    }

    /// Drops the last one of the longest lane, where that still has no fewer than a lane of so many and one more.
    fn make_room(&mut self, own: usize) -> bool {
        let longest = self.waiting.values_mut().max_by_key(|lane| lane.len());
        let Some(longest) = longest.filter(|lane| lane.len() > own + 1) else { return false };
        longest.pop_back();
        self.count -= 1;
        true
    }

    fn pop(&mut self) -> Option<T> {
        let name = self.turns.pop_front()?;
        let lane = self.waiting.get_mut(&name)?;
        let item = lane.pop_front();
        self.count -= 1;
        if lane.is_empty() {
            self.waiting.remove(&name);
        } else {
            self.turns.push_back(name);
        }
        item
    }

    fn retain(&mut self, is_waited_for: impl Fn(&T) -> bool) {
        self.waiting.retain(|_, lane| {
            lane.retain(&is_waited_for);
            !lane.is_empty()
        });
        self.turns.retain(|name| self.waiting.contains_key(name));
        self.count = self.waiting.values().map(VecDeque::len).sum();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn network(name: u8) -> Lane {
        Lane::Network(name.to_string())
    }

    #[test]
    fn each_network_has_its_turn() {
        let mut queue = FairQueue::default();
        for (lane, item) in [(1, "a1"), (1, "a2"), (1, "a3"), (2, "b1"), (3, "c1"), (2, "b2")] {
            queue.push(network(lane), item).unwrap();
        }
        queue.push(Lane::Account("x".into()), "known").unwrap();
        let order: Vec<_> = std::iter::from_fn(|| queue.pop()).collect();
        assert_eq!(order, ["known", "a1", "b1", "c1", "a2", "b2", "a3"]);
    }

    #[test]
    fn one_network_fills_neither_the_queue_nor_the_place_of_another() {
        let mut queue = FairQueue::default();
        let taken = (0..100).filter(|number| queue.push(network(1), *number).is_ok()).count();
        assert_eq!(taken, PER_LANE);
        for lane in 2..=16 {
            (0..PER_LANE).for_each(|_| queue.push(network(lane), 0).unwrap());
        }
        queue.push(network(17), 1_000).unwrap();
        assert_eq!((queue.networks.count, queue.networks.waiting.len()), (PER_KIND, 17));
        let first: Vec<_> = (0..17).filter_map(|_| queue.pop()).collect();
        assert!(first.contains(&1_000), "served within one round");
    }

    #[test]
    fn known_accounts_wait_for_no_network() {
        let mut queue = FairQueue::default();
        for lane in 0..PER_KIND {
            queue.push(Lane::Network(lane.to_string()), 0).unwrap();
        }
        assert_eq!(queue.push(Lane::Network("more".into()), 0), Err(Full));
        queue.pop();
        queue.push(Lane::Account("a".into()), 1).unwrap();
        assert!([queue.pop(), queue.pop()].contains(&Some(1)));
    }

    proptest! {
        #[test]
        fn nothing_is_lost_or_served_twice(acts in prop::collection::vec((0..6_u8, any::<bool>(), 0..4_u8), 0..400)) {
            let mut queue = FairQueue::default();
            let mut served = Vec::new();
            for (number, (lane, is_known, pops)) in acts.into_iter().enumerate() {
                let lane = if is_known { Lane::Account(lane.to_string()) } else { network(lane) };
                let _ = queue.push(lane, number);
                served.extend((0..pops / 2).filter_map(|_| queue.pop()));
                if pops == 1 {
                    queue.retain(|item| item % 3 != 0);
                }
                for lanes in [&queue.accounts, &queue.networks] {
                    prop_assert_eq!(lanes.count, lanes.waiting.values().map(VecDeque::len).sum::<usize>());
                    prop_assert_eq!(lanes.turns.len(), lanes.waiting.len());
                    prop_assert!(lanes.count <= PER_KIND && lanes.waiting.values().all(|lane| (1..=PER_LANE).contains(&lane.len())));
                }
            }
            served.extend(std::iter::from_fn(|| queue.pop()));
            let mut once = served.clone();
            once.sort_unstable();
            once.dedup();
            prop_assert_eq!(once.len(), served.len());
        }
    }
}
