//! The queue of a producer: how a record comes into it, and how what is in it is waited for.
//!
//! It never drops a record, and never occupies a core while it waits.

use std::time::{Duration, Instant};

use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::producer::{BaseProducer, BaseRecord, Producer, ProducerContext};

/// Between two looks at what is in flight: a twentieth of what a small transaction takes.
const POLL: Duration = Duration::from_micros(100);
/// How long records may wait in a batch before the producer is polled again.
const AGAIN: Duration = Duration::from_millis(5);
/// Longer than a call takes to compute what is left, and far shorter than a millisecond.
const REMAINDER: Duration = Duration::from_micros(100);

/// Puts a record into the producer's queue; waits while it is full.
pub(crate) fn enqueue<C: ProducerContext<DeliveryOpaque = ()>>(
    producer: &BaseProducer<C>,
    mut record: BaseRecord<'_, [u8], [u8]>,
) -> Result<(), KafkaError> {
    while let Err((error, back)) = producer.send(record) {
        if error.rdkafka_error_code() != Some(RDKafkaErrorCode::QueueFull) {
            return Err(error);
        }
        pause(producer);
        record = back;
    }
    Ok(())
}

/// Waits until nothing is in flight: the library's flush checks every 100 ms only, and in the last
/// millisecond of its time limit it does not wait but spins, which occupies a core.
#[expect(clippy::disallowed_methods, reason = "this is the one that the rule names")]
pub(super) fn flush<C: ProducerContext>(
    producer: &BaseProducer<C>,
    within: Duration,
) -> Result<(), KafkaError> {
    let deadline = Instant::now() + within;
    loop {
        // Without waiting: it sends batches that wait, and returns whether that was all.
        match producer.flush(Duration::ZERO) {
            Err(_) if Instant::now() < deadline => {}
            done => return done,
        }
        let next_check = (Instant::now() + AGAIN).min(deadline);
        while producer.in_flight_count() > 0 && Instant::now() < next_check {
            pause(producer);
        }
    }
}

/// Takes reports of what was delivered for so long. rdkafka waits the whole milliseconds that are left until its deadline, and asks its
/// queue without a pause in what remains of them: with a little more than whole ones next to nothing remains.
pub(super) fn take_reports<C: ProducerContext>(producer: &BaseProducer<C>, time: Duration) {
    producer.poll(if time.is_zero() { time } else { time + REMAINDER });
}

/// Takes a report of what was delivered, or waits for a moment where there is none.
pub(super) fn pause<C: ProducerContext>(producer: &BaseProducer<C>) {
    let before = producer.in_flight_count();
    producer.poll(Duration::ZERO);
    if producer.in_flight_count() == before {
        std::thread::sleep(POLL);
    }
}
