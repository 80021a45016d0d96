//! Processors with default settings share the work: they need no numbers, and none fences another.

use arb_schemas::time::parse_rfc3339;

use crate::kill::{CHUNK, Feed, poll, undisturbed};
use crate::processor::wait_for_poll;
use crate::support::processors::{Outcome, Processors};
use crate::support::stack::Broker;
use crate::support::wait_for;

/// Pieces of the market that are published while they run together: the second one comes and goes three times.
const ROUNDS: u64 = 24;
/// The log line of a processor that was assigned partitions.
const TAKEN: &str = "partitions taken";

/// The second one joins, leaves and joins again, while there is work.
#[test]
fn two_processors_with_default_settings_share_the_partitions_and_neither_ends() {
    let broker = Broker::start();
    let (mut feed, mut processors) = (Feed::on(&broker), Processors::on(&broker));
    processors.start(0, &[]);
    for round in 0..ROUNDS {
        feed.publish(feed.published + CHUNK);
        match round % 8 {
            1 => {
                processors.start(1, &[]);
                wait_for("the second has some", || processors.of(1).has_logged(TAKEN).then_some(()));
            }
            6 => processors.end(1),
            _ => {}
        }
        let last = parse_rfc3339(&poll(feed.published - 1)).unwrap();
        wait_for_poll(&broker, last, || assert!(processors.dead().is_empty(), "round {round}"));
    }
    feed.finish(|| assert!(processors.dead().is_empty()));
    processors.stop();
    Outcome::of(&broker).assert_is(&undisturbed(), "two of them");
}
