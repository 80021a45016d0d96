//! Matches with odds and goals, from the table of football-data (one row a match, CSV).
//!
//! Known faults of the data: day and month are swapped in some dates, so a season is the only split in time; -1 or nothing stands for a missing number;
//! some highest prices are typing errors. A row without goals is left out and counted. It never guesses a missing number.
//!
//! Sixteen leagues (those with neither Bet365 nor Betbrain) come from other files of the same site, whose prices are closing ones although the
//! columns do not say so: [`Match::has_opening_prices`].

use std::io::Read;

use arb_model::Price;
use csv::{Reader, StringRecord};

/// A value each of home, draw and away, in this order.
pub type Three<T = f64> = [T; 3];

/// Named books with 1X2 prices before the close.
pub const BOOKS: [&str; 13] = [
    "bet365",
    "betwin",
    "bluesquare",
    "gamebookers",
    "interwetten",
    "ladbrokes",
    "pinnacle",
    "sporting",
    "sportingbet",
    "stanjames",
    "stanleybet",
    "vcbet",
    "williamhill",
];
/// What columns call home, draw and away; one family calls the draw something else.
const OUTCOMES: Three<&str> = ["home_win", "draw", "away_win"];
const OUTCOMES_OF_AVERAGE: Three<&str> = ["home_win", "draw_win", "away_win"];

/// Why the table cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    /// It is not the table of football-data.
    #[error("it has no column {0}: it is not the table of football-data")]
    NoColumn(String),
    /// It is no CSV, or cannot be read.
    #[error(transparent)]
    Csv(#[from] csv::Error),
}

/// Average and highest price over many books.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Aggregate {
    /// Average prices.
    pub average: Three,
    /// Highest prices, each of any book.
    pub highest: Three,
}

/// A match with its goals and 1X2 prices; prices are `None` unless all three are there.
#[derive(Debug, Clone, PartialEq)]
pub struct Match {
    /// Its date as it is in the table.
    pub date: String,
    /// The year in which its season ends.
    pub season: u16,
    /// Country.
    pub league: String,
    /// Level in that country, 1 being the highest.
    pub division: String,
    /// Goals of home and away.
    pub goals: (u32, u32),
    /// Bet365, before the close.
    pub bet365: Option<[Price; 3]>,
    /// Pinnacle, before the close.
    pub pinnacle: Option<[Price; 3]>,
    /// Pinnacle at the close.
    pub pinnacle_closing: Option<[Price; 3]>,
    /// Betbrain's books.
    pub betbrain: Option<Aggregate>,
    /// The books of another site, where Betbrain has none.
    pub market: Option<Aggregate>,
    /// Every named book that has all three prices, before the close.
    pub books: Vec<(&'static str, [Price; 3])>,
    /// The best price of each outcome at any named book, before the close.
    pub best_named: Option<[Price; 3]>,
    /// Whether the columns before the close are prices before the close: rows with a price of Bet365 or Betbrain.
    pub has_opening_prices: bool,
}

/// The matches of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct History {
    /// In the order of the table.
    pub matches: Vec<Match>,
    /// Rows without the goals of both sides.
    pub without_goals: usize,
}

/// Where the columns are.
struct Columns {
    date: usize,
    season: usize,
    league: usize,
    division: usize,
    goals: [usize; 2],
    books: Vec<Three<usize>>,
    pinnacle_closing: Three<usize>,
    betbrain: [Three<usize>; 2],
    market: [Three<usize>; 2],
}

impl Columns {
    fn of(header: &StringRecord) -> Result<Self, HistoryError> {
        let find = |name: String| {
            let found = header.iter().position(|column| column == name);
            found.ok_or(HistoryError::NoColumn(name))
        };
        let plain = |name: &str| find(name.to_owned());
        let three = |book: &str, [home, draw, away]: Three<&str>| {
            let price = |outcome| find(format!("odds__{book}__{outcome}__full_time_goals"));
            Ok::<_, HistoryError>([price(home)?, price(draw)?, price(away)?])
        };
        Ok(Self {
            date: plain("date")?,
            season: plain("year")?,
            league: plain("league")?,
            division: plain("division")?,
            goals: [
                plain("target__home_team__full_time_goals")?,
                plain("target__away_team__full_time_goals")?,
            ],
            books: BOOKS.iter().map(|book| three(book, OUTCOMES)).collect::<Result<_, _>>()?,
            pinnacle_closing: three("pinnacle_closing", OUTCOMES)?,
            betbrain: [three("betbrain_average", OUTCOMES_OF_AVERAGE)?, three("betbrain_maximum", OUTCOMES)?],
            market: [three("market_average", OUTCOMES)?, three("market_maximum", OUTCOMES)?],
        })
    }

