//! Recordings as a table: one price a row, CSV, plain or zstd; rows of one `snapshot_utc` in a row are a poll.
//!
//! Columns, in any order: `event_id`, `home_team`, `away_team`, `commence_time` and `last_update` (RFC 3339), `bookmaker`,
//! `market` (keys of The Odds API, `h2h_lay` among them), `outcome_name`, `price` (decimal odds, always), `point`,
//! `snapshot_utc` (`YYYYMMDD_HHMMSS`, and whatever the recorder called it after another `_`). One of the league,
//! `sport_key`, may be missing: the only such recordings that we know are of the Australian Football League alone. What a price
//! means is The Odds API's, so its decoder reads it; none states a limit. It never holds more than a poll, and never unpacks a file to disk.

use std::collections::HashMap;
use std::io::{self, BufRead, ErrorKind};
use std::path::{Path, PathBuf};

use arb_model::{Faults, Time};
use arb_schemas::records::{Coverage, Event, Offer};
use arb_schemas::time::{Micros, parse_rfc3339};
use csv::StringRecord;

use super::file::{self, JUMP};
use super::source::{Poll, Source, SourceError};
use super::the_odds_api::{self, Decoder, MarketKey, OddsFormat, Quote, Sides};

/// The league of a table that does not name any.
const LEAGUE: &str = "aussierules_afl";

/// Where the columns are.
#[derive(Debug)]
struct Columns {
    event_id: usize,
    home_team: usize,
    away_team: usize,
    commence_time: usize,
    bookmaker: usize,
    last_update: usize,
    market: usize,
    outcome_name: usize,
    price: usize,
    point: usize,
    snapshot_utc: usize,
    sport_key: Option<usize>,
}

/// A table as a source.
pub struct Table {
    path: PathBuf,
    name: String,
    rows: csv::Reader<Box<dyn BufRead + Send>>,
    columns: Columns,
    /// The first row of the next poll.
    ahead: Option<StringRecord>,
    last: Option<Micros>,
}

impl Table {
    /// Opens a file.
    ///
    /// # Errors
    /// [`SourceError::Io`], also when a column is missing.
    pub fn open(path: &Path) -> Result<Self, SourceError> {
        Self::read(path.to_owned(), file::name(path), file::reader(path)?)
    }

    /// A table that is read from elsewhere; errors name its origin.
    ///
    /// # Errors
    /// [`SourceError::Io`], also when a column is missing.
    pub fn read(path: PathBuf, name: String, reader: Box<dyn BufRead + Send>) -> Result<Self, SourceError> {
        let mut rows = csv::Reader::from_reader(reader);
        let what = || path.display().to_string();
        let header = rows.headers().map_err(|error| SourceError::Io { what: what(), error: io(error) })?;
        let columns = Columns::of(header).map_err(|column| {
            let error = io::Error::new(ErrorKind::InvalidData, format!("there is no column {column}"));
            SourceError::Io { what: what(), error }
        })?;
        Ok(Self { path, name, rows, columns, ahead: None, last: None })
    }

    /// The next row that is one; malformed ones are counted.
    fn row(&mut self, faults: &mut Faults) -> Result<Option<StringRecord>, SourceError> {
        loop {
            let mut row = StringRecord::new();
            match self.rows.read_record(&mut row) {
                Ok(read) => return Ok(read.then_some(row)),
                Err(error) => match error.kind() {
                    csv::ErrorKind::UnequalLengths { .. } => faults.count("row", "of another length"),
                    csv::ErrorKind::Utf8 { .. } => faults.count("row", "is no text"),
                    _ => return Err(self.broken(io(error))),
                },
            }
        }
    }

    fn broken(&self, error: io::Error) -> SourceError {
        let what = self.path.display().to_string();
        match error.kind() {
            ErrorKind::UnexpectedEof => {
                SourceError::Truncated { what, lines: self.rows.position().line(), error }
            }
            _ => SourceError::Io { what, error },
        }
    }

    /// The rows of the next snapshot; none at the end.
    fn snapshot(&mut self, faults: &mut Faults) -> Result<Vec<StringRecord>, SourceError> {
        let mut rows: Vec<StringRecord> = self.ahead.take().into_iter().collect();
        let at = self.columns.snapshot_utc;
        while let Some(row) = self.row(faults)? {
            if rows.last().is_some_and(|last| last[at] != row[at]) {
                self.ahead = Some(row);
                break;
            }
            rows.push(row);
        }
        Ok(rows)
    }
}

