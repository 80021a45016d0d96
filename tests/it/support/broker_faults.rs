//! Faults of a broker, drawn from a seed: kills with -9 and freezes, each under load, and kills of roles between them.
//!
//! The schedule is the seed's alone; at which record a fault strikes depends on the machine.

use std::time::Duration;

use super::stack::Broker;
use super::wait::pace;

/// What happens to the broker.
#[derive(Debug, Clone, Copy)]
pub(crate) enum BrokerFault {
    /// Killed with -9, and away for this long.
    Kill(Duration),
    /// Stopped where it is for this long.
    Freeze(Duration),
}

/// A role that can be killed.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Victim {
    /// The processor of a slot.
    Processor(u32),
    Sink,
    /// An instance of the API.
    Serve(usize),
}

/// One fault and its moment.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Step {
    pub(crate) fault: BrokerFault,
    /// Whether it waits until the roles have recovered from the fault before and process again.
    pub(crate) under_load: bool,
    /// How long after that it strikes.
    pub(crate) delay: Duration,
    /// A role that is killed with -9 meanwhile, and how long before the fault.
    pub(crate) victim: Option<(Victim, Duration)>,
}

impl BrokerFault {
    /// Strikes, and returns when the broker runs again.
    pub(crate) fn strike(self, broker: &Broker) {
        match self {
            Self::Kill(away) => {
                broker.kill();
                pace("the broker is away", away);
                broker.restart();
            }
            Self::Freeze(time) => {
                broker.freeze();
                pace("the broker is frozen", time);
                broker.thaw();
            }
        }
    }

    /// For how long the broker was frozen.
    pub(crate) fn frozen(self) -> Option<Duration> {
        match self {
            Self::Freeze(time) => Some(time),
            Self::Kill(_) => None,
        }
    }
}

/// The faults of a seed: three kills for two freezes, in any order.
pub(crate) fn schedule(seed: u64, count: usize) -> Vec<Step> {
    let mut random = fastrand::Rng::with_seed(seed);
    let freezes = (count * 2 / 5).max(1);
    let mut faults: Vec<_> = (0..count)
        .map(|index| match index {
            _ if index >= freezes => BrokerFault::Kill(millis(&mut random, 0, 2_000)),
            0 if count > 2 => BrokerFault::Freeze(long(&mut random)),
            _ => BrokerFault::Freeze(millis(&mut random, 1_000, 8_000)),
        })
        .collect();
    random.shuffle(&mut faults);
    let kills_roles = count > 2;
    faults.into_iter().map(|fault| step(fault, kills_roles, &mut random)).collect()
}

fn step(fault: BrokerFault, kills_roles: bool, random: &mut fastrand::Rng) -> Step {
    let victims = [
        Victim::Processor(0),
        Victim::Processor(1),
        Victim::Processor(0),
        Victim::Processor(1),
        Victim::Sink,
        Victim::Serve(0),
        Victim::Serve(1),
    ];
    let victim = (kills_roles && random.bool())
        .then(|| (victims[random.usize(..victims.len())], millis(random, 0, 1_000)));
    Step { fault, under_load: random.u32(..4) > 0, delay: millis(random, 0, 800), victim }
}

/// Longer than a transaction may last and than a member may be silent (10 s and 6 s), and now and then far longer.
fn long(random: &mut fastrand::Rng) -> Duration {
    Duration::from_secs([10, 12, 15, 30][random.usize(..4)])
}

fn millis(random: &mut fastrand::Rng, least: u64, most: u64) -> Duration {
    Duration::from_millis(random.u64(least..=most))
}
