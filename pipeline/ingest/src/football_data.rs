//! Results from the files of football-data.co.uk (one league and season each, CSV), for events that have picks.
//!
//! A row belongs to an event when the league is the same, the date is that of the start, and both names are the same team by their words;
//! it must be the only row of the event, and the event the only one of the row. What does not fit so is reported and never guessed. Day comes
//! before month in these files.
//!
//! Source: football-data.co.uk, "Notes for Football Data": `Div`, `Date`, `HomeTeam`, `AwayTeam`, `FTHG`, `FTAG` (full time), `HTHG`, `HTAG` (half time).

use std::collections::BTreeMap;
use std::io::Read;

use arb_model::Ending;
use arb_schemas::records::{PeriodScore, ResultReport};
use arb_schemas::time::{Micros, SECOND, parse_rfc3339};
use csv::{ByteRecord, ReaderBuilder};

/// The divisions that The Odds API has, by its keys.
const LEAGUES: [(&str, &str); 18] = [
    ("B1", "soccer_belgium_first_div"),
    ("D1", "soccer_germany_bundesliga"),
    ("D2", "soccer_germany_bundesliga2"),
    ("E0", "soccer_epl"),
    ("E1", "soccer_efl_champ"),
    ("E2", "soccer_england_league1"),
    ("E3", "soccer_england_league2"),
    ("F1", "soccer_france_ligue_one"),
    ("F2", "soccer_france_ligue_two"),
    ("G1", "soccer_greece_super_league"),
    ("I1", "soccer_italy_serie_a"),
    ("I2", "soccer_italy_serie_b"),
    ("N1", "soccer_netherlands_eredivisie"),
    ("P1", "soccer_portugal_primeira_liga"),
    ("SC0", "soccer_spl"),
    ("SP1", "soccer_spain_la_liga"),
    ("SP2", "soccer_spain_segunda_division"),
    ("T1", "soccer_turkey_super_league"),
];
const HOUR: Micros = 3_600 * SECOND;
/// Words of clubs that say nothing.
const EMPTY_WORDS: [&str; 4] = ["afc", "cf", "fc", "sc"];
/// Accents that names of clubs have, and the letter that files write for each.
const ACCENTS: [(&str, char); 7] = [
    ("áàâäãåÁÄÅ", 'a'),
    ("éèêëÉ", 'e'),
    ("íìîïıİ", 'i'),
    ("óòôöõøÖØ", 'o'),
    ("úùûüÜ", 'u'),
    ("çÇ", 'c'),
    ("ñ", 'n'),
];

/// Why a file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum FootballError {
    /// It is no file of football-data.
    #[error("it has no column {0}: it is no file of football-data.co.uk")]
    NoColumn(&'static str),
    /// It is no CSV, or cannot be read.
    #[error(transparent)]
    Csv(#[from] csv::Error),
}

/// A match that was played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlayedMatch {
    /// The league, as The Odds API has it.
    league: &'static str,
    /// The division, as the file has it.
    division: &'static str,
    /// Noon of its date.
    noon: Micros,
    home: String,
    away: String,
    full_time: (i32, i32),
    half_time: Option<(i32, i32)>,
}

/// An event that has picks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AwaitedEvent {
    /// Its id.
    pub id: String,
    /// League.
    pub league: String,
    /// Home side.
    pub home: String,
    /// Away side.
    pub away: String,
    /// The newest known start.
    pub starts_at: Micros,
    /// The points of the result that is known.
    pub known: Option<(i32, i32)>,
}

/// What a file says of events.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct FileResults {
    /// What is new.
    pub news: Vec<ResultReport>,
    /// Results that are known.
    pub unchanged: usize,
    /// Events of leagues and dates that the file has, without a row that is surely theirs.
    pub unmatched: Vec<AwaitedEvent>,
}

/// Names of the file by our names, where their words do not tell.
pub type TeamNames = BTreeMap<String, String>;

/// The matches of a file, and how many rows were left out: without goals or date, or of a division that is unknown.
///
/// # Errors
/// A column is missing, or the bytes cannot be read as CSV.
pub fn read(table: impl Read) -> Result<(Vec<PlayedMatch>, usize), FootballError> {
    // Rows of some seasons end early, or with commas.
    let mut reader = ReaderBuilder::new().flexible(true).from_reader(table);
    let header = reader.byte_headers()?.clone();
    let find = |name: &'static str| {
        let is_it = |column: &[u8]| column.strip_prefix(b"\xef\xbb\xbf").unwrap_or(column) == name.as_bytes();
        header.iter().position(is_it).ok_or(FootballError::NoColumn(name))
    };
    let columns =
        [find("Div")?, find("Date")?, find("HomeTeam")?, find("AwayTeam")?, find("FTHG")?, find("FTAG")?];
    let half = find("HTHG").ok().zip(find("HTAG").ok());
    let (mut played, mut left_out) = (Vec::new(), 0);
    for row in reader.into_byte_records() {
        match read_row(&row?, columns, half) {
            Some(found) => played.push(found),
            None => left_out += 1,
        }
    }
    Ok((played, left_out))
}

