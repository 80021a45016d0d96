//! Settings of live polling, and the key, which is read from the environment alone.
//!
//! The key has no option: every user of the machine can read a command line. They decide nothing.

use std::time::Duration;

use arb_schemas::time::Micros;
use arb_setup::secrets::ODDS_API_KEY;
use clap::{Args, ValueEnum};

/// How The Odds API is polled.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Live polling of The Odds API")]
pub(crate) struct Live {
    /// Poll The Odds API, with the key in the environment variable `ODDS_API_KEY`
    #[arg(long = "live", conflicts_with_all = ["replay", "speed", "until", "after"])]
    pub(crate) wanted: bool,
    /// Sports by the API's keys, or all that are in season
    #[arg(
        long,
        env = "ARB_SPORTS",
        value_delimiter = ',',
        value_name = "KEYS|all",
        default_value = "americanfootball_nfl,baseball_mlb,basketball_nba,icehockey_nhl,soccer_epl"
    )]
    pub(crate) sports: Vec<String>,
    /// Markets; a poll costs a credit for each market in each region
    #[arg(long, env = "ARB_MARKETS", value_delimiter = ',', default_value = "h2h")]
    pub(crate) markets: Vec<Featured>,
    /// Regions whose books are requested, such as us,uk,eu,au
    #[arg(long, env = "ARB_REGIONS", value_delimiter = ',', default_value = "us")]
    pub(crate) regions: Vec<String>,
    /// Credits that are never spent
    #[arg(long, env = "ARB_CREDIT_FLOOR", value_name = "CREDITS", default_value_t = 50)]
    pub(crate) credit_floor: u64,
    /// Spread the credits evenly until this day of the month, on which they are reset (UTC)
    #[arg(long, env = "ARB_CREDIT_RESET_DAY", value_name = "DAY", value_parser = clap::value_parser!(i8).range(1..=31))]
    pub(crate) credit_reset_day: Option<i8>,
    /// Percent of the credits above the floor that scans may spend until the credits are reset; of a group all workers together
    #[arg(long, env = "ARB_SCAN_CREDIT_PERCENT", value_name = "PERCENT", default_value_t = 20, value_parser = clap::value_parser!(u8).range(0..=100))]
    pub(crate) scan_credit_percent: u8,
    /// Sports that one scan may have polled by a worker
    #[arg(long, env = "ARB_SCAN_SPORTS", value_name = "SPORTS", default_value_t = 10)]
    pub(crate) scan_sports: usize,
    /// Time between two polls of a sport with an event in play
    #[arg(long, env = "ARB_EVERY_IN_PLAY", value_name = "TIME", value_parser = span, default_value = "60s")]
    pub(crate) every_in_play: Span,
    /// The same when the nearest event starts within an hour
    #[arg(long, env = "ARB_EVERY_HOUR", value_name = "TIME", value_parser = span, default_value = "2m")]
    pub(crate) every_hour: Span,
    /// The same within six hours
    #[arg(long, env = "ARB_EVERY_SIX_HOURS", value_name = "TIME", value_parser = span, default_value = "10m")]
    pub(crate) every_six_hours: Span,
    /// The same within a day
    #[arg(long, env = "ARB_EVERY_DAY", value_name = "TIME", value_parser = span, default_value = "1h")]
    pub(crate) every_day: Span,
    /// The same when it starts later
    #[arg(long, env = "ARB_EVERY_LATER", value_name = "TIME", value_parser = span, default_value = "6h")]
    pub(crate) every_later: Span,
    /// Time between two looks at the lists of sports and events, which are free
    #[arg(long, env = "ARB_LOOK_EVERY", value_name = "TIME", value_parser = span, default_value = "10m")]
    pub(crate) look_every: Span,
    /// Time between two requests of the scores of a sport for whose result a pick waits (1 or 2 credits each); 0s requests none
    #[arg(long, env = "ARB_SCORES_EVERY", value_name = "TIME", value_parser = span, default_value = "15m")]
    pub(crate) scores_every: Span,
    /// Time after the start of an event at which its score is first requested
    #[arg(long, env = "ARB_SCORES_AFTER", value_name = "TIME", value_parser = span, default_value = "90m")]
    pub(crate) scores_after: Span,
    /// Consumer group by which workers share the sports
    #[arg(long = "live-group", env = "ARB_LIVE_GROUP", default_value = "arb-ingest")]
    pub(crate) group: String,
    /// Time-out of a call, at most 60s
    #[arg(long = "live-timeout", hide = true, value_parser = span, default_value = "15s")]
    pub(crate) timeout: Span,
    /// Longest back-off after a first failure; it doubles up to 150 times as much
    #[arg(long = "live-backoff", hide = true, value_parser = span, default_value = "2s")]
    pub(crate) backoff: Span,
    /// Where the API is
    #[arg(
        id = "live-url",
        long = "live-url",
        hide = true,
        env = "ARB_LIVE_URL",
        default_value = "https://api.the-odds-api.com"
    )]
    pub(crate) url: String,
}

