//! Accounts and keys of tests that are about something else, written into the topic as the accounts machine writes them. Tests of
//! accounts run the machine instead.

use std::path::PathBuf;
use std::time::Duration;

use arb_accounts::account::Account;
use arb_accounts::codec;
use arb_accounts::directory::Part;
use arb_accounts::key::{ApiKey, Mode, Permissions};
use arb_accounts::plan::Plan;
use arb_accounts::scope::Scope;
use arb_accounts::secrets::{self, KEY_RANDOM, PEPPER, Pepper};
use arb_kafka::{Cluster, CommandProducer};
use arb_schemas::topics::ACCOUNTS;

use super::stack::Broker;

/// When all of them were created.
const CREATED: i64 = 1_700_000_000_000_000;

/// A key, and the pepper under which the topic has it.
#[derive(Clone)]
pub(crate) struct Key {
    pub(crate) pepper: PathBuf,
    pub(crate) text: String,
    brokers: String,
}

impl Key {
    /// Of an account of its own of a plan.
    pub(crate) fn new(broker: &Broker, plan: &str) -> Self {
        Self::granted(broker, plan, &[], None)
    }

    /// The same with scopes and a source that an operator granted; the source has one book of its name.
    pub(crate) fn granted(broker: &Broker, plan: &str, granted: &[Scope], source: Option<&str>) -> Self {
        let (key, brokers) = (Self::foreign(broker), broker.brokers.clone());
        let plan = [Plan::Free, Plan::Pro, Plan::Enterprise].into_iter().find(|known| known.key() == plan);
        let kid = secrets::parse_key(&key.text).unwrap().kid.to_owned();
        let account = Account {
            id: format!("acc_{kid}{kid}"),
            email: format!("{}@localhost", kid.to_lowercase()),
            password: None,
            revision: 0,
            plan: plan.unwrap(),
            is_disabled: false,
            granted: granted.to_vec(),
            books: source.map(str::to_owned).into_iter().collect(),
            source: source.map(str::to_owned),
            created_at: CREATED,
        };
        let may_have = |scope: &Scope| !scope.is_granted() || granted.contains(scope);
        let scopes = Scope::ALL.iter().copied().filter(may_have).collect();
        let stored = ApiKey {
            kid,
            account: account.id.clone(),
            hmac: pepper().hmac(&key.text),
            name: "test".into(),
            mode: Mode::Live,
            permissions: Permissions { scopes, expires_at: None, cidrs: vec![], monthly_cap: None },
            created_at: CREATED,
            replaced_by: None,
        };
        for part in [Part::Account(account), Part::Key(stored)] {
            write(&brokers, &part.key(), Some(&codec::encode_part(&part).unwrap()));
        }
        key
    }

    /// One that no account has.
    pub(crate) fn foreign(broker: &Broker) -> Self {
        let file = broker.path("pepper");
        std::fs::write(&file, [7; PEPPER]).unwrap();
        let random: [u8; KEY_RANDOM] = std::array::from_fn(|_| fastrand::u8(..));
        Self { pepper: file, text: secrets::new_key(Mode::Live, &random), brokers: broker.brokers.clone() }
    }

    /// Revokes it.
    pub(crate) fn take_away(&self) {
        write(&self.brokers, &format!("key/{}", secrets::parse_key(&self.text).unwrap().kid), None);
    }
}

fn pepper() -> Pepper {
    Pepper::new(&[7; PEPPER])
}

/// Writes a record, or a tombstone, and waits until the broker has it.
fn write(brokers: &str, key: &str, value: Option<&[u8]>) {
    let producer = CommandProducer::new(&Cluster::plaintext(brokers), &ACCOUNTS).unwrap();
    assert!(producer.send_bytes(key, value).unwrap());
    while producer.in_flight() > 0 {
        producer.serve(Duration::from_millis(10)).unwrap();
    }
}
