//! Boards of own books, events, odds and books, asked as a caller would.

use arb_accounts::directory::Part;
use arb_accounts::key::Mode;
use arb_engine::UserBooks;
use proptest::prelude::*;
use serde_json::{Value, json as value};
use warp::http::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, LINK, RETRY_AFTER};

use super::*;
use crate::fixtures::api_key;
use crate::quotes::fixtures::{Prices, QuoteWriter, prices, ready};

const FOUR: [(&str, &str, &str); 4] =
    [("a", "2.2", "1.7"), ("b", "1.7", "2.2"), ("c", "2.1", "1.8"), ("d", "1.8", "2.1")];

pub(super) fn four() -> Vec<Prices> {
    FOUR.iter().map(|(book, home, away)| prices(book, home, away)).collect()
}

/// An API whose plan allows much, and what writes its quotes.
pub(super) struct Own {
    pub(super) api: Api,
    pub(super) writer: QuoteWriter,
}

impl Own {
    pub(super) fn new(event: &[Prices]) -> Self {
        Self::with_boards(event, 100)
    }

    /// One whose plan allows so many boards within a minute.
    pub(super) fn with_boards(event: &[Prices], boards: u32) -> Self {
        let api = Api::unread();
        let limits = value!({"requests": 100_000, "per_second": 0, "connections": 0, "boards": boards});
        let plan = value!({"free": limits}).to_string();
        std::fs::write(api.folder.path().join("plans.json"), plan).unwrap();
        api.app.usage.reload_plans();
        api.app.begin([], BoardProgress { source: "s".into(), received_at: 100_000_000 });
        let mut own = Self { api, writer: QuoteWriter::new() };
        own.writer.poll(&own.api.app.boards.quotes, 100, &[("e", event)]);
        ready(&own.api.app.boards.quotes);
        own
    }

    /// A test key of its account.
    pub(super) fn test_key(&self) -> String {
        let authority = &self.api.app.authority;
        let (_, mut stored) = api_key(authority.pepper(), 9, "acc_0000000000000001");
        stored.mode = Mode::Test;
        let key = arb_accounts::secrets::new_key(Mode::Test, &[9; arb_accounts::secrets::KEY_RANDOM]);
        stored.kid = arb_accounts::secrets::parse_key(&key).unwrap().kid.to_owned();
        stored.hmac = authority.pepper().hmac(&key);
        authority.replica().put(Part::Key(stored));
        key
    }

    fn get(&self, path: &str, query: &str) -> Response {
        self.send(&Method::GET, path, query, &[])
    }

    fn send(
        &self,
        method: &Method,
        path: &str,
        query: &str,
        fields: &[(warp::http::HeaderName, &str)],
    ) -> Response {
        self.api.send_with(&self.api.key, (method, path, query), fields)
    }

    fn arbs(&self, query: &str) -> Value {
        let answer = self.get("/v1/arbs", query);
        assert_eq!(answer.status(), StatusCode::OK, "{query}");
        json(answer)
    }
}

impl Api {
    pub(super) fn send_with(
        &self,
        key: &str,
        asked: (&Method, &str, &str),
        fields: &[(warp::http::HeaderName, &str)],
    ) -> Response {
        self.try_send(key, asked, fields, "").expect("no route that is asked here waits")
    }

    /// The answer to a request with a body; `None` of a route that waits.
    pub(super) fn try_send(
        &self,
        key: &str,
        (method, path, query): (&Method, &str, &str),
        fields: &[(warp::http::HeaderName, &str)],
        body: &str,
    ) -> Option<Response> {
        let mut headers = HeaderMap::new();
        headers.insert("x-api-key", key.parse().unwrap());
        headers.insert("authorization", format!("Bearer {key}").parse().unwrap());
        headers.extend(fields.iter().map(|(name, value)| (name.clone(), value.parse().unwrap())));
        let _in = self.runtime.enter();
        headers.entry("host").or_insert(HeaderValue::from_static("localhost"));
        let (service, head) = (self.app.service(), Head { method, path, query, headers: &headers });
        let chunks = Some(body.as_bytes()).filter(|body| !body.is_empty()).map(Ok::<_, ()>);
        service.respond(&head, stream::iter(chunks), None).now_or_never()
    }
}

