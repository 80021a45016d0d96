//! For tests: an API that reads nothing from Kafka with one key to it. The records that tests are about are those of `arb_feed::fixtures`.

use std::sync::Arc;
use std::time::Duration;

use arb_accounts::account::Account;
use arb_accounts::codec::{self, Input};
use arb_accounts::counts::AccountCounts;
use arb_accounts::directory::Part;
use arb_accounts::key::{ApiKey, Mode, Permissions};
use arb_accounts::machine::{AccountsConfig, AccountsMachine};
use arb_accounts::scope::Scope;
use arb_accounts::secrets::{self, KEY_RANDOM, PEPPER, Pepper};
use arb_runtime::machine::{Change, InputPlace, Machine, Outbox};
use arb_schemas::records::{BoardEntry, WebhookDelivery};
use arb_schemas::time::Micros;
use arb_schemas::wire::WireError;
use tempfile::TempDir;

use crate::access::authority::Authority;
use crate::access::replica::Replica;
use crate::access::sign_up::SignUp;
use crate::access::usage::{LocalMachine, Usage};
use crate::files::reload::Reloaded;
use crate::http::query::Query;
use crate::http::site::{Site, UrlScheme};
use crate::lists::listed::Listed;
use crate::stream::Streams;
use crate::stream::source::Source;
use crate::{App, Sessions};

/// When everything happens.
pub(crate) const NOW: Micros = 1_000_000_000_000_000;

/// Such an API.
pub(crate) struct TestApp {
    pub(crate) app: App,
    pub(crate) key: String,
    /// Its files.
    pub(crate) folder: TempDir,
}

impl TestApp {
    /// One of so many partitions and events in memory, with such a heartbeat, whose account may ask three times.
    pub(crate) fn new(partitions: i32, events: usize, heartbeat: Duration) -> Self {
        Self::with_sign_up(
            partitions,
            Streams::new(Source::by_hand(partitions), events, heartbeat),
            SignUp::Open,
        )
    }

    /// One to which those may sign up.
    pub(crate) fn with_sign_up(partitions: i32, streams: Streams, sign_up: SignUp) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let (pepper, replica) = (Pepper::new(&[7; PEPPER]), Arc::new(Replica::by_hand()));
        replica.put(Part::Account(account("acc_0000000000000001", "one@example.com")));
        let (key, part) = api_key(&pepper, 1, "acc_0000000000000001");
        replica.put(Part::Key(part));
        std::fs::write(path("plans.json"), r#"{"free": {"requests": 3, "per_second": 0, "connections": 0}}"#)
            .unwrap();
        let plans = Reloaded::open(path("plans.json")).unwrap();
        replica.put(Part::Clock(NOW));
        let machine = machine_of(Arc::clone(&replica));
        let usage = Usage::new("test".into(), Arc::clone(&replica), plans, || NOW).with_machine(machine);
        let authority = Authority::new(replica, pepper, || NOW);
        let site = Site::new("127.0.0.1:8080".parse().unwrap(), UrlScheme::Http, &[]).unwrap();
        let sessions = Sessions::start(site, sign_up).unwrap();
        Self { app: App::new(partitions, authority, usage, streams, sessions), key, folder }
    }
}

impl App {
    /// The same under other names.
    pub(crate) fn reached_at(mut self, site: Site) -> Self {
        self.sessions = self.sessions.reached_at(site);
        self
    }
}