/// The markets that the API gives of all events of a sport at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Featured {
    H2h,
    Spreads,
    Totals,
}

impl Featured {
    /// As the API and the option spell it.
    pub(crate) fn key(self) -> &'static str {
        match self {
            Self::H2h => "h2h",
            Self::Spreads => "spreads",
            Self::Totals => "totals",
        }
    }
}

/// A length of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span(Duration);

impl Span {
    pub(crate) fn duration(self) -> Duration {
        self.0
    }

    pub(crate) fn micros(self) -> Micros {
        Micros::try_from(self.0.as_micros()).unwrap_or(Micros::MAX)
    }
}

impl std::fmt::Display for Span {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}ms", self.0.as_millis())
    }
}

fn span(text: &str) -> Result<Span, String> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let unit = match &text[digits..] {
        "ms" => Some(1),
        "s" => Some(1_000),
        "m" => Some(60_000),
        "h" => Some(3_600_000),
        _ => None,
    };
    let count = text[..digits].parse::<u32>().ok();
    let millis = unit.zip(count).map(|(unit, count)| u64::from(count) * unit);
    let span = millis.map(|millis| Span(Duration::from_millis(millis)));
    span.ok_or_else(|| "give a number and a unit, such as 500ms, 60s, 10m or 6h".to_owned())
}

impl Live {
    /// As the options of another process, which gets the key by its environment.
    pub(crate) fn arguments(&self) -> Vec<String> {
        let markets: Vec<_> = self.markets.iter().map(|market| market.key()).collect();
        let mut arguments = vec!["--live".to_owned()];
        for (name, value) in [
            ("sports", self.sports.join(",")),
            ("markets", markets.join(",")),
            ("regions", self.regions.join(",")),
            ("credit-floor", self.credit_floor.to_string()),
            ("scan-credit-percent", self.scan_credit_percent.to_string()),
            ("scan-sports", self.scan_sports.to_string()),
            ("every-in-play", self.every_in_play.to_string()),
            ("every-hour", self.every_hour.to_string()),
            ("every-six-hours", self.every_six_hours.to_string()),
            ("every-day", self.every_day.to_string()),
            ("every-later", self.every_later.to_string()),
            ("look-every", self.look_every.to_string()),
            ("scores-every", self.scores_every.to_string()),
            ("scores-after", self.scores_after.to_string()),
            ("live-group", self.group.clone()),
            ("live-timeout", self.timeout.to_string()),
            ("live-backoff", self.backoff.to_string()),
            ("live-url", self.url.clone()),
        ] {
            arguments.push(format!("--{name}={value}"));
        }
        arguments.extend(self.credit_reset_day.map(|day| format!("--credit-reset-day={day}")));
        arguments
    }
}

/// What is in it.
#[expect(clippy::disallowed_methods, reason = "a setting that must not be an option")]
pub(crate) fn key() -> Option<String> {
    std::env::var(ODDS_API_KEY).ok().filter(|key| !key.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Options {
        #[arg(long)]
        replay: Option<String>,
        #[arg(long)]
        speed: Option<String>,
        #[arg(long)]
        until: Option<String>,
        #[arg(long)]
        after: Option<String>,
        #[command(flatten)]
        live: Live,
    }

    fn parse(arguments: &[&str]) -> Result<Live, String> {
        let arguments = ["arb"].iter().chain(arguments);
        Options::try_parse_from(arguments).map(|options| options.live).map_err(|error| error.to_string())
    }

    #[test]
    fn another_process_gets_the_same_arguments() {
        let arguments = [
            "--live",
            "--sports=all",
            "--markets=h2h,totals",
            "--every-in-play=500ms",
            "--credit-reset-day=31",
        ];
        let live = parse(&arguments).unwrap();
        let arguments = live.arguments();
        let words: Vec<_> = arguments.iter().map(String::as_str).collect();
        assert_eq!(format!("{:?}", parse(&words).unwrap()), format!("{live:?}"));
    }

    #[test]
    fn a_time_has_a_unit() {
        let millis = |text| span(text).map(|span| span.duration().as_millis());
        assert_eq!(
            [millis("500ms"), millis("60s"), millis("2m"), millis("1h")],
            [500, 60_000, 120_000, 3_600_000].map(Ok)
        );
        for text in ["", "60", "s", "-1s", "1.5h", "1d", "99999999999s", "5 s"] {
            assert!(span(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_source_is_live_or_a_replay() {
        assert!(parse(&["--live", "--replay", "f"]).unwrap_err().contains("cannot be used with"));
        assert!(parse(&["--live", "--credit-reset-day", "32"]).is_err());
        assert!(parse(&["--live", "--markets", "btts"]).is_err());
    }
}
