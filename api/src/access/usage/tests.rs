//! Two instances that read the same accounts, beside one machine.

use arb_accounts::scope::Scope;

use super::*;
use crate::fixtures::{NOW, TestApp, machine_of};

/// Instances of one replica with a machine, and a key with a quota of three.
struct Pair {
    instances: [Usage; 2],
    caller: Caller,
    test: TestApp,
}

impl Pair {
    fn new() -> Self {
        let test = TestApp::new(1, 10, Duration::from_secs(1));
        let replica = test.app.authority.replica();
        let instance = |name: &str| {
            let plans = Reloaded::open(test.folder.path().join("plans.json")).unwrap();
            let usage = Usage::new(name.to_owned(), Arc::clone(replica), plans, || NOW);
            usage.with_machine(machine_of(Arc::clone(replica)))
        };
        let instances = ["one", "other"].map(instance);
        let caller = test.app.authority.caller(&test.key, None).unwrap();
        Self { instances, caller, test }
    }

    fn answer(&self, instance: usize) -> Result<QuotaStatus, Refusal> {
        let usage = &self.instances[instance];
        let hold = usage.reserve_now(&self.caller, 1)?;
        let status = usage.commit(&self.caller, &hold, "/v1/arbs");
        assert_eq!(status, usage.status(&self.caller));
        Ok(status)
    }
}

#[test]
fn two_instances_spend_one_quota_to_the_last_request() {
    let pair = Pair::new();
    for (instance, left) in [(0, 2), (1, 1), (0, 0)] {
        let status = pair.answer(instance).unwrap();
        assert!(status.remaining() <= 3 && status.used + status.remaining() == 3);
        pair.instances[instance].step(Instant::now());
        assert_eq!(pair.instances[1 - instance].status(&pair.caller).remaining(), left);
    }
    for usage in &pair.instances {
        assert!(matches!(usage.reserve_now(&pair.caller, 1), Err(Refusal::Exhausted(1..))));
        let (status, spent) = (usage.status(&pair.caller), usage.spent(&pair.caller.account));
        assert_eq!((status.used, status.remaining(), spent.requests), (3, 0, 3));
        let sums = [spent.routes.values().sum::<u64>(), spent.days.values().sum(), spent.keys.values().sum()];
        assert_eq!(sums, [3; 3]);
    }
}

#[test]
fn what_is_not_reported_yet_is_shown_by_its_instance() {
    let pair = Pair::new();
    let (usage, caller) = (&pair.instances[0], &pair.caller);
    assert_eq!(pair.answer(0).unwrap().used, 1);
    let spent = usage.spent(&caller.account);
    assert_eq!((spent.requests, spent.routes["/v1/arbs"], spent.keys[&caller.kid]), (1, 1, 1));
    usage.step(Instant::now());
    assert_eq!((usage.status(caller).used, usage.spent(&caller.account)), (1, Spent { leases: 0, ..spent }));
}

#[test]
fn what_is_reserved_is_not_shown_as_used_and_not_refused_for_want_of_quota() {
    let pair = Pair::new();
    let usage = &pair.instances[0];
    let holds: Vec<_> = (0..3).map(|_| usage.reserve_now(&pair.caller, 1).unwrap()).collect();
    assert_eq!(usage.status(&pair.caller).used, 0);
    assert_eq!(usage.reserve_now(&pair.caller, 1), Err(Refusal::NoLease), "it may be given back");
    usage.release(&pair.caller, &holds[0]);
    assert!(usage.reserve_now(&pair.caller, 1).is_ok());
}

#[test]
fn a_key_spends_at_most_its_cap() {
    let pair = Pair::new();
    let replica = pair.test.app.authority.replica();
    let mut key = replica.with(|directory| directory.key(&pair.caller.kid).cloned().unwrap());
    key.permissions.monthly_cap = Some(1);
    key.permissions.scopes = vec![Scope::BoardRead];
    replica.put(arb_accounts::directory::Part::Key(key));
    let capped = Caller { monthly_cap: Some(1), ..pair.caller.clone() };
    let usage = &pair.instances[0];
    let hold = usage.reserve_now(&capped, 1).unwrap();
    usage.commit(&capped, &hold, "/v1/arbs");
    assert!(matches!(usage.reserve_now(&capped, 1), Err(Refusal::Capped(1..))));
}

#[test]
fn a_plan_made_smaller_is_used_up() {
    let pair = Pair::new();
    (0..2).for_each(|_| assert!(pair.answer(0).is_ok()));
    let path = pair.test.folder.path().join("plans.json");
    std::fs::write(path, r#"{"free": 1}"#).unwrap();
    let usage = &pair.instances[0];
    usage.reload_plans();
    let status = usage.status(&pair.caller);
    assert_eq!((status.used, status.remaining()), (1, 0));
    assert!(matches!(usage.reserve_now(&pair.caller, 1), Err(Refusal::Exhausted(1..))));
}

#[test]
fn a_request_waits_two_seconds_for_a_lease() {
    let test = TestApp::new(1, 10, Duration::from_secs(1));
    let plans = Reloaded::open(test.folder.path().join("plans.json")).unwrap();
    let usage = Usage::new("alone".to_owned(), Arc::clone(test.app.authority.replica()), plans, || NOW);
    let caller = test.app.authority.caller(&test.key, None).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let begun = Instant::now();
    assert_eq!(runtime.block_on(usage.reserve(&caller, 1)), Err(Refusal::NoLease));
    assert!(begun.elapsed() >= GRANT);
}
