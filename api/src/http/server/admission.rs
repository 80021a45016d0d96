//! Which connections may be open: the policy, without a socket.
//!
//! A connection has no key until a request on it has shown a valid one. Of those without a key there are only so many from one
//! address, and so many altogether, so that a share of all connections is kept for callers with a key. Where there is no room,
//! a connection without a key is closed: first those that have asked for something without a key, then those that have asked
//! for nothing, and of each the oldest. A connection with a key is never closed for another; a key may hold only so many.
//!
//! It never closes a connection from which nothing has been read yet: it may be about to show its key.

use std::collections::{BTreeSet, HashMap};
use std::net::IpAddr;

/// The public part of a key.
pub(super) type Kid = [u8; 8];

/// How many connections there may be at one time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caps {
    /// Altogether.
    pub connections: usize,
    /// Without a key; the others are kept for callers with one.
    pub keyless: usize,
    /// Without a key, from one address.
    pub per_address: usize,
    /// With one key.
    pub per_key: usize,
}

impl Caps {
    /// The same number for every client: for a listener without keys.
    #[must_use]
    pub const fn equal(connections: usize) -> Self {
        Self { connections, keyless: connections, per_address: connections, per_key: connections }
    }

    /// The usual shares of so many connections: four fifths without a key, a tenth from one address, half for one key.
    #[must_use]
    pub const fn of(connections: usize) -> Self {
        Self {
            connections: least_one(connections),
            keyless: least_one(connections / 5 * 4),
            per_address: least_one(connections / 10),
            per_key: least_one(connections / 2),
        }
    }
}

const fn least_one(number: usize) -> usize {
    if number == 0 { 1 } else { number }
}

/// What is open; `H` is by what a connection is closed.
#[derive(Debug)]
pub(super) struct Admission<H> {
    caps: Caps,
    next: u64,
    open: HashMap<u64, OpenConnection<H>>,
    /// How many of them have no key, altogether and by address.
    keyless: usize,
    by_address: HashMap<IpAddr, Held>,
    by_key: HashMap<Kid, usize>,
    /// Connections without a key that may be closed, in the order in which they are closed.
    turns: BTreeSet<Turn>,
}

/// The connections of one address without a key.
#[derive(Debug, Default)]
struct Held {
    count: usize,
    turns: BTreeSet<Turn>,
}

/// When a connection is closed: whether it has asked for nothing yet, and its number.
type Turn = (bool, u64);

#[derive(Debug)]
struct OpenConnection<H> {
    holder: Holder,
    /// By what it is closed; nothing before it has been read from.
    handle: Option<H>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holder {
    Nobody { is_silent: bool, address: Option<IpAddr> },
    Key(Kid),
}

/// Why a connection was closed for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reason {
    /// Its address holds too many.
    Address,
    /// Too many are without a key.
    Keyless,
    /// All places are taken.
    Full,
}

/// A connection to be closed.
pub(super) type Evicted<H> = Option<(H, Reason)>;

/// There is no room until a connection ends, or has been read from.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NoRoom;

/// The key holds as many connections as it may.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooMany;

impl<H> Admission<H> {
    pub(super) fn new(caps: Caps) -> Self {
        Self {
            caps,
            next: 0,
            open: HashMap::new(),
            keyless: 0,
            by_address: HashMap::new(),
            by_key: HashMap::new(),
            turns: BTreeSet::new(),
        }
    }

    /// Admits a connection from an address: its number, and which is closed for it.
    pub(super) fn open(&mut self, address: Option<IpAddr>) -> Result<(u64, Evicted<H>), NoRoom> {
        let evicted = match self.lacks_room(address) {
            Some(reason) => Some((self.evict(address, reason).ok_or(NoRoom)?, reason)),
            None => None,
        };
        let id = self.next;
        self.next += 1;
        let holder = Holder::Nobody { is_silent: true, address };
        self.count(holder, id, false);
        self.open.insert(id, OpenConnection { holder, handle: None });
        Ok((id, evicted))
    }

    /// Notes that a connection has been read from: it can be closed by this from now on, and is where its address holds too
    /// many. The handle is dropped where the connection is closed already.
    pub(super) fn read(&mut self, id: u64, handle: H) -> Evicted<H> {
        let open = self.open.get_mut(&id)?;
        open.handle = Some(handle);
        let holder = open.holder;
        self.queue(holder, id);
        self.trim(holder)
    }

