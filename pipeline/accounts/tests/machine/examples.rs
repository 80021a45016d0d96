//! Each command by examples.

use arb_accounts::command::{Actor, Command, NewKey};
use arb_accounts::key::Permissions;
use arb_accounts::machine::{AccountsConfig, EXPIRED_KEY_KEPT, REPLY_KEPT};
use arb_accounts::plan::Plan;
use arb_accounts::reply::Refusal;
use arb_accounts::scope::Scope;
use arb_runtime::machine::Machine;
use arb_schemas::time::SECOND;

use crate::support::{
    BEGIN, Bench, DAY, HASH, account, create, hash, invalid, kid, new_key, open, permissions, request,
    revoke, rotate,
};

#[test]
fn an_account_is_created_once_for_an_email_of_any_case() {
    let mut bench = Bench::new();
    let of = |number, email: &str| Command::CreateAccount {
        account: account(number),
        email: email.to_owned(),
        password: Some(HASH.to_owned()),
        plan: Plan::Free,
        invitation: None,
    };
    assert_eq!(bench.ask(Actor::Anonymous, of(1, "Ann@Example.COM")), Ok(()));
    assert_eq!(bench.directory().account_of("ann@example.com").unwrap().id, account(1));
    assert_eq!(bench.ask(Actor::Anonymous, of(2, "ann@example.com")), Err(Refusal::EmailTaken));
    assert!(invalid("account")(bench.ask(Actor::Anonymous, of(1, "bob@example.com"))));
    let long = format!("{}@example.com", "x".repeat(243));
    for email in ["", "ann", "@", "a@", "@b", "a@b@c", "a b@c", "a\n@b", &long] {
        assert!(invalid("email")(bench.ask(Actor::Anonymous, of(3, email))), "{email:?}");
    }
    assert_eq!(bench.ask(Actor::Anonymous, of(3, &long[1..])), Ok(()));
}

#[test]
fn a_sign_up_chooses_neither_a_plan_nor_no_password_and_accounts_are_limited() {
    let mut bench = Bench::with(AccountsConfig { max_accounts: 1 });
    let without = |number| Command::CreateAccount {
        account: account(number),
        email: "ann@example.com".to_owned(),
        password: None,
        plan: Plan::Free,
        invitation: None,
    };
    assert_eq!(bench.ask(Actor::Anonymous, create(1, Plan::Pro)), Err(Refusal::Exceeds("plan".to_owned())));
    assert!(invalid("password")(bench.ask(Actor::Anonymous, without(1))));
    assert_eq!(bench.operator(without(1)), Ok(()));
    assert_eq!(bench.operator(create(2, Plan::Pro)), Err(Refusal::TooManyAccounts));
    let bad = Command::CreateAccount {
        account: account(2),
        email: "bob@example.com".to_owned(),
        password: Some("secret".to_owned()),
        plan: Plan::Free,
        invitation: None,
    };
    assert!(invalid("password")(bench.operator(bad)));
}

#[test]
fn a_command_that_is_sent_again_has_its_reply_and_changes_nothing_until_it_is_forgotten() {
    let mut bench = Bench::new();
    let command = request("once", Actor::Anonymous, create(1, Plan::Free));
    assert_eq!(bench.send(&command), Ok(()));
    let before = (bench.directory().clone(), bench.out.outputs().len());
    assert_eq!(bench.send(&command), Ok(()));
    assert_eq!((bench.directory().clone(), bench.out.outputs().len()), before);
    assert_eq!(bench.tally.repeated, 1);
    bench.timer(BEGIN + REPLY_KEPT - 1);
    assert!(bench.directory().reply("once").is_some());
    bench.timer(BEGIN + REPLY_KEPT);
    assert!(bench.directory().reply("once").is_none());
    assert_eq!(bench.send(&command), Err(Refusal::EmailTaken));
}