/// An accounts machine that carries out what a replica's instance asks of quotas, at once.
pub(crate) fn machine_of(replica: Arc<Replica>) -> LocalMachine {
    Box::new(move |message| {
        let mut machine = AccountsMachine::new(&AccountsConfig::default());
        let parts = replica.with(|directory| {
            let accounts = directory.accounts().cloned().map(Part::Account);
            let keys = directory.keys().cloned().map(Part::Key);
            let sessions = directory.sessions().cloned().map(Part::Session);
            let ledgers = directory.ledgers().cloned().map(Part::Usage);
            accounts
                .chain(keys)
                .chain(sessions)
                .chain(ledgers)
                .chain([Part::Clock(directory.clock())])
                .collect::<Vec<_>>()
        });
        for part in parts {
            machine.restore(part.key().as_bytes(), &codec::encode_part(&part).unwrap()).unwrap();
        }
        let (mut out, mut counts) = (Outbox::default(), AccountCounts::default());
        let at = InputPlace { partition: 0, offset: 0, epoch: 0 };
        machine.step(at, &codec::decode_input(message).unwrap(), &mut out, &mut counts).unwrap();
        machine.changes(|change| apply(&replica, &change)).unwrap();
    })
}

/// The accounts machine beside an API, without Kafka: a thread that carries out what is asked. It ends with the API.
pub(crate) fn run_machine(app: &App) {
    let (queued, replica) = (app.commands.queued().unwrap(), Arc::clone(app.authority.replica()));
    let mut machine = AccountsMachine::new(&AccountsConfig::default());
    let parts = replica.with(|directory| {
        let accounts: Vec<_> = directory.accounts().cloned().map(Part::Account).collect();
        let keys = directory.accounts().flat_map(|account| directory.keys_of(&account.id));
        let keys: Vec<_> = keys.cloned().map(Part::Key).collect();
        [accounts, keys].concat()
    });
    for part in parts {
        machine.restore(part.key().as_bytes(), &codec::encode_part(&part).unwrap()).unwrap();
    }
    std::thread::spawn(move || {
        for (offset, request) in (0..).zip(queued) {
            let (mut out, mut counts) = (Outbox::default(), AccountCounts::default());
            let at = InputPlace { partition: 0, offset, epoch: 0 };
            machine.step(at, &Input::Request(Box::new(request)), &mut out, &mut counts).unwrap();
            machine.changes(|change| apply(&replica, &change)).unwrap();
            machine.apply();
        }
    });
}

fn apply(replica: &Replica, change: &Change) -> Result<(), WireError> {
    match &change.value {
        Some(value) => replica.put(codec::decode_part(change.key.as_bytes(), value)?.unwrap()),
        None => replica.remove(&change.key),
    };
    Ok(())
}

/// An account that nobody has signed in to.
pub(crate) fn account(id: &str, email: &str) -> Account {
    Account::new(id.into(), email.into(), NOW)
}

/// A key of an account that may do everything that needs no grant, and how it is stored.
pub(crate) fn api_key(pepper: &Pepper, random: u8, account: &str) -> (String, ApiKey) {
    let key = secrets::new_key(Mode::Live, &[random; KEY_RANDOM]);
    let scopes = Scope::ALL.iter().copied().filter(|scope| !scope.is_granted()).collect();
    let stored = ApiKey {
        kid: secrets::parse_key(&key).unwrap().kid.to_owned(),
        account: account.into(),
        hmac: pepper.hmac(&key),
        name: "test".into(),
        mode: Mode::Live,
        permissions: Permissions { scopes, expires_at: None, cidrs: vec![], monthly_cap: None },
        created_at: NOW,
        replaced_by: None,
    };
    (key, stored)
}

/// The board's filter by a sport or league.
pub(crate) fn of_sport(name: &str) -> <BoardEntry as Listed>::Filter {
    let mut filter = <BoardEntry as Listed>::Filter::default();
    assert!(matches!(filter.take("sport", name), Ok(true)), "{name}");
    filter
}

/// An entry of the delivery log of an endpoint: its delivery is named after its time.
pub(crate) fn log_entry(endpoint: &str, at: i64, outcome: &str) -> WebhookDelivery {
    WebhookDelivery {
        delivery: format!("msg_{at}"),
        endpoint: endpoint.to_owned(),
        kind: "arb_window".to_owned(),
        subject: "w".to_owned(),
        sequence: at,
        attempt: 1,
        outcome: outcome.to_owned(),
        status: Some(200),
        latency: 1,
        answer: String::new(),
        next_at: None,
        created_at: at,
        at,
    }
}
