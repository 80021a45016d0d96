//! The answer of a broker to a role that begins: waited for a little while, or the reason why there is none.
//!
//! It never waits for what does not pass by itself: TLS or authentication that fails is an error after a few seconds.

use std::time::{Duration, Instant};

use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::error::KafkaResult;

use crate::client::{Listener, certificate, settings};
use crate::cluster::{Cluster, Problem};
use crate::error::{Error, is_transient};

/// The time limit for an answer.
const TIMEOUT: Duration = Duration::from_secs(15);
/// The time limit of one request, before it is logged that the broker is waited for.
const POLL: Duration = Duration::from_millis(1_500);
/// How long TLS or authentication may fail before it counts as a wrong setting: several brokers are tried by then.
const LASTING: Duration = Duration::from_secs(5);
/// Between two questions.
const AGAIN: Duration = Duration::from_millis(200);

/// Whether the broker answers one request within 1.5 s. A broker that starts accepts connections long before that.
#[must_use]
pub fn answers(cluster: &Cluster) -> bool {
    let consumer = cluster.consumer(&settings::client(cluster), Listener::of_question(cluster));
    consumer.is_ok_and(|consumer| consumer.fetch_metadata(None, POLL).is_ok())
}

/// The broker's answer within 15 s; that it is waited for is logged after the first one and a half. TLS or authentication
/// that has failed for five seconds is not waited for.
pub(super) fn answered<T>(
    cluster: &Cluster,
    consumer: &BaseConsumer<Listener>,
    mut ask: impl FnMut(Duration) -> KafkaResult<T>,
) -> Result<T, Error> {
    let begun = Instant::now();
    let deadline = begun + TIMEOUT;
    let mut is_reported = false;
    loop {
        let asked = Instant::now();
        // What the client reports is taken: why a connection failed, or that a token must be renewed.
        while consumer.poll(Duration::ZERO).is_some() {}
        let source = match ask(POLL.min(deadline.saturating_duration_since(asked))) {
            Ok(answer) => {
                cluster.note_answer();
                return Ok(answer);
            }
            Err(source) => source,
        };
        while consumer.poll(Duration::ZERO).is_some() {}
        let is_over = Instant::now() >= deadline || !is_transient(&source);
        match cluster.problem_since(begun) {
            Some(problem) if is_over || begun.elapsed() >= LASTING => return Err(lasting(cluster, problem)),
            None if is_over => return Err(cluster.broker(source)),
            _ => {}
        }
        if !std::mem::replace(&mut is_reported, true) {
            tracing::warn!("waiting for Kafka at {}", cluster.brokers());
        }
        // What fails at once is not asked again at once.
        std::thread::sleep(AGAIN.saturating_sub(asked.elapsed()));
    }
}

/// The error of a connection that TLS or authentication does not allow.
fn lasting(cluster: &Cluster, problem: Problem) -> Error {
    let found = cluster.ca().filter(|_| problem.is_certificate);
    let found = found.and_then(|ca| certificate::problem(cluster.brokers(), ca));
    cluster.connect(found.unwrap_or(problem.sentence))
}
