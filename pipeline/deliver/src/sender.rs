//! The sender: takes what is due, posts it, and reports what came of it. What is reported becomes true when the machine has taken it in.
//!
//! It never decides when a delivery is tried again.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::Sender as Queue;
use std::time::Duration;

use arb_accounts::command::{Actor, Command, Request};
use arb_accounts::endpoint::{Endpoint, EndpointState, WebhookKey};
use arb_feed::webhook::address::Rules;
use arb_runtime::stop::Stop;
use arb_schemas::records::WebhookAttempt;
use arb_schemas::time::{Micros, SECOND};
use bytes::Bytes;

use crate::client::{Answer, WebhookClient};
use crate::delivery::AttemptOutcome;
use crate::endpoints::Endpoints;
use crate::schedule::{Job, Schedule};
use crate::{headers, telemetry};

/// Requests that are under way at one time.
const AT_ONCE: usize = 1_024;
/// Up to so many, an endpoint that answers is sent its next delivery in the place of the one before; beyond it each waits for its turn.
const ROOMY: usize = AT_ONCE / 2;
/// The longest time between two looks at what is due.
const LOOK: Duration = Duration::from_millis(50);
/// 410.
const GONE: u16 = 410;

/// What is to be written to Kafka.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Report {
    /// To the topic of tasks, in a partition.
    Attempt(i32, WebhookAttempt),
    /// To the accounts machine.
    Command(Box<Request>),
}

/// The sender of a process.
pub struct Sender {
    /// What is due.
    pub schedule: Arc<Schedule>,
    /// The endpoints.
    pub endpoints: Arc<Endpoints>,
    /// Sends requests.
    pub client: WebhookClient,
    /// What may be sent to.
    pub rules: Rules,
    /// Of secrets.
    pub key: WebhookKey,
    /// What is to be written.
    pub reports: Queue<Report>,
    /// The time of attempts.
    pub clock: fn() -> Micros,
    /// Requests under way.
    pub under_way: AtomicUsize,
}

impl Sender {
    /// Sends until the shutdown signal.
    pub async fn run(self: Arc<Self>, stop: Stop) {
        while !stop.is_stopped() {
            let free = AT_ONCE.saturating_sub(self.under_way.load(Ordering::Relaxed));
            let now = (self.clock)();
            let jobs = self.schedule.take(now, free, |endpoint| self.endpoints.readiness(endpoint));
            for job in jobs {
                self.under_way.fetch_add(1, Ordering::Relaxed);
                let (this, stop) = (Arc::clone(&self), stop.clone());
                tokio::spawn(async move {
                    this.attempt_in_a_row(job, &stop).await;
                    this.under_way.fetch_sub(1, Ordering::Relaxed);
                });
            }
            let _ = tokio::time::timeout(LOOK, self.schedule.changed()).await;
        }
    }

    /// Attempts a delivery, and then others to its endpoint, for as long as it answers and nobody else waits for room.
    async fn attempt_in_a_row(&self, job: Job, stop: &Stop) {
        let mut next = Some(job);
        while let Some(job) = next {
            let (endpoint, is_success) = (&job.delivery.endpoint, self.attempt(&job).await);
            let (now, under_way) = ((self.clock)(), self.under_way.load(Ordering::Relaxed));
            next = if under_way <= ROOMY && !stop.is_stopped() {
                self.schedule.finished_for_next(endpoint, is_success, now, self.endpoints.readiness(endpoint))
            } else {
                self.schedule.finished(endpoint, is_success, now);
                None
            };
        }
    }

    /// Attempts a delivery and reports what came of it; whether the endpoint answered.
    async fn attempt(&self, job: &Job) -> bool {
        let delivery = &job.delivery;
        let endpoint = self.endpoints.get(&delivery.endpoint);
        let (outcome, answer) = match &endpoint {
            None => (AttemptOutcome::Dropped, Answer::default()),
            Some(endpoint) => {
                if delivery.attempts == 0 {
                    telemetry::first_attempt((self.clock)() - delivery.created_at);
                }
                let answer = self.post(endpoint, (&delivery.id, &delivery.body)).await;
                (outcome(&answer), answer)
            }
        };
        self.report(Report::Attempt(
            job.partition,
            WebhookAttempt {
                delivery: delivery.id.clone(),
                number: i64::from(delivery.attempts) + 1,
                outcome: outcome.key().to_owned(),
                status: answer.status.map(i32::from),
                latency: answer.latency,
                answer: answer.text,
                retry_at: answer.retry_at,
                at: (self.clock)(),
            },
        ));
        if let (AttemptOutcome::Gone, Some(endpoint)) = (outcome, &endpoint) {
            self.set_state(endpoint, EndpointState::Disabled, Some("The receiver answered 410."));
        }
        outcome != AttemptOutcome::Failed
    }

    /// One signed request.
    pub(crate) async fn post(&self, endpoint: &Endpoint, (id, body): (&str, &Arc<str>)) -> Answer {
        let uri = match self.rules.check(&endpoint.settings.url) {
            Ok(uri) => uri,
            Err(problem) => return Answer { text: format!("The URL {problem}."), ..Answer::default() },
        };
        let now = (self.clock)();
        let headers = headers::headers(&self.key, endpoint, (id, body), now);
        self.client.post(uri, headers, Bytes::from_owner(BodyText(Arc::clone(body))), now).await
    }

    /// Has the accounts machine note the state of an endpoint. The same report has the same id, so that it is carried out once.
    pub(crate) fn set_state(&self, endpoint: &Endpoint, state: EndpointState, reason: Option<&str>) {
        let now = (self.clock)();
        // A reply is remembered for a day: a report that was lost is made again with the next minute.
        let id =
            format!("deliver/{}/{}/{}/{}", endpoint.id, endpoint.revision, state.key(), now / (60 * SECOND));
        self.report(Report::Command(Box::new(Request {
            id,
            sent_at: now,
            address: String::new(),
            actor: Actor::Operator,
            command: Command::SetEndpointState {
                endpoint: endpoint.id.clone(),
                revision: endpoint.revision,
                state,
                reason: reason.map(str::to_owned),
            },
        })));
    }

    fn report(&self, report: Report) {
        if self.reports.send(report).is_err() {
            tracing::debug!("a report was not written: the process is ending");
        }
    }
}

/// A body as requests send it: all of an event share its text.
struct BodyText(Arc<str>);

impl AsRef<[u8]> for BodyText {
    fn as_ref(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

fn outcome(answer: &Answer) -> AttemptOutcome {
    if answer.is_success() {
        AttemptOutcome::Delivered
    } else if answer.status == Some(GONE) {
        AttemptOutcome::Gone
    } else {
        AttemptOutcome::Failed
    }
}

#[cfg(test)]
mod tests;
