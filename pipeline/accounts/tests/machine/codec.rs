//! Commands and parts as bytes: what was written is read, and what is none is an error with the reason.

use arb_accounts::codec::{self, Input, MAX_COMMAND};
use arb_accounts::command::{Actor, Command};
use arb_accounts::directory::Part;
use arb_accounts::plan::Plan;
use arb_accounts::reply::{Refusal, Reply};
use arb_schemas::records::{AccountCommand, Heartbeat};
use arb_schemas::wire::{self, RecordType};
use proptest::prelude::*;

use crate::properties::log;
use crate::support::{Bench, create, request, revoke};

fn record() -> AccountCommand {
    let request = request("r", Actor::Key("00000000".to_owned()), revoke("acc_1", "00000001"));
    wire::decode(&codec::encode_request(&request).unwrap()).unwrap()
}

fn error(record: &AccountCommand) -> String {
    codec::decode_input(&wire::encode(record).unwrap()).unwrap_err().to_string()
}

#[test]
fn a_command_is_an_envelope_and_a_json_body() {
    let record = record();
    assert_eq!((record.actor.as_str(), record.actor_id.as_deref()), ("key", Some("00000000")));
    assert_eq!(record.command, "revoke_key");
    assert_eq!(record.body, r#"{"account":"acc_1","kid":"00000001"}"#);
}

#[test]
fn what_is_no_command_is_said_to_be_none() {
    let body = |body: &str| AccountCommand { body: body.to_owned(), ..record() };
    assert!(error(&body("{}")).contains("missing field `account`"));
    assert!(error(&body("[]")).starts_with("Avro: command: "));
    assert!(error(&body("{")).starts_with("Avro: command: "));
    let unknown = AccountCommand { command: "make_coffee".to_owned(), ..record() };
    assert!(error(&unknown).contains("make_coffee"));
    let actor = |actor: &str, id: Option<&str>| AccountCommand {
        actor: actor.to_owned(),
        actor_id: id.map(str::to_owned),
        ..record()
    };
    for record in [actor("root", None), actor("key", None), actor("operator", Some("x"))] {
        assert!(error(&record).contains("actor"), "{}", error(&record));
    }
    let long = body(&format!(r#"{{"account":"{}","kid":""}}"#, "x".repeat(MAX_COMMAND)));
    assert!(error(&long).contains("more than 65536"));
    let other = wire::encode(&Heartbeat { source: "s".into(), at: 1 }).unwrap();
    assert!(codec::decode_input(&other).is_err());
    assert!(codec::decode_input(b"{}").is_err());
}

#[test]
fn every_reply_is_read_as_it_was_written() {
    let refusals = [
        Refusal::EmailTaken,
        Refusal::InvitationUsed,
        Refusal::TooManyAccounts,
        Refusal::NoAccount,
        Refusal::NoSession,
        Refusal::NoKey,
        Refusal::PasswordChanged,
        Refusal::TooManyKeys(50),
        Refusal::Exceeds("cidrs".to_owned()),
        Refusal::Replaced,
        Refusal::Invalid("name".to_owned(), "is empty".to_owned()),
    ];
    let results = refusals.map(Err).into_iter().chain([Ok(())]);
    for result in results {
        let part = Part::Reply(Reply { id: "r/1".to_owned(), at: 7, result });
        let bytes = codec::encode_part(&part).unwrap();
        assert_eq!(codec::decode_part(part.key().as_bytes(), &bytes).unwrap(), Some(part));
    }
}

#[test]
fn a_part_under_another_key_is_refused() {
    let bytes = codec::encode_part(&Part::Clock(1)).unwrap();
    assert!(codec::decode_part(b"clock", &bytes).is_ok());
    assert!(codec::decode_part(b"account/x", &bytes).is_err());
}

#[test]
fn every_part_of_a_state_is_read_as_it_was_written() {
    let mut bench = Bench::new();
    bench.tenant(1, Plan::Enterprise);
    let directory = bench.directory();
    let parts = directory.accounts().cloned().map(Part::Account);
    let parts = parts.chain(directory.sessions().cloned().map(Part::Session));
    for part in parts.chain(directory.keys().cloned().map(Part::Key)) {
        let bytes = codec::encode_part(&part).unwrap();
        assert_eq!(codec::decode_part(part.key().as_bytes(), &bytes).unwrap(), Some(part));
    }
}

proptest! {
    #[test]
    fn any_bytes_are_an_input_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = codec::decode_input(&bytes);
        for record in [RecordType::AccountCommand, RecordType::AccountSession] {
            let framed = [&[0][..], &(record as u32).to_be_bytes(), &bytes].concat();
            let _ = codec::decode_input(&framed);
            let _ = codec::decode_part(b"clock", &framed);
        }
    }

    #[test]
    fn a_command_with_changed_bytes_is_none_or_is_decided(
        seed in any::<u64>(),
        changes in proptest::collection::vec((any::<usize>(), any::<u8>()), 1..5),
    ) {
        let mut message = log(seed, 1).remove(0);
        for (at, byte) in changes {
            let at = at % message.len();
            message[at] = byte;
        }
        if codec::decode_input(&message).is_ok() {
            Bench::new().message(&message);
        }
    }

    #[test]
    fn any_email_and_address_survive(email in ".{0,40}", address in ".{0,40}") {
        let Command::CreateAccount { account, password, plan, .. } = create(1, Plan::Pro) else { unreachable!() };
        let command = Command::CreateAccount { account, email, password, plan, invitation: None };
        let mut sent = request("r", Actor::Anonymous, command);
        sent.address = address;
        let read = codec::decode_input(&codec::encode_request(&sent).unwrap()).unwrap();
        prop_assert_eq!(read, Input::Request(Box::new(sent)));
    }
}
