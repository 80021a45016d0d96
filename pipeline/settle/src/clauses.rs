//! By which clause a bet is graded: the score that counts, and how far the start of an event may move.
//!
//! Where the clause of a book is not known, all that it may be are tried, and only what they agree on is a grading. It never looks at a score.
//!
//! Sources: in ice hockey, handball and the like the three-way market is regulation and the two-way one has overtime; soccer is 90 minutes and
//! what is added (`pipeline/books.toml`, rules).

use std::sync::Arc;

use arb_engine::venues::{Books, EXTRA_TIME_COUNTS, Topic};
use arb_model::{Bet, Ending, Event, Family, Period};
use arb_picks::results::is_simulated;
use arb_picks::settlement::{Basis, DrawRule};
use arb_schemas::time::{Micros, SECOND};

/// A start that moves by no more than this is a delay, in which bets stand everywhere; from then on books differ.
const DELAY: Micros = 12 * 3_600 * SECOND;
/// Sports in which a level score after overtime stays level, so that a three-way market may be of either score.
const LEVEL_AT_THE_END: [&str; 5] =
    ["americanfootball", "aussierules", "cricket", "rugbyleague", "rugbyunion"];
/// Soccer leagues of which no match has extra time. Of any other one a result must say how it ended.
const NO_EXTRA_TIME: [&str; 10] = [
    "soccer_belgium_first_div",
    "soccer_brazil_campeonato",
    "soccer_epl",
    "soccer_france_ligue_one",
    "soccer_germany_bundesliga",
    "soccer_germany_bundesliga2",
    "soccer_portugal_primeira_liga",
    "soccer_spain_la_liga",
    "soccer_sweden_allsvenskan",
    "soccer_turkey_super_league",
];

/// The clauses of books, as far as gradings need them: those of the table.
#[derive(Debug, Clone, Default)]
pub struct Clauses(Arc<Books>);

impl Clauses {
    /// Those of a table of books.
    #[must_use]
    pub fn new(books: Arc<Books>) -> Self {
        Self(books)
    }

    /// Everything that the clause of a bet at a book may be.
    pub(crate) fn readings(
        &self,
        event: &Event,
        bet: &Bet,
        draws: &[DrawRule],
        book: &str,
    ) -> Vec<(DrawRule, Basis)> {
        let of = |draw: DrawRule| self.bases(event, bet, draw, book).iter().map(move |basis| (draw, *basis));
        draws.iter().copied().flat_map(of).collect()
    }

    fn bases(&self, event: &Event, bet: &Bet, draw: DrawRule, book: &str) -> &'static [Basis] {
        let is_three_way = match bet.market().family {
            Family::H2h3Way | Family::DrawNoBet => true,
            Family::H2h => draw == DrawRule::Outcome,
            Family::Spreads | Family::Totals => false,
        };
        let is_part = bet.market().period != Period::FullTime || &*event.sport == "soccer";
        if is_part || (is_three_way && !LEVEL_AT_THE_END.contains(&&*event.sport)) {
            return &[Basis::Regulation];
        }
        let clauses = &self.0.get(book).clauses;
        match clauses.value(Topic::Periods, &event.league, bet.market().family) {
            Some(EXTRA_TIME_COUNTS) if !is_three_way => &[Basis::Final],
            Some(_) if !is_three_way => &[Basis::Regulation],
            _ => &[Basis::Regulation, Basis::Final],
        }
    }
}

/// How an event ended, by what its source says and by what its league allows.
pub(crate) fn ending(event: &Event, said: Option<Ending>) -> Option<Ending> {
    let league = &*event.league;
    let is_regular =
        || NO_EXTRA_TIME.contains(&league) || (&*event.sport == "soccer" && is_simulated(league));
    said.or_else(|| is_regular().then_some(Ending::Regulation))
}

/// Whether a side may have given up where the source does not say how the event ended: what that does to a bet is each book's own.
pub(crate) fn may_have_retired(event: &Event, said: Option<Ending>) -> bool {
    &*event.sport == "tennis" && said.is_none()
}

/// Whether bets stand everywhere at a start: whether it is no further from the one that was announced than a delay.
pub(crate) fn stands(announced: Micros, starts_at: Micros) -> bool {
    announced.abs_diff(starts_at) <= DELAY.unsigned_abs()
}

/// A table of one book, at which overtime counts.
#[cfg(test)]
pub(crate) fn with_overtime(book: &str) -> Clauses {
    use arb_engine::venues::{Book, Clauses as Stated, Level};
    let clauses = Stated::uniform(EXTRA_TIME_COUNTS, Level::Refunded);
    let row = Book { clauses, known: true, ..Books::default().get(book).clone() };
    Clauses::new(Arc::new(Books::new([(book.into(), row)])))
}

#[cfg(test)]
mod tests {
    use arb_model::{Market, Outcome, Side};

    use super::*;

    const BOTH: &[Basis] = &[Basis::Regulation, Basis::Final];

    fn event(league: &str) -> Event {
        let sport = league.split('_').next().unwrap();
        Event { sport: sport.into(), league: league.into(), ..Event::default() }
    }

    #[test]
    fn the_score_that_counts_follows_from_the_market_and_the_book() {
        let clauses = with_overtime("draftkings");
        let of = |league: &str, market: &str, draw, book: &str| {
            let line = market.starts_with("totals").then_some(2_500);
            let outcome = if line.is_some() { Outcome::Over } else { Outcome::Home };
            let bet = Bet::new(Market::parse(market).unwrap(), outcome, Side::Back, line).unwrap();
            clauses.bases(&event(league), &bet, draw, book)
        };
        let (three, two) = (DrawRule::Outcome, DrawRule::Refund);
        let nhl = "icehockey_nhl";
        for (market, draw) in [("h2h", three), ("h2h_3_way", three), ("draw_no_bet", two), ("totals_p1", two)]
        {
            assert_eq!(of(nhl, market, draw, "draftkings"), [Basis::Regulation], "{market}");
        }
        for market in ["h2h", "totals"] {
            assert_eq!(of(nhl, market, two, "draftkings"), [Basis::Final], "{market}");
            assert_eq!(of(nhl, market, two, "betsson"), BOTH, "{market}: the rules of the book are unknown");
        }
        assert_eq!(of("americanfootball_nfl", "h2h", three, "draftkings"), BOTH);
        assert_eq!(of("soccer_fa_cup", "totals", two, "betsson"), [Basis::Regulation]);
    }

    #[test]
    fn how_an_event_ended_is_never_guessed() {
        let said = |league, said| ending(&event(league), said);
        assert_eq!(said("soccer_epl", None), Some(Ending::Regulation));
        assert_eq!((said("soccer_fa_cup", None), said("icehockey_nhl", None)), (None, None));
        assert_eq!(said("soccer_epl", Some(Ending::Shootout)), Some(Ending::Shootout));
        assert!(
            may_have_retired(&event("tennis_atp"), None) && !may_have_retired(&event("soccer_epl"), None)
        );
        assert!(!may_have_retired(&event("tennis_atp"), Some(Ending::Regulation)));
    }

    #[test]
    fn bets_stand_where_a_start_moves_by_no_more_than_a_delay() {
        assert!(stands(0, DELAY) && stands(DELAY, 0) && !stands(0, DELAY + 1));
    }
}
