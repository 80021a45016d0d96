//! How long accounts have no owner after one is killed: two processes of `arb accounts` on a Kafka, and a command that waits for its reply.
//!
//! It judges nothing.

use std::time::{Duration, Instant};

use anyhow::bail;
use arb::system::clock;
use arb_accounts::codec;
use arb_accounts::command::{Actor as Asker, Command, Request};
use arb_accounts::directory::Part;
use arb_accounts::plan::Plan;
use arb_accounts::reply::Reply;
use arb_kafka::{CommandProducer, Table, TableEvent};
use arb_schemas::topics::{ACCOUNT_COMMANDS, ACCOUNTS};

use crate::Scale;
use crate::actor::{Actor, Order, Role};
use crate::pipeline::KafkaGround;
use crate::report::{Measure, Row};

/// How long anything may take.
const PATIENCE: Duration = Duration::from_mins(1);
/// A process joins the group within this time; nothing shows when the standby has.
const JOINED: Duration = Duration::from_secs(5);
/// Between two looks at the accounts.
const POLL: Duration = Duration::from_millis(5);

/// The row of the takeover.
pub(super) fn takeover(scale: Scale, kafka: &KafkaGround<'_>) -> anyhow::Result<Row> {
    let mut commands = Commands::open(kafka)?;
    let (mut owner, mut standby) = (start(kafka)?, start(kafka)?);
    let mut seconds = Vec::new();
    for _ in 0..scale.rounds {
        std::thread::sleep(JOINED);
        commands.carry_out()?;
        owner.kill()?;
        let begun = Instant::now();
        commands.carry_out()?;
        seconds.push(begun.elapsed().as_secs_f64());
        (owner, standby) = (standby, start(kafka)?);
    }
    drop(standby);
    Ok(Row::alone(super::PART, "one that stands by", Measure("from the kill to a reply", "s"), &seconds))
}

fn start(kafka: &KafkaGround<'_>) -> anyhow::Result<Actor> {
    let mut program = Actor::start(Role::Program)?;
    let brokers = kafka.cluster.brokers();
    let _: Option<()> =
        program.ask(&Order::run(["accounts", "--brokers", brokers, "--admin-listen=127.0.0.1:0"]))?;
    Ok(program)
}

/// Commands, one after the other.
struct Commands<'a> {
    kafka: &'a KafkaGround<'a>,
    producer: CommandProducer,
    accounts: Table,
    sent: u32,
}

impl<'a> Commands<'a> {
    fn open(kafka: &'a KafkaGround<'a>) -> anyhow::Result<Self> {
        let producer = CommandProducer::new(&kafka.cluster, &ACCOUNT_COMMANDS)?;
        let accounts = Table::open(&kafka.cluster, &ACCOUNTS, 1)?;
        Ok(Self { kafka, producer, accounts, sent: 0 })
    }

    /// Asks for a change of an account that does not exist, and waits until it is refused.
    fn carry_out(&mut self) -> anyhow::Result<()> {
        self.sent += 1;
        let id = format!("bench-{}", self.sent);
        let command = Command::SetPlan { account: "acc_nobody".to_owned(), plan: Plan::Free };
        let request = Request {
            id: id.clone(),
            sent_at: clock::now(),
            address: String::new(),
            actor: Asker::Operator,
            command,
        };
        self.producer.send(&id, &codec::encode_request(&request)?)?;
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE && !self.kafka.stop.is_stopped() {
            self.producer.serve(Duration::ZERO)?;
            if let TableEvent::Put { key, value: Some(value), .. } = self.accounts.next(POLL)?
                && matches!(codec::decode_part(&key, &value)?, Some(Part::Reply(Reply { id: of, .. })) if of == id)
            {
                return Ok(());
            }
        }
        bail!("no owner answers")
    }
}
