//! The pools beside a machine that grants what it is asked for, by moments that the tests choose.

use arb_accounts::directory::Part;
use arb_accounts::ledger::{Asker, LeaseId};

use super::*;

const PERIOD: Micros = 1_000;
const SPENDER: Spender<'static> = Spender { kid: "k", account: "a", quota: 1_000 };

struct Owner {
    directory: Directory,
    pools: LeasePools,
    asked: AtomicU64,
    begin: Instant,
}

impl Owner {
    fn new() -> Self {
        let pools = LeasePools::new("i".to_owned());
        Self { directory: Directory::default(), pools, asked: AtomicU64::new(0), begin: Instant::now() }
    }

    fn at(&self, millis: u64) -> Instant {
        self.begin + Duration::from_millis(millis)
    }

    fn reserve(&mut self, millis: u64) -> Option<Hold> {
        let now = self.at(millis);
        self.pools.reserve(SPENDER, 1, PERIOD, now)
    }

    fn charge(&mut self, millis: u64) {
        let hold = self.reserve(millis).unwrap();
        self.pools.finish(&hold, Some(ChargedTo { day: 1, route: "/v1/arbs".to_owned() }));
    }

    fn ledger(&self) -> Ledger {
        let new = || Ledger { account: "a".to_owned(), period: PERIOD, ..Ledger::default() };
        self.directory.ledger("a", PERIOD).cloned().unwrap_or_else(new)
    }

    /// Grants so many requests for each lease that is asked for, 0 for none; how many were asked for.
    fn grant(&mut self, millis: u64, granted: u64) -> usize {
        let asks = self.pools.asks(self.at(millis), &self.asked);
        for ask in &asks {
            let mut ledger = self.ledger();
            ledger.askers.insert("i".to_owned(), Asker { number: ask.number, at: 0 });
            if granted > 0 {
                let id = LeaseId { instance: "i".to_owned(), number: ask.number };
                let (kid, charges) = (ask.kid.clone(), Charges::new());
                let lease = Lease { kid, granted, is_recalled: false, expires_at: 10, charges };
                ledger.leases.insert(id, lease);
            }
            self.directory.put(Part::Usage(ledger));
        }
        self.read(millis);
        asks.len()
    }

    fn read(&mut self, millis: u64) {
        let now = self.at(millis);
        self.pools.read(&self.directory, PERIOD, now);
    }

    fn reports(&mut self, millis: u64) -> Vec<(u64, u64, bool)> {
        let now = self.at(millis);
        let each = self.pools.reports(now).into_iter();
        each.map(|report| (report.number, report.charges.values().sum(), report.is_returned)).collect()
    }

    /// Charges a request up to the sixth second, and reports; what the report has.
    fn reports_after(&mut self, millis: u64) -> Charges {
        if millis <= 6_000 {
            self.charge(millis);
        }
        let now = self.at(millis);
        self.pools.reports(now).remove(0).charges
    }

    /// Until when its only lease is spent.
    fn until(&self) -> Instant {
        self.pools.keys["k"].leases.values().next().unwrap().until
    }

    /// The owner changes its only lease.
    fn change(&mut self, change: impl FnOnce(&mut Lease)) {
        let mut ledger = self.ledger();
        change(ledger.leases.values_mut().next().unwrap());
        self.directory.put(Part::Usage(ledger));
    }
}

#[test]
fn no_more_is_reserved_than_was_granted_and_what_is_given_back_is_reserved_again() {
    let mut owner = Owner::new();
    assert_eq!(owner.reserve(0), None);
    assert_eq!(owner.grant(0, 2), 1);
    let (one, other) = (owner.reserve(1).unwrap(), owner.reserve(1).unwrap());
    assert_eq!(owner.reserve(1), None);
    owner.pools.finish(&one, None);
    owner.pools.finish(&other, Some(ChargedTo { day: 1, route: "/v1/arbs".to_owned() }));
    assert!(owner.reserve(2).is_some() && owner.reserve(2).is_none());
}

