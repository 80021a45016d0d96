//! Processors with default settings share the work: they need no numbers, and none fences another.

use std::time::{Duration, Instant};

use crate::kill::{CHUNK, Feed, POLLS, undisturbed};
use crate::support::processors::{Outcome, Processors};
use crate::support::stack::Broker;
use crate::support::wait_for;

/// How long they run together, at least.
const TIME: Duration = Duration::from_mins(1);
/// The log line of a processor that was assigned partitions.
const TAKEN: &str = "partitions taken";

/// The second one joins, leaves and joins again, while there is work.
#[test]
fn two_processors_with_default_settings_share_the_partitions_and_neither_ends() {
    let broker = Broker::start();
    let (mut feed, mut processors) = (Feed::on(&broker), Processors::on(&broker));
    let (start, mut rounds) = (Instant::now(), 0);
    processors.start(0, &[]);
    while start.elapsed() < TIME || rounds <= 10 {
        feed.publish((feed.published + CHUNK).min(POLLS));
        match rounds % 8 {
            1 => {
                processors.start(1, &[]);
                wait_for("the second has some", || processors.of(1).has_logged(TAKEN).then_some(()));
            }
            6 => processors.end(1),
            _ => {}
        }
        assert!(processors.dead().is_empty(), "round {rounds}");
        rounds += 1;
        std::thread::sleep(TIME / 30);
    }
    feed.finish(|| assert!(processors.dead().is_empty()));
    processors.stop();
    Outcome::of(&broker).assert_is(&undisturbed(), "two of them");
}
