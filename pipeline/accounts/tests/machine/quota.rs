//! Quotas: instances that answer requests, are killed, lose and repeat their commands, beside a machine.

use std::collections::{BTreeMap, BTreeSet};

use arb_accounts::codec;
use arb_accounts::command::{Actor, Command, NewKey};
use arb_accounts::key::Permissions;
use arb_accounts::ledger::{LEASE_KEPT, LeaseId, Ledger};
use arb_accounts::machine::{AccountsConfig, AccountsMachine};
use arb_accounts::plan::Plan;
use arb_accounts::quota::{ChargedTo, Charges, LeaseQuota, LeaseReport, SettleQuota};
use arb_accounts::scope::Scope;
use arb_schemas::time::{Micros, SECOND, month};
use arb_schemas::topics::ACCOUNTS;
use arb_simulated_log::{World, run_disturbed};
use fastrand::Rng;

use crate::support::{BEGIN, Bench, DAY, account, create, kid, new_key, permissions, request};

const CAP: u64 = 40;

fn period(at: Micros) -> Micros {
    month(at).unwrap().0
}

/// A machine with one account: a key without a cap, and one with a cap.
fn bench() -> Bench {
    let mut bench = Bench::new();
    bench.operator(create(1, Plan::Free)).unwrap();
    for (number, monthly_cap) in [(1, None), (2, Some(CAP))] {
        let permissions = Permissions { monthly_cap, ..permissions(&[Scope::BoardRead]) };
        let key = NewKey { permissions, ..new_key(&account(1), &kid(number)) };
        bench.operator(Command::CreateKey(key)).unwrap();
    }
    bench
}

fn ask(instance: &str, number: u64, (key, quota): (u32, u64), wanted: u64) -> Vec<u8> {
    let (instance, account, kid) = (instance.to_owned(), account(1), kid(key));
    codec::encode_lease(&LeaseQuota { instance, number, account, kid, quota, cost: 1, wanted }).unwrap()
}

fn report(id: &LeaseId, period: Micros, charges: &Charges, is_returned: bool) -> Vec<u8> {
    let (account, number, charges) = (account(1), id.number, charges.clone());
    let leases = vec![LeaseReport { account, period, number, is_returned, charges }];
    codec::encode_settlement(&SettleQuota { instance: id.instance.clone(), leases }).unwrap()
}

fn charged(route: &str, requests: u64) -> Charges {
    let to = ChargedTo { day: BEGIN.div_euclid(DAY), route: route.to_owned() };
    [(to, requests)].into()
}

fn ledger(bench: &Bench) -> Ledger {
    bench.directory().ledger(&account(1), period(bench.directory().clock())).cloned().unwrap()
}

fn id(instance: &str, number: u64) -> LeaseId {
    LeaseId { instance: instance.to_owned(), number }
}

#[test]
fn what_is_reported_is_settled_and_the_rest_returned_or_forfeited() {
    let mut bench = bench();
    bench.message(&ask("a", 1, (1, 1_000), 10));
    bench.message(&ask("b", 1, (1, 1_000), 10));
    let month = period(BEGIN);
    bench.message(&report(&id("a", 1), month, &charged("/v1/arbs", 4), false));
    bench.message(&report(&id("a", 1), month, &charged("/v1/arbs", 3), false));
    assert_eq!((ledger(&bench).settled, ledger(&bench).outstanding()), (4, 16));
    bench.message(&report(&id("a", 1), month, &charged("/v1/arbs", 6), true));
    bench.message(&report(&id("a", 1), month, &charged("/v1/arbs", 9), true));
    assert_eq!((ledger(&bench).settled, ledger(&bench).outstanding()), (6, 10), "it has ended");
    bench.message(&report(&id("b", 1), month, &charged("/v1/arbs", 11), false));
    assert_eq!(ledger(&bench).settled, 6, "more than was granted");
    (1..=10).for_each(|second| bench.timer(BEGIN + second * SECOND));
    let ledger = ledger(&bench);
    assert_eq!((ledger.used(), ledger.forfeited, ledger.outstanding()), (16, 10, 0));
    assert_eq!(bench.tally.forfeited, 10);
}

