//! The parameters that several resources take beside the filters of the feed (`arb_feed::filter`). One that a single resource takes is declared by that.
//!
//! It never gives one name two meanings: such a parameter is another component of the description.

use arb_feed::filter::parameter::Parameter;
use arb_feed::view::OddsFormat;
use arb_schemas::time::Micros;

pub(crate) const EVENT: &Parameter<String> =
    &Parameter::name("event", "An event.", "must be the id of an event");
pub(crate) const SINCE: &Parameter<Micros> = &Parameter::time("since", "From this time on.");
pub(crate) const UNTIL: &Parameter<Micros> = &Parameter::time("until", "Before this time.");
pub(crate) const ODDS_FORMAT: &Parameter<OddsFormat> =
    &Parameter::keys("odds_format", "How prices read.", &["decimal", "american", "fractional"])
        .defaulting("decimal");