#[test]
fn a_session_is_opened_for_the_password_that_was_checked_and_ends_by_a_timer() {
    let mut bench = Bench::new();
    let id = account(1);
    bench.operator(create(1, Plan::Free)).unwrap();
    assert_eq!(bench.ask(Actor::Anonymous, open(&id, &hash(1), 1)), Err(Refusal::PasswordChanged));
    assert_eq!(bench.ask(Actor::Anonymous, open(&account(9), &hash(1), 0)), Err(Refusal::NoAccount));
    assert!(invalid("session")(bench.ask(Actor::Anonymous, open(&id, "x", 0))));
    assert_eq!(bench.ask(Actor::Anonymous, open(&id, &hash(1), 0)), Ok(()));
    assert!(invalid("session")(bench.ask(Actor::Anonymous, open(&id, &hash(1), 0))));
    assert_eq!(bench.directory().session(&hash(1)).unwrap().expires_at, BEGIN + 3_600 * SECOND);
    bench.timer(BEGIN + 3_600 * SECOND - 1);
    assert!(bench.directory().session(&hash(1)).is_some());
    bench.timer(BEGIN + 3_600 * SECOND);
    assert!(bench.directory().session(&hash(1)).is_none());
    for seconds in [0, 90 * 86_400 + 1] {
        let command = Command::OpenSession {
            account: id.clone(),
            session: hash(2),
            revision: 0,
            seconds,
            replaces: None,
        };
        assert!(invalid("seconds")(bench.ask(Actor::Anonymous, command)));
    }
}

#[test]
fn a_session_takes_the_place_of_another_one_and_the_oldest_makes_room() {
    let mut bench = Bench::new();
    let (id, first, _) = bench.tenant(1, Plan::Free);
    let replacing = Command::OpenSession {
        account: id.clone(),
        session: hash(2),
        revision: 0,
        seconds: 60,
        replaces: Some(first.clone()),
    };
    assert_eq!(bench.ask(Actor::Session(first.clone()), replacing), Ok(()));
    assert!(bench.directory().session(&first).is_none());
    for number in 3..60 {
        bench.timer(BEGIN + i64::from(number));
        bench.ask(Actor::Anonymous, open(&id, &hash(number), 0)).unwrap();
    }
    assert_eq!(bench.directory().sessions().len(), 50);
    let oldest = bench.directory().sessions().map(|session| session.opened_at).min();
    assert_eq!(oldest, Some(BEGIN + 10));
}

#[test]
fn another_password_ends_the_other_sessions() {
    let mut bench = Bench::new();
    let (id, first, _) = bench.tenant(1, Plan::Free);
    bench.ask(Actor::Anonymous, open(&id, &hash(2), 0)).unwrap();
    let change = |revision, keep: Option<&str>| Command::ChangePassword {
        account: id.clone(),
        password: HASH.to_owned(),
        revision,
        keep: keep.map(str::to_owned),
    };
    let holder = || Actor::Session(first.clone());
    assert_eq!(bench.ask(holder(), change(Some(1), None)), Err(Refusal::PasswordChanged));
    assert!(invalid("revision")(bench.ask(holder(), change(None, None))));
    assert_eq!(bench.ask(holder(), change(Some(0), Some(&first))), Ok(()));
    assert!(bench.directory().session(&first).is_some() && bench.directory().session(&hash(2)).is_none());
    assert_eq!(bench.directory().account(&id).unwrap().revision, 1);
    assert_eq!(bench.operator(change(None, None)), Ok(()));
    assert_eq!(bench.directory().sessions().len(), 0);
}

#[test]
fn a_session_is_closed_by_its_account_alone() {
    let mut bench = Bench::new();
    let (_, first, key) = bench.tenant(1, Plan::Free);
    let (_, second, _) = bench.tenant(2, Plan::Free);
    let close = |hash: &str| Command::CloseSession { session: hash.to_owned() };
    for actor in [Actor::Session(second.clone()), Actor::Anonymous, Actor::Key(key)] {
        assert_eq!(bench.ask(actor, close(&first)), Err(Refusal::NoSession));
    }
    assert_eq!(bench.ask(Actor::Session(first.clone()), close(&first)), Ok(()));
    assert_eq!(bench.ask(Actor::Session(first.clone()), close(&first)), Err(Refusal::NoSession));
    assert_eq!(bench.operator(close(&second)), Ok(()));
}

#[test]
fn a_disabled_account_has_no_sessions_and_gets_nothing() {
    let mut bench = Bench::new();
    let (id, session, manager) = bench.tenant(1, Plan::Free);
    let disable = |is_disabled| Command::SetDisabled { account: id.clone(), is_disabled };
    bench.operator(disable(true)).unwrap();
    assert_eq!(bench.directory().sessions().len(), 0);
    assert_eq!(bench.ask(Actor::Anonymous, open(&id, &hash(7), 0)), Err(Refusal::NoAccount));
    assert_eq!(bench.ask(Actor::Session(session), revoke(&id, &manager)), Err(Refusal::NoSession));
    let create = Command::CreateKey(new_key(&id, &kid(1)));
    assert_eq!(bench.ask(Actor::Key(manager.clone()), create.clone()), Err(Refusal::NoAccount));
    assert_eq!(bench.operator(create.clone()), Err(Refusal::NoAccount));
    bench.operator(disable(false)).unwrap();
    assert_eq!(bench.ask(Actor::Key(manager), create), Ok(()));
}

