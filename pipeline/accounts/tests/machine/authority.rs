//! Who may ask for what: each command by each kind of actor, and keys that ask for keys.

use arb_accounts::command::{Actor, Command, NewKey};
use arb_accounts::key::{Cidr, Mode, Permissions};
use arb_accounts::plan::Plan;
use arb_accounts::reply::Refusal;
use arb_accounts::scope::Scope;
use arb_schemas::time::SECOND;

use crate::support::{
    BEGIN, Bench, HASH, account, bankroll, create, hash, invalid, kid, new_key, open, permissions, revoke,
    rotate, spend,
};

/// One command of each kind, about the first tenant.
fn commands(id: &str, session: &str, manager: &str) -> Vec<(Command, &'static str)> {
    let account = || id.to_owned();
    let change = Command::ChangePassword {
        account: account(),
        password: HASH.to_owned(),
        revision: Some(0),
        keep: None,
    };
    let grant = Command::Grant {
        account: account(),
        scopes: Vec::new(),
        books: Vec::new(),
        source: None,
        is_public: false,
    };
    // Who may: a anonymous, s a session of the account, o a session of another one, k a key that manages keys, r a key that
    // does not, x a key of another account that does, p an operator.
    vec![
        (create(9, Plan::Free), "asop"),
        (open(id, &hash(99), 0), "asp"),
        (change, "sp"),
        (Command::SetBankroll { account: account(), bankroll: bankroll(100, None, 1) }, "sp"),
        (Command::CloseSession { session: session.to_owned() }, "sp"),
        (Command::SetPlan { account: account(), plan: Plan::Pro }, "p"),
        (grant, "p"),
        (Command::SetDisabled { account: account(), is_disabled: true }, "p"),
        (Command::EraseAccount { account: account() }, "p"),
        (Command::CreateKey(new_key(id, &kid(77))), "skp"),
        (rotate(id, manager, &kid(78), 0), "skp"),
        (spend(id, &hash(7)), "krp"),
        (revoke(id, manager), "skp"),
    ]
}

fn bench() -> (Bench, Vec<(char, Actor)>, [String; 3]) {
    let mut bench = Bench::new();
    let (id, session, manager) = bench.tenant(1, Plan::Free);
    let (_, other, foreign) = bench.tenant(2, Plan::Free);
    bench.operator(Command::CreateKey(new_key(&id, &kid(5)))).unwrap();
    let actors = vec![
        ('a', Actor::Anonymous),
        ('s', Actor::Session(session.clone())),
        ('o', Actor::Session(other)),
        ('k', Actor::Key(manager.clone())),
        ('r', Actor::Key(kid(5))),
        ('x', Actor::Key(foreign)),
        ('p', Actor::Operator),
    ];
    (bench, actors, [id, session, manager])
}

#[test]
fn each_command_is_carried_out_for_whom_it_is_meant_and_for_nobody_else() {
    let (_, actors, [id, session, manager]) = bench();
    for (command, allowed) in commands(&id, &session, &manager) {
        for (name, actor) in &actors {
            let (mut bench, ..) = bench();
            let before = bench.directory().clone();
            let result = bench.ask(actor.clone(), command.clone());
            assert_eq!(result.is_ok(), allowed.contains(*name), "{command:?} by {name}: {result:?}");
            if let Err(refusal) = result {
                let same = |one: &Bench| {
                    (one.directory().accounts().eq(before.accounts()))
                        && one.directory().sessions().eq(before.sessions())
                        && one.directory().keys().eq(before.keys())
                };
                assert!(same(&bench), "{command:?} by {name}");
                assert!(
                    matches!(
                        refusal,
                        Refusal::NoAccount | Refusal::NoSession | Refusal::NoKey | Refusal::Exceeds(_)
                    ),
                    "{command:?} by {name}: {refusal:?}"
                );
            }
        }
    }
}

#[test]
fn an_expired_session_or_key_asks_for_nothing() {
    let (mut bench, _, [id, _, _]) = bench();
    let scopes = [Scope::KeysManage, Scope::BoardRead];
    let ending = Permissions { expires_at: Some(BEGIN + 10 * SECOND), ..permissions(&scopes) };
    bench.operator(Command::CreateKey(NewKey { permissions: ending, ..new_key(&id, &kid(6)) })).unwrap();
    bench.timer(BEGIN + 10 * SECOND);
    assert_eq!(bench.ask(Actor::Key(kid(6)), revoke(&id, &kid(5))), Err(Refusal::NoKey));
    bench.timer(BEGIN + 3_600 * SECOND);
    let holder = Actor::Session(hash(1));
    assert_eq!(bench.ask(holder, revoke(&id, &kid(5))), Err(Refusal::NoSession));
}