#[test]
fn one_request_of_a_lease_says_that_another_lease_may_be_due() {
    let mut owner = Owner::new();
    owner.reserve(0);
    owner.grant(0, 5);
    let said = [(); 5].map(|()| {
        let hold = owner.reserve(1).unwrap();
        owner.pools.finish(&hold, Some(ChargedTo { day: 1, route: "/v1/arbs".to_owned() }))
    });
    assert_eq!(said, [false, false, true, false, false]);
}

#[test]
fn charges_are_reported_each_second_and_a_spent_lease_at_once() {
    let mut owner = Owner::new();
    owner.reserve(0);
    owner.grant(0, 3);
    owner.charge(10);
    assert_eq!(owner.reports(900), []);
    assert_eq!(owner.reports(1_000), [(1, 1, false)]);
    assert_eq!(owner.reports(3_900), []);
    assert_eq!(owner.reports(4_000), [(1, 1, false)], "it is prolonged");
    owner.charge(4_001);
    owner.charge(4_001);
    assert_eq!(owner.reports(4_002), [(1, 3, false)]);
    assert_eq!(owner.reports(4_003), []);
}

#[test]
fn a_lease_is_spent_for_eight_seconds_after_the_report_that_the_owner_took() {
    let mut owner = Owner::new();
    owner.reserve(0);
    owner.grant(0, 10);
    owner.charge(7_000);
    assert_eq!(owner.reports(7_500).len(), 1);
    assert!(owner.reserve(8_000).is_none(), "the owner is not known to have taken the report");
    let to = ChargedTo { day: 1, route: "/v1/arbs".to_owned() };
    owner.change(|lease| (lease.expires_at, lease.charges) = (11, [(to, 1)].into()));
    owner.read(8_001);
    assert!(owner.reserve(15_499).is_some() && owner.reserve(15_500).is_none());
}

/// The owner takes each report at once, and what it wrote is read up to 2.75 s later: the lease is spent for 8 s after the report that it
/// had taken, not after one that it has not written about yet.
#[test]
fn a_reader_that_lags_prolongs_no_lease() {
    let mut owner = Owner::new();
    assert!(owner.reserve(0).is_none());
    owner.grant(0, 100);
    owner.charge(0);
    // A report a second, each of one request more, and then of none.
    let sent = [1_000, 2_000, 3_000, 4_000, 5_000, 6_000, 9_000, 12_000];
    let mut happens: Vec<_> = sent.iter().flat_map(|at| [(*at, None), (at + 2_750, Some(*at))]).collect();
    happens.sort_unstable();
    let mut written = VecDeque::new();
    for (at, read) in happens {
        let Some(sent_at) = read else {
            written.push_back(owner.reports_after(at));
            continue;
        };
        let charges = written.pop_front().unwrap();
        owner.change(|lease| {
            (lease.expires_at, lease.charges) = (Micros::try_from(sent_at).unwrap(), charges);
        });
        owner.read(at);
        assert_eq!(owner.until(), owner.at(sent_at + 8_000), "read at {at}");
    }
}

#[test]
fn a_recalled_lease_is_returned_once_its_requests_are_answered() {
    let mut owner = Owner::new();
    owner.reserve(0);
    owner.grant(0, 5);
    let hold = owner.reserve(1).unwrap();
    owner.change(|lease| lease.is_recalled = true);
    owner.read(2);
    assert_eq!((owner.reserve(2), owner.reports(2)), (None, vec![]));
    owner.pools.finish(&hold, Some(ChargedTo { day: 1, route: "/v1/arbs".to_owned() }));
    assert_eq!(owner.reports(3), [(1, 1, true)]);
    assert_eq!((owner.reports(4), owner.reports(1_003)), (vec![], vec![(1, 1, true)]), "sent again");
    owner.directory.put(Part::Usage(Ledger { leases: BTreeMap::new(), ..owner.ledger() }));
    owner.read(1_004);
    assert_eq!(owner.reports(9_000), []);
}