impl Source for Table {
    fn name(&self) -> &str {
        &self.name
    }

    fn next_poll(&mut self, faults: &mut Faults) -> Result<Option<Poll>, SourceError> {
        loop {
            let rows = self.snapshot(faults)?;
            let Some(first) = rows.first() else { return Ok(None) };
            let Some(received_at) = snapshot_time(&first[self.columns.snapshot_utc]) else {
                faults.count("snapshot_utc", "is no time");
                continue;
            };
            let Some(received_at) = the_odds_api::record_time(received_at, "snapshot_utc", faults) else {
                continue;
            };
            if self.last.is_some_and(|last| received_at > last + JUMP) {
                faults.count("snapshot_utc", "a year after the last");
                continue;
            }
            self.last = Some(received_at);
            let events = self.columns.events(&rows, faults);
            return Ok(Some(Poll {
                received_at,
                league: None,
                coverage: Coverage::ALL,
                odds_format: OddsFormat::Decimal,
                events,
            }));
        }
    }
}

impl Columns {
    /// Finds them in the first row, or returns the name of a missing one.
    fn of(header: &StringRecord) -> Result<Self, &'static str> {
        let place = |name: &str| header.iter().position(|column| column == name);
        let needed = |name: &'static str| place(name).ok_or(name);
        Ok(Self {
            event_id: needed("event_id")?,
            home_team: needed("home_team")?,
            away_team: needed("away_team")?,
            commence_time: needed("commence_time")?,
            bookmaker: needed("bookmaker")?,
            last_update: needed("last_update")?,
            market: needed("market")?,
            outcome_name: needed("outcome_name")?,
            price: needed("price")?,
            point: needed("point")?,
            snapshot_utc: needed("snapshot_utc")?,
            sport_key: place("sport_key"),
        })
    }

    /// The rows of a poll by event, each event once.
    fn events(&self, rows: &[StringRecord], faults: &mut Faults) -> Vec<(Event, Vec<Offer>)> {
        let mut events: Vec<(Event, Vec<Offer>)> = Vec::new();
        let mut places = HashMap::new();
        // Ticks of one offer are next to each other.
        let mut before: Option<[&str; 4]> = None;
        for row in rows {
            let id = &row[self.event_id];
            if !places.contains_key(id) {
                let Some(event) = self.event(row, faults) else { continue };
                places.insert(id, events.len());
                events.push((event, Vec::new()));
            }
            let (event, offers) = &mut events[places[id]];
            let of = [id, &row[self.bookmaker], &row[self.market], &row[self.last_update]];
            if self.offer(row, event, before == Some(of), offers, faults).is_some() {
                before = Some(of);
            }
        }
        for (_, offers) in &mut events {
            the_odds_api::refuse_american(offers, faults);
            the_odds_api::keep_newest(offers, faults);
        }
        events
    }

    fn event(&self, row: &StringRecord, faults: &mut Faults) -> Option<Event> {
        let league = match self.sport_key {
            Some(at) => text(&row[at], "sport_key", faults)?,
            None => LEAGUE,
        };
        Some(Event {
            id: text(&row[self.event_id], "event_id", faults)?.into(),
            // Leagues are named sport_league.
            sport: league.split('_').next().unwrap_or_default().into(),
            league: league.into(),
            home: text(&row[self.home_team], "home_team", faults)?.into(),
            away: text(&row[self.away_team], "away_team", faults)?.into(),
            commence_time: Time(time(&row[self.commence_time], "commence_time", faults)?),
        })
    }

    /// Adds a row's tick to the offer that the row before it belongs to, or to a new one.
    fn offer(
        &self,
        row: &StringRecord,
        event: &Event,
        is_same: bool,
        offers: &mut Vec<Offer>,
        faults: &mut Faults,
    ) -> Option<()> {
        let book = text(&row[self.bookmaker], "bookmaker", faults)?;
        let market = MarketKey::read(&row[self.market], faults)?;
        let last_seen_at = time(&row[self.last_update], "last_update", faults)?;
        let sides = Sides { home: &event.home, away: &event.away };
        let point = Some(&row[self.point]).filter(|point| !point.is_empty());
        let quote =
            Quote { name: &row[self.outcome_name], price: Some(&row[self.price]), point, limit: None };
        let tick = Decoder::new(OddsFormat::Decimal).tick(&quote, &market, &sides, faults)?;
        match offers.last_mut().filter(|_| is_same) {
            Some(offer) => the_odds_api::add(&mut offer.ticks, tick, faults),
            None => offers.push(Offer {
                book: book.to_owned(),
                market: market.key.to_owned(),
                last_seen_at,
                price_moved_at: None,
                link: None,
                ticks: vec![tick],
            }),
        }
        Some(())
    }
}