/// The legs of each arb: book, price and stake.
pub(super) fn legs(page: &Value) -> Vec<Vec<(String, f64, f64)>> {
    let leg = |leg: &Value| {
        (
            leg["book"].as_str().unwrap().to_owned(),
            leg["price"].as_f64().unwrap(),
            leg["stake"].as_f64().unwrap(),
        )
    };
    let arb = |arb: &Value| arb["legs"].as_array().unwrap().iter().map(leg).collect();
    page["arbs"].as_array().unwrap().iter().map(arb).collect()
}

#[test]
fn a_board_of_own_books_shows_what_the_best_price_hides() {
    let own = Own::new(&four());
    assert_eq!(legs(&own.arbs("total_stake=100")), [[("a".into(), 2.2, 50.0), ("b".into(), 2.2, 50.0)]]);
    let page = own.arbs("books=d,c");
    assert_eq!(legs(&page), [[("c".into(), 2.1, 50.0), ("d".into(), 2.1, 50.0)]]);
    assert_eq!((&page["as_of"], &page["arbs"][0]["rank"]), (&value!("1970-01-01T00:01:40Z"), &value!(1)));
    let staked = own.arbs("books=c,d&total_stake=777.01&odds_format=american");
    let of_c = &staked["arbs"][0]["legs"][0];
    assert_eq!((&of_c["price"], &of_c["stake"]), (&value!(110), &value!(388.5)));
    // 1 + 1.2 * 0.75 is 1.9 at `a`: `c` is better.
    assert_eq!(legs(&own.arbs("commissions=a:25"))[0][0].0, "c");
    assert_eq!(own.arbs("books=a&min_margin=-1")["arbs"], value!([]));
}

#[test]
fn a_board_of_own_books_costs_more_and_its_tag_is_known_before_it_is_computed() {
    let mut own = Own::new(&four());
    let ask = |own: &Own, method: &Method, query: &str, tag: Option<&HeaderValue>| {
        let fields: Vec<_> = tag.iter().map(|tag| (IF_NONE_MATCH, tag.to_str().unwrap())).collect();
        own.send(method, "/v1/arbs", query, &fields)
    };
    let first = ask(&own, &Method::GET, "books=c,d", None);
    let used =
        |own: &Own| own.api.app.usage.status(&own.api.app.authority.caller(&own.api.key, None).unwrap()).used;
    assert_eq!(
        (first.status(), &first.headers()["x-requests-last"], used(&own)),
        (StatusCode::OK, &"3".parse().unwrap(), 3)
    );
    let tag = first.headers()[ETAG].clone();
    // However it is written, and for HEAD too, by which another instance of the API has the same tag.
    for (method, query) in [
        (Method::GET, "books=d,c,d"),
        (Method::HEAD, "books=c,d"),
        (Method::GET, "books=c,d&commissions=a:2"),
    ] {
        let answer = ask(&own, &method, query, Some(&tag));
        assert_eq!((answer.status(), used(&own)), (StatusCode::NOT_MODIFIED, 3), "{method} {query}");
        assert_eq!(answer.headers()[ETAG], tag);
    }
    let head = ask(&own, &Method::HEAD, "books=c,d", None);
    assert_eq!((head.status(), &head.headers()[ETAG], used(&own)), (StatusCode::OK, &tag, 3));
    let mut other = four();
    other[2] = prices("c", "2.15", "1.8");
    own.writer.poll(&own.api.app.boards.quotes, 110, &[("e", &other)]);
    let next = ask(&own, &Method::GET, "books=c,d", Some(&tag));
    assert_eq!((next.status(), used(&own)), (StatusCode::OK, 6));
    assert_ne!(next.headers()[ETAG], tag);
    assert!((legs(&json(next))[0][0].1 - 2.15).abs() < 1e-9);
}