    /// Notes that a connection has asked for something without a key, through a proxy for this address: which is closed, if
    /// that one holds too many now.
    pub(super) fn asked_without_key(&mut self, id: u64, through: Option<IpAddr>) -> Evicted<H> {
        let holder = self.open.get(&id)?.holder;
        let Holder::Nobody { address, .. } = holder else { return None };
        let holder = Holder::Nobody { is_silent: false, address: through.or(address) };
        self.change(id, holder);
        self.trim(holder)
    }

    /// Notes that a connection has shown a valid key, whose plan allows so many connections; 0 is any number.
    pub(super) fn asked_with_key(&mut self, id: u64, (kid, most): (Kid, u32)) -> Result<(), TooMany> {
        let Some(OpenConnection { holder, .. }) = self.open.get(&id) else { return Ok(()) };
        if *holder == Holder::Key(kid) {
            return Ok(());
        }
        let of_plan = if most == 0 { usize::MAX } else { usize::try_from(most).unwrap_or(usize::MAX) };
        if self.by_key.get(&kid).copied().unwrap_or(0) >= self.caps.per_key.min(of_plan) {
            return Err(TooMany);
        }
        self.change(id, Holder::Key(kid));
        Ok(())
    }

    /// Notes that a connection has ended.
    pub(super) fn close(&mut self, id: u64) {
        self.remove(id);
    }

    /// Why another one cannot be opened.
    fn lacks_room(&self, address: Option<IpAddr>) -> Option<Reason> {
        if address.is_some_and(|address| self.held(address) >= self.caps.per_address) {
            return Some(Reason::Address);
        }
        if self.keyless >= self.caps.keyless {
            return Some(Reason::Keyless);
        }
        (self.open.len() >= self.caps.connections).then_some(Reason::Full)
    }

    /// Connections of an address without a key.
    fn held(&self, address: IpAddr) -> usize {
        self.by_address.get(&address).map_or(0, |held| held.count)
    }

    /// Closes a connection of an address that holds too many: it has come to them through a proxy.
    fn trim(&mut self, holder: Holder) -> Evicted<H> {
        let Holder::Nobody { address: Some(address), .. } = holder else { return None };
        if self.held(address) <= self.caps.per_address {
            return None;
        }
        Some((self.evict(Some(address), Reason::Address)?, Reason::Address))
    }

    /// Closes the connection whose turn it is.
    fn evict(&mut self, address: Option<IpAddr>, reason: Reason) -> Option<H> {
        let of_address = |address| self.by_address.get(&address)?.turns.first();
        let turn = match reason {
            Reason::Address => of_address(address?),
            Reason::Keyless | Reason::Full => self.turns.first(),
        };
        self.remove(turn?.1)
    }

    fn remove(&mut self, id: u64) -> Option<H> {
        let open = self.open.remove(&id)?;
        self.uncount(open.holder, id);
        open.handle
    }

    fn change(&mut self, id: u64, holder: Holder) {
        let Some(open) = self.open.get_mut(&id) else { return };
        let (before, has_been_read) = (open.holder, open.handle.is_some());
        open.holder = holder;
        self.uncount(before, id);
        self.count(holder, id, has_been_read);
    }

    fn count(&mut self, holder: Holder, id: u64, has_been_read: bool) {
        match holder {
            Holder::Nobody { address, .. } => {
                self.keyless += 1;
                if let Some(address) = address {
                    self.by_address.entry(address).or_default().count += 1;
                }
                if has_been_read {
                    self.queue(holder, id);
                }
            }
            Holder::Key(kid) => *self.by_key.entry(kid).or_default() += 1,
        }
    }

    /// Gives a connection without a key its turn.
    fn queue(&mut self, holder: Holder, id: u64) {
        let Holder::Nobody { is_silent, address } = holder else { return };
        self.turns.insert((is_silent, id));
        if let Some(address) = address {
            self.by_address.entry(address).or_default().turns.insert((is_silent, id));
        }
    }

