//! In which formats the prices of The Odds API are asked for, on a real Kafka.

use std::collections::{BTreeMap, BTreeSet};

use arb_model::OddsFormat;
use arb_schemas::TickRecord;
use arb_schemas::topics::ODDS_TICKS;

use crate::kafka::read_all;
use crate::live::{HOUR, KEY, worker};
use crate::support::odds_api::OddsApi;
use crate::support::stack::Broker;
use crate::support::wait_for;

/// Books that make American odds are asked for in them, others in decimal odds, at the price of one request for all; each answer is read in
/// its own format.
#[test]
fn each_region_is_asked_for_in_the_format_of_its_books() {
    let broker = Broker::start();
    let sport = "soccer_simulated_league";
    let api = OddsApi::start(broker.scratch.path(), &[KEY], &[(sport, Some(-HOUR))]);
    api.state().has_regions = true;
    let arguments = ["--sports", sport, "--markets", "totals,h2h", "--regions", "us,eu,uk"];
    let mut role = worker(&broker, &api, KEY, &arguments);
    wait_for("five polls", || {
        role.assert_runs();
        (api.polls(sport) >= 10).then_some(())
    });
    role.stop();
    let (calls, credits) = (api.polls_from(0), api.state().credits);
    let asked: Vec<_> = calls.iter().map(|call| (&*call.asked.0, &*call.asked.1)).collect();
    assert_eq!(
        asked[..4],
        [("american", "us"), ("decimal", "eu,uk"), ("american", "us"), ("decimal", "eu,uk")]
    );
    let us = calls.iter().filter(|call| call.asked.1 == "us").count();
    assert_eq!(100_000 - credits, 2 * (us + 2 * (calls.len() - us)) as u64, "two markets in each region");
    let mut formats: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for record in read_all(&broker.kafka, ODDS_TICKS.name) {
        let TickRecord::Frame(frame) = TickRecord::decode(&record.value).unwrap() else { continue };
        for offer in frame.offers {
            let is_rounded = offer.ticks.iter().all(|tick| tick.price % 10_000 == 0);
            let format = match offer.odds_format {
                OddsFormat::Decimal if is_rounded => "decimal",
                OddsFormat::American => "american",
                _ => "wrong",
            };
            formats.entry(offer.book).or_default().insert(format);
        }
    }
    let of = |format| formats.values().filter(|formats| formats.contains(format)).count();
    assert!(of("american") > 0 && of("decimal") > 0 && of("wrong") == 0, "{formats:?}");
}