#[test]
fn what_cannot_be_computed_is_refused() {
    let own = Own::with_boards(&four(), 3);
    for query in [
        "books=",
        "books=nobody",
        "commissions=nobody:1",
        "total_stake=0",
        "books=a&books=b",
        "odds_format=x",
    ] {
        assert_eq!(own.get("/v1/arbs", query).status(), StatusCode::BAD_REQUEST, "{query}");
    }
    let statuses = ["books=a", "books=b", "books=c", "books=d"].map(|query| own.get("/v1/arbs", query));
    assert_eq!(statuses.each_ref().map(|answer| answer.status().as_u16()), [200, 200, 200, 429]);
    assert!(statuses[3].headers()[RETRY_AFTER].to_str().unwrap().parse::<u64>().unwrap() <= 61);
    let unread = Api::new();
    unread.app.boards.quotes.fail();
    assert_eq!(
        unread.ask(&Method::GET, "/v1/arbs", "books=alpha", None).0.status(),
        StatusCode::SERVICE_UNAVAILABLE
    );
    assert_eq!(
        unread.ask(&Method::GET, "/v1/arbs", "", None).0.status(),
        StatusCode::OK,
        "all else is served"
    );
    let key = own.test_key();
    let test = |path, query| own.api.send_with(&key, (&Method::GET, path, query), &[]).status().as_u16();
    assert_eq!(
        [test("/v1/arbs", ""), test("/v1/arbs", "books=a"), test("/v1/events", ""), test("/v1/sports", "")],
        [200, 403, 403, 200]
    );
}

/// Each flag of the entry beside it, each with measures that all hold where it does.
fn check_flags(shown: &Value) {
    let flags = shown["evidence"]["flags"].as_array().unwrap();
    assert_eq!(flags.len(), 9);
    for flag in flags {
        assert_eq!(flag["holds"], shown["open"]["verification"][flag["flag"].as_str().unwrap()], "{flag}");
        let measures = flag["measures"].as_array().unwrap();
        assert!(!measures.is_empty());
        assert_eq!(flag["holds"], measures.iter().all(|measure| measure["holds"] == true), "{flag}");
    }
}

#[test]
fn an_open_window_has_the_evidence_of_its_flags() {
    let own = Own::new(&four());
    let entry = own.writer.engine.board_of(&UserBooks::default()).remove(0);
    own.api.app.lists.board.put(entry.clone());
    let path = format!("/v1/arbs/{}", entry.id);
    let shown = json(own.get(&path, ""));
    check_flags(&shown);
    let evidence = &shown["evidence"];
    assert_eq!(
        (&evidence["sequence"], &evidence["legs"][0]["book"]),
        (&value!(entry.sequence), &value!("a"))
    );
    assert_eq!(evidence["simultaneity"]["holds"], true);
    assert_eq!(evidence["quotes"].as_array().unwrap().len(), 8, "of all books, not of the legs alone");
    // No book is in a table: no rules are known, which is why the entry is not verified.
    let rules =
        evidence["flags"].as_array().unwrap().iter().find(|flag| flag["flag"] == "same_rules").unwrap();
    assert_eq!((&rules["holds"], &rules["measures"][0]["value"]), (&value!(false), &Value::Null));
    assert_eq!((&shown["window"], &shown["transitions"]), (&Value::Null, &value!([])), "without a history");
    assert_eq!(own.get("/v1/arbs/never", "").status(), StatusCode::NOT_FOUND);
    own.api.app.boards.quotes.fail();
    let unread = json(own.get(&path, ""));
    assert_eq!((&unread["open"]["id"], &unread["evidence"]), (&value!(entry.id), &Value::Null));
}

#[test]
fn a_test_key_sees_a_window_of_its_market_without_evidence() {
    let own = Own::new(&four());
    let entry = own.writer.engine.board_of(&UserBooks::default()).remove(0);
    own.api.app.lists.board.put(entry.clone());
    let key = own.test_key();
    let ask = |path: &str| own.api.send_with(&key, (&Method::GET, path, ""), &[]);
    let board = json(ask("/v1/arbs"));
    let id = board["arbs"][0]["id"].as_str().unwrap();
    let shown = json(ask(&format!("/v1/arbs/{id}")));
    assert_eq!((&shown["open"]["id"], &shown["evidence"]), (&value!(id), &Value::Null));
    assert_eq!(ask(&format!("/v1/arbs/{}", entry.id)).status(), StatusCode::NOT_FOUND, "of the live market");
}

