//! What the bots ask for where they look at the markets that have changed, beside bots that look at every market of an event of which
//! anything has changed.

use arb_model::Family;
use arb_schemas::records::Coverage;
use proptest::prelude::*;

use super::*;

/// What a poll is of: it leaves all other markets as they are.
const POLLED: [&[Family]; 5] = [
    &[Family::H2h],
    &[Family::Totals],
    &[Family::Spreads],
    &[Family::Spreads, Family::Totals],
    &[Family::H2h, Family::Spreads, Family::Totals],
];

impl Market {
    /// A poll of some families.
    fn poll_some(&mut self, at: Micros, families: &[Family]) {
        let mut poll = self.source.poll_at(at);
        poll.coverage =
            Coverage { books: None, markets: Some(families.iter().map(|of| of.key().to_owned()).collect()) };
        let is_polled = |market: &str| families.iter().any(|family| family.key() == market);
        poll.events.iter_mut().for_each(|(_, offers)| offers.retain(|offer| is_polled(&offer.market)));
        self.receive(poll);
    }

    /// What the bots ask for at every market of the events of which something has changed.
    fn look_at_every_market(&mut self) -> Vec<BotTask> {
        let mut tasks = Vec::new();
        for event in std::mem::take(&mut self.watcher.partitions[0].touched).into_keys() {
            let listed = self.watcher.partitions[0].replica.engine().odds_of(&event, None);
            let markets = listed.into_iter().flat_map(|(listed, _)| listed.markets).collect();
            let asked = self.watcher.look_at(0, &event, &markets);
            tasks.extend(asked.into_iter().map(|what| BotTask { partition: 0, event: event.clone(), what }));
        }
        tasks
    }

    /// Publishes what bots ask for, as the settlement machine does.
    fn publish_picks(&mut self, tasks: &[BotTask]) {
        for pick in candidates(tasks).into_iter().map(published) {
            self.watcher.put_pick(0, pick);
        }
    }
}

/// What was asked for, by kind: candidates, closing prices, later offers.
fn counts(tasks: &[BotTask]) -> [usize; 3] {
    let of = |is_meant: &dyn Fn(&Asked) -> bool| tasks.iter().filter(|task| is_meant(&task.what)).count();
    [
        of(&|what| matches!(what, Asked::Candidate(..))),
        of(&|what| matches!(what, Asked::Closing(_))),
        of(&|what| matches!(what, Asked::Offer(_))),
    ]
}

/// Polls both markets, and compares what their bots ask for after each poll. Returns how much of each kind that was.
fn compared(seed: u64, feed: FeedKind, polls: &[(usize, i64)]) -> Result<[usize; 3], TestCaseError> {
    let [mut changed, mut every] = [(); 2].map(|()| Market::of(feed, seed));
    let (mut at, mut sums) = (BEGIN, [0; 3]);
    for (polled, seconds) in polls {
        at += seconds * SECOND;
        for market in [&mut changed, &mut every] {
            market.poll_some(at, POLLED[*polled]);
        }
        let (tasks, expected) = (changed.watcher.look(), every.look_at_every_market());
        prop_assert_eq!(&tasks, &expected, "after {} s", (at - BEGIN) / SECOND);
        sums = std::array::from_fn(|kind| sums[kind] + counts(&tasks)[kind]);
        changed.publish_picks(&tasks);
        every.publish_picks(&tasks);
    }
    Ok(sums)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn a_look_at_what_has_changed_asks_for_what_a_look_at_every_market_asks_for(
        seed in 0..1_000_u64, is_recorded: bool, polls in prop::collection::vec((0..POLLED.len(), 1..60_i64), 40..80),
    ) {
        compared(seed, if is_recorded { FeedKind::Recorded } else { FeedKind::Simulated }, &polls)?;
    }
}

#[test]
fn closing_prices_and_later_offers_are_among_what_is_compared() {
    let polls: Vec<_> = (0..90_usize).map(|number| (number % POLLED.len(), 20)).collect();
    let [candidates, closings, offers] = compared(1, FeedKind::Recorded, &polls).unwrap();
    assert!(candidates > 5 && closings > 5 && offers > 5, "{candidates} {closings} {offers}");
}
