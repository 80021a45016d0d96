//! What an account may keep as its bankroll.

use arb_accounts::command::{Actor, Command};
use arb_accounts::plan::Plan;

use crate::support::{Bench, bankroll, invalid};

#[test]
fn a_bankroll_is_kept_whole_or_refused_by_its_field() {
    let mut bench = Bench::new();
    let (id, session, _) = bench.tenant(1, Plan::Free);
    let holder = || Actor::Session(session.clone());
    let set = |bankroll| Command::SetBankroll { account: id.clone(), bankroll };
    assert_eq!(bench.directory().account(&id).unwrap().bankroll, None);
    let euros = bankroll(1_000_000_000, Some("EUR"), 100_000);
    assert_eq!(bench.ask(holder(), set(euros.clone())), Ok(()));
    for (field, wrong) in [
        ("total", bankroll(0, None, 1)),
        ("total", bankroll(1_000_000_001, None, 1)),
        ("currency", bankroll(1, Some("eur"), 1)),
        ("currency", bankroll(1, Some(""), 1)),
        ("rounding", bankroll(1, None, 0)),
        ("rounding", bankroll(1, None, 100_001)),
    ] {
        assert!(invalid(field)(bench.ask(holder(), set(wrong))), "{field}");
    }
    assert_eq!(bench.directory().account(&id).unwrap().bankroll, Some(euros));
    bench.operator(Command::SetPlan { account: id.clone(), plan: Plan::Pro }).unwrap();
    assert!(bench.directory().account(&id).unwrap().bankroll.is_some(), "another change keeps it");
}
