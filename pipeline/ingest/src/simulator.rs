//! A simulated market: matches that do not exist, at books that behave as books on real feeds do.
//!
//! A fair price moves randomly and jumps; desks read it at their own times, with a small bias and a small
//! lag; the feed confirms each book at separate times. A poll shows the state of the feed then. Ages, arbs,
//! phantoms and lifetimes follow from that and are not set anywhere; `pipeline/ingest/tests/simulator`
//! compares them with those of real feeds.
//!
//! The offers at a time are a function of the seed and that time only, not of the first poll or the cadence:
//! a restarted market continues where it was. It never reads a clock.

mod book;
mod card;
mod desk;
mod fair;
mod faults;
mod fixture;
mod maths;
mod model;
mod schedule;
mod sport;
mod view;

use arb_model::{Ending, EventStatus, Faults, Period};
use arb_schemas::records::{LiveScore, PeriodScore, ResultReport};
use arb_schemas::time::{Micros, SECOND};

use self::book::Book;
use self::fair::Story;
use self::fixture::Fixture;
use self::schedule::{STEP, Slot};
use super::source::{Poll, Source, SourceError};

pub use self::model::Model;

/// Which market, and when it is polled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// Another seed is another market.
    pub seed: u64,
    /// Time of the first poll.
    pub start: Micros,
    /// Time between polls.
    pub every: Micros,
    /// Matches on offer at a time; between a match and the next one of its slot are some minutes of none.
    pub events: usize,
    /// Books; the first twelve have fixed names, the rest are generated.
    pub books: usize,
    /// An exchange besides the books: its winners are laid, too, and its prices have limits. The other books' prices are the
    /// same with it and without.
    pub exchange: bool,
    /// Besides them, so many slots of matches that are over within minutes and have prices only until they begin. The other
    /// matches are the same with them and without.
    pub short: usize,
}

/// The market that is compared with recordings of real feeds, which have no exchange.
impl Default for Settings {
    fn default() -> Self {
        Self { seed: 1, start: 0, every: 300 * SECOND, events: 60, books: 12, exchange: false, short: 0 }
    }
}

/// The market, as a source of polls.
///
/// ```
/// use arb_ingest::simulator::{Settings, Simulator};
///
/// let settings = Settings { events: 3, books: 4, ..Settings::default() };
/// let poll = Simulator::new(settings).poll_at(0);
/// assert_eq!(poll, Simulator::new(settings).poll_at(0), "a function of the seed and the time");
/// assert!(poll.ticks() > 0);
/// ```
#[derive(Debug)]
pub struct Simulator {
    settings: Settings,
    model: Model,
    books: Vec<Book>,
    fixtures: Vec<Fixture>,
    next_at: Micros,
}

impl Simulator {
    /// A market like real ones.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        Self::with_model(settings, Model::default())
    }

    /// A market with other figures.
    #[must_use]
    pub fn with_model(settings: Settings, model: Model) -> Self {
        let Settings { seed, start, events, books, exchange, short, .. } = settings;
        let books = book::books(seed, books, exchange, &model);
        let fixtures = Slot::all(events, short)
            .map(|slot| Fixture::new(schedule::life(seed, slot, start, &model), &books, &model));
        let fixtures = fixtures.collect();
        Self { settings, model, books, fixtures, next_at: start }
    }

    /// The poll of a time that is not before the last one's.
    #[must_use]
    pub fn poll_at(&mut self, at: Micros) -> Poll {
        self.advance(at);
        view::poll(at, &self.on_offer(at), &self.books)
    }

    /// The next poll, as a line of a recording.
    #[must_use]
    pub fn next_line(&mut self) -> String {
        let at = self.next_time();
        self.advance(at);
        view::line(at, &self.on_offer(at), &self.books)
    }

    fn next_time(&mut self) -> Micros {
        let at = self.next_at;
        self.next_at += self.settings.every;
        at
    }

    fn advance(&mut self, at: Micros) {
        let Settings { events, short, .. } = self.settings;
        for (slot, fixture) in Slot::all(events, short).zip(&mut self.fixtures) {
            if at >= fixture.life.ends_at {
                let life = schedule::life(self.settings.seed, slot, at, &self.model);
                *fixture = Fixture::new(life, &self.books, &self.model);
            }
            fixture.advance(at.div_euclid(STEP), &self.books, &self.model);
        }
    }

    /// By their start, as the feed lists them.
    fn on_offer(&self, at: Micros) -> Vec<&Fixture> {
        let mut found: Vec<_> = self.fixtures.iter().filter(|fixture| fixture.life.is_on_offer(at)).collect();
        found.sort_by_key(|fixture| (fixture.life.starts_at, &fixture.life.id));
        found
    }
}

impl Source for Simulator {
    fn name(&self) -> &'static str {
        "simulated"
    }

    fn next_poll(&mut self, _: &mut Faults) -> Result<Option<Poll>, SourceError> {
        let at = self.next_time();
        Ok(Some(self.poll_at(at)))
    }

    /// The state of the market at a time depends on nothing else: another market of the same seed is there.
    fn poll_now(&self, at: Micros) -> Option<Poll> {
        Some(Self::with_model(Settings { start: at, ..self.settings }, self.model.clone()).poll_at(at))
    }

    fn results(&self, after: Micros, until: Micros) -> Vec<ResultReport> {
        let Settings { seed, events, short, .. } = self.settings;
        let of = |slot| schedule::ended(seed, slot, after, until, &self.model);
        let report = |life: schedule::Life| {
            let [home, away] = Story::final_score(&life, &self.model);
            let period = Period::FullTime.key().to_owned();
            ResultReport {
                event: life.id,
                status: EventStatus::Finished.key().to_owned(),
                scores: vec![PeriodScore { period, home, away }],
                starts_at: Some(life.starts_at),
                source: self.name().to_owned(),
                at: life.ends_at,
                home: life.home,
                away: life.away,
                // A simulated match is over at its end, whatever its score.
                ended: Some(Ending::Regulation.key().to_owned()),
            }
        };
        Slot::all(events, short).flat_map(of).map(report).collect()
    }

    fn scores(&self, at: Micros) -> Vec<LiveScore> {
        let of = |fixture: &&Fixture| view::score(fixture, at, self.name());
        self.on_offer(at).iter().filter_map(of).collect()
    }
}
