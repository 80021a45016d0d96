//! The sender: takes what is due, posts it, and reports what came of it. What is reported becomes true when the machine has taken it in.
//!
//! It never decides when a delivery is tried again.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::Sender as Queue;
use std::time::Duration;

use arb_accounts::command::{Actor, Command, Request};
use arb_accounts::endpoint::{Endpoint, EndpointState, WebhookKey};
use arb_runtime::stop::Stop;
use arb_schemas::records::WebhookAttempt;
use arb_schemas::time::{Micros, SECOND};
use bytes::Bytes;

use crate::address::Rules;
use crate::client::{Answer, WebhookClient};
use crate::delivery::AttemptOutcome;
use crate::endpoints::Endpoints;
use crate::schedule::{Job, Schedule};
use crate::{signature, telemetry};

/// Requests that are under way at one time.
const AT_ONCE: usize = 1_024;
/// The longest time between two looks at what is due.
const LOOK: Duration = Duration::from_millis(20);
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
                let this = Arc::clone(&self);
                tokio::spawn(async move {
                    this.attempt(&job).await;
                    this.under_way.fetch_sub(1, Ordering::Relaxed);
                });
            }
            let _ = tokio::time::timeout(LOOK, self.schedule.changed()).await;
        }
    }

    async fn attempt(&self, job: &Job) {
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
        let (now, is_success) = ((self.clock)(), outcome != AttemptOutcome::Failed);
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
                at: now,
            },
        ));
        if let (AttemptOutcome::Gone, Some(endpoint)) = (outcome, &endpoint) {
            self.set_state(endpoint, EndpointState::Disabled, Some("The receiver answered 410."));
        }
        self.schedule.finished(&delivery.endpoint, is_success, now);
    }

    /// One signed request.
    pub(crate) async fn post(&self, endpoint: &Endpoint, (id, body): (&str, &str)) -> Answer {
        let uri = match self.rules.check(&endpoint.settings.url) {
            Ok(uri) => uri,
            Err(problem) => return Answer { text: format!("The URL {problem}."), ..Answer::default() },
        };
        let now = (self.clock)();
        let headers = signature::headers(&self.key, endpoint, (id, body), now);
        self.client.post(uri, &headers, Bytes::from(body.to_owned()), now).await
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

fn outcome(answer: &Answer) -> AttemptOutcome {
    if answer.is_success() {
        AttemptOutcome::Delivered
    } else if answer.status == Some(GONE) {
        AttemptOutcome::Gone
    } else {
        AttemptOutcome::Failed
    }
}
