//! Inputs and parts of the state as records, and back: the only place that knows both the types of this crate and the records.

use std::sync::Arc;

use arb_accounts::endpoint::Policy;
use arb_schemas::limits;
use arb_schemas::records::{
    StateWebhookBody, StateWebhookDelivery, StateWebhookFailing, StateWebhookFeed, StateWebhookNotice,
    StateWebhooks, WebhookAttempt, WebhookAttempts, WebhookEvent, WebhookRedelivery, WebhookTimer,
};
use arb_schemas::time::Micros;
use arb_schemas::wire::{self, RecordType, WireError};

use crate::circuit::Failing;
use crate::delivery::{AttemptOutcome, Delivery};

/// Bytes of a body at most: its delivery, which has names beside it, is one record of the state.
pub const MAX_BODY: usize = limits::VALUE - 16 * 1024;
/// Bytes of a name at most: of an endpoint, a type, a subject, a nonce.
pub const MAX_NAME: usize = 1_024;
/// Bytes of an answer at most: a sender keeps 4 KiB of it, which are three times as many where all of them are replaced.
pub const MAX_ANSWER: usize = 16 * 1024;

/// A record of the topic of tasks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Task {
    /// An event is due.
    Event(WebhookEvent),
    /// An attempt was made.
    Attempt(WebhookAttempt),
    /// What came of several, in their order.
    Attempts(Vec<WebhookAttempt>),
    /// How late it is: when it was written, and the time that counts.
    #[allow(missing_docs)]
    Timer { at: Micros, now: Micros },
    /// What has failed is to be delivered again.
    Redelivery(WebhookRedelivery),
}

impl Task {
    /// A timer that is taken at its word.
    #[must_use]
    pub fn timer(at: Micros) -> Self {
        Self::Timer { at, now: at }
    }
}

/// A part of the state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// What several deliveries send, under `body/` and its name.
    Body(SharedBody),
    /// Under `delivery/` and its id.
    Delivery(Arc<Delivery>),
    /// An endpoint to which all attempts fail, under `failing/` and its id.
    Failing(String, Failing),
    /// Epoch and sequence of the last event of a partition of the feed, under `feed/` and its number.
    Feed(i32, (i64, i64)),
    /// The nonce of a notice that was taken in, and when; under the nonce.
    Notice(String, Micros),
    /// The time, from the last timer; under `clock`.
    Clock(Micros),
}

/// A body that several deliveries send: it is written once, and they name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedBody {
    /// As the deliveries have it.
    pub name: Arc<str>,
    /// The body.
    pub text: Arc<str>,
}

impl Part {
    /// Its key in the changelog.
    #[must_use]
    pub fn key(&self) -> String {
        match self {
            Self::Body(body) => format!("body/{}", body.name),
            Self::Delivery(delivery) => format!("delivery/{}", delivery.id),
            Self::Failing(endpoint, _) => format!("failing/{endpoint}"),
            Self::Feed(partition, _) => format!("feed/{partition}"),
            Self::Notice(nonce, _) => nonce.clone(),
            Self::Clock(_) => "clock".to_owned(),
        }
    }
}

/// What of a task would not fit the records that are made of it, in words; `None` where all of it does.
pub(crate) fn problem(task: &Task) -> Option<&'static str> {
    let of_attempt = |attempt: &WebhookAttempt| {
        if attempt.answer.len() > MAX_ANSWER { Some("an answer is longer than 16 KiB") } else { None }
    };
    match task {
        Task::Event(event) => {
            let own = [&event.kind, &event.subject, &event.nonce].into_iter();
            let mut names = own.chain(event.targets.iter().map(|target| &target.endpoint));
            let longest = event.left_body.as_ref().map_or(0, String::len).max(event.body.len());
            if names.any(|name| name.len() > MAX_NAME) {
                Some("a name is longer than 1,024 bytes")
            } else if longest > MAX_BODY {
                Some("a body is longer than its delivery's record may be")
            } else {
                None
            }
        }
        Task::Attempt(attempt) => of_attempt(attempt),
        Task::Attempts(attempts) => attempts.iter().find_map(of_attempt),
        Task::Timer { .. } | Task::Redelivery(_) => None,
    }
}

/// A record of the topic of tasks.
///
/// # Errors
/// [`WireError`] when it is none.
pub fn decode_task(message: &[u8]) -> Result<Task, WireError> {
    match RecordType::of(message)? {
        RecordType::WebhookTimer => Ok(Task::timer(wire::decode::<WebhookTimer>(message)?.at)),
        RecordType::WebhookAttempt => {
            let attempt: WebhookAttempt = wire::decode(message)?;
            outcome(&attempt.outcome).map(|_| Task::Attempt(attempt))
        }
        RecordType::WebhookAttempts => {
            let WebhookAttempts { attempts } = wire::decode(message)?;
            attempts.iter().try_for_each(|attempt| outcome(&attempt.outcome).map(drop))?;
            Ok(Task::Attempts(attempts))
        }
        RecordType::WebhookRedelivery => wire::decode(message).map(Task::Redelivery),
        _ => {
            let event: WebhookEvent = wire::decode(message)?;
            event.targets.iter().try_for_each(|target| policy(&target.policy).map(drop))?;
            Ok(Task::Event(event))
        }
    }
}

