//! What can happen in a match of a sport: of clauses that differ only those matter that such a match can come under.
//!
//! Of a sport that is not here everything can happen. It never knows a book, and never looks at a price.
//!
//! Sources: the rules of the sports; The Odds API, "Bookmakers and markets": `h2h` has three outcomes where a draw is sold, and of ice hockey
//! some books sell the result of regulation under it and others the winner after overtime.

use crate::market::Period;

/// Whether a match can end level, and how its winner is sold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Draws {
    /// It can, and the draw is sold with the winner everywhere: a bet on a side loses by it.
    Sold,
    /// It can: a bet on a side loses by it, unless its book lists no draw and gives such stakes back.
    Possible,
    /// It cannot: play goes on until there is a winner. A book that lists a draw sells the result of regulation, which is another market.
    Never,
    /// Nobody says.
    Unknown,
}

impl Draws {
    /// Of a period of a match of a league.
    #[must_use]
    pub fn of(league: &str, period: Period) -> Self {
        possible(league).draws.in_period(period)
    }

    /// Of a period of a match whose winner is sold so: a part of it is not played on until it has a winner.
    pub(crate) fn in_period(self, period: Period) -> Self {
        if period == Period::FullTime { self } else { Self::Possible }
    }
}

/// What can happen in a match that is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Possible {
    /// Play may go on after the regular time.
    pub(super) extra_time: bool,
    /// Whether no side may have won when all play is over.
    pub(super) draws: Draws,
    /// A result may count that was reached in less than the regular play, as after five innings; and who begins is named.
    pub(super) shortened: bool,
    /// A side may give up, which makes the other the winner.
    pub(super) retirement: bool,
}

/// What is taken of a sport that is not known.
const ANY: Possible = Possible { extra_time: true, draws: Draws::Unknown, shortened: true, retirement: true };
/// Of it is known that a match can end level, and nothing else.
const LEVEL: Possible = Possible { draws: Draws::Possible, ..ANY };
/// Extra time if the rules of the match have it, and perhaps no winner after it.
const TIMED: Possible = Possible { shortened: false, retirement: false, ..LEVEL };
/// Extra time until there is a winner.
const TO_A_WINNER: Possible = Possible { draws: Draws::Never, ..TIMED };
/// Extra innings until there is a winner; the umpires may end it early, and the score counts.
const INNINGS: Possible = Possible { shortened: true, ..TO_A_WINNER };
/// Sets until one side has won enough of them.
const SETS: Possible = Possible { extra_time: false, draws: Draws::Never, shortened: false, ..ANY };

/// What can happen in a match of a league: by its sport, and by the competition where that has rules of its own. Two games of a basketball tie
/// may each end level, where a competition has such ties; a preseason game of baseball may, and games in Korea and Japan do. A bout of
/// boxing or of mixed martial arts may be a draw by its judges; a match of cricket may be tied or drawn.
pub(super) fn possible(league: &str) -> Possible {
    let (sport, competition) = league.split_once('_').unwrap_or((league, ""));
    let is_one_of = |competitions: &[&str]| competitions.iter().any(|one| is_within(competition, one));
    match sport {
        "soccer" => Possible { draws: Draws::Sold, ..TIMED },
        "americanfootball" if is_one_of(&["ncaaf"]) => TO_A_WINNER,
        "basketball" if is_one_of(&["nba", "wnba", "ncaab", "wncaab", "euroleague", "nbl"]) => TO_A_WINNER,
        "baseball" if is_one_of(&["mlb", "milb", "ncaa"]) && !is_one_of(&["mlb_preseason"]) => INNINGS,
        "baseball" => Possible { shortened: true, ..TIMED },
        "americanfootball" | "aussierules" | "basketball" | "handball" | "lacrosse" | "rugbyleague"
        | "rugbyunion" => TIMED,
        "icehockey" => TO_A_WINNER,
        "badminton" | "tabletennis" | "tennis" | "volleyball" => SETS,
        "boxing" | "cricket" | "darts" | "futsal" | "golf" | "mma" | "netball" | "waterpolo" => LEVEL,
        _ => ANY,
    }
}

/// Whether a league is this one, or one of this sport.
pub(super) fn is_within(league: &str, wanted: &str) -> bool {
    // The end of the part is looked at first: most keys have none there, and no text is compared.
    let (league, wanted) = (league.as_bytes(), wanted.as_bytes());
    let is_end = league.len() == wanted.len() || league.get(wanted.len()) == Some(&b'_');
    is_end && league.starts_with(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_competition_may_have_other_rules_than_its_sport() {
        let of = |league| Draws::of(league, Period::FullTime);
        for (draws, leagues) in [
            (Draws::Sold, &["soccer_epl", "soccer"][..]),
            (
                Draws::Possible,
                &[
                    "americanfootball_nfl",
                    "baseball_mlb_preseason",
                    "baseball_kbo",
                    "boxing_boxing",
                    "mma_ufc",
                ],
            ),
            (
                Draws::Never,
                &[
                    "americanfootball_ncaaf",
                    "baseball_mlb",
                    "basketball_wnba",
                    "icehockey_nhl",
                    "tennis_atp_x",
                ],
            ),
            (Draws::Unknown, &["curling_x", "soccers", "", "baseballs_x"]),
        ] {
            assert!(leagues.iter().all(|league| of(league) == draws), "{draws:?} {leagues:?}");
        }
        for league in ["baseball_mlb", "icehockey_nhl", "soccer_epl", "curling_x"] {
            assert_eq!(Draws::of(league, Period::H1), Draws::Possible, "a half can end level");
        }
        assert_eq!((possible("curling_x"), possible("")), (ANY, ANY), "nothing is excluded");
        assert!(possible("baseball_npb").shortened && !possible("basketball_nba").shortened);
        assert!(possible("tennis_atp_wimbledon").retirement && !possible("soccer_epl").retirement);
    }

    #[test]
    fn a_key_is_a_league_or_the_beginning_of_one() {
        for (league, wanted, is) in [
            ("soccer_epl", "soccer", true),
            ("soccer_epl", "soccer_epl", true),
            ("soccer_epl", "soccer_e", false),
            ("soccer", "soccer_epl", false),
            ("xsoccer", "soccer", false),
        ] {
            assert_eq!(is_within(league, wanted), is, "{league} {wanted}");
        }
    }
}
