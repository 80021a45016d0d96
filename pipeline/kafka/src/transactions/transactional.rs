//! A machine's producer: transactions under the id of one of the input partitions that it owns.
//!
//! The id is `GROUP-PARTITION`. It keeps the id that it has while it owns that partition, and takes the lowest one that
//! it owns otherwise, so that no two living members of the group use the same id, and nobody has to be numbered. It
//! never uses the id of a partition that it has not been given.
//!
//! Source: KIP-98 and KIP-447; docs/adr/001-transactional-ids.md.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use arb_runtime::fail_point::FailPoints;
use arb_runtime::log::{Adoption, LogError, Producer, Renewal};
use arb_runtime::machine::MachineTopics;
use arb_runtime::stop::Stop;
use arb_runtime::watchdog::Pulse;
use rdkafka::consumer::ConsumerGroupMetadata;
use rdkafka::error::KafkaError;
use rdkafka::producer::Producer as _;

use crate::cluster::Cluster;
use crate::error::{Error, fatal, is_transient};
use crate::group::InputConsumer;

use super::adoption::{Adopting, Unfinished, abort_open, adopt_each};
use super::lost_commit::{Evidence, Outputs, repeat};
use super::origin::Origin;
use super::output_ends::OutputEnds;
use super::transaction::{Client, Transaction, connect, end, is_fatal};

/// Between two looks whether anything is open.
const POLL: Duration = Duration::from_millis(2);
/// How long to look before the records of other partitions are read again.
const PATIENCE: Duration = Duration::from_millis(20);
/// How long what is open may stay so after a renewal, before the process ends.
const RENEWAL: Duration = Duration::from_mins(1);

/// The handles that a producer shares with the rest of the process.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    /// Where a test kills or freezes the process.
    pub fail_points: FailPoints,
    /// The sign of life of the thread that uses it.
    pub pulse: Pulse,
    /// The shutdown signal.
    pub stop: Stop,
}

/// A producer with the transactional id of a partition that is owned.
pub struct TransactionalProducer {
    cluster: Cluster,
    group: String,
    topics: MachineTopics,
    /// Of every topic of the machine.
    partitions: i32,
    surroundings: Surroundings,
    ends: OutputEnds,
    /// Partitions whose ids it has adopted.
    owned: BTreeSet<i32>,
    working: Option<Working>,
    unfinished: Unfinished,
}

/// The client that writes.
struct Working {
    partition: i32,
    transactional_id: String,
    client: Client,
}

/// Why ids could not be adopted at this attempt.
enum Failure {
    /// Kafka does not answer now: try again.
    Passing(Error),
    Final(LogError),
}

impl TransactionalProducer {
    /// A producer for a member of a group; it owns no partition yet.
    ///
    /// # Errors
    /// [`Error::Broker`] for settings that librdkafka refuses.
    pub fn new(
        cluster: &Cluster,
        group: &str,
        topics: &MachineTopics,
        partitions: i32,
        surroundings: Surroundings,
    ) -> Result<Self, Error> {
        Ok(Self {
            cluster: cluster.clone(),
            group: group.to_owned(),
            topics: *topics,
            partitions,
            surroundings,
            ends: OutputEnds::open(cluster, topics.written())?,
            owned: BTreeSet::new(),
            working: None,
            unfinished: Unfinished::default(),
        })
    }

    fn connect(&self, partition: i32) -> Result<Working, Error> {
        let transactional_id = format!("{}-{partition}", self.group);
        let client = connect(&self.cluster, &transactional_id)?;
        Ok(Working { partition, transactional_id, client })
    }

    /// Continues an adoption; returns whether it is complete.
    fn advance(&mut self, adopting: &mut Adopting, input: &InputConsumer) -> Result<bool, LogError> {
        match self.try_to_advance(adopting, input) {
            Ok(is_done) => Ok(is_done),
            Err(Failure::Passing(error)) => {
                tracing::warn!(%error, "transactional ids cannot be adopted now; trying again");
                Ok(false)
            }
            Err(Failure::Final(error)) => Err(error),
        }
    }

    fn try_to_advance(&mut self, adopting: &mut Adopting, input: &InputConsumer) -> Result<bool, Failure> {
        if adopting.must_abort() {
            if !adopt_each(&adopting.ids, || input.group(), |id, group| self.adopt_one(id, group, input))? {
                return Ok(false);
            }
            adopting.have_aborted(&self.ends).map_err(Failure::passing)?;
        }
        let deadline = Instant::now() + PATIENCE;
        loop {
            if adopting.is_settled(&self.ends).map_err(Failure::passing)? {
                return Ok(true);
            }
            if Instant::now() >= deadline || self.surroundings.stop.is_stopped() {
                return Ok(false);
            }
            std::thread::sleep(POLL);
        }
    }

