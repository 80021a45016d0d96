//! A client of the accounts machine: sends commands of an operator, and waits until each reply is read back.
//!
//! A command that is answered is in force: its reply is read after what it did. It never sends a command twice.

use std::time::{Duration, Instant};

use anyhow::{anyhow, bail};
use arb_accounts::account::Account;
use arb_accounts::codec;
use arb_accounts::command::{Actor, Command, Request};
use arb_accounts::directory::Directory;
use arb_accounts::machine::AccountsMachine;
use arb_accounts::reply::Refusal;
use arb_kafka::{self as kafka, CommandProducer, Table, TableEvent};
use arb_runtime::machine::Machine;
use arb_runtime::stop::Stop;
use arb_schemas::topics::{ACCOUNT_COMMANDS, ACCOUNTS};

use crate::cli::Brokers;
use crate::roles::cluster;
use crate::system::{clock, random};

/// How long a reply is waited for.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long the topic's end is waited for: a broker that creates topics for a first start answers nothing else meanwhile.
const READING: Duration = Duration::from_mins(1);
const LOOK: Duration = Duration::from_millis(50);

/// A client.
pub(crate) struct AccountsClient {
    producer: CommandProducer,
    table: Table,
    directory: Directory,
    stop: Stop,
}

impl AccountsClient {
    /// One that has read everything that is there.
    pub(crate) fn open(brokers: &Brokers) -> anyhow::Result<Self> {
        Self::open_until(brokers, Stop::default())
    }

    /// The same, which gives up whatever it waits for when the signal comes: its clients of Kafka end before Kafka does.
    pub(crate) fn open_until(brokers: &Brokers, stop: Stop) -> anyhow::Result<Self> {
        let cluster = &cluster::open(brokers)?;
        let partitions = kafka::machine_partitions(cluster, &AccountsMachine::TOPICS)?;
        let mut client = Self {
            producer: CommandProducer::new(cluster, &ACCOUNT_COMMANDS)?,
            table: Table::open(cluster, &ACCOUNTS, partitions)?,
            directory: Directory::default(),
            stop,
        };
        let deadline = Instant::now() + READING;
        while !client.read()? {
            if Instant::now() > deadline {
                bail!("{} was not read to its end within {} s", ACCOUNTS.name, READING.as_secs());
            }
        }
        Ok(client)
    }

    /// The state as far as it was read.
    pub(crate) fn directory(&self) -> &Directory {
        &self.directory
    }

    /// An account by its id or e-mail.
    pub(crate) fn find(&self, name: &str) -> Option<&Account> {
        self.directory.account(name).or_else(|| self.directory.account_of(&name.to_lowercase()))
    }

    /// Sends a command of its own; a refusal is an error.
    pub(crate) fn ask(&mut self, command: Command) -> anyhow::Result<()> {
        let id = format!("operator/{:032x}", u128::from_be_bytes(random::bytes()?));
        self.request(id, command)?.map_err(|refusal| anyhow!("{refusal}"))
    }

    /// Sends a command with an id, and waits for its reply.
    pub(crate) fn request(&mut self, id: String, command: Command) -> anyhow::Result<Result<(), Refusal>> {
        let request =
            Request { id, sent_at: clock::now(), address: String::new(), actor: Actor::Operator, command };
        let (value, begun, deadline) =
            (codec::encode_request(&request)?, self.directory.clock(), Instant::now() + PATIENCE);
        self.producer.send(&request.id, &value)?;
        loop {
            self.producer.serve(Duration::ZERO)?;
            if let Some(reply) = self.directory.reply(&request.id) {
                return Ok(reply.result.clone());
            }
            if Instant::now() > deadline {
                bail!("{}", no_reply(self.directory.clock() > begun));
            }
            self.read()?;
        }
    }

    /// Takes in what comes next; whether it was read to the end for the first time.
    fn read(&mut self) -> anyhow::Result<bool> {
        if self.stop.is_stopped() {
            bail!("stopped while waiting for the accounts");
        }
        match self.table.next(LOOK)? {
            TableEvent::Put { key, value: Some(value), .. } => {
                if let Some(part) = codec::decode_part(&key, &value)? {
                    self.directory.put(part);
                }
            }
            TableEvent::Put { key, value: None, .. } => self.directory.remove(&String::from_utf8_lossy(&key)),
            TableEvent::CaughtUp => return Ok(true),
            TableEvent::Idle => {}
        }
        Ok(false)
    }
}

/// Why there is no reply, by whether the machine's time went on meanwhile.
fn no_reply(is_running: bool) -> String {
    let seconds = PATIENCE.as_secs();
    if is_running {
        format!(
            "no reply within {seconds} s, though arb accounts runs: look whether the command was carried out (arb account list) before you send it again"
        )
    } else {
        format!(
            "no reply within {seconds} s: no instance of arb accounts runs on this Kafka; it carries the command out once it runs again"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_says_whether_the_role_runs() {
        assert!(no_reply(false).contains("no instance of arb accounts runs"));
        assert!(no_reply(true).contains("though arb accounts runs"));
    }
}