fn read_row(row: &ByteRecord, columns: [usize; 6], half: Option<(usize, usize)>) -> Option<PlayedMatch> {
    let text = |column: usize| String::from_utf8_lossy(row.get(column).unwrap_or_default()).trim().to_owned();
    let goals = |column: usize| text(column).parse().ok().filter(|goals: &i32| (0..100).contains(goals));
    let [division, date, home, away, home_goals, away_goals] = columns;
    let division = text(division);
    let (division, league) = *LEAGUES.iter().find(|(key, _)| *key == division)?;
    let half_time = half.and_then(|(home, away)| Some((goals(home)?, goals(away)?)));
    let full_time = (goals(home_goals)?, goals(away_goals)?);
    let is_part = |(home, away): &(i32, i32)| *home <= full_time.0 && *away <= full_time.1;
    Some(PlayedMatch {
        league,
        division,
        noon: noon(&text(date))?,
        home: text(home),
        away: text(away),
        full_time,
        half_time: half_time.filter(is_part),
    })
}

/// Noon of `31/12/2026`, also with two digits of the year.
fn noon(date: &str) -> Option<Micros> {
    let parts: Vec<_> = date.split('/').collect();
    let [day, month, year] = parts[..] else { return None };
    let century = if year.len() == 2 { "20" } else { "" };
    parse_rfc3339(&format!("{century}{year}-{month:0>2}-{day:0>2}T12:00:00Z"))
}

/// What the matches say of the events, as reports that are made at a time.
#[must_use]
pub fn results(
    events: &[AwaitedEvent],
    played: &[PlayedMatch],
    names: &TeamNames,
    at: Micros,
) -> FileResults {
    let is_of = |event: &AwaitedEvent, row: &PlayedMatch| {
        event.league == row.league
            && event.starts_at.abs_diff(row.noon) <= (24 * HOUR).unsigned_abs()
            && is_same_team(&event.home, &row.home, names)
            && is_same_team(&event.away, &row.away, names)
    };
    let mut found = FileResults::default();
    for event in events {
        let rows: Vec<_> = played.iter().filter(|row| is_of(event, row)).collect();
        match rows[..] {
            [row] if events.iter().filter(|other| is_of(other, row)).count() == 1 => {
                if event.known == Some(row.full_time) {
                    found.unchanged += 1;
                } else {
                    found.news.push(report(event, row, at));
                }
            }
            // The file may be older than the event, or of another league.
            [] if !covers(played, event) => {}
            _ => found.unmatched.push(event.clone()),
        }
    }
    found
}

/// Whether the file has matches of the event's league on its date or later.
fn covers(played: &[PlayedMatch], event: &AwaitedEvent) -> bool {
    played
        .iter()
        .any(|row| row.league == event.league && row.noon.saturating_add(12 * HOUR) >= event.starts_at)
}

fn report(event: &AwaitedEvent, row: &PlayedMatch, at: Micros) -> ResultReport {
    let score =
        |period: &str, (home, away): (i32, i32)| PeriodScore { period: period.to_owned(), home, away };
    let mut scores = vec![score("full_time", row.full_time)];
    if let Some(half) = row.half_time {
        scores.push(score("h1", half));
        scores.push(score("h2", (row.full_time.0 - half.0, row.full_time.1 - half.1)));
    }
    ResultReport {
        event: event.id.clone(),
        status: "finished".to_owned(),
        scores,
        starts_at: None,
        source: format!("football-data {}", row.division),
        at,
        home: event.home.clone(),
        away: event.away.clone(),
        // `FTHG` and `FTAG` are of 90 minutes, and no match of a league has more.
        ended: Some(Ending::Regulation.key().to_owned()),
    }
}

/// Whether a name of the file is that of a team: its words begin words of the team's, in their order, or the other way round.
fn is_same_team(ours: &str, theirs: &str, names: &TeamNames) -> bool {
    if let Some(named) = names.get(ours) {
        return named == theirs;
    }
    let (ours, theirs) = (words(ours), words(theirs));
    let begin = |short: &[String], long: &[String]| {
        let mut rest = long.iter();
        !short.is_empty() && short.iter().all(|word| rest.any(|other| other.starts_with(word.as_str())))
    };
    begin(&theirs, &ours) || begin(&ours, &theirs)
}