#[test]
fn idle_slices_are_recalled_before_anyone_is_refused_and_all_is_used_up() {
    let mut bench = bench();
    bench.message(&ask("a", 1, (1, 100), 50));
    assert_eq!(ledger(&bench).leases[&id("a", 1)].granted, 1, "a hundredth");
    let mut number = 0;
    while ledger(&bench).outstanding() < 100 {
        number += 1;
        bench.message(&ask("b", number, (1, 100), 50));
    }
    bench.message(&ask("b", number + 1, (1, 100), 50));
    let denied = ledger(&bench);
    assert!(denied.leases[&id("a", 1)].is_recalled && !denied.leases[&id("b", 1)].is_recalled);
    assert_eq!(denied.askers["b"].number, number + 1);
    bench.message(&report(&id("a", 1), period(BEGIN), &Charges::new(), true));
    bench.message(&ask("b", number + 2, (1, 100), 50));
    assert_eq!(ledger(&bench).outstanding(), 100);
    bench.message(&ask("b", number + 2, (1, 100), 50));
    assert_eq!(ledger(&bench).outstanding(), 100, "asked for again");
}

#[test]
fn a_key_leases_at_most_its_cap_over_all_instances() {
    let mut bench = bench();
    for number in 1..=30 {
        bench.message(&ask("a", number, (2, 100_000), 3));
        bench.message(&ask("b", number, (2, 100_000), 3));
    }
    assert_eq!(ledger(&bench).outstanding(), CAP);
    bench.message(&ask("a", 31, (1, 100_000), 3));
    assert_eq!(ledger(&bench).outstanding(), CAP + 3, "another key goes on");
}

#[test]
fn a_change_of_plan_and_a_new_month_recall_leases() {
    let mut bench = bench();
    bench.message(&ask("a", 1, (1, 1_000), 10));
    bench.operator(Command::SetPlan { account: account(1), plan: Plan::Pro }).unwrap();
    assert!(ledger(&bench).leases[&id("a", 1)].is_recalled);
    let old = period(BEGIN);
    let end = month(BEGIN).unwrap().1;
    // The owner's clock is moved in steps in which leases do not end for want of reports.
    bench.timer(end - 2 * SECOND);
    bench.message(&ask("a", 2, (1, 1_000), 10));
    bench.timer(end - SECOND);
    bench.timer(end);
    let directory = bench.directory();
    let closed = directory.ledger(&account(1), old).unwrap();
    assert!(closed.leases[&id("a", 2)].is_recalled);
    bench.message(&report(&id("a", 2), old, &charged("/v1/arbs", 2), false));
    bench.message(&ask("a", 3, (1, 1_000), 10));
    assert_eq!((ledger(&bench).period, ledger(&bench).outstanding()), (end, 10));
    (1..=8).for_each(|second| bench.timer(end + second * SECOND));
    let closed = bench.directory().ledger(&account(1), old).unwrap();
    assert_eq!((closed.settled, closed.outstanding()), (2, 0), "a report prolonged it beyond its month");
    bench.timer(old + 93 * DAY);
    assert!(bench.directory().ledger(&account(1), old).is_none());
}

#[test]
fn nothing_is_forfeited_because_nobody_owned_the_partition() {
    let mut bench = bench();
    bench.message(&ask("a", 1, (1, 1_000), 10));
    bench.timer(BEGIN + 3_600 * SECOND);
    assert_eq!((ledger(&bench).forfeited, ledger(&bench).outstanding()), (0, 10));
    (1..=10).for_each(|second| bench.timer(BEGIN + (3_600 + second) * SECOND));
    assert_eq!((ledger(&bench).forfeited, ledger(&bench).outstanding()), (10, 0));
}

/// An instance that answers requests of what it has leased.
#[derive(Default)]
struct Instance {
    name: String,
    asked: u64,
    /// What was charged, by lease: its month, its key and the counts.
    leases: BTreeMap<u64, (Micros, Charges)>,
}