    /// Adopts the id of a partition; its client becomes the writer if there is none.
    fn adopt_one(
        &mut self,
        partition: i32,
        group: &ConsumerGroupMetadata,
        input: &InputConsumer,
    ) -> Result<(), Failure> {
        self.surroundings.pulse.beat();
        let is_working = |working: &Working| working.partition == partition;
        let adopted = match self.working.take_if(|working| is_working(working)) {
            Some(working) => working,
            None => self.connect(partition).map_err(Failure::of)?,
        };
        self.end_open(&adopted, group, input).map_err(|error| adopted.failure(error))?;
        self.working.get_or_insert(adopted);
        Ok(())
    }

    /// Commits and aborts what the id has left open.
    fn end_open(
        &self,
        adopted: &Working,
        group: &ConsumerGroupMetadata,
        input: &InputConsumer,
    ) -> Result<(), Error> {
        let (cluster, partitions, changelog) = (&self.cluster, self.partitions, self.topics.changelog);
        let outputs = Outputs { cluster, partitions, ends: &self.ends, are_shared: false };
        let evidence = Evidence { cluster, changelog, input };
        let is_committed = |partition, origin: &Origin| evidence.is_committed(partition, origin);
        repeat(&adopted.client, &adopted.transactional_id, &outputs, &is_committed)?;
        Ok(abort_open(&adopted.client, (&self.ends, partitions), group, changelog)?)
    }
}

impl Failure {
    fn passing(error: KafkaError) -> Self {
        Self::Passing(error.into())
    }

    fn of(error: Error) -> Self {
        match error {
            Error::Broker { ref source, .. } if passes(source) => Self::Passing(error),
            // No token can be had now.
            Error::Connect { .. } => Self::Passing(error),
            error => Self::Final(fatal(error)),
        }
    }
}

impl Working {
    fn failure(&self, error: Error) -> Failure {
        match error {
            Error::Client(error) if is_fatal(&error) || self.client.client().fatal_error().is_some() => {
                Failure::Final(end(&self.client, &self.transactional_id, error))
            }
            Error::Client(error) => Failure::passing(error),
            error => Failure::of(error),
        }
    }
}

/// Whether another attempt with a new client may succeed.
pub(super) fn passes(error: &KafkaError) -> bool {
    let by_kind = matches!(error, KafkaError::Transaction(error) if error.is_retriable());
    by_kind || is_transient(error)
}

impl Producer for TransactionalProducer {
    type Input = InputConsumer;
    type Transaction<'a> = Transaction<'a>;

    fn adopt(&mut self, partitions: &[i32], input: &mut InputConsumer) -> Result<Adoption, LogError> {
        let mut adopting = self.unfinished.take(partitions.to_vec());
        if !self.advance(&mut adopting, input)? {
            self.unfinished.put(adopting);
            return Ok(Adoption::Waiting);
        }
        let seconds = adopting.age().as_secs_f64();
        tracing::info!(ids = ?adopting.ids, seconds = format!("{seconds:.3}"), "transactional ids adopted");
        self.owned.extend(adopting.ids);
        Ok(Adoption::Done)
    }

    fn release(&mut self, partitions: &[i32]) {
        self.owned.retain(|id| !partitions.contains(id));
        self.working.take_if(|working| partitions.contains(&working.partition));
        self.unfinished.release(partitions);
    }

    fn begin(&mut self) -> Result<Transaction<'_>, LogError> {
        if self.working.is_none() {
            let none = || Error::Client(KafkaError::ClientCreation("no partition is owned".to_owned()));
            let lowest = *self.owned.first().ok_or_else(|| fatal(none()))?;
            // Adopted when it was assigned, and not used since.
            self.working = Some(self.connect(lowest).map_err(fatal)?);
        }
        let none = || fatal(KafkaError::ClientCreation("no producer".to_owned()));
        let working = self.working.as_mut().ok_or_else(none)?;
        Transaction::begin(&mut working.client, &working.transactional_id, &self.surroundings.fail_points)
    }

    fn renew(&mut self, input: &mut InputConsumer) -> Result<Renewal, LogError> {
        let Some(working) = self.working.take() else { return Ok(Renewal::Done) };
        // A new client of the id would fence the partition's new owner.
        if input.group().is_none() {
            return Ok(Renewal::Abandoned);
        }
        let outputs = self.owned.iter().copied().collect();
        let mut adopting = Adopting::new(vec![working.partition], outputs);
        while !self.advance(&mut adopting, input)? {
            if self.surroundings.stop.is_stopped() || input.group().is_none() {
                return Ok(Renewal::Abandoned);
            }
            if adopting.age() >= RENEWAL {
                return Err(fatal(Error::HeldBack(RENEWAL.as_secs())));
            }
            self.surroundings.pulse.beat();
            std::thread::sleep(POLL);
        }
        Ok(Renewal::Done)
    }
}