/// A part of the state as a record of the changelog.
///
/// # Errors
/// [`WireError`] when it does not fit its schema.
pub fn encode_part(part: &Part) -> Result<Vec<u8>, WireError> {
    match part {
        Part::Body(SharedBody { name, text }) => {
            wire::encode(&StateWebhookBody { name: name.as_ref().into(), body: text.as_ref().into() })
        }
        Part::Delivery(delivery) => wire::encode(&of_delivery(delivery)),
        Part::Failing(endpoint, Failing { since, failures, failed_at }) => {
            wire::encode(&StateWebhookFailing {
                endpoint: endpoint.clone(),
                since: *since,
                failures: i64::from(*failures),
                failed_at: *failed_at,
            })
        }
        Part::Feed(partition, (epoch, sequence)) => {
            wire::encode(&StateWebhookFeed { partition: *partition, epoch: *epoch, sequence: *sequence })
        }
        Part::Notice(nonce, at) => wire::encode(&StateWebhookNotice { nonce: nonce.clone(), at: *at }),
        Part::Clock(clock) => wire::encode(&StateWebhooks { clock: *clock }),
    }
}

/// A record of the changelog as a part of the state; a delivery that names its body is without it.
///
/// # Errors
/// [`WireError`] when it is none.
pub fn decode_part(message: &[u8]) -> Result<Part, WireError> {
    match RecordType::of(message)? {
        RecordType::StateWebhookBody => {
            let StateWebhookBody { name, body } = wire::decode(message)?;
            Ok(Part::Body(SharedBody { name: name.into(), text: body.into() }))
        }
        RecordType::StateWebhooks => {
            let StateWebhooks { clock } = wire::decode(message)?;
            Ok(Part::Clock(clock))
        }
        RecordType::StateWebhookFailing => {
            let StateWebhookFailing { endpoint, since, failures, failed_at } = wire::decode(message)?;
            let failures = count(failures)?;
            Ok(Part::Failing(endpoint, Failing { since, failures, failed_at }))
        }
        RecordType::StateWebhookFeed => {
            let StateWebhookFeed { partition, epoch, sequence } = wire::decode(message)?;
            Ok(Part::Feed(partition, (epoch, sequence)))
        }
        RecordType::StateWebhookNotice => {
            let StateWebhookNotice { nonce, at } = wire::decode(message)?;
            Ok(Part::Notice(nonce, at))
        }
        _ => delivery(wire::decode(message)?).map(|delivery| Part::Delivery(Arc::new(delivery))),
    }
}

fn of_delivery(delivery: &Delivery) -> StateWebhookDelivery {
    let (epoch, sequence) = delivery.place;
    let body = if delivery.body_of.is_none() { delivery.body.as_ref() } else { "" };
    StateWebhookDelivery {
        id: delivery.id.clone(),
        endpoint: delivery.endpoint.clone(),
        epoch,
        sequence,
        kind: delivery.kind.clone(),
        subject: delivery.subject.clone(),
        policy: delivery.policy.key().to_owned(),
        is_ordered: delivery.is_ordered,
        body: body.to_owned(),
        created_at: delivery.created_at,
        attempts: i64::from(delivery.attempts),
        round: i64::from(delivery.round),
        next_at: delivery.next_at,
        has_failed: delivery.has_failed,
        body_of: delivery.body_of.as_deref().unwrap_or_default().to_owned(),
    }
}

fn delivery(record: StateWebhookDelivery) -> Result<Delivery, WireError> {
    Ok(Delivery {
        attempts: count(record.attempts)?,
        round: count(record.round)?,
        policy: policy(&record.policy)?,
        id: record.id,
        endpoint: record.endpoint,
        place: (record.epoch, record.sequence),
        kind: record.kind,
        subject: record.subject,
        is_ordered: record.is_ordered,
        body: record.body.into(),
        body_of: Some(record.body_of.into()).filter(|name: &Arc<str>| !name.is_empty()),
        created_at: record.created_at,
        next_at: record.next_at,
        has_failed: record.has_failed,
    })
}

fn count(number: i64) -> Result<u32, WireError> {
    u32::try_from(number).map_err(|_| WireError::Avro(format!("{number} attempts")))
}

/// The policy that a record names.
pub(crate) fn policy(text: &str) -> Result<Policy, WireError> {
    Policy::parse(text).ok_or_else(|| WireError::Avro(format!("policy {text:?} is unknown")))
}

/// The outcome that a record names.
pub(crate) fn outcome(text: &str) -> Result<AttemptOutcome, WireError> {
    AttemptOutcome::parse(text).ok_or_else(|| WireError::Avro(format!("outcome {text:?} is unknown")))
}
