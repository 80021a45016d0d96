//! A private source, asked for as a caller would: its owner sees its prices, and no route shows another account anything of it.

use arb_accounts::account::Account;
use arb_accounts::directory::Part;
use arb_accounts::scope::Scope;
use arb_engine::UserBooks;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use proptest::prelude::*;
use serde_json::json as value;

use super::own_books::{Own, four, legs};
use super::*;
use crate::fixtures::{account, api_key};
use crate::quotes::fixtures::Prices;

const OWNER: &str = "acc_0000000000000007";

/// An API with an account that has the private source `acme`, and a key of it.
fn own(event: &[Prices]) -> (Own, String) {
    let own = Own::new(event);
    let holder = Account {
        source: Some("acme".into()),
        books: vec!["own".into()],
        ..account(OWNER, "seven@example.com")
    };
    let authority = &own.api.app.authority;
    let (key, mut stored) = api_key(authority.pepper(), 7, OWNER);
    stored.permissions.scopes = Scope::DEFAULT.to_vec();
    authority.replica().put(Part::Account(holder));
    authority.replica().put(Part::Key(stored));
    (own, key)
}

impl Own {
    fn push(&mut self, at: (i64, i64), event: &str, prices: &[Prices]) {
        self.writer.push(&self.api.app.boards.quotes, "push/acme", at, (event, prices));
    }

    fn read(&self, key: &str, path: &str, query: &str) -> (StatusCode, serde_json::Value) {
        let answer = self.api.send_with(key, (&Method::GET, path, query), &[]);
        (answer.status(), json(answer))
    }
}

/// Every answer to a `GET` that a key may send, of an event, of a window and of what there is not.
fn answers(own: &Own) -> Vec<String> {
    let window =
        own.writer.engine.board_of(&UserBooks::default()).pop().map_or("none".to_owned(), |entry| entry.id);
    let lines = ROUTES
        .iter()
        .flat_map(Route::lines)
        .filter(|line| line.starts_with("| `GET ") && line.contains("/v1/"));
    let paths = lines
        .map(|line| line.split([' ', '`']).nth(3).unwrap().to_owned())
        .filter(|path| !path.ends_with("/stream"));
    let mut all = Vec::new();
    for path in paths {
        for id in ["e", &window, "acme:1"] {
            let path =
                ["{id}", "{kid}", "{event}"].iter().fold(path.clone(), |path, part| path.replace(part, id));
            for query in ["", "total_stake=100", "book=acme:own", "sport=tennis"] {
                all.push(format!("{path}?{query} {}", answer(own, &path, query)));
            }
        }
    }
    assert!(all.iter().filter(|answer| answer.contains(" 200 ")).count() > 30, "{all:#?}");
    all
}

/// Status, headers and body; nothing of what waits for a processor or for ClickHouse.
fn answer(own: &Own, path: &str, query: &str) -> String {
    let Some(response) = own.api.try_send(&own.api.key, (&Method::GET, path, query), &[], "") else {
        return "waits".to_owned();
    };
    let (parts, mut body) = response.into_parts();
    let mut text = Vec::new();
    while let Some(Some(Ok(frame))) =
        poll_fn(|context| std::pin::Pin::new(&mut body).poll_frame(context)).now_or_never()
    {
        text.extend(frame.into_data().unwrap_or_default());
    }
    let mut headers: Vec<_> = parts.headers.iter().filter(|(name, _)| *name != "x-request-id").collect();
    headers.sort_by_key(|(name, _)| name.as_str());
    format!("{} {headers:?} {}", parts.status, String::from_utf8_lossy(&text))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    /// Whatever the owner has pushed, of events of all or of its own: every route answers another account in the same bytes.
    #[test]
    fn no_route_shows_another_account_what_a_private_source_has(
        pushed in prop::collection::vec((0..2_usize, 105_u32..900, 105_u32..900), 1..5),
    ) {
        let decimal = |hundredths: u32| format!("{}.{:02}", hundredths / 100, hundredths % 100);
        let [with, other] = [false, true].map(|is_other| {
            let (mut own, _) = own(&four());
            for (sequence, (event, home, away)) in (1..).zip(&pushed) {
                let (home, away) = if is_other { ("2.00".to_owned(), "1.01".to_owned()) } else { (decimal(*home), decimal(*away)) };
                let event = if is_other { "acme:9" } else { ["e", "acme:1"][*event] };
                own.push((101, sequence), event, &[prices("acme:own", &home, &away)]);
            }
            answers(&own)
        });
        for (with, other) in with.iter().zip(&other) {
            prop_assert_eq!(with, other);
        }
    }
}