#[test]
fn of_an_erased_account_nothing_is_kept_but_that_it_was_erased() {
    let mut bench = Bench::new();
    let ((id, session, manager), (other, ..)) = (bench.tenant(1, Plan::Free), bench.tenant(2, Plan::Free));
    let email = bench.directory().account(&id).unwrap().email.clone();
    bench.operator(Command::EraseAccount { account: id.clone() }).unwrap();
    let directory = bench.directory();
    assert!(directory.account(&id).is_none() && directory.account(&other).is_some());
    assert!(directory.keys_of(&id).next().is_none() && directory.sessions_of(&id).next().is_none());
    assert!(directory.account_of(&email).is_none(), "its e-mail may sign up again");
    assert!(directory.endpoints_of(&id).next().is_none() && directory.ledgers_of(&id).next().is_none());
    let create = Command::CreateKey(new_key(&id, &kid(1)));
    assert_eq!(bench.ask(Actor::Session(session), create.clone()), Err(Refusal::NoSession));
    assert_eq!(bench.ask(Actor::Key(manager), create), Err(Refusal::NoKey));
    assert_eq!(bench.operator(Command::EraseAccount { account: id.clone() }), Err(Refusal::NoAccount));
    let last = bench.audit().pop().unwrap();
    assert_eq!((last.action.as_str(), last.account), ("erased", id));
}

#[test]
fn keys_are_checked_counted_by_plan_and_unique() {
    let mut bench = Bench::new();
    let (id, session, _) = bench.tenant(1, Plan::Free);
    let holder = || Actor::Session(session.clone());
    let with = |change: &dyn Fn(&mut NewKey)| {
        let mut key = new_key(&id, &kid(1));
        change(&mut key);
        Command::CreateKey(key)
    };
    assert!(invalid("name")(bench.ask(holder(), with(&|key| key.name.clear()))));
    assert!(invalid("name")(bench.ask(holder(), with(&|key| key.name = "x".repeat(101)))));
    assert!(invalid("kid")(bench.ask(holder(), with(&|key| key.kid = "x".to_owned()))));
    assert!(invalid("kid")(bench.ask(holder(), with(&|key| key.kid = kid(1_000)))));
    assert!(invalid("hmac")(bench.ask(holder(), with(&|key| key.hmac.clear()))));
    assert!(invalid("scopes")(bench.ask(holder(), with(&|key| key.permissions.scopes.clear()))));
    assert!(invalid("expires_at")(
        bench.ask(holder(), with(&|key| key.permissions.expires_at = Some(BEGIN)))
    ));
    let exceeds = Err(Refusal::Exceeds("scopes".to_owned()));
    assert_eq!(bench.ask(holder(), with(&|key| key.permissions.scopes = vec![Scope::TicksWrite])), exceeds);
    for number in 1..5 {
        bench.ask(holder(), Command::CreateKey(new_key(&id, &kid(number)))).unwrap();
    }
    let fifth = Command::CreateKey(new_key(&id, &kid(5)));
    assert_eq!(bench.ask(holder(), fifth.clone()), Err(Refusal::TooManyKeys(5)));
    // A rotation at the limit adds none in the end; as many as the limit may be in their grace.
    for number in 1..5 {
        assert_eq!(bench.ask(holder(), rotate(&id, &kid(number), &kid(10 + number), 60)), Ok(()));
    }
    assert_eq!(bench.ask(holder(), rotate(&id, &kid(11), &kid(15), 60)), Ok(()));
    assert_eq!(bench.ask(holder(), rotate(&id, &kid(12), &kid(16), 60)), Err(Refusal::TooManyKeys(5)));
    assert_eq!(bench.ask(holder(), rotate(&id, &kid(12), &kid(16), 0)), Ok(()));
    bench.operator(Command::SetPlan { account: id.clone(), plan: Plan::Pro }).unwrap();
    assert_eq!(bench.ask(holder(), fifth), Ok(()));
}

