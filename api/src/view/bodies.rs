//! Bodies of requests: their fields, and what a value of another type is refused with. It never decides what a field means.

use arb_accounts::scope::Scope;
use arb_feed::filter::parameter::BAD_TIME;
use arb_model::described::{Described, Shape};
use arb_model::{Ending, EventStatus, Family, Outcome, Time, view};
use serde::Deserialize;
use serde_json::{Map, Number, Value};

use crate::http::json_body::{Part, body};

/// The largest stake, in units of the currency.
pub(crate) const MOST_STAKE: f64 = 10_000_000.0;
pub(crate) const BAD_PLACED: &str =
    "must be an array with an object for each leg that is placed, of one leg at least and of each once";
pub(crate) const BAD_BOOK: &str =
    "must be the book of a leg of this entry; where two legs are of one book, `outcome` says which";
pub(crate) const BAD_STAKE: &str = "must be a number from 0.01 to 10000000, in units of the currency";
pub(crate) const BAD_PRICE: &str = "must be decimal odds above 1";
pub(crate) const BAD_OUTCOME: &str = "must be the outcome of a leg";
pub(crate) const BAD_MODE: &str = "must be live or test";

body! {
    /// Which legs of an arb are placed.
    pub(crate) struct HedgeRequest {
        placed: Vec<Part<PlacedBody>> [Least(1.0)] = required BAD_PLACED,
    }
}

body! {
    /// A leg that is placed.
    pub(crate) struct PlacedBody {
        book: String = required BAD_BOOK,
        /// Which of two legs of one book it is.
        outcome: String [Keys(Outcome::KEYS)] = optional BAD_OUTCOME,
        /// In units of the currency.
        stake: f64 [Least(0.01), Most(MOST_STAKE)] = required BAD_STAKE,
        /// Decimal odds.
        price: Digits [Above(1.0)] = required BAD_PRICE,
    }
}

/// A number as it was written.
#[derive(Debug, Deserialize)]
pub(crate) struct Digits(pub(crate) Number);

impl Described for Digits {
    const SHAPE: Shape = Shape::Double;
}

body! {
    /// At least one of `sport`, `league`, `event_ids` and `event_group`.
    pub(crate) struct ScanBody => "ScanRequest" {
        sport: String = optional "must be a string",
        league: String = optional "must be a string",
        event_ids: Vec<String> = optional "must be an array of strings",
        /// A league and a date, such as soccer_epl/2026-11-23.
        event_group: String = optional "must be a string",
        markets: Vec<String> [Keys(Family::KEYS)] = optional "must be an array of strings",
        /// The only books whose prices count.
        books: Vec<String> = optional "must be an array of strings",
        /// The least margin, a fraction: 0.015 is 1.5 %.
        min_margin: f64 = optional "must be a number",
        /// The total that stakes are for.
        total_stake: f64 = optional "must be a number",
        /// How long to wait for the whole answer.
        wait_seconds: f64 = optional "must be a number",
    }
}

body! {
    /// The result of an event.
    pub(crate) struct ResultBody => "Result" {
        event: String = required "must be text",
        status: String [Keys(EventStatus::KEYS)] = required "must be text",
        scores: Vec<ScoreOf> = optional "must be a list of objects with period, home and away",
        starts_at: String [Moment] = optional BAD_TIME,
        home: String = optional "must be text",
        away: String = optional "must be text",
        ended: String [Keys(Ending::KEYS)] = optional "must be text",
    }
}

view! {
    /// The score of a period.
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    pub(crate) struct ScoreOf {
        period: String,
        home: i32,
        away: i32,
    }
}

view! {
    /// A result that was taken.
    pub(crate) struct ResultTaken<'a> {
        event: &'a str,
        status: &'a str,
        /// When it is graded by; null: at once.
        graded_from: Option<Time>,
    }
}

body! {
    /// A key to be created.
    pub(crate) struct KeyRequest {
        /// unnamed unless it is given.
        name: String [Least(1.0), Most(100.0)] = optional "must be text",
        /// What it may do.
        scopes: Vec<String> [Keys(Scope::KEYS), Least(1.0)] = optional "must be an array of scopes",
        expires_at: String [Moment] = optional "must be a time such as 2027-01-01T00:00:00Z",
        /// Addresses and networks from which it may be used; none is all.
        cidrs: Vec<String> = optional "must be an array of addresses or networks",
        /// Requests of a month, at most.
        monthly_cap: u64 [Least(0.0)] = optional "must be a number of requests",
        mode: String [Keys(&["live", "test"])] = optional BAD_MODE,
    }
}

body! {
    /// A key to be created in place of another one.
    pub(crate) struct Rotation {
        /// How long the other one is valid.
        grace_seconds: u32 [Least(0.0), Most(2_592_000.0)] = optional "must be a number of seconds, at most 2592000",
    }
}

body! {
    /// What somebody signs up or logs in with.
    pub(crate) struct CredentialsBody => "Credentials" {
        email: String = required "must be text",
        password: String = required "must be text",
        invitation: String = optional "must be text",
        /// The answer to the proof of work that a refusal asks for.
        proof: String [Most(64.0)] = optional "must be text",
    }
}

body! {
    /// Another password.
    pub(crate) struct PasswordChange {
        current_password: String = required "must be text",
        new_password: String = required "must be text",
    }
}

body! {
    /// For which page a stream is opened.
    pub(crate) struct TicketRequest {
        /// The origin of the page, one of those that the server allows (--cors-origins).
        origin: String = required "must be text",
        /// The filters of the stream, as texts. The page must ask for the stream with the same.
        filters: StreamFilters = optional "must be an object of texts",
    }
}

/// Filters by their names, which are checked one by one.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct StreamFilters(pub(crate) Map<String, Value>);

impl Described for StreamFilters {
    const SHAPE: Shape = Shape::Map(&Shape::Text);
}

body! {
    /// How a secret is replaced.
    pub(crate) struct OverlapRequest {
        /// How long both secrets sign.
        overlap_seconds: u32 [Least(0.0), Most(604_800.0)] = optional "must be a number of seconds, at most 604800",
    }
}

body! {
    /// Since when what failed is delivered again.
    pub(crate) struct SinceRequest => "Since" {
        since: String [Moment] = required BAD_TIME,
    }
}