#[test]
fn rows_have_a_tag_a_type_and_a_link_of_their_own() {
    let api = Api::new();
    let csv = [(ACCEPT, "text/csv")];
    let page = api.send_with(&api.key, (&Method::GET, "/v1/arbs", "limit=1&sort=margin"), &csv);
    assert!(page.headers()[CONTENT_TYPE].to_str().unwrap().starts_with("text/csv"));
    let (tag, link) = (page.headers()[ETAG].clone(), page.headers()[LINK].to_str().unwrap().to_owned());
    let next = link.strip_prefix("</v1/arbs?").and_then(|link| link.strip_suffix(">; rel=\"next\"")).unwrap();
    assert!(next.starts_with("limit=1&sort=margin&cursor="), "{link}");
    let known = [(ACCEPT, "text/csv"), (IF_NONE_MATCH, tag.to_str().unwrap())];
    let again = api.send_with(&api.key, (&Method::HEAD, "/v1/arbs", "limit=1&sort=margin"), &known);
    assert_eq!((again.status(), &again.headers()[ETAG]), (StatusCode::NOT_MODIFIED, &tag));
    let as_json = api.send_with(&api.key, (&Method::GET, "/v1/arbs", "limit=1&sort=margin"), &known[1..]);
    assert_eq!(as_json.headers()[CONTENT_TYPE], "application/json");
    assert_ne!(as_json.headers()[ETAG], tag);
    let last = api.send_with(&api.key, (&Method::GET, "/v1/arbs", next), &csv);
    assert!(last.status() == StatusCode::OK && !last.headers().contains_key(LINK));
    let zipped = [(ACCEPT, "text/csv"), (ACCEPT_ENCODING, "gzip")];
    let head = api.send_with(&api.key, (&Method::HEAD, "/v1/arbs", ""), &zipped);
    let whole = api.send_with(&api.key, (&Method::HEAD, "/v1/arbs", ""), &csv);
    assert_eq!(
        (&head.headers()[ETAG], head.headers()[VARY].to_str().unwrap().contains("accept")),
        (&whole.headers()[ETAG], true)
    );
    assert!(!whole.headers().contains_key(CONTENT_ENCODING));
}