    /// `None` without a season or goals.
    fn read(&self, row: &StringRecord) -> Option<Match> {
        let text = |column: usize| row.get(column).unwrap_or_default();
        let goals = |column: usize| whole(text(column));
        let price = |column: usize| Price::from_decimal(text(column)).ok();
        let number = |column: usize| text(column).parse().ok().filter(|price: &f64| *price > 1.0);
        let offers = BOOKS.iter().zip(&self.books);
        let books: Vec<_> =
            offers.filter_map(|(name, columns)| Some((*name, complete(columns.map(price))?))).collect();
        let book = |name: &str| books.iter().find(|(book, _)| *book == name).map(|(_, prices)| *prices);
        let aggregate = |[average, highest]: [Three<usize>; 2]| {
            let (average, highest) = (complete(average.map(number))?, complete(highest.map(number))?);
            Some(Aggregate { average, highest })
        };
        let best = |outcome: usize| self.books.iter().filter_map(|book| price(book[outcome])).max();
        let opening = self.betbrain.iter().chain(&self.books[..1]).flatten();
        let (bet365, pinnacle) = (book("bet365"), book("pinnacle"));
        Some(Match {
            date: text(self.date).to_owned(),
            season: text(self.season).parse().ok()?,
            league: text(self.league).to_owned(),
            division: text(self.division).to_owned(),
            goals: (goals(self.goals[0])?, goals(self.goals[1])?),
            bet365,
            pinnacle,
            pinnacle_closing: complete(self.pinnacle_closing.map(price)),
            betbrain: aggregate(self.betbrain),
            market: aggregate(self.market),
            best_named: complete([0, 1, 2].map(best)),
            books,
            has_opening_prices: opening.copied().any(|column| number(column).is_some()),
        })
    }
}

/// All three, or none.
fn complete<T: Copy>([home, draw, away]: Three<Option<T>>) -> Option<Three<T>> {
    Some([home?, draw?, away?])
}

/// Goals, which the table writes as `2` or `2.0`.
fn whole(text: &str) -> Option<u32> {
    let (whole, rest) = text.split_once('.').unwrap_or((text, ""));
    if rest.bytes().all(|digit| digit == b'0') { whole.parse().ok() } else { None }
}

/// Reads the whole table.
///
/// # Errors
/// A column is missing, or the bytes cannot be read as CSV.
pub fn read(table: impl Read) -> Result<History, HistoryError> {
    let mut reader = Reader::from_reader(table);
    let columns = Columns::of(reader.headers()?)?;
    let mut history = History { matches: Vec::new(), without_goals: 0 };
    for row in reader.records() {
        match columns.read(&row?) {
            Some(found) => history.matches.push(found),
            None => history.without_goals += 1,
        }
    }
    Ok(history)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A table with the columns that are read, and rows of some of them.
    fn table(rows: &[&[(&str, &str)]]) -> String {
        let mut names: Vec<String> = ["date", "year", "league", "division"].map(str::to_owned).into();
        let mut three = |book: &str, outcomes: Three<&str>| {
            names.extend(outcomes.map(|outcome| format!("odds__{book}__{outcome}__full_time_goals")));
        };
        for book in BOOKS {
            three(book, OUTCOMES);
        }
        for book in ["pinnacle_closing", "betbrain_maximum", "market_average", "market_maximum"] {
            three(book, OUTCOMES);
        }
        three("betbrain_average", OUTCOMES_OF_AVERAGE);
        names.extend(["home", "away"].map(|side| format!("target__{side}_team__full_time_goals")));
        let line = |row: &[(&str, &str)]| {
            let value = |name: &String| {
                row.iter().find(|(part, _)| name.contains(part)).map_or("", |(_, value)| *value)
            };
            names.iter().map(value).collect::<Vec<_>>().join(",")
        };
        let rows: Vec<_> = rows.iter().map(|row| line(row)).collect();
        format!("{}\n{}\n", names.join(","), rows.join("\n"))
    }

    #[test]
    fn a_row_is_read_with_what_is_complete() {
        let row = [
            ("date", "2015-08-01"),
            ("year", "2016"),
            ("league", "England"),
            ("target__home", "2.0"),
            ("target__away", "1"),
            ("bet365__", "2.5"),
            ("pinnacle__home", "2.6"),
        ];
        let history = read(table(&[&row]).as_bytes()).unwrap();
        let found = &history.matches[0];
        let price = |text| Price::from_decimal(text).unwrap();
        assert_eq!((found.season, found.goals), (2016, (2, 1)));
        assert_eq!(found.bet365, Some([price("2.5"); 3]));
        assert_eq!(found.pinnacle, None, "draw and away are missing");
        assert_eq!(found.best_named, Some([price("2.6"), price("2.5"), price("2.5")]));
        assert!(found.has_opening_prices && found.betbrain.is_none());
    }

    #[test]
    fn a_row_without_goals_is_counted_and_left_out() {
        let row = [("year", "2016"), ("target__home", "-1"), ("target__away", "1")];
        let history = read(table(&[&row, &row]).as_bytes()).unwrap();
        assert_eq!((history.matches.len(), history.without_goals), (0, 2));
    }

    #[test]
    fn a_league_with_market_prices_alone_has_no_opening_prices() {
        let row = [("year", "2016"), ("target", "1"), ("market_", "3.0"), ("pinnacle__", "2.9")];
        let history = read(table(&[&row]).as_bytes()).unwrap();
        assert!(!history.matches[0].has_opening_prices && history.matches[0].market.is_some());
    }

    #[test]
    fn another_table_is_refused_by_the_column_that_it_lacks() {
        let error = read("date,odds\n2015,2\n".as_bytes()).unwrap_err();
        assert_eq!(error.to_string(), "it has no column year: it is not the table of football-data");
    }
}
