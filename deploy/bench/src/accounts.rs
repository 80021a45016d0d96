//! `arb-bench accounts`: what leases of the quota cost a request, beside the same API without them; how many passwords are verified a second;
//! how long an owner of accounts takes to restore them, and how long there is none after one is killed.
//!
//! Both APIs run in separate processes; the same client asks each in turn. It judges nothing.

mod owner;

use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use arb::cli::LogFormat;
use arb_accounts::account::Account;
use arb_accounts::codec;
use arb_accounts::directory::Part;
use arb_accounts::machine::{AccountsConfig, AccountsMachine};
use arb_accounts::password::{self, SALT};
use arb_runtime::machine::Machine;
use arb_runtime::stop::Stop;

use super::Scale;
use super::actor::{Actor, Order, Role, Served, Spent};
use super::cli::KafkaOptions;
use super::client::load;
use super::pipeline::KafkaGround;
use super::report::{Expected, Measure, Measured, Row};
use super::turns::in_turns;

pub(super) const PART: &str = "accounts";
const ENTRIES: usize = 100;
const CONNECTIONS: usize = 16;
/// How long each is asked in a round; a quick one.
const ROUND: Duration = Duration::from_millis(1_500);
const QUICK: Duration = Duration::from_millis(50);
/// Requests with leases to requests without.
const EXPECTED: Expected = Expected::AtLeast(0.97);
/// Accounts that are restored; in a quick run.
const ACCOUNTS: (usize, usize) = (100_000, 1_000);
/// Passwords that are verified in a round; in a quick one.
const PASSWORDS: (u32, u32) = (20, 1);

pub(super) fn run(
    config: &KafkaOptions,
    scale: Scale,
    log_format: LogFormat,
    stop: &Stop,
) -> anyhow::Result<Measured> {
    let mut to = Measured::default();
    to.rows.extend(leases(scale, stop)?);
    to.rows.push(sign_in(scale, stop)?);
    to.rows.push(restore(scale, stop)?);
    to.rows.push(takeover(config, scale, log_format, stop)?);
    to.notes.push(format!(
        "accounts: requests of one key over {CONNECTIONS} connections that are kept, `/api/v1/arbs?limit=3`, as fast as they are \
         answered; the baseline is the same API that charges nothing. The owner of the leases is in the process of the API. A \
         sign-in verifies one password (argon2id, 19 MiB, two passes), one at a time. A restore puts accounts back from \
         records in memory. The takeover is from the kill of one of two processes of `arb accounts` on a Kafka to the reply of the other to a \
         command: the time-out of the group that finds a dead owner (6 s) is the most of it."
    ));
    Ok(to)
}

fn takeover(config: &KafkaOptions, scale: Scale, log_format: LogFormat, stop: &Stop) -> anyhow::Result<Row> {
    KafkaGround::measured(config, log_format, stop, |kafka| owner::takeover(scale, kafka))
}

/// What requests of one round cost.
struct LeaseSample {
    cpu: f64,
    per_second: f64,
}

fn leases(scale: Scale, stop: &Stop) -> anyhow::Result<Vec<Row>> {
    let mut servers = [start(true)?, start(false)?];
    let [with, without] = in_turns(scale.rounds, stop, |which| round(&mut servers[which], scale))?;
    let row = |what, of: fn(&LeaseSample) -> f64| {
        let pairs: Vec<_> =
            with.iter().zip(&without).map(|(with, without)| (of(with), of(without))).collect();
        Row::beside(PART, "a key with leases", what, &pairs)
    };
    Ok(vec![
        row(Measure("requests", "1/s"), |sample| sample.per_second).expect(EXPECTED),
        row(Measure("server CPU a request", "us"), |sample| sample.cpu),
    ])
}

fn start(is_charged: bool) -> anyhow::Result<(Actor, Served)> {
    let mut api = Actor::start(Role::Api)?;
    let served = api.ask(&Order::Serve { entries: ENTRIES, is_charged })?;
    Ok((api, served))
}

fn round((api, served): &mut (Actor, Served), scale: Scale) -> anyhow::Result<LeaseSample> {
    let time = if scale.is_quick { QUICK } else { ROUND };
    let Served { at, key } = served;
    let request = format!("GET /api/v1/arbs?limit=3 HTTP/1.1\r\nhost: {at}\r\nx-api-key: {key}\r\n\r\n");
    let before: Spent = api.ask(&Order::Spent)?;
    let answers = load(*at, &|_| request.clone(), 200, CONNECTIONS, time)? as f64;
    let after: Spent = api.ask(&Order::Spent)?;
    let cpu = after.cpu.saturating_sub(before.cpu);
    Ok(LeaseSample { cpu: cpu.as_secs_f64() * 1e6 / answers, per_second: answers / time.as_secs_f64() })
}

fn sign_in(scale: Scale, stop: &Stop) -> anyhow::Result<Row> {
    let hash = password::hash("correct horse battery", &[7; SALT]).context("a hash")?;
    let count = if scale.is_quick { PASSWORDS.1 } else { PASSWORDS.0 };
    let [rates] = in_turns(scale.rounds, stop, |_| {
        let begun = Instant::now();
        if !(0..count).all(|_| password::verify("correct horse battery", Some(&hash))) {
            bail!("the password is not taken");
        }
        Ok(f64::from(count) / begun.elapsed().as_secs_f64())
    })?;
    Ok(Row::alone(PART, "one at a time", Measure("sign-ins", "1/s"), &rates))
}

fn restore(scale: Scale, stop: &Stop) -> anyhow::Result<Row> {
    let accounts = if scale.is_quick { ACCOUNTS.1 } else { ACCOUNTS.0 };
    let records: Vec<_> = (0..accounts).map(record).collect::<anyhow::Result<_>>()?;
    let [seconds] = in_turns(scale.rounds, stop, |_| {
        let mut machine = AccountsMachine::new(&AccountsConfig::default());
        let begun = Instant::now();
        for (key, value) in &records {
            machine.restore(key.as_bytes(), value)?;
        }
        Ok(begun.elapsed().as_secs_f64())
    })?;
    Ok(Row::alone(PART, format!("{accounts} accounts"), Measure("restore of an owner", "s"), &seconds))
}

/// An account as the changelog has it.
fn record(number: usize) -> anyhow::Result<(String, Vec<u8>)> {
    let (id, email) = (format!("acc_{number:016}"), format!("user{number}@example.com"));
    let part = Part::Account(Account::new(id, email, 1));
    Ok((part.key(), codec::encode_part(&part)?))
}