/// Instances beside a machine, and what was answered in each month.
struct Play {
    bench: Bench,
    instances: Vec<Instance>,
    answered: BTreeMap<Micros, u64>,
    answered_by_capped: BTreeMap<Micros, u64>,
    started: usize,
    quota: u64,
    /// The highest quota that a late command may name.
    highest: u64,
    /// Commands that arrive later, or again.
    late: Vec<Vec<u8>>,
    /// Everything that the machine took in.
    log: Vec<Vec<u8>>,
    now: Micros,
}

impl Play {
    fn new() -> Self {
        let mut play = Self {
            bench: bench(),
            instances: Vec::new(),
            answered: BTreeMap::new(),
            answered_by_capped: BTreeMap::new(),
            started: 0,
            quota: 200,
            highest: 200,
            late: Vec::new(),
            log: Vec::new(),
            now: BEGIN,
        };
        (0..3).for_each(|index| {
            play.instances.push(Instance::default());
            play.start(index);
        });
        play
    }

    /// The instance is killed, and another one starts in its place.
    fn start(&mut self, index: usize) {
        self.started += 1;
        self.instances[index] = Instance { name: format!("i{}", self.started), ..Instance::default() };
    }

    fn take(&mut self, message: Vec<u8>) {
        self.bench.message(&message);
        self.log.push(message);
    }

    /// A command may be lost, late, doubled, or several of these.
    fn send(&mut self, rng: &mut Rng, message: Vec<u8>) {
        let fate = rng.u8(0..10);
        if fate < 3 {
            self.late.push(message.clone());
        }
        if fate != 0 {
            self.take(message);
        }
    }

    fn act(&mut self, rng: &mut Rng) {
        let index = rng.usize(0..self.instances.len());
        match rng.u8(0..20) {
            0 => self.start(index),
            1..=4 => {
                let instance = &mut self.instances[index];
                instance.asked += 1;
                let of = (rng.u32(1..3), self.quota);
                let message = ask(&instance.name, instance.asked, of, rng.u64(0..12));
                self.send(rng, message);
            }
            5..=11 => self.answer(rng, index),
            12..=14 => self.report(rng, index),
            15 if !self.late.is_empty() => {
                let late = self.late.swap_remove(rng.usize(0..self.late.len()));
                self.take(late);
            }
            16 if rng.u8(0..4) == 0 => {
                self.quota = rng.u64(20..300);
                let is_late = !self.late.is_empty();
                self.highest = if is_late { self.highest.max(self.quota) } else { self.quota };
            }
            17 if rng.u8(0..20) == 0 => {
                self.now += 20 * DAY;
                self.take(codec::encode_timer(self.now).unwrap());
            }
            _ => {
                self.now += rng.i64(0..4) * SECOND;
                self.take(codec::encode_timer(self.now).unwrap());
            }
        }
    }

    /// Answers from a lease that the instance has read, which may have ended already.
    fn answer(&mut self, rng: &mut Rng, index: usize) {
        let instance = &mut self.instances[index];
        let own = self.bench.directory().ledgers().flat_map(|ledger| {
            ledger.leases.iter().map(|(id, lease)| (ledger.period, id.clone(), lease.clone()))
        });
        let own: Vec<_> = own.filter(|(_, id, _)| id.instance == instance.name).collect();
        let Some((period, id, lease)) = rng.choice(own) else { return };
        let (_, charges) = instance.leases.entry(id.number).or_insert((period, Charges::new()));
        let left = lease.granted - charges.values().sum::<u64>();
        let requests = rng.u64(0..=left.min(4));
        let to = ChargedTo { day: self.now.div_euclid(DAY), route: rng.choice(["/a", "/b"]).unwrap().into() };
        *charges.entry(to).or_default() += requests;
        *self.answered.entry(period).or_default() += requests;
        if lease.kid == kid(2) {
            *self.answered_by_capped.entry(period).or_default() += requests;
        }
    }

    /// Reports a lease, perhaps for the last time.
    fn report(&mut self, rng: &mut Rng, index: usize) {
        let instance = &mut self.instances[index];
        let Some(number) = rng.choice(instance.leases.keys().copied().collect::<Vec<_>>()) else { return };
        let (period, charges) = instance.leases[&number].clone();
        let is_returned = rng.u8(0..4) == 0;
        let message = report(&id(&instance.name, number), period, &charges, is_returned);
        if is_returned {
            // It answers nothing from it any more: the machine may have missed the report, or not.
            instance.leases.remove(&number);
            self.late.retain(|late| *late != message);
            self.take(message);
        } else {
            self.send(rng, message);
        }
    }

