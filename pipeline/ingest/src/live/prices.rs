//! How a worker asks for the prices of a sport: one request after another, one poll of all answers.
//!
//! It never publishes a part of a poll: what one answer lacks would be withdrawn.

use arb_model::Faults;
use arb_schemas::records::Coverage;
use arb_schemas::time::Micros;

use super::answer::{Problem, Quota};
use super::plan::Action;
use super::worker::{Failure, Worker, is_young, source};
use crate::source::Poll;
use crate::telemetry;
use crate::the_odds_api::OddsRequest;

impl Worker<'_> {
    /// The prices of a sport.
    pub(super) fn ask(&mut self, sport: &str, asked_at: Micros) -> Result<Poll, Failure> {
        let (mut faults, mut answers, mut quota) = (Faults::default(), Vec::new(), Quota::default());
        let requests = self.settings.american.requests(&self.settings.regions);
        let mut asked_at = asked_at;
        for (number, request) in requests.iter().enumerate() {
            if number > 0 {
                asked_at = self.now();
                self.plan.asked_again(asked_at);
            }
            answers.extend(self.ask_in_format(sport, request, asked_at, &mut quota, &mut faults)?);
        }
        let is_whole = answers.len() == requests.len();
        let poll = self.settings.american.merged(answers, &mut faults).filter(|_| is_whole);
        let poll = poll.map(|poll| scoped(poll, sport, &self.settings.markets, &mut faults));
        self.count_faults(sport, &faults);
        let mut poll = poll.ok_or(Problem::Broken("no JSON array"))?;
        let behind = self.skews.entry(sport.to_owned()).or_default().correct(&mut poll);
        telemetry::clock_behind(&source(sport), behind);
        let (events, ticks, remaining) = (poll.events.len(), poll.ticks(), quota.remaining);
        let (used, cost) = (quota.used, quota.last);
        tracing::info!(sport, events, ticks, remaining, used, cost, "polled");
        Ok(poll)
    }

    /// One answer of a poll; `None` of one that is no list of events. The quota is that of this answer, but for the cost, which is of all.
    fn ask_in_format(
        &mut self,
        sport: &str,
        request: &OddsRequest,
        asked_at: Micros,
        quota: &mut Quota,
        faults: &mut Faults,
    ) -> Result<Option<Poll>, Failure> {
        let (regions, markets) = (request.regions.join(","), self.settings.markets.join(","));
        let mut answer = self.client.odds(sport, &regions, &markets, request.format_key())?;
        answer.quota.last = answer.quota.last.map(|cost| cost + quota.last.unwrap_or(0));
        *quota = answer.quota;
        let (now, body) = self.take(&Action::Poll(sport.to_owned()), &answer)?;
        is_young(asked_at, now, self.settings.total)?;
        let received_at = self.plan.stamp(sport, now);
        Ok(request.decoder().answer(body, received_at, faults))
    }
}

/// A poll of what was asked for: it covers the sport and these markets of all books, whatever else it names.
fn scoped(mut poll: Poll, sport: &str, markets: &[String], faults: &mut Faults) -> Poll {
    let named = poll.events.len();
    poll.events.retain(|(event, _)| event.league == sport);
    (poll.events.len()..named).for_each(|_| faults.count("sport_key", "not the one asked for"));
    poll.league = Some(sport.to_owned());
    poll.coverage = Coverage { books: None, markets: Some(markets.to_vec()) };
    poll
}

#[cfg(test)]
mod tests {
    use arb_model::{Name, Time};
    use arb_schemas::records::Event;

    use super::*;

    #[test]
    fn a_poll_covers_what_was_asked_for() {
        let event = |league: &str| {
            let text = || Name::from(league);
            let (id, sport, home, away) = (text(), text(), text(), text());
            (Event { id, sport, league: text(), home, away, commence_time: Time(0) }, vec![])
        };
        let events = vec![event("soccer_epl"), event("soccer_fifa_world_cup")];
        let poll = Poll { received_at: 0, league: None, coverage: Coverage::ALL, events };
        let mut faults = Faults::default();
        let poll = scoped(poll, "soccer_epl", &["h2h".to_owned()], &mut faults);
        assert_eq!((poll.events.len(), faults.of("sport_key", "not the one asked for")), (1, 1));
        assert_eq!(poll.league.as_deref(), Some("soccer_epl"));
        assert_eq!(poll.coverage, Coverage { books: None, markets: Some(vec!["h2h".to_owned()]) });
    }
}