    fn uncount(&mut self, holder: Holder, id: u64) {
        match holder {
            Holder::Nobody { is_silent, address } => {
                self.keyless -= 1;
                self.turns.remove(&(is_silent, id));
                let Some((address, held)) =
                    address.and_then(|address| Some((address, self.by_address.get_mut(&address)?)))
                else {
                    return;
                };
                held.count -= 1;
                held.turns.remove(&(is_silent, id));
                if held.count == 0 {
                    self.by_address.remove(&address);
                }
            }
            Holder::Key(kid) => {
                let Some(count) = self.by_key.get_mut(&kid) else { return };
                *count -= 1;
                if *count == 0 {
                    self.by_key.remove(&kid);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const CAPS: Caps = Caps { connections: 6, keyless: 4, per_address: 3, per_key: 3 };
    const A: Kid = *b"aaaaaaaa";
    const B: Kid = *b"bbbbbbbb";

    fn address(last: u8) -> IpAddr {
        IpAddr::from([10, 0, 0, last])
    }

    /// Opens a connection and reads from it; returns the number of the connection that is closed to make
    /// room.
    fn open(admission: &mut Admission<u64>, from: u8) -> (u64, Option<(u64, Reason)>) {
        let (id, evicted) = admission.open(Some(address(from))).unwrap();
        assert_eq!(admission.read(id, id), None);
        (id, evicted)
    }

    #[test]
    fn an_address_that_holds_too_many_loses_its_oldest_that_has_asked_without_a_key() {
        let mut admission = Admission::new(CAPS);
        for expected in 0..3 {
            assert_eq!(open(&mut admission, 1), (expected, None));
        }
        assert_eq!(admission.asked_without_key(1, None), None);
        assert_eq!(open(&mut admission, 1), (3, Some((1, Reason::Address))));
        assert_eq!(
            open(&mut admission, 1),
            (4, Some((0, Reason::Address))),
            "then the oldest that is silent"
        );
        assert_eq!(open(&mut admission, 2), (5, None), "another address has room");
    }

    #[test]
    fn a_share_is_kept_for_callers_with_a_key() {
        let mut admission = Admission::new(CAPS);
        for from in 1..=4 {
            open(&mut admission, from);
        }
        let (id, evicted) = open(&mut admission, 9);
        assert_eq!(evicted, Some((0, Reason::Keyless)));
        admission.asked_with_key(id, (A, 0)).unwrap();
        assert_eq!(open(&mut admission, 9).1, None, "it takes no place of theirs any more");
    }

    #[test]
    fn a_connection_with_a_key_is_never_closed_for_another() {
        let mut admission = Admission::new(CAPS);
        for kid in [A, A, A, B, B, B] {
            let (id, _) = open(&mut admission, 1);
            admission.asked_with_key(id, (kid, 0)).unwrap();
        }
        assert_eq!(admission.open(Some(address(1))).err(), Some(NoRoom));
        admission.close(0);
        let (id, evicted) = open(&mut admission, 1);
        assert_eq!(evicted, None);
        assert_eq!(admission.asked_with_key(id, (B, 0)), Err(TooMany), "a key may hold so many");
        assert_eq!(admission.asked_with_key(id, (A, 0)), Ok(()));
        assert_eq!(admission.asked_with_key(id, (A, 0)), Ok(()), "it holds it once");
    }

    #[test]
    fn no_connection_is_closed_before_it_has_been_read_from() {
        let mut admission = Admission::<u64>::new(CAPS);
        let ids: Vec<_> = (0..3).map(|_| admission.open(Some(address(1))).unwrap().0).collect();
        assert_eq!(admission.open(Some(address(1))).err(), Some(NoRoom));
        assert_eq!(admission.read(ids[1], 1), None);
        assert_eq!(admission.open(Some(address(1))).unwrap().1, Some((1, Reason::Address)));
    }

    #[test]
    fn a_proxys_connection_is_its_last_callers() {
        let mut admission = Admission::new(Caps { connections: 20, keyless: 20, ..CAPS });
        let ids: Vec<_> = (0..5)
            .map(|_| {
                let (id, evicted) = admission.open(None).unwrap();
                assert_eq!((admission.read(id, id), evicted), (None, None), "a proxy is many clients");
                id
            })
            .collect();
        let closed: Vec<_> =
            ids.iter().filter_map(|id| admission.asked_without_key(*id, Some(address(1)))).collect();
        assert_eq!(closed, [(0, Reason::Address), (1, Reason::Address)]);
        assert_eq!(admission.asked_without_key(4, Some(address(2))), None);
        assert_eq!(admission.held(address(1)), 2);
    }

    #[test]
    fn a_connection_that_asked_through_a_proxy_before_its_first_read_is_closed_at_that_read() {
        let mut admission = Admission::new(Caps { connections: 20, keyless: 20, ..CAPS });
        let ids: Vec<_> = (0..5).map(|_| admission.open(None).unwrap().0).collect();
        assert!(ids.iter().all(|id| admission.asked_without_key(*id, Some(address(1))).is_none()));
        let closed: Vec<_> = ids.iter().filter_map(|id| admission.read(*id, *id)).collect();
        assert_eq!(closed, [(0, Reason::Address), (1, Reason::Address)]);
    }

    #[derive(Debug, Clone)]
    enum Act {
        Open(u8),
        Read(u64),
        WithoutKey(u64),
        Through(u64, u8),
        WithKey(u64, Kid),
        Close(u64),
    }

    fn acts() -> impl Strategy<Value = Vec<Act>> {
        let id = || 0..40_u64;
        let act = prop_oneof![
            4 => (0..4_u8).prop_map(Act::Open),
            4 => id().prop_map(Act::Read),
            2 => id().prop_map(Act::WithoutKey),
            1 => (id(), 0..4_u8).prop_map(|(id, from)| Act::Through(id, from)),
            2 => (id(), prop_oneof![Just(A), Just(B)]).prop_map(|(id, kid)| Act::WithKey(id, kid)),
            1 => id().prop_map(Act::Close),
        ];
        prop::collection::vec(act, 0..120)
    }

    impl Admission<u64> {
        /// The caps hold, and the counts are those of what is open.
        fn assert_consistent(&self) {
            assert!(self.open.len() <= CAPS.connections && self.keyless <= CAPS.keyless);
            let keyless: Vec<_> =
                self.open.iter().filter(|(_, open)| matches!(open.holder, Holder::Nobody { .. })).collect();
            assert_eq!(self.keyless, keyless.len());
            let queued = keyless.iter().filter(|(_, open)| open.handle.is_some()).count();
            assert_eq!(self.turns.len(), queued);
            assert!(self.by_key.values().all(|count| (1..=CAPS.per_key).contains(count)));
            let with_key: usize = self.by_key.values().sum();
            assert_eq!(with_key, self.open.len() - keyless.len());
            // An address can have more through a proxy, as long as those have not been read from.
            assert!(
                self.by_address.values().all(|held| held.turns.len() <= held.count.min(CAPS.per_address))
            );
        }

        fn has_key(&self, id: u64) -> bool {
            self.open.get(&id).is_some_and(|open| matches!(open.holder, Holder::Key(_)))
        }
    }

    proptest! {
        #[test]
        fn caps_hold_and_no_key_is_closed(acts in acts()) {
            let mut admission = Admission::new(CAPS);
            for act in acts {
                let with_key: Vec<_> = (0..40).filter(|id| admission.has_key(*id)).collect();
                let mut closed = None;
                match act {
                    Act::Open(from) => {
                        let opened = admission.open(Some(address(from)));
                        if let Ok((id, evicted)) = opened {
                            prop_assert!(evicted.is_none_or(|(other, _)| other != id));
                        } else {
                            let queued = admission.open.values().all(|open|
                                matches!(open.holder, Holder::Key(_)) || open.handle.is_none()
                                || admission.held(address(from)) >= CAPS.per_address);
                            prop_assert!(queued, "there was one to close");
                        }
                    }
                    Act::Read(id) => {
                        let _ = admission.read(id, id);
                    }
                    Act::WithoutKey(id) => prop_assert_eq!(admission.asked_without_key(id, None), None),
                    Act::Through(id, from) => { let _ = admission.asked_without_key(id, Some(address(from))); }
                    Act::WithKey(id, kid) => { let _ = admission.asked_with_key(id, (kid, 0)); }
                    Act::Close(id) => { admission.close(id); closed = Some(id); }
                }
                admission.assert_consistent();
                for id in with_key {
                    prop_assert!(Some(id) == closed || admission.has_key(id), "{id} was closed");
                }
            }
        }
    }
}
