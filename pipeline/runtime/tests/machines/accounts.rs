//! A sketch of accounts: commands with an id, replies with the same id, and what expires by timer records.
//!
//! One partition, so that one owner decides the order of commands. It never reads a clock.

use std::collections::BTreeMap;
use std::string::FromUtf8Error;

use arb_runtime::dead_letters::Reason;
use arb_runtime::log::Output;
use arb_runtime::machine::{Change, Fingerprint, InputPlace, Machine, MachineTopics, Outbox};
use arb_schemas::topics::{DEAD_TICKS, FEED_EVENTS, ODDS_TICKS, PROCESS_STATE};
use arb_schemas::wire::WireError;
use arb_simulated_log::World;

/// How long the id of a command is stored: a client that repeats a command does so within this time.
const REMEMBERED: u64 = 60;
/// The lifetime of a session.
const SESSION: u64 = 30;

/// A value and the time until which it is kept; `None` for what was removed.
type Entry = Option<(String, u64)>;

/// The state: `account/NAME`, `session/NAME` and `command/ID`, each until a time; `time` has the latest timer.
#[derive(Default)]
pub(crate) struct Accounts {
    entries: BTreeMap<String, Entry>,
    draft: BTreeMap<String, Entry>,
}

/// A command `ID VERB NAME`, or a timer `timer SECONDS`.
pub(crate) enum Input<'a> {
    Command { id: &'a str, verb: &'a str, name: &'a str },
    Timer(u64),
}

impl Accounts {
    fn get(&self, key: &str) -> Option<&(String, u64)> {
        self.draft.get(key).or_else(|| self.entries.get(key))?.as_ref()
    }

    fn now(&self) -> u64 {
        self.get("time").map_or(0, |(_, now)| *now)
    }

    fn carry_out(&mut self, verb: &str, name: &str) -> Option<String> {
        let (account, session) = (format!("account/{name}"), format!("session/{name}"));
        let is_known = self.get(&account).is_some();
        Some(match (verb, is_known) {
            ("create", true) | ("login", false) => "refused".to_owned(),
            ("create", false) => {
                self.draft.insert(account, Some(("open".to_owned(), u64::MAX)));
                "created".to_owned()
            }
            ("login", true) => {
                let until = self.now() + SESSION;
                self.draft.insert(session, Some(("session".to_owned(), until)));
                format!("until {until}")
            }
            _ => return None,
        })
    }

    /// Removes what a timer has ended.
    fn expire(&mut self, now: u64) {
        let all = self.entries.iter().filter(|(key, _)| !self.draft.contains_key(*key)).chain(&self.draft);
        let over = all.filter(|(_, entry)| entry.as_ref().is_some_and(|(_, until)| *until <= now));
        let over: Vec<_> = over.map(|(key, _)| key.clone()).collect();
        self.draft.extend(over.into_iter().map(|key| (key, None)));
        self.draft.insert("time".to_owned(), Some(("time".to_owned(), now)));
    }
}

impl Machine for Accounts {
    type Config = ();
    type Input<'a> = Input<'a>;
    type Tally = ();
    type Size = usize;
    type RestoreError = FromUtf8Error;

    const TOPICS: MachineTopics = MachineTopics {
        input: &ODDS_TICKS,
        changelog: &PROCESS_STATE,
        dead_letters: &DEAD_TICKS,
        outputs: &[&FEED_EVENTS],
    };

    fn new((): &()) -> Self {
        Self::default()
    }

    fn fingerprint((): &()) -> Fingerprint {
        Fingerprint { rules: "1".to_owned(), setting: "accounts", tables: 0 }
    }

    fn decode(message: &[u8]) -> Result<Input<'_>, WireError> {
        let text = std::str::from_utf8(message).map_err(|_| WireError::NotFramed)?;
        match *text.split(' ').collect::<Vec<_>>() {
            ["timer", seconds] => seconds.parse().map(Input::Timer).map_err(|_| WireError::NotFramed),
            [id, verb, name] => Ok(Input::Command { id, verb, name }),
            _ => Err(WireError::NotFramed),
        }
    }

    fn step(
        &mut self,
        at: InputPlace,
        input: &Input<'_>,
        out: &mut Outbox,
        (): &mut (),
    ) -> Result<(), WireError> {
        let (id, verb, name) = match *input {
            Input::Timer(now) => {
                self.expire(now);
                return Ok(());
            }
            Input::Command { id, verb, name } => (id, verb, name),
        };
        let command = format!("command/{id}");
        let known = self.get(&command).map(|(reply, _)| reply.clone());
        let Some(reply) = known.or_else(|| self.carry_out(verb, name)) else {
            out.dead_letter(Reason::Refused, format!("{verb} is no command"));
            return Ok(());
        };
        self.draft.insert(command, Some((reply.clone(), self.now() + REMEMBERED)));
        out.send(Output::new(FEED_EVENTS.name, at.partition, id.to_owned(), Some(reply.into_bytes())));
        Ok(())
    }

    fn changes<E: From<WireError>>(&self, mut put: impl FnMut(Change) -> Result<(), E>) -> Result<(), E> {
        self.draft.iter().try_for_each(|(key, entry)| {
            let value = entry.as_ref().map(|(value, until)| format!("{until} {value}").into_bytes());
            put(Change { key: key.clone(), value })
        })
    }

    fn apply(&mut self) {
        self.entries.append(&mut self.draft);
        self.entries.retain(|_, entry| entry.is_some());
    }

    fn abort(&mut self) {
        self.draft.clear();
    }

    fn restore(&mut self, key: &[u8], value: &[u8]) -> Result<(), FromUtf8Error> {
        let (key, value) = (String::from_utf8(key.to_vec())?, String::from_utf8(value.to_vec())?);
        let entry =
            value.split_once(' ').and_then(|(until, value)| Some((value.to_owned(), until.parse().ok()?)));
        self.entries.insert(key, entry);
        Ok(())
    }

    fn size(&self) -> usize {
        self.entries.len()
    }
}

/// The input: commands, some sent twice, timers, and a record that is neither.
pub(crate) fn commands() -> World {
    let mut world = World::new(1);
    let records = [
        "timer 0",
        "a1 create ann",
        "a1 create ann",
        "b1 create ann",
        "l1 login ann",
        "x",
        "timer 10",
        "l1 login ann",
        "l2 login bob",
        "c1 create bob",
        "z1 delete bob",
        "timer 40",
        "l2 login bob",
        "l3 login bob",
        "timer 61",
        "a1 create ann",
        "timer 65",
    ];
    for record in records {
        world.push(0, record.into());
    }
    world
}

/// The replies: a repeated command has its first reply, until its id is removed.
pub(crate) const REPLIES: [(&str, &str); 10] = [
    ("a1", "created"),
    ("a1", "created"),
    ("b1", "refused"),
    ("l1", "until 30"),
    ("l1", "until 30"),
    ("l2", "refused"),
    ("c1", "created"),
    ("l2", "refused"),
    ("l3", "until 70"),
    ("a1", "refused"),
];

/// What is remembered at the end: ids are kept for a minute after they were last used, and sessions for half of it.
pub(crate) const KEYS: [&str; 10] = [
    "account/ann",
    "account/bob",
    "command/a1",
    "command/c1",
    "command/l1",
    "command/l2",
    "command/l3",
    "partition",
    "session/bob",
    "time",
];