#[test]
fn a_key_grants_at_most_what_it_has() {
    let (mut bench, _, [id, ..]) = bench();
    let cidr = |text: &str| Cidr::try_from(text.to_owned()).unwrap();
    let own = Permissions {
        scopes: vec![Scope::KeysManage, Scope::BoardRead],
        expires_at: Some(BEGIN + 100 * SECOND),
        cidrs: vec![cidr("192.0.2.0/24")],
        monthly_cap: Some(100),
    };
    bench.operator(Command::SetPlan { account: id.clone(), plan: Plan::Pro }).unwrap();
    let asker = NewKey { permissions: own.clone(), mode: Mode::Live, ..new_key(&id, &kid(10)) };
    bench.operator(Command::CreateKey(asker)).unwrap();
    let mut number = 10;
    let mut ask = |change: &dyn Fn(&mut Permissions)| {
        number += 1;
        let mut permissions = own.clone();
        change(&mut permissions);
        let key = NewKey { permissions, ..new_key(&id, &kid(number)) };
        bench.ask(Actor::Key(kid(10)), Command::CreateKey(key))
    };
    let exceeds = |field: &str| Err(Refusal::Exceeds(field.to_owned()));
    assert_eq!(ask(&|_| {}), Ok(()));
    assert_eq!(ask(&|it| it.scopes.push(Scope::UsageRead)), exceeds("scopes"));
    assert_eq!(ask(&|it| it.expires_at = None), exceeds("expires_at"));
    assert_eq!(ask(&|it| it.expires_at = Some(BEGIN + 101 * SECOND)), exceeds("expires_at"));
    assert_eq!(ask(&|it| it.cidrs.clear()), exceeds("cidrs"));
    assert_eq!(ask(&|it| it.cidrs = vec![cidr("192.0.0.0/16")]), exceeds("cidrs"));
    assert_eq!(ask(&|it| it.cidrs = vec![cidr("192.0.2.7")]), Ok(()));
    assert_eq!(ask(&|it| it.monthly_cap = None), exceeds("monthly_cap"));
    assert_eq!(ask(&|it| it.monthly_cap = Some(100)), Ok(()));
    // Nor does it get the secret of one that may do more.
    let stronger = rotate(&id, &kid(1_000), &kid(90), 60);
    assert_eq!(bench.ask(Actor::Key(kid(10)), stronger), exceeds("scopes"));
}

#[test]
fn a_test_key_makes_no_live_key() {
    let (mut bench, _, [id, ..]) = bench();
    let scopes = [Scope::KeysManage, Scope::BoardRead];
    let test = |number, mode| {
        Command::CreateKey(NewKey { permissions: permissions(&scopes), mode, ..new_key(&id, &kid(number)) })
    };
    bench.operator(test(20, Mode::Test)).unwrap();
    let asker = Actor::Key(kid(20));
    assert_eq!(bench.ask(asker.clone(), test(21, Mode::Live)), Err(Refusal::Exceeds("mode".to_owned())));
    assert_eq!(bench.ask(asker, test(22, Mode::Test)), Ok(()));
    assert_eq!(account(1), id);
}

#[test]
fn a_ticket_is_spent_once_and_forgotten_a_day_later() {
    let (mut bench, _, [id, _, manager]) = bench();
    let ask = |bench: &mut Bench, ticket: &str| bench.ask(Actor::Key(manager.clone()), spend(&id, ticket));
    assert_eq!(ask(&mut bench, &hash(7)), Ok(()));
    assert!(invalid("ticket")(ask(&mut bench, &hash(7))));
    assert_eq!(ask(&mut bench, &hash(8)), Ok(()), "another one");
    assert!(invalid("ticket")(ask(&mut bench, "no hash")));
    bench.timer(BEGIN + 86_400 * SECOND - 1);
    assert!(invalid("ticket")(ask(&mut bench, &hash(7))), "it is known for much longer than it is good");
    bench.timer(BEGIN + 86_400 * SECOND);
    assert!(bench.directory().reply(&format!("ticket/{}", hash(7))).is_none());
}