#[test]
fn events_odds_books_and_sports_are_listed() {
    let mut own = Own::new(&four());
    own.writer.poll(&own.api.app.boards.quotes, 110, &[("e", &four()), ("f", &[prices("a", "1.5", "2.5")])]);
    let page = json(own.get("/v1/events", "limit=1"));
    let ids = |page: &Value| {
        page["events"].as_array().unwrap().iter().map(|event| event["id"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(ids(&page), ["e"]);
    let rest =
        json(own.get("/v1/events", &format!("limit=1&cursor={}", page["next_cursor"].as_str().unwrap())));
    assert_eq!((ids(&rest), &rest["next_cursor"]), (vec![value!("f")], &Value::Null));
    assert_eq!(ids(&json(own.get("/v1/events", "sport=soccer"))), [""; 0]);
    assert_eq!(own.get("/v1/events", "sport=socer").status(), StatusCode::BAD_REQUEST);
    let odds = json(own.get("/v1/events/f/odds", "odds_format=fractional"));
    assert_eq!(odds["lines"][0]["quotes"][0]["price"], "1/2");
    let of_four = json(own.get("/v1/events/e/odds", ""));
    let quotes = of_four["lines"][0]["quotes"].as_array().unwrap();
    // What a book keeps that no table has is not known: none of its prices is the best.
    assert!(quotes.len() == 8 && quotes.iter().all(|quote| quote["is_best"] == false));
    assert_eq!(
        (&odds["event"]["group"], odds["lines"].as_array().unwrap().len()),
        (&value!("tennis_atp_aus_open_singles/1970-01-01"), 1)
    );
    assert_eq!(json(own.get("/v1/events/f/odds", "book=b"))["lines"], value!([]));
    assert_eq!(own.get("/v1/events/g/odds", "").status(), StatusCode::NOT_FOUND);
    let first = json(own.get("/v1/odds/best", "limit=1&market=h2h"));
    assert_eq!(first["events"][0]["event"]["id"], "e");
    let next = format!("limit=1&market=h2h&cursor={}", first["next_cursor"].as_str().unwrap());
    let rest = json(own.get("/v1/odds/best", &next));
    assert_eq!((&rest["events"][0]["event"]["id"], &rest["next_cursor"]), (&value!("f"), &Value::Null));
    assert_eq!(json(own.get("/v1/odds/best", "market=totals"))["events"], value!([]));
    assert_eq!(own.get("/v1/odds/best", "market=moneyline").status(), StatusCode::BAD_REQUEST);
    assert_eq!(own.get("/v1/events/e/odds/history", "market=h2h").status(), StatusCode::SERVICE_UNAVAILABLE);
    let books = json(own.get("/v1/books", ""));
    let keys: Vec<_> =
        books["books"].as_array().unwrap().iter().map(|book| book["key"].as_str().unwrap()).collect();
    assert_eq!(keys, ["a", "b", "c", "d"]);
    assert_eq!(books["books"][0]["polled_every_seconds"], Value::Null, "no two polls are known");
    for second in [200, 210, 220] {
        let progress = BoardProgress { source: "s".into(), received_at: second * 1_000_000 };
        own.api.app.lists.polls.note(0, progress);
    }
    assert_eq!(json(own.get("/v1/books", ""))["books"][0]["polled_every_seconds"], 10.0);
    let sports = json(own.get("/v1/sports", ""));
    assert!(sports["sports"].as_array().unwrap().iter().any(|sport| sport["sport"] == "tennis"));
    let answer = own.get("/v1/events", "");
    let tag = [(IF_NONE_MATCH, answer.headers()[ETAG].to_str().unwrap())];
    assert_eq!(own.send(&Method::GET, "/v1/events", "", &tag).status(), StatusCode::NOT_MODIFIED);
    let status = json(own.get("/status", ""));
    assert_eq!((&status["status"], &status["is_computing_own_books"]), (&value!("ok"), &value!(true)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// A page of some books and commissions is what an engine computes that never received the other books.
    #[test]
    fn a_page_is_that_of_an_engine_without_the_other_books(
        odds in prop::collection::vec((150_u32..280, 150_u32..280), 6),
        chosen in prop::collection::btree_set(0..6_usize, 1..6),
        percents in prop::collection::btree_map(0..6_usize, 0_u32..1_000, 0..4),
    ) {
        const BOOKS: [&str; 6] = ["a", "b", "c", "d", "e", "f"];
        let price = |odds: u32| format!("{}.{:02}", odds / 100, odds % 100);
        let all: Vec<_> = BOOKS.iter().zip(&odds).map(|(book, (home, away))| prices(book, &price(*home), &price(*away))).collect();
        let own = Own::new(&all);
        let mut alone = QuoteWriter::new();
        let some: Vec<_> = chosen.iter().map(|at| all[*at].clone()).collect();
        let unread = std::sync::Arc::new(crate::quotes::store::Quotes::new(1, &std::sync::Arc::default()));
        alone.poll(&unread, 100, &[("e", &some)]);
        let names: Vec<_> = chosen.iter().map(|at| BOOKS[*at]).collect();
        let charged = percents.iter().filter(|(at, _)| chosen.contains(at));
        let commissions = charged.clone().map(|(at, hundredths)| (BOOKS[*at].to_owned(), hundredths * 100)).collect();
        let expected = alone.engine.board_of(&UserBooks { commissions, ..UserBooks::default() });
        let text: Vec<_> = charged.map(|(at, hundredths)| format!("{}:{}.{:02}", BOOKS[*at], hundredths / 100, hundredths % 100)).collect();
        let commissions = if text.is_empty() { String::new() } else { format!("&commissions={}", text.join(",")) };
        let page = own.arbs(&format!("books={}{commissions}", names.join(",")));
        let found: Vec<_> = legs(&page).into_iter().flatten().map(|(book, price, _)| (book, price)).collect();
        let legs = expected.iter().flat_map(|entry| &entry.legs);
        let expected_legs: Vec<_> = legs.map(|leg| (leg.book.to_string(), leg.price.decimal())).collect();
        prop_assert_eq!(found, expected_legs);
        // The text of a number is read back but for the last bit.
        let margins = page["arbs"].as_array().unwrap().iter().map(|arb| arb["margin"].as_f64().unwrap());
        prop_assert!(margins.zip(&expected).all(|(found, entry)| (found - entry.margin).abs() < 1e-12));
    }
}