#[test]
fn a_rotated_key_lives_for_its_grace_and_is_shown_for_thirty_days() {
    let mut bench = Bench::new();
    let (id, session, old) = bench.tenant(1, Plan::Free);
    let holder = || Actor::Session(session.clone());
    assert!(invalid("grace_seconds")(bench.ask(holder(), rotate(&id, &old, &kid(1), 30 * 86_400 + 1))));
    assert_eq!(bench.ask(holder(), rotate(&id, "zzzzzzzz", &kid(1), 60)), Err(Refusal::NoKey));
    assert_eq!(bench.ask(holder(), rotate(&id, &old, &kid(1), 60)), Ok(()));
    let end = BEGIN + 60 * SECOND;
    let replaced = bench.directory().key(&old).unwrap();
    assert_eq!((replaced.permissions.expires_at, replaced.replaced_by.clone()), (Some(end), Some(kid(1))));
    let new = bench.directory().key(&kid(1)).unwrap();
    assert_eq!((new.permissions.expires_at, &new.name, new.created_at), (None, &"laptop".to_owned(), BEGIN));
    assert_eq!(bench.ask(holder(), rotate(&id, &old, &kid(2), 60)), Err(Refusal::Replaced));
    bench.timer(end);
    assert_eq!(bench.ask(holder(), rotate(&id, &old, &kid(2), 60)), Err(Refusal::Replaced));
    bench.timer(end + EXPIRED_KEY_KEPT - 1);
    assert!(bench.directory().key(&old).is_some());
    bench.timer(end + EXPIRED_KEY_KEPT);
    assert!(bench.directory().key(&old).is_none() && bench.directory().key(&kid(1)).is_some());
}

#[test]
fn a_revoked_key_is_gone() {
    let mut bench = Bench::new();
    let (id, session, key) = bench.tenant(1, Plan::Free);
    assert_eq!(bench.ask(Actor::Session(session.clone()), revoke(&id, &key)), Ok(()));
    assert!(bench.directory().key(&key).is_none());
    assert_eq!(bench.ask(Actor::Session(session), revoke(&id, &key)), Err(Refusal::NoKey));
    // A command of the key that comes after its revocation in the log.
    let create = Command::CreateKey(new_key(&id, &kid(1)));
    assert_eq!(bench.ask(Actor::Key(key), create), Err(Refusal::NoKey));
}

#[test]
fn what_is_granted_no_more_is_taken_from_keys() {
    let mut bench = Bench::new();
    let (id, _, _) = bench.tenant(1, Plan::Free);
    let grant = |scopes: &[Scope]| Command::Grant {
        account: id.clone(),
        scopes: scopes.to_vec(),
        books: vec!["alpha".to_owned()],
        source: Some("ann".to_owned()),
        is_public: false,
    };
    assert!(invalid("scopes")(bench.operator(grant(&[Scope::BoardRead]))));
    bench.operator(grant(&[Scope::TicksWrite, Scope::ResultsWrite])).unwrap();
    assert_eq!(bench.directory().account(&id).unwrap().books, ["alpha"]);
    let key = |number, scopes: &[Scope]| {
        Command::CreateKey(NewKey { permissions: permissions(scopes), ..new_key(&id, &kid(number)) })
    };
    bench.operator(key(1, &[Scope::TicksWrite, Scope::BoardRead])).unwrap();
    bench.operator(key(2, &[Scope::TicksWrite])).unwrap();
    bench.operator(grant(&[Scope::ResultsWrite])).unwrap();
    assert_eq!(bench.directory().key(&kid(1)).unwrap().permissions.scopes, [Scope::BoardRead]);
    assert!(bench.directory().key(&kid(2)).is_none());
}

#[test]
fn a_source_belongs_to_one_account() {
    let mut bench = Bench::new();
    let ((one, ..), (other, ..)) = (bench.tenant(1, Plan::Free), bench.tenant(2, Plan::Free));
    let grant = |id: &str, source: &str| Command::Grant {
        account: id.to_owned(),
        scopes: vec![Scope::TicksWrite, Scope::EventsWrite],
        books: vec![],
        is_public: false,
        source: Some(source.to_owned()),
    };
    bench.operator(grant(&one, "acme")).unwrap();
    bench.operator(grant(&one, "acme")).unwrap();
    assert!(invalid("source")(bench.operator(grant(&other, "acme"))));
    assert!(invalid("source")(bench.operator(grant(&other, &"€".repeat(80)))));
    assert!(invalid("source")(bench.operator(grant(&other, "acme:x"))));
    assert!(invalid("source")(bench.operator(grant(&other, "acme/x"))));
    bench.operator(grant(&one, "zeta")).unwrap();
    bench.operator(grant(&other, "acme")).unwrap();
}