#[test]
fn idle_leases_and_those_of_another_month_are_returned() {
    for (millis, period) in [(60_000, PERIOD), (100, PERIOD + 1)] {
        let mut owner = Owner::new();
        owner.reserve(0);
        owner.grant(0, 5);
        let now = owner.at(millis);
        owner.pools.read(&owner.directory, period, now);
        assert_eq!(owner.reports(millis), [(1, 0, true)]);
    }
}

#[test]
fn a_denied_request_for_a_lease_is_sent_again_after_a_pause_and_an_unanswered_one_after_two_seconds() {
    let mut owner = Owner::new();
    owner.reserve(0);
    assert_eq!(owner.grant(0, 0), 1);
    owner.reserve(50);
    assert_eq!(owner.grant(50, 0), 0);
    assert_eq!(owner.grant(100, 5), 1);
    assert!(owner.reserve(101).is_some());
    let mut silent = Owner::new();
    silent.reserve(0);
    let now = silent.at(0);
    assert_eq!(silent.pools.asks(now, &silent.asked).len(), 1);
    silent.reserve(1_999);
    assert_eq!(silent.grant(1_999, 5), 0);
    assert_eq!(silent.grant(2_000, 5), 1);
}

#[test]
fn the_next_slice_is_asked_for_when_less_than_half_of_the_rate_is_left() {
    let mut owner = Owner::new();
    owner.reserve(0);
    owner.grant(0, 6);
    (0..4).for_each(|_| owner.charge(1));
    let wanted: Vec<_> =
        owner.pools.asks(owner.begin, &owner.asked).iter().map(|ask| (ask.cost, ask.wanted)).collect();
    assert_eq!(wanted, [], "half of what it spends in two seconds");
    owner.charge(2);
    let now = owner.at(2);
    let wanted: Vec<_> =
        owner.pools.asks(now, &owner.asked).iter().map(|ask| (ask.cost, ask.wanted)).collect();
    assert_eq!(wanted, [(1, 5)]);
}

#[test]
fn requests_that_wait_are_asked_for_together() {
    let mut owner = Owner::new();
    owner.reserve(0);
    (0..5).for_each(|_| owner.pools.begin_waiting("k", 1));
    owner.pools.end_waiting("k", 1);
    let now = owner.at(0);
    let wanted: Vec<_> =
        owner.pools.asks(now, &owner.asked).iter().map(|ask| (ask.cost, ask.wanted)).collect();
    assert_eq!(wanted, [(1, 4)]);
}

#[test]
fn the_last_hundredth_is_asked_for_by_requests_that_wait() {
    let mut owner = Owner::new();
    owner.reserve(0);
    owner.grant(0, 6);
    owner.directory.put(Part::Usage(Ledger { settled: 990, ..owner.ledger() }));
    owner.read(1);
    (0..6).for_each(|_| owner.charge(1));
    assert_eq!(owner.grant(2, 1), 0);
    owner.reserve(3);
    assert_eq!(owner.grant(3, 1), 1);
}

#[test]
fn a_grant_that_comes_too_late_is_given_back_and_a_lowered_quota_too() {
    let mut owner = Owner::new();
    owner.reserve(0);
    let now = owner.at(0);
    let ask = owner.pools.asks(now, &owner.asked).remove(0);
    let mut ledger = owner.ledger();
    let id = LeaseId { instance: "i".to_owned(), number: ask.number };
    let lease =
        Lease { kid: ask.kid, granted: 5, is_recalled: false, expires_at: 10, charges: Charges::new() };
    owner.reserve(2_000);
    let now = owner.at(2_000);
    assert_eq!(owner.pools.asks(now, &owner.asked).len(), 1);
    ledger.leases.insert(id, lease);
    owner.directory.put(Part::Usage(ledger.clone()));
    owner.read(2_001);
    assert_eq!((owner.reserve(2_001), owner.reports(2_001)), (None, vec![(1, 0, true)]));
    let mut lowered = Owner::new();
    lowered.reserve(0);
    lowered.grant(0, 5);
    lowered.directory.put(Part::Usage(Ledger { settled: 996, ..lowered.ledger() }));
    lowered.read(1);
    assert_eq!(lowered.reports(1), [(1, 0, true)]);
}
