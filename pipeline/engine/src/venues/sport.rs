//! What can happen in a match of a sport: of clauses that differ only those matter that such a match can come under.
//!
//! Of a sport that is not here everything can happen. It never knows a book.

/// What can happen in a match that is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is one thing that can happen")]
pub(super) struct Possible {
    /// Play may go on after the regular time.
    pub(super) extra_time: bool,
    /// When all play is over, no side may have won.
    pub(super) level: bool,
    /// The draw is sold with the winner: a bet on a side loses by it.
    pub(super) draw_is_sold: bool,
    /// A result may count that was reached in less than the regular play, as after five innings; and who begins is named.
    pub(super) shortened: bool,
    /// A side may give up, which makes the other the winner.
    pub(super) retirement: bool,
}

/// What is taken of a sport that is not known.
const ANY: Possible =
    Possible { extra_time: true, level: true, draw_is_sold: false, shortened: true, retirement: true };
/// Extra time if the rules of the match have it, and perhaps no winner after it.
const TIMED: Possible = Possible { shortened: false, retirement: false, ..ANY };
/// Extra time until there is a winner.
const TO_A_WINNER: Possible = Possible { level: false, ..TIMED };
/// Extra innings until there is a winner; the umpires may end it early, and the score counts.
const INNINGS: Possible = Possible { shortened: true, ..TO_A_WINNER };
const SETS: Possible = Possible { extra_time: false, level: false, shortened: false, ..ANY };

/// By sport or league; the longest key that fits a league holds. Two games of a basketball tie may each end level, where a competition
/// has such ties; a preseason game of baseball may, and games in Korea and Japan do.
const KNOWN: [(&str, Possible); 23] = [
    ("americanfootball", TIMED),
    ("americanfootball_ncaaf", TO_A_WINNER),
    ("aussierules", TIMED),
    ("baseball", Possible { level: true, ..INNINGS }),
    ("baseball_milb", INNINGS),
    ("baseball_mlb", INNINGS),
    ("baseball_mlb_preseason", Possible { level: true, ..INNINGS }),
    ("baseball_ncaa", INNINGS),
    ("basketball", TIMED),
    ("basketball_euroleague", TO_A_WINNER),
    ("basketball_nba", TO_A_WINNER),
    ("basketball_nbl", TO_A_WINNER),
    ("basketball_ncaab", TO_A_WINNER),
    ("basketball_wnba", TO_A_WINNER),
    ("basketball_wncaab", TO_A_WINNER),
    ("handball", TIMED),
    ("icehockey", TO_A_WINNER),
    ("lacrosse", TIMED),
    ("rugbyleague", TIMED),
    ("rugbyunion", TIMED),
    ("soccer", Possible { draw_is_sold: true, ..TIMED }),
    ("tennis_atp", SETS),
    ("tennis_wta", SETS),
];

/// What can happen in a match of a league.
pub(super) fn possible(league: &str) -> Possible {
    let fitting = KNOWN.iter().filter(|(key, _)| is_within(league, key));
    fitting.max_by_key(|(key, _)| key.len()).map_or(ANY, |(_, possible)| *possible)
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
    fn the_longest_key_that_fits_a_league_holds() {
        let level = |league| possible(league).level;
        assert!(level("americanfootball_nfl") && !level("americanfootball_ncaaf"));
        assert!(!level("baseball_mlb") && level("baseball_mlb_preseason") && level("baseball_kbo"));
        assert!(!level("basketball_wnba") && !level("icehockey_sweden_hockey_league"));
        assert_eq!((possible("golf_masters"), possible("")), (ANY, ANY), "nothing is excluded");
        assert!(possible("soccer_epl").draw_is_sold && !possible("soccers").draw_is_sold);
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