#[test]
fn a_book_is_published_by_one_account() {
    let mut bench = Bench::new();
    let ((one, ..), (other, ..)) = (bench.tenant(1, Plan::Free), bench.tenant(2, Plan::Free));
    let grant = |id: &str, is_public, books: &[&str]| Command::Grant {
        account: id.to_owned(),
        scopes: vec![Scope::TicksWrite],
        books: books.iter().map(|book| (*book).to_owned()).collect(),
        source: None,
        is_public,
    };
    bench.operator(grant(&one, true, &["alpha", "beta"])).unwrap();
    bench.operator(grant(&one, true, &["alpha"])).unwrap();
    assert!(invalid("books")(bench.operator(grant(&other, true, &["gamma", "alpha"]))));
    bench.operator(grant(&other, false, &["gamma", "alpha"])).unwrap();
    bench.operator(grant(&other, true, &["beta"])).unwrap();
    for wrong in ["a:b".to_owned(), "€".repeat(51)] {
        assert!(invalid("books")(bench.operator(grant(&other, false, &[&wrong]))));
    }
}

#[test]
fn the_audit_has_what_was_done_by_whom_and_from_where() {
    let mut bench = Bench::new();
    let (id, session, key) = bench.tenant(1, Plan::Pro);
    bench.ask(Actor::Key(key.clone()), rotate(&id, &key, &kid(1), 60)).unwrap();
    let _ = bench.ask(Actor::Anonymous, create(1, Plan::Free));
    bench.ask(Actor::Session(session.clone()), Command::CloseSession { session }).unwrap();
    let audit = bench.audit();
    let lines: Vec<_> = audit
        .iter()
        .map(|entry| (entry.action.as_str(), entry.actor.as_str(), entry.subject.as_deref()))
        .collect();
    let expected = [
        ("account_created", "operator", Some("pro")),
        ("session_opened", "anonymous", None),
        ("key_created", "operator", Some(key.as_str())),
        ("key_rotated", "key", Some(key.as_str())),
        ("session_closed", "session", None),
    ];
    assert_eq!(lines, expected);
    assert_eq!(audit[3].actor_kid.as_deref(), Some(key.as_str()));
    assert!(audit.iter().all(|entry| entry.account == id && entry.address == "192.0.2.1"));
    assert!(audit.iter().all(|entry| entry.at == BEGIN && entry.sent_at == BEGIN + 7));
}

#[test]
fn time_never_goes_back_and_begins_with_the_first_command() {
    let mut bench = Bench::new();
    bench.timer(BEGIN + DAY);
    bench.timer(BEGIN);
    assert_eq!(bench.directory().clock(), BEGIN + DAY);
    let mut fresh = Bench::new();
    fresh.machine.abort();
    assert_eq!(fresh.directory().clock(), 0);
    fresh.operator(create(1, Plan::Free)).unwrap();
    assert_eq!(fresh.directory().account(&account(1)).unwrap().created_at, BEGIN + 7);
}

#[test]
fn a_request_without_a_usable_id_is_a_dead_letter() {
    let mut bench = Bench::new();
    for id in [String::new(), "x".repeat(201), "a\nb".to_owned()] {
        let request = request(&id, Actor::Operator, create(1, Plan::Free));
        bench.message(&arb_accounts::codec::encode_request(&request).unwrap());
    }
    assert_eq!((bench.out.letters().len(), bench.directory().accounts().len()), (3, 0));
}

#[test]
fn permissions_have_each_scope_once() {
    let mut bench = Bench::new();
    let (id, session, _) = bench.tenant(1, Plan::Free);
    let scopes = vec![Scope::UsageRead, Scope::BoardRead, Scope::UsageRead];
    let permissions = Permissions { scopes, ..permissions(&[]) };
    let key = NewKey { permissions, ..new_key(&id, &kid(1)) };
    bench.ask(Actor::Session(session), Command::CreateKey(key)).unwrap();
    let key = bench.directory().key(&kid(1)).unwrap();
    assert_eq!(key.permissions.scopes, [Scope::BoardRead, Scope::UsageRead]);
}