#[test]
fn the_owner_sees_its_prices_on_its_board_among_odds_events_and_books_and_in_hedges() {
    let (mut own, key) = own(&four());
    own.push((101, 1), "e", &[prices("acme:own", "3.0", "1.3")]);
    own.push((101, 2), "acme:1", &[prices("acme:own", "3.0", "1.3")]);
    let (_, board) = own.read(&key, "/v1/arbs", "total_stake=100");
    let (mine, others) = (&legs(&board)[0], legs(&own.read(&own.api.key, "/v1/arbs", "total_stake=100").1));
    assert_eq!((mine[0].0.as_str(), mine[0].1, others[0][0].0.as_str()), ("acme:own", 3.0, "a"));
    assert_eq!(own.read(&key, "/v1/arbs", "").1["arbs"], value!([]), "the board of all has windows alone");
    let only = legs(&own.read(&key, "/v1/arbs", "books=acme:own,b").1);
    assert_eq!((only[0][0].0.as_str(), only[0][1].0.as_str()), ("acme:own", "b"));
    let (_, odds) = own.read(&key, "/v1/events/e/odds", "book=acme:own");
    assert_eq!(odds["lines"][0]["quotes"][0]["price"], 3.0);
    let ids = |(_, page): (StatusCode, serde_json::Value)| page["events"].as_array().unwrap().len();
    assert_eq!(
        (ids(own.read(&key, "/v1/events", "")), ids(own.read(&own.api.key, "/v1/events", ""))),
        (2, 1)
    );
    let has_book = |key: &str| own.read(key, "/v1/books", "").1.to_string().contains("acme:own");
    assert!(has_book(&key) && !has_book(&own.api.key));
    let hedge = |key: &str| {
        let path = format!("/v1/arbs/{}/hedge", board["arbs"][0]["id"].as_str().unwrap());
        let body = value!({"placed": [{"book": "acme:own", "stake": 10, "price": 3.0}]}).to_string();
        let fields = [(CONTENT_TYPE, "application/json")];
        own.api.try_send(key, (&Method::POST, &path, ""), &fields, &body).unwrap().status()
    };
    assert_eq!((hedge(&key), hedge(&own.api.key)), (StatusCode::OK, StatusCode::NOT_FOUND));
}

/// A cursor is text that a caller can write: none has the source of anybody.
#[test]
fn a_cursor_cannot_name_the_source_of_another() {
    let (mut own, _) = own(&four());
    own.push((101, 1), "e", &[prices("acme:own", "3.0", "1.3")]);
    own.writer.poll(&own.api.app.boards.quotes, 102, &[("e", &four()), ("f", &four())]);
    let (_, page) = own.read(&own.api.key, "/v1/arbs", "total_stake=100&limit=1");
    let bytes = URL_SAFE_NO_PAD.decode(page["next_cursor"].as_str().unwrap()).unwrap();
    let mut cursor: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
    let ask = |cursor: &serde_json::Value| {
        let cursor = URL_SAFE_NO_PAD.encode(cursor.to_string());
        own.read(&own.api.key, "/v1/arbs", &format!("total_stake=100&limit=1&cursor={cursor}")).0
    };
    assert_eq!(ask(&cursor), StatusCode::OK);
    cursor["filter"]["user"]["private"] = value!("push/acme");
    assert_eq!(ask(&cursor), StatusCode::BAD_REQUEST);
}