fn text<'a>(field: &'a str, name: &'static str, faults: &mut Faults) -> Option<&'a str> {
    if field.is_empty() {
        faults.count(name, "missing");
    }
    Some(field).filter(|field| !field.is_empty())
}

fn time(field: &str, name: &'static str, faults: &mut Faults) -> Option<Micros> {
    the_odds_api::event_time(text(field, name, faults)?, name, faults)
}

/// `20260303_060344`, or `20260303_060344_daily`.
fn snapshot_time(field: &str) -> Option<Micros> {
    let (day, rest) = field.split_once('_')?;
    let time = rest.split_once('_').map_or(rest, |(time, _)| time);
    let digits = |text: &str, count| text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(day, 8) || !digits(time, 6) {
        return None;
    }
    let [year, month, day] = [&day[..4], &day[4..6], &day[6..]];
    let [hour, minute, second] = [&time[..2], &time[2..4], &time[4..]];
    parse_rfc3339(&format!("{year}-{month}-{day}T{hour}:{minute}:{second}Z"))
}

fn io(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::new(ErrorKind::InvalidData, format!("{other:?}")),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use arb_schemas::records::{Outcome, Side};

    use super::*;
    use crate::recording::open;

    const HEADER: &str = "event_id,home_team,away_team,commence_time,bookmaker,bookmaker_title,last_update,market,\
                          outcome_name,price,point,snapshot_utc\n";

    /// A row of a match between `Home` and `Away, the`.
    fn row(book: &str, market: &str, outcome: &str, price: &str, point: &str, at: &str) -> String {
        format!(
            "e1,Home,\"Away, the\",2026-03-05T08:30:00Z,{book},Title,2026-03-03T06:03:25Z,{market},\"{outcome}\",{price},{point},{at}\n"
        )
    }

    /// Two polls, the second without the exchange.
    fn excerpt() -> String {
        let (one, two) = ("20260303_060344", "20260303_060912_daily");
        let rows = [
            row("tab", "h2h", "Home", "2.10", "", one),
            row("tab", "h2h", "Away, the", "1.80", "", one),
            row("tab", "spreads", "Home", "1.9", "-14.5", one),
            row("tab", "spreads", "Away, the", "1.95", "14.5", one),
            row("betfair_ex_au", "h2h", "Home", "2.12", "", one),
            row("betfair_ex_au", "h2h", "Away, the", "2.02", "", one),
            row("betfair_ex_au", "h2h_lay", "Home", "2.16", "", one),
            row("betfair_ex_au", "h2h_lay", "Away, the", "2.08", "", one),
            row("tab", "totals", "Over", "1.9", "172.5", one),
            row("tab", "h2h", "Home", "2.20", "", two),
            row("tab", "h2h", "Away, the", "1.0", "", two),
        ];
        HEADER.to_owned() + &rows.concat()
    }

    /// All polls of a file of this name with this text, and what was wrong.
    fn read(name: &str, bytes: &[u8]) -> (Vec<Poll>, Faults, Option<SourceError>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let mut source = open(&path, OddsFormat::American).unwrap();
        let (mut polls, mut faults) = (Vec::new(), Faults::default());
        loop {
            match source.next_poll(&mut faults) {
                Ok(Some(poll)) => polls.push(poll),
                Ok(None) => return (polls, faults, None),
                Err(error) => return (polls, faults, Some(error)),
            }
        }
    }

    fn faults_of(text: &str) -> (String, usize) {
        let (polls, faults, _) = read("r.csv", text.as_bytes());
        (faults.to_string(), polls.iter().map(Poll::ticks).sum())
    }

    #[test]
    fn equal_snapshots_are_a_poll() {
        let (polls, faults, _) = read("r.csv", excerpt().as_bytes());
        assert_eq!(faults.to_string(), "price out of range: 1", "1.0 is no price");
        let at = polls.iter().map(|poll| Some(poll.received_at)).collect::<Vec<_>>();
        assert_eq!(at, ["2026-03-03T06:03:44Z", "2026-03-03T06:09:12Z"].map(parse_rfc3339));
        assert_eq!(polls.iter().map(Poll::ticks).collect::<Vec<_>>(), [9, 1]);
        let (event, offers) = &polls[0].events[0];
        assert_eq!(
            (&*event.sport, &*event.league, &*event.away),
            ("aussierules", "aussierules_afl", "Away, the")
        );
        let shapes: Vec<_> =
            offers.iter().map(|offer| (&*offer.book, &*offer.market, offer.ticks.len())).collect();
        let exchange = ("betfair_ex_au", "h2h", 2);
        assert_eq!(
            shapes,
            [("tab", "h2h", 2), ("tab", "spreads", 2), exchange, exchange, ("tab", "totals", 1)]
        );
        assert!(offers[1].ticks.iter().all(|tick| tick.line == Some(-14_500)), "by the home side's handicap");
        assert!(offers[2].ticks.iter().all(|tick| tick.side == Side::Back));
        let laid = offers[3].ticks[0];
        assert_eq!((laid.side, laid.outcome, laid.price), (Side::Lay, Outcome::Home, 2_160_000));
        assert_eq!(polls[1].coverage, Coverage::ALL, "so what the second does not name is withdrawn");
    }

    #[test]
    fn a_table_is_the_same_recording_as_json_lines() {
        let json = r#"{"polled_at":"2026-03-03T06:03:44Z","events":[{"id":"e1","sport_key":"aussierules_afl",
            "commence_time":"2026-03-05T08:30:00Z","home_team":"Home","away_team":"Away, the","bookmakers":[
            {"key":"tab","markets":[{"key":"h2h","last_update":"2026-03-03T06:03:25Z","outcomes":[
            {"name":"Home","price":2.10},{"name":"Away, the","price":1.80}]},
            {"key":"spreads","last_update":"2026-03-03T06:03:25Z","outcomes":[
            {"name":"Home","price":1.9,"point":-14.5},{"name":"Away, the","price":1.95,"point":14.5}]}]},
            {"key":"betfair_ex_au","markets":[{"key":"h2h","last_update":"2026-03-03T06:03:25Z","outcomes":[
            {"name":"Home","price":2.12},{"name":"Away, the","price":2.02}]},
            {"key":"h2h_lay","last_update":"2026-03-03T06:03:25Z","outcomes":[
            {"name":"Home","price":2.16},{"name":"Away, the","price":2.08}]}]},
            {"key":"tab","markets":[{"key":"totals","last_update":"2026-03-03T06:03:25Z","outcomes":[
            {"name":"Over","price":1.9,"point":172.5}]}]}]}]}"#;
        let mut faults = Faults::default();
        let lines = Decoder::new(OddsFormat::Decimal).recorded(json, &mut faults).unwrap();
        assert_eq!(read("r.csv", excerpt().as_bytes()).0[0], lines);
    }

    #[test]
    fn a_row_that_is_wrong_spoils_only_itself() {
        let good = || row("tab", "h2h", "Home", "2.1", "", "20260303_060344");
        let with =
            |bad: &str| faults_of(&(HEADER.to_owned() + &good() + bad + &good().replace("tab", "neds")));
        let wrong = |fault: &str| (format!("{fault}: 1"), 2);
        assert_eq!(with("a,b\n"), wrong("row of another length"));
        assert_eq!(with(&good().replace("h2h", "player_points")), wrong("market.key unknown"));
        assert_eq!(with(&good().replace("\"Home\"", "\"Nobody\"")), wrong("outcome.name unknown"));
        assert_eq!(with(&good().replace(",2.1,", ",two,")), wrong("price is no odds"));
        assert_eq!(with(&good().replace(",tab,", ",,")), wrong("bookmaker missing"));
        assert_eq!(with(&good().replace("2026-03-03T06:03:25Z", "noon")), wrong("last_update is no time"));
        assert_eq!(with(&good().replace("e1,", ",")), wrong("event_id missing"));
        assert_eq!(with(&good().replace("h2h", "spreads")), wrong("point missing"));
        assert_eq!(with(&good()), ("outcome listed twice: 1".to_owned(), 2));
        let named = (HEADER.to_owned() + &good())
            .replace("utc\n", "utc,sport_key\n")
            .replace("344\n", "344,icehockey_nhl\n");
        let (polls, _, _) = read("r.csv", named.as_bytes());
        assert_eq!(
            (&*polls[0].events[0].0.sport, &*polls[0].events[0].0.league),
            ("icehockey", "icehockey_nhl")
        );
        assert_eq!(faults_of(&named.replace("icehockey_nhl", "")), ("sport_key missing: 1".to_owned(), 0));
        // A poll whose time is none is none.
        let lost = HEADER.to_owned() + &good().replace("20260303_060344", "20261303_060344");
        assert_eq!(faults_of(&lost), ("snapshot_utc is no time: 1".to_owned(), 0));
        let far = |year| HEADER.to_owned() + &good() + &good().replace("20260303", year);
        assert_eq!(faults_of(&far("20990303")), ("snapshot_utc a year after the last: 1".to_owned(), 1));
        let outside = "snapshot_utc is not in the years 1970 to 2099: 1".to_owned();
        assert_eq!(faults_of(&far("99990303")), (outside, 1));
        let (_, faults, _) =
            read("r.csv", &[HEADER.as_bytes(), b"\xff,,,,,,,,,,,\n", good().as_bytes()].concat());
        assert_eq!(faults.to_string(), "row is no text: 1");
    }

    #[test]
    fn a_packed_table_is_read_as_far_as_it_goes() {
        let packed = zstd::encode_all(excerpt().as_bytes(), 3).unwrap();
        assert_eq!(read("r.csv.zst", &packed).0, read("r.csv", excerpt().as_bytes()).0);
        let mut encoder = zstd::Encoder::new(Vec::new(), 3).unwrap();
        encoder.write_all(excerpt().as_bytes()).unwrap();
        encoder.flush().unwrap();
        encoder
            .write_all(row("tab", "h2h", "Home", "2.1", "", "20260303_070000").repeat(90).as_bytes())
            .unwrap();
        let packed = encoder.finish().unwrap();
        let (polls, _, error) = read("r.csv.zst", &packed[..packed.len() - 6]);
        assert_eq!(polls.len(), 1, "the second may not be whole");
        let message = error.expect("an error").to_string();
        assert!(message.contains("r.csv.zst is cut off after"), "{message}");
    }

    #[test]
    fn a_missing_column_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.csv");
        std::fs::write(&path, excerpt().replace("price", "odds")).unwrap();
        let error = open(&path, OddsFormat::American).err().unwrap().to_string();
        assert!(error.ends_with("r.csv: there is no column price"), "{error}");
    }

    #[test]
    fn times_of_snapshots() {
        let second = parse_rfc3339("2026-03-03T06:03:44Z");
        assert_eq!([snapshot_time("20260303_060344"), snapshot_time("20260303_060344_daily")], [second; 2]);
        for field in
            ["", "20260303", "20260303_0603", "2026-3-3_060344", "20260303_060399", "20260303_06034é"]
        {
            assert_eq!(snapshot_time(field), None, "{field}");
        }
    }

    #[test]
    fn the_recording_of_the_australian_league_is_read_whole() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../../shared/data/betfair-exchange/afl-game-odds-back-lay.csv.zst");
        if !path.exists() {
            println!("NOTE: {} is absent: only an excerpt that we made is read", path.display());
            return;
        }
        let (mut source, mut faults) = (open(&path, OddsFormat::American).unwrap(), Faults::default());
        let (mut polls, mut ticks, mut laid) = (0, 0, 0);
        while let Some(poll) = source.next_poll(&mut faults).unwrap() {
            polls += 1;
            ticks += poll.ticks();
            let offers = poll.events.iter().flat_map(|(_, offers)| offers);
            laid += offers.flat_map(|offer| &offer.ticks).filter(|tick| tick.side == Side::Lay).count();
        }
        // 31,798 rows, of which one has the price 1.0; 1,342 are of h2h_lay.
        assert_eq!((polls, ticks, laid), (104, 31_797, 1_342));
        assert_eq!(faults.to_string(), "price out of range: 1");
    }
}