/// Words without accents, in small letters.
fn words(name: &str) -> Vec<String> {
    let plain = |letter: char| {
        ACCENTS.iter().find(|(accents, _)| accents.contains(letter)).map_or(letter, |(_, plain)| *plain)
    };
    let letters: String = name.chars().map(plain).filter(|letter| *letter != '\'').collect();
    let words = letters.split(|letter: char| !letter.is_alphanumeric()).map(str::to_lowercase);
    words.filter(|word| !word.is_empty() && !EMPTY_WORDS.contains(&word.as_str())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "\u{feff}Div,Date,Time,HomeTeam,AwayTeam,FTHG,FTAG,FTR,HTHG,HTAG\n\
        E0,15/08/2026,20:00,Man United,Nott'm Forest,2,1,H,1,0\n\
        E0,15/08/26,15:00,Man City,Wolves,0,0,D,,\n\
        E0,16/08/2026,15:00,Everton,Leeds,,,,,\n\
        ZZ,16/08/2026,15:00,Everton,Leeds,1,1,D,0,0\n\
        E0,22/08/2026,15:00,Arsenal,Spurs,1,1,D,2,0,,,\n";

    fn event(id: &str, home: &str, away: &str, start: &str) -> AwaitedEvent {
        AwaitedEvent {
            id: id.to_owned(),
            league: "soccer_epl".to_owned(),
            home: home.to_owned(),
            away: away.to_owned(),
            starts_at: parse_rfc3339(start).unwrap(),
            known: None,
        }
    }

    fn names() -> TeamNames {
        [("Nottingham Forest", "Nott'm Forest")]
            .map(|(ours, theirs)| (ours.to_owned(), theirs.to_owned()))
            .into()
    }

    fn of(events: &[AwaitedEvent]) -> FileResults {
        let (played, left_out) = read(FILE.as_bytes()).unwrap();
        assert_eq!((played.len(), left_out), (3, 2));
        results(events, &played, &names(), 7)
    }

    #[test]
    fn a_row_is_the_result_of_the_event_with_its_teams_and_date() {
        let one = event("a", "Manchester United", "Nottingham Forest", "2026-08-15T19:00:00Z");
        let found = of(std::slice::from_ref(&one));
        let scores: Vec<_> = found.news[0]
            .scores
            .iter()
            .map(|score| (score.period.as_str(), score.home, score.away))
            .collect();
        assert_eq!(scores, [("full_time", 2, 1), ("h1", 1, 0), ("h2", 1, 1)]);
        assert_eq!((found.news[0].source.as_str(), found.news[0].at), ("football-data E0", 7));
        let known = AwaitedEvent { known: Some((2, 1)), ..one.clone() };
        assert_eq!((of(std::slice::from_ref(&known)).unchanged, of(&[known]).news.len()), (1, 0));
        let corrected = AwaitedEvent { known: Some((2, 2)), ..one };
        assert_eq!(of(&[corrected]).news.len(), 1);
    }

    #[test]
    fn what_is_not_surely_the_same_is_listed_and_not_written() {
        let wolves = event("b", "Manchester City", "Wolverhampton Wanderers", "2026-08-15T14:00:00Z");
        let other_day = event("c", "Manchester United", "Nottingham Forest", "2026-08-19T19:00:00Z");
        let later = event("d", "Manchester United", "Nottingham Forest", "2026-12-15T19:00:00Z");
        let found = of(&[wolves.clone(), other_day.clone(), later]);
        assert_eq!(
            (found.news.len(), found.unmatched),
            (0, vec![wolves, other_day]),
            "the file has no December yet"
        );
        let twice = ["e", "f"].map(|id| event(id, "Man United", "Nottingham Forest", "2026-08-15T19:00:00Z"));
        assert_eq!(of(&twice).unmatched, twice, "a row is the result of one event");
        let other = AwaitedEvent { league: "soccer_spl".to_owned(), ..twice[0].clone() };
        assert_eq!(of(&[other]), FileResults::default());
    }

    #[test]
    fn a_half_that_cannot_be_is_left_out() {
        let spurs = event("g", "Arsenal", "Spurs FC", "2026-08-22T14:00:00Z");
        assert_eq!(of(&[spurs]).news[0].scores.len(), 1);
    }

    #[test]
    fn names_are_the_same_by_their_words() {
        let same = |ours: &str, theirs: &str| is_same_team(ours, theirs, &TeamNames::new());
        for (ours, theirs) in [
            ("Manchester United", "Man United"),
            ("Atlético Madrid", "Atl Madrid"),
            ("AC Milan", "Milan"),
            ("FC Köln", "Koln"),
            ("Brighton and Hove Albion", "Brighton"),
        ] {
            assert!(same(ours, theirs), "{ours} {theirs}");
        }
        for (ours, theirs) in
            [("Manchester City", "Man United"), ("Wolverhampton Wanderers", "Wolves"), ("FC", "Milan")]
        {
            assert!(!same(ours, theirs), "{ours} {theirs}");
        }
    }

    #[test]
    fn another_table_is_refused_by_the_column_that_it_lacks() {
        let error = read("date,goals\n".as_bytes()).unwrap_err().to_string();
        assert_eq!(error, "it has no column Div: it is no file of football-data.co.uk");
        assert_eq!((noon("2026-08-15"), noon("32/01/2026"), noon("")), (None, None, None));
    }
}
