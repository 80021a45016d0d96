//! Random logs of commands and timers: what holds after each record, and that the same log has the same replies however it is cut.

use std::collections::BTreeSet;

use arb_accounts::codec;
use arb_accounts::command::{Actor, Command, NewKey, Request};
use arb_accounts::key::Mode;
use arb_accounts::machine::AccountsConfig;
use arb_accounts::plan::Plan;
use arb_accounts::scope::Scope;
use arb_runtime::machine::Machine;
use arb_schemas::time::SECOND;
use fastrand::Rng;

use crate::support::{
    BEGIN, Bench, DAY, HASH, account, bankroll, hash, kid, new_key, permissions, request, revoke, rotate,
    spend,
};

/// Random records: few accounts, so that commands meet.
pub(crate) fn log(seed: u64, length: usize) -> Vec<Vec<u8>> {
    let mut rng = Rng::with_seed(seed);
    let mut now = BEGIN;
    (0..length)
        .map(|index| match rng.u8(0..10) {
            0 => {
                now += rng.i64(0..4) * [SECOND, 600 * SECOND, DAY][rng.usize(0..3)];
                codec::encode_timer(now).unwrap()
            }
            1 => codec::encode_request(&command(&mut rng, index / 2)).unwrap(),
            _ => codec::encode_request(&command(&mut rng, index)).unwrap(),
        })
        .collect()
}

pub(crate) fn command(rng: &mut Rng, index: usize) -> Request {
    let actor = match rng.u8(0..6) {
        0 => Actor::Anonymous,
        1 => Actor::Session(hash(rng.u8(0..8))),
        2 => Actor::Key(kid(rng.u32(0..12))),
        _ => Actor::Operator,
    };
    let id = account(rng.u8(0..4));
    let scope = Scope::ALL[rng.usize(0..Scope::ALL.len())];
    let command = match rng.u8(0..27) {
        0 | 1 | 14..=17 => Command::CreateAccount {
            account: id,
            email: format!("user{}@example.com", rng.u8(0..5)),
            password: rng.bool().then(|| HASH.to_owned()),
            plan: [Plan::Free, Plan::Pro][rng.usize(0..2)],
            invitation: rng.bool().then(|| hash(rng.u8(0..3))),
        },
        2 => Command::ChangePassword {
            account: id,
            password: HASH.to_owned(),
            revision: rng.bool().then(|| rng.u64(0..3)),
            keep: rng.bool().then(|| hash(rng.u8(0..8))),
        },
        3 | 4 | 18..=21 => Command::OpenSession {
            account: id,
            session: hash(rng.u8(0..8)),
            revision: rng.u64(0..2),
            seconds: rng.u32(1..10_000),
            replaces: rng.bool().then(|| hash(rng.u8(0..8))),
        },
        26 => Command::SetBankroll { account: id, bankroll: bankroll(rng.i64(0..5), None, 1) },
        5 => Command::CloseSession { session: hash(rng.u8(0..8)) },
        6 => Command::Grant {
            account: id,
            scopes: [Scope::TicksWrite, Scope::ResultsWrite][..rng.usize(0..3)].to_vec(),
            books: Vec::new(),
            is_public: false,
            source: None,
        },
        7 => Command::SetDisabled { account: id, is_disabled: rng.u8(0..3) == 0 },
        8 | 9 | 22..=25 => Command::CreateKey(NewKey {
            mode: [Mode::Live, Mode::Test][rng.usize(0..2)],
            permissions: permissions(&[scope, Scope::KeysManage]),
            ..new_key(&id, &kid(rng.u32(0..12)))
        }),
        13 => Command::EraseAccount { account: id },
        12 => spend(&id, &hash(rng.u8(0..4))),
        10 => rotate(&id, &kid(rng.u32(0..12)), &kid(rng.u32(0..12)), rng.u32(0..4) * 86_400),
        _ => revoke(&id, &kid(rng.u32(0..12))),
    };
    request(&format!("r{index}"), actor, command)
}

fn check(bench: &Bench) {
    let directory = bench.directory();
    let emails: BTreeSet<_> = directory.accounts().map(|account| &account.email).collect();
    assert_eq!(emails.len(), directory.accounts().len(), "an e-mail has one account");
    assert!(emails.iter().all(|email| directory.account_of(email).is_some()));
    assert!(directory.accounts().len() <= 3, "accounts are limited");
    for session in directory.sessions() {
        let account = directory.account(&session.account).expect("a session has an account");
        assert!(!account.is_disabled, "a disabled account has no session");
        assert!(session.expires_at > directory.clock(), "an expired session is gone");
    }
    for key in directory.keys() {
        let account = directory.account(&key.account).expect("a key has an account");
        assert!(!key.permissions.scopes.is_empty());
        assert!(key.permissions.scopes.iter().all(|scope| account.may_have(*scope)), "{key:?}");
    }
    let by_account = |id: &str| (directory.sessions_of(id).count(), directory.keys_of(id).count());
    let held = directory.accounts().map(|account| by_account(&account.id));
    let held = held.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    assert_eq!(held, (directory.sessions().len(), directory.keys().len()), "each is found by its account");
    for account in directory.accounts() {
        let now = directory.clock();
        let live = directory.keys_of(&account.id).filter(|key| !key.is_expired(now));
        let (replaced, others): (Vec<_>, Vec<_>) = live.partition(|key| key.is_replaced());
        assert!(replaced.len().max(others.len()) <= account.plan.max_keys(), "keys are limited");
    }
}

#[test]
fn what_must_hold_does_after_every_record_and_replies_never_change() {
    for seed in 0..300 {
        let mut bench = Bench::with(AccountsConfig { max_accounts: 3 });
        for message in log(seed, 150) {
            let before: Vec<_> = bench.directory().replies().cloned().collect();
            bench.message(&message);
            check(&bench);
            let directory = bench.directory();
            let changed =
                before.iter().find(|reply| directory.reply(&reply.id).is_some_and(|now| now != *reply));
            assert_eq!(changed, None, "seed {seed}");
        }
    }
}

#[test]
fn an_aborted_transaction_leaves_nothing_and_is_decided_the_same_again() {
    for seed in 0..200 {
        let mut rng = Rng::with_seed(seed);
        let messages = log(seed, 100);
        let (mut whole, mut cut) = (Bench::new(), Bench::new());
        whole.machine.apply();
        cut.machine.apply();
        let mut from = 0;
        while from < messages.len() {
            let to = (from + rng.usize(1..9)).min(messages.len());
            let before = cut.directory().clone();
            if rng.bool() {
                messages[from..to].iter().for_each(|message| cut.message(message));
                cut.machine.abort();
                assert_eq!(cut.directory(), &before, "seed {seed}");
            }
            messages[from..to].iter().for_each(|message| cut.message(message));
            cut.machine.apply();
            from = to;
        }
        for message in &messages {
            whole.message(message);
        }
        assert_eq!(whole.directory(), cut.directory(), "seed {seed}");
    }
}

#[test]
fn a_reply_is_changed_after_what_its_command_did() {
    for seed in 0..50 {
        let mut bench = Bench::new();
        for message in log(seed, 40) {
            bench.message(&message);
        }
        let mut keys = Vec::new();
        let put = |change: arb_runtime::machine::Change| {
            keys.push(change.key);
            Ok::<_, arb_schemas::wire::WireError>(())
        };
        bench.machine.changes(put).unwrap();
        let first = keys.iter().position(|key| key.starts_with("reply/")).unwrap();
        assert!(keys[first..].iter().all(|key| key.starts_with("reply/")), "{keys:?}");
        assert!(first > 0 && keys.len() > first + 1);
    }
}