    fn check(&self, before: &BTreeMap<Micros, Ledger>, seed: u64) {
        for ledger in self.bench.directory().ledgers() {
            let sums = [ledger.days.values().sum(), ledger.routes.values().sum::<u64>()];
            assert_eq!(sums, [ledger.settled; 2], "seed {seed}");
            assert_eq!(ledger.keys.iter().map(|(_, key)| key.requests).sum::<u64>(), ledger.settled);
            assert_eq!(ledger.keys.iter().map(|(_, key)| key.forfeited).sum::<u64>(), ledger.forfeited);
            let answered = self.answered.get(&ledger.period).copied().unwrap_or(0);
            let (used, open) = (ledger.used(), ledger.outstanding());
            assert!(answered <= used + open, "seed {seed}: {answered} answered, {used} used, {open} open");
            assert!(used <= answered + ledger.forfeited, "seed {seed}: {answered} answered, {used} used");
            let earlier = before.get(&ledger.period).cloned().unwrap_or_default();
            assert!(used >= earlier.used(), "seed {seed}: used fell");
            let committed = earlier.used() + earlier.outstanding();
            assert!(used + open <= committed.max(self.highest), "seed {seed}: {used} and {open}");
            let capped = ledger.keys.get(&kid(2)).unwrap_or_default();
            let answered = self.answered_by_capped.get(&ledger.period).copied().unwrap_or(0);
            assert!(capped.requests + capped.forfeited <= CAP && answered <= CAP, "seed {seed}");
        }
    }

    /// Everything ends: what nobody reported is forfeited.
    fn finish(&mut self) {
        for _ in 0..2 * LEASE_KEPT / SECOND + 40 {
            self.now += SECOND;
            self.take(codec::encode_timer(self.now).unwrap());
        }
    }
}

fn play(seed: u64, length: usize) -> Play {
    let (mut rng, mut play) = (Rng::with_seed(seed), Play::new());
    for _ in 0..length {
        let ledgers = play.bench.directory().ledgers();
        let before = ledgers.map(|ledger| (ledger.period, ledger.clone())).collect();
        play.act(&mut rng);
        play.check(&before, seed);
    }
    play
}

#[test]
fn answered_is_used_whatever_is_lost_doubled_or_late() {
    let (mut forfeited, mut months, mut exhausted) = (0, BTreeSet::new(), 0);
    for seed in 0..300 {
        let mut play = play(seed, 400);
        play.finish();
        for ledger in play.bench.directory().ledgers() {
            assert_eq!(ledger.outstanding(), 0, "seed {seed}");
            let answered = play.answered.get(&ledger.period).copied().unwrap_or(0);
            assert!(answered <= ledger.used() && ledger.used() <= answered + ledger.forfeited, "seed {seed}");
            forfeited += ledger.forfeited;
            months.insert(ledger.period);
            exhausted += usize::from(ledger.used() >= play.quota);
        }
    }
    assert!(forfeited > 1_000 && months.len() > 1 && exhausted > 10, "{forfeited} {months:?} {exhausted}");
}

#[test]
fn quotas_are_the_same_after_every_fault_of_a_log() {
    let mut world = World::new(1);
    world.push(0, codec::encode_timer(BEGIN).unwrap());
    let key = |number: u32| Command::CreateKey(new_key(&account(1), &kid(number)));
    for (index, command) in [create(1, Plan::Free), key(1), key(2)].into_iter().enumerate() {
        let command = request(&format!("c{index}"), Actor::Operator, command);
        world.push(0, codec::encode_request(&command).unwrap());
    }
    play(11, 150).log.into_iter().for_each(|message| world.push(0, message));
    let (_, expected) = run_disturbed::<AccountsMachine>(&AccountsConfig::default(), &world, 0..200).unwrap();
    let state = expected.state(ACCOUNTS.name);
    assert!(state.keys().any(|(_, key)| key.starts_with(b"usage/")));
}
